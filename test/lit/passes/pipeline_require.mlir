// RUN: tile-opt %s -p VERIFIERS,report-obligations,print-launch-contract --print-diagnostics --split-input-file | filecheck %s
// RUN: tile-opt %s -p VERIFIERS,convert-ownership-to-cuda-tile --print-diagnostics --split-input-file | filecheck %s --check-prefix=TILE

// A requirement is a fact in proofs and a check of the launcher; the divisor is positive, and that is part of it. An
// integer scalar is known to the launcher by its name, or by another one where an extent is called so.
// CHECK:      // @heads
// CHECK:      load from `k`: in bounds along axis 0: proved (0 <= h // 4 < H // 4
// CHECK:      load from `x`: in bounds along axis 0: checked at launch: 0 <= S_2 and S_2 < ceildiv(S, 64)
// CHECK:      // launch contract of @heads
// CHECK:      //   scalar g: i32
// CHECK:      //   require H % 4 == 0: heads come in groups
// CHECK-NEXT: //   require 1 <= g and S % g == 0
// CHECK-NEXT: //   check 0 <= S_2 and S_2 < ceildiv(S, 64):
// CHECK:      // launch contract of @no_message
// CHECK:      //   require N <= 4096{{$}}
// CHECK:      ownership.require "H % 4 == 0" {message = "heads come in groups"}

// What is emitted knows nothing of it.
// TILE:     entry @heads
// TILE-NOT: require
// TILE:     entry @no_message
ownership.kernel @heads(%o: !ownership.tensor<[H, S], f32>, %k: !ownership.tensor<["H // 4", S], f32>, %x: !ownership.tensor<[S], f32>, %g: !cuda_tile.tile<i32>, %S: !cuda_tile.tile<i32>) {
  ownership.require "H % 4 == 0" {message = "heads come in groups"}
  ownership.require "S % g == 0"
  %p = ownership.partition %o : !ownership.tensor<[H, S], f32> -> !ownership.partition<mut tile [1, 64], [H, S], f32>
  %b = ownership.borrow %k : !ownership.tensor<["H // 4", S], f32> -> !ownership.ref<["H // 4", S], f32>
  %u = ownership.borrow %x : !ownership.tensor<[S], f32> -> !ownership.ref<[S], f32>
  ownership.distribute %p : !ownership.partition<mut tile [1, 64], [H, S], f32> {
  ^bb0(%h: !cuda_tile.tile<i32>, %s: !cuda_tile.tile<i32>):
    %four = cuda_tile.constant <i32: 4> : !cuda_tile.tile<i32>
    %q = cuda_tile.divi %h, %four signed rounding<negative_inf> : !cuda_tile.tile<i32>
    %l = ownership.load %b[%q, %s] : !ownership.ref<["H // 4", S], f32> -> !cuda_tile.tile<1x64xf32>
    %m = ownership.load %u[%S] : !ownership.ref<[S], f32> -> !cuda_tile.tile<64xf32>
  }
}

// -----

// CHECK: ownership.require "N <= 4096"
ownership.kernel @no_message(%y: !ownership.tensor<[N], f32>) {
  ownership.require "N <= 4096"
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [64], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
  }
}

// -----

// CHECK: error[O119]: no launch of `contradiction` is possible: its extents contradict each other
// CHECK: ownership.require "N < 1"
// CHECK: this is required
ownership.kernel @contradiction(%y: !ownership.tensor<[N], f32>) {
  ownership.require "N < 1"
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [64], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
  }
}

// -----

// CHECK: error[O123]: the requirement `N <= Q` cannot be checked at the launch
// CHECK: `Q` is neither an extent of an argument nor an integer scalar
ownership.kernel @unknown(%y: !ownership.tensor<[N], f32>) {
  ownership.require "N <= Q"
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [64], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
  }
}

// -----

// In a branch or a loop it would seem to hold there alone.
// CHECK: error[O118]: {{.*}}a requirement stands inside another operation
ownership.kernel @inside(%y: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [64], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    ownership.require "N <= 4096"
  }
}

// -----

// CHECK: `ownership.require`: `N + 1` is a number, not a condition
ownership.kernel @number(%y: !ownership.tensor<[N], f32>) {
  ownership.require "N + 1"
}

// -----

// CHECK: a term over symbols is expected: 'N is large' is not allowed
ownership.kernel @words(%y: !ownership.tensor<[N], f32>) {
  ownership.require "N is large"
}
