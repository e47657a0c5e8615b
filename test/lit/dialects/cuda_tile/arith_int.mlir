// RUN: ROUNDTRIP
// RUN: GENERIC_ROUNDTRIP

%n = "test.op"() : () -> !cuda_tile.tile<4xi32>

// CHECK: cuda_tile.addi %n, %n : tile<4xi32>
%r0_a = cuda_tile.addi %n, %n : tile<4xi32>

// CHECK: cuda_tile.subi %n, %n : tile<4xi32>
%r1_a = cuda_tile.subi %n, %n : tile<4xi32>

// CHECK: cuda_tile.muli %n, %n : tile<4xi32>
%r2_a = cuda_tile.muli %n, %n : tile<4xi32>

// CHECK: cuda_tile.shli %n, %n : tile<4xi32>
%r3_a = cuda_tile.shli %n, %n : tile<4xi32>

// CHECK: cuda_tile.andi %n, %n : tile<4xi32>
%r4_a = cuda_tile.andi %n, %n : tile<4xi32>

// CHECK: cuda_tile.ori %n, %n : tile<4xi32>
%r5_a = cuda_tile.ori %n, %n : tile<4xi32>

// CHECK: cuda_tile.xori %n, %n : tile<4xi32>
%r6_a = cuda_tile.xori %n, %n : tile<4xi32>

// CHECK: cuda_tile.mulhii %n, %n : tile<4xi32>
%r7_a = cuda_tile.mulhii %n, %n : tile<4xi32>

// CHECK: cuda_tile.addi %n, %n overflow<no_signed_wrap> : tile<4xi32>
%r8_a = cuda_tile.addi %n, %n overflow<no_signed_wrap> : tile<4xi32>

// CHECK: cuda_tile.addi %n, %n overflow<no_unsigned_wrap> : tile<4xi32>
%r9_a = cuda_tile.addi %n, %n overflow<no_unsigned_wrap> : tile<4xi32>

// CHECK: cuda_tile.addi %n, %n overflow<no_wrap> : tile<4xi32>
%r10_a = cuda_tile.addi %n, %n overflow<no_wrap> : tile<4xi32>

// CHECK: cuda_tile.maxi %n, %n signed : tile<4xi32>
%r11_a = cuda_tile.maxi %n, %n signed : tile<4xi32>

// CHECK: cuda_tile.maxi %n, %n unsigned : tile<4xi32>
%r12_a = cuda_tile.maxi %n, %n unsigned : tile<4xi32>

// CHECK: cuda_tile.mini %n, %n signed : tile<4xi32>
%r13_a = cuda_tile.mini %n, %n signed : tile<4xi32>

// CHECK: cuda_tile.mini %n, %n unsigned : tile<4xi32>
%r14_a = cuda_tile.mini %n, %n unsigned : tile<4xi32>

// CHECK: cuda_tile.shri %n, %n signed : tile<4xi32>
%r15_a = cuda_tile.shri %n, %n signed : tile<4xi32>

// CHECK: cuda_tile.shri %n, %n unsigned : tile<4xi32>
%r16_a = cuda_tile.shri %n, %n unsigned : tile<4xi32>

// CHECK: cuda_tile.remi %n, %n signed : tile<4xi32>
%r17_a = cuda_tile.remi %n, %n signed : tile<4xi32>

// CHECK: cuda_tile.remi %n, %n unsigned : tile<4xi32>
%r18_a = cuda_tile.remi %n, %n unsigned : tile<4xi32>

// CHECK: cuda_tile.divi %n, %n signed : tile<4xi32>
%r19_a = cuda_tile.divi %n, %n signed : tile<4xi32>

// CHECK: cuda_tile.divi %n, %n unsigned : tile<4xi32>
%r20_a = cuda_tile.divi %n, %n unsigned : tile<4xi32>

// CHECK: cuda_tile.divi %n, %n signed rounding<negative_inf> : tile<4xi32>
%r21_a = cuda_tile.divi %n, %n signed rounding<negative_inf> : tile<4xi32>

// CHECK: cuda_tile.divi %n, %n unsigned rounding<positive_inf> : tile<4xi32>
%r22_a = cuda_tile.divi %n, %n unsigned rounding<positive_inf> : tile<4xi32>

// CHECK: cuda_tile.absi %n : tile<4xi32>
%r23_a = cuda_tile.absi %n : tile<4xi32>

// CHECK: cuda_tile.negi %n : tile<4xi32>
%r24_a = cuda_tile.negi %n : tile<4xi32>

// CHECK: cuda_tile.negi %n overflow<no_signed_wrap> : tile<4xi32>
%r25_a = cuda_tile.negi %n overflow<no_signed_wrap> : tile<4xi32>

// CHECK: cuda_tile.cmpi less_than %n, %n, signed : tile<4xi32> -> tile<4xi1>
%r26_a = cuda_tile.cmpi less_than %n, %n, signed : tile<4xi32> -> tile<4xi1>

// CHECK: cuda_tile.cmpi equal %n, %n, unsigned : tile<4xi32> -> tile<4xi1>
%r27_a = cuda_tile.cmpi equal %n, %n, unsigned : tile<4xi32> -> tile<4xi1>
