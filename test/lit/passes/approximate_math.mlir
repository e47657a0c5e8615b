// RUN: tile-opt %s -p approximate-math | filecheck %s
// RUN: tile-opt %s -p approximate-math,canonicalize,cse,contract-multiply-add | filecheck %s --check-prefix=CONTRACTED

cuda_tile.module @m {
  // What is f32 and rounded as by default is approximate, and flushes subnormal numbers.
  // CHECK-LABEL: entry @each(
  // CHECK-NEXT: %q = cuda_tile.divf %a, %b rounding<approx> flush_to_zero : tile<f32>
  // CHECK-NEXT: %r = cuda_tile.sqrt %a rounding<approx> flush_to_zero : tile<f32>
  // CHECK-NEXT: %s = cuda_tile.rsqrt %a flush_to_zero : tile<f32>
  // CHECK-NEXT: %t = cuda_tile.exp2 %a flush_to_zero : tile<f32>
  // CHECK-NEXT: %[[C:.*]] = cuda_tile.constant <f32: 1.442
  // CHECK-NEXT: %[[P:.*]] = cuda_tile.mulf %a, %[[C]] : tile<f32>
  // CHECK-NEXT: %u = cuda_tile.exp2 %[[P]] flush_to_zero : tile<f32>
  entry @each(%a: tile<f32>, %b: tile<f32>) {
    %q = divf %a, %b : tile<f32>
    %r = sqrt %a : tile<f32>
    %s = rsqrt %a : tile<f32>
    %t = exp2 %a : tile<f32>
    %u = exp %a : tile<f32>
    %o = print_tko "%f %f %f %f %f", %q, %r, %s, %t, %u : tile<f32>, tile<f32>, tile<f32>, tile<f32>, tile<f32> -> token
    return
  }

  // Other types stay, and so does what is rounded in another way.
  // CHECK-LABEL: entry @others(
  // CHECK-NEXT: cuda_tile.divf %a, %a : tile<f64>
  // CHECK-NEXT: cuda_tile.exp %a : tile<f64>
  // CHECK-NEXT: cuda_tile.divf %b, %b rounding<zero> : tile<f32>
  // CHECK-NEXT: cuda_tile.sqrt %b rounding<positive_inf> : tile<f32>
  // CHECK-NEXT: cuda_tile.exp %b rounding<approx> : tile<f32>
  entry @others(%a: tile<f64>, %b: tile<f32>) {
    %q = divf %a, %a : tile<f64>
    %r = exp %a : tile<f64>
    %s = divf %b, %b rounding<zero> : tile<f32>
    %t = sqrt %b rounding<positive_inf> : tile<f32>
    %u = exp %b rounding<approx> : tile<f32>
    %o = print_tko "%f %f %f %f %f", %q, %r, %s, %t, %u : tile<f64>, tile<f64>, tile<f32>, tile<f32>, tile<f32> -> token
    return
  }

  // What is the same for a row is inverted, and multiplied, once a row.
  // CHECK-LABEL: entry @rows(
  // CHECK: %[[I:.*]] = cuda_tile.divf %{{.*}}, %m rounding<approx> flush_to_zero : tile<4xf32>
  // CHECK: %[[J:.*]] = cuda_tile.reshape %[[I]] : tile<4xf32> -> tile<4x1xf32>
  // CHECK: %[[K:.*]] = cuda_tile.broadcast %[[J]] : tile<4x1xf32> -> tile<4x8xf32>
  // CHECK: %e = cuda_tile.mulf %x, %[[K]] : tile<4x8xf32>
  // CONTRACTED-LABEL: entry @rows(
  // CONTRACTED: cuda_tile.mulf %m, %{{.*}} : tile<4xf32>
  // CONTRACTED: %[[F:.*]] = cuda_tile.fma %x, %{{.*}}, %{{.*}} : tile<4x8xf32>
  // CONTRACTED: %s = cuda_tile.exp2 %[[F]] flush_to_zero : tile<4x8xf32>
  entry @rows() {
    %four = iota : tile<4xi32>
    %m = itof %four signed : tile<4xi32> -> tile<4xf32>
    %many = iota : tile<32xi32>
    %numbers = itof %many signed : tile<32xi32> -> tile<32xf32>
    %x = reshape %numbers : tile<32xf32> -> tile<4x8xf32>
    %n = reshape %m : tile<4xf32> -> tile<4x1xf32>
    %b = broadcast %n : tile<4x1xf32> -> tile<4x8xf32>
    %e = divf %x, %b : tile<4x8xf32>
    %d = subf %x, %b : tile<4x8xf32>
    %s = exp %d : tile<4x8xf32>
    %o = print_tko "%f %f", %e, %s : tile<4x8xf32>, tile<4x8xf32> -> token
    return
  }
}
