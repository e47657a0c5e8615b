// RUN: tile-opt %s -p VERIFIERS,drop-breakpoints,thread-tokens,convert-ownership-to-cuda-tile,canonicalize | filecheck %s
// RUN: tile-opt %s -p VERIFIERS,report-obligations,validate-translation | filecheck %s --check-prefix=FOUND
// RUN: tile-opt %s -p drop-breakpoints | filecheck %s --check-prefix=DROPPED

// Passes find a kernel in whichever module it is, and make of it an entry point there.
// CHECK-NOT:  ownership.
// CHECK:      builtin.module
// CHECK-NEXT:   builtin.module @one
// CHECK-NEXT:     cuda_tile.module @fill
// CHECK-NEXT:       entry @fill
// CHECK:        builtin.module @two
// CHECK-NEXT:     builtin.module
// CHECK-NEXT:       cuda_tile.module @fill
// CHECK-NEXT:         entry @fill
// CHECK-NOT:  ownership.
// FOUND:      // @fill
// FOUND:      region of `y`: in bounds along axis 0: proved
// FOUND:      // @fill
// FOUND:      region of `z`: in bounds along axis 0: proved
// DROPPED-NOT: ownership.breakpoint
builtin.module {
  builtin.module @one {
    ownership.kernel @fill(%y: !ownership.tensor<[N], f32>) {
      %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<out tile [64], [N], f32>
      ownership.distribute %p : !ownership.partition<out tile [64], [N], f32> {
      ^bb0(%i: !cuda_tile.tile<i32>):
        %r = ownership.region %p[%i] : !ownership.partition<out tile [64], [N], f32> -> !ownership.region<out tile [64], [N], f32>
        %c = cuda_tile.constant <f32: 1.0> : tile<64xf32>
        ownership.store %c, %r : !cuda_tile.tile<64xf32>, !ownership.region<out tile [64], [N], f32>
      }
    }
  }
  builtin.module @two {
    builtin.module {
      ownership.kernel @fill(%z: !ownership.tensor<[N], f32>) {
        %p = ownership.partition %z : !ownership.tensor<[N], f32> -> !ownership.partition<out tile [32], [N], f32>
        ownership.distribute %p : !ownership.partition<out tile [32], [N], f32> {
        ^bb0(%i: !cuda_tile.tile<i32>):
          ownership.breakpoint {dtypes = [], scopes = [{begins = #builtin.int<1>, function = "fill", module = "m", names = []}]}
          %r = ownership.region %p[%i] : !ownership.partition<out tile [32], [N], f32> -> !ownership.region<out tile [32], [N], f32>
          %c = cuda_tile.constant <f32: 2.0> : tile<32xf32>
          ownership.store %c, %r : !cuda_tile.tile<32xf32>, !ownership.region<out tile [32], [N], f32>
        }
      }
    }
  }
}
