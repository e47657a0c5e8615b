// RUN: tile-opt %s -p resolve-obligations,deny-kernel-checks --print-diagnostics --split-input-file | filecheck %s

// CHECK:      error[O301]: this load from `x` needs an in-kernel bounds check, and these are denied
// CHECK:      cannot prove `0 <= s and s < ceildiv(M, 64)`
// CHECK:      = note: `s` is computed in a way that may wrap, or that the prover does not follow
// CHECK-NEXT: = note: other obligations of this access: axis 1 in bounds checked at launch
// CHECK-NEXT: = help: clamp the index: `fh.minimum(fh.maximum(s, 0), fh.cdiv(x.shape[0], 64) - 1)`
// CHECK-NEXT: = help: or access it only under a condition: `if 0 <= s and s < fh.cdiv(x.shape[0], 64):`
// CHECK-NEXT: = help: or allow checks in the kernel: leave out `deny_kernel_checks`
ownership.kernel @scalar(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[M, K], f32>, %f: !cuda_tile.tile<f32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [64], [N], f32>
  %u = ownership.borrow %x : !ownership.tensor<[M, K], f32> -> !ownership.ref<[M, K], f32>
  ownership.distribute %p : !ownership.partition<mut tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %s = cuda_tile.ftoi %f signed : !cuda_tile.tile<f32> -> !cuda_tile.tile<i32>
    %a = ownership.load %u[%s, %i] : !ownership.ref<[M, K], f32> -> !cuda_tile.tile<64x64xf32>
  }
}

// -----

// CHECK: ownership.kernel @none
ownership.kernel @none(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [64], [N], f32>
  %u = ownership.borrow %x : !ownership.tensor<[N], f32> -> !ownership.ref<[N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %a = ownership.load %u[%i] : !ownership.ref<[N], f32> -> !cuda_tile.tile<64xf32>
  }
}
