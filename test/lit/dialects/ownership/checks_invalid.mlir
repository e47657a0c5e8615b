// RUN: tile-opt %s --print-diagnostics --split-input-file | filecheck %s

// CHECK: `ownership.check`: each value has a name and a dtype
ownership.kernel @k(%ok: !cuda_tile.tile<i1>, %n: !cuda_tile.tile<i32>) {
  ownership.check %ok, "m" values %n : !cuda_tile.tile<i1> (!cuda_tile.tile<i32>) {names = ["n"]}
}

// -----

// CHECK: `ownership.check`: !cuda_tile.tile<i32> is no scalar of f32
ownership.kernel @k(%ok: !cuda_tile.tile<i1>, %n: !cuda_tile.tile<i32>) {
  ownership.check %ok, "m" values %n : !cuda_tile.tile<i1> (!cuda_tile.tile<i32>) {names = ["n"], dtypes = ["f32"]}
}

// -----

// CHECK: `ownership.check`: !cuda_tile.tile<4xi32> is no scalar of i32
ownership.kernel @k(%ok: !cuda_tile.tile<i1>, %n: !cuda_tile.tile<i32>) {
  %t = cuda_tile.constant <i32: 0> : tile<4xi32>
  ownership.check %ok, "m" values %t : !cuda_tile.tile<i1> (!cuda_tile.tile<4xi32>) {names = ["n"], dtypes = ["i32"]}
}

// -----

// CHECK: `ownership.check`: at most 6 values are shown, not 7
ownership.kernel @k(%ok: !cuda_tile.tile<i1>, %n: !cuda_tile.tile<i32>) {
  ownership.check %ok, "m" values %n, %n, %n, %n, %n, %n, %n : !cuda_tile.tile<i1> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) {names = ["a", "b", "c", "d", "e", "f", "g"], dtypes = ["i32", "i32", "i32", "i32", "i32", "i32", "i32"]}
}

// -----

// CHECK: `ownership.check`: what may be deferred shows two values of i32
ownership.kernel @k(%ok: !cuda_tile.tile<i1>, %n: !cuda_tile.tile<i32>) {
  ownership.check %ok, "m" values %n : !cuda_tile.tile<i1> (!cuda_tile.tile<i32>) {names = ["n"], dtypes = ["i32"], deferrable}
}

// -----

// CHECK: expected a rank-0 tile of i1, got !cuda_tile.tile<4xi1>
ownership.kernel @k(%ok: !cuda_tile.tile<4xi1>) {
  ownership.check %ok, "m" : !cuda_tile.tile<4xi1>
}
