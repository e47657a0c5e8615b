// RUN: ROUNDTRIP
// RUN: GENERIC_ROUNDTRIP

// Inside a module the dialect's name may be left out, of operations and of types.

// CHECK: cuda_tile.module @kernels attributes {producer = "a compiler"} {
cuda_tile.module @kernels attributes {producer = "a compiler"} {
  // CHECK: cuda_tile.global @weights alignment = 16 <f32: [1.000000e+00, 2.000000e+00]> : tile<2xf32>
  global @weights alignment = 16 <f32: [1.0, 2.0]> : tile<2xf32>
  // CHECK: cuda_tile.global private constant @table <i4: [1, -2]> : tile<2xi4>
  cuda_tile.global private constant @table <i4: [1, -2]> : !cuda_tile.tile<2xi4>

  // CHECK: cuda_tile.entry @k(%p: tile<ptr<f32>> {cuda_tile.align = 16 : i32}, %n: tile<i32>) optimization_hints=<default = {occupancy = 2}, sm_100 = {num_cta_in_cga = 2}> {
  entry @k(%p: tile<ptr<f32>> {cuda_tile.align = 16 : i32}, %n: !cuda_tile.tile<i32>) optimization_hints=<sm_100 = {num_cta_in_cga = 2}, default = {occupancy = 2}> {
    // CHECK: %x, %y, %z = cuda_tile.get_tile_block_id : tile<i32>
    %x, %y, %z = get_tile_block_id : tile<i32>
    // CHECK: %gx, %gy, %gz = cuda_tile.get_num_tile_blocks : tile<i32>
    %gx, %gy, %gz = cuda_tile.get_num_tile_blocks : !cuda_tile.tile<i32>
    // CHECK: %w = cuda_tile.get_global @weights : tile<ptr<f32>>
    %w = get_global @weights : tile<ptr<f32>>
    // A return at the end may be left out.
    // CHECK: cuda_tile.return
  }

  // CHECK: cuda_tile.entry @"a name"() {
  // CHECK-NEXT: cuda_tile.return
  entry @"a name"() optimization_hints=<> {
    return
  }
}
