// RUN: tile-opt %s -p 'verify-tokens{regions=0 shared=1}' --split-input-file --print-diagnostics | filecheck %s

// A write behind a read.
// CHECK: cuda_tile.store_view_tko
// CHECK-SAME: is not ordered after cuda_tile.load_view_tko
cuda_tile.module @m {
  entry @straight(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>, %q: tile<i1>) {
    %v = make_tensor_view %x, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %p = make_partition_view %v : partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>
    %b, %b1, %b2 = get_tile_block_id : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %f = constant <f32: 0.0> : tile<4xf32>
    %none = make_token : token
    %t, %k = load_view_tko weak %p[%b] : partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<4xf32>, token
    %s = store_view_tko weak %f, %p[%b] : tile<4xf32>, partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}

// -----

// A token that is there and comes from somewhere else.
// CHECK: is not ordered after cuda_tile.load_view_tko
cuda_tile.module @m {
  entry @wrong_token(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>, %q: tile<i1>) {
    %v = make_tensor_view %x, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %p = make_partition_view %v : partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>
    %b, %b1, %b2 = get_tile_block_id : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %f = constant <f32: 0.0> : tile<4xf32>
    %none = make_token : token
    %t, %k = load_view_tko weak %p[%b] : partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<4xf32>, token
    %s = store_view_tko weak %f, %p[%b] token = %none : tile<4xf32>, partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}

// -----

// A write behind a write.
// CHECK: is not ordered after cuda_tile.store_view_tko
cuda_tile.module @m {
  entry @two_writes(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>, %q: tile<i1>) {
    %v = make_tensor_view %x, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %p = make_partition_view %v : partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>
    %b, %b1, %b2 = get_tile_block_id : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %f = constant <f32: 0.0> : tile<4xf32>
    %none = make_token : token
    %s = store_view_tko weak %f, %p[%b] : tile<4xf32>, partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    %u = store_view_tko weak %f, %p[%b] : tile<4xf32>, partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}

// -----

// Coordinates that are computed alike are the same.
// CHECK: is not ordered after cuda_tile.store_view_tko
cuda_tile.module @m {
  entry @same_coordinates(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>, %q: tile<i1>) {
    %v = make_tensor_view %x, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %p = make_partition_view %v : partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>
    %b, %b1, %b2 = get_tile_block_id : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %f = constant <f32: 0.0> : tile<4xf32>
    %none = make_token : token
    %i = addi %b, %c1 : tile<i32>
    %s = store_view_tko weak %f, %p[%i] : tile<4xf32>, partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    %j = addi %b, %c1 : tile<i32>
    %u = store_view_tko weak %f, %p[%j] : tile<4xf32>, partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}

// -----

// One region in all turns, and no token is carried.
// CHECK: is not ordered after cuda_tile.store_view_tko
cuda_tile.module @m {
  entry @turns(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>, %q: tile<i1>) {
    %v = make_tensor_view %x, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %p = make_partition_view %v : partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>
    %b, %b1, %b2 = get_tile_block_id : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %f = constant <f32: 0.0> : tile<4xf32>
    %none = make_token : token
    for %i in (%c0 to %n, step %c1) : tile<i32> {
      %s = store_view_tko weak %f, %p[%b] : tile<4xf32>, partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    }
    return
  }
}

// -----

// The token of the first turn is handed on, not that of the last.
// CHECK: is not ordered after cuda_tile.store_view_tko
cuda_tile.module @m {
  entry @handed_on(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>, %q: tile<i1>) {
    %v = make_tensor_view %x, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %p = make_partition_view %v : partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>
    %b, %b1, %b2 = get_tile_block_id : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %f = constant <f32: 0.0> : tile<4xf32>
    %none = make_token : token
    %end = for %i in (%c0 to %n, step %c1) : tile<i32> iter_values(%a = %none) -> (token) {
      %s = store_view_tko weak %f, %p[%b] token = %a : tile<4xf32>, partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
      continue %a : token
    }
    return
  }
}

// -----

// What follows a loop waits for it.
// CHECK: is not ordered after cuda_tile.store_view_tko
cuda_tile.module @m {
  entry @past_the_loop(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>, %q: tile<i1>) {
    %v = make_tensor_view %x, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %p = make_partition_view %v : partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>
    %b, %b1, %b2 = get_tile_block_id : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %f = constant <f32: 0.0> : tile<4xf32>
    %none = make_token : token
    %end = for %i in (%c0 to %n, step %c1) : tile<i32> iter_values(%a = %none) -> (token) {
      %s = store_view_tko weak %f, %p[%b] token = %a : tile<4xf32>, partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
      continue %s : token
    }
    %t, %k = load_view_tko weak %p[%b] token = %none : partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<4xf32>, token
    return
  }
}

// -----

// A write behind a loop waits for the reads of all turns.
// CHECK: is not ordered after cuda_tile.load_view_tko
cuda_tile.module @m {
  entry @reads_of_a_loop(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>, %q: tile<i1>) {
    %v = make_tensor_view %x, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %p = make_partition_view %v : partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>
    %b, %b1, %b2 = get_tile_block_id : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %f = constant <f32: 0.0> : tile<4xf32>
    %none = make_token : token
    %end = for %i in (%c0 to %n, step %c1) : tile<i32> iter_values(%a = %none) -> (token) {
      %t, %k = load_view_tko weak %p[%b] : partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<4xf32>, token
      continue %k : token
    }
    %s = store_view_tko weak %f, %p[%b] token = %end : tile<4xf32>, partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}

// -----

// One side of a branch hands on another token.
// CHECK: is not ordered after cuda_tile.load_view_tko
cuda_tile.module @m {
  entry @branch(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>, %q: tile<i1>) {
    %v = make_tensor_view %x, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %p = make_partition_view %v : partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>
    %b, %b1, %b2 = get_tile_block_id : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %f = constant <f32: 0.0> : tile<4xf32>
    %none = make_token : token
    %e = if %q -> (token) {
      %t, %k = load_view_tko weak %p[%b] : partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<4xf32>, token
      yield %none : token
    } else {
      yield %none : token
    }
    %s = store_view_tko weak %f, %p[%b] token = %e : tile<4xf32>, partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}

// -----

// A branch in a loop, and a loop in a branch.
// CHECK: is not ordered after cuda_tile.store_view_tko
cuda_tile.module @m {
  entry @in_a_branch(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>, %q: tile<i1>) {
    %v = make_tensor_view %x, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %p = make_partition_view %v : partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>
    %b, %b1, %b2 = get_tile_block_id : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %f = constant <f32: 0.0> : tile<4xf32>
    %none = make_token : token
    if %q {
      for %i in (%c0 to %n, step %c1) : tile<i32> {
        if %q {
          %s = store_view_tko weak %f, %p[%b] : tile<4xf32>, partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
        }
      }
    }
    return
  }
}

// -----

// A region of an outer turn is one region in the inner loop.
// CHECK: is not ordered after cuda_tile.store_view_tko
cuda_tile.module @m {
  entry @outer_turns(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>, %q: tile<i1>) {
    %v = make_tensor_view %x, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %p = make_partition_view %v : partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>
    %b, %b1, %b2 = get_tile_block_id : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %f = constant <f32: 0.0> : tile<4xf32>
    %none = make_token : token
    for %i in (%c0 to %n, step %c1) : tile<i32> {
      for %j in (%c0 to %n, step %c1) : tile<i32> {
        %s = store_view_tko weak %f, %p[%i] : tile<4xf32>, partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
      }
    }
    return
  }
}

// -----

// What is lent is not written.
// CHECK: writes argument 1, which is only read
cuda_tile.module @m {
  entry @shared(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>, %q: tile<i1>) {
    %v = make_tensor_view %x, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %p = make_partition_view %v : partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>
    %b, %b1, %b2 = get_tile_block_id : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %f = constant <f32: 0.0> : tile<4xf32>
    %none = make_token : token
    %w = make_tensor_view %y, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %r = make_partition_view %w : partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>
    %s = store_view_tko weak %f, %r[%b] : tile<4xf32>, partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}

// -----

// A pointer that may be either of two.
// CHECK: touches memory of which it is not known whose it is
cuda_tile.module @m {
  entry @chosen(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>, %q: tile<i1>) {
    %v = make_tensor_view %x, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %p = make_partition_view %v : partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>
    %b, %b1, %b2 = get_tile_block_id : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %f = constant <f32: 0.0> : tile<4xf32>
    %none = make_token : token
    %z = select %q, %x, %y : tile<i1>, tile<ptr<f32>>
    %g, %h = load_ptr_tko weak %z : tile<ptr<f32>> -> tile<f32>, token
    return
  }
}
