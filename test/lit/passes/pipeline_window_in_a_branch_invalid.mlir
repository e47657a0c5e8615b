// All verifiers on a window that is no kernel's own: it is refused by one of them, and none of the others falls over it.
// RUN: tile-opt %s --report --print-diagnostics | filecheck %s

// CHECK: error[O118]
ownership.kernel @in_a_branch(%c: !ownership.tensor<[S], f32>, %y: !ownership.tensor<[S], f32>, %n: !cuda_tile.tile<i32>) {
  %p = ownership.partition %y : !ownership.tensor<[S], f32> -> !ownership.partition<mut tile [8], [S], f32>
  %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
  %some = cuda_tile.cmpi less_than %zero, %n, signed : !cuda_tile.tile<i32> -> !cuda_tile.tile<i1>
  cuda_tile.if %some {
    %w = ownership.window %c[%n] {axis = #builtin.int<0>} : !ownership.tensor<[S], f32> -> !ownership.tensor<[8], f32>
  }
  ownership.distribute %p : !ownership.partition<mut tile [8], [S], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
  }
}
