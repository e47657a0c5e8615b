builtin.module {
  %n = "test.op"() : () -> !cuda_tile.tile<4xi32>
  %r0_a = cuda_tile.addi %n, %n : tile<4xi32>
  %r1_a = cuda_tile.subi %n, %n : tile<4xi32>
  %r2_a = cuda_tile.muli %n, %n : tile<4xi32>
  %r3_a = cuda_tile.shli %n, %n : tile<4xi32>
  %r4_a = cuda_tile.andi %n, %n : tile<4xi32>
  %r5_a = cuda_tile.ori %n, %n : tile<4xi32>
  %r6_a = cuda_tile.xori %n, %n : tile<4xi32>
  %r7_a = cuda_tile.mulhii %n, %n : tile<4xi32>
  %r8_a = cuda_tile.addi %n, %n overflow<no_signed_wrap> : tile<4xi32>
  %r9_a = cuda_tile.addi %n, %n overflow<no_unsigned_wrap> : tile<4xi32>
  %r10_a = cuda_tile.addi %n, %n overflow<no_wrap> : tile<4xi32>
  %r11_a = cuda_tile.maxi %n, %n signed : tile<4xi32>
  %r12_a = cuda_tile.maxi %n, %n unsigned : tile<4xi32>
  %r13_a = cuda_tile.mini %n, %n signed : tile<4xi32>
  %r14_a = cuda_tile.mini %n, %n unsigned : tile<4xi32>
  %r15_a = cuda_tile.shri %n, %n signed : tile<4xi32>
  %r16_a = cuda_tile.shri %n, %n unsigned : tile<4xi32>
  %r17_a = cuda_tile.remi %n, %n signed : tile<4xi32>
  %r18_a = cuda_tile.remi %n, %n unsigned : tile<4xi32>
  %r19_a = cuda_tile.divi %n, %n signed : tile<4xi32>
  %r20_a = cuda_tile.divi %n, %n unsigned : tile<4xi32>
  %r21_a = cuda_tile.divi %n, %n signed rounding<negative_inf> : tile<4xi32>
  %r22_a = cuda_tile.divi %n, %n unsigned rounding<positive_inf> : tile<4xi32>
  %r23_a = cuda_tile.absi %n : tile<4xi32>
  %r24_a = cuda_tile.negi %n : tile<4xi32>
  %r25_a = cuda_tile.negi %n overflow<no_signed_wrap> : tile<4xi32>
  %r26_a = cuda_tile.cmpi less_than %n, %n, signed : tile<4xi32> -> tile<4xi1>
  %r27_a = cuda_tile.cmpi equal %n, %n, unsigned : tile<4xi32> -> tile<4xi1>
}
// -----
"builtin.module"() ({
  %n = "test.op"() : () -> !cuda_tile.tile<4xi32>
  %r0_a = "cuda_tile.addi"(%n, %n) <{overflow = #cuda_tile.overflow<none>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r1_a = "cuda_tile.subi"(%n, %n) <{overflow = #cuda_tile.overflow<none>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r2_a = "cuda_tile.muli"(%n, %n) <{overflow = #cuda_tile.overflow<none>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r3_a = "cuda_tile.shli"(%n, %n) <{overflow = #cuda_tile.overflow<none>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r4_a = "cuda_tile.andi"(%n, %n) : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r5_a = "cuda_tile.ori"(%n, %n) : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r6_a = "cuda_tile.xori"(%n, %n) : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r7_a = "cuda_tile.mulhii"(%n, %n) : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r8_a = "cuda_tile.addi"(%n, %n) <{overflow = #cuda_tile.overflow<no_signed_wrap>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r9_a = "cuda_tile.addi"(%n, %n) <{overflow = #cuda_tile.overflow<no_unsigned_wrap>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r10_a = "cuda_tile.addi"(%n, %n) <{overflow = #cuda_tile.overflow<no_wrap>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r11_a = "cuda_tile.maxi"(%n, %n) <{signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r12_a = "cuda_tile.maxi"(%n, %n) <{signedness = #cuda_tile.signedness<unsigned>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r13_a = "cuda_tile.mini"(%n, %n) <{signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r14_a = "cuda_tile.mini"(%n, %n) <{signedness = #cuda_tile.signedness<unsigned>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r15_a = "cuda_tile.shri"(%n, %n) <{signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r16_a = "cuda_tile.shri"(%n, %n) <{signedness = #cuda_tile.signedness<unsigned>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r17_a = "cuda_tile.remi"(%n, %n) <{signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r18_a = "cuda_tile.remi"(%n, %n) <{signedness = #cuda_tile.signedness<unsigned>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r19_a = "cuda_tile.divi"(%n, %n) <{signedness = #cuda_tile.signedness<signed>, rounding = #cuda_tile.rounding<zero>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r20_a = "cuda_tile.divi"(%n, %n) <{signedness = #cuda_tile.signedness<unsigned>, rounding = #cuda_tile.rounding<zero>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r21_a = "cuda_tile.divi"(%n, %n) <{signedness = #cuda_tile.signedness<signed>, rounding = #cuda_tile.rounding<negative_inf>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r22_a = "cuda_tile.divi"(%n, %n) <{signedness = #cuda_tile.signedness<unsigned>, rounding = #cuda_tile.rounding<positive_inf>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r23_a = "cuda_tile.absi"(%n) : (!cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r24_a = "cuda_tile.negi"(%n) : (!cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r25_a = "cuda_tile.negi"(%n) <{overflow = #cuda_tile.overflow<no_signed_wrap>}> : (!cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r26_a = "cuda_tile.cmpi"(%n, %n) <{comparison_predicate = #cuda_tile.comparison_predicate<less_than>, signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi1>
  %r27_a = "cuda_tile.cmpi"(%n, %n) <{comparison_predicate = #cuda_tile.comparison_predicate<equal>, signedness = #cuda_tile.signedness<unsigned>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi1>
}) : () -> ()
// -----
builtin.module {
  %n = "test.op"() : () -> !cuda_tile.tile<4xi32> loc(#loc)
  %r0_a = cuda_tile.addi %n, %n : tile<4xi32> loc(#loc1)
  %r1_a = cuda_tile.subi %n, %n : tile<4xi32> loc(#loc2)
  %r2_a = cuda_tile.muli %n, %n : tile<4xi32> loc(#loc3)
  %r3_a = cuda_tile.shli %n, %n : tile<4xi32> loc(#loc4)
  %r4_a = cuda_tile.andi %n, %n : tile<4xi32> loc(#loc5)
  %r5_a = cuda_tile.ori %n, %n : tile<4xi32> loc(#loc6)
  %r6_a = cuda_tile.xori %n, %n : tile<4xi32> loc(#loc7)
  %r7_a = cuda_tile.mulhii %n, %n : tile<4xi32> loc(#loc8)
  %r8_a = cuda_tile.addi %n, %n overflow<no_signed_wrap> : tile<4xi32> loc(#loc9)
  %r9_a = cuda_tile.addi %n, %n overflow<no_unsigned_wrap> : tile<4xi32> loc(#loc10)
  %r10_a = cuda_tile.addi %n, %n overflow<no_wrap> : tile<4xi32> loc(#loc11)
  %r11_a = cuda_tile.maxi %n, %n signed : tile<4xi32> loc(#loc12)
  %r12_a = cuda_tile.maxi %n, %n unsigned : tile<4xi32> loc(#loc13)
  %r13_a = cuda_tile.mini %n, %n signed : tile<4xi32> loc(#loc14)
  %r14_a = cuda_tile.mini %n, %n unsigned : tile<4xi32> loc(#loc15)
  %r15_a = cuda_tile.shri %n, %n signed : tile<4xi32> loc(#loc16)
  %r16_a = cuda_tile.shri %n, %n unsigned : tile<4xi32> loc(#loc17)
  %r17_a = cuda_tile.remi %n, %n signed : tile<4xi32> loc(#loc18)
  %r18_a = cuda_tile.remi %n, %n unsigned : tile<4xi32> loc(#loc19)
  %r19_a = cuda_tile.divi %n, %n signed : tile<4xi32> loc(#loc20)
  %r20_a = cuda_tile.divi %n, %n unsigned : tile<4xi32> loc(#loc21)
  %r21_a = cuda_tile.divi %n, %n signed rounding<negative_inf> : tile<4xi32> loc(#loc22)
  %r22_a = cuda_tile.divi %n, %n unsigned rounding<positive_inf> : tile<4xi32> loc(#loc23)
  %r23_a = cuda_tile.absi %n : tile<4xi32> loc(#loc24)
  %r24_a = cuda_tile.negi %n : tile<4xi32> loc(#loc25)
  %r25_a = cuda_tile.negi %n overflow<no_signed_wrap> : tile<4xi32> loc(#loc26)
  %r26_a = cuda_tile.cmpi less_than %n, %n, signed : tile<4xi32> -> tile<4xi1> loc(#loc27)
  %r27_a = cuda_tile.cmpi equal %n, %n, unsigned : tile<4xi32> -> tile<4xi1> loc(#loc28)
} loc(#loc29)
#loc = loc(fused["arith_int.mlir":4:6, "arith_int.mlir":4:48])
#loc1 = loc(fused["arith_int.mlir":7:9, "arith_int.mlir":7:44])
#loc2 = loc(fused["arith_int.mlir":10:9, "arith_int.mlir":10:44])
#loc3 = loc(fused["arith_int.mlir":13:9, "arith_int.mlir":13:44])
#loc4 = loc(fused["arith_int.mlir":16:9, "arith_int.mlir":16:44])
#loc5 = loc(fused["arith_int.mlir":19:9, "arith_int.mlir":19:44])
#loc6 = loc(fused["arith_int.mlir":22:9, "arith_int.mlir":22:43])
#loc7 = loc(fused["arith_int.mlir":25:9, "arith_int.mlir":25:44])
#loc8 = loc(fused["arith_int.mlir":28:9, "arith_int.mlir":28:46])
#loc9 = loc(fused["arith_int.mlir":31:9, "arith_int.mlir":31:69])
#loc10 = loc(fused["arith_int.mlir":34:9, "arith_int.mlir":34:71])
#loc11 = loc(fused["arith_int.mlir":37:10, "arith_int.mlir":37:63])
#loc12 = loc(fused["arith_int.mlir":40:10, "arith_int.mlir":40:52])
#loc13 = loc(fused["arith_int.mlir":43:10, "arith_int.mlir":43:54])
#loc14 = loc(fused["arith_int.mlir":46:10, "arith_int.mlir":46:52])
#loc15 = loc(fused["arith_int.mlir":49:10, "arith_int.mlir":49:54])
#loc16 = loc(fused["arith_int.mlir":52:10, "arith_int.mlir":52:52])
#loc17 = loc(fused["arith_int.mlir":55:10, "arith_int.mlir":55:54])
#loc18 = loc(fused["arith_int.mlir":58:10, "arith_int.mlir":58:52])
#loc19 = loc(fused["arith_int.mlir":61:10, "arith_int.mlir":61:54])
#loc20 = loc(fused["arith_int.mlir":64:10, "arith_int.mlir":64:52])
#loc21 = loc(fused["arith_int.mlir":67:10, "arith_int.mlir":67:54])
#loc22 = loc(fused["arith_int.mlir":70:10, "arith_int.mlir":70:75])
#loc23 = loc(fused["arith_int.mlir":73:10, "arith_int.mlir":73:77])
#loc24 = loc(fused["arith_int.mlir":76:10, "arith_int.mlir":76:41])
#loc25 = loc(fused["arith_int.mlir":79:10, "arith_int.mlir":79:41])
#loc26 = loc(fused["arith_int.mlir":82:10, "arith_int.mlir":82:66])
#loc27 = loc(fused["arith_int.mlir":85:10, "arith_int.mlir":85:77])
#loc28 = loc(fused["arith_int.mlir":88:10, "arith_int.mlir":88:75])
#loc29 = loc(unknown)
// -----
"builtin.module"() ({
  %n = "test.op"() : () -> !cuda_tile.tile<4xi32>
  %r0_a = "cuda_tile.addi"(%n, %n) <{overflow = #cuda_tile.overflow<none>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r1_a = "cuda_tile.subi"(%n, %n) <{overflow = #cuda_tile.overflow<none>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r2_a = "cuda_tile.muli"(%n, %n) <{overflow = #cuda_tile.overflow<none>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r3_a = "cuda_tile.shli"(%n, %n) <{overflow = #cuda_tile.overflow<none>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r4_a = "cuda_tile.andi"(%n, %n) : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r5_a = "cuda_tile.ori"(%n, %n) : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r6_a = "cuda_tile.xori"(%n, %n) : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r7_a = "cuda_tile.mulhii"(%n, %n) : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r8_a = "cuda_tile.addi"(%n, %n) <{overflow = #cuda_tile.overflow<no_signed_wrap>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r9_a = "cuda_tile.addi"(%n, %n) <{overflow = #cuda_tile.overflow<no_unsigned_wrap>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r10_a = "cuda_tile.addi"(%n, %n) <{overflow = #cuda_tile.overflow<no_wrap>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r11_a = "cuda_tile.maxi"(%n, %n) <{signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r12_a = "cuda_tile.maxi"(%n, %n) <{signedness = #cuda_tile.signedness<unsigned>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r13_a = "cuda_tile.mini"(%n, %n) <{signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r14_a = "cuda_tile.mini"(%n, %n) <{signedness = #cuda_tile.signedness<unsigned>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r15_a = "cuda_tile.shri"(%n, %n) <{signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r16_a = "cuda_tile.shri"(%n, %n) <{signedness = #cuda_tile.signedness<unsigned>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r17_a = "cuda_tile.remi"(%n, %n) <{signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r18_a = "cuda_tile.remi"(%n, %n) <{signedness = #cuda_tile.signedness<unsigned>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r19_a = "cuda_tile.divi"(%n, %n) <{signedness = #cuda_tile.signedness<signed>, rounding = #cuda_tile.rounding<zero>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r20_a = "cuda_tile.divi"(%n, %n) <{signedness = #cuda_tile.signedness<unsigned>, rounding = #cuda_tile.rounding<zero>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r21_a = "cuda_tile.divi"(%n, %n) <{signedness = #cuda_tile.signedness<signed>, rounding = #cuda_tile.rounding<negative_inf>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r22_a = "cuda_tile.divi"(%n, %n) <{signedness = #cuda_tile.signedness<unsigned>, rounding = #cuda_tile.rounding<positive_inf>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r23_a = "cuda_tile.absi"(%n) : (!cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r24_a = "cuda_tile.negi"(%n) : (!cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r25_a = "cuda_tile.negi"(%n) <{overflow = #cuda_tile.overflow<no_signed_wrap>}> : (!cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r26_a = "cuda_tile.cmpi"(%n, %n) <{comparison_predicate = #cuda_tile.comparison_predicate<less_than>, signedness = #cuda_tile.signedness<signed>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi1>
  %r27_a = "cuda_tile.cmpi"(%n, %n) <{comparison_predicate = #cuda_tile.comparison_predicate<equal>, signedness = #cuda_tile.signedness<unsigned>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi1>
}) : () -> ()
