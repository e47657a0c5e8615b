// RUN: ROUNDTRIP
// RUN: GENERIC_ROUNDTRIP

%b = "test.op"() : () -> !cuda_tile.tile<4xi1>
%f = "test.op"() : () -> !cuda_tile.tile<4xf32>
%h = "test.op"() : () -> !cuda_tile.tile<4xf16>
%l = "test.op"() : () -> !cuda_tile.tile<4xi64>
%n = "test.op"() : () -> !cuda_tile.tile<4xi32>
%ps = "test.op"() : () -> !cuda_tile.tile<4xptr<f32>>

// CHECK: cuda_tile.bitcast %f : tile<4xf32> -> tile<4xi32>
%r0_a = cuda_tile.bitcast %f : tile<4xf32> -> tile<4xi32>

// CHECK: cuda_tile.exti %n signed : tile<4xi32> -> tile<4xi64>
%r1_a = cuda_tile.exti %n signed : tile<4xi32> -> tile<4xi64>

// CHECK: cuda_tile.exti %b unsigned : tile<4xi1> -> tile<4xi4>
%r2_a = cuda_tile.exti %b unsigned : tile<4xi1> -> tile<4xi4>

// CHECK: cuda_tile.trunci %n : tile<4xi32> -> tile<4xi8>
%r3_a = cuda_tile.trunci %n : tile<4xi32> -> tile<4xi8>

// CHECK: cuda_tile.trunci %n overflow<no_wrap> : tile<4xi32> -> tile<4xi4>
%r4_a = cuda_tile.trunci %n overflow<no_wrap> : tile<4xi32> -> tile<4xi4>

// CHECK: cuda_tile.ftof %f : tile<4xf32> -> tile<4xbf16>
%r5_a = cuda_tile.ftof %f : tile<4xf32> -> tile<4xbf16>

// CHECK: cuda_tile.ftof %f rounding<nearest_away> : tile<4xf32> -> tile<4xtf32>
%r6_a = cuda_tile.ftof %f rounding<nearest_away> : tile<4xf32> -> tile<4xtf32>

// CHECK: cuda_tile.ftof %f rounding<positive_inf> : tile<4xf32> -> tile<4xf8E8M0FNU>
%r7_a = cuda_tile.ftof %f rounding<positive_inf> : tile<4xf32> -> tile<4xf8E8M0FNU>

// CHECK: cuda_tile.ftof %h : tile<4xf16> -> tile<4xfnv8E5M3FNU>
%r8_a = cuda_tile.ftof %h : tile<4xf16> -> tile<4xfnv8E5M3FNU>

// CHECK: cuda_tile.ftoi %f unsigned : tile<4xf32> -> tile<4xi32>
%r9_a = cuda_tile.ftoi %f unsigned : tile<4xf32> -> tile<4xi32>

// CHECK: cuda_tile.ftoi %f signed saturating : tile<4xf32> -> tile<4xi8>
%r10_a = cuda_tile.ftoi %f signed saturating : tile<4xf32> -> tile<4xi8>

// CHECK: cuda_tile.itof %n signed : tile<4xi32> -> tile<4xf64>
%r11_a = cuda_tile.itof %n signed : tile<4xi32> -> tile<4xf64>

// CHECK: cuda_tile.int_to_ptr %l : tile<4xi64> -> tile<4xptr<f32>>
%r12_a = cuda_tile.int_to_ptr %l : tile<4xi64> -> tile<4xptr<f32>>

// CHECK: cuda_tile.ptr_to_int %ps : tile<4xptr<f32>> -> tile<4xi64>
%r13_a = cuda_tile.ptr_to_int %ps : tile<4xptr<f32>> -> tile<4xi64>

// CHECK: cuda_tile.ptr_to_ptr %ps : tile<4xptr<f32>> -> tile<4xptr<i8>>
%r14_a = cuda_tile.ptr_to_ptr %ps : tile<4xptr<f32>> -> tile<4xptr<i8>>
