builtin.module {
  %gv = "test.op"() : () -> !cuda_tile.gather_scatter_view<tile=(4x2), padding_value = pos_inf, tensor_view<?x16xf32, strides=[?,1]>, sparse_dim=0>
  %k = "test.op"() : () -> !cuda_tile.token
  %mp = "test.op"() : () -> !cuda_tile.tile<ptr<f32, <multicast>>>
  %n = "test.op"() : () -> !cuda_tile.tile<4xi32>
  %p = "test.op"() : () -> !cuda_tile.tile<ptr<f32>>
  %pv = "test.op"() : () -> !cuda_tile.partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>
  %s = "test.op"() : () -> !cuda_tile.tile<i32>
  %sv = "test.op"() : () -> !cuda_tile.strided_view<tile=(4x2), traversal_strides=[2,3], padding_value = nan, tensor_view<?x16xf32, strides=[?,1]>, dim_map=[1, 0]>
  %tv = "test.op"() : () -> !cuda_tile.tensor_view<?x16xf32, strides=[?,1]>
  %x = "test.op"() : () -> !cuda_tile.tile<4x2xf32>
  %r0_a = cuda_tile.make_tensor_view %p, shape = [%s, 16], strides = [%s, 1] : tile<i32> -> tensor_view<?x16xf32, strides=[?,1]>
  %r1_a = cuda_tile.make_tensor_view %p, shape = [8, 16], strides = [16, 1] : tensor_view<8x16xf32, strides=[16,1]>
  %r2_a = cuda_tile.make_tensor_view %p, shape = [], strides = [] : tensor_view<f32>
  %r3_a = cuda_tile.make_tensor_view %mp, shape = [%s, 16], strides = [%s, 1] : tile<ptr<f32, <multicast>>>, tile<i32> -> tensor_view<?x16xf32, strides=[?,1], #cuda_tile.ptr_attr<multicast>>
  %r4_a = cuda_tile.make_partition_view %tv : partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>
  %r5_a = cuda_tile.make_strided_view %tv : strided_view<tile=(4x2), traversal_strides=[2,3], padding_value = nan, tensor_view<?x16xf32, strides=[?,1]>, dim_map=[1, 0]>
  %r6_a = cuda_tile.make_gather_scatter_view %tv : gather_scatter_view<tile=(4x2), padding_value = pos_inf, tensor_view<?x16xf32, strides=[?,1]>, sparse_dim=0>
  %r7_a, %r7_b = cuda_tile.get_tensor_shape %tv : tensor_view<?x16xf32, strides=[?,1]> -> tile<i32>
  %r8_a, %r8_b = cuda_tile.get_index_space_shape %pv : partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>> -> tile<i64>
  %r9_a, %r9_b = cuda_tile.load_view_tko weak %pv[%s, %s] : partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>, tile<i32> -> tile<4x2xf32>, token
  %r10_a, %r10_b = cuda_tile.load_view_tko acquire device %sv[%s, %s] token = %k optimization_hints = <default = {latency = 3}, sm_100 = {allow_tma = false}> inbounds = [true, false] : strided_view<tile=(4x2), traversal_strides=[2,3], padding_value = nan, tensor_view<?x16xf32, strides=[?,1]>, dim_map=[1, 0]>, tile<i32> -> tile<4x2xf32>, token
  %r11_a, %r11_b = cuda_tile.load_view_tko weak %gv[%n, %s] : gather_scatter_view<tile=(4x2), padding_value = pos_inf, tensor_view<?x16xf32, strides=[?,1]>, sparse_dim=0>, tile<4xi32>, tile<i32> -> tile<4x2xf32>, token
  %r12_a = cuda_tile.store_view_tko weak %x, %pv[%s, %s] : tile<4x2xf32>, partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>, tile<i32> -> token
  %r13_a = cuda_tile.store_view_tko release sys %x, %pv[%s, %s] token = %k optimization_hints = <default = {latency = 3}, sm_100 = {allow_tma = false}> inbounds = [false, true] : tile<4x2xf32>, partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>, tile<i32> -> token
}
// -----
"builtin.module"() ({
  %gv = "test.op"() : () -> !cuda_tile.gather_scatter_view<tile=(4x2), padding_value = pos_inf, tensor_view<?x16xf32, strides=[?,1]>, sparse_dim=0>
  %k = "test.op"() : () -> !cuda_tile.token
  %mp = "test.op"() : () -> !cuda_tile.tile<ptr<f32, <multicast>>>
  %n = "test.op"() : () -> !cuda_tile.tile<4xi32>
  %p = "test.op"() : () -> !cuda_tile.tile<ptr<f32>>
  %pv = "test.op"() : () -> !cuda_tile.partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>
  %s = "test.op"() : () -> !cuda_tile.tile<i32>
  %sv = "test.op"() : () -> !cuda_tile.strided_view<tile=(4x2), traversal_strides=[2,3], padding_value = nan, tensor_view<?x16xf32, strides=[?,1]>, dim_map=[1, 0]>
  %tv = "test.op"() : () -> !cuda_tile.tensor_view<?x16xf32, strides=[?,1]>
  %x = "test.op"() : () -> !cuda_tile.tile<4x2xf32>
  %r0_a = "cuda_tile.make_tensor_view"(%p, %s, %s) <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (!cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tensor_view<?x16xf32, strides=[?,1]>
  %r1_a = "cuda_tile.make_tensor_view"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (!cuda_tile.tile<ptr<f32>>) -> !cuda_tile.tensor_view<8x16xf32, strides=[16,1]>
  %r2_a = "cuda_tile.make_tensor_view"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (!cuda_tile.tile<ptr<f32>>) -> !cuda_tile.tensor_view<f32>
  %r3_a = "cuda_tile.make_tensor_view"(%mp, %s, %s) <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (!cuda_tile.tile<ptr<f32, <multicast>>>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tensor_view<?x16xf32, strides=[?,1], #cuda_tile.ptr_attr<multicast>>
  %r4_a = "cuda_tile.make_partition_view"(%tv) : (!cuda_tile.tensor_view<?x16xf32, strides=[?,1]>) -> !cuda_tile.partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>
  %r5_a = "cuda_tile.make_strided_view"(%tv) : (!cuda_tile.tensor_view<?x16xf32, strides=[?,1]>) -> !cuda_tile.strided_view<tile=(4x2), traversal_strides=[2,3], padding_value = nan, tensor_view<?x16xf32, strides=[?,1]>, dim_map=[1, 0]>
  %r6_a = "cuda_tile.make_gather_scatter_view"(%tv) : (!cuda_tile.tensor_view<?x16xf32, strides=[?,1]>) -> !cuda_tile.gather_scatter_view<tile=(4x2), padding_value = pos_inf, tensor_view<?x16xf32, strides=[?,1]>, sparse_dim=0>
  %r7_a, %r7_b = "cuda_tile.get_tensor_shape"(%tv) : (!cuda_tile.tensor_view<?x16xf32, strides=[?,1]>) -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
  %r8_a, %r8_b = "cuda_tile.get_index_space_shape"(%pv) : (!cuda_tile.partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>) -> (!cuda_tile.tile<i64>, !cuda_tile.tile<i64>)
  %r9_a, %r9_b = "cuda_tile.load_view_tko"(%pv, %s, %s) <{memory_ordering_semantics = 0 : i32, operandSegmentSizes = array<i32: 1, 2, 0>}> : (!cuda_tile.partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> (!cuda_tile.tile<4x2xf32>, !cuda_tile.token)
  %r10_a, %r10_b = "cuda_tile.load_view_tko"(%sv, %s, %s, %k) <{memory_ordering_semantics = 2 : i32, memory_scope = 1 : i32, optimization_hints = #cuda_tile.optimization_hints<default = {latency = 3}, sm_100 = {allow_tma = false}>, inbounds = array<i1: true, false>, operandSegmentSizes = array<i32: 1, 2, 1>}> : (!cuda_tile.strided_view<tile=(4x2), traversal_strides=[2,3], padding_value = nan, tensor_view<?x16xf32, strides=[?,1]>, dim_map=[1, 0]>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.token) -> (!cuda_tile.tile<4x2xf32>, !cuda_tile.token)
  %r11_a, %r11_b = "cuda_tile.load_view_tko"(%gv, %n, %s) <{memory_ordering_semantics = 0 : i32, operandSegmentSizes = array<i32: 1, 2, 0>}> : (!cuda_tile.gather_scatter_view<tile=(4x2), padding_value = pos_inf, tensor_view<?x16xf32, strides=[?,1]>, sparse_dim=0>, !cuda_tile.tile<4xi32>, !cuda_tile.tile<i32>) -> (!cuda_tile.tile<4x2xf32>, !cuda_tile.token)
  %r12_a = "cuda_tile.store_view_tko"(%x, %pv, %s, %s) <{memory_ordering_semantics = 0 : i32, operandSegmentSizes = array<i32: 1, 1, 2, 0>}> : (!cuda_tile.tile<4x2xf32>, !cuda_tile.partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.token
  %r13_a = "cuda_tile.store_view_tko"(%x, %pv, %s, %s, %k) <{memory_ordering_semantics = 3 : i32, memory_scope = 2 : i32, optimization_hints = #cuda_tile.optimization_hints<default = {latency = 3}, sm_100 = {allow_tma = false}>, inbounds = array<i1: false, true>, operandSegmentSizes = array<i32: 1, 1, 2, 1>}> : (!cuda_tile.tile<4x2xf32>, !cuda_tile.partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.token) -> !cuda_tile.token
}) : () -> ()
// -----
builtin.module {
  %gv = "test.op"() : () -> !cuda_tile.gather_scatter_view<tile=(4x2), padding_value = pos_inf, tensor_view<?x16xf32, strides=[?,1]>, sparse_dim=0> loc(#loc)
  %k = "test.op"() : () -> !cuda_tile.token loc(#loc1)
  %mp = "test.op"() : () -> !cuda_tile.tile<ptr<f32, <multicast>>> loc(#loc2)
  %n = "test.op"() : () -> !cuda_tile.tile<4xi32> loc(#loc3)
  %p = "test.op"() : () -> !cuda_tile.tile<ptr<f32>> loc(#loc4)
  %pv = "test.op"() : () -> !cuda_tile.partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>> loc(#loc5)
  %s = "test.op"() : () -> !cuda_tile.tile<i32> loc(#loc6)
  %sv = "test.op"() : () -> !cuda_tile.strided_view<tile=(4x2), traversal_strides=[2,3], padding_value = nan, tensor_view<?x16xf32, strides=[?,1]>, dim_map=[1, 0]> loc(#loc7)
  %tv = "test.op"() : () -> !cuda_tile.tensor_view<?x16xf32, strides=[?,1]> loc(#loc8)
  %x = "test.op"() : () -> !cuda_tile.tile<4x2xf32> loc(#loc9)
  %r0_a = cuda_tile.make_tensor_view %p, shape = [%s, 16], strides = [%s, 1] : tile<i32> -> tensor_view<?x16xf32, strides=[?,1]> loc(#loc10)
  %r1_a = cuda_tile.make_tensor_view %p, shape = [8, 16], strides = [16, 1] : tensor_view<8x16xf32, strides=[16,1]> loc(#loc11)
  %r2_a = cuda_tile.make_tensor_view %p, shape = [], strides = [] : tensor_view<f32> loc(#loc12)
  %r3_a = cuda_tile.make_tensor_view %mp, shape = [%s, 16], strides = [%s, 1] : tile<ptr<f32, <multicast>>>, tile<i32> -> tensor_view<?x16xf32, strides=[?,1], #cuda_tile.ptr_attr<multicast>> loc(#loc13)
  %r4_a = cuda_tile.make_partition_view %tv : partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>> loc(#loc14)
  %r5_a = cuda_tile.make_strided_view %tv : strided_view<tile=(4x2), traversal_strides=[2,3], padding_value = nan, tensor_view<?x16xf32, strides=[?,1]>, dim_map=[1, 0]> loc(#loc15)
  %r6_a = cuda_tile.make_gather_scatter_view %tv : gather_scatter_view<tile=(4x2), padding_value = pos_inf, tensor_view<?x16xf32, strides=[?,1]>, sparse_dim=0> loc(#loc16)
  %r7_a:2 = cuda_tile.get_tensor_shape %tv : tensor_view<?x16xf32, strides=[?,1]> -> tile<i32> loc(#loc17)
  %r8_a:2 = cuda_tile.get_index_space_shape %pv : partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>> -> tile<i64> loc(#loc18)
  %r9_a, %r9_b = cuda_tile.load_view_tko weak %pv[%s, %s] : partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>, tile<i32> -> tile<4x2xf32>, token loc(#loc19)
  %r10_a, %r10_b = cuda_tile.load_view_tko acquire device %sv[%s, %s] token = %k optimization_hints = <default = {latency = 3}, sm_100 = {allow_tma = false}> inbounds = [true, false] : strided_view<tile=(4x2), traversal_strides=[2,3], padding_value = nan, tensor_view<?x16xf32, strides=[?,1]>, dim_map=[1, 0]>, tile<i32> -> tile<4x2xf32>, token loc(#loc20)
  %r11_a, %r11_b = cuda_tile.load_view_tko weak %gv[%n, %s] : gather_scatter_view<tile=(4x2), padding_value = pos_inf, tensor_view<?x16xf32, strides=[?,1]>, sparse_dim=0>, tile<4xi32>, tile<i32> -> tile<4x2xf32>, token loc(#loc21)
  %r12_a = cuda_tile.store_view_tko weak %x, %pv[%s, %s] : tile<4x2xf32>, partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>, tile<i32> -> token loc(#loc22)
  %r13_a = cuda_tile.store_view_tko release sys %x, %pv[%s, %s] token = %k optimization_hints = <default = {latency = 3}, sm_100 = {allow_tma = false}> inbounds = [false, true] : tile<4x2xf32>, partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>, tile<i32> -> token loc(#loc23)
} loc(#loc24)
#loc = loc(fused["views.mlir":4:7, "views.mlir":4:146])
#loc1 = loc(fused["views.mlir":5:6, "views.mlir":5:42])
#loc2 = loc(fused["views.mlir":6:7, "views.mlir":6:65])
#loc3 = loc(fused["views.mlir":7:6, "views.mlir":7:48])
#loc4 = loc(fused["views.mlir":8:6, "views.mlir":8:51])
#loc5 = loc(fused["views.mlir":9:7, "views.mlir":9:102])
#loc6 = loc(fused["views.mlir":10:6, "views.mlir":10:46])
#loc7 = loc(fused["views.mlir":11:7, "views.mlir":11:162])
#loc8 = loc(fused["views.mlir":12:7, "views.mlir":12:74])
#loc9 = loc(fused["views.mlir":13:6, "views.mlir":13:50])
#loc10 = loc(fused["views.mlir":16:9, "views.mlir":16:127])
#loc11 = loc(fused["views.mlir":19:9, "views.mlir":19:114])
#loc12 = loc(fused["views.mlir":22:9, "views.mlir":22:83])
#loc13 = loc(fused["views.mlir":25:9, "views.mlir":25:189])
#loc14 = loc(fused["views.mlir":28:9, "views.mlir":28:109])
#loc15 = loc(fused["views.mlir":31:9, "views.mlir":31:167])
#loc16 = loc(fused["views.mlir":34:9, "views.mlir":34:158])
#loc17 = loc(fused["views.mlir":37:16, "views.mlir":37:98])
#loc18 = loc(fused["views.mlir":40:16, "views.mlir":40:131])
#loc19 = loc(fused["views.mlir":43:16, "views.mlir":43:158])
#loc20 = loc(fused["views.mlir":46:18, "views.mlir":46:343])
#loc21 = loc(fused["views.mlir":49:18, "views.mlir":49:217])
#loc22 = loc(fused["views.mlir":52:10, "views.mlir":52:157])
#loc23 = loc(fused["views.mlir":55:10, "views.mlir":55:277])
#loc24 = loc(unknown)
// -----
"builtin.module"() ({
  %gv = "test.op"() : () -> !cuda_tile.gather_scatter_view<tile=(4x2), padding_value = pos_inf, tensor_view<?x16xf32, strides=[?,1]>, sparse_dim=0>
  %k = "test.op"() : () -> !cuda_tile.token
  %mp = "test.op"() : () -> !cuda_tile.tile<ptr<f32, <multicast>>>
  %n = "test.op"() : () -> !cuda_tile.tile<4xi32>
  %p = "test.op"() : () -> !cuda_tile.tile<ptr<f32>>
  %pv = "test.op"() : () -> !cuda_tile.partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>
  %s = "test.op"() : () -> !cuda_tile.tile<i32>
  %sv = "test.op"() : () -> !cuda_tile.strided_view<tile=(4x2), traversal_strides=[2,3], padding_value = nan, tensor_view<?x16xf32, strides=[?,1]>, dim_map=[1, 0]>
  %tv = "test.op"() : () -> !cuda_tile.tensor_view<?x16xf32, strides=[?,1]>
  %x = "test.op"() : () -> !cuda_tile.tile<4x2xf32>
  %r0_a = "cuda_tile.make_tensor_view"(%p, %s, %s) <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (!cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tensor_view<?x16xf32, strides=[?,1]>
  %r1_a = "cuda_tile.make_tensor_view"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (!cuda_tile.tile<ptr<f32>>) -> !cuda_tile.tensor_view<8x16xf32, strides=[16,1]>
  %r2_a = "cuda_tile.make_tensor_view"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (!cuda_tile.tile<ptr<f32>>) -> !cuda_tile.tensor_view<f32>
  %r3_a = "cuda_tile.make_tensor_view"(%mp, %s, %s) <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (!cuda_tile.tile<ptr<f32, <multicast>>>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tensor_view<?x16xf32, strides=[?,1], #cuda_tile.ptr_attr<multicast>>
  %r4_a = "cuda_tile.make_partition_view"(%tv) : (!cuda_tile.tensor_view<?x16xf32, strides=[?,1]>) -> !cuda_tile.partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>
  %r5_a = "cuda_tile.make_strided_view"(%tv) : (!cuda_tile.tensor_view<?x16xf32, strides=[?,1]>) -> !cuda_tile.strided_view<tile=(4x2), traversal_strides=[2,3], padding_value = nan, tensor_view<?x16xf32, strides=[?,1]>, dim_map=[1, 0]>
  %r6_a = "cuda_tile.make_gather_scatter_view"(%tv) : (!cuda_tile.tensor_view<?x16xf32, strides=[?,1]>) -> !cuda_tile.gather_scatter_view<tile=(4x2), padding_value = pos_inf, tensor_view<?x16xf32, strides=[?,1]>, sparse_dim=0>
  %r7_a, %r7_b = "cuda_tile.get_tensor_shape"(%tv) : (!cuda_tile.tensor_view<?x16xf32, strides=[?,1]>) -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
  %r8_a, %r8_b = "cuda_tile.get_index_space_shape"(%pv) : (!cuda_tile.partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>) -> (!cuda_tile.tile<i64>, !cuda_tile.tile<i64>)
  %r9_a, %r9_b = "cuda_tile.load_view_tko"(%pv, %s, %s) <{memory_ordering_semantics = 0 : i32, operandSegmentSizes = array<i32: 1, 2, 0>}> : (!cuda_tile.partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> (!cuda_tile.tile<4x2xf32>, !cuda_tile.token)
  %r10_a, %r10_b = "cuda_tile.load_view_tko"(%sv, %s, %s, %k) <{memory_ordering_semantics = 2 : i32, memory_scope = 1 : i32, optimization_hints = #cuda_tile.optimization_hints<default = {latency = 3}, sm_100 = {allow_tma = false}>, inbounds = array<i1: true, false>, operandSegmentSizes = array<i32: 1, 2, 1>}> : (!cuda_tile.strided_view<tile=(4x2), traversal_strides=[2,3], padding_value = nan, tensor_view<?x16xf32, strides=[?,1]>, dim_map=[1, 0]>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.token) -> (!cuda_tile.tile<4x2xf32>, !cuda_tile.token)
  %r11_a, %r11_b = "cuda_tile.load_view_tko"(%gv, %n, %s) <{memory_ordering_semantics = 0 : i32, operandSegmentSizes = array<i32: 1, 2, 0>}> : (!cuda_tile.gather_scatter_view<tile=(4x2), padding_value = pos_inf, tensor_view<?x16xf32, strides=[?,1]>, sparse_dim=0>, !cuda_tile.tile<4xi32>, !cuda_tile.tile<i32>) -> (!cuda_tile.tile<4x2xf32>, !cuda_tile.token)
  %r12_a = "cuda_tile.store_view_tko"(%x, %pv, %s, %s) <{memory_ordering_semantics = 0 : i32, operandSegmentSizes = array<i32: 1, 1, 2, 0>}> : (!cuda_tile.tile<4x2xf32>, !cuda_tile.partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.token
  %r13_a = "cuda_tile.store_view_tko"(%x, %pv, %s, %s, %k) <{memory_ordering_semantics = 3 : i32, memory_scope = 2 : i32, optimization_hints = #cuda_tile.optimization_hints<default = {latency = 3}, sm_100 = {allow_tma = false}>, inbounds = array<i1: false, true>, operandSegmentSizes = array<i32: 1, 1, 2, 1>}> : (!cuda_tile.tile<4x2xf32>, !cuda_tile.partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.token) -> !cuda_tile.token
}) : () -> ()
