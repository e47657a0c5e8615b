builtin.module {
  %b = "test.op"() : () -> !cuda_tile.tile<4xi1>
  %f = "test.op"() : () -> !cuda_tile.tile<4xf32>
  %k = "test.op"() : () -> !cuda_tile.token
  %ps = "test.op"() : () -> !cuda_tile.tile<4xptr<f32>>
  %r0_a = cuda_tile.make_token : token
  %r1_a = cuda_tile.join_tokens %k, %k, %k : token
  %r2_b_a, %r2 = cuda_tile.load_ptr_tko weak %ps : tile<4xptr<f32>> -> tile<4xf32>, token
  %r3_a, %r3_b = cuda_tile.load_ptr_tko relaxed device %ps, %b, %f token=%k optimization_hints = <default = {latency = 3}> : tile<4xptr<f32>>, tile<4xi1>, tile<4xf32> -> tile<4xf32>, token
  %r4_a, %r4_b = cuda_tile.load_ptr_tko weak %ps, %b : tile<4xptr<f32>>, tile<4xi1> -> tile<4xf32>, token
  %r21_a, %r21_b = cuda_tile.load_ptr_tko weak %ps padding=%f : tile<4xptr<f32>>, tile<4xf32> -> tile<4xf32>, token
  %r22_a, %r22_b = cuda_tile.load_ptr_tko weak %ps padding=%f token=%k : tile<4xptr<f32>>, tile<4xf32> -> tile<4xf32>, token
  %pb = "test.op"() : () -> !cuda_tile.tile<4xptr<i1>>
  %r23_a, %r23_b = cuda_tile.load_ptr_tko weak %pb padding=%b : tile<4xptr<i1>>, tile<4xi1> -> tile<4xi1>, token
  %r5_a = cuda_tile.store_ptr_tko weak %ps, %f : tile<4xptr<f32>>, tile<4xf32> -> token
  %r6_a = cuda_tile.store_ptr_tko release tl_blk %ps, %f, %b token=%k : tile<4xptr<f32>>, tile<4xf32>, tile<4xi1> -> token
  %r7_a = cuda_tile.alloca num_elem = 16, alignment = 16 : tile<ptr<f32>>
  %r8_a = cuda_tile.alloca num_elem = 0, alignment = 4 global : tile<ptr<f32>>
  %r9_a = cuda_tile.gdc_launch_dependents_tko -> token
  %r10_a = cuda_tile.gdc_wait_tko token = %k -> token
  %r11_a = cuda_tile.memory_fence_alias_tko %k
}
// -----
"builtin.module"() ({
  %b = "test.op"() : () -> !cuda_tile.tile<4xi1>
  %f = "test.op"() : () -> !cuda_tile.tile<4xf32>
  %k = "test.op"() : () -> !cuda_tile.token
  %ps = "test.op"() : () -> !cuda_tile.tile<4xptr<f32>>
  %r0_a = "cuda_tile.make_token"() : () -> !cuda_tile.token
  %r1_a = "cuda_tile.join_tokens"(%k, %k, %k) : (!cuda_tile.token, !cuda_tile.token, !cuda_tile.token) -> !cuda_tile.token
  %r2_b_a, %r2 = "cuda_tile.load_ptr_tko"(%ps) <{memory_ordering_semantics = 0 : i32, operandSegmentSizes = array<i32: 1, 0, 0, 0>}> : (!cuda_tile.tile<4xptr<f32>>) -> (!cuda_tile.tile<4xf32>, !cuda_tile.token)
  %r3_a, %r3_b = "cuda_tile.load_ptr_tko"(%ps, %b, %f, %k) <{memory_ordering_semantics = 1 : i32, memory_scope = 1 : i32, optimization_hints = #cuda_tile.optimization_hints<default = {latency = 3}>, operandSegmentSizes = array<i32: 1, 1, 1, 1>}> : (!cuda_tile.tile<4xptr<f32>>, !cuda_tile.tile<4xi1>, !cuda_tile.tile<4xf32>, !cuda_tile.token) -> (!cuda_tile.tile<4xf32>, !cuda_tile.token)
  %r4_a, %r4_b = "cuda_tile.load_ptr_tko"(%ps, %b) <{memory_ordering_semantics = 0 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!cuda_tile.tile<4xptr<f32>>, !cuda_tile.tile<4xi1>) -> (!cuda_tile.tile<4xf32>, !cuda_tile.token)
  %r21_a, %r21_b = "cuda_tile.load_ptr_tko"(%ps, %f) <{memory_ordering_semantics = 0 : i32, operandSegmentSizes = array<i32: 1, 0, 1, 0>}> : (!cuda_tile.tile<4xptr<f32>>, !cuda_tile.tile<4xf32>) -> (!cuda_tile.tile<4xf32>, !cuda_tile.token)
  %r22_a, %r22_b = "cuda_tile.load_ptr_tko"(%ps, %f, %k) <{memory_ordering_semantics = 0 : i32, operandSegmentSizes = array<i32: 1, 0, 1, 1>}> : (!cuda_tile.tile<4xptr<f32>>, !cuda_tile.tile<4xf32>, !cuda_tile.token) -> (!cuda_tile.tile<4xf32>, !cuda_tile.token)
  %pb = "test.op"() : () -> !cuda_tile.tile<4xptr<i1>>
  %r23_a, %r23_b = "cuda_tile.load_ptr_tko"(%pb, %b) <{memory_ordering_semantics = 0 : i32, operandSegmentSizes = array<i32: 1, 0, 1, 0>}> : (!cuda_tile.tile<4xptr<i1>>, !cuda_tile.tile<4xi1>) -> (!cuda_tile.tile<4xi1>, !cuda_tile.token)
  %r5_a = "cuda_tile.store_ptr_tko"(%ps, %f) <{memory_ordering_semantics = 0 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!cuda_tile.tile<4xptr<f32>>, !cuda_tile.tile<4xf32>) -> !cuda_tile.token
  %r6_a = "cuda_tile.store_ptr_tko"(%ps, %f, %b, %k) <{memory_ordering_semantics = 3 : i32, memory_scope = 0 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 1>}> : (!cuda_tile.tile<4xptr<f32>>, !cuda_tile.tile<4xf32>, !cuda_tile.tile<4xi1>, !cuda_tile.token) -> !cuda_tile.token
  %r7_a = "cuda_tile.alloca"() <{num_elem = 16 : i64, alignment = 16 : i64}> : () -> !cuda_tile.tile<ptr<f32>>
  %r8_a = "cuda_tile.alloca"() <{num_elem = 0 : i64, alignment = 4 : i64, global}> : () -> !cuda_tile.tile<ptr<f32>>
  %r9_a = "cuda_tile.gdc_launch_dependents_tko"() : () -> !cuda_tile.token
  %r10_a = "cuda_tile.gdc_wait_tko"(%k) : (!cuda_tile.token) -> !cuda_tile.token
  %r11_a = "cuda_tile.memory_fence_alias_tko"(%k) : (!cuda_tile.token) -> !cuda_tile.token
}) : () -> ()
// -----
builtin.module {
  %b = "test.op"() : () -> !cuda_tile.tile<4xi1> loc(#loc)
  %f = "test.op"() : () -> !cuda_tile.tile<4xf32> loc(#loc1)
  %k = "test.op"() : () -> !cuda_tile.token loc(#loc2)
  %ps = "test.op"() : () -> !cuda_tile.tile<4xptr<f32>> loc(#loc3)
  %r0_a = cuda_tile.make_token : token loc(#loc4)
  %r1_a = cuda_tile.join_tokens %k, %k, %k : token loc(#loc5)
  %r2_b_a, %r2 = cuda_tile.load_ptr_tko weak %ps : tile<4xptr<f32>> -> tile<4xf32>, token loc(#loc6)
  %r3_a, %r3_b = cuda_tile.load_ptr_tko relaxed device %ps, %b, %f token=%k optimization_hints = <default = {latency = 3}> : tile<4xptr<f32>>, tile<4xi1>, tile<4xf32> -> tile<4xf32>, token loc(#loc7)
  %r4_a, %r4_b = cuda_tile.load_ptr_tko weak %ps, %b : tile<4xptr<f32>>, tile<4xi1> -> tile<4xf32>, token loc(#loc8)
  %r21_a, %r21_b = cuda_tile.load_ptr_tko weak %ps padding=%f : tile<4xptr<f32>>, tile<4xf32> -> tile<4xf32>, token loc(#loc9)
  %r22_a, %r22_b = cuda_tile.load_ptr_tko weak %ps padding=%f token=%k : tile<4xptr<f32>>, tile<4xf32> -> tile<4xf32>, token loc(#loc10)
  %pb = "test.op"() : () -> !cuda_tile.tile<4xptr<i1>> loc(#loc11)
  %r23_a, %r23_b = cuda_tile.load_ptr_tko weak %pb padding=%b : tile<4xptr<i1>>, tile<4xi1> -> tile<4xi1>, token loc(#loc12)
  %r5_a = cuda_tile.store_ptr_tko weak %ps, %f : tile<4xptr<f32>>, tile<4xf32> -> token loc(#loc13)
  %r6_a = cuda_tile.store_ptr_tko release tl_blk %ps, %f, %b token=%k : tile<4xptr<f32>>, tile<4xf32>, tile<4xi1> -> token loc(#loc14)
  %r7_a = cuda_tile.alloca num_elem = 16, alignment = 16 : tile<ptr<f32>> loc(#loc15)
  %r8_a = cuda_tile.alloca num_elem = 0, alignment = 4 global : tile<ptr<f32>> loc(#loc16)
  %r9_a = cuda_tile.gdc_launch_dependents_tko -> token loc(#loc17)
  %r10_a = cuda_tile.gdc_wait_tko token = %k -> token loc(#loc18)
  %r11_a = cuda_tile.memory_fence_alias_tko %k loc(#loc19)
} loc(#loc20)
#loc = loc(fused["memory.mlir":4:6, "memory.mlir":4:47])
#loc1 = loc(fused["memory.mlir":5:6, "memory.mlir":5:48])
#loc2 = loc(fused["memory.mlir":6:6, "memory.mlir":6:42])
#loc3 = loc(fused["memory.mlir":7:7, "memory.mlir":7:54])
#loc4 = loc(fused["memory.mlir":10:9, "memory.mlir":10:37])
#loc5 = loc(fused["memory.mlir":13:9, "memory.mlir":13:49])
#loc6 = loc(fused["memory.mlir":16:16, "memory.mlir":16:88])
#loc7 = loc(fused["memory.mlir":19:16, "memory.mlir":19:189])
#loc8 = loc(fused["memory.mlir":22:16, "memory.mlir":22:104])
#loc9 = loc(fused["memory.mlir":26:18, "memory.mlir":26:114])
#loc10 = loc(fused["memory.mlir":29:18, "memory.mlir":29:116])
#loc11 = loc(fused["memory.mlir":32:7, "memory.mlir":32:53])
#loc12 = loc(fused["memory.mlir":33:18, "memory.mlir":33:111])
#loc13 = loc(fused["memory.mlir":36:9, "memory.mlir":36:86])
#loc14 = loc(fused["memory.mlir":39:9, "memory.mlir":39:123])
#loc15 = loc(fused["memory.mlir":42:9, "memory.mlir":42:72])
#loc16 = loc(fused["memory.mlir":45:9, "memory.mlir":45:77])
#loc17 = loc(fused["memory.mlir":48:9, "memory.mlir":48:53])
#loc18 = loc(fused["memory.mlir":51:10, "memory.mlir":51:52])
#loc19 = loc(fused["memory.mlir":54:10, "memory.mlir":54:45])
#loc20 = loc(unknown)
// -----
"builtin.module"() ({
  %b = "test.op"() : () -> !cuda_tile.tile<4xi1>
  %f = "test.op"() : () -> !cuda_tile.tile<4xf32>
  %k = "test.op"() : () -> !cuda_tile.token
  %ps = "test.op"() : () -> !cuda_tile.tile<4xptr<f32>>
  %r0_a = "cuda_tile.make_token"() : () -> !cuda_tile.token
  %r1_a = "cuda_tile.join_tokens"(%k, %k, %k) : (!cuda_tile.token, !cuda_tile.token, !cuda_tile.token) -> !cuda_tile.token
  %r2_b_a, %r2 = "cuda_tile.load_ptr_tko"(%ps) <{memory_ordering_semantics = 0 : i32, operandSegmentSizes = array<i32: 1, 0, 0, 0>}> : (!cuda_tile.tile<4xptr<f32>>) -> (!cuda_tile.tile<4xf32>, !cuda_tile.token)
  %r3_a, %r3_b = "cuda_tile.load_ptr_tko"(%ps, %b, %f, %k) <{memory_ordering_semantics = 1 : i32, memory_scope = 1 : i32, optimization_hints = #cuda_tile.optimization_hints<default = {latency = 3}>, operandSegmentSizes = array<i32: 1, 1, 1, 1>}> : (!cuda_tile.tile<4xptr<f32>>, !cuda_tile.tile<4xi1>, !cuda_tile.tile<4xf32>, !cuda_tile.token) -> (!cuda_tile.tile<4xf32>, !cuda_tile.token)
  %r4_a, %r4_b = "cuda_tile.load_ptr_tko"(%ps, %b) <{memory_ordering_semantics = 0 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!cuda_tile.tile<4xptr<f32>>, !cuda_tile.tile<4xi1>) -> (!cuda_tile.tile<4xf32>, !cuda_tile.token)
  %r21_a, %r21_b = "cuda_tile.load_ptr_tko"(%ps, %f) <{memory_ordering_semantics = 0 : i32, operandSegmentSizes = array<i32: 1, 0, 1, 0>}> : (!cuda_tile.tile<4xptr<f32>>, !cuda_tile.tile<4xf32>) -> (!cuda_tile.tile<4xf32>, !cuda_tile.token)
  %r22_a, %r22_b = "cuda_tile.load_ptr_tko"(%ps, %f, %k) <{memory_ordering_semantics = 0 : i32, operandSegmentSizes = array<i32: 1, 0, 1, 1>}> : (!cuda_tile.tile<4xptr<f32>>, !cuda_tile.tile<4xf32>, !cuda_tile.token) -> (!cuda_tile.tile<4xf32>, !cuda_tile.token)
  %pb = "test.op"() : () -> !cuda_tile.tile<4xptr<i1>>
  %r23_a, %r23_b = "cuda_tile.load_ptr_tko"(%pb, %b) <{memory_ordering_semantics = 0 : i32, operandSegmentSizes = array<i32: 1, 0, 1, 0>}> : (!cuda_tile.tile<4xptr<i1>>, !cuda_tile.tile<4xi1>) -> (!cuda_tile.tile<4xi1>, !cuda_tile.token)
  %r5_a = "cuda_tile.store_ptr_tko"(%ps, %f) <{memory_ordering_semantics = 0 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!cuda_tile.tile<4xptr<f32>>, !cuda_tile.tile<4xf32>) -> !cuda_tile.token
  %r6_a = "cuda_tile.store_ptr_tko"(%ps, %f, %b, %k) <{memory_ordering_semantics = 3 : i32, memory_scope = 0 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 1>}> : (!cuda_tile.tile<4xptr<f32>>, !cuda_tile.tile<4xf32>, !cuda_tile.tile<4xi1>, !cuda_tile.token) -> !cuda_tile.token
  %r7_a = "cuda_tile.alloca"() <{num_elem = 16 : i64, alignment = 16 : i64}> : () -> !cuda_tile.tile<ptr<f32>>
  %r8_a = "cuda_tile.alloca"() <{num_elem = 0 : i64, alignment = 4 : i64, global}> : () -> !cuda_tile.tile<ptr<f32>>
  %r9_a = "cuda_tile.gdc_launch_dependents_tko"() : () -> !cuda_tile.token
  %r10_a = "cuda_tile.gdc_wait_tko"(%k) : (!cuda_tile.token) -> !cuda_tile.token
  %r11_a = "cuda_tile.memory_fence_alias_tko"(%k) : (!cuda_tile.token) -> !cuda_tile.token
}) : () -> ()
