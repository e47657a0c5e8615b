// RUN: tile-opt %s -p 'verify-tokens{ordered=0 persistent=true}' --split-input-file --print-diagnostics | filecheck %s
// RUN: tile-opt %s -p 'verify-tokens{ordered=0}' --split-input-file --print-diagnostics | filecheck %s --check-prefix=EACH

// A point may touch a place again, in a loop behind the first one: in order. Another turn of a persistent block is
// another point, whose regions are others. Where blocks have one point each, the outer loop may come back to a place.
// CHECK: entry @points
// EACH: is not ordered after cuda_tile.store_view_tko
cuda_tile.module @m {
  entry @points(%x: tile<ptr<f32>>, %n: tile<i32>) {
    %v = make_tensor_view %x, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %p = make_partition_view %v : partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %f = constant <f32: 0.0> : tile<4xf32>
    %b, %b1, %b2 = get_tile_block_id : tile<i32>
    %s0, %s1, %s2 = get_num_tile_blocks : tile<i32>
    for %i in (%b to %n, step %s0) : tile<i32> {
      %s = store_view_tko weak %f, %p[%i] : tile<4xf32>, partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
      %t, %k = load_view_tko weak %p[%i] token = %s : partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<4xf32>, token
    }
    return
  }
}

// -----

// Within a point the order is owed.
// CHECK: is not ordered after cuda_tile.store_view_tko
// EACH: is not ordered after cuda_tile.store_view_tko
cuda_tile.module @m {
  entry @within(%x: tile<ptr<f32>>, %n: tile<i32>) {
    %v = make_tensor_view %x, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %p = make_partition_view %v : partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %f = constant <f32: 0.0> : tile<4xf32>
    %b, %b1, %b2 = get_tile_block_id : tile<i32>
    %s0, %s1, %s2 = get_num_tile_blocks : tile<i32>
    for %i in (%b to %n, step %s0) : tile<i32> {
      for %j in (%c0 to %n, step %c1) : tile<i32> {
        %s = store_view_tko weak %f, %p[%j] : tile<4xf32>, partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
      }
      %t, %k = load_view_tko weak %p[%i] : partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<4xf32>, token
    }
    return
  }
}

// -----

// Of two loops neither is known to be the one over points.
// CHECK: is not ordered after cuda_tile.store_view_tko
// EACH: is not ordered after cuda_tile.store_view_tko
cuda_tile.module @m {
  entry @two_loops(%x: tile<ptr<f32>>, %n: tile<i32>) {
    %v = make_tensor_view %x, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %p = make_partition_view %v : partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %f = constant <f32: 0.0> : tile<4xf32>
    %b, %b1, %b2 = get_tile_block_id : tile<i32>
    %s0, %s1, %s2 = get_num_tile_blocks : tile<i32>
    for %i in (%b to %n, step %s0) : tile<i32> {
      %s = store_view_tko weak %f, %p[%i] : tile<4xf32>, partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    }
    for %i in (%b to %n, step %s0) : tile<i32> {
      %t, %k = load_view_tko weak %p[%i] : partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<4xf32>, token
    }
    return
  }
}

// -----

// What stands in front of the points, as what looks at offsets, is a loop of its own.
// CHECK: entry @in_front
// EACH: is not ordered after cuda_tile.store_view_tko
cuda_tile.module @m {
  entry @in_front(%x: tile<ptr<f32>>, %n: tile<i32>) {
    %v = make_tensor_view %x, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %p = make_partition_view %v : partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %f = constant <f32: 0.0> : tile<4xf32>
    %b, %b1, %b2 = get_tile_block_id : tile<i32>
    %s0, %s1, %s2 = get_num_tile_blocks : tile<i32>
    %sum = for %k in (%c0 to %n, step %c1) : tile<i32> iter_values(%a = %c0) -> (tile<i32>) {
      %next = addi %a, %k : tile<i32>
      continue %next : tile<i32>
    }
    for %i in (%b to %sum, step %s0) : tile<i32> {
      %s = store_view_tko weak %f, %p[%i] : tile<4xf32>, partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
      %t, %k = load_view_tko weak %p[%i] token = %s : partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<4xf32>, token
    }
    return
  }
}

// -----

// A loop that runs over anything else is none over points.
// CHECK: is not ordered after cuda_tile.store_view_tko
// EACH: is not ordered after cuda_tile.store_view_tko
cuda_tile.module @m {
  entry @no_points(%x: tile<ptr<f32>>, %n: tile<i32>) {
    %v = make_tensor_view %x, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %p = make_partition_view %v : partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>
    %c1 = constant <i32: 1> : tile<i32>
    %f = constant <f32: 0.0> : tile<4xf32>
    %b, %b1, %b2 = get_tile_block_id : tile<i32>
    %s0, %s1, %s2 = get_num_tile_blocks : tile<i32>
    for %i in (%b to %n, step %c1) : tile<i32> {
      %s = store_view_tko weak %f, %p[%i] : tile<4xf32>, partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    }
    return
  }
}
