// RUN: REJECTS | filecheck %s

// CHECK: atomic_cas_tko`: the ordering must be relaxed or acquire or release or acq_rel, got weak
%n = "test.op"() : () -> !cuda_tile.tile<4xi32>
%pi = "test.op"() : () -> !cuda_tile.tile<4xptr<i32>>
%r, %r2 = cuda_tile.atomic_cas_tko weak device %pi, %n, %n : tile<4xptr<i32>>, tile<4xi32> -> tile<4xi32>, token

// -----

// CHECK: atomic_cas_tko`: the elements must be i32, i64, f32 or f64, got f16
%h = "test.op"() : () -> !cuda_tile.tile<4xf16>
%pi = "test.op"() : () -> !cuda_tile.tile<4xptr<i32>>
%r, %r2 = cuda_tile.atomic_cas_tko relaxed device %pi, %h, %h : tile<4xptr<i32>>, tile<4xf16> -> tile<4xf16>, token

// -----

// CHECK: atomic_rmw_tko`: add takes i32, i64, got f32
%f = "test.op"() : () -> !cuda_tile.tile<4xf32>
%ps = "test.op"() : () -> !cuda_tile.tile<4xptr<f32>>
%r, %r2 = cuda_tile.atomic_rmw_tko relaxed device %ps, add, %f : tile<4xptr<f32>>, tile<4xf32> -> tile<4xf32>, token

// -----

// CHECK: atomic_rmw_tko`: addf takes bf16, f16, f32, f64, got i32
%n = "test.op"() : () -> !cuda_tile.tile<4xi32>
%pi = "test.op"() : () -> !cuda_tile.tile<4xptr<i32>>
%r, %r2 = cuda_tile.atomic_rmw_tko relaxed device %pi, addf, %n : tile<4xptr<i32>>, tile<4xi32> -> tile<4xi32>, token

// -----

// CHECK: atomic_red_view_tko`: the ordering must be relaxed, got acquire
%pv = "test.op"() : () -> !cuda_tile.partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>
%s = "test.op"() : () -> !cuda_tile.tile<i32>
%x = "test.op"() : () -> !cuda_tile.tile<4x2xf32>
%r = cuda_tile.atomic_red_view_tko acquire device %pv[%s, %s], addf, %x : tile<4x2xf32>, partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>, tile<i32> -> token

// -----

// CHECK: atomic_red_view_tko`: the scope must be tl_blk or device, got sys
%pv = "test.op"() : () -> !cuda_tile.partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>
%s = "test.op"() : () -> !cuda_tile.tile<i32>
%x = "test.op"() : () -> !cuda_tile.tile<4x2xf32>
%r = cuda_tile.atomic_red_view_tko relaxed sys %pv[%s, %s], addf, %x : tile<4x2xf32>, partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>, tile<i32> -> token

// -----

// CHECK: atomic_red_view_tko`: a gather_scatter view takes no atomic updates
%gv = "test.op"() : () -> !cuda_tile.gather_scatter_view<tile=(4x2), padding_value = pos_inf, tensor_view<?x16xf32, strides=[?,1]>, sparse_dim=0>
%n = "test.op"() : () -> !cuda_tile.tile<4xi32>
%s = "test.op"() : () -> !cuda_tile.tile<i32>
%x = "test.op"() : () -> !cuda_tile.tile<4x2xf32>
%r = cuda_tile.atomic_red_view_tko relaxed device %gv[%n, %s], addf, %x : tile<4x2xf32>, gather_scatter_view<tile=(4x2), padding_value = pos_inf, tensor_view<?x16xf32, strides=[?,1]>, sparse_dim=0>, tile<4xi32>, tile<i32> -> token

// -----

// CHECK: atomic_red_view_tko`: xchg yields the old value, which this operation does not
%pv = "test.op"() : () -> !cuda_tile.partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>
%s = "test.op"() : () -> !cuda_tile.tile<i32>
%x = "test.op"() : () -> !cuda_tile.tile<4x2xf32>
%r = cuda_tile.atomic_red_view_tko relaxed device %pv[%s, %s], xchg, %x : tile<4x2xf32>, partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>, tile<i32> -> token

// -----

// CHECK: atomic_red_view_tko`: add takes i32, i64, got f32
%pv = "test.op"() : () -> !cuda_tile.partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>
%s = "test.op"() : () -> !cuda_tile.tile<i32>
%x = "test.op"() : () -> !cuda_tile.tile<4x2xf32>
%r = cuda_tile.atomic_red_view_tko relaxed device %pv[%s, %s], add, %x : tile<4x2xf32>, partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>, tile<i32> -> token

// -----

// CHECK: atomic_red_view_tko`: a multicast pointer serves multimem operations only
%mpv = "test.op"() : () -> !cuda_tile.partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1], #cuda_tile.ptr_attr<multicast>>>
%s = "test.op"() : () -> !cuda_tile.tile<i32>
%x = "test.op"() : () -> !cuda_tile.tile<4x2xf32>
%r = cuda_tile.atomic_red_view_tko relaxed device %mpv[%s, %s], addf, %x : tile<4x2xf32>, partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> token

// -----

// CHECK: multimem_load_reduce_view_tko`: the view must be over a multicast tensor_view
%pv = "test.op"() : () -> !cuda_tile.partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>
%s = "test.op"() : () -> !cuda_tile.tile<i32>
%r, %r2 = cuda_tile.multimem_load_reduce_view_tko weak %pv[%s, %s] : partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1]>>, tile<i32> -> tile<4x2xf32>, token

// -----

// CHECK: multimem_load_reduce_view_tko`: min takes bf16, f16, i32, i64, got f32
%mpv = "test.op"() : () -> !cuda_tile.partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1], #cuda_tile.ptr_attr<multicast>>>
%s = "test.op"() : () -> !cuda_tile.tile<i32>
%r, %r2 = cuda_tile.multimem_load_reduce_view_tko weak %mpv[%s, %s] attributes {reduction = #cuda_tile.multimem_reduction_kind<min>} : partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<4x2xf32>, token

// -----

// CHECK: multimem_reduce_view_tko`: max takes i32, i64, got f16
%mi = "test.op"() : () -> !cuda_tile.partition_view<tile=(4x2), tensor_view<?x16xf16, strides=[?,1], #cuda_tile.ptr_attr<multicast>>>
%s = "test.op"() : () -> !cuda_tile.tile<i32>
%x16 = "test.op"() : () -> !cuda_tile.tile<4x2xf16>
%r = cuda_tile.multimem_reduce_view_tko relaxed device %mi, %x16[%s, %s] attributes {reduction = #cuda_tile.multimem_reduction_kind<max>} : partition_view<tile=(4x2), tensor_view<?x16xf16, strides=[?,1], #cuda_tile.ptr_attr<multicast>>>, tile<4x2xf16>, tile<i32> -> token

// -----

// CHECK: multimem_reduce_view_tko`: the ordering must be relaxed or release, got weak
%mpv = "test.op"() : () -> !cuda_tile.partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1], #cuda_tile.ptr_attr<multicast>>>
%s = "test.op"() : () -> !cuda_tile.tile<i32>
%x = "test.op"() : () -> !cuda_tile.tile<4x2xf32>
%r = cuda_tile.multimem_reduce_view_tko weak device %mpv, %x[%s, %s] : partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1], #cuda_tile.ptr_attr<multicast>>>, tile<4x2xf32>, tile<i32> -> token

// -----

// CHECK: multimem_store_view_tko`: the ordering must be weak or relaxed or release, got acquire
%mpv = "test.op"() : () -> !cuda_tile.partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1], #cuda_tile.ptr_attr<multicast>>>
%s = "test.op"() : () -> !cuda_tile.tile<i32>
%x = "test.op"() : () -> !cuda_tile.tile<4x2xf32>
%r = cuda_tile.multimem_store_view_tko acquire device %mpv, %x[%s, %s] : partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1], #cuda_tile.ptr_attr<multicast>>>, tile<4x2xf32>, tile<i32> -> token

// -----

// CHECK: multimem_store_view_tko`: the tile must be !cuda_tile.tile<4x2xf32>
%mpv = "test.op"() : () -> !cuda_tile.partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1], #cuda_tile.ptr_attr<multicast>>>
%s = "test.op"() : () -> !cuda_tile.tile<i32>
%x16 = "test.op"() : () -> !cuda_tile.tile<4x2xf16>
%r = cuda_tile.multimem_store_view_tko weak %mpv, %x16[%s, %s] : partition_view<tile=(4x2), tensor_view<?x16xf32, strides=[?,1], #cuda_tile.ptr_attr<multicast>>>, tile<4x2xf16>, tile<i32> -> token
