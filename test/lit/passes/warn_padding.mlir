// RUN: tile-opt %s -p warn-padding 2>&1 | filecheck %s

// A maximum and a sum of exponentials see zeros beyond the end; with another padding they do not, and a sum does not.
// CHECK:      KernelWarning: warning[O150]: this maximum counts elements beyond the end of a tensor
// CHECK:      where the tile overhangs, padding counts
// CHECK:      = help: load with `padding="-inf"`, which the maximum does not see
// CHECK:      KernelWarning: warning[O150]: this sum counts elements beyond the end of a tensor
// CHECK:      = help: put what does not count in its place with `fh.where`, or require that nothing overhangs
// CHECK:      KernelWarning: warning[O150]: this mean counts elements beyond the end of a tensor
// CHECK:      = help: divide by the tensor's extent, not by the tile's
// CHECK:      KernelWarning: warning[O151]: up to 31 elements along axis 0 of `x` are never read
// CHECK:      counts whole tiles of 32
// CHECK:      = help: count them all: `fh.tiles(x, axis=0, size=32)`, or `fh.cdiv`
// CHECK-NOT:  warning[
ownership.kernel @softmax(%y: !ownership.tensor<[M], f32>, %x: !ownership.tensor<[N], f32>, %even: !ownership.tensor<["64 * K"], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[M], f32> -> !ownership.partition<out tile [1], [M], f32>
  %b = ownership.borrow %x : !ownership.tensor<[N], f32> -> !ownership.ref<[N], f32>
  %whole = ownership.borrow %even : !ownership.tensor<["64 * K"], f32> -> !ownership.ref<["64 * K"], f32>
  ownership.distribute %p : !ownership.partition<out tile [1], [M], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<out tile [1], [M], f32> -> !ownership.region<out tile [1], [M], f32>
    %zero = cuda_tile.constant <i32: 0> : tile<i32>
    %t = ownership.load %b[%zero] : !ownership.ref<[N], f32> -> !cuda_tile.tile<32xf32>
    %max = cuda_tile.reduce %t dim=0 identities=[0xFF800000 : f32] : tile<32xf32> -> tile<f32> (%a: tile<f32>, %c: tile<f32>) {
      %l = cuda_tile.maxf %a, %c propagate_nan : tile<f32>
      cuda_tile.yield %l : tile<f32>
    }
    %e = cuda_tile.exp %t : tile<32xf32>
    %sum = cuda_tile.reduce %e dim=0 identities=[0.0 : f32] : tile<32xf32> -> tile<f32> (%a: tile<f32>, %c: tile<f32>) {
      %l = cuda_tile.addf %a, %c : tile<f32>
      cuda_tile.yield %l : tile<f32>
    }
    %total = cuda_tile.reduce %t dim=0 identities=[0.0 : f32] : tile<32xf32> -> tile<f32> (%a: tile<f32>, %c: tile<f32>) {
      %l = cuda_tile.addf %a, %c : tile<f32>
      cuda_tile.yield %l : tile<f32>
    }
    %count = cuda_tile.constant <f32: 32.0> : tile<f32>
    %mean = cuda_tile.divf %total, %count : tile<f32>
    %low = ownership.load %b[%zero] {padding_value = #cuda_tile.padding_value<neg_inf>} : !ownership.ref<[N], f32> -> !cuda_tile.tile<32xf32>
    %unseen = cuda_tile.reduce %low dim=0 identities=[0xFF800000 : f32] : tile<32xf32> -> tile<f32> (%a: tile<f32>, %c: tile<f32>) {
      %l = cuda_tile.maxf %a, %c propagate_nan : tile<f32>
      cuda_tile.yield %l : tile<f32>
    }
    %full = ownership.load %whole[%zero] : !ownership.ref<["64 * K"], f32> -> !cuda_tile.tile<32xf32>
    %inside = cuda_tile.reduce %full dim=0 identities=[0xFF800000 : f32] : tile<32xf32> -> tile<f32> (%a: tile<f32>, %c: tile<f32>) {
      %l = cuda_tile.maxf %a, %c propagate_nan : tile<f32>
      cuda_tile.yield %l : tile<f32>
    }
    %s = cuda_tile.reshape %sum : tile<f32> -> tile<1xf32>
    ownership.store %s, %r : !cuda_tile.tile<1xf32>, !ownership.region<out tile [1], [M], f32>
  }
}

ownership.kernel @short(%y: !ownership.tensor<[M], f32>, %x: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[M], f32> -> !ownership.partition<out tile [1], [M], f32>
  %b = ownership.borrow %x : !ownership.tensor<[N], f32> -> !ownership.ref<[N], f32>
  ownership.distribute %p : !ownership.partition<out tile [1], [M], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<out tile [1], [M], f32> -> !ownership.region<out tile [1], [M], f32>
    %zero = cuda_tile.constant <i32: 0> : tile<i32>
    %one = cuda_tile.constant <i32: 1> : tile<i32>
    %size = cuda_tile.constant <i32: 32> : tile<i32>
    %extent = ownership.dim %b, 0 : !ownership.ref<[N], f32>
    %whole = cuda_tile.divi %extent, %size signed rounding<negative_inf> : tile<i32>
    %start = cuda_tile.constant <f32: 0.0> : tile<f32>
    %sum = cuda_tile.for %k in (%zero to %whole, step %one) : tile<i32> iter_values(%acc = %start) -> (tile<f32>) {
      %t = ownership.load %b[%k] : !ownership.ref<[N], f32> -> !cuda_tile.tile<32xf32>
      %max = cuda_tile.reduce %t dim=0 identities=[0xFF800000 : f32] : tile<32xf32> -> tile<f32> (%a: tile<f32>, %c: tile<f32>) {
        %l = cuda_tile.maxf %a, %c propagate_nan : tile<f32>
        cuda_tile.yield %l : tile<f32>
      }
      %next = cuda_tile.addf %acc, %max : tile<f32>
      cuda_tile.continue %next : tile<f32>
    }
    %s = cuda_tile.reshape %sum : tile<f32> -> tile<1xf32>
    ownership.store %s, %r : !cuda_tile.tile<1xf32>, !ownership.region<out tile [1], [M], f32>
  }
}
