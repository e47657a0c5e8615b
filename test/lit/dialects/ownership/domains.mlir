// RUN: tile-opt %s | filecheck %s
// RUN: tile-opt %s | tile-opt | filecheck %s
// RUN: tile-opt %s --print-op-generic | tile-opt | filecheck %s

// A domain of its own, so many persistent blocks, an output that is written in part, a region where a map says.
// CHECK:      %p = ownership.partition %y {duties = [#ownership.duty<covered open>]}
// CHECK-SAME:   -> !ownership.partition<partial tile [4], [N], f32>
// CHECK:      ownership.distribute %p over ["ceildiv(N, 4) // 2", 3] blocks #ownership.blocks<persistent 132> : !ownership.partition<partial tile [4], [N], f32> {
// CHECK:      %r = ownership.region %p[%i] {mapped, axes = #builtin.int<1>} : !ownership.partition<partial tile [4], [N], f32>
ownership.kernel @part(%y: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %y {duties = [#ownership.duty<covered launch ("ceildiv(N, 4) == 1")>]} : !ownership.tensor<[N], f32> -> !ownership.partition<partial tile [4], [N], f32>
  ownership.distribute %p over ["ceildiv(N, 4) // 2", 3] blocks #ownership.blocks<persistent 132> : !ownership.partition<partial tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] {mapped, axes = #builtin.int<1>} : !ownership.partition<partial tile [4], [N], f32> -> !ownership.region<partial tile [4], [N], f32>
  }
}

// Nothing has regions here; the domain is all there is.
// CHECK:      ownership.distribute over [M, 8] order #ownership.order<column> {
// CHECK-NEXT: ^{{.*}}(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
ownership.kernel @none(%x: !ownership.tensor<[M], f32>) {
  ownership.distribute over [M, 8] order #ownership.order<column> {
  ^bb0(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
  }
}
