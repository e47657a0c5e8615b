// RUN: tile-opt %s -p drop-breakpoints | filecheck %s

// What is at the top, in a loop and in a branch goes, whether the user asked for it or not.
// CHECK-LABEL: @everywhere
// CHECK-NOT: ownership.breakpoint
// CHECK: ownership.store
// CHECK-NOT: ownership.breakpoint
ownership.kernel @everywhere(%x: !ownership.tensor<[N], f32>, %n: !cuda_tile.tile<i32>, %q: !cuda_tile.tile<i1>) {
  %p = ownership.partition %x : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    ownership.breakpoint %x, %i : !ownership.tensor<[N], f32>, !cuda_tile.tile<i32> {dtypes = ["f32", "i32"], scopes = [{begins = #builtin.int<1>, function = "f", module = "m", names = ["x = tensor(_0, (_1, ), (4, ))"]}]}
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [4], [N], f32> -> !ownership.region<mut tile [4], [N], f32>
    %c0 = cuda_tile.constant <i32: 0> : tile<i32>
    %c1 = cuda_tile.constant <i32: 1> : tile<i32>
    cuda_tile.for %k in (%c0 to %n, step %c1) : tile<i32> {
      ownership.breakpoint %k : !cuda_tile.tile<i32> {asked, dtypes = ["i32"], scopes = [{begins = #builtin.int<1>, function = "f", module = "m", names = ["k = _0"]}]}
    }
    cuda_tile.if %q {
      ownership.breakpoint {asked, dtypes = [], scopes = [{begins = #builtin.int<1>, function = "f", module = "m", names = []}]}
    }
    %a = ownership.load %r : !ownership.region<mut tile [4], [N], f32> -> !cuda_tile.tile<4xf32>
    ownership.store %a, %r : !cuda_tile.tile<4xf32>, !ownership.region<mut tile [4], [N], f32>
  }
}
