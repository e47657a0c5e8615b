// A matrix product in the ownership dialect, written by hand. What each line means is in docs/ownership.md.
//
//   tile-opt examples/gemm.mlir -p verify-borrows,verify-partitions,resolve-obligations,report-obligations
//   tile-opt examples/gemm.mlir -p verify-borrows,verify-partitions,resolve-obligations,thread-tokens,convert-ownership-to-cuda-tile,canonicalize,cse
//   tile-run examples/gemm.mlir --arg zeros:f32[100,80] --arg rand:f32[100,60]:1 --arg rand:f32[60,80]:2

ownership.kernel @gemm(%c: !ownership.tensor<[M, N], f32>, %a: !ownership.tensor<[M, K], f32>, %b: !ownership.tensor<[K, N], f32>) {
  // c is split into tiles of 64 x 32, each for one tile block alone; a and b are lent to all blocks for reading.
  %parts = ownership.partition %c : !ownership.tensor<[M, N], f32> -> !ownership.partition<out tile [64, 32], [M, N], f32>
  %left = ownership.borrow %a : !ownership.tensor<[M, K], f32> -> !ownership.ref<[M, K], f32>
  %right = ownership.borrow %b : !ownership.tensor<[K, N], f32> -> !ownership.ref<[K, N], f32>

  // The body runs once for every tile of c; blocks take tiles in groups of 8 rows.
  ownership.distribute %parts order #ownership.order<grouped 8> : !ownership.partition<out tile [64, 32], [M, N], f32> {
  ^bb0(%m: !cuda_tile.tile<i32>, %n: !cuda_tile.tile<i32>):
    %mine = ownership.region %parts[%m, %n] : !ownership.partition<out tile [64, 32], [M, N], f32> -> !ownership.region<out tile [64, 32], [M, N], f32>
    %zero = cuda_tile.constant <f32: 0.0> : !cuda_tile.tile<64x32xf32>
    %first = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
    %count = ownership.tiles %left, 1 by 16 : !ownership.ref<[M, K], f32>
    %product = cuda_tile.for %k in (%first to %count, step %one) : !cuda_tile.tile<i32> iter_values(%sum = %zero) -> (!cuda_tile.tile<64x32xf32>) {
      // %k is below the number of tiles of a, and, as both call that dimension K, of b.
      %x = ownership.load %left[%m, %k] : !ownership.ref<[M, K], f32> -> !cuda_tile.tile<64x16xf32>
      %y = ownership.load %right[%k, %n] : !ownership.ref<[K, N], f32> -> !cuda_tile.tile<16x32xf32>
      %next = cuda_tile.mmaf %x, %y, %sum : !cuda_tile.tile<64x16xf32>, !cuda_tile.tile<16x32xf32>, !cuda_tile.tile<64x32xf32>
      cuda_tile.continue %next : !cuda_tile.tile<64x32xf32>
    }
    ownership.store %product, %mine : !cuda_tile.tile<64x32xf32>, !ownership.region<out tile [64, 32], [M, N], f32>
  }
}
