// RUN: ROUNDTRIP

// What text of older versions calls `pow` and `print`.
cuda_tile.module @m {
  entry @k(%x: tile<f32>) {
    // CHECK: %y = cuda_tile.fpowf %x, %x : tile<f32>
    %y = pow %x, %x : tile<f32>
    // CHECK: cuda_tile.print_tko "%f", %y : tile<f32> -> token
    print "%f", %y : tile<f32>
  }
}
