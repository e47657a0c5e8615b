// RUN: tile-opt %s -p 'verify-tokens{regions=0}' --split-input-file | filecheck %s

// The store waits for the load of its own region; those of other turns are other regions.
// CHECK-LABEL: @straight
// CHECK: store_view_tko
cuda_tile.module @m {
  entry @straight(%x: tile<ptr<f32>>, %n: tile<i32>) {
    %v = make_tensor_view %x, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %p = make_partition_view %v : partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>
    %b, %b1, %b2 = get_tile_block_id : tile<i32>
    %t, %k = load_view_tko weak %p[%b] : partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<4xf32>, token
    %s = store_view_tko weak %t, %p[%b] token = %k : tile<4xf32>, partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}

// -----

// CHECK-LABEL: @turns
// CHECK: store_view_tko
cuda_tile.module @m {
  entry @turns(%x: tile<ptr<f32>>, %n: tile<i32>) {
    %v = make_tensor_view %x, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %p = make_partition_view %v : partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    for %i in (%c0 to %n, step %c1) : tile<i32> {
      %t, %k = load_view_tko weak %p[%i] : partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<4xf32>, token
      %s = store_view_tko weak %t, %p[%i] token = %k : tile<4xf32>, partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    }
    return
  }
}

// -----

// One region in all turns: a token is carried from turn to turn, and past the loop.
// CHECK-LABEL: @carried
// CHECK: iter_values
cuda_tile.module @m {
  entry @carried(%x: tile<ptr<f32>>, %n: tile<i32>) {
    %v = make_tensor_view %x, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %p = make_partition_view %v : partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>
    %b, %b1, %b2 = get_tile_block_id : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %none = make_token : token
    %end = for %i in (%c0 to %n, step %c1) : tile<i32> iter_values(%a = %none) -> (token) {
      %t, %k = load_view_tko weak %p[%b] token = %a : partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<4xf32>, token
      %s = store_view_tko weak %t, %p[%b] token = %k : tile<4xf32>, partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
      continue %s : token
    }
    %u, %l = load_view_tko weak %p[%b] token = %end : partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<4xf32>, token
    return
  }
}

// -----

// The reads of a loop are in no order; what writes behind them waits for all.
// CHECK-LABEL: @reads_of_a_loop
// CHECK: join_tokens
cuda_tile.module @m {
  entry @reads_of_a_loop(%x: tile<ptr<f32>>, %n: tile<i32>) {
    %v = make_tensor_view %x, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %p = make_partition_view %v : partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>
    %b, %b1, %b2 = get_tile_block_id : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %f = constant <f32: 0.0> : tile<4xf32>
    %none = make_token : token
    %end = for %i in (%c0 to %n, step %c1) : tile<i32> iter_values(%a = %none) -> (token) {
      %t, %k = load_view_tko weak %p[%b] : partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<4xf32>, token
      %j = join_tokens %a, %k : token
      continue %j : token
    }
    %s = store_view_tko weak %f, %p[%b] token = %end : tile<4xf32>, partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}
