// RUN: tile-opt %s -p 'verify-tokens{accumulators=0}' --split-input-file --print-diagnostics | filecheck %s

// Sums commute, whoever comes first.
// CHECK: entry @sums
cuda_tile.module @m {
  entry @sums(%x: tile<ptr<i32>>, %n: tile<i32>) {
    %a, %s = atomic_rmw_tko relaxed device %x, add, %n : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %b, %t = atomic_rmw_tko relaxed device %x, add, %n : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    return
  }
}

// -----

// An exchange leaves whatever came last: in straight line,
// CHECK: does to argument 0 what does not commute
cuda_tile.module @m {
  entry @exchange(%x: tile<ptr<i32>>, %n: tile<i32>) {
    %a, %s = atomic_rmw_tko relaxed device %x, xchg, %n : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    return
  }
}

// -----

// in a branch,
// CHECK: does to argument 0 what does not commute
cuda_tile.module @m {
  entry @in_a_branch(%x: tile<ptr<i32>>, %n: tile<i32>, %q: tile<i1>) {
    if %q {
      %a, %s = atomic_rmw_tko relaxed device %x, xchg, %n : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    }
    return
  }
}

// -----

// and in a loop.
// CHECK: does to argument 0 what does not commute
cuda_tile.module @m {
  entry @in_a_loop(%x: tile<ptr<i32>>, %n: tile<i32>) {
    for %i in (%n to %n, step %n) : tile<i32> {
      %a, %s = atomic_rmw_tko relaxed device %x, xchg, %n : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    }
    return
  }
}

// -----

// Sums that are in an order with other memory are more than sums.
// CHECK: does to argument 0 what does not commute
cuda_tile.module @m {
  entry @acquires(%x: tile<ptr<i32>>, %n: tile<i32>) {
    %a, %s = atomic_rmw_tko acquire device %x, add, %n : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    return
  }
}

// -----

// CHECK: does to argument 0 what does not commute
cuda_tile.module @m {
  entry @reads(%x: tile<ptr<i32>>) {
    %a, %s = load_ptr_tko weak %x : tile<ptr<i32>> -> tile<i32>, token
    return
  }
}
