builtin.module {
  %f = "test.op"() : () -> !cuda_tile.tile<4xf32>
  %h = "test.op"() : () -> !cuda_tile.tile<4xf16>
  %n = "test.op"() : () -> !cuda_tile.tile<4xi32>
  %r0_a = cuda_tile.absf %f : tile<4xf32>
  %r1_a = cuda_tile.ceil %f : tile<4xf32>
  %r2_a = cuda_tile.cos %f : tile<4xf32>
  %r3_a = cuda_tile.cosh %f : tile<4xf32>
  %r4_a = cuda_tile.exp %f : tile<4xf32>
  %r5_a = cuda_tile.exp2 %f : tile<4xf32>
  %r6_a = cuda_tile.floor %f : tile<4xf32>
  %r7_a = cuda_tile.log %f : tile<4xf32>
  %r8_a = cuda_tile.log2 %f : tile<4xf32>
  %r9_a = cuda_tile.negf %f : tile<4xf32>
  %r10_a = cuda_tile.rsqrt %f : tile<4xf32>
  %r11_a = cuda_tile.sin %f : tile<4xf32>
  %r12_a = cuda_tile.sinh %f : tile<4xf32>
  %r13_a = cuda_tile.sqrt %f : tile<4xf32>
  %r14_a = cuda_tile.tan %f : tile<4xf32>
  %r15_a = cuda_tile.tanh %f : tile<4xf32>
  %r16_a = cuda_tile.exp %f rounding<approx> : tile<4xf32>
  %r17_a = cuda_tile.tanh %f rounding<approx> : tile<4xf32>
  %r18_a = cuda_tile.exp2 %f flush_to_zero : tile<4xf32>
  %r19_a = cuda_tile.rsqrt %f flush_to_zero : tile<4xf32>
  %r20_a = cuda_tile.sqrt %f rounding<approx> flush_to_zero : tile<4xf32>
  %r21_a = cuda_tile.addf %f, %f : tile<4xf32>
  %r22_a = cuda_tile.subf %f, %f : tile<4xf32>
  %r23_a = cuda_tile.mulf %f, %f : tile<4xf32>
  %r24_a = cuda_tile.divf %f, %f : tile<4xf32>
  %r25_a = cuda_tile.maxf %f, %f : tile<4xf32>
  %r26_a = cuda_tile.minf %f, %f : tile<4xf32>
  %r27_a = cuda_tile.remf %f, %f : tile<4xf32>
  %r28_a = cuda_tile.fpowf %f, %f : tile<4xf32>
  %r29_a = cuda_tile.atan2 %f, %f : tile<4xf32>
  %r30_a = cuda_tile.addf %f, %f rounding<zero> flush_to_zero : tile<4xf32>
  %r31_a = cuda_tile.subf %h, %h rounding<negative_inf> : tile<4xf16>
  %r32_a = cuda_tile.mulf %f, %f rounding<positive_inf> : tile<4xf32>
  %r33_a = cuda_tile.divf %f, %f rounding<full> flush_to_zero : tile<4xf32>
  %r34_a = cuda_tile.maxf %f, %f flush_to_zero propagate_nan : tile<4xf32>
  %r35_a = cuda_tile.minf %h, %h propagate_nan : tile<4xf16>
  %r36_a = cuda_tile.fma %f, %f, %f : tile<4xf32>
  %r37_a = cuda_tile.fma %f, %f, %f rounding<zero> flush_to_zero : tile<4xf32>
  %r38_a = cuda_tile.fpowi %f, %n : tile<4xf32>, tile<4xi32>
  %r39_a = cuda_tile.cmpf equal ordered %f, %f : tile<4xf32> -> tile<4xi1>
  %r40_a = cuda_tile.cmpf not_equal unordered %f, %f : tile<4xf32> -> tile<4xi1>
  %r41_a = cuda_tile.cmpf less_than ordered %f, %f : tile<4xf32> -> tile<4xi1>
  %r42_a = cuda_tile.cmpf less_than_or_equal unordered %f, %f : tile<4xf32> -> tile<4xi1>
  %r43_a = cuda_tile.cmpf greater_than ordered %f, %f : tile<4xf32> -> tile<4xi1>
  %r44_a = cuda_tile.cmpf greater_than_or_equal unordered %f, %f : tile<4xf32> -> tile<4xi1>
}
// -----
"builtin.module"() ({
  %f = "test.op"() : () -> !cuda_tile.tile<4xf32>
  %h = "test.op"() : () -> !cuda_tile.tile<4xf16>
  %n = "test.op"() : () -> !cuda_tile.tile<4xi32>
  %r0_a = "cuda_tile.absf"(%f) : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
  %r1_a = "cuda_tile.ceil"(%f) : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
  %r2_a = "cuda_tile.cos"(%f) : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
  %r3_a = "cuda_tile.cosh"(%f) : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
  %r4_a = "cuda_tile.exp"(%f) : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
  %r5_a = "cuda_tile.exp2"(%f) : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
  %r6_a = "cuda_tile.floor"(%f) : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
  %r7_a = "cuda_tile.log"(%f) : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
  %r8_a = "cuda_tile.log2"(%f) : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
  %r9_a = "cuda_tile.negf"(%f) : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
  %r10_a = "cuda_tile.rsqrt"(%f) : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
  %r11_a = "cuda_tile.sin"(%f) : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
  %r12_a = "cuda_tile.sinh"(%f) : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
  %r13_a = "cuda_tile.sqrt"(%f) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
  %r14_a = "cuda_tile.tan"(%f) : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
  %r15_a = "cuda_tile.tanh"(%f) : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
  %r16_a = "cuda_tile.exp"(%f) <{rounding_mode = #cuda_tile.rounding<approx>}> : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
  %r17_a = "cuda_tile.tanh"(%f) <{rounding_mode = #cuda_tile.rounding<approx>}> : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
  %r18_a = "cuda_tile.exp2"(%f) <{flush_to_zero}> : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
  %r19_a = "cuda_tile.rsqrt"(%f) <{flush_to_zero}> : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
  %r20_a = "cuda_tile.sqrt"(%f) <{rounding_mode = #cuda_tile.rounding<approx>, flush_to_zero}> : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
  %r21_a = "cuda_tile.addf"(%f, %f) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
  %r22_a = "cuda_tile.subf"(%f, %f) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
  %r23_a = "cuda_tile.mulf"(%f, %f) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
  %r24_a = "cuda_tile.divf"(%f, %f) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
  %r25_a = "cuda_tile.maxf"(%f, %f) : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
  %r26_a = "cuda_tile.minf"(%f, %f) : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
  %r27_a = "cuda_tile.remf"(%f, %f) : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
  %r28_a = "cuda_tile.fpowf"(%f, %f) : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
  %r29_a = "cuda_tile.atan2"(%f, %f) : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
  %r30_a = "cuda_tile.addf"(%f, %f) <{rounding_mode = #cuda_tile.rounding<zero>, flush_to_zero}> : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
  %r31_a = "cuda_tile.subf"(%h, %h) <{rounding_mode = #cuda_tile.rounding<negative_inf>}> : (!cuda_tile.tile<4xf16>, !cuda_tile.tile<4xf16>) -> !cuda_tile.tile<4xf16>
  %r32_a = "cuda_tile.mulf"(%f, %f) <{rounding_mode = #cuda_tile.rounding<positive_inf>}> : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
  %r33_a = "cuda_tile.divf"(%f, %f) <{rounding_mode = #cuda_tile.rounding<full>, flush_to_zero}> : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
  %r34_a = "cuda_tile.maxf"(%f, %f) <{flush_to_zero, propagate_nan}> : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
  %r35_a = "cuda_tile.minf"(%h, %h) <{propagate_nan}> : (!cuda_tile.tile<4xf16>, !cuda_tile.tile<4xf16>) -> !cuda_tile.tile<4xf16>
  %r36_a = "cuda_tile.fma"(%f, %f, %f) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
  %r37_a = "cuda_tile.fma"(%f, %f, %f) <{rounding_mode = #cuda_tile.rounding<zero>, flush_to_zero}> : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
  %r38_a = "cuda_tile.fpowi"(%f, %n) : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xf32>
  %r39_a = "cuda_tile.cmpf"(%f, %f) <{comparison_predicate = #cuda_tile.comparison_predicate<equal>, comparison_ordering = #cuda_tile.comparison_ordering<ordered>}> : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xi1>
  %r40_a = "cuda_tile.cmpf"(%f, %f) <{comparison_predicate = #cuda_tile.comparison_predicate<not_equal>, comparison_ordering = #cuda_tile.comparison_ordering<unordered>}> : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xi1>
  %r41_a = "cuda_tile.cmpf"(%f, %f) <{comparison_predicate = #cuda_tile.comparison_predicate<less_than>, comparison_ordering = #cuda_tile.comparison_ordering<ordered>}> : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xi1>
  %r42_a = "cuda_tile.cmpf"(%f, %f) <{comparison_predicate = #cuda_tile.comparison_predicate<less_than_or_equal>, comparison_ordering = #cuda_tile.comparison_ordering<unordered>}> : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xi1>
  %r43_a = "cuda_tile.cmpf"(%f, %f) <{comparison_predicate = #cuda_tile.comparison_predicate<greater_than>, comparison_ordering = #cuda_tile.comparison_ordering<ordered>}> : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xi1>
  %r44_a = "cuda_tile.cmpf"(%f, %f) <{comparison_predicate = #cuda_tile.comparison_predicate<greater_than_or_equal>, comparison_ordering = #cuda_tile.comparison_ordering<unordered>}> : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xi1>
}) : () -> ()
