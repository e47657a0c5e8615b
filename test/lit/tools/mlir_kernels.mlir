// REQUIRES: mlir
// RUN: tile-opt %s -p 'mlir{canonicalize,cse}' | filecheck %s

// Both dialects go to upstream MLIR and come back as they were, but for the names of values.

// CHECK:      ownership.kernel @k({{%[a-z0-9]+}}: !ownership.tensor<[M, "H // G"], f32>) {
// CHECK-NEXT:   %0 = ownership.partition {{%[a-z0-9]+}} : !ownership.tensor<[M, "H // G"], f32> -> !ownership.partition<out tile [4, 8], [M, "H // G"], f32>
// CHECK-NEXT:   ownership.distribute %0 :
// CHECK-NEXT:   ^bb0({{%[a-z0-9]+}}: !cuda_tile.tile<i32>, {{%[a-z0-9]+}}: !cuda_tile.tile<i32>):
// CHECK-NEXT:     %1 = ownership.region %0[{{%[a-z0-9]+}}, {{%[a-z0-9]+}}]
// CHECK-NEXT:     %2 = ownership.coordinate %1, 1
ownership.kernel @k(%x: !ownership.tensor<[M, "H // G"], f32>) {
  %p = ownership.partition %x : !ownership.tensor<[M, "H // G"], f32> -> !ownership.partition<out tile [4, 8], [M, "H // G"], f32>
  ownership.distribute %p order #ownership.order<row> : !ownership.partition<out tile [4, 8], [M, "H // G"], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i, %j] : !ownership.partition<out tile [4, 8], [M, "H // G"], f32> -> !ownership.region<out tile [4, 8], [M, "H // G"], f32>
    %c = ownership.coordinate %r, 1 : !ownership.region<out tile [4, 8], [M, "H // G"], f32>
  }
}

// CHECK:      cuda_tile.module @m {
// CHECK-NEXT:   cuda_tile.entry @k({{%[a-z0-9]+}}: tile<ptr<f32>>) {
// CHECK-NEXT:     %0 = cuda_tile.constant <f32: 1.500000e+00> : tile<f32>
// CHECK-NEXT:     %1 = cuda_tile.addf %0, %0 : tile<f32>
cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>) {
    %0 = constant <f32: 1.5> : tile<f32>
    %1 = addf %0, %0 : tile<f32>
    return
  }
}
