// RUN: tile-opt %s --explain --arch sm_90 | filecheck %s
// RUN: tile-opt %s -p VERIFIERS,convert-ownership-to-cuda-tile | tile-opt --explain --arch sm_90 | filecheck %s --check-prefix=TILE
// RUN: tile-opt %s --explain --arch sm_1 | filecheck %s --check-prefix=NONE

// CHECK:      fill(y: out f32[N])
// CHECK-NEXT:   ceildiv(N, 64) regions, one block each
// CHECK:      proofs: 4 obligations, 4 proved
// CHECK-NEXT:   {{[0-9]+}}:8 output `y`: covered: proved
// CHECK-NEXT:   {{[0-9]+}}:3 distribution of `y`: disjoint: proved
// CHECK:      moves and computes
// CHECK-NEXT:   `y` written  N * 4
// CHECK:      GPU code:
// CHECK-NEXT:          registers
// CHECK-NEXT:   sm_90  {{ *[0-9]+ }}
// CHECK:      ownership IR
// CHECK:      {{[0-9]+}} | %t = cuda_tile.constant <f32: 1.5>{{.*}} | %t = constant 1.5 : 64xf32
// CHECK:      Tile IR
// CHECK:      {{[0-9]+}} | ownership.store %t, %r{{.*}} | store_view_tko %t to %y_tiles[%{{.*}}]

// TILE:      fill
// TILE:      GPU code:
// TILE:        sm_90  {{ *[0-9]+ }}
// TILE-NOT:  proofs
// TILE:      Tile IR
// TILE:      | store_view_tko

// NONE:      GPU code: none
// NONE-NEXT:   the Tile IR assembler has no architecture `sm_1` (O407)
ownership.kernel @fill(%y: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<out tile [64], [N], f32>
  ownership.distribute %p : !ownership.partition<out tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<out tile [64], [N], f32> -> !ownership.region<out tile [64], [N], f32>
    %t = cuda_tile.constant <f32: 1.5> : tile<64xf32>
    ownership.store %t, %r : !cuda_tile.tile<64xf32>, !ownership.region<out tile [64], [N], f32>
  }
}
