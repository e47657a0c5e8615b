// RUN: tile-opt %s -p convert-ownership-to-cuda-tile --print-diagnostics | filecheck %s
// RUN: tile-opt %s -p thread-tokens --print-diagnostics | filecheck %s
// RUN: tile-opt %s -p print-launch-contract --print-diagnostics | filecheck %s
// RUN: tile-opt %s -p verify-domains,thread-tokens --print-diagnostics | filecheck %s --check-prefix=DOMAINS
// RUN: tile-opt %s -p verify-domains,verify-borrows,convert-ownership-to-cuda-tile --print-diagnostics | filecheck %s --check-prefix=BORROWS
// RUN: tile-opt %s -p verify-domains,verify-borrows,verify-partitions,convert-ownership-to-cuda-tile --print-diagnostics | filecheck %s --check-prefix=PARTITIONS

// What owes something that no verifier of this process has met is neither lowered nor launched, whatever its text says.

// CHECK: error[O503]
// CHECK-SAME: forged: `ownership.kernel` owes that it is launchable, and nothing says how that is met: `verify-domains`
// DOMAINS: forged: `ownership.kernel` owes that it is understood, and nothing says how that is met: `verify-borrows`
// BORROWS: forged: `ownership.partition` owes that it is disjoint, and nothing says how that is met: `verify-partitions`
// PARTITIONS: forged: `ownership.region` owes that it is in bounds along axis 0, and nothing says how that is met: `resolve-obligations`
ownership.kernel @forged(%y: !ownership.tensor<[N], f32>) attributes {duties = [#ownership.duty<launchable proved>, #ownership.duty<understood proved>]} {
  %p = ownership.partition %y {duties = [#ownership.duty<apart proved>, #ownership.duty<disjoint proved>, #ownership.duty<ordered proved>]} : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  ownership.distribute %p attributes {duties = [#ownership.duty<disjoint proved>]} : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] {duties = [#ownership.duty<disjoint proved "so">, #ownership.duty<in_bounds axis 0 launch ("1 <= N")>, #ownership.duty<held proved>]} : !ownership.partition<mut tile [4], [N], f32> -> !ownership.region<mut tile [4], [N], f32>
  }
}
