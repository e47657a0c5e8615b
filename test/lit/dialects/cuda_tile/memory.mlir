// RUN: ROUNDTRIP
// RUN: GENERIC_ROUNDTRIP

%b = "test.op"() : () -> !cuda_tile.tile<4xi1>
%f = "test.op"() : () -> !cuda_tile.tile<4xf32>
%k = "test.op"() : () -> !cuda_tile.token
%ps = "test.op"() : () -> !cuda_tile.tile<4xptr<f32>>

// CHECK: cuda_tile.make_token : token
%r0_a = cuda_tile.make_token : token

// CHECK: cuda_tile.join_tokens %k, %k, %k : token
%r1_a = cuda_tile.join_tokens %k, %k, %k : token

// CHECK: cuda_tile.load_ptr_tko weak %ps : tile<4xptr<f32>> -> tile<4xf32>, token
%r2_b_a, %r2 = cuda_tile.load_ptr_tko weak %ps : tile<4xptr<f32>> -> tile<4xf32>, token

// CHECK: cuda_tile.load_ptr_tko relaxed device %ps, %b, %f token=%k optimization_hints = <default = {latency = 3}> : tile<4xptr<f32>>, tile<4xi1>, tile<4xf32> -> tile<4xf32>, token
%r3_a, %r3_b = cuda_tile.load_ptr_tko relaxed device %ps, %b, %f token = %k optimization_hints = <default = {latency = 3}> : tile<4xptr<f32>>, tile<4xi1>, tile<4xf32> -> tile<4xf32>, token

// CHECK: cuda_tile.load_ptr_tko weak %ps, %b : tile<4xptr<f32>>, tile<4xi1> -> tile<4xf32>, token
%r4_a, %r4_b = cuda_tile.load_ptr_tko weak %ps, %b : tile<4xptr<f32>>, tile<4xi1> -> tile<4xf32>, token

// Without a mask a padding value is never used. It is spelled so that it is not taken for one, or told by its type.
// CHECK: cuda_tile.load_ptr_tko weak %ps padding=%f : tile<4xptr<f32>>, tile<4xf32> -> tile<4xf32>, token
%r21_a, %r21_b = cuda_tile.load_ptr_tko weak %ps padding=%f : tile<4xptr<f32>>, tile<4xf32> -> tile<4xf32>, token

// CHECK: cuda_tile.load_ptr_tko weak %ps padding=%f token=%k : tile<4xptr<f32>>, tile<4xf32> -> tile<4xf32>, token
%r22_a, %r22_b = cuda_tile.load_ptr_tko weak %ps, %f token=%k : tile<4xptr<f32>>, tile<4xf32> -> tile<4xf32>, token

// CHECK: cuda_tile.load_ptr_tko weak %pb padding=%b : tile<4xptr<i1>>, tile<4xi1> -> tile<4xi1>, token
%pb = "test.op"() : () -> !cuda_tile.tile<4xptr<i1>>
%r23_a, %r23_b = cuda_tile.load_ptr_tko weak %pb padding=%b : tile<4xptr<i1>>, tile<4xi1> -> tile<4xi1>, token

// CHECK: cuda_tile.store_ptr_tko weak %ps, %f : tile<4xptr<f32>>, tile<4xf32> -> token
%r5_a = cuda_tile.store_ptr_tko weak %ps, %f : tile<4xptr<f32>>, tile<4xf32> -> token

// CHECK: cuda_tile.store_ptr_tko release tl_blk %ps, %f, %b token=%k : tile<4xptr<f32>>, tile<4xf32>, tile<4xi1> -> token
%r6_a = cuda_tile.store_ptr_tko release tl_blk %ps, %f, %b token = %k : tile<4xptr<f32>>, tile<4xf32>, tile<4xi1> -> token

// CHECK: cuda_tile.alloca num_elem = 16, alignment = 16 : tile<ptr<f32>>
%r7_a = cuda_tile.alloca num_elem = 16, alignment = 16 : tile<ptr<f32>>

// CHECK: cuda_tile.alloca num_elem = 0, alignment = 4 global : tile<ptr<f32>>
%r8_a = cuda_tile.alloca num_elem = 0, alignment = 4 global : tile<ptr<f32>>

// CHECK: cuda_tile.gdc_launch_dependents_tko -> token
%r9_a = cuda_tile.gdc_launch_dependents_tko -> token

// CHECK: cuda_tile.gdc_wait_tko token = %k -> token
%r10_a = cuda_tile.gdc_wait_tko token = %k -> token

// CHECK: cuda_tile.memory_fence_alias_tko %k
%r11_a = cuda_tile.memory_fence_alias_tko %k
