// RUN: tile-opt %s -p VERIFIERS,convert-ownership-to-cuda-tile,canonicalize | filecheck %s

// Extents of a domain that are more than numbers of tiles are parameters of the entry: the launcher computes them, and
// sees that they are positive. Numbers of tiles are computed, as ever.
// CHECK:      cuda_tile.entry @halves(%y: tile<ptr<f32>>, %N: tile<i32>, %0: tile<i32>) {
// CHECK:        %[[BLOCKS:.*]] = cuda_tile.assume bounded<1, ?>, %0
// CHECK:        %[[COUNT:.*]] = cuda_tile.addi %{{.*}}, %{{.*}}
// CHECK-NEXT:   %[[ALL:.*]] = cuda_tile.muli %[[BLOCKS]], %[[COUNT]]
// CHECK:        cuda_tile.for %point in (%block to %[[ALL]], step %blocks)
// CHECK-NEXT:     %i = cuda_tile.divi %point, %[[COUNT]] unsigned
// CHECK:          cuda_tile.store_view_tko weak %x, %y_tiles[%i]
ownership.kernel @halves(%y: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [64], [N], f32>
  ownership.distribute %p over ["ceildiv(N, 64) // 2", "ceildiv(N, 64)"] blocks #ownership.blocks<persistent 7> : !ownership.partition<mut tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
    %x = cuda_tile.constant <f32: 1.0> : !cuda_tile.tile<64xf32>
    %r = ownership.region %p[%i] {axes = #builtin.int<1>} : !ownership.partition<mut tile [64], [N], f32> -> !ownership.region<mut tile [64], [N], f32>
    ownership.store %x, %r : !cuda_tile.tile<64xf32>, !ownership.region<mut tile [64], [N], f32>
  }
}
