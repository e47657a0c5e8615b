// RUN: tile-opt %s -p cse | filecheck %s

cuda_tile.module @m {
  // CHECK: @k
  entry @k(%p: tile<ptr<i32>>, %x: tile<i32>) {
    // Pure operations are shared.
    // CHECK: cuda_tile.addi
    // CHECK-NOT: cuda_tile.addi
    %a = addi %x, %x : tile<i32>
    %b = addi %x, %x : tile<i32>
    // Ordered loads, atomics, and what prints or stops the kernel are not.
    // CHECK: cuda_tile.load_ptr_tko acquire
    // CHECK: cuda_tile.load_ptr_tko acquire
    %c, %t0 = load_ptr_tko acquire device %p : tile<ptr<i32>> -> tile<i32>, token
    %d, %t1 = load_ptr_tko acquire device %p : tile<ptr<i32>> -> tile<i32>, token
    // CHECK: cuda_tile.atomic_rmw_tko
    // CHECK: cuda_tile.atomic_rmw_tko
    %e, %t2 = atomic_rmw_tko relaxed device %p, add, %x : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %f, %t3 = atomic_rmw_tko relaxed device %p, add, %x : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    // CHECK: cuda_tile.alloca
    // CHECK: cuda_tile.alloca
    %g = alloca num_elem = 4, alignment = 4 : tile<ptr<i32>>
    %h = alloca num_elem = 4, alignment = 4 : tile<ptr<i32>>
    print_tko "%d %d %d %d", %b, %c, %d, %e : tile<i32>, tile<i32>, tile<i32>, tile<i32> -> token
    %k0 = store_ptr_tko weak %g, %f : tile<ptr<i32>>, tile<i32> -> token
    %k1 = store_ptr_tko weak %h, %f : tile<ptr<i32>>, tile<i32> -> token
  }
}
