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
