// RUN: ROUNDTRIP
// RUN: GENERIC_ROUNDTRIP

%f = "test.op"() : () -> !cuda_tile.tile<4xf32>
%h = "test.op"() : () -> !cuda_tile.tile<4xf16>
%n = "test.op"() : () -> !cuda_tile.tile<4xi32>

// CHECK: cuda_tile.absf %f : tile<4xf32>
%r0_a = cuda_tile.absf %f : tile<4xf32>

// CHECK: cuda_tile.ceil %f : tile<4xf32>
%r1_a = cuda_tile.ceil %f : tile<4xf32>

// CHECK: cuda_tile.cos %f : tile<4xf32>
%r2_a = cuda_tile.cos %f : tile<4xf32>

// CHECK: cuda_tile.cosh %f : tile<4xf32>
%r3_a = cuda_tile.cosh %f : tile<4xf32>

// CHECK: cuda_tile.exp %f : tile<4xf32>
%r4_a = cuda_tile.exp %f : tile<4xf32>

// CHECK: cuda_tile.exp2 %f : tile<4xf32>
%r5_a = cuda_tile.exp2 %f : tile<4xf32>

// CHECK: cuda_tile.floor %f : tile<4xf32>
%r6_a = cuda_tile.floor %f : tile<4xf32>

// CHECK: cuda_tile.log %f : tile<4xf32>
%r7_a = cuda_tile.log %f : tile<4xf32>

// CHECK: cuda_tile.log2 %f : tile<4xf32>
%r8_a = cuda_tile.log2 %f : tile<4xf32>

// CHECK: cuda_tile.negf %f : tile<4xf32>
%r9_a = cuda_tile.negf %f : tile<4xf32>

// CHECK: cuda_tile.rsqrt %f : tile<4xf32>
%r10_a = cuda_tile.rsqrt %f : tile<4xf32>

// CHECK: cuda_tile.sin %f : tile<4xf32>
%r11_a = cuda_tile.sin %f : tile<4xf32>

// CHECK: cuda_tile.sinh %f : tile<4xf32>
%r12_a = cuda_tile.sinh %f : tile<4xf32>

// CHECK: cuda_tile.sqrt %f : tile<4xf32>
%r13_a = cuda_tile.sqrt %f : tile<4xf32>

// CHECK: cuda_tile.tan %f : tile<4xf32>
%r14_a = cuda_tile.tan %f : tile<4xf32>

// CHECK: cuda_tile.tanh %f : tile<4xf32>
%r15_a = cuda_tile.tanh %f : tile<4xf32>

// CHECK: cuda_tile.exp %f rounding<approx> : tile<4xf32>
%r16_a = cuda_tile.exp %f rounding<approx> : tile<4xf32>

// CHECK: cuda_tile.tanh %f rounding<approx> : tile<4xf32>
%r17_a = cuda_tile.tanh %f rounding<approx> : tile<4xf32>

// CHECK: cuda_tile.exp2 %f flush_to_zero : tile<4xf32>
%r18_a = cuda_tile.exp2 %f flush_to_zero : tile<4xf32>

// CHECK: cuda_tile.rsqrt %f flush_to_zero : tile<4xf32>
%r19_a = cuda_tile.rsqrt %f flush_to_zero : tile<4xf32>

// CHECK: cuda_tile.sqrt %f rounding<approx> flush_to_zero : tile<4xf32>
%r20_a = cuda_tile.sqrt %f rounding<approx> flush_to_zero : tile<4xf32>

// CHECK: cuda_tile.addf %f, %f : tile<4xf32>
%r21_a = cuda_tile.addf %f, %f : tile<4xf32>

// CHECK: cuda_tile.subf %f, %f : tile<4xf32>
%r22_a = cuda_tile.subf %f, %f : tile<4xf32>

// CHECK: cuda_tile.mulf %f, %f : tile<4xf32>
%r23_a = cuda_tile.mulf %f, %f : tile<4xf32>

// CHECK: cuda_tile.divf %f, %f : tile<4xf32>
%r24_a = cuda_tile.divf %f, %f : tile<4xf32>

// CHECK: cuda_tile.maxf %f, %f : tile<4xf32>
%r25_a = cuda_tile.maxf %f, %f : tile<4xf32>

// CHECK: cuda_tile.minf %f, %f : tile<4xf32>
%r26_a = cuda_tile.minf %f, %f : tile<4xf32>

// CHECK: cuda_tile.remf %f, %f : tile<4xf32>
%r27_a = cuda_tile.remf %f, %f : tile<4xf32>

// CHECK: cuda_tile.fpowf %f, %f : tile<4xf32>
%r28_a = cuda_tile.fpowf %f, %f : tile<4xf32>

// CHECK: cuda_tile.atan2 %f, %f : tile<4xf32>
%r29_a = cuda_tile.atan2 %f, %f : tile<4xf32>

// CHECK: cuda_tile.addf %f, %f rounding<zero> flush_to_zero : tile<4xf32>
%r30_a = cuda_tile.addf %f, %f rounding<zero> flush_to_zero : tile<4xf32>

// CHECK: cuda_tile.subf %h, %h rounding<negative_inf> : tile<4xf16>
%r31_a = cuda_tile.subf %h, %h rounding<negative_inf> : tile<4xf16>

// CHECK: cuda_tile.mulf %f, %f rounding<positive_inf> : tile<4xf32>
%r32_a = cuda_tile.mulf %f, %f rounding<positive_inf> : tile<4xf32>

// CHECK: cuda_tile.divf %f, %f rounding<full> flush_to_zero : tile<4xf32>
%r33_a = cuda_tile.divf %f, %f rounding<full> flush_to_zero : tile<4xf32>

// CHECK: cuda_tile.maxf %f, %f flush_to_zero propagate_nan : tile<4xf32>
%r34_a = cuda_tile.maxf %f, %f flush_to_zero propagate_nan : tile<4xf32>

// CHECK: cuda_tile.minf %h, %h propagate_nan : tile<4xf16>
%r35_a = cuda_tile.minf %h, %h propagate_nan : tile<4xf16>

// CHECK: cuda_tile.fma %f, %f, %f : tile<4xf32>
%r36_a = cuda_tile.fma %f, %f, %f : tile<4xf32>

// CHECK: cuda_tile.fma %f, %f, %f rounding<zero> flush_to_zero : tile<4xf32>
%r37_a = cuda_tile.fma %f, %f, %f rounding<zero> flush_to_zero : tile<4xf32>

// CHECK: cuda_tile.fpowi %f, %n : tile<4xf32>, tile<4xi32>
%r38_a = cuda_tile.fpowi %f, %n : tile<4xf32>, tile<4xi32>

// CHECK: cuda_tile.cmpf equal ordered %f, %f : tile<4xf32> -> tile<4xi1>
%r39_a = cuda_tile.cmpf equal ordered %f, %f : tile<4xf32> -> tile<4xi1>

// CHECK: cuda_tile.cmpf not_equal unordered %f, %f : tile<4xf32> -> tile<4xi1>
%r40_a = cuda_tile.cmpf not_equal unordered %f, %f : tile<4xf32> -> tile<4xi1>

// CHECK: cuda_tile.cmpf less_than ordered %f, %f : tile<4xf32> -> tile<4xi1>
%r41_a = cuda_tile.cmpf less_than ordered %f, %f : tile<4xf32> -> tile<4xi1>

// CHECK: cuda_tile.cmpf less_than_or_equal unordered %f, %f : tile<4xf32> -> tile<4xi1>
%r42_a = cuda_tile.cmpf less_than_or_equal unordered %f, %f : tile<4xf32> -> tile<4xi1>

// CHECK: cuda_tile.cmpf greater_than ordered %f, %f : tile<4xf32> -> tile<4xi1>
%r43_a = cuda_tile.cmpf greater_than ordered %f, %f : tile<4xf32> -> tile<4xi1>

// CHECK: cuda_tile.cmpf greater_than_or_equal unordered %f, %f : tile<4xf32> -> tile<4xi1>
%r44_a = cuda_tile.cmpf greater_than_or_equal unordered %f, %f : tile<4xf32> -> tile<4xi1>
