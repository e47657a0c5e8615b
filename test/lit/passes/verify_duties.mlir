// RUN: tile-opt %s -p VERIFIERS,verify-duties | filecheck %s
// RUN: tile-opt %s -p verify-partitions | filecheck %s --check-prefix=SOME

// What each operation owes, met by the four verifiers; by one of them the others' duties stay open.
// CHECK:      ownership.kernel @copy({{.*}}) attributes {duties = [#ownership.duty<launchable proved>, #ownership.duty<understood proved>]}
// CHECK-NEXT: ownership.borrow %x {duties = [#ownership.duty<apart proved>]}
// CHECK-NEXT: ownership.partition %y {duties = [#ownership.duty<apart proved>, #ownership.duty<disjoint proved>, #ownership.duty<ordered proved>, #ownership.duty<distributed proved>, #ownership.duty<covered proved "{{.*}}">, #ownership.duty<stored proved>]}
// CHECK:      ownership.region %p[%i] {duties = [#ownership.duty<disjoint proved "{{.*}}">, #ownership.duty<in_bounds axis 0 proved "{{.*}}">, #ownership.duty<held proved>, #ownership.duty<initialised proved>, #ownership.duty<stored proved>]}
// CHECK-NEXT: ownership.load %b[%i] {duties = [#ownership.duty<in_bounds axis 0 launch ("ceildiv(N, 64) - 1 < ceildiv(M, 64)")>]}
// SOME:       attributes {duties = [#ownership.duty<launchable proved>, #ownership.duty<understood open>]}
// SOME-NEXT:  ownership.borrow %x :
// SOME-NEXT:  ownership.partition %y {duties = [#ownership.duty<apart open>, #ownership.duty<disjoint proved>, {{.*}}, #ownership.duty<stored open>]}
// SOME:       ownership.load %b[%i] :
ownership.kernel @copy(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[M], f32>) {
  %b = ownership.borrow %x : !ownership.tensor<[M], f32> -> !ownership.ref<[M], f32>
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<out tile [64], [N], f32>
  ownership.distribute %p : !ownership.partition<out tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<out tile [64], [N], f32> -> !ownership.region<out tile [64], [N], f32>
    %t = ownership.load %b[%i] : !ownership.ref<[M], f32> -> !cuda_tile.tile<64xf32>
    ownership.store %t, %r : !cuda_tile.tile<64xf32>, !ownership.region<out tile [64], [N], f32>
  }
}
