// RUN: tile-opt %s -p verify-partitions --split-input-file --print-diagnostics | filecheck %s
// RUN: tile-opt %s -p deny-unsafe --split-input-file --print-diagnostics | filecheck %s --check-prefix=UNSAFE

// All blocks write region 0: wherever the kernel stands.
// CHECK:      error[O101]: two tile blocks write overlapping regions of `y`
// UNSAFE:     error[O132]: an unsafe access to `q`, and these are denied
builtin.module {
  builtin.module {
    ownership.kernel @race(%y: !ownership.tensor<[N], f32>, %q: !ownership.tensor<[N], f32>) {
      %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [64], [N], f32>
      %raw = ownership.expose %q : !ownership.tensor<[N], f32> -> !ownership.raw<[N], f32>
      ownership.distribute %p : !ownership.partition<mut tile [64], [N], f32> {
      ^bb0(%i: !cuda_tile.tile<i32>):
        %z = cuda_tile.constant <i32: 0> : tile<i32>
        %r = ownership.region %p[%z] : !ownership.partition<mut tile [64], [N], f32> -> !ownership.region<mut tile [64], [N], f32>
        %c = cuda_tile.constant <f32: 1.0> : tile<64xf32>
        %l = ownership.unsafe_load "so" %raw[%z] {ordering = #cuda_tile.memory_ordering_semantics<weak>} : !ownership.raw<[N], f32>, (!cuda_tile.tile<i32>) -> !cuda_tile.tile<f32>
        ownership.store %c, %r : !cuda_tile.tile<64xf32>, !ownership.region<mut tile [64], [N], f32>
      }
    }
  }
}

// -----

// CHECK:      error[O101]: two tile blocks write overlapping regions of `y`
// UNSAFE:     error[O132]: an unsafe access to `q`, and these are denied
builtin.module {
  builtin.module {
    builtin.module {
      ownership.kernel @race(%y: !ownership.tensor<[N], f32>, %q: !ownership.tensor<[N], f32>) {
        %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [64], [N], f32>
        %raw = ownership.expose %q : !ownership.tensor<[N], f32> -> !ownership.raw<[N], f32>
        ownership.distribute %p : !ownership.partition<mut tile [64], [N], f32> {
        ^bb0(%i: !cuda_tile.tile<i32>):
          %z = cuda_tile.constant <i32: 0> : tile<i32>
          %r = ownership.region %p[%z] : !ownership.partition<mut tile [64], [N], f32> -> !ownership.region<mut tile [64], [N], f32>
          %c = cuda_tile.constant <f32: 1.0> : tile<64xf32>
          %l = ownership.unsafe_load "so" %raw[%z] {ordering = #cuda_tile.memory_ordering_semantics<weak>} : !ownership.raw<[N], f32>, (!cuda_tile.tile<i32>) -> !cuda_tile.tile<f32>
          ownership.store %c, %r : !cuda_tile.tile<64xf32>, !ownership.region<mut tile [64], [N], f32>
        }
      }
    }
  }
}
