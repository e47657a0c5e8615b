// RUN: tile-opt %s -p convert-ownership-to-cuda-tile --split-input-file --verify-diagnostics | filecheck %s

// What the verifiers would have refused is not converted either.

// CHECK: error[O503]
// CHECK-SAME: kernel @nothing needs one ownership.distribute, not 0
ownership.kernel @nothing(%x: !ownership.tensor<[N], f32>) {
  %b = ownership.borrow %x : !ownership.tensor<[N], f32> -> !ownership.ref<[N], f32>
}

// -----

// CHECK: through: stores through a shared borrow
ownership.kernel @through(%x: !ownership.tensor<[N], f32>, %y: !ownership.tensor<[N], f32>) {
  %b = ownership.borrow %x : !ownership.tensor<[N], f32> -> !ownership.ref<[N], f32>
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<out tile [4], [N], f32>
  ownership.distribute %p : !ownership.partition<out tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %c = cuda_tile.constant <f32: 1.0> : tile<4xf32>
    ownership.store %c, %b[%i] : !cuda_tile.tile<4xf32>, !ownership.ref<[N], f32>
  }
}

// -----

// CHECK: unmet: an obligation is not met
ownership.kernel @unmet(%x: !ownership.tensor<[N], f32>, %y: !ownership.tensor<[N], f32>) {
  %b = ownership.borrow %x : !ownership.tensor<[N], f32> -> !ownership.ref<[N], f32>
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<out tile [4], [N], f32>
  ownership.distribute %p : !ownership.partition<out tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %u = ownership.load %b[%i] {obligations = [#ownership.obligation<in_bounds axis 0 refused "no">]} : !ownership.ref<[N], f32> -> !cuda_tile.tile<4xf32>
  }
}

// -----

// CHECK: disjoint: disjoint cannot be checked in a kernel
ownership.kernel @disjoint(%y: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<out tile [4], [N], f32>
  ownership.distribute %p : !ownership.partition<out tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] {obligations = [#ownership.obligation<disjoint kernel "i == i">]} : !ownership.partition<out tile [4], [N], f32> -> !ownership.region<out tile [4], [N], f32>
  }
}
