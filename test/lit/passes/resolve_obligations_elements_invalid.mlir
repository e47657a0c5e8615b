// RUN: tile-opt %s -p resolve-obligations --print-diagnostics --split-input-file | filecheck %s

// Indices that are negative, all of them: nothing counts from the end.
// CHECK:      error[O303]: this gather touches no element of `x`
// CHECK:      every index along axis 0 is negative
// CHECK:      = help: count from the end: `x.shape[0] - 1`
ownership.kernel @negative(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[M, K], f32>, %h: !ownership.tensor<[B], i32>, %q: !ownership.tensor<[B], i32>, %s: !cuda_tile.tile<i32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  %b = ownership.borrow %x : !ownership.tensor<[M, K], f32> -> !ownership.ref<[M, K], f32>
  %acc = ownership.accumulator %h : !ownership.tensor<[B], i32> -> !ownership.acc<[B], i32>
  %raw = ownership.expose %q : !ownership.tensor<[B], i32> -> !ownership.raw<[B], i32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %n = cuda_tile.iota : !cuda_tile.tile<4xi32>
    %minus = cuda_tile.constant <i32: -1> : !cuda_tile.tile<4xi32>
    %g = ownership.gather %b[%minus, %n] : !ownership.ref<[M, K], f32>, (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xf32>
  }
}

// -----

// CHECK: error[O303]: this load touches no element of `x`
// CHECK: every index along axis 1 is K or more
ownership.kernel @behind(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[M, K], f32>, %h: !ownership.tensor<[B], i32>, %q: !ownership.tensor<[B], i32>, %s: !cuda_tile.tile<i32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  %b = ownership.borrow %x : !ownership.tensor<[M, K], f32> -> !ownership.ref<[M, K], f32>
  %acc = ownership.accumulator %h : !ownership.tensor<[B], i32> -> !ownership.acc<[B], i32>
  %raw = ownership.expose %q : !ownership.tensor<[B], i32> -> !ownership.raw<[B], i32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %n = cuda_tile.iota : !cuda_tile.tile<4xi32>
    %k = ownership.dim %b, 1 : !ownership.ref<[M, K], f32>
    %w = ownership.load_from %b[%zero, %k] : !ownership.ref<[M, K], f32> -> !cuda_tile.tile<2x2xf32>
  }
}

// -----

// CHECK: error[O303]: this update touches no element of `h`
ownership.kernel @update(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[M, K], f32>, %h: !ownership.tensor<[B], i32>, %q: !ownership.tensor<[B], i32>, %s: !cuda_tile.tile<i32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  %b = ownership.borrow %x : !ownership.tensor<[M, K], f32> -> !ownership.ref<[M, K], f32>
  %acc = ownership.accumulator %h : !ownership.tensor<[B], i32> -> !ownership.acc<[B], i32>
  %raw = ownership.expose %q : !ownership.tensor<[B], i32> -> !ownership.raw<[B], i32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %n = cuda_tile.iota : !cuda_tile.tile<4xi32>
    %minus = cuda_tile.constant <i32: -4> : !cuda_tile.tile<4xi32>
    %down = cuda_tile.addi %minus, %n : !cuda_tile.tile<4xi32>
    ownership.accumulate_at <add> %n, %acc[%down] : !cuda_tile.tile<4xi32>, !ownership.acc<[B], i32>, (!cuda_tile.tile<4xi32>)
  }
}

// -----

// A tile that begins a tile behind the last: an update is in bounds as a load is.
// CHECK: error[O302]: this update of `h` is out of bounds along axis 0
// CHECK: tiles along this axis are counted from 0 to `fh.cdiv(h.shape[0], 4) - 1`
ownership.kernel @tile(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[M, K], f32>, %h: !ownership.tensor<[B], i32>, %q: !ownership.tensor<[B], i32>, %s: !cuda_tile.tile<i32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  %b = ownership.borrow %x : !ownership.tensor<[M, K], f32> -> !ownership.ref<[M, K], f32>
  %acc = ownership.accumulator %h : !ownership.tensor<[B], i32> -> !ownership.acc<[B], i32>
  %raw = ownership.expose %q : !ownership.tensor<[B], i32> -> !ownership.raw<[B], i32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %n = cuda_tile.iota : !cuda_tile.tile<4xi32>
    %count = ownership.tiles %acc, 0 by 4 : !ownership.acc<[B], i32>
    ownership.accumulate <add> %n, %acc[%count] : !cuda_tile.tile<4xi32>, !ownership.acc<[B], i32>
  }
}

// -----

// A tile that reaches into the tensor from in front of it is what `load_from` is for.
// CHECK: @halo
ownership.kernel @halo(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[M, K], f32>, %h: !ownership.tensor<[B], i32>, %q: !ownership.tensor<[B], i32>, %s: !cuda_tile.tile<i32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  %b = ownership.borrow %x : !ownership.tensor<[M, K], f32> -> !ownership.ref<[M, K], f32>
  %acc = ownership.accumulator %h : !ownership.tensor<[B], i32> -> !ownership.acc<[B], i32>
  %raw = ownership.expose %q : !ownership.tensor<[B], i32> -> !ownership.raw<[B], i32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %n = cuda_tile.iota : !cuda_tile.tile<4xi32>
    %minus = cuda_tile.constant <i32: -1> : !cuda_tile.tile<i32>
    %w = ownership.load_from %b[%minus, %zero] : !ownership.ref<[M, K], f32> -> !cuda_tile.tile<2x2xf32>
  }
}
