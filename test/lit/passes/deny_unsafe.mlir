// RUN: tile-opt %s -p deny-unsafe --print-diagnostics --split-input-file | filecheck %s

// CHECK:      error[O132]: an unsafe access to `q`, and these are denied
// CHECK:      nothing is proved of this access
// CHECK:      = note: its author says: "it is read alone"
// CHECK-NEXT: = help: read by `gather` from a `Ref`, update an `Acc`, or store to a region of a `Mut`
// CHECK-NEXT: = help: or allow it: leave out `deny_unsafe`
// CHECK:      error[O132]: an unsafe access to `q`, and these are denied
// CHECK:      = note: its author says: "nobody else does"
ownership.kernel @unsafe(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[M, K], f32>, %h: !ownership.tensor<[B], i32>, %q: !ownership.tensor<[B], i32>, %s: !cuda_tile.tile<i32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  %b = ownership.borrow %x : !ownership.tensor<[M, K], f32> -> !ownership.ref<[M, K], f32>
  %acc = ownership.accumulator %h : !ownership.tensor<[B], i32> -> !ownership.acc<[B], i32>
  %raw = ownership.expose %q : !ownership.tensor<[B], i32> -> !ownership.raw<[B], i32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %n = cuda_tile.iota : !cuda_tile.tile<4xi32>
    %l = ownership.unsafe_load "it is read alone" %raw[%zero] {ordering = #cuda_tile.memory_ordering_semantics<weak>} : !ownership.raw<[B], i32>, (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
    cuda_tile.for %t in (%zero to %s, step %l) : !cuda_tile.tile<i32> {
      ownership.unsafe_store "nobody else does" %l, %raw[%zero] {ordering = #cuda_tile.memory_ordering_semantics<weak>} : !cuda_tile.tile<i32>, !ownership.raw<[B], i32>, (!cuda_tile.tile<i32>)
      cuda_tile.continue
    }
  }
}

// -----

// A raw tensor that nobody touches is no danger.
// CHECK: @safe
ownership.kernel @safe(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[M, K], f32>, %h: !ownership.tensor<[B], i32>, %q: !ownership.tensor<[B], i32>, %s: !cuda_tile.tile<i32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  %b = ownership.borrow %x : !ownership.tensor<[M, K], f32> -> !ownership.ref<[M, K], f32>
  %acc = ownership.accumulator %h : !ownership.tensor<[B], i32> -> !ownership.acc<[B], i32>
  %raw = ownership.expose %q : !ownership.tensor<[B], i32> -> !ownership.raw<[B], i32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %n = cuda_tile.iota : !cuda_tile.tile<4xi32>
    ownership.accumulate <add> %n, %acc[%zero] : !cuda_tile.tile<4xi32>, !ownership.acc<[B], i32>
  }
}
