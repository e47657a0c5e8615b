// RUN: tile-opt %s -p resolve-obligations --print-diagnostics --split-input-file | filecheck %s

// CHECK:      error[O302]: this load from `x` is out of bounds along axis 0
// CHECK:      tile index `4` is never below 4
// CHECK:      = note: where N = 1, index 4 of 4 tiles is accessed by block 0
// CHECK-NEXT: = help: tiles along this axis are counted from 0 to `3`
// CHECK:      error[O302]: this load from `x` is out of bounds along axis 0
// CHECK:      tile index `-1` is never 0 or more
// CHECK:      2 errors
ownership.kernel @constant(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[256], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [64], [N], f32>
  %u = ownership.borrow %x : !ownership.tensor<[256], f32> -> !ownership.ref<[256], f32>
  ownership.distribute %p : !ownership.partition<mut tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %four = cuda_tile.constant <i32: 4> : !cuda_tile.tile<i32>
    %a = ownership.load %u[%four] : !ownership.ref<[256], f32> -> !cuda_tile.tile<64xf32>
    %minus = cuda_tile.constant <i32: -1> : !cuda_tile.tile<i32>
    %b = ownership.load %u[%minus] : !ownership.ref<[256], f32> -> !cuda_tile.tile<64xf32>
  }
}

// -----

// Whatever the extent: the tile behind the last, and a counter from there on.
// CHECK:      error[O302]: this load from `x` is out of bounds along axis 0
// CHECK:      tile index `ceildiv(M, 64)` is never below ceildiv(M, 64)
// CHECK:      = note: where M = 1, N = 1, index 1 of 1 tiles is accessed by block 0
// CHECK:      error[O302]: this region of `y` is out of bounds along axis 0
// CHECK:      tile index `i + ceildiv(N, 64)` is never below ceildiv(N, 64)
ownership.kernel @behind(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[M], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [64], [N], f32>
  %u = ownership.borrow %x : !ownership.tensor<[M], f32> -> !ownership.ref<[M], f32>
  ownership.distribute %p : !ownership.partition<mut tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %n = ownership.tiles %u, 0 by 64 : !ownership.ref<[M], f32>
    %a = ownership.load %u[%n] : !ownership.ref<[M], f32> -> !cuda_tile.tile<64xf32>
    %m = ownership.tiles %p, 0 by 64 : !ownership.partition<mut tile [64], [N], f32>
    %j = cuda_tile.addi %i, %m : !cuda_tile.tile<i32>
    %r = ownership.region %p[%j] : !ownership.partition<mut tile [64], [N], f32> -> !ownership.region<mut tile [64], [N], f32>
  }
}

// -----

// Right at all points but the first, which every launch has: a check in the kernel would fail in each of them.
// CHECK:      error[O302]: this load from `x` is out of bounds along axis 0
// CHECK:      tile index `i - 1` is not 0 or more at some point of every launch
// CHECK:      = note: where M = 1, N = 1, i = 0, index -1 of 1 tiles is accessed by block 0
ownership.kernel @before(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[M], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [64], [N], f32>
  %u = ownership.borrow %x : !ownership.tensor<[M], f32> -> !ownership.ref<[M], f32>
  ownership.distribute %p : !ownership.partition<mut tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
    %h = cuda_tile.subi %i, %one : !cuda_tile.tile<i32>
    %a = ownership.load %u[%h] : !ownership.ref<[M], f32> -> !cuda_tile.tile<64xf32>
  }
}

// -----

// An index that may wrap has no values that could be shown: it is refused without an example.
// CHECK:      is out of bounds along axis 0
// CHECK-NOT:  is accessed
ownership.kernel @computed(%y: !ownership.tensor<[M], f32>, %a: !ownership.tensor<[M], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[M], f32> -> !ownership.partition<mut tile [64], [M], f32>
  %b = ownership.borrow %a : !ownership.tensor<[M], f32> -> !ownership.ref<[M], f32>
  ownership.distribute %p : !ownership.partition<mut tile [64], [M], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %n = ownership.tiles %b, 0 by 64 : !ownership.ref<[M], f32>
    %big = cuda_tile.constant <i32: 2147483647> : !cuda_tile.tile<i32>
    %s = cuda_tile.addi %i, %big : !cuda_tile.tile<i32>
    %m = cuda_tile.maxi %s, %n signed : !cuda_tile.tile<i32>
    %t = ownership.load %b[%m] : !ownership.ref<[M], f32> -> !cuda_tile.tile<64xf32>
  }
}
