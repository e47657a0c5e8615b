// RUN: tile-opt %s -p hoist-invariants | filecheck %s

cuda_tile.module @m {
  // Scalars, views and constants leave as many loops as they can; tiles and what depends on the turn stay. A division leaves
  // only if its divisor cannot fail: the loop might have had no turn.
  // CHECK-LABEL: entry @loops(
  // CHECK: %a = cuda_tile.addi %x, %x
  // CHECK-NEXT: %zeros = cuda_tile.constant <f32: 0.000000e+00> : tile<8xf32>
  // CHECK-NEXT: %w = cuda_tile.make_partition_view %v
  // CHECK-NEXT: %seven = cuda_tile.constant <i32: 7>
  // CHECK-NEXT: %q = cuda_tile.divi %x, %seven unsigned
  // CHECK: for %k
  // CHECK-NEXT: %b = cuda_tile.addi %k, %a
  // CHECK-NEXT: for %l
  // CHECK: cuda_tile.divi %a, %x
  // CHECK-NEXT: cuda_tile.reshape
  // CHECK-NEXT: cuda_tile.broadcast
  entry @loops(%p: tile<ptr<f32>>, %x: tile<i32>, %s: tile<f32>) {
    %v = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    for %k in (%x to %x, step %x) : tile<i32> {
      for %l in (%x to %x, step %x) : tile<i32> {
        %a = addi %x, %x : tile<i32>
        %b = addi %k, %a : tile<i32>
        %zeros = constant <f32: 0.0> : tile<8xf32>
        %w = make_partition_view %v : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
        %seven = constant <i32: 7> : tile<i32>
        %q = divi %x, %seven unsigned : tile<i32>
        %r = divi %a, %x unsigned : tile<i32>
        %s1 = reshape %s : tile<f32> -> tile<1xf32>
        %t = broadcast %s1 : tile<1xf32> -> tile<8xf32>
        %u = store_view_tko weak %t, %w[%b] : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
        %o = print_tko "%d %d %d %f", %l, %r, %q, %zeros : tile<i32>, tile<i32>, tile<i32>, tile<8xf32> -> token
      }
    }
    return
  }

  // `loop` is a loop, too; what stands in a branch is left there.
  // CHECK-LABEL: entry @endless(
  // CHECK: %a = cuda_tile.addi %x, %x
  // CHECK-NEXT: cuda_tile.loop {
  // CHECK-NEXT: cuda_tile.if %c {
  // CHECK-NEXT: %b = cuda_tile.muli
  entry @endless(%x: tile<i32>, %c: tile<i1>) {
    loop {
      %a = addi %x, %x : tile<i32>
      if %c {
        %b = muli %x, %x : tile<i32>
        %t = print_tko "%d %d", %a, %b : tile<i32>, tile<i32> -> token
        break
      }
      continue
    }
    return
  }
}

cuda_tile.module @divisions {
  // The least number has no quotient by -1; zero divides nothing.
  // CHECK-LABEL: entry @that_may_fail(
  // CHECK: %minus = cuda_tile.constant <i32: -1>
  // CHECK-NEXT: %zero = cuda_tile.constant <i32: 0>
  // CHECK-NEXT: %two = cuda_tile.constant <i32: -2>
  // CHECK-NEXT: %c = cuda_tile.divi %x, %two signed
  // CHECK-NEXT: for %k
  // CHECK-NEXT: cuda_tile.divi %x, %minus signed
  // CHECK-NEXT: cuda_tile.remi %x, %minus signed
  // CHECK-NEXT: cuda_tile.divi %x, %zero unsigned
  entry @that_may_fail(%x: tile<i32>) {
    for %k in (%x to %x, step %x) : tile<i32> {
      %minus = constant <i32: -1> : tile<i32>
      %zero = constant <i32: 0> : tile<i32>
      %two = constant <i32: -2> : tile<i32>
      %a = divi %x, %minus signed : tile<i32>
      %b = remi %x, %minus signed : tile<i32>
      %d = divi %x, %zero unsigned : tile<i32>
      %c = divi %x, %two signed : tile<i32>
      %o = print_tko "%d %d %d %d", %a, %b, %d, %c : tile<i32>, tile<i32>, tile<i32>, tile<i32> -> token
    }
    return
  }
}
