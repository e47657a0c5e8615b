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
