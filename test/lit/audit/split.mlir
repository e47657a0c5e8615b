// Modules of one file are audited one after the other in the same launch; a refused one keeps none from it.
//
// RUN: not tile-audit %s --split-input-file --grid 2 -a 'y=f32[256]' 2>%t.err | filecheck %s
// RUN: filecheck %s --check-prefix=REFUSED < %t.err

// CHECK: kernel `apart`, grid 2: safe in this launch
// CHECK: error[O523]: blocks 0 and 1 both access element [0] of `y`
// CHECK: split.mlir:33:10
// CHECK: store_view_tko weak %tile, %view[%zero]
// CHECK: kernel `together`, grid 2: faulty in this launch

// REFUSED: error[O501]
// REFUSED: split.mlir:25:28

cuda_tile.module @first {
  entry @apart(%y: tile<ptr<f32>>, %n: tile<i32>, %s: tile<i32>) {
    %tensor = make_tensor_view %y, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %view = make_partition_view %tensor : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>
    %x, %b, %c = get_tile_block_id : tile<i32>
    %tile = constant <f32: 1.0> : tile<128xf32>
    %t = store_view_tko weak %tile, %view[%x] : tile<128xf32>, partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  }
}
// -----
cuda_tile.module @second { nothing }
// -----
cuda_tile.module @third {
  entry @together(%y: tile<ptr<f32>>, %n: tile<i32>, %s: tile<i32>) {
    %tensor = make_tensor_view %y, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %view = make_partition_view %tensor : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>
    %zero = constant <i32: 0> : tile<i32>
    %tile = constant <f32: 1.0> : tile<128xf32>
    %t = store_view_tko weak %tile, %view[%zero] : tile<128xf32>, partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  }
}
