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
// -----
builtin.module {
  %f = "test.op"() : () -> !cuda_tile.tile<4xf32> loc(#loc)
  %h = "test.op"() : () -> !cuda_tile.tile<4xf16> loc(#loc1)
  %n = "test.op"() : () -> !cuda_tile.tile<4xi32> loc(#loc2)
  %r0_a = cuda_tile.absf %f : tile<4xf32> loc(#loc3)
  %r1_a = cuda_tile.ceil %f : tile<4xf32> loc(#loc4)
  %r2_a = cuda_tile.cos %f : tile<4xf32> loc(#loc5)
  %r3_a = cuda_tile.cosh %f : tile<4xf32> loc(#loc6)
  %r4_a = cuda_tile.exp %f : tile<4xf32> loc(#loc7)
  %r5_a = cuda_tile.exp2 %f : tile<4xf32> loc(#loc8)
  %r6_a = cuda_tile.floor %f : tile<4xf32> loc(#loc9)
  %r7_a = cuda_tile.log %f : tile<4xf32> loc(#loc10)
  %r8_a = cuda_tile.log2 %f : tile<4xf32> loc(#loc11)
  %r9_a = cuda_tile.negf %f : tile<4xf32> loc(#loc12)
  %r10_a = cuda_tile.rsqrt %f : tile<4xf32> loc(#loc13)
  %r11_a = cuda_tile.sin %f : tile<4xf32> loc(#loc14)
  %r12_a = cuda_tile.sinh %f : tile<4xf32> loc(#loc15)
  %r13_a = cuda_tile.sqrt %f : tile<4xf32> loc(#loc16)
  %r14_a = cuda_tile.tan %f : tile<4xf32> loc(#loc17)
  %r15_a = cuda_tile.tanh %f : tile<4xf32> loc(#loc18)
  %r16_a = cuda_tile.exp %f rounding<approx> : tile<4xf32> loc(#loc19)
  %r17_a = cuda_tile.tanh %f rounding<approx> : tile<4xf32> loc(#loc20)
  %r18_a = cuda_tile.exp2 %f flush_to_zero : tile<4xf32> loc(#loc21)
  %r19_a = cuda_tile.rsqrt %f flush_to_zero : tile<4xf32> loc(#loc22)
  %r20_a = cuda_tile.sqrt %f rounding<approx> flush_to_zero : tile<4xf32> loc(#loc23)
  %r21_a = cuda_tile.addf %f, %f : tile<4xf32> loc(#loc24)
  %r22_a = cuda_tile.subf %f, %f : tile<4xf32> loc(#loc25)
  %r23_a = cuda_tile.mulf %f, %f : tile<4xf32> loc(#loc26)
  %r24_a = cuda_tile.divf %f, %f : tile<4xf32> loc(#loc27)
  %r25_a = cuda_tile.maxf %f, %f : tile<4xf32> loc(#loc28)
  %r26_a = cuda_tile.minf %f, %f : tile<4xf32> loc(#loc29)
  %r27_a = cuda_tile.remf %f, %f : tile<4xf32> loc(#loc30)
  %r28_a = cuda_tile.fpowf %f, %f : tile<4xf32> loc(#loc31)
  %r29_a = cuda_tile.atan2 %f, %f : tile<4xf32> loc(#loc32)
  %r30_a = cuda_tile.addf %f, %f rounding<zero> flush_to_zero : tile<4xf32> loc(#loc33)
  %r31_a = cuda_tile.subf %h, %h rounding<negative_inf> : tile<4xf16> loc(#loc34)
  %r32_a = cuda_tile.mulf %f, %f rounding<positive_inf> : tile<4xf32> loc(#loc35)
  %r33_a = cuda_tile.divf %f, %f rounding<full> flush_to_zero : tile<4xf32> loc(#loc36)
  %r34_a = cuda_tile.maxf %f, %f flush_to_zero propagate_nan : tile<4xf32> loc(#loc37)
  %r35_a = cuda_tile.minf %h, %h propagate_nan : tile<4xf16> loc(#loc38)
  %r36_a = cuda_tile.fma %f, %f, %f : tile<4xf32> loc(#loc39)
  %r37_a = cuda_tile.fma %f, %f, %f rounding<zero> flush_to_zero : tile<4xf32> loc(#loc40)
  %r38_a = cuda_tile.fpowi %f, %n : tile<4xf32>, tile<4xi32> loc(#loc41)
  %r39_a = cuda_tile.cmpf equal ordered %f, %f : tile<4xf32> -> tile<4xi1> loc(#loc42)
  %r40_a = cuda_tile.cmpf not_equal unordered %f, %f : tile<4xf32> -> tile<4xi1> loc(#loc43)
  %r41_a = cuda_tile.cmpf less_than ordered %f, %f : tile<4xf32> -> tile<4xi1> loc(#loc44)
  %r42_a = cuda_tile.cmpf less_than_or_equal unordered %f, %f : tile<4xf32> -> tile<4xi1> loc(#loc45)
  %r43_a = cuda_tile.cmpf greater_than ordered %f, %f : tile<4xf32> -> tile<4xi1> loc(#loc46)
  %r44_a = cuda_tile.cmpf greater_than_or_equal unordered %f, %f : tile<4xf32> -> tile<4xi1> loc(#loc47)
} loc(#loc48)
#loc = loc(fused["arith_float.mlir":4:6, "arith_float.mlir":4:48])
#loc1 = loc(fused["arith_float.mlir":5:6, "arith_float.mlir":5:48])
#loc2 = loc(fused["arith_float.mlir":6:6, "arith_float.mlir":6:48])
#loc3 = loc(fused["arith_float.mlir":9:9, "arith_float.mlir":9:40])
#loc4 = loc(fused["arith_float.mlir":12:9, "arith_float.mlir":12:40])
#loc5 = loc(fused["arith_float.mlir":15:9, "arith_float.mlir":15:39])
#loc6 = loc(fused["arith_float.mlir":18:9, "arith_float.mlir":18:40])
#loc7 = loc(fused["arith_float.mlir":21:9, "arith_float.mlir":21:39])
#loc8 = loc(fused["arith_float.mlir":24:9, "arith_float.mlir":24:40])
#loc9 = loc(fused["arith_float.mlir":27:9, "arith_float.mlir":27:41])
#loc10 = loc(fused["arith_float.mlir":30:9, "arith_float.mlir":30:39])
#loc11 = loc(fused["arith_float.mlir":33:9, "arith_float.mlir":33:40])
#loc12 = loc(fused["arith_float.mlir":36:9, "arith_float.mlir":36:40])
#loc13 = loc(fused["arith_float.mlir":39:10, "arith_float.mlir":39:42])
#loc14 = loc(fused["arith_float.mlir":42:10, "arith_float.mlir":42:40])
#loc15 = loc(fused["arith_float.mlir":45:10, "arith_float.mlir":45:41])
#loc16 = loc(fused["arith_float.mlir":48:10, "arith_float.mlir":48:41])
#loc17 = loc(fused["arith_float.mlir":51:10, "arith_float.mlir":51:40])
#loc18 = loc(fused["arith_float.mlir":54:10, "arith_float.mlir":54:41])
#loc19 = loc(fused["arith_float.mlir":57:10, "arith_float.mlir":57:57])
#loc20 = loc(fused["arith_float.mlir":60:10, "arith_float.mlir":60:58])
#loc21 = loc(fused["arith_float.mlir":63:10, "arith_float.mlir":63:55])
#loc22 = loc(fused["arith_float.mlir":66:10, "arith_float.mlir":66:56])
#loc23 = loc(fused["arith_float.mlir":69:10, "arith_float.mlir":69:72])
#loc24 = loc(fused["arith_float.mlir":72:10, "arith_float.mlir":72:45])
#loc25 = loc(fused["arith_float.mlir":75:10, "arith_float.mlir":75:45])
#loc26 = loc(fused["arith_float.mlir":78:10, "arith_float.mlir":78:45])
#loc27 = loc(fused["arith_float.mlir":81:10, "arith_float.mlir":81:45])
#loc28 = loc(fused["arith_float.mlir":84:10, "arith_float.mlir":84:45])
#loc29 = loc(fused["arith_float.mlir":87:10, "arith_float.mlir":87:45])
#loc30 = loc(fused["arith_float.mlir":90:10, "arith_float.mlir":90:45])
#loc31 = loc(fused["arith_float.mlir":93:10, "arith_float.mlir":93:46])
#loc32 = loc(fused["arith_float.mlir":96:10, "arith_float.mlir":96:46])
#loc33 = loc(fused["arith_float.mlir":99:10, "arith_float.mlir":99:74])
#loc34 = loc(fused["arith_float.mlir":102:10, "arith_float.mlir":102:68])
#loc35 = loc(fused["arith_float.mlir":105:10, "arith_float.mlir":105:68])
#loc36 = loc(fused["arith_float.mlir":108:10, "arith_float.mlir":108:74])
#loc37 = loc(fused["arith_float.mlir":111:10, "arith_float.mlir":111:73])
#loc38 = loc(fused["arith_float.mlir":114:10, "arith_float.mlir":114:59])
#loc39 = loc(fused["arith_float.mlir":117:10, "arith_float.mlir":117:48])
#loc40 = loc(fused["arith_float.mlir":120:10, "arith_float.mlir":120:77])
#loc41 = loc(fused["arith_float.mlir":123:10, "arith_float.mlir":123:59])
#loc42 = loc(fused["arith_float.mlir":126:10, "arith_float.mlir":126:73])
#loc43 = loc(fused["arith_float.mlir":129:10, "arith_float.mlir":129:79])
#loc44 = loc(fused["arith_float.mlir":132:10, "arith_float.mlir":132:77])
#loc45 = loc(fused["arith_float.mlir":135:10, "arith_float.mlir":135:88])
#loc46 = loc(fused["arith_float.mlir":138:10, "arith_float.mlir":138:80])
#loc47 = loc(fused["arith_float.mlir":141:10, "arith_float.mlir":141:91])
#loc48 = loc(unknown)
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
  %r28_a = "cuda_tile.pow"(%f, %f) : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
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
