// RUN: ROUNDTRIP
// RUN: GENERIC_ROUNDTRIP

// CHECK: !cuda_tile.tile<f32>
"test.op"() {t = !cuda_tile.tile<f32>} : () -> ()
// CHECK: !cuda_tile.tile<4x8xbf16>
"test.op"() {t = !cuda_tile.tile<4x8xbf16>} : () -> ()
// CHECK: !cuda_tile.tile<2xfnv8E5M3FNU>
"test.op"() {t = !cuda_tile.tile<2x!cuda_tile.fnv8E5M3FNU>} : () -> ()
// CHECK: !cuda_tile.tile<4xptr<f8E4M3FN>>
"test.op"() {t = !cuda_tile.tile<4x!cuda_tile.ptr<f8E4M3FN>>} : () -> ()
// CHECK: !cuda_tile.ptr<f32, <unicast>>
"test.op"() {t = !cuda_tile.ptr<f32, #cuda_tile.ptr_attr<unicast>>} : () -> ()
// CHECK: !cuda_tile.ptr<f32, <none>>
"test.op"() {t = !cuda_tile.ptr<f32, <none>>} : () -> ()
// CHECK: !cuda_tile.token
"test.op"() {t = !cuda_tile.token} : () -> ()
// CHECK: !cuda_tile.tensor_view<f32>
"test.op"() {t = !cuda_tile.tensor_view<f32>} : () -> ()
// CHECK: !cuda_tile.tensor_view<f32, #cuda_tile.ptr_attr<none>>
"test.op"() {t = !cuda_tile.tensor_view<f32, #cuda_tile.ptr_attr<none>>} : () -> ()
// CHECK: !cuda_tile.tensor_view<?x100xf32, strides=[?,1], #cuda_tile.ptr_attr<multicast>>
"test.op"() {t = !cuda_tile.tensor_view<?x100xf32, strides=[?,1], #cuda_tile.ptr_attr<multicast>>} : () -> ()
// The map that changes nothing is not written.
// CHECK: !cuda_tile.partition_view<tile=(4x2), padding_value = neg_inf, tensor_view<8x8xf16, strides=[8,1]>>
"test.op"() {t = !cuda_tile.partition_view<tile=(4x2), padding_value = neg_inf, !cuda_tile.tensor_view<8x8xf16, strides=[8,1]>, dim_map=[0, 1]>} : () -> ()
// CHECK: !cuda_tile.strided_view<tile=(4x2), traversal_strides=[2,3], tensor_view<8x8xf16, strides=[8,1]>, dim_map=[1, 0]>
"test.op"() {t = !cuda_tile.strided_view<tile=(4x2), traversal_strides=[2, 3], tensor_view<8x8xf16, strides=[8, 1]>, dim_map=[1, 0]>} : () -> ()
// CHECK: !cuda_tile.gather_scatter_view<tile=(4x2), padding_value = zero, tensor_view<8x8xi32, strides=[8,1]>, sparse_dim=1>
"test.op"() {t = !cuda_tile.gather_scatter_view<tile=(4x2), padding_value = zero, tensor_view<8x8xi32, strides=[8,1]>, sparse_dim=1>} : () -> ()
