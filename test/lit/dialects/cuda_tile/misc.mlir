// RUN: ROUNDTRIP
// RUN: GENERIC_ROUNDTRIP

%b = "test.op"() : () -> !cuda_tile.tile<4xi1>
%f = "test.op"() : () -> !cuda_tile.tile<4xf32>
%k = "test.op"() : () -> !cuda_tile.token
%n = "test.op"() : () -> !cuda_tile.tile<4xi32>
%p = "test.op"() : () -> !cuda_tile.tile<ptr<f32>>
%s = "test.op"() : () -> !cuda_tile.tile<i32>
%tv = "test.op"() : () -> !cuda_tile.tensor_view<?x16xf32, strides=[?,1]>

// CHECK: cuda_tile.assume div_by<16>, %p : tile<ptr<f32>>
%r0_a = cuda_tile.assume div_by<16>, %p : tile<ptr<f32>>

// CHECK: cuda_tile.assume div_by<4, every 2 along 0>, %n : tile<4xi32>
%r1_a = cuda_tile.assume div_by<4, every 2 along 0>, %n : tile<4xi32>

// CHECK: cuda_tile.assume same_elements<[2]>, %n : tile<4xi32>
%r2_a = cuda_tile.assume same_elements<[2]>, %n : tile<4xi32>

// CHECK: cuda_tile.assume bounded<0, ?>, %s : tile<i32>
%r3_a = cuda_tile.assume bounded<0, ?>, %s : tile<i32>

// CHECK: cuda_tile.assume bounded<?, 7>, %s : tile<i32>
%r4_a = cuda_tile.assume bounded<?, 7>, %s : tile<i32>

// CHECK: cuda_tile.assume div_by<16>, %tv : tensor_view<?x16xf32, strides=[?,1]>
%r5_a = cuda_tile.assume div_by<16>, %tv : tensor_view<?x16xf32, strides=[?,1]>

// CHECK: cuda_tile.print_tko "hello\0A" -> token
%r6_a = cuda_tile.print_tko "hello\0A" -> token

// CHECK: cuda_tile.print_tko "%d %f %%", %n, %f token=%k : tile<4xi32>, tile<4xf32> -> token
%r7_a = cuda_tile.print_tko "%d %f %%", %n, %f token = %k : tile<4xi32>, tile<4xf32> -> token

// CHECK: cuda_tile.assert %b, "not \22so\22" : tile<4xi1>
cuda_tile.assert %b, "not \22so\22" : tile<4xi1>

// CHECK: cuda_tile.assume div_by<4, every 0 along 0>, %n : tile<4xi32>
%r8_a = cuda_tile.assume div_by<4, every 0 along 0>, %n : tile<4xi32>

// CHECK: cuda_tile.assume div_by<4, every 4 along 0>, %n : tile<4xi32>
%r9_a = cuda_tile.assume div_by<4, every 4 along 0>, %n : tile<4xi32>

// CHECK: cuda_tile.assume same_elements<[0]>, %n : tile<4xi32>
%r10_a = cuda_tile.assume same_elements<[0]>, %n : tile<4xi32>

// CHECK: cuda_tile.assume same_elements<[4]>, %n : tile<4xi32>
%r11_a = cuda_tile.assume same_elements<[4]>, %n : tile<4xi32>
