// RUN: tile-opt %s | filecheck %s
// RUN: tile-opt %s | tile-opt | filecheck %s
// RUN: tile-opt %s --print-op-generic | tile-opt | filecheck %s

// CHECK:      ownership.kernel @gemm(%c: !ownership.tensor<[M, N], bf16>,
// CHECK-SAME:   %a: !ownership.tensor<[M, K], bf16, #ownership.layout<align = 16, strides = [0, 1], stride_divs = [8, 1], extent_divs = [1, 8]>>,
// CHECK-SAME:   %b: !ownership.tensor<[K, N], bf16>) {
ownership.kernel @gemm(
    %c: !ownership.tensor<[M, N], bf16>,
    %a: !ownership.tensor<[M, K], bf16, #ownership.layout<align = 16, strides = [0, 1], stride_divs = [8, 1], extent_divs = [1, 8]>>,
    %b: !ownership.tensor<[K, N], bf16>) {
  // CHECK: %pc = ownership.partition %c : !ownership.tensor<[M, N], bf16> -> !ownership.partition<out tile [64, 32], [M, N], bf16>
  %pc = ownership.partition %c : !ownership.tensor<[M, N], bf16> -> !ownership.partition<out tile [64, 32], [M, N], bf16>
  // CHECK: %ra = ownership.borrow %a
  %ra = ownership.borrow %a : !ownership.tensor<[M, K], bf16, #ownership.layout<align = 16, strides = [0, 1], stride_divs = [8, 1], extent_divs = [1, 8]>> -> !ownership.ref<[M, K], bf16, #ownership.layout<align = 16, strides = [0, 1], stride_divs = [8, 1], extent_divs = [1, 8]>>
  %rb = ownership.borrow %b : !ownership.tensor<[K, N], bf16> -> !ownership.ref<[K, N], bf16>
  // CHECK: ownership.distribute %pc order #ownership.order<grouped 8> blocks #ownership.blocks<persistent> : !ownership.partition<out tile [64, 32], [M, N], bf16> {
  ownership.distribute %pc order #ownership.order<grouped 8> blocks #ownership.blocks<persistent> : !ownership.partition<out tile [64, 32], [M, N], bf16> {
  // CHECK-NEXT: ^{{.*}}(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
  ^bb0(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
    // CHECK-NEXT: %r = ownership.region %pc[%i, %j] : !ownership.partition<out tile [64, 32], [M, N], bf16> -> !ownership.region<out tile [64, 32], [M, N], bf16>
    %r = ownership.region %pc[%i, %j] : !ownership.partition<out tile [64, 32], [M, N], bf16> -> !ownership.region<out tile [64, 32], [M, N], bf16>
    // CHECK-NEXT: %m = ownership.coordinate %r, 0 : !ownership.region<out tile [64, 32], [M, N], bf16>
    %m = ownership.coordinate %r, 0 : !ownership.region<out tile [64, 32], [M, N], bf16>
    // CHECK-NEXT: %nk = ownership.tiles %ra, 1 by 16 : !ownership.ref<[M, K], bf16
    %nk = ownership.tiles %ra, 1 by 16 : !ownership.ref<[M, K], bf16, #ownership.layout<align = 16, strides = [0, 1], stride_divs = [8, 1], extent_divs = [1, 8]>>
    // CHECK-NEXT: %kk = ownership.dim %rb, 0 : !ownership.ref<[K, N], bf16>
    %kk = ownership.dim %rb, 0 : !ownership.ref<[K, N], bf16>
    // What text says of duties is not believed.
    // CHECK-NEXT: %t = ownership.load %rb[%m, %j] {duties = [#ownership.duty<in_bounds axis 0 open>, #ownership.duty<in_bounds axis 1 open>]} : !ownership.ref<[K, N], bf16> -> !cuda_tile.tile<64x32xbf16>
    %t = ownership.load %rb[%m, %j] {duties = [#ownership.duty<in_bounds axis 0 proved "a reason">, #ownership.duty<in_bounds axis 1 launch ("ceildiv(N, 32) <= ceildiv(K, 32)")>]} : !ownership.ref<[K, N], bf16> -> !cuda_tile.tile<64x32xbf16>
    // CHECK-NEXT: ownership.store %t, %r : !cuda_tile.tile<64x32xbf16>, !ownership.region<out tile [64, 32], [M, N], bf16>
    ownership.store %t, %r : !cuda_tile.tile<64x32xbf16>, !ownership.region<out tile [64, 32], [M, N], bf16>
    // CHECK-NEXT: %again, %tok = ownership.load %r
    %again, %tok = ownership.load %r : !ownership.region<out tile [64, 32], [M, N], bf16> -> !cuda_tile.tile<64x32xbf16>, !cuda_tile.token
    // CHECK-NEXT: %tok2 = ownership.store %again, %r token %tok
    %tok2 = ownership.store %again, %r token %tok : !cuda_tile.tile<64x32xbf16>, !ownership.region<out tile [64, 32], [M, N], bf16> -> !cuda_tile.token
    // CHECK-NEXT: ownership.release %r : !ownership.region<out tile [64, 32], [M, N], bf16>
    ownership.release %r : !ownership.region<out tile [64, 32], [M, N], bf16>
  }
}

// CHECK: ownership.kernel @steps(%u: !ownership.tensor<[N, "H // G", 4], f32>, %a: !cuda_tile.tile<f32>) {
ownership.kernel @steps(%u: !ownership.tensor<[N, "H // G", 4], f32>, %a: !cuda_tile.tile<f32>) {
  // CHECK: !ownership.partition<mut tile [64, 1, 4] step [32, 1, 4], [N, "H // G", 4], f32>
  %p = ownership.partition %u : !ownership.tensor<[N, "H // G", 4], f32> -> !ownership.partition<mut tile [64, 1, 4] step [32, 1, 4], [N, "H // G", 4], f32>
  // CHECK: ownership.distribute %p order #ownership.order<column> :
  ownership.distribute %p order #ownership.order<column> : !ownership.partition<mut tile [64, 1, 4] step [32, 1, 4], [N, "H // G", 4], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>, %k: !cuda_tile.tile<i32>):
  }
}
