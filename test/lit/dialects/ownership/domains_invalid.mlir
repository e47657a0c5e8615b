// RUN: tile-opt %s --print-diagnostics --split-input-file | filecheck %s

// CHECK: `ownership.distribute`: needs a domain, or a partition to take its points from
ownership.kernel @k(%x: !ownership.tensor<[N], f32>) {
  ownership.distribute {
  ^bb0():
  }
}

// -----

// CHECK: `ownership.distribute`: an extent of the domain is a term over symbols
ownership.kernel @k(%x: !ownership.tensor<[N], f32>) {
  ownership.distribute over ["f(N)"] {
  ^bb0(%i: !cuda_tile.tile<i32>):
  }
}

// -----

// CHECK: `ownership.distribute`: the body of a rank-2 domain takes 2 arguments
ownership.kernel @k(%x: !ownership.tensor<[N], f32>) {
  ownership.distribute over [N, 3] {
  ^bb0(%i: !cuda_tile.tile<i32>):
  }
}

// -----

// CHECK: `ownership.distribute`: a grouped order needs two axes, the domain has 1
ownership.kernel @k(%x: !ownership.tensor<[N], f32>) {
  ownership.distribute over [N] order #ownership.order<grouped 4> {
  ^bb0(%i: !cuda_tile.tile<i32>):
  }
}

// -----

// CHECK: ownership.blocks: 4 is no number of persistent blocks
ownership.kernel @k(%x: !ownership.tensor<[N], f32>) {
  ownership.distribute over [N] blocks #ownership.blocks<each 4> {
  ^bb0(%i: !cuda_tile.tile<i32>):
  }
}

// -----

// CHECK: ownership.blocks: unknown kind 'some'
ownership.kernel @k(%x: !ownership.tensor<[N], f32>) {
  ownership.distribute over [N] blocks #ownership.blocks<some> {
  ^bb0(%i: !cuda_tile.tile<i32>):
  }
}
