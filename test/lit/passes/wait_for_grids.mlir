// RUN: tile-opt %s -p wait-for-grids --elide-prefix | filecheck %s
// RUN: tile-opt %s -p 'wait-for-grids{early=1}' --elide-prefix | filecheck %s --check-prefix=EARLY

cuda_tile.module @m {
  // Everything that begins an order of accesses takes the wait's token, in loops, too; what follows an access stays.
  // CHECK-LABEL: entry @sums
  // CHECK-NEXT: %i = constant
  // CHECK: %start = gdc_wait_tko
  // CHECK-NEXT: %0 = gdc_launch_dependents_tko token = %start
  // CHECK-NEXT: %a, %result_token = load_view_tko weak %w_view[%i, %i] token = %start
  // CHECK: for
  // CHECK: %b, %t = load_view_tko weak %x_view[%k, %i] token = %start
  // CHECK: store_view_tko weak %b, %x_view[%k, %i] token = %t
  // CHECK-NOT: make_token
  // CHECK: atomic_cas_tko relaxed device %p, %i, %i token=%start
  // What is early stays in front, where the text has it there, before the wait, which takes its token; behind it has to wait for nothing.
  // EARLY-LABEL: entry @sums
  // EARLY-NEXT: %0 = gdc_launch_dependents_tko
  // EARLY: %a, %[[loaded:[a-z_0-9]+]] = load_view_tko weak %w_view[%i, %i] : partition_view
  // EARLY-NEXT: %start = gdc_wait_tko token = %[[loaded]]
  // EARLY: load_view_tko weak %x_view[%k, %i] token = %start
  entry @sums(%x: tile<ptr<f32>>, %w: tile<ptr<f32>>, %p: tile<ptr<i32>>) {
    %i = constant <i32: 0> : tile<i32>
    %n = constant <i32: 4> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %xt = make_tensor_view %x, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %x_view = make_partition_view %xt : partition_view<tile=(16x16), tensor_view<64x64xf32, strides=[64,1]>>
    %wa = assume div_by<16>, %w : tile<ptr<f32>>
    %wt = make_tensor_view %wa, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %w_view = make_partition_view %wt : partition_view<tile=(16x16), tensor_view<64x64xf32, strides=[64,1]>>
    %a, %0 = load_view_tko weak %w_view[%i, %i] : partition_view<tile=(16x16), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> tile<16x16xf32>, token
    %start = make_token : token
    for %k in (%i to %n, step %one) : tile<i32> {
      %b, %t = load_view_tko weak %x_view[%k, %i] : partition_view<tile=(16x16), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> tile<16x16xf32>, token
      %s = store_view_tko weak %b, %x_view[%k, %i] token = %t : tile<16x16xf32>, partition_view<tile=(16x16), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
    }
    %old, %last = atomic_cas_tko relaxed device %p, %i, %i token = %start : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    return
  }

  // A block that ends early has waited, too: who waits for the kernel has waited for those in front of it.
  // CHECK-LABEL: entry @leaves
  // CHECK: %start = gdc_wait_tko
  // CHECK-NEXT: %0 = gdc_launch_dependents_tko token = %start
  // CHECK-NEXT: if %c
  // CHECK: return
  // EARLY-LABEL: entry @leaves
  // EARLY-NEXT: %0 = gdc_launch_dependents_tko
  // EARLY: gdc_wait_tko
  // EARLY-NEXT: if %c
  entry @leaves(%p: tile<ptr<i32>>) {
    %i = constant <i32: 0> : tile<i32>
    %b, %b1, %b2 = get_tile_block_id : tile<i32>
    %c = cmpi greater_than %b, %i, signed : tile<i32> -> tile<i1>
    if %c {
      return
    }
    %start = make_token : token
    %old, %last = atomic_cas_tko relaxed device %p, %i, %i token = %start : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    return
  }
}
