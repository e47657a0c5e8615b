builtin.module {
  %b = "test.op"() : () -> !cuda_tile.tile<4xi1>
  %f = "test.op"() : () -> !cuda_tile.tile<4xf32>
  %h = "test.op"() : () -> !cuda_tile.tile<4xf16>
  %l = "test.op"() : () -> !cuda_tile.tile<4xi64>
  %n = "test.op"() : () -> !cuda_tile.tile<4xi32>
  %ps = "test.op"() : () -> !cuda_tile.tile<4xptr<f32>>
  %r0_a = cuda_tile.bitcast %f : tile<4xf32> -> tile<4xi32>
  %r1_a = cuda_tile.exti %n signed : tile<4xi32> -> tile<4xi64>
  %r2_a = cuda_tile.exti %b unsigned : tile<4xi1> -> tile<4xi4>
  %r3_a = cuda_tile.trunci %n : tile<4xi32> -> tile<4xi8>
  %r4_a = cuda_tile.trunci %n overflow<no_wrap> : tile<4xi32> -> tile<4xi4>
  %r5_a = cuda_tile.ftof %f : tile<4xf32> -> tile<4xbf16>
  %r6_a = cuda_tile.ftof %f rounding<nearest_away> : tile<4xf32> -> tile<4xtf32>
  %r7_a = cuda_tile.ftof %f rounding<positive_inf> : tile<4xf32> -> tile<4xf8E8M0FNU>
  %r8_a = cuda_tile.ftof %h : tile<4xf16> -> tile<4xfnv8E5M3FNU>
  %r9_a = cuda_tile.ftoi %f unsigned : tile<4xf32> -> tile<4xi32>
  %r10_a = cuda_tile.ftoi %f signed saturating : tile<4xf32> -> tile<4xi8>
  %r11_a = cuda_tile.itof %n signed : tile<4xi32> -> tile<4xf64>
  %r12_a = cuda_tile.int_to_ptr %l : tile<4xi64> -> tile<4xptr<f32>>
  %r13_a = cuda_tile.ptr_to_int %ps : tile<4xptr<f32>> -> tile<4xi64>
  %r14_a = cuda_tile.ptr_to_ptr %ps : tile<4xptr<f32>> -> tile<4xptr<i8>>
}
// -----
"builtin.module"() ({
  %b = "test.op"() : () -> !cuda_tile.tile<4xi1>
  %f = "test.op"() : () -> !cuda_tile.tile<4xf32>
  %h = "test.op"() : () -> !cuda_tile.tile<4xf16>
  %l = "test.op"() : () -> !cuda_tile.tile<4xi64>
  %n = "test.op"() : () -> !cuda_tile.tile<4xi32>
  %ps = "test.op"() : () -> !cuda_tile.tile<4xptr<f32>>
  %r0_a = "cuda_tile.bitcast"(%f) : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xi32>
  %r1_a = "cuda_tile.exti"(%n) <{signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi64>
  %r2_a = "cuda_tile.exti"(%b) <{signedness = #cuda_tile.signedness<unsigned>}> : (!cuda_tile.tile<4xi1>) -> !cuda_tile.tile<4xi4>
  %r3_a = "cuda_tile.trunci"(%n) <{overflow = #cuda_tile.overflow<none>}> : (!cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi8>
  %r4_a = "cuda_tile.trunci"(%n) <{overflow = #cuda_tile.overflow<no_wrap>}> : (!cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi4>
  %r5_a = "cuda_tile.ftof"(%f) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xbf16>
  %r6_a = "cuda_tile.ftof"(%f) <{rounding_mode = #cuda_tile.rounding<nearest_away>}> : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xtf32>
  %r7_a = "cuda_tile.ftof"(%f) <{rounding_mode = #cuda_tile.rounding<positive_inf>}> : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf8E8M0FNU>
  %r8_a = "cuda_tile.ftof"(%h) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<4xf16>) -> !cuda_tile.tile<4xfnv8E5M3FNU>
  %r9_a = "cuda_tile.ftoi"(%f) <{signedness = #cuda_tile.signedness<unsigned>, rounding_mode = #cuda_tile.rounding<nearest_int_to_zero>}> : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xi32>
  %r10_a = "cuda_tile.ftoi"(%f) <{signedness = #cuda_tile.signedness<signed>, saturating, rounding_mode = #cuda_tile.rounding<nearest_int_to_zero>}> : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xi8>
  %r11_a = "cuda_tile.itof"(%n) <{signedness = #cuda_tile.signedness<signed>, rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xf64>
  %r12_a = "cuda_tile.int_to_ptr"(%l) : (!cuda_tile.tile<4xi64>) -> !cuda_tile.tile<4xptr<f32>>
  %r13_a = "cuda_tile.ptr_to_int"(%ps) : (!cuda_tile.tile<4xptr<f32>>) -> !cuda_tile.tile<4xi64>
  %r14_a = "cuda_tile.ptr_to_ptr"(%ps) : (!cuda_tile.tile<4xptr<f32>>) -> !cuda_tile.tile<4xptr<i8>>
}) : () -> ()
// -----
builtin.module {
  %b = "test.op"() : () -> !cuda_tile.tile<4xi1> loc(#loc)
  %f = "test.op"() : () -> !cuda_tile.tile<4xf32> loc(#loc1)
  %h = "test.op"() : () -> !cuda_tile.tile<4xf16> loc(#loc2)
  %l = "test.op"() : () -> !cuda_tile.tile<4xi64> loc(#loc3)
  %n = "test.op"() : () -> !cuda_tile.tile<4xi32> loc(#loc4)
  %ps = "test.op"() : () -> !cuda_tile.tile<4xptr<f32>> loc(#loc5)
  %r0_a = cuda_tile.bitcast %f : tile<4xf32> -> tile<4xi32> loc(#loc6)
  %r1_a = cuda_tile.exti %n signed : tile<4xi32> -> tile<4xi64> loc(#loc7)
  %r2_a = cuda_tile.exti %b unsigned : tile<4xi1> -> tile<4xi4> loc(#loc8)
  %r3_a = cuda_tile.trunci %n : tile<4xi32> -> tile<4xi8> loc(#loc9)
  %r4_a = cuda_tile.trunci %n overflow<no_wrap> : tile<4xi32> -> tile<4xi4> loc(#loc10)
  %r5_a = cuda_tile.ftof %f : tile<4xf32> -> tile<4xbf16> loc(#loc11)
  %r6_a = cuda_tile.ftof %f rounding<nearest_away> : tile<4xf32> -> tile<4xtf32> loc(#loc12)
  %r7_a = cuda_tile.ftof %f rounding<positive_inf> : tile<4xf32> -> tile<4xf8E8M0FNU> loc(#loc13)
  %r8_a = cuda_tile.ftof %h : tile<4xf16> -> tile<4xfnv8E5M3FNU> loc(#loc14)
  %r9_a = cuda_tile.ftoi %f unsigned : tile<4xf32> -> tile<4xi32> loc(#loc15)
  %r10_a = cuda_tile.ftoi %f signed saturating : tile<4xf32> -> tile<4xi8> loc(#loc16)
  %r11_a = cuda_tile.itof %n signed : tile<4xi32> -> tile<4xf64> loc(#loc17)
  %r12_a = cuda_tile.int_to_ptr %l : tile<4xi64> -> tile<4xptr<f32>> loc(#loc18)
  %r13_a = cuda_tile.ptr_to_int %ps : tile<4xptr<f32>> -> tile<4xi64> loc(#loc19)
  %r14_a = cuda_tile.ptr_to_ptr %ps : tile<4xptr<f32>> -> tile<4xptr<i8>> loc(#loc20)
} loc(#loc21)
#loc = loc(fused["conversion.mlir":4:6, "conversion.mlir":4:47])
#loc1 = loc(fused["conversion.mlir":5:6, "conversion.mlir":5:48])
#loc2 = loc(fused["conversion.mlir":6:6, "conversion.mlir":6:48])
#loc3 = loc(fused["conversion.mlir":7:6, "conversion.mlir":7:48])
#loc4 = loc(fused["conversion.mlir":8:6, "conversion.mlir":8:48])
#loc5 = loc(fused["conversion.mlir":9:7, "conversion.mlir":9:54])
#loc6 = loc(fused["conversion.mlir":12:9, "conversion.mlir":12:58])
#loc7 = loc(fused["conversion.mlir":15:9, "conversion.mlir":15:62])
#loc8 = loc(fused["conversion.mlir":18:9, "conversion.mlir":18:62])
#loc9 = loc(fused["conversion.mlir":21:9, "conversion.mlir":21:56])
#loc10 = loc(fused["conversion.mlir":24:9, "conversion.mlir":24:74])
#loc11 = loc(fused["conversion.mlir":27:9, "conversion.mlir":27:56])
#loc12 = loc(fused["conversion.mlir":30:9, "conversion.mlir":30:79])
#loc13 = loc(fused["conversion.mlir":33:9, "conversion.mlir":33:84])
#loc14 = loc(fused["conversion.mlir":36:9, "conversion.mlir":36:63])
#loc15 = loc(fused["conversion.mlir":39:9, "conversion.mlir":39:64])
#loc16 = loc(fused["conversion.mlir":42:10, "conversion.mlir":42:73])
#loc17 = loc(fused["conversion.mlir":45:10, "conversion.mlir":45:63])
#loc18 = loc(fused["conversion.mlir":48:10, "conversion.mlir":48:67])
#loc19 = loc(fused["conversion.mlir":51:10, "conversion.mlir":51:68])
#loc20 = loc(fused["conversion.mlir":54:10, "conversion.mlir":54:72])
#loc21 = loc(unknown)
// -----
"builtin.module"() ({
  %b = "test.op"() : () -> !cuda_tile.tile<4xi1>
  %f = "test.op"() : () -> !cuda_tile.tile<4xf32>
  %h = "test.op"() : () -> !cuda_tile.tile<4xf16>
  %l = "test.op"() : () -> !cuda_tile.tile<4xi64>
  %n = "test.op"() : () -> !cuda_tile.tile<4xi32>
  %ps = "test.op"() : () -> !cuda_tile.tile<4xptr<f32>>
  %r0_a = "cuda_tile.bitcast"(%f) : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xi32>
  %r1_a = "cuda_tile.exti"(%n) <{signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi64>
  %r2_a = "cuda_tile.exti"(%b) <{signedness = #cuda_tile.signedness<unsigned>}> : (!cuda_tile.tile<4xi1>) -> !cuda_tile.tile<4xi4>
  %r3_a = "cuda_tile.trunci"(%n) <{overflow = #cuda_tile.overflow<none>}> : (!cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi8>
  %r4_a = "cuda_tile.trunci"(%n) <{overflow = #cuda_tile.overflow<no_wrap>}> : (!cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi4>
  %r5_a = "cuda_tile.ftof"(%f) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xbf16>
  %r6_a = "cuda_tile.ftof"(%f) <{rounding_mode = #cuda_tile.rounding<nearest_away>}> : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xtf32>
  %r7_a = "cuda_tile.ftof"(%f) <{rounding_mode = #cuda_tile.rounding<positive_inf>}> : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf8E8M0FNU>
  %r8_a = "cuda_tile.ftof"(%h) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<4xf16>) -> !cuda_tile.tile<4xfnv8E5M3FNU>
  %r9_a = "cuda_tile.ftoi"(%f) <{signedness = #cuda_tile.signedness<unsigned>, rounding_mode = #cuda_tile.rounding<nearest_int_to_zero>}> : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xi32>
  %r10_a = "cuda_tile.ftoi"(%f) <{signedness = #cuda_tile.signedness<signed>, saturating, rounding_mode = #cuda_tile.rounding<nearest_int_to_zero>}> : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xi8>
  %r11_a = "cuda_tile.itof"(%n) <{signedness = #cuda_tile.signedness<signed>, rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xf64>
  %r12_a = "cuda_tile.int_to_ptr"(%l) : (!cuda_tile.tile<4xi64>) -> !cuda_tile.tile<4xptr<f32>>
  %r13_a = "cuda_tile.ptr_to_int"(%ps) : (!cuda_tile.tile<4xptr<f32>>) -> !cuda_tile.tile<4xi64>
  %r14_a = "cuda_tile.ptr_to_ptr"(%ps) : (!cuda_tile.tile<4xptr<f32>>) -> !cuda_tile.tile<4xptr<i8>>
}) : () -> ()
