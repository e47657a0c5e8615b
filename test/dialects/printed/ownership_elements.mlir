builtin.module {
  ownership.kernel @elements(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[M, K], f32>, %h: !ownership.tensor<[B], i32>, %r: !ownership.tensor<[B], i32>) {
    %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<out tile [4], [N], f32>
    %b = ownership.borrow %x : !ownership.tensor<[M, K], f32> -> !ownership.ref<[M, K], f32>
    %acc = ownership.accumulator %h : !ownership.tensor<[B], i32> -> !ownership.acc<[B], i32>
    %raw = ownership.expose %r : !ownership.tensor<[B], i32> -> !ownership.raw<[B], i32>
    ownership.distribute %p : !ownership.partition<out tile [4], [N], f32> {
    ^bb0(%i: !cuda_tile.tile<i32>):
      %n = cuda_tile.iota : tile<4xi32>
      %rows = cuda_tile.reshape %n : tile<4xi32> -> tile<4x1xi32>
      %columns = cuda_tile.reshape %n : tile<4xi32> -> tile<1x4xi32>
      %mask = cuda_tile.constant <i1: true> : tile<4x4xi1>
      %some = cuda_tile.constant <i1: true> : tile<4xi1>
      %g = ownership.gather %b[%rows, %columns] {duties = [#ownership.duty<in_bounds axis 0 open>]} : !ownership.ref<[M, K], f32>, (!cuda_tile.tile<4x1xi32>, !cuda_tile.tile<1x4xi32>) -> !cuda_tile.tile<4x4xf32>
      %padded = ownership.gather %b[%rows, %columns] {padding_value = #cuda_tile.dense<f32: 1.500000e+00, tile<f32>>} : !ownership.ref<[M, K], f32>, (!cuda_tile.tile<4x1xi32>, !cuda_tile.tile<1x4xi32>) -> !cuda_tile.tile<4x4xf32>
      %m = ownership.gather %b[%rows, %columns] mask %mask : !cuda_tile.tile<4x4xi1> {padding_value = #cuda_tile.padding_value<nan>} : !ownership.ref<[M, K], f32>, (!cuda_tile.tile<4x1xi32>, !cuda_tile.tile<1x4xi32>) -> !cuda_tile.tile<4x4xf32>
      %w = ownership.load_from %b[%i, %i] : !ownership.ref<[M, K], f32> -> !cuda_tile.tile<2x8xf32>
      ownership.accumulate <add> %n, %acc[%i] : !cuda_tile.tile<4xi32>, !ownership.acc<[B], i32>
      ownership.accumulate <umax> %n, %acc[%i] {step = [#builtin.int<2>]} : !cuda_tile.tile<4xi32>, !ownership.acc<[B], i32>
      ownership.accumulate_at <xor> %n, %acc[%n] mask %some : !cuda_tile.tile<4xi1> : !cuda_tile.tile<4xi32>, !ownership.acc<[B], i32>, (!cuda_tile.tile<4xi32>)
      %l, %t = ownership.unsafe_load "why" %raw[%i] {ordering = #cuda_tile.memory_ordering_semantics<acquire>, scope = #cuda_tile.memory_scope<device>} : !ownership.raw<[B], i32>, (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>, !cuda_tile.token
      %u = ownership.unsafe_store "why" %l, %raw[%i] token %t {ordering = #cuda_tile.memory_ordering_semantics<weak>} : !cuda_tile.tile<i32>, !ownership.raw<[B], i32>, (!cuda_tile.tile<i32>) -> !cuda_tile.token
      %o = ownership.unsafe_update "why" %n, %raw[%n] mask %some : !cuda_tile.tile<4xi1> {mode = #cuda_tile.atomic_rmw_mode<xchg>, ordering = #cuda_tile.memory_ordering_semantics<relaxed>, scope = #cuda_tile.memory_scope<sys>} : !cuda_tile.tile<4xi32>, !ownership.raw<[B], i32>, (!cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
      %s = ownership.unsafe_swap "why" %n, %o, %raw[%n] {ordering = #cuda_tile.memory_ordering_semantics<acq_rel>, scope = #cuda_tile.memory_scope<tl_blk>} : !cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>, !ownership.raw<[B], i32>, (!cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
    }
  }
}
// -----
"builtin.module"() ({
  "ownership.kernel"() <{sym_name = "elements"}> ({
  ^bb0(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[M, K], f32>, %h: !ownership.tensor<[B], i32>, %r: !ownership.tensor<[B], i32>):
    %p = "ownership.partition"(%y) : (!ownership.tensor<[N], f32>) -> !ownership.partition<out tile [4], [N], f32>
    %b = "ownership.borrow"(%x) : (!ownership.tensor<[M, K], f32>) -> !ownership.ref<[M, K], f32>
    %acc = "ownership.accumulator"(%h) : (!ownership.tensor<[B], i32>) -> !ownership.acc<[B], i32>
    %raw = "ownership.expose"(%r) : (!ownership.tensor<[B], i32>) -> !ownership.raw<[B], i32>
    "ownership.distribute"(%p) <{order = #ownership.order<row>, blocks = #ownership.blocks<each>}> ({
    ^bb0(%i: !cuda_tile.tile<i32>):
      %n = "cuda_tile.iota"() : () -> !cuda_tile.tile<4xi32>
      %rows = "cuda_tile.reshape"(%n) : (!cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4x1xi32>
      %columns = "cuda_tile.reshape"(%n) : (!cuda_tile.tile<4xi32>) -> !cuda_tile.tile<1x4xi32>
      %mask = "cuda_tile.constant"() <{value = dense<true> : !cuda_tile.tile<4x4xi1>}> : () -> !cuda_tile.tile<4x4xi1>
      %some = "cuda_tile.constant"() <{value = dense<true> : !cuda_tile.tile<4xi1>}> : () -> !cuda_tile.tile<4xi1>
      %g = "ownership.gather"(%b, %rows, %columns) <{duties = [#ownership.duty<in_bounds axis 0 open>], operandSegmentSizes = array<i32: 1, 2, 0>}> : (!ownership.ref<[M, K], f32>, !cuda_tile.tile<4x1xi32>, !cuda_tile.tile<1x4xi32>) -> !cuda_tile.tile<4x4xf32>
      %padded = "ownership.gather"(%b, %rows, %columns) <{padding_value = dense<1.500000e+00> : !cuda_tile.tile<f32>, operandSegmentSizes = array<i32: 1, 2, 0>}> : (!ownership.ref<[M, K], f32>, !cuda_tile.tile<4x1xi32>, !cuda_tile.tile<1x4xi32>) -> !cuda_tile.tile<4x4xf32>
      %m = "ownership.gather"(%b, %rows, %columns, %mask) <{padding_value = #cuda_tile.padding_value<nan>, operandSegmentSizes = array<i32: 1, 2, 1>}> : (!ownership.ref<[M, K], f32>, !cuda_tile.tile<4x1xi32>, !cuda_tile.tile<1x4xi32>, !cuda_tile.tile<4x4xi1>) -> !cuda_tile.tile<4x4xf32>
      %w = "ownership.load_from"(%b, %i, %i) : (!ownership.ref<[M, K], f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<2x8xf32>
      "ownership.accumulate"(%n, %acc, %i) <{update = #ownership.update<add>}> : (!cuda_tile.tile<4xi32>, !ownership.acc<[B], i32>, !cuda_tile.tile<i32>) -> ()
      "ownership.accumulate"(%n, %acc, %i) <{update = #ownership.update<umax>, step = [#builtin.int<2>]}> : (!cuda_tile.tile<4xi32>, !ownership.acc<[B], i32>, !cuda_tile.tile<i32>) -> ()
      "ownership.accumulate_at"(%n, %acc, %n, %some) <{update = #ownership.update<xor>, operandSegmentSizes = array<i32: 1, 1, 1, 1>}> : (!cuda_tile.tile<4xi32>, !ownership.acc<[B], i32>, !cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi1>) -> ()
      %l, %t = "ownership.unsafe_load"(%raw, %i) <{reason = "why", ordering = #cuda_tile.memory_ordering_semantics<acquire>, scope = #cuda_tile.memory_scope<device>, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!ownership.raw<[B], i32>, !cuda_tile.tile<i32>) -> (!cuda_tile.tile<i32>, !cuda_tile.token)
      %u = "ownership.unsafe_store"(%l, %raw, %i, %t) <{reason = "why", ordering = #cuda_tile.memory_ordering_semantics<weak>, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1>}> : (!cuda_tile.tile<i32>, !ownership.raw<[B], i32>, !cuda_tile.tile<i32>, !cuda_tile.token) -> !cuda_tile.token
      %o = "ownership.unsafe_update"(%n, %raw, %n, %some) <{reason = "why", mode = #cuda_tile.atomic_rmw_mode<xchg>, ordering = #cuda_tile.memory_ordering_semantics<relaxed>, scope = #cuda_tile.memory_scope<sys>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> : (!cuda_tile.tile<4xi32>, !ownership.raw<[B], i32>, !cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi1>) -> !cuda_tile.tile<4xi32>
      %s = "ownership.unsafe_swap"(%n, %o, %raw, %n) <{reason = "why", ordering = #cuda_tile.memory_ordering_semantics<acq_rel>, scope = #cuda_tile.memory_scope<tl_blk>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>, !ownership.raw<[B], i32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
      "ownership.end"() : () -> ()
    }) : (!ownership.partition<out tile [4], [N], f32>) -> ()
    "ownership.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
