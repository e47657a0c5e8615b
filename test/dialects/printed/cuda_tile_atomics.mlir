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
// -----
builtin.module {
  %b = "test.op"() : () -> !cuda_tile.tile<4xi1> loc(#loc)
  %f = "test.op"() : () -> !cuda_tile.tile<4xf32> loc(#loc1)
  %k = "test.op"() : () -> !cuda_tile.token loc(#loc2)
  %mpv = "test.op"() : () -> !cuda_tile.partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1], #cuda_tile.ptr_attr<multicast>>> loc(#loc3)
  %n = "test.op"() : () -> !cuda_tile.tile<4xi32> loc(#loc4)
  %pi = "test.op"() : () -> !cuda_tile.tile<4xptr<i32>> loc(#loc5)
  %ps = "test.op"() : () -> !cuda_tile.tile<4xptr<f32>> loc(#loc6)
  %pv = "test.op"() : () -> !cuda_tile.partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>> loc(#loc7)
  %s = "test.op"() : () -> !cuda_tile.tile<i32> loc(#loc8)
  %x = "test.op"() : () -> !cuda_tile.tile<4x2xf32> loc(#loc9)
  %r0_a, %r0_b = cuda_tile.atomic_cas_tko acq_rel sys %pi, %n, %n : tile<4xptr<i32>>, tile<4xi32> -> tile<4xi32>, token loc(#loc10)
  %r1_a, %r1_b = cuda_tile.atomic_cas_tko relaxed device %pi, %n, %n, %b token=%k : tile<4xptr<i32>>, tile<4xi32>, tile<4xi1> -> tile<4xi32>, token loc(#loc11)
  %r2_b_a, %r2 = cuda_tile.atomic_rmw_tko relaxed device %pi, and, %n : tile<4xptr<i32>>, tile<4xi32> -> tile<4xi32>, token loc(#loc12)
  %r3_a, %r3_b = cuda_tile.atomic_rmw_tko relaxed device %pi, or, %n : tile<4xptr<i32>>, tile<4xi32> -> tile<4xi32>, token loc(#loc13)
  %r4_a, %r4_b = cuda_tile.atomic_rmw_tko relaxed device %pi, xor, %n : tile<4xptr<i32>>, tile<4xi32> -> tile<4xi32>, token loc(#loc14)
  %r5_a, %r5_b = cuda_tile.atomic_rmw_tko relaxed device %pi, add, %n : tile<4xptr<i32>>, tile<4xi32> -> tile<4xi32>, token loc(#loc15)
  %r6_a, %r6_b = cuda_tile.atomic_rmw_tko relaxed device %pi, max, %n : tile<4xptr<i32>>, tile<4xi32> -> tile<4xi32>, token loc(#loc16)
  %r7_a, %r7_b = cuda_tile.atomic_rmw_tko relaxed device %pi, min, %n : tile<4xptr<i32>>, tile<4xi32> -> tile<4xi32>, token loc(#loc17)
  %r8_a, %r8_b = cuda_tile.atomic_rmw_tko relaxed device %pi, umax, %n : tile<4xptr<i32>>, tile<4xi32> -> tile<4xi32>, token loc(#loc18)
  %r9_a, %r9_b = cuda_tile.atomic_rmw_tko relaxed device %pi, umin, %n : tile<4xptr<i32>>, tile<4xi32> -> tile<4xi32>, token loc(#loc19)
  %r10_a, %r10_b = cuda_tile.atomic_rmw_tko relaxed device %pi, xchg, %n : tile<4xptr<i32>>, tile<4xi32> -> tile<4xi32>, token loc(#loc20)
  %r11_a, %r11_b = cuda_tile.atomic_rmw_tko release tl_blk %ps, addf, %f, %b token=%k : tile<4xptr<f32>>, tile<4xf32>, tile<4xi1> -> tile<4xf32>, token loc(#loc21)
  %r12_a = cuda_tile.atomic_red_view_tko relaxed device %pv[%s, %s], addf, %x token = %k inbounds = [true, true] : tile<4x2xf32>, partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>, tile<i32> -> token loc(#loc22)
  %r13_a, %r13_b = cuda_tile.multimem_load_reduce_view_tko weak %mpv[%s, %s] : partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<4x2xf32>, token loc(#loc23)
  %r14_a, %r14_b = cuda_tile.multimem_load_reduce_view_tko acquire sys %mpv[%s, %s] token = %k inbounds = [true, false] : partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1], #cuda_tile.ptr_attr<multicast>>>, tile<i32>, token -> tile<4x2xf32>, token loc(#loc24)
  %r15_a = cuda_tile.multimem_reduce_view_tko release device %mpv, %x[%s, %s] : partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1], #cuda_tile.ptr_attr<multicast>>>, tile<4x2xf32>, tile<i32> -> token loc(#loc25)
  %r16_a = cuda_tile.multimem_store_view_tko weak %mpv, %x[%s, %s] token = %k : partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1], #cuda_tile.ptr_attr<multicast>>>, tile<4x2xf32>, tile<i32>, token -> token loc(#loc26)
} loc(#loc27)
#loc = loc(fused["atomics.mlir":4:6, "atomics.mlir":4:47])
#loc1 = loc(fused["atomics.mlir":5:6, "atomics.mlir":5:48])
#loc2 = loc(fused["atomics.mlir":6:6, "atomics.mlir":6:42])
#loc3 = loc(fused["atomics.mlir":7:8, "atomics.mlir":7:135])
#loc4 = loc(fused["atomics.mlir":8:6, "atomics.mlir":8:48])
#loc5 = loc(fused["atomics.mlir":9:7, "atomics.mlir":9:54])
#loc6 = loc(fused["atomics.mlir":10:7, "atomics.mlir":10:54])
#loc7 = loc(fused["atomics.mlir":11:7, "atomics.mlir":11:102])
#loc8 = loc(fused["atomics.mlir":12:6, "atomics.mlir":12:46])
#loc9 = loc(fused["atomics.mlir":13:6, "atomics.mlir":13:50])
#loc10 = loc(fused["atomics.mlir":16:16, "atomics.mlir":16:118])
#loc11 = loc(fused["atomics.mlir":19:16, "atomics.mlir":19:148])
#loc12 = loc(fused["atomics.mlir":22:16, "atomics.mlir":22:122])
#loc13 = loc(fused["atomics.mlir":25:16, "atomics.mlir":25:121])
#loc14 = loc(fused["atomics.mlir":28:16, "atomics.mlir":28:122])
#loc15 = loc(fused["atomics.mlir":31:16, "atomics.mlir":31:122])
#loc16 = loc(fused["atomics.mlir":34:16, "atomics.mlir":34:122])
#loc17 = loc(fused["atomics.mlir":37:16, "atomics.mlir":37:122])
#loc18 = loc(fused["atomics.mlir":40:16, "atomics.mlir":40:123])
#loc19 = loc(fused["atomics.mlir":43:16, "atomics.mlir":43:123])
#loc20 = loc(fused["atomics.mlir":46:18, "atomics.mlir":46:125])
#loc21 = loc(fused["atomics.mlir":49:18, "atomics.mlir":49:152])
#loc22 = loc(fused["atomics.mlir":52:10, "atomics.mlir":52:213])
#loc23 = loc(fused["atomics.mlir":55:18, "atomics.mlir":55:209])
#loc24 = loc(fused["atomics.mlir":58:18, "atomics.mlir":58:259])
#loc25 = loc(fused["atomics.mlir":61:10, "atomics.mlir":61:210])
#loc26 = loc(fused["atomics.mlir":64:10, "atomics.mlir":64:217])
#loc27 = loc(unknown)
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
