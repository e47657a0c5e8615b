// RUN: tile-opt %s -p flatten-products | filecheck %s

cuda_tile.module @m {
  // One batch: the product is one of matrices, and the loop carries the sum as one. What comes out has its shape again.
  // CHECK-LABEL: entry @carried(
  // CHECK: %[[ZERO:.*]] = cuda_tile.constant <f32: 0.000000e+00> : tile<16x8xf32>
  // CHECK-NEXT: %[[SUM:.*]] = cuda_tile.for %k in (%c0 to %n, step %c1) : tile<i32> iter_values(%acc = %[[ZERO]]) -> (tile<16x8xf32>)
  // CHECK-NEXT: %y = cuda_tile.mulf
  // CHECK-NEXT: %[[A:.*]] = cuda_tile.reshape %y : tile<1x16x32xf16> -> tile<16x32xf16>
  // CHECK-NEXT: %[[B:.*]] = cuda_tile.constant <f16: 1.000000e+00> : tile<32x8xf16>
  // CHECK-NEXT: %[[NEXT:.*]] = cuda_tile.mmaf %[[A]], %[[B]], %acc : tile<16x32xf16>, tile<32x8xf16>, tile<16x8xf32>
  // CHECK-NEXT: cuda_tile.continue %[[NEXT]] : tile<16x8xf32>
  // CHECK: %[[WHOLE:.*]] = cuda_tile.reshape %[[SUM]] : tile<16x8xf32> -> tile<1x16x8xf32>
  // CHECK-NEXT: cuda_tile.negf %[[WHOLE]]
  entry @carried(%n: tile<i32>) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %x = constant <f16: 1.0> : tile<1x16x32xf16>
    %b = constant <f16: 1.0> : tile<1x32x8xf16>
    %zero = constant <f32: 0.0> : tile<1x16x8xf32>
    %sum = for %k in (%c0 to %n, step %c1) : tile<i32> iter_values(%acc = %zero) -> (tile<1x16x8xf32>) {
      %y = mulf %x, %x : tile<1x16x32xf16>
      %r = mmaf %y, %b, %acc : tile<1x16x32xf16>, tile<1x32x8xf16>, tile<1x16x8xf32>
      continue %r : tile<1x16x8xf32>
    }
    %z = negf %sum : tile<1x16x8xf32>
    return
  }

  // Loops in loops carry it as a matrix all the way; integers, too, with their signs.
  // CHECK-LABEL: entry @nested(
  // CHECK: cuda_tile.for %i {{.*}} iter_values(%outer = %{{.*}}) -> (tile<16x8xi32>)
  // CHECK-NEXT: %[[INNER:.*]] = cuda_tile.for %j {{.*}} iter_values(%inner = %outer) -> (tile<16x8xi32>)
  // CHECK: %[[NEXT:.*]] = cuda_tile.mmai %{{.*}}, %{{.*}}, %inner signed unsigned : tile<16x32xi8>, tile<32x8xi8>, tile<16x8xi32>
  // CHECK-NEXT: cuda_tile.continue %[[NEXT]]
  // CHECK: cuda_tile.continue %[[INNER]] : tile<16x8xi32>
  entry @nested(%n: tile<i32>) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %a = constant <i8: 1> : tile<1x16x32xi8>
    %b = constant <i8: 2> : tile<1x32x8xi8>
    %zero = constant <i32: 0> : tile<1x16x8xi32>
    %sum = for %i in (%c0 to %n, step %c1) : tile<i32> iter_values(%outer = %zero) -> (tile<1x16x8xi32>) {
      %part = for %j in (%c0 to %n, step %c1) : tile<i32> iter_values(%inner = %outer) -> (tile<1x16x8xi32>) {
        %r = mmai %a, %b, %inner signed unsigned : tile<1x16x32xi8>, tile<1x32x8xi8>, tile<1x16x8xi32>
        continue %r : tile<1x16x8xi32>
      }
      continue %part : tile<1x16x8xi32>
    }
    %z = addi %sum, %sum : tile<1x16x8xi32>
    return
  }

  // A turn that does more with the sum, or ends early with another one, carries it as it is.
  // CHECK-LABEL: entry @kept(
  // CHECK: cuda_tile.for {{.*}} iter_values(%acc = %zero) -> (tile<1x16x8xf32>)
  // CHECK: %[[HALF:.*]] = cuda_tile.mulf %acc, %half
  // CHECK: %[[FLAT:.*]] = cuda_tile.reshape %[[HALF]] : tile<1x16x8xf32> -> tile<16x8xf32>
  // CHECK: %[[R:.*]] = cuda_tile.mmaf %{{.*}}, %{{.*}}, %[[FLAT]] fast_acc : tile<16x32xf8E4M3FN>
  // CHECK-NEXT: %[[WHOLE:.*]] = cuda_tile.reshape %[[R]] : tile<16x8xf32> -> tile<1x16x8xf32>
  // CHECK-NEXT: cuda_tile.continue %[[WHOLE]]
  // CHECK: cuda_tile.for {{.*}} iter_values(%early = %zero) -> (tile<1x16x8xf32>)
  // CHECK: cuda_tile.continue %half : tile<1x16x8xf32>
  entry @kept(%n: tile<i32>, %c: tile<i1>) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %a = constant <f8E4M3FN: 1.0> : tile<1x16x32xf8E4M3FN>
    %b = constant <f8E4M3FN: 1.0> : tile<1x32x8xf8E4M3FN>
    %half = constant <f32: 0.5> : tile<1x16x8xf32>
    %zero = constant <f32: 0.0> : tile<1x16x8xf32>
    %sum = for %k in (%c0 to %n, step %c1) : tile<i32> iter_values(%acc = %zero) -> (tile<1x16x8xf32>) {
      %h = mulf %acc, %half : tile<1x16x8xf32>
      %r = mmaf %a, %b, %h fast_acc : tile<1x16x32xf8E4M3FN>, tile<1x32x8xf8E4M3FN>, tile<1x16x8xf32>
      continue %r : tile<1x16x8xf32>
    }
    %other = for %k in (%c0 to %n, step %c1) : tile<i32> iter_values(%early = %zero) -> (tile<1x16x8xf32>) {
      if %c {
        continue %half : tile<1x16x8xf32>
      }
      %r = mmaf %a, %b, %early : tile<1x16x32xf8E4M3FN>, tile<1x32x8xf8E4M3FN>, tile<1x16x8xf32>
      continue %r : tile<1x16x8xf32>
    }
    return
  }

  // Two batches stay.
  // CHECK-LABEL: entry @two(
  // CHECK: cuda_tile.mmaf %a, %b, %acc : tile<2x16x32xf16>, tile<2x32x8xf16>, tile<2x16x8xf32>
  entry @two() {
    %a = constant <f16: 1.0> : tile<2x16x32xf16>
    %b = constant <f16: 1.0> : tile<2x32x8xf16>
    %acc = constant <f32: 0.0> : tile<2x16x8xf32>
    %r = mmaf %a, %b, %acc : tile<2x16x32xf16>, tile<2x32x8xf16>, tile<2x16x8xf32>
    return
  }
}
