// RUN: tile-opt %s | filecheck %s
// RUN: tile-opt %s | tile-opt | filecheck %s
// RUN: tile-opt %s --print-op-generic | tile-opt | filecheck %s

// CHECK-LABEL: ownership.kernel @elements(
ownership.kernel @elements(
    %y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[M, K], f32>, %h: !ownership.tensor<[B], i32>,
    %r: !ownership.tensor<[B], i32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<out tile [4], [N], f32>
  %b = ownership.borrow %x : !ownership.tensor<[M, K], f32> -> !ownership.ref<[M, K], f32>
  // CHECK: %acc = ownership.accumulator %h : !ownership.tensor<[B], i32> -> !ownership.acc<[B], i32>
  %acc = ownership.accumulator %h : !ownership.tensor<[B], i32> -> !ownership.acc<[B], i32>
  // CHECK: %raw = ownership.expose %r : !ownership.tensor<[B], i32> -> !ownership.raw<[B], i32>
  %raw = ownership.expose %r : !ownership.tensor<[B], i32> -> !ownership.raw<[B], i32>
  ownership.distribute %p : !ownership.partition<out tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %n = cuda_tile.iota : !cuda_tile.tile<4xi32>
    %rows = cuda_tile.reshape %n : !cuda_tile.tile<4xi32> -> !cuda_tile.tile<4x1xi32>
    %columns = cuda_tile.reshape %n : !cuda_tile.tile<4xi32> -> !cuda_tile.tile<1x4xi32>
    %mask = cuda_tile.constant <i1: 1> : !cuda_tile.tile<4x4xi1>
    %some = cuda_tile.constant <i1: 1> : !cuda_tile.tile<4xi1>
    // CHECK: ownership.gather %b[%rows, %columns] {duties = [#ownership.duty<in_bounds axis 0 open>]} : !ownership.ref<[M, K], f32>, (!cuda_tile.tile<4x1xi32>, !cuda_tile.tile<1x4xi32>) -> !cuda_tile.tile<4x4xf32>
    %g = ownership.gather %b[%rows, %columns] {duties = [#ownership.duty<in_bounds axis 0 masked "why">]} : !ownership.ref<[M, K], f32>, (!cuda_tile.tile<4x1xi32>, !cuda_tile.tile<1x4xi32>) -> !cuda_tile.tile<4x4xf32>
    // CHECK: ownership.gather %b[%rows, %columns] {padding_value = #cuda_tile.dense<f32: 1.500000e+00, tile<f32>>} :
    %padded = ownership.gather %b[%rows, %columns] {padding_value = #cuda_tile.dense<f32: 1.5, tile<f32>>} : !ownership.ref<[M, K], f32>, (!cuda_tile.tile<4x1xi32>, !cuda_tile.tile<1x4xi32>) -> !cuda_tile.tile<4x4xf32>
    // CHECK: ownership.gather %b[%rows, %columns] mask %mask : !cuda_tile.tile<4x4xi1> {padding_value = #cuda_tile.padding_value<nan>} :
    %m = ownership.gather %b[%rows, %columns] mask %mask : !cuda_tile.tile<4x4xi1> {padding_value = #cuda_tile.padding_value<nan>} : !ownership.ref<[M, K], f32>, (!cuda_tile.tile<4x1xi32>, !cuda_tile.tile<1x4xi32>) -> !cuda_tile.tile<4x4xf32>
    // CHECK: ownership.load_from %b[%i, %i] : !ownership.ref<[M, K], f32> -> !cuda_tile.tile<2x8xf32>
    %w = ownership.load_from %b[%i, %i] : !ownership.ref<[M, K], f32> -> !cuda_tile.tile<2x8xf32>
    // CHECK: ownership.accumulate <add> %n, %acc[%i] : !cuda_tile.tile<4xi32>, !ownership.acc<[B], i32>
    ownership.accumulate <add> %n, %acc[%i] : !cuda_tile.tile<4xi32>, !ownership.acc<[B], i32>
    // CHECK: ownership.accumulate <umax> %n, %acc[%i] {step = [#builtin.int<2>]} : !cuda_tile.tile<4xi32>, !ownership.acc<[B], i32>
    ownership.accumulate <umax> %n, %acc[%i] {step = [#builtin.int<2>]} : !cuda_tile.tile<4xi32>, !ownership.acc<[B], i32>
    // CHECK: ownership.accumulate_at <xor> %n, %acc[%n] mask %some : !cuda_tile.tile<4xi1> : !cuda_tile.tile<4xi32>, !ownership.acc<[B], i32>, (!cuda_tile.tile<4xi32>)
    ownership.accumulate_at <xor> %n, %acc[%n] mask %some : !cuda_tile.tile<4xi1> : !cuda_tile.tile<4xi32>, !ownership.acc<[B], i32>, (!cuda_tile.tile<4xi32>)
    // CHECK: ownership.unsafe_load "why" %raw[%i] {ordering = #cuda_tile.memory_ordering_semantics<acquire>, scope = #cuda_tile.memory_scope<device>} : !ownership.raw<[B], i32>, (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
    %l, %t = ownership.unsafe_load "why" %raw[%i] {ordering = #cuda_tile.memory_ordering_semantics<acquire>, scope = #cuda_tile.memory_scope<device>} : !ownership.raw<[B], i32>, (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>, !cuda_tile.token
    // CHECK: ownership.unsafe_store "why" %l, %raw[%i] token %t {ordering = #cuda_tile.memory_ordering_semantics<weak>} :
    %u = ownership.unsafe_store "why" %l, %raw[%i] token %t {ordering = #cuda_tile.memory_ordering_semantics<weak>} : !cuda_tile.tile<i32>, !ownership.raw<[B], i32>, (!cuda_tile.tile<i32>) -> !cuda_tile.token
    // CHECK: ownership.unsafe_update "why" %n, %raw[%n] mask %some : !cuda_tile.tile<4xi1> {mode = #cuda_tile.atomic_rmw_mode<xchg>,
    %o = ownership.unsafe_update "why" %n, %raw[%n] mask %some : !cuda_tile.tile<4xi1> {mode = #cuda_tile.atomic_rmw_mode<xchg>, ordering = #cuda_tile.memory_ordering_semantics<relaxed>, scope = #cuda_tile.memory_scope<sys>} : !cuda_tile.tile<4xi32>, !ownership.raw<[B], i32>, (!cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
    // CHECK: ownership.unsafe_swap "why" %n, %o, %raw[%n]
    %s = ownership.unsafe_swap "why" %n, %o, %raw[%n] {ordering = #cuda_tile.memory_ordering_semantics<acq_rel>, scope = #cuda_tile.memory_scope<tl_blk>} : !cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>, !ownership.raw<[B], i32>, (!cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  }
}
