// Windows of one argument that begin at different places have been shown to be apart: they need no order. One window is
// one place, however often it is viewed, and windows are apart only where the kernel has several.

// RUN: tile-opt %s -p 'verify-tokens{regions=0 split=0}' --split-input-file | filecheck %s
// RUN: not tile-opt %s -p 'verify-tokens{regions=0}' 2>&1 | filecheck %s --check-prefix=WHOLE
// CHECK-LABEL: cuda_tile.entry @halves
// WHOLE: verify-tokens: cuda_tile.store_view_tko of line {{[0-9]+}} is not ordered after
cuda_tile.module @m {
  cuda_tile.entry @halves(%y: tile<ptr<f32>>, %n: tile<i32>) {
    %long = cuda_tile.exti %n signed : tile<i32> -> tile<i64>
    %back = cuda_tile.offset %y, %long : tile<ptr<f32>>, tile<i64> -> tile<ptr<f32>>
    %front_view = cuda_tile.make_tensor_view %y, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %front_tiles = cuda_tile.make_partition_view %front_view : partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>
    %back_view = cuda_tile.make_tensor_view %back, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %back_tiles = cuda_tile.make_partition_view %back_view : partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>
    %i, %j, %k = cuda_tile.get_tile_block_id : tile<i32>
    %t, %token = cuda_tile.load_view_tko weak %front_tiles[%i] : partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token
    %done = cuda_tile.store_view_tko weak %t, %back_tiles[%i] : tile<8xf32>, partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    cuda_tile.return
  }
}
