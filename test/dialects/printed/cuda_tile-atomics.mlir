builtin.module {
  %b = "test.op"() : () -> !cuda_tile.tile<4xi1>
  %f = "test.op"() : () -> !cuda_tile.tile<4xf32>
  %k = "test.op"() : () -> !cuda_tile.token
  %mpv = "test.op"() : () -> !cuda_tile.partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1], #cuda_tile.ptr_attr<multicast>>>
  %n = "test.op"() : () -> !cuda_tile.tile<4xi32>
  %pi = "test.op"() : () -> !cuda_tile.tile<4xptr<i32>>
  %ps = "test.op"() : () -> !cuda_tile.tile<4xptr<f32>>
  %pv = "test.op"() : () -> !cuda_tile.partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>
  %s = "test.op"() : () -> !cuda_tile.tile<i32>
  %x = "test.op"() : () -> !cuda_tile.tile<4x2xf32>
  %r0_a, %r0_b = cuda_tile.atomic_cas_tko acq_rel sys %pi, %n, %n : tile<4xptr<i32>>, tile<4xi32> -> tile<4xi32>, token
  %r1_a, %r1_b = cuda_tile.atomic_cas_tko relaxed device %pi, %n, %n, %b token=%k : tile<4xptr<i32>>, tile<4xi32>, tile<4xi1> -> tile<4xi32>, token
  %r2_b_a, %r2 = cuda_tile.atomic_rmw_tko relaxed device %pi, and, %n : tile<4xptr<i32>>, tile<4xi32> -> tile<4xi32>, token
  %r3_a, %r3_b = cuda_tile.atomic_rmw_tko relaxed device %pi, or, %n : tile<4xptr<i32>>, tile<4xi32> -> tile<4xi32>, token
  %r4_a, %r4_b = cuda_tile.atomic_rmw_tko relaxed device %pi, xor, %n : tile<4xptr<i32>>, tile<4xi32> -> tile<4xi32>, token
  %r5_a, %r5_b = cuda_tile.atomic_rmw_tko relaxed device %pi, add, %n : tile<4xptr<i32>>, tile<4xi32> -> tile<4xi32>, token
  %r6_a, %r6_b = cuda_tile.atomic_rmw_tko relaxed device %pi, max, %n : tile<4xptr<i32>>, tile<4xi32> -> tile<4xi32>, token
  %r7_a, %r7_b = cuda_tile.atomic_rmw_tko relaxed device %pi, min, %n : tile<4xptr<i32>>, tile<4xi32> -> tile<4xi32>, token
  %r8_a, %r8_b = cuda_tile.atomic_rmw_tko relaxed device %pi, umax, %n : tile<4xptr<i32>>, tile<4xi32> -> tile<4xi32>, token
  %r9_a, %r9_b = cuda_tile.atomic_rmw_tko relaxed device %pi, umin, %n : tile<4xptr<i32>>, tile<4xi32> -> tile<4xi32>, token
  %r10_a, %r10_b = cuda_tile.atomic_rmw_tko relaxed device %pi, xchg, %n : tile<4xptr<i32>>, tile<4xi32> -> tile<4xi32>, token
  %r11_a, %r11_b = cuda_tile.atomic_rmw_tko release tl_blk %ps, addf, %f, %b token=%k : tile<4xptr<f32>>, tile<4xf32>, tile<4xi1> -> tile<4xf32>, token
  %r12_a = cuda_tile.atomic_red_view_tko relaxed device %pv[%s, %s], addf, %x token = %k inbounds = [true, true] : tile<4x2xf32>, partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>, tile<i32> -> token
  %r13_a, %r13_b = cuda_tile.multimem_load_reduce_view_tko weak %mpv[%s, %s] : partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<4x2xf32>, token
  %r14_a, %r14_b = cuda_tile.multimem_load_reduce_view_tko acquire sys %mpv[%s, %s] token = %k inbounds = [true, false] : partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1], #cuda_tile.ptr_attr<multicast>>>, tile<i32>, token -> tile<4x2xf32>, token
  %r15_a = cuda_tile.multimem_reduce_view_tko release device %mpv, %x[%s, %s] : partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1], #cuda_tile.ptr_attr<multicast>>>, tile<4x2xf32>, tile<i32> -> token
  %r16_a = cuda_tile.multimem_store_view_tko weak %mpv, %x[%s, %s] token = %k : partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1], #cuda_tile.ptr_attr<multicast>>>, tile<4x2xf32>, tile<i32>, token -> token
}
// -----
"builtin.module"() ({
  %b = "test.op"() : () -> !cuda_tile.tile<4xi1>
  %f = "test.op"() : () -> !cuda_tile.tile<4xf32>
  %k = "test.op"() : () -> !cuda_tile.token
  %mpv = "test.op"() : () -> !cuda_tile.partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1], #cuda_tile.ptr_attr<multicast>>>
  %n = "test.op"() : () -> !cuda_tile.tile<4xi32>
  %pi = "test.op"() : () -> !cuda_tile.tile<4xptr<i32>>
  %ps = "test.op"() : () -> !cuda_tile.tile<4xptr<f32>>
  %pv = "test.op"() : () -> !cuda_tile.partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>
  %s = "test.op"() : () -> !cuda_tile.tile<i32>
  %x = "test.op"() : () -> !cuda_tile.tile<4x2xf32>
  %r0_a, %r0_b = "cuda_tile.atomic_cas_tko"(%pi, %n, %n) <{memory_ordering_semantics = 4 : i32, memory_scope = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!cuda_tile.tile<4xptr<i32>>, !cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> (!cuda_tile.tile<4xi32>, !cuda_tile.token)
  %r1_a, %r1_b = "cuda_tile.atomic_cas_tko"(%pi, %n, %n, %b, %k) <{memory_ordering_semantics = 1 : i32, memory_scope = 1 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>}> : (!cuda_tile.tile<4xptr<i32>>, !cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi1>, !cuda_tile.token) -> (!cuda_tile.tile<4xi32>, !cuda_tile.token)
  %r2_b_a, %r2 = "cuda_tile.atomic_rmw_tko"(%pi, %n) <{memory_ordering_semantics = 1 : i32, memory_scope = 1 : i32, mode = 0 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!cuda_tile.tile<4xptr<i32>>, !cuda_tile.tile<4xi32>) -> (!cuda_tile.tile<4xi32>, !cuda_tile.token)
  %r3_a, %r3_b = "cuda_tile.atomic_rmw_tko"(%pi, %n) <{memory_ordering_semantics = 1 : i32, memory_scope = 1 : i32, mode = 1 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!cuda_tile.tile<4xptr<i32>>, !cuda_tile.tile<4xi32>) -> (!cuda_tile.tile<4xi32>, !cuda_tile.token)
  %r4_a, %r4_b = "cuda_tile.atomic_rmw_tko"(%pi, %n) <{memory_ordering_semantics = 1 : i32, memory_scope = 1 : i32, mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!cuda_tile.tile<4xptr<i32>>, !cuda_tile.tile<4xi32>) -> (!cuda_tile.tile<4xi32>, !cuda_tile.token)
  %r5_a, %r5_b = "cuda_tile.atomic_rmw_tko"(%pi, %n) <{memory_ordering_semantics = 1 : i32, memory_scope = 1 : i32, mode = 3 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!cuda_tile.tile<4xptr<i32>>, !cuda_tile.tile<4xi32>) -> (!cuda_tile.tile<4xi32>, !cuda_tile.token)
  %r6_a, %r6_b = "cuda_tile.atomic_rmw_tko"(%pi, %n) <{memory_ordering_semantics = 1 : i32, memory_scope = 1 : i32, mode = 5 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!cuda_tile.tile<4xptr<i32>>, !cuda_tile.tile<4xi32>) -> (!cuda_tile.tile<4xi32>, !cuda_tile.token)
  %r7_a, %r7_b = "cuda_tile.atomic_rmw_tko"(%pi, %n) <{memory_ordering_semantics = 1 : i32, memory_scope = 1 : i32, mode = 6 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!cuda_tile.tile<4xptr<i32>>, !cuda_tile.tile<4xi32>) -> (!cuda_tile.tile<4xi32>, !cuda_tile.token)
  %r8_a, %r8_b = "cuda_tile.atomic_rmw_tko"(%pi, %n) <{memory_ordering_semantics = 1 : i32, memory_scope = 1 : i32, mode = 7 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!cuda_tile.tile<4xptr<i32>>, !cuda_tile.tile<4xi32>) -> (!cuda_tile.tile<4xi32>, !cuda_tile.token)
  %r9_a, %r9_b = "cuda_tile.atomic_rmw_tko"(%pi, %n) <{memory_ordering_semantics = 1 : i32, memory_scope = 1 : i32, mode = 8 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!cuda_tile.tile<4xptr<i32>>, !cuda_tile.tile<4xi32>) -> (!cuda_tile.tile<4xi32>, !cuda_tile.token)
  %r10_a, %r10_b = "cuda_tile.atomic_rmw_tko"(%pi, %n) <{memory_ordering_semantics = 1 : i32, memory_scope = 1 : i32, mode = 9 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!cuda_tile.tile<4xptr<i32>>, !cuda_tile.tile<4xi32>) -> (!cuda_tile.tile<4xi32>, !cuda_tile.token)
  %r11_a, %r11_b = "cuda_tile.atomic_rmw_tko"(%ps, %f, %b, %k) <{memory_ordering_semantics = 3 : i32, memory_scope = 0 : i32, mode = 4 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 1>}> : (!cuda_tile.tile<4xptr<f32>>, !cuda_tile.tile<4xf32>, !cuda_tile.tile<4xi1>, !cuda_tile.token) -> (!cuda_tile.tile<4xf32>, !cuda_tile.token)
  %r12_a = "cuda_tile.atomic_red_view_tko"(%pv, %s, %s, %x, %k) <{memory_ordering_semantics = 1 : i32, memory_scope = 1 : i32, mode = 4 : i32, inbounds = array<i1: true, true>, operandSegmentSizes = array<i32: 1, 2, 1, 1>}> : (!cuda_tile.partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<4x2xf32>, !cuda_tile.token) -> !cuda_tile.token
  %r13_a, %r13_b = "cuda_tile.multimem_load_reduce_view_tko"(%mpv, %s, %s) <{memory_ordering_semantics = 0 : i32, inbounds = array<i1: false, false>, operandSegmentSizes = array<i32: 1, 2, 0>, reduction = #cuda_tile.multimem_reduction_kind<add>}> : (!cuda_tile.partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1], #cuda_tile.ptr_attr<multicast>>>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> (!cuda_tile.tile<4x2xf32>, !cuda_tile.token)
  %r14_a, %r14_b = "cuda_tile.multimem_load_reduce_view_tko"(%mpv, %s, %s, %k) <{memory_ordering_semantics = 2 : i32, memory_scope = 2 : i32, inbounds = array<i1: true, false>, operandSegmentSizes = array<i32: 1, 2, 1>, reduction = #cuda_tile.multimem_reduction_kind<add>}> : (!cuda_tile.partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1], #cuda_tile.ptr_attr<multicast>>>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.token) -> (!cuda_tile.tile<4x2xf32>, !cuda_tile.token)
  %r15_a = "cuda_tile.multimem_reduce_view_tko"(%mpv, %x, %s, %s) <{memory_ordering_semantics = 3 : i32, memory_scope = 1 : i32, inbounds = array<i1: false, false>, operandSegmentSizes = array<i32: 1, 1, 2, 0>, reduction = #cuda_tile.multimem_reduction_kind<add>}> : (!cuda_tile.partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1], #cuda_tile.ptr_attr<multicast>>>, !cuda_tile.tile<4x2xf32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.token
  %r16_a = "cuda_tile.multimem_store_view_tko"(%mpv, %x, %s, %s, %k) <{memory_ordering_semantics = 0 : i32, inbounds = array<i1: false, false>, operandSegmentSizes = array<i32: 1, 1, 2, 1>}> : (!cuda_tile.partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1], #cuda_tile.ptr_attr<multicast>>>, !cuda_tile.tile<4x2xf32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.token) -> !cuda_tile.token
}) : () -> ()
