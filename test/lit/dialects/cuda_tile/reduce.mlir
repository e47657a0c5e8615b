// RUN: ROUNDTRIP
// RUN: GENERIC_ROUNDTRIP

%x = "test.op"() : () -> !cuda_tile.tile<2x4xf32>
%i = "test.op"() : () -> !cuda_tile.tile<2x4xi32>

// CHECK: cuda_tile.reduce %x dim=1 identities=[-0.000000e+00 : f32] : tile<2x4xf32> -> tile<2xf32>
// CHECK-NEXT: (%a: tile<f32>, %b: tile<f32>) {
// CHECK-NEXT: %s = cuda_tile.addf %a, %b : tile<f32>
// CHECK-NEXT: cuda_tile.yield %s : tile<f32>
%sum = cuda_tile.reduce %x dim=1 identities=[-0.0 : f32] : tile<2x4xf32> -> tile<2xf32> (%a: tile<f32>, %b: tile<f32>) {
  %s = addf %a, %b : tile<f32>
  yield %s : tile<f32>
}

// Two tiles together: the largest element and where it stands.
// CHECK: cuda_tile.reduce %x, %i dim=0 identities=[0xFF800000 : f32, -1 : i32] : tile<2x4xf32>, tile<2x4xi32> -> tile<4xf32>, tile<4xi32>
// CHECK-NEXT: (%v: tile<f32>, %w: tile<f32>, %j: tile<i32>, %k: tile<i32>) {
%max:2 = cuda_tile.reduce %x, %i dim=0 identities=[0xFF800000 : f32, -1 : i32] : tile<2x4xf32>, tile<2x4xi32> -> tile<4xf32>, tile<4xi32>
(%v: tile<f32>, %w: tile<f32>, %j: tile<i32>, %k: tile<i32>) {
  %c = cmpf greater_than ordered %v, %w : tile<f32> -> tile<i1>
  %e = select %c, %v, %w : tile<i1>, tile<f32>
  %at = if %c -> (tile<i32>) {
    yield %j : tile<i32>
  } else {
    yield %k : tile<i32>
  }
  yield %e, %at : tile<f32>, tile<i32>
}

// CHECK: cuda_tile.scan %i dim=1 reverse=true identities=[0 : i32] : tile<2x4xi32> -> tile<2x4xi32>
// CHECK-NEXT: (%l: tile<i32>, %r: tile<i32>) {
%scan = cuda_tile.scan %i dim=1 reverse=true identities=[0 : i32] : tile<2x4xi32> -> tile<2x4xi32> (%l: tile<i32>, %r: tile<i32>) {
  %t = addi %l, %r : tile<i32>
  yield %t : tile<i32>
}

// Floats keep their bits: what NaNs carry, and the type that no other dialect has.
%n = "test.op"() : () -> !cuda_tile.tile<4xfnv8E5M3FNU>
%h = "test.op"() : () -> !cuda_tile.tile<4xf16>
// CHECK: cuda_tile.scan %n, %h dim=0 reverse=false identities=[0xFF : fnv8E5M3FNU, 0x7C01 : f16] : tile<4xfnv8E5M3FNU>, tile<4xf16> -> tile<4xfnv8E5M3FNU>, tile<4xf16>
// CHECK-NEXT: (
%nans:2 = cuda_tile.scan %n, %h dim=0 reverse=false identities=[0xFF : fnv8E5M3FNU, 0x7C01 : f16] : tile<4xfnv8E5M3FNU>, tile<4xf16> -> tile<4xfnv8E5M3FNU>, tile<4xf16>
(%n0: tile<fnv8E5M3FNU>, %n1: tile<fnv8E5M3FNU>, %h0: tile<f16>, %h1: tile<f16>) {
  yield %n0, %h0 : tile<fnv8E5M3FNU>, tile<f16>
}
