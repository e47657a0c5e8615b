// RUN: tile-opt %s -p VERIFIERS,report-obligations,print-launch-contract --split-input-file | filecheck %s

// Outputs of different rank: the shorter one has the leading axes, so the launch has extent 1 along the others.
// CHECK-LABEL: // @split
// CHECK:       output `part`: covered: proved (
// CHECK:       output `lse`: covered: proved (
// CHECK:       distribution of `part`, `lse`: same grid along axis 3: checked at launch: ceildiv(D, 64) == 1
// CHECK:       region of `lse`: disjoint: proved
// CHECK:       grid [B, H, ceildiv(S, 2), ceildiv(D, 64)]
// CHECK:       check ceildiv(D, 64) == 1: blocks that differ along axis 3 of the grid alone would share regions of `lse`
ownership.kernel @split(%part: !ownership.tensor<[B, H, S, D], f32>, %lse: !ownership.tensor<[B, H, S], f32>) {
  %p = ownership.partition %part : !ownership.tensor<[B, H, S, D], f32> -> !ownership.partition<out tile [1, 1, 2, 64], [B, H, S, D], f32>
  %l = ownership.partition %lse : !ownership.tensor<[B, H, S], f32> -> !ownership.partition<out tile [1, 1, 2], [B, H, S], f32>
  ownership.distribute %p, %l : !ownership.partition<out tile [1, 1, 2, 64], [B, H, S, D], f32>, !ownership.partition<out tile [1, 1, 2], [B, H, S], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>, %k: !cuda_tile.tile<i32>, %d: !cuda_tile.tile<i32>):
    %a = ownership.region %p[%i, %j, %k, %d] : !ownership.partition<out tile [1, 1, 2, 64], [B, H, S, D], f32> -> !ownership.region<out tile [1, 1, 2, 64], [B, H, S, D], f32>
    %b = ownership.region %l[%i, %j, %k] : !ownership.partition<out tile [1, 1, 2], [B, H, S], f32> -> !ownership.region<out tile [1, 1, 2], [B, H, S], f32>
    %x = cuda_tile.constant <f32: 1.0> : !cuda_tile.tile<1x1x2x64xf32>
    %y = cuda_tile.constant <f32: 1.0> : !cuda_tile.tile<1x1x2xf32>
    ownership.store %x, %a : !cuda_tile.tile<1x1x2x64xf32>, !ownership.region<out tile [1, 1, 2, 64], [B, H, S, D], f32>
    ownership.store %y, %b : !cuda_tile.tile<1x1x2xf32>, !ownership.region<out tile [1, 1, 2], [B, H, S], f32>
  }
}

// -----

// A domain of its own: half as many points as regions, each of which takes two, in turns of a loop.
// CHECK-LABEL: // @halves
// CHECK:       output `y`: covered: checked at launch: ceildiv(N, 64) // 2 * 2 == ceildiv(N, 64)
// CHECK:       region of `y`: disjoint: proved
// CHECK:       region of `y`: in bounds along axis 0: proved
// CHECK:       entry %2: extent ceildiv(N, 64) // 2
// CHECK:       grid [ceildiv(N, 64) // 2]
ownership.kernel @halves(%y: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<out tile [64], [N], f32>
  ownership.distribute %p over ["ceildiv(N, 64) // 2"] : !ownership.partition<out tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
    %two = cuda_tile.constant <i32: 2> : !cuda_tile.tile<i32>
    %x = cuda_tile.constant <f32: 1.0> : !cuda_tile.tile<64xf32>
    %first = cuda_tile.muli %i, %two : !cuda_tile.tile<i32>
    cuda_tile.for %k in (%zero to %two, step %one) : tile<i32> {
      %at = cuda_tile.addi %first, %k : !cuda_tile.tile<i32>
      %r = ownership.region %p[%at] : !ownership.partition<out tile [64], [N], f32> -> !ownership.region<out tile [64], [N], f32>
      ownership.store %x, %r : !cuda_tile.tile<64xf32>, !ownership.region<out tile [64], [N], f32>
      cuda_tile.continue
    }
  }
}

// -----

// A whole row a point, walked tile by tile.
// CHECK-LABEL: // @rows
// CHECK:       output `y`: covered: proved (ceildiv(M, 4) * ceildiv(N, 64) takings of ceildiv(M, 4) * ceildiv(N, 64) regions, no two of one)
// CHECK:       region of `y`: disjoint: proved ([i, k] differs from point to point, by rules)
ownership.kernel @rows(%y: !ownership.tensor<[M, N], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[M, N], f32> -> !ownership.partition<out tile [4, 64], [M, N], f32>
  ownership.distribute %p over ["ceildiv(M, 4)"] : !ownership.partition<out tile [4, 64], [M, N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
    %x = cuda_tile.constant <f32: 1.0> : !cuda_tile.tile<4x64xf32>
    %n = ownership.tiles %p, 1 by 64 : !ownership.partition<out tile [4, 64], [M, N], f32>
    cuda_tile.for %k in (%zero to %n, step %one) : tile<i32> {
      %r = ownership.region %p[%i, %k] : !ownership.partition<out tile [4, 64], [M, N], f32> -> !ownership.region<out tile [4, 64], [M, N], f32>
      ownership.store %x, %r : !cuda_tile.tile<4x64xf32>, !ownership.region<out tile [4, 64], [M, N], f32>
      cuda_tile.continue
    }
  }
}

// -----

// An output that is written in part owes nothing for the rest; persistent blocks, so many of them.
// CHECK-LABEL: // @prefix
// CHECK-NOT:   covered
// CHECK:       region of `y`: in bounds along axis 0: checked at launch: 3 < ceildiv(N, 64)
// CHECK:       partial y: f32[N]
// CHECK:       grid [4] persistent 3
ownership.kernel @prefix(%y: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<partial tile [64], [N], f32>
  ownership.distribute %p over [4] blocks #ownership.blocks<persistent 3> : !ownership.partition<partial tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %x = cuda_tile.constant <f32: 1.0> : !cuda_tile.tile<64xf32>
    %r = ownership.region %p[%i] : !ownership.partition<partial tile [64], [N], f32> -> !ownership.region<partial tile [64], [N], f32>
    ownership.store %x, %r : !cuda_tile.tile<64xf32>, !ownership.region<partial tile [64], [N], f32>
  }
}

// -----

// An extent of the domain is an integer scalar: a symbol of the launch, which is passed as an extent, too.
// CHECK-LABEL: // @parts
// CHECK:       output `y`: covered: checked at launch: splits == S
// CHECK:       region of `y`: disjoint: proved ([i, j] differs from point to point, by rules)
// CHECK:       region of `y`: in bounds along axis 0: checked at launch: splits - 1 < S
// CHECK:       region of `y`: in bounds along axis 1: proved (0 <= j < ceildiv(N, 64) by rules)
// CHECK:       scalar splits: i32
// CHECK:       extent splits
// CHECK:       grid [splits, ceildiv(N, 64)]
ownership.kernel @parts(%y: !ownership.tensor<[S, N], f32>, %splits: !cuda_tile.tile<i32>) {
  %p = ownership.partition %y : !ownership.tensor<[S, N], f32> -> !ownership.partition<out tile [1, 64], [S, N], f32>
  ownership.distribute %p over [splits, "ceildiv(N, 64)"] : !ownership.partition<out tile [1, 64], [S, N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
    %x = cuda_tile.constant <f32: 1.0> : !cuda_tile.tile<1x64xf32>
    %r = ownership.region %p[%i, %j] : !ownership.partition<out tile [1, 64], [S, N], f32> -> !ownership.region<out tile [1, 64], [S, N], f32>
    ownership.store %x, %r : !cuda_tile.tile<1x64xf32>, !ownership.region<out tile [1, 64], [S, N], f32>
  }
}

// -----

// A domain of no axes is one point, also of persistent blocks.
// CHECK-LABEL: // @alone
// CHECK:       output `y`: covered: proved (ceildiv(N, 64) takings of ceildiv(N, 64) regions, no two of one)
// CHECK:       region of `y`: disjoint: proved ([k] differs from point to point, by rules)
// CHECK:       grid [] persistent
ownership.kernel @alone(%y: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<out tile [64], [N], f32>
  ownership.distribute %p over [] blocks #ownership.blocks<persistent> : !ownership.partition<out tile [64], [N], f32> {
    %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
    %x = cuda_tile.constant <f32: 1.0> : !cuda_tile.tile<64xf32>
    %n = ownership.tiles %p, 0 by 64 : !ownership.partition<out tile [64], [N], f32>
    cuda_tile.for %k in (%zero to %n, step %one) : tile<i32> {
      %r = ownership.region %p[%k] : !ownership.partition<out tile [64], [N], f32> -> !ownership.region<out tile [64], [N], f32>
      ownership.store %x, %r : !cuda_tile.tile<64xf32>, !ownership.region<out tile [64], [N], f32>
      cuda_tile.continue
    }
  }
}
