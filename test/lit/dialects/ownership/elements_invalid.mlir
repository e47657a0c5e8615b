// RUN: tile-opt %s --print-diagnostics --split-input-file | filecheck %s

// CHECK: 1 indices for a tensor of rank 2
ownership.kernel @k(%x: !ownership.tensor<[M, K], f32>, %h: !ownership.tensor<[B], i32>, %q: !ownership.tensor<[B], i32>, %z: !ownership.tensor<[N], f32>) {
  %b = ownership.borrow %x : !ownership.tensor<[M, K], f32> -> !ownership.ref<[M, K], f32>
  %acc = ownership.accumulator %h : !ownership.tensor<[B], i32> -> !ownership.acc<[B], i32>
  %raw = ownership.expose %q : !ownership.tensor<[B], i32> -> !ownership.raw<[B], i32>
  %sum = ownership.accumulator %z : !ownership.tensor<[N], f32> -> !ownership.acc<[N], f32>
  %i = cuda_tile.iota : !cuda_tile.tile<4xi32>
  %f = cuda_tile.constant <f32: 0.0> : !cuda_tile.tile<4xf32>
  %s = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
  %g = ownership.gather %b[%i] : !ownership.ref<[M, K], f32>, (!cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xf32>
}

// -----

// CHECK: an index is i32 or i64, not f32
ownership.kernel @k(%x: !ownership.tensor<[M, K], f32>, %h: !ownership.tensor<[B], i32>, %q: !ownership.tensor<[B], i32>, %z: !ownership.tensor<[N], f32>) {
  %b = ownership.borrow %x : !ownership.tensor<[M, K], f32> -> !ownership.ref<[M, K], f32>
  %acc = ownership.accumulator %h : !ownership.tensor<[B], i32> -> !ownership.acc<[B], i32>
  %raw = ownership.expose %q : !ownership.tensor<[B], i32> -> !ownership.raw<[B], i32>
  %sum = ownership.accumulator %z : !ownership.tensor<[N], f32> -> !ownership.acc<[N], f32>
  %i = cuda_tile.iota : !cuda_tile.tile<4xi32>
  %f = cuda_tile.constant <f32: 0.0> : !cuda_tile.tile<4xf32>
  %s = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
  %g = ownership.gather %b[%i, %f] : !ownership.ref<[M, K], f32>, (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
}

// -----

// CHECK: an index of shape (4,) cannot be stretched to (8,)
ownership.kernel @k(%x: !ownership.tensor<[M, K], f32>, %h: !ownership.tensor<[B], i32>, %q: !ownership.tensor<[B], i32>, %z: !ownership.tensor<[N], f32>) {
  %b = ownership.borrow %x : !ownership.tensor<[M, K], f32> -> !ownership.ref<[M, K], f32>
  %acc = ownership.accumulator %h : !ownership.tensor<[B], i32> -> !ownership.acc<[B], i32>
  %raw = ownership.expose %q : !ownership.tensor<[B], i32> -> !ownership.raw<[B], i32>
  %sum = ownership.accumulator %z : !ownership.tensor<[N], f32> -> !ownership.acc<[N], f32>
  %i = cuda_tile.iota : !cuda_tile.tile<4xi32>
  %f = cuda_tile.constant <f32: 0.0> : !cuda_tile.tile<4xf32>
  %s = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
  %g = ownership.gather %b[%i, %i] : !ownership.ref<[M, K], f32>, (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<8xf32>
}

// -----

// CHECK: loads f32, not i32
ownership.kernel @k(%x: !ownership.tensor<[M, K], f32>, %h: !ownership.tensor<[B], i32>, %q: !ownership.tensor<[B], i32>, %z: !ownership.tensor<[N], f32>) {
  %b = ownership.borrow %x : !ownership.tensor<[M, K], f32> -> !ownership.ref<[M, K], f32>
  %acc = ownership.accumulator %h : !ownership.tensor<[B], i32> -> !ownership.acc<[B], i32>
  %raw = ownership.expose %q : !ownership.tensor<[B], i32> -> !ownership.raw<[B], i32>
  %sum = ownership.accumulator %z : !ownership.tensor<[N], f32> -> !ownership.acc<[N], f32>
  %i = cuda_tile.iota : !cuda_tile.tile<4xi32>
  %f = cuda_tile.constant <f32: 0.0> : !cuda_tile.tile<4xf32>
  %s = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
  %g = ownership.gather %b[%i, %i] : !ownership.ref<[M, K], f32>, (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
}

// -----

// CHECK: the mask is a tile of i1 of shape (4,)
ownership.kernel @k(%x: !ownership.tensor<[M, K], f32>, %h: !ownership.tensor<[B], i32>, %q: !ownership.tensor<[B], i32>, %z: !ownership.tensor<[N], f32>) {
  %b = ownership.borrow %x : !ownership.tensor<[M, K], f32> -> !ownership.ref<[M, K], f32>
  %acc = ownership.accumulator %h : !ownership.tensor<[B], i32> -> !ownership.acc<[B], i32>
  %raw = ownership.expose %q : !ownership.tensor<[B], i32> -> !ownership.raw<[B], i32>
  %sum = ownership.accumulator %z : !ownership.tensor<[N], f32> -> !ownership.acc<[N], f32>
  %i = cuda_tile.iota : !cuda_tile.tile<4xi32>
  %f = cuda_tile.constant <f32: 0.0> : !cuda_tile.tile<4xf32>
  %s = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
  %g = ownership.gather %b[%i, %i] mask %i : !cuda_tile.tile<4xi32> : !ownership.ref<[M, K], f32>, (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xf32>
}

// -----

// CHECK: a tile of rank 1 at 2 offsets of a tensor of rank 2
ownership.kernel @k(%x: !ownership.tensor<[M, K], f32>, %h: !ownership.tensor<[B], i32>, %q: !ownership.tensor<[B], i32>, %z: !ownership.tensor<[N], f32>) {
  %b = ownership.borrow %x : !ownership.tensor<[M, K], f32> -> !ownership.ref<[M, K], f32>
  %acc = ownership.accumulator %h : !ownership.tensor<[B], i32> -> !ownership.acc<[B], i32>
  %raw = ownership.expose %q : !ownership.tensor<[B], i32> -> !ownership.raw<[B], i32>
  %sum = ownership.accumulator %z : !ownership.tensor<[N], f32> -> !ownership.acc<[N], f32>
  %i = cuda_tile.iota : !cuda_tile.tile<4xi32>
  %f = cuda_tile.constant <f32: 0.0> : !cuda_tile.tile<4xf32>
  %s = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
  %g = ownership.load_from %b[%s, %s] : !ownership.ref<[M, K], f32> -> !cuda_tile.tile<4xf32>
}

// -----

// CHECK: loads f32, not i32
ownership.kernel @k(%x: !ownership.tensor<[M, K], f32>, %h: !ownership.tensor<[B], i32>, %q: !ownership.tensor<[B], i32>, %z: !ownership.tensor<[N], f32>) {
  %b = ownership.borrow %x : !ownership.tensor<[M, K], f32> -> !ownership.ref<[M, K], f32>
  %acc = ownership.accumulator %h : !ownership.tensor<[B], i32> -> !ownership.acc<[B], i32>
  %raw = ownership.expose %q : !ownership.tensor<[B], i32> -> !ownership.raw<[B], i32>
  %sum = ownership.accumulator %z : !ownership.tensor<[N], f32> -> !ownership.acc<[N], f32>
  %i = cuda_tile.iota : !cuda_tile.tile<4xi32>
  %f = cuda_tile.constant <f32: 0.0> : !cuda_tile.tile<4xf32>
  %s = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
  %g = ownership.load_from %b[%s, %s] : !ownership.ref<[M, K], f32> -> !cuda_tile.tile<4x4xi32>
}

// -----

// CHECK: an accumulator of !ownership.tensor<[B], i32> is no !ownership.acc<[N], f32>
ownership.kernel @k(%x: !ownership.tensor<[M, K], f32>, %h: !ownership.tensor<[B], i32>, %q: !ownership.tensor<[B], i32>, %z: !ownership.tensor<[N], f32>) {
  %b = ownership.borrow %x : !ownership.tensor<[M, K], f32> -> !ownership.ref<[M, K], f32>
  %acc = ownership.accumulator %h : !ownership.tensor<[B], i32> -> !ownership.acc<[B], i32>
  %raw = ownership.expose %q : !ownership.tensor<[B], i32> -> !ownership.raw<[B], i32>
  %sum = ownership.accumulator %z : !ownership.tensor<[N], f32> -> !ownership.acc<[N], f32>
  %i = cuda_tile.iota : !cuda_tile.tile<4xi32>
  %f = cuda_tile.constant <f32: 0.0> : !cuda_tile.tile<4xf32>
  %s = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
  %o = ownership.accumulator %h : !ownership.tensor<[B], i32> -> !ownership.acc<[N], f32>
}

// -----

// CHECK: updates i32, not f32
ownership.kernel @k(%x: !ownership.tensor<[M, K], f32>, %h: !ownership.tensor<[B], i32>, %q: !ownership.tensor<[B], i32>, %z: !ownership.tensor<[N], f32>) {
  %b = ownership.borrow %x : !ownership.tensor<[M, K], f32> -> !ownership.ref<[M, K], f32>
  %acc = ownership.accumulator %h : !ownership.tensor<[B], i32> -> !ownership.acc<[B], i32>
  %raw = ownership.expose %q : !ownership.tensor<[B], i32> -> !ownership.raw<[B], i32>
  %sum = ownership.accumulator %z : !ownership.tensor<[N], f32> -> !ownership.acc<[N], f32>
  %i = cuda_tile.iota : !cuda_tile.tile<4xi32>
  %f = cuda_tile.constant <f32: 0.0> : !cuda_tile.tile<4xf32>
  %s = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
  ownership.accumulate <add> %f, %acc[%s] : !cuda_tile.tile<4xf32>, !ownership.acc<[B], i32>
}

// -----

// CHECK: max takes i32, i64, not f32
ownership.kernel @k(%x: !ownership.tensor<[M, K], f32>, %h: !ownership.tensor<[B], i32>, %q: !ownership.tensor<[B], i32>, %z: !ownership.tensor<[N], f32>) {
  %b = ownership.borrow %x : !ownership.tensor<[M, K], f32> -> !ownership.ref<[M, K], f32>
  %acc = ownership.accumulator %h : !ownership.tensor<[B], i32> -> !ownership.acc<[B], i32>
  %raw = ownership.expose %q : !ownership.tensor<[B], i32> -> !ownership.raw<[B], i32>
  %sum = ownership.accumulator %z : !ownership.tensor<[N], f32> -> !ownership.acc<[N], f32>
  %i = cuda_tile.iota : !cuda_tile.tile<4xi32>
  %f = cuda_tile.constant <f32: 0.0> : !cuda_tile.tile<4xf32>
  %s = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
  ownership.accumulate <max> %f, %sum[%s] : !cuda_tile.tile<4xf32>, !ownership.acc<[N], f32>
}

// -----

// CHECK: a tile of rank 1 at 2 coordinates of a tensor of rank 1
ownership.kernel @k(%x: !ownership.tensor<[M, K], f32>, %h: !ownership.tensor<[B], i32>, %q: !ownership.tensor<[B], i32>, %z: !ownership.tensor<[N], f32>) {
  %b = ownership.borrow %x : !ownership.tensor<[M, K], f32> -> !ownership.ref<[M, K], f32>
  %acc = ownership.accumulator %h : !ownership.tensor<[B], i32> -> !ownership.acc<[B], i32>
  %raw = ownership.expose %q : !ownership.tensor<[B], i32> -> !ownership.raw<[B], i32>
  %sum = ownership.accumulator %z : !ownership.tensor<[N], f32> -> !ownership.acc<[N], f32>
  %i = cuda_tile.iota : !cuda_tile.tile<4xi32>
  %f = cuda_tile.constant <f32: 0.0> : !cuda_tile.tile<4xf32>
  %s = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
  ownership.accumulate <add> %i, %acc[%s, %s] : !cuda_tile.tile<4xi32>, !ownership.acc<[B], i32>
}

// -----

// CHECK: steps are positive
ownership.kernel @k(%x: !ownership.tensor<[M, K], f32>, %h: !ownership.tensor<[B], i32>, %q: !ownership.tensor<[B], i32>, %z: !ownership.tensor<[N], f32>) {
  %b = ownership.borrow %x : !ownership.tensor<[M, K], f32> -> !ownership.ref<[M, K], f32>
  %acc = ownership.accumulator %h : !ownership.tensor<[B], i32> -> !ownership.acc<[B], i32>
  %raw = ownership.expose %q : !ownership.tensor<[B], i32> -> !ownership.raw<[B], i32>
  %sum = ownership.accumulator %z : !ownership.tensor<[N], f32> -> !ownership.acc<[N], f32>
  %i = cuda_tile.iota : !cuda_tile.tile<4xi32>
  %f = cuda_tile.constant <f32: 0.0> : !cuda_tile.tile<4xf32>
  %s = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
  ownership.accumulate <add> %i, %acc[%s] {step = [#builtin.int<0>]} : !cuda_tile.tile<4xi32>, !ownership.acc<[B], i32>
}

// -----

// CHECK: updates i32, not f32
ownership.kernel @k(%x: !ownership.tensor<[M, K], f32>, %h: !ownership.tensor<[B], i32>, %q: !ownership.tensor<[B], i32>, %z: !ownership.tensor<[N], f32>) {
  %b = ownership.borrow %x : !ownership.tensor<[M, K], f32> -> !ownership.ref<[M, K], f32>
  %acc = ownership.accumulator %h : !ownership.tensor<[B], i32> -> !ownership.acc<[B], i32>
  %raw = ownership.expose %q : !ownership.tensor<[B], i32> -> !ownership.raw<[B], i32>
  %sum = ownership.accumulator %z : !ownership.tensor<[N], f32> -> !ownership.acc<[N], f32>
  %i = cuda_tile.iota : !cuda_tile.tile<4xi32>
  %f = cuda_tile.constant <f32: 0.0> : !cuda_tile.tile<4xf32>
  %s = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
  ownership.accumulate_at <add> %f, %acc[%i] : !cuda_tile.tile<4xf32>, !ownership.acc<[B], i32>, (!cuda_tile.tile<4xi32>)
}

// -----

// CHECK: xor takes i32, i64, not f32
ownership.kernel @k(%x: !ownership.tensor<[M, K], f32>, %h: !ownership.tensor<[B], i32>, %q: !ownership.tensor<[B], i32>, %z: !ownership.tensor<[N], f32>) {
  %b = ownership.borrow %x : !ownership.tensor<[M, K], f32> -> !ownership.ref<[M, K], f32>
  %acc = ownership.accumulator %h : !ownership.tensor<[B], i32> -> !ownership.acc<[B], i32>
  %raw = ownership.expose %q : !ownership.tensor<[B], i32> -> !ownership.raw<[B], i32>
  %sum = ownership.accumulator %z : !ownership.tensor<[N], f32> -> !ownership.acc<[N], f32>
  %i = cuda_tile.iota : !cuda_tile.tile<4xi32>
  %f = cuda_tile.constant <f32: 0.0> : !cuda_tile.tile<4xf32>
  %s = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
  ownership.accumulate_at <xor> %f, %sum[%i] : !cuda_tile.tile<4xf32>, !ownership.acc<[N], f32>, (!cuda_tile.tile<4xi32>)
}

// -----

// CHECK: is exposed as no !ownership.raw<[N], f32>
ownership.kernel @k(%x: !ownership.tensor<[M, K], f32>, %h: !ownership.tensor<[B], i32>, %q: !ownership.tensor<[B], i32>, %z: !ownership.tensor<[N], f32>) {
  %b = ownership.borrow %x : !ownership.tensor<[M, K], f32> -> !ownership.ref<[M, K], f32>
  %acc = ownership.accumulator %h : !ownership.tensor<[B], i32> -> !ownership.acc<[B], i32>
  %raw = ownership.expose %q : !ownership.tensor<[B], i32> -> !ownership.raw<[B], i32>
  %sum = ownership.accumulator %z : !ownership.tensor<[N], f32> -> !ownership.acc<[N], f32>
  %i = cuda_tile.iota : !cuda_tile.tile<4xi32>
  %f = cuda_tile.constant <f32: 0.0> : !cuda_tile.tile<4xf32>
  %s = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
  %o = ownership.expose %q : !ownership.tensor<[B], i32> -> !ownership.raw<[N], f32>
}

// -----

// CHECK: an unsafe access says why it is right
ownership.kernel @k(%x: !ownership.tensor<[M, K], f32>, %h: !ownership.tensor<[B], i32>, %q: !ownership.tensor<[B], i32>, %z: !ownership.tensor<[N], f32>) {
  %b = ownership.borrow %x : !ownership.tensor<[M, K], f32> -> !ownership.ref<[M, K], f32>
  %acc = ownership.accumulator %h : !ownership.tensor<[B], i32> -> !ownership.acc<[B], i32>
  %raw = ownership.expose %q : !ownership.tensor<[B], i32> -> !ownership.raw<[B], i32>
  %sum = ownership.accumulator %z : !ownership.tensor<[N], f32> -> !ownership.acc<[N], f32>
  %i = cuda_tile.iota : !cuda_tile.tile<4xi32>
  %f = cuda_tile.constant <f32: 0.0> : !cuda_tile.tile<4xf32>
  %s = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
  %l = ownership.unsafe_load " " %raw[%i] {ordering = #cuda_tile.memory_ordering_semantics<weak>} : !ownership.raw<[B], i32>, (!cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
}

// -----

// CHECK: the order is weak, relaxed, acquire, not release
ownership.kernel @k(%x: !ownership.tensor<[M, K], f32>, %h: !ownership.tensor<[B], i32>, %q: !ownership.tensor<[B], i32>, %z: !ownership.tensor<[N], f32>) {
  %b = ownership.borrow %x : !ownership.tensor<[M, K], f32> -> !ownership.ref<[M, K], f32>
  %acc = ownership.accumulator %h : !ownership.tensor<[B], i32> -> !ownership.acc<[B], i32>
  %raw = ownership.expose %q : !ownership.tensor<[B], i32> -> !ownership.raw<[B], i32>
  %sum = ownership.accumulator %z : !ownership.tensor<[N], f32> -> !ownership.acc<[N], f32>
  %i = cuda_tile.iota : !cuda_tile.tile<4xi32>
  %f = cuda_tile.constant <f32: 0.0> : !cuda_tile.tile<4xf32>
  %s = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
  %l = ownership.unsafe_load "why" %raw[%i] {ordering = #cuda_tile.memory_ordering_semantics<release>, scope = #cuda_tile.memory_scope<device>} : !ownership.raw<[B], i32>, (!cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
}

// -----

// CHECK: the order is weak, relaxed, release, not acquire
ownership.kernel @k(%x: !ownership.tensor<[M, K], f32>, %h: !ownership.tensor<[B], i32>, %q: !ownership.tensor<[B], i32>, %z: !ownership.tensor<[N], f32>) {
  %b = ownership.borrow %x : !ownership.tensor<[M, K], f32> -> !ownership.ref<[M, K], f32>
  %acc = ownership.accumulator %h : !ownership.tensor<[B], i32> -> !ownership.acc<[B], i32>
  %raw = ownership.expose %q : !ownership.tensor<[B], i32> -> !ownership.raw<[B], i32>
  %sum = ownership.accumulator %z : !ownership.tensor<[N], f32> -> !ownership.acc<[N], f32>
  %i = cuda_tile.iota : !cuda_tile.tile<4xi32>
  %f = cuda_tile.constant <f32: 0.0> : !cuda_tile.tile<4xf32>
  %s = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
  ownership.unsafe_store "why" %i, %raw[%i] {ordering = #cuda_tile.memory_ordering_semantics<acquire>, scope = #cuda_tile.memory_scope<device>} : !cuda_tile.tile<4xi32>, !ownership.raw<[B], i32>, (!cuda_tile.tile<4xi32>)
}

// -----

// CHECK: a weak access has no scope, and any other has one
ownership.kernel @k(%x: !ownership.tensor<[M, K], f32>, %h: !ownership.tensor<[B], i32>, %q: !ownership.tensor<[B], i32>, %z: !ownership.tensor<[N], f32>) {
  %b = ownership.borrow %x : !ownership.tensor<[M, K], f32> -> !ownership.ref<[M, K], f32>
  %acc = ownership.accumulator %h : !ownership.tensor<[B], i32> -> !ownership.acc<[B], i32>
  %raw = ownership.expose %q : !ownership.tensor<[B], i32> -> !ownership.raw<[B], i32>
  %sum = ownership.accumulator %z : !ownership.tensor<[N], f32> -> !ownership.acc<[N], f32>
  %i = cuda_tile.iota : !cuda_tile.tile<4xi32>
  %f = cuda_tile.constant <f32: 0.0> : !cuda_tile.tile<4xf32>
  %s = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
  %l = ownership.unsafe_load "why" %raw[%i] {ordering = #cuda_tile.memory_ordering_semantics<weak>, scope = #cuda_tile.memory_scope<device>} : !ownership.raw<[B], i32>, (!cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
}

// -----

// CHECK: accesses i32, not f32
ownership.kernel @k(%x: !ownership.tensor<[M, K], f32>, %h: !ownership.tensor<[B], i32>, %q: !ownership.tensor<[B], i32>, %z: !ownership.tensor<[N], f32>) {
  %b = ownership.borrow %x : !ownership.tensor<[M, K], f32> -> !ownership.ref<[M, K], f32>
  %acc = ownership.accumulator %h : !ownership.tensor<[B], i32> -> !ownership.acc<[B], i32>
  %raw = ownership.expose %q : !ownership.tensor<[B], i32> -> !ownership.raw<[B], i32>
  %sum = ownership.accumulator %z : !ownership.tensor<[N], f32> -> !ownership.acc<[N], f32>
  %i = cuda_tile.iota : !cuda_tile.tile<4xi32>
  %f = cuda_tile.constant <f32: 0.0> : !cuda_tile.tile<4xf32>
  %s = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
  ownership.unsafe_store "why" %f, %raw[%i] {ordering = #cuda_tile.memory_ordering_semantics<weak>} : !cuda_tile.tile<4xf32>, !ownership.raw<[B], i32>, (!cuda_tile.tile<4xi32>)
}

// -----

// CHECK: the order is relaxed, acquire, release, acq_rel, not weak
ownership.kernel @k(%x: !ownership.tensor<[M, K], f32>, %h: !ownership.tensor<[B], i32>, %q: !ownership.tensor<[B], i32>, %z: !ownership.tensor<[N], f32>) {
  %b = ownership.borrow %x : !ownership.tensor<[M, K], f32> -> !ownership.ref<[M, K], f32>
  %acc = ownership.accumulator %h : !ownership.tensor<[B], i32> -> !ownership.acc<[B], i32>
  %raw = ownership.expose %q : !ownership.tensor<[B], i32> -> !ownership.raw<[B], i32>
  %sum = ownership.accumulator %z : !ownership.tensor<[N], f32> -> !ownership.acc<[N], f32>
  %i = cuda_tile.iota : !cuda_tile.tile<4xi32>
  %f = cuda_tile.constant <f32: 0.0> : !cuda_tile.tile<4xf32>
  %s = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
  %l = ownership.unsafe_update "why" %i, %raw[%i] {mode = #cuda_tile.atomic_rmw_mode<add>, ordering = #cuda_tile.memory_ordering_semantics<weak>} : !cuda_tile.tile<4xi32>, !ownership.raw<[B], i32>, (!cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
}

// -----

// CHECK: addf takes bf16, f16, f32, f64, not i32
ownership.kernel @k(%x: !ownership.tensor<[M, K], f32>, %h: !ownership.tensor<[B], i32>, %q: !ownership.tensor<[B], i32>, %z: !ownership.tensor<[N], f32>) {
  %b = ownership.borrow %x : !ownership.tensor<[M, K], f32> -> !ownership.ref<[M, K], f32>
  %acc = ownership.accumulator %h : !ownership.tensor<[B], i32> -> !ownership.acc<[B], i32>
  %raw = ownership.expose %q : !ownership.tensor<[B], i32> -> !ownership.raw<[B], i32>
  %sum = ownership.accumulator %z : !ownership.tensor<[N], f32> -> !ownership.acc<[N], f32>
  %i = cuda_tile.iota : !cuda_tile.tile<4xi32>
  %f = cuda_tile.constant <f32: 0.0> : !cuda_tile.tile<4xf32>
  %s = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
  %l = ownership.unsafe_update "why" %i, %raw[%i] {mode = #cuda_tile.atomic_rmw_mode<addf>, ordering = #cuda_tile.memory_ordering_semantics<relaxed>, scope = #cuda_tile.memory_scope<device>} : !cuda_tile.tile<4xi32>, !ownership.raw<[B], i32>, (!cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
}

// -----

// CHECK: what is expected, stored and yielded has one type
ownership.kernel @k(%x: !ownership.tensor<[M, K], f32>, %h: !ownership.tensor<[B], i32>, %q: !ownership.tensor<[B], i32>, %z: !ownership.tensor<[N], f32>) {
  %b = ownership.borrow %x : !ownership.tensor<[M, K], f32> -> !ownership.ref<[M, K], f32>
  %acc = ownership.accumulator %h : !ownership.tensor<[B], i32> -> !ownership.acc<[B], i32>
  %raw = ownership.expose %q : !ownership.tensor<[B], i32> -> !ownership.raw<[B], i32>
  %sum = ownership.accumulator %z : !ownership.tensor<[N], f32> -> !ownership.acc<[N], f32>
  %i = cuda_tile.iota : !cuda_tile.tile<4xi32>
  %f = cuda_tile.constant <f32: 0.0> : !cuda_tile.tile<4xf32>
  %s = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
  %l = ownership.unsafe_swap "why" %i, %f, %raw[%i] {ordering = #cuda_tile.memory_ordering_semantics<relaxed>, scope = #cuda_tile.memory_scope<device>} : !cuda_tile.tile<4xi32>, !cuda_tile.tile<4xf32>, !ownership.raw<[B], i32>, (!cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
}

// -----

// CHECK: the padding is a scalar of f32, not
ownership.kernel @k(%x: !ownership.tensor<[M, K], f32>, %h: !ownership.tensor<[B], i32>, %q: !ownership.tensor<[B], i32>, %z: !ownership.tensor<[N], f32>) {
  %b = ownership.borrow %x : !ownership.tensor<[M, K], f32> -> !ownership.ref<[M, K], f32>
  %acc = ownership.accumulator %h : !ownership.tensor<[B], i32> -> !ownership.acc<[B], i32>
  %raw = ownership.expose %q : !ownership.tensor<[B], i32> -> !ownership.raw<[B], i32>
  %sum = ownership.accumulator %z : !ownership.tensor<[N], f32> -> !ownership.acc<[N], f32>
  %i = cuda_tile.iota : !cuda_tile.tile<4xi32>
  %f = cuda_tile.constant <f32: 0.0> : !cuda_tile.tile<4xf32>
  %s = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
  %g = ownership.gather %b[%i, %i] {padding_value = #cuda_tile.dense<i32: 1, tile<i32>>} : !ownership.ref<[M, K], f32>, (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xf32>
}
