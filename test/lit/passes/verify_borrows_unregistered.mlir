// RUN: tile-opt %s -p verify-borrows --allow-unregistered-dialect --print-diagnostics | filecheck %s

// xDSL ascribes every trait to an operation that is not registered, also that it touches no memory.
// CHECK:      error[O112]: `other.writes` may touch memory in ways that are not understood
// CHECK:      error[O112]: `other.computes` may touch memory in ways that are not understood
// CHECK:      error[O112]: `other.holds` may touch memory in ways that are not understood
// CHECK:      error[O111]: `other.uses` uses `y` in a way that is not understood
// CHECK:      error[O112]: `other.uses` may touch memory in ways that are not understood
ownership.kernel @k(%y: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<out tile [64], [N], f32>
  "other.writes"() : () -> ()
  ownership.distribute %p : !ownership.partition<out tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<out tile [64], [N], f32> -> !ownership.region<out tile [64], [N], f32>
    %v = "other.computes"() : () -> !cuda_tile.tile<64xf32>
    "other.holds"() ({
      %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    }) : () -> ()
    "other.uses"(%r) : (!ownership.region<out tile [64], [N], f32>) -> ()
    ownership.store %v, %r : !cuda_tile.tile<64xf32>, !ownership.region<out tile [64], [N], f32>
  }
}
