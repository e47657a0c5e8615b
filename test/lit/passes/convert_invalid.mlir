// RUN: tile-opt %s -p convert-ownership-to-cuda-tile --split-input-file --verify-diagnostics | filecheck %s
// RUN: tile-opt %s -p thread-tokens --split-input-file --verify-diagnostics | filecheck %s
// RUN: tile-opt %s -p print-launch-contract --split-input-file --verify-diagnostics | filecheck %s

// What owes something that no verifier has met is neither lowered nor launched, whatever else its text says.

// CHECK: error[O503]
// CHECK-SAME: nothing: `ownership.kernel` owes that it is launchable, and nothing says how that is met: `verify-domains`
ownership.kernel @nothing(%x: !ownership.tensor<[N], f32>) {
  %b = ownership.borrow %x : !ownership.tensor<[N], f32> -> !ownership.ref<[N], f32>
}

// -----

// CHECK: through: `ownership.kernel` owes that it is understood, and nothing says how that is met: `verify-borrows`
ownership.kernel @through(%x: !ownership.tensor<[N], f32>) attributes {duties = [#ownership.duty<launchable proved>]} {
  %b = ownership.borrow %x {duties = [#ownership.duty<apart proved>]} : !ownership.tensor<[N], f32> -> !ownership.ref<[N], f32>
  ownership.distribute over [4] attributes {duties = [#ownership.duty<disjoint proved>]} {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %c = cuda_tile.constant <f32: 1.0> : tile<4xf32>
    ownership.store %c, %b[%i] : !cuda_tile.tile<4xf32>, !ownership.ref<[N], f32>
  }
}

// -----

// CHECK: unmet: `ownership.load` owes that it is in bounds along axis 0, and nothing says how that is met: `resolve-obligations`
ownership.kernel @unmet(%x: !ownership.tensor<[N], f32>) attributes {duties = [#ownership.duty<launchable proved>, #ownership.duty<understood proved>]} {
  %b = ownership.borrow %x {duties = [#ownership.duty<apart proved>]} : !ownership.tensor<[N], f32> -> !ownership.ref<[N], f32>
  ownership.distribute over [4] attributes {duties = [#ownership.duty<disjoint proved>]} {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %u = ownership.load %b[%i] {duties = [#ownership.duty<in_bounds axis 0 open>]} : !ownership.ref<[N], f32> -> !cuda_tile.tile<4xf32>
  }
}

// -----

// A tile is in bounds or it is not: no element of it is left out.
// CHECK: masked: `ownership.load` owes that it is in bounds along axis 0
ownership.kernel @masked(%x: !ownership.tensor<[N], f32>) attributes {duties = [#ownership.duty<launchable proved>, #ownership.duty<understood proved>]} {
  %b = ownership.borrow %x {duties = [#ownership.duty<apart proved>]} : !ownership.tensor<[N], f32> -> !ownership.ref<[N], f32>
  ownership.distribute over [4] attributes {duties = [#ownership.duty<disjoint proved>]} {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %u = ownership.load %b[%i] {duties = [#ownership.duty<in_bounds axis 0 masked "why not">]} : !ownership.ref<[N], f32> -> !cuda_tile.tile<4xf32>
  }
}

// -----

// Nor is it checked in a kernel whether regions are disjoint.
// CHECK: disjoint: `ownership.region` owes that it is disjoint, and nothing says how that is met: `verify-partitions`
ownership.kernel @disjoint(%y: !ownership.tensor<[N], f32>) attributes {duties = [#ownership.duty<launchable proved>, #ownership.duty<understood proved>]} {
  %p = ownership.partition %y {duties = [#ownership.duty<apart proved>, #ownership.duty<disjoint proved>, #ownership.duty<ordered proved>]} : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  ownership.distribute %p attributes {duties = [#ownership.duty<disjoint proved>]} : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] {duties = [#ownership.duty<disjoint kernel ("i == i")>, #ownership.duty<in_bounds axis 0 proved>, #ownership.duty<held proved>]} : !ownership.partition<mut tile [4], [N], f32> -> !ownership.region<mut tile [4], [N], f32>
  }
}
