// What tile-run prints, saves and refuses.

// RUN: tile-run %s --arg arange:f32[5] -a ones:f32[5] -a 2.5 | filecheck %s
// RUN: tile-run %s -a arange:f32[5] -a ones:f32[5] -a 2.5 --order decreasing --checked | filecheck %s
// RUN: tile-run - -a arange:f32[5] -a ones:f32[5] -a 2.5 --order 3 < %s | filecheck %s
// CHECK:      argument 0: float32[5]
// CHECK-NEXT: [2.5, 3.5, 4.5, 5.5, 6.5]
// CHECK-NOT:  argument 1

// RUN: tile-run %s -a arange:f32[5] -a ones:f32[5] -a 2.5 --save 0=%t.npy --print none | filecheck %s --allow-empty --check-prefix=SILENT
// RUN: tile-run %s -a zeros:f32[5] -a %t.npy -a 2 --print all | filecheck %s --check-prefix=SAVED
// SILENT-NOT: argument
// SAVED:      argument 0: float32[5]
// SAVED-NEXT: [ 5.,  7.,  9., 11., 13.]
// SAVED-NEXT: argument 1: float32[5]
// SAVED-NEXT: [2.5, 3.5, 4.5, 5.5, 6.5]

// RUN: not tile-run %s -a zeros:f32[5] -a rand:f32[4]:1 -a 2.5 2>&1 | filecheck %s --check-prefix=SHORT
// SHORT: error[O530]: an extent of 4 where `N` is 5
// SHORT-NEXT: argument `x` of `saxpy`

// RUN: not tile-run %s -a zeros:f32[5] -a some:f32[4] -a 2.5 2>&1 | filecheck %s --check-prefix=WORD
// WORD: error[O530]: `some:f32[4]` is neither a number nor an array
// WORD-NEXT: argument `--arg 1` of `tile-run`

// RUN: not tile-run %s -a %t.none.npy 2>&1 | filecheck %s --check-prefix=MISSING
// MISSING: error[O506]: cannot read
// MISSING-NEXT: argument `--arg 0` of `tile-run`

ownership.kernel @saxpy(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[N], f32>, %a: !cuda_tile.tile<f32>) {
  %rx = ownership.borrow %x : !ownership.tensor<[N], f32> -> !ownership.ref<[N], f32>
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [4], [N], f32> -> !ownership.region<mut tile [4], [N], f32>
    %tx = ownership.load %rx[%i] : !ownership.ref<[N], f32> -> !cuda_tile.tile<4xf32>
    %ty = ownership.load %r : !ownership.region<mut tile [4], [N], f32> -> !cuda_tile.tile<4xf32>
    %a1 = cuda_tile.reshape %a : tile<f32> -> tile<1xf32>
    %ab = cuda_tile.broadcast %a1 : tile<1xf32> -> tile<4xf32>
    %s = cuda_tile.fma %ab, %tx, %ty : tile<4xf32>
    ownership.store %s, %r : !cuda_tile.tile<4xf32>, !ownership.region<mut tile [4], [N], f32>
  }
}
