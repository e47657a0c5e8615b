// RUN: REJECTS | filecheck %s

// CHECK: assume`: cuda_tile.div_by does not apply to !cuda_tile.tile<4xf32>
%f = "test.op"() : () -> !cuda_tile.tile<4xf32>
%r = cuda_tile.assume div_by<4>, %f : tile<4xf32>

// -----

// CHECK: assume`: div_by on a tensor_view takes no every and along
%tv = "test.op"() : () -> !cuda_tile.tensor_view<?x16xf32, strides=[?,1]>
%r = cuda_tile.assume div_by<4, every 2 along 0>, %tv : tensor_view<?x16xf32, strides=[?,1]>

// -----

// CHECK: assume`: div_by along must be a dimension of !cuda_tile.tile<4xi32>, got 1
%n = "test.op"() : () -> !cuda_tile.tile<4xi32>
%r = cuda_tile.assume div_by<4, every 2 along 1>, %n : tile<4xi32>

// -----

// CHECK: assume`: div_by every must be from 0 to 4, got 8
%n = "test.op"() : () -> !cuda_tile.tile<4xi32>
%r = cuda_tile.assume div_by<4, every 8 along 0>, %n : tile<4xi32>

// -----

// CHECK: assume`: same_elements needs one value a dimension of !cuda_tile.tile<4xi32>, got 2
%n = "test.op"() : () -> !cuda_tile.tile<4xi32>
%r = cuda_tile.assume same_elements<[2, 2]>, %n : tile<4xi32>

// -----

// CHECK: assume`: same_elements in dimension 0 must be from 0 to 4, got 8
%n = "test.op"() : () -> !cuda_tile.tile<4xi32>
%r = cuda_tile.assume same_elements<[8]>, %n : tile<4xi32>

// -----

// CHECK: assume`: bounded applies to integers only
%p = "test.op"() : () -> !cuda_tile.tile<ptr<f32>>
%r = cuda_tile.assume bounded<0, 1>, %p : tile<ptr<f32>>

// -----

// CHECK: assume`: bounded takes signed values of i8, -128 to 127, got 128
%s8 = "test.op"() : () -> !cuda_tile.tile<i8>
%r = cuda_tile.assume bounded<0, 128>, %s8 : tile<i8>

// -----

// CHECK: print_tko`: a lone % in the format; write %% for a percent sign
%r = cuda_tile.print_tko "100%" -> token

// -----

// CHECK: print_tko`: the format has 1 conversions, got 0 operands
%r = cuda_tile.print_tko "%d" -> token

// -----

// CHECK: expected a tile of i1, got !cuda_tile.tile<4xi32>
%n = "test.op"() : () -> !cuda_tile.tile<4xi32>
cuda_tile.assert %n, "no" : tile<4xi32>

// -----

// CHECK: cuda_tile.preview$call: preview operations change without notice and are not supported
cuda_tile.preview$call
