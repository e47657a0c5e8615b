// RUN: REJECTS | filecheck %s

// CHECK: the shape given does not match
%p = "test.op"() : () -> !cuda_tile.tile<ptr<f32>>
%s = "test.op"() : () -> !cuda_tile.tile<i32>
%r = cuda_tile.make_tensor_view %p, shape = [%s], strides = [1] : tile<i32> -> tensor_view<4xf32, strides=[1]>

// -----

// CHECK: make_tensor_view`: the base must point to f32, got f16
%pf16 = "test.op"() : () -> !cuda_tile.tile<ptr<f16>>
%r = "cuda_tile.make_tensor_view"(%pf16) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (!cuda_tile.tile<ptr<f16>>) -> !cuda_tile.tensor_view<4xf32, strides=[1]>

// -----

// CHECK: make_tensor_view`: base and view must have one ptr_attr
%mp = "test.op"() : () -> !cuda_tile.tile<ptr<f32, <multicast>>>
%r = "cuda_tile.make_tensor_view"(%mp) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (!cuda_tile.tile<ptr<f32, <multicast>>>) -> !cuda_tile.tensor_view<4xf32, strides=[1]>

// -----

// CHECK: takes 1 dynamic extents, got 0
%p = "test.op"() : () -> !cuda_tile.tile<ptr<f32>>
%r = "cuda_tile.make_tensor_view"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (!cuda_tile.tile<ptr<f32>>) -> !cuda_tile.tensor_view<?x16xf32, strides=[?,1]>

// -----

// CHECK: takes 1 dynamic strides, got 0
%p = "test.op"() : () -> !cuda_tile.tile<ptr<f32>>
%s = "test.op"() : () -> !cuda_tile.tile<i32>
%r = "cuda_tile.make_tensor_view"(%p, %s) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (!cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<i32>) -> !cuda_tile.tensor_view<?x16xf32, strides=[?,1]>

// -----

// CHECK: make_tensor_view`: dynamic extents and strides must have one type
%l1 = "test.op"() : () -> !cuda_tile.tile<i64>
%p = "test.op"() : () -> !cuda_tile.tile<ptr<f32>>
%s = "test.op"() : () -> !cuda_tile.tile<i32>
%r = "cuda_tile.make_tensor_view"(%p, %s, %l1) <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (!cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>) -> !cuda_tile.tensor_view<?x16xf32, strides=[?,1]>

// -----

// CHECK: make_partition_view`: the operand must be
%tv = "test.op"() : () -> !cuda_tile.tensor_view<?x16xf32, strides=[?,1]>
%r = "cuda_tile.make_partition_view"(%tv) : (!cuda_tile.tensor_view<?x16xf32, strides=[?,1]>) -> !cuda_tile.partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>

// -----

// CHECK: get_tensor_shape`: 
%tv = "test.op"() : () -> !cuda_tile.tensor_view<?x16xf32, strides=[?,1]>
%r = "cuda_tile.get_tensor_shape"(%tv) : (!cuda_tile.tensor_view<?x16xf32, strides=[?,1]>) -> !cuda_tile.tile<i32>

// -----

// CHECK: has 2 index dimensions, got 1 results
%pv = "test.op"() : () -> !cuda_tile.partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>
%r = "cuda_tile.get_index_space_shape"(%pv) : (!cuda_tile.partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>) -> !cuda_tile.tile<i32>

// -----

// CHECK: load_view_tko`: the ordering must be weak or relaxed or acquire, got release
%pv = "test.op"() : () -> !cuda_tile.partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>
%s = "test.op"() : () -> !cuda_tile.tile<i32>
%r, %r2 = cuda_tile.load_view_tko release device %pv[%s, %s] : partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>, tile<i32> -> tile<4x2xf32>, token

// -----

// CHECK: load_view_tko`: a weak access takes no scope
%pv = "test.op"() : () -> !cuda_tile.partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>
%s = "test.op"() : () -> !cuda_tile.tile<i32>
%r, %r2 = cuda_tile.load_view_tko weak device %pv[%s, %s] : partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>, tile<i32> -> tile<4x2xf32>, token

// -----

// CHECK: load_view_tko`: a relaxed access needs a scope
%pv = "test.op"() : () -> !cuda_tile.partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>
%s = "test.op"() : () -> !cuda_tile.tile<i32>
%r, %r2 = cuda_tile.load_view_tko relaxed %pv[%s, %s] : partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>, tile<i32> -> tile<4x2xf32>, token

// -----

// CHECK: load_view_tko`: a multicast pointer serves multimem operations only
%mpv = "test.op"() : () -> !cuda_tile.partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1], #cuda_tile.ptr_attr<multicast>>>
%s = "test.op"() : () -> !cuda_tile.tile<i32>
%r, %r2 = cuda_tile.load_view_tko weak %mpv[%s, %s] : partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<4x2xf32>, token

// -----

// CHECK: load_view_tko`: the tile must be !cuda_tile.tile<4x2xf32>
%pv = "test.op"() : () -> !cuda_tile.partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>
%s = "test.op"() : () -> !cuda_tile.tile<i32>
%r, %r2 = cuda_tile.load_view_tko weak %pv[%s, %s] : partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>, tile<i32> -> tile<4xf32>, token

// -----

// CHECK: takes 2 indices, got 1
%pv = "test.op"() : () -> !cuda_tile.partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>
%s = "test.op"() : () -> !cuda_tile.tile<i32>
%r, %r2 = cuda_tile.load_view_tko weak %pv[%s] : partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>, tile<i32> -> tile<4x2xf32>, token

// -----

// CHECK: load_view_tko`: index 0 must be a scalar
%n = "test.op"() : () -> !cuda_tile.tile<4xi32>
%pv = "test.op"() : () -> !cuda_tile.partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>
%s = "test.op"() : () -> !cuda_tile.tile<i32>
%r, %r2 = cuda_tile.load_view_tko weak %pv[%n, %s] : partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>, tile<4xi32>, tile<i32> -> tile<4x2xf32>, token

// -----

// CHECK: load_view_tko`: scalar indices must have one type
%l1 = "test.op"() : () -> !cuda_tile.tile<i64>
%pv = "test.op"() : () -> !cuda_tile.partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>
%s = "test.op"() : () -> !cuda_tile.tile<i32>
%r, %r2 = cuda_tile.load_view_tko weak %pv[%s, %l1] : partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>, tile<i32>, tile<i64> -> tile<4x2xf32>, token

// -----

// CHECK: load_view_tko`: index 0 must be a vector of 4 integers
%gv = "test.op"() : () -> !cuda_tile.gather_scatter_view<tile=(4x2), padding_value = pos_inf, tensor_view<?x16xf32, strides=[?,1]>, sparse_dim=0>
%n2 = "test.op"() : () -> !cuda_tile.tile<2xi32>
%s = "test.op"() : () -> !cuda_tile.tile<i32>
%r, %r2 = cuda_tile.load_view_tko weak %gv[%n2, %s] : gather_scatter_view<tile=(4x2), padding_value = pos_inf, tensor_view<?x16xf32, strides=[?,1]>, sparse_dim=0>, tile<2xi32>, tile<i32> -> tile<4x2xf32>, token

// -----

// CHECK: load_view_tko`: inbounds must have one entry an index, 2, got 1
%pv = "test.op"() : () -> !cuda_tile.partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>
%s = "test.op"() : () -> !cuda_tile.tile<i32>
%r, %r2 = cuda_tile.load_view_tko weak %pv[%s, %s] inbounds = [true] : partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>, tile<i32> -> tile<4x2xf32>, token

// -----

// CHECK: store_view_tko`: the ordering must be weak or relaxed or release, got acquire
%pv = "test.op"() : () -> !cuda_tile.partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>
%s = "test.op"() : () -> !cuda_tile.tile<i32>
%x = "test.op"() : () -> !cuda_tile.tile<4x2xf32>
%r = cuda_tile.store_view_tko acquire device %x, %pv[%s, %s] : tile<4x2xf32>, partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>, tile<i32> -> token

// -----

// CHECK: store_view_tko`: a multicast pointer serves multimem operations only
%mpv = "test.op"() : () -> !cuda_tile.partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1], #cuda_tile.ptr_attr<multicast>>>
%s = "test.op"() : () -> !cuda_tile.tile<i32>
%x = "test.op"() : () -> !cuda_tile.tile<4x2xf32>
%r = cuda_tile.store_view_tko weak %x, %mpv[%s, %s] : tile<4x2xf32>, partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> token
