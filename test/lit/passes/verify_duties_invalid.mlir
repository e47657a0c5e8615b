// RUN: tile-opt %s -p resolve-obligations,verify-duties --print-diagnostics | filecheck %s

// Bounds are proved, and nothing else was looked at.
// CHECK:      error[O142]: `fill` is not verified
// CHECK:      `kernel` owes that it is launchable, and nothing says how that is met
// CHECK:      = help: run `verify-domains` first
// CHECK:      `kernel` owes that it is understood, and nothing says how that is met
// CHECK:      = help: run `verify-borrows` first
// CHECK:      `partition` owes that it is ordered, and nothing says how that is met
// CHECK:      = help: run `verify-partitions` first
// CHECK:      `distribute` owes that it is disjoint, and nothing says how that is met
// CHECK:      = help: run `verify-domains` first
// CHECK:      `region` owes that it is disjoint, and nothing says how that is met
// CHECK-NOT:  in bounds
// CHECK:      8 errors
ownership.kernel @fill(%y: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [64], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %c = cuda_tile.constant <f32: 1.0> : tile<64xf32>
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [64], [N], f32> -> !ownership.region<mut tile [64], [N], f32>
    ownership.store %c, %r : !cuda_tile.tile<64xf32>, !ownership.region<mut tile [64], [N], f32>
  }
}
