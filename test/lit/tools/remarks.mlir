// The assembler's remarks, at the lines of the source, and as diagnostics that a file may expect.
// RUN: tile-opt %s --remarks all --arch sm_100 2>&1 | filecheck %s
// RUN: tile-opt %s --remarks all --arch sm_100 --verify-diagnostics=only-expected
// RUN: not tile-opt %s --remarks all 2>&1 | filecheck %s --check-prefix NO-ARCH

// NO-ARCH: --remarks needs --arch

cuda_tile.module @remarks {
  entry @k(%p: tile<ptr<f32>>) {
    %c0 = constant <i32: 0> : tile<i32>
    %v = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %w = make_partition_view %v : partition_view<tile=(64x64), tensor_view<64x64xf32, strides=[64,1]>>
    // CHECK:      remark[O417]: {{[A-Za-z]+}}
    // CHECK-NEXT: --> {{.*}}remarks.mlir:
    // expected-remark-re @below {{O417: {{.+}}}}
    %x, %t0 = load_view_tko weak %w[%c0, %c0] : partition_view<tile=(64x64), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> tile<64x64xf32>, token
    %t1 = store_view_tko weak %x, %w[%c0, %c0] token = %t0 : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
    return
  }
}
// CHECK: cuda_tile.module @remarks
