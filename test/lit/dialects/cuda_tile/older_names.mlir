// RUN: ROUNDTRIP
// RUN: tile-opt %s --text-version 13.3 | filecheck %s --check-prefix OLDER
// RUN: tile-opt %s --text-version 13.3 --print-op-generic | filecheck %s --check-prefix GENERIC
// RUN: tile-opt %s --text-version 13.3 --print-op-generic | tile-opt | filecheck %s
// RUN: not tile-opt %s --text-version 12.0 2>&1 | filecheck %s --check-prefix UNKNOWN
// UNKNOWN: --text-version

// What text of older versions calls `pow` and `print`.
cuda_tile.module @m {
  entry @k(%x: tile<f32>) {
    // CHECK: %y = cuda_tile.fpowf %x, %x : tile<f32>
    // OLDER: %y = cuda_tile.pow %x, %x : tile<f32>
    // GENERIC: %y = "cuda_tile.pow"(%x, %x) : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>
    %y = pow %x, %x : tile<f32>
    // CHECK: cuda_tile.print_tko "%f", %y : tile<f32> -> token
    print "%f", %y : tile<f32>
  }
}

// Generic text of a version in which `inbounds` did not exist promises nothing.
// CHECK: cuda_tile.load_view_tko weak %view[%at] : partition_view<
%view = "test.op"() : () -> !cuda_tile.partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
%at = "test.op"() : () -> !cuda_tile.tile<i32>
%loaded, %token = "cuda_tile.load_view_tko"(%view, %at) <{memory_ordering_semantics = 0 : i32, operandSegmentSizes = array<i32: 1, 1, 0>}> : (!cuda_tile.partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, !cuda_tile.tile<i32>) -> (!cuda_tile.tile<8xf32>, !cuda_tile.token)
