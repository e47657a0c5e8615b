// RUN: tile-opt %s -p move-by-threads --elide-prefix | filecheck %s
// RUN: tile-opt %s -p 'move-by-threads{arch=sm_90 stores=true}' --elide-prefix | filecheck %s --check-prefix=STORES

cuda_tile.module @m {
  // Other hints stay, and so does what a program says of the accelerator itself.
  // CHECK-LABEL: entry @copied
  // CHECK: load_view_tko weak %view[%i, %i] optimization_hints = <default = {allow_tma = false}>
  // CHECK: load_view_tko weak %view[%i, %i] optimization_hints = <default = {allow_tma = false, latency = 4}>
  // CHECK: load_view_tko weak %view[%i, %i] optimization_hints = <default = {allow_tma = true}>
  // CHECK: store_view_tko weak %x, %view[%i, %i] optimization_hints = <default = {allow_tma = false}>
  // STORES-LABEL: entry @copied
  // STORES: load_view_tko weak %view[%i, %i] : partition_view
  // STORES: load_view_tko weak %view[%i, %i] optimization_hints = <default = {latency = 4}>
  // STORES: store_view_tko weak %x, %view[%i, %i] optimization_hints = <sm_90 = {allow_tma = false}>
  entry @copied(%p: tile<ptr<f32>>) {
    %i = constant <i32: 0> : tile<i32>
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %view = make_partition_view %t : partition_view<tile=(16x16), tensor_view<64x64xf32, strides=[64,1]>>
    %x, %0 = load_view_tko weak %view[%i, %i] : partition_view<tile=(16x16), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> tile<16x16xf32>, token
    %y, %1 = load_view_tko weak %view[%i, %i] optimization_hints = <default = {latency = 4}> : partition_view<tile=(16x16), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> tile<16x16xf32>, token
    %z, %2 = load_view_tko weak %view[%i, %i] optimization_hints = <default = {allow_tma = true}> : partition_view<tile=(16x16), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> tile<16x16xf32>, token
    %3 = store_view_tko weak %x, %view[%i, %i] : tile<16x16xf32>, partition_view<tile=(16x16), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
    return
  }
}
