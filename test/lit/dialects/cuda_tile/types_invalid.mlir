// RUN: REJECTS | filecheck %s

// CHECK: cuda_tile.tile: every extent must be a positive power of two, got 3
%r = "test.op"() : () -> !cuda_tile.tile<3xf32>

// -----

// CHECK: cuda_tile.tile: a tile holds at most 16777216 elements, got 33554432
%r = "test.op"() : () -> !cuda_tile.tile<8192x4096xf32>

// -----

// CHECK: cuda_tile.tile: f4E2M1FN is packed in pairs, so at least one extent must be even
%r = "test.op"() : () -> !cuda_tile.tile<1x1xf4E2M1FN>

// -----

// CHECK: cuda_tile.tile: index is not an element type of tiles
%r = "test.op"() : () -> !cuda_tile.tile<4xindex>

// -----

// CHECK: cuda_tile.ptr: the pointee must be a number type other than i4, got i4
%r = "test.op"() : () -> !cuda_tile.ptr<i4>

// -----

// CHECK: cuda_tile.tensor_view: elements must be numbers other than i4, got i4
%r = "test.op"() : () -> !cuda_tile.tensor_view<4xi4, strides=[1]>

// -----

// CHECK: cuda_tile.tensor_view: 2 extents but 1 strides
%r = "test.op"() : () -> !cuda_tile.tensor_view<4x4xf32, strides=[1]>

// -----

// CHECK: cuda_tile.tensor_view: every static extent must be positive, got 0
%r = "test.op"() : () -> !cuda_tile.tensor_view<0xf32, strides=[1]>

// -----

// CHECK: cuda_tile.tensor_view: every static stride must be positive, got 0
%r = "test.op"() : () -> !cuda_tile.tensor_view<4xf32, strides=[0]>

// -----

// CHECK: cuda_tile.partition_view: the tile has rank 1 but the tensor view has rank 2
%r = "test.op"() : () -> !cuda_tile.partition_view<tile=(4), tensor_view<4x4xf32, strides=[4,1]>>

// -----

// CHECK: cuda_tile.partition_view: the tile must have at least one dimension
%r = "test.op"() : () -> !cuda_tile.partition_view<tile=(), tensor_view<f32>>

// -----

// CHECK: cuda_tile.partition_view: every extent must be a positive power of two, got 3
%r = "test.op"() : () -> !cuda_tile.partition_view<tile=(3), tensor_view<4xf32, strides=[1]>>

// -----

// CHECK: cuda_tile.partition_view: dim_map must be a permutation of the dimensions 0 to 1, got [0, 0]
%r = "test.op"() : () -> !cuda_tile.partition_view<tile=(4x4), tensor_view<4x4xf32, strides=[4,1]>, dim_map=[0, 0]>

// -----

// CHECK: cuda_tile.partition_view: padding nan needs floating-point elements, got i32
%r = "test.op"() : () -> !cuda_tile.partition_view<tile=(4), padding_value = nan, tensor_view<4xi32, strides=[1]>>

// -----

// CHECK: cuda_tile.strided_view: 1 tile extents but 2 traversal strides
%r = "test.op"() : () -> !cuda_tile.strided_view<tile=(4), traversal_strides=[1,1], tensor_view<4xf32, strides=[1]>>

// -----

// CHECK: cuda_tile.strided_view: every traversal stride must be positive, got 0
%r = "test.op"() : () -> !cuda_tile.strided_view<tile=(4), traversal_strides=[0], tensor_view<4xf32, strides=[1]>>

// -----

// CHECK: cuda_tile.gather_scatter_view: sparse_dim must be a dimension of the tile, 0 to 0, got 1
%r = "test.op"() : () -> !cuda_tile.gather_scatter_view<tile=(4), tensor_view<4xf32, strides=[1]>, sparse_dim=1>
