// RUN: tile-opt %s -p VERIFIERS --print-diagnostics --split-input-file | filecheck %s

// Fewer points than regions.
// CHECK:      error[O122]: not all of the output `y` is written
// CHECK:      of ceildiv(N, 64) regions, ceildiv(N, 64) - 1 are taken for certain
// CHECK:      note: where N = 128, no block takes `y[64 .. 128]`
// CHECK:      help: if the rest is to stay as it is, let the partition say so: `partial=True`
ownership.kernel @short(%y: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<out tile [64], [N], f32>
  ownership.distribute %p over ["ceildiv(N, 64) - 1"] : !ownership.partition<out tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %x = cuda_tile.constant <f32: 1.0> : !cuda_tile.tile<64xf32>
    %r = ownership.region %p[%i] : !ownership.partition<out tile [64], [N], f32> -> !ownership.region<out tile [64], [N], f32>
    ownership.store %x, %r : !cuda_tile.tile<64xf32>, !ownership.region<out tile [64], [N], f32>
  }
}

// -----

// More points than regions: the last one is out of bounds in every launch.
// CHECK:      error[O302]: this region of `y` is out of bounds along axis 0
ownership.kernel @long(%y: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [64], [N], f32>
  ownership.distribute %p over ["ceildiv(N, 64) + 1"] : !ownership.partition<mut tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [64], [N], f32> -> !ownership.region<mut tile [64], [N], f32>
  }
}

// -----

// A loop that does not reach every tile of the axis that a point owns.
// CHECK:      error[O122]: not all of the output `y` is written
// CHECK:      of ceildiv(M, 4) * ceildiv(N, 64) regions, ceildiv(M, 4) * (ceildiv(N, 64) - 1) are taken for certain
// CHECK:      no block takes `y[0 .. 4, 0 .. 64]`
ownership.kernel @rows(%y: !ownership.tensor<[M, N], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[M, N], f32> -> !ownership.partition<out tile [4, 64], [M, N], f32>
  ownership.distribute %p over ["ceildiv(M, 4)"] : !ownership.partition<out tile [4, 64], [M, N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
    %x = cuda_tile.constant <f32: 1.0> : !cuda_tile.tile<4x64xf32>
    %n = ownership.tiles %p, 1 by 64 : !ownership.partition<out tile [4, 64], [M, N], f32>
    cuda_tile.for %k in (%one to %n, step %one) : tile<i32> {
      %r = ownership.region %p[%i, %k] : !ownership.partition<out tile [4, 64], [M, N], f32> -> !ownership.region<out tile [4, 64], [M, N], f32>
      ownership.store %x, %r : !cuda_tile.tile<4x64xf32>, !ownership.region<out tile [4, 64], [M, N], f32>
      cuda_tile.continue
    }
  }
}

// -----

// A region that is taken in a loop and stored in some turns only.
// CHECK:      error[O108]: {{.*}}`y`
ownership.kernel @sometimes(%y: !ownership.tensor<[N], f32>, %flag: !cuda_tile.tile<i1>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<partial tile [64], [N], f32>
  ownership.distribute %p over [1] : !ownership.partition<partial tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
    %x = cuda_tile.constant <f32: 1.0> : !cuda_tile.tile<64xf32>
    %n = ownership.tiles %p, 0 by 64 : !ownership.partition<partial tile [64], [N], f32>
    cuda_tile.for %k in (%zero to %n, step %one) : tile<i32> {
      %r = ownership.region %p[%k] : !ownership.partition<partial tile [64], [N], f32> -> !ownership.region<partial tile [64], [N], f32>
      cuda_tile.if %flag {
        ownership.store %x, %r : !cuda_tile.tile<64xf32>, !ownership.region<partial tile [64], [N], f32>
        cuda_tile.yield
      }
      cuda_tile.continue
    }
  }
}

// -----

// CHECK:      error[O121]: the domain's extent along axis 0 is no number in every launch
// CHECK:      `M // (N - 1)`: `N - 1` divides, and may be 0 or less
ownership.kernel @divided(%y: !ownership.tensor<[M, N], f32>) {
  ownership.distribute over ["M // (N - 1)"] {
  ^bb0(%i: !cuda_tile.tile<i32>):
  }
}

// -----

// CHECK:      error[O121]: the domain's extent along axis 0 is no number in every launch
// CHECK:      `K` is no extent of an argument
ownership.kernel @unknown(%y: !ownership.tensor<[M, N], f32>) {
  ownership.distribute over [K] {
  ^bb0(%i: !cuda_tile.tile<i32>):
  }
}

// -----

// CHECK:      error[O115]: `part` and `lse` are partitioned into different grids
ownership.kernel @two(%part: !ownership.tensor<[B, 128], f32>, %lse: !ownership.tensor<[B], f32>) {
  %p = ownership.partition %part : !ownership.tensor<[B, 128], f32> -> !ownership.partition<mut tile [1, 64], [B, 128], f32>
  %l = ownership.partition %lse : !ownership.tensor<[B], f32> -> !ownership.partition<mut tile [1], [B], f32>
  ownership.distribute %l, %p : !ownership.partition<mut tile [1], [B], f32>, !ownership.partition<mut tile [1, 64], [B, 128], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
  }
}
