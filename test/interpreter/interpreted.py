"""Ownership kernels as text, for the tests of the interpreter: good ones, and ones that no pass would let through."""

# Lines of IR are as long as they are.
# ruff: noqa: E501

SAXPY = """ownership.kernel @saxpy(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[N], f32>, %a: !cuda_tile.tile<f32>) {
  %rx = ownership.borrow %x : !ownership.tensor<[N], f32> -> !ownership.ref<[N], f32>
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [16], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [16], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [16], [N], f32> -> !ownership.region<mut tile [16], [N], f32>
    %tx = ownership.load %rx[%i] : !ownership.ref<[N], f32> -> !cuda_tile.tile<16xf32>
    %ty = ownership.load %r : !ownership.region<mut tile [16], [N], f32> -> !cuda_tile.tile<16xf32>
    %a1 = cuda_tile.reshape %a : tile<f32> -> tile<1xf32>
    %ab = cuda_tile.broadcast %a1 : tile<1xf32> -> tile<16xf32>
    %ax = cuda_tile.mulf %ab, %tx : tile<16xf32>
    %s = cuda_tile.addf %ax, %ty : tile<16xf32>
    ownership.store %s, %r : !cuda_tile.tile<16xf32>, !ownership.region<mut tile [16], [N], f32>
  }
}
"""

GEMM = """ownership.kernel @gemm(%c: !ownership.tensor<[M, N], f32>, %a: !ownership.tensor<[M, K], f32>, %b: !ownership.tensor<[K, N], f32>) {
  %ra = ownership.borrow %a : !ownership.tensor<[M, K], f32> -> !ownership.ref<[M, K], f32>
  %rb = ownership.borrow %b : !ownership.tensor<[K, N], f32> -> !ownership.ref<[K, N], f32>
  %p = ownership.partition %c : !ownership.tensor<[M, N], f32> -> !ownership.partition<out tile [16, 32], [M, N], f32>
  ownership.distribute %p SCHEDULE : !ownership.partition<out tile [16, 32], [M, N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i, %j] : !ownership.partition<out tile [16, 32], [M, N], f32> -> !ownership.region<out tile [16, 32], [M, N], f32>
    %zero = cuda_tile.constant <f32: 0.0> : !cuda_tile.tile<16x32xf32>
    %c0 = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %c1 = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
    %n = ownership.tiles %ra, 1 by 8 : !ownership.ref<[M, K], f32>
    %acc = cuda_tile.for %k in (%c0 to %n, step %c1) : tile<i32> iter_values(%x = %zero) -> (tile<16x32xf32>) {
      %ta = ownership.load %ra[%i, %k] : !ownership.ref<[M, K], f32> -> !cuda_tile.tile<16x8xf32>
      %tb = ownership.load %rb[%k, %j] : !ownership.ref<[K, N], f32> -> !cuda_tile.tile<8x32xf32>
      %y = cuda_tile.mmaf %ta, %tb, %x : tile<16x8xf32>, tile<8x32xf32>, tile<16x32xf32>
      cuda_tile.continue %y : tile<16x32xf32>
    }
    ownership.store %acc, %r : !cuda_tile.tile<16x32xf32>, !ownership.region<out tile [16, 32], [M, N], f32>
  }
}
"""

COPY = """ownership.kernel @copy(%y: !ownership.tensor<[A, "B // 2", C], i32>, %x: !ownership.tensor<[A, B, C], i32>) {
  %rx = ownership.borrow %x : !ownership.tensor<[A, B, C], i32> -> !ownership.ref<[A, B, C], i32>
  %p = ownership.partition %y : !ownership.tensor<[A, "B // 2", C], i32> -> !ownership.partition<out tile [2, 1, 4], [A, "B // 2", C], i32>
  ownership.distribute %p SCHEDULE : !ownership.partition<out tile [2, 1, 4], [A, "B // 2", C], i32> {
  ^bb0(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>, %k: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i, %j, %k] : !ownership.partition<out tile [2, 1, 4], [A, "B // 2", C], i32> -> !ownership.region<out tile [2, 1, 4], [A, "B // 2", C], i32>
    %m = ownership.coordinate %r, 0 : !ownership.region<out tile [2, 1, 4], [A, "B // 2", C], i32>
    %t = ownership.load %rx[%m, %j, %k] : !ownership.ref<[A, B, C], i32> -> !cuda_tile.tile<2x1x4xi32>
    ownership.store %t, %r : !cuda_tile.tile<2x1x4xi32>, !ownership.region<out tile [2, 1, 4], [A, "B // 2", C], i32>
    %back = ownership.load %r : !ownership.region<out tile [2, 1, 4], [A, "B // 2", C], i32> -> !cuda_tile.tile<2x1x4xi32>
    ownership.store %back, %r : !cuda_tile.tile<2x1x4xi32>, !ownership.region<out tile [2, 1, 4], [A, "B // 2", C], i32>
    ownership.release %r : !ownership.region<out tile [2, 1, 4], [A, "B // 2", C], i32>
  }
}
"""

OVERLAPPING = """ownership.kernel @overlapping(%y: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [16] step [8], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [16] step [8], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [16] step [8], [N], f32> -> !ownership.region<mut tile [16] step [8], [N], f32>
    %one = cuda_tile.constant <f32: 1.0> : tile<16xf32>
    ownership.store %one, %r : !cuda_tile.tile<16xf32>, !ownership.region<mut tile [16] step [8], [N], f32>
  }
}
"""

SHIFTED = """ownership.kernel @shifted(%y: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [16], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [16], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %c1 = cuda_tile.constant <i32: 1> : tile<i32>
    %j = cuda_tile.addi %i, %c1 : tile<i32>
    %r = ownership.region %p[%j] : !ownership.partition<mut tile [16], [N], f32> -> !ownership.region<mut tile [16], [N], f32>
    %t = ownership.load %r : !ownership.region<mut tile [16], [N], f32> -> !cuda_tile.tile<16xf32>
  }
}
"""

IN_PLACE = """ownership.kernel @in_place(%u: !ownership.tensor<[N], f32>) {
  %ru = ownership.borrow %u : !ownership.tensor<[N], f32> -> !ownership.ref<[N], f32>
  %p = ownership.partition %u : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [16], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [16], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [16], [N], f32> -> !ownership.region<mut tile [16], [N], f32>
    %c0 = cuda_tile.constant <i32: 0> : tile<i32>
    %t = ownership.load %ru[%c0] : !ownership.ref<[N], f32> -> !cuda_tile.tile<16xf32>
    ownership.store %t, %r : !cuda_tile.tile<16xf32>, !ownership.region<mut tile [16], [N], f32>
  }
}
"""

EARLY = """ownership.kernel @early(%y: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<out tile [16], [N], f32>
  ownership.distribute %p : !ownership.partition<out tile [16], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<out tile [16], [N], f32> -> !ownership.region<out tile [16], [N], f32>
    %t = ownership.load %r : !ownership.region<out tile [16], [N], f32> -> !cuda_tile.tile<16xf32>
    ownership.store %t, %r : !cuda_tile.tile<16xf32>, !ownership.region<out tile [16], [N], f32>
  }
}
"""

LARGEST = """ownership.kernel @largest(%y: !ownership.tensor<[M], f32>, %x: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[M], f32> -> !ownership.partition<out tile [1], [M], f32>
  %b = ownership.borrow %x : !ownership.tensor<[N], f32> -> !ownership.ref<[N], f32>
  ownership.distribute %p : !ownership.partition<out tile [1], [M], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<out tile [1], [M], f32> -> !ownership.region<out tile [1], [M], f32>
    %zero = cuda_tile.constant <i32: 0> : tile<i32>
    %t = ownership.load %b[%zero] : !ownership.ref<[N], f32> -> !cuda_tile.tile<32xf32>
    %m = cuda_tile.reduce %t dim=0 identities=[0xFF800000 : f32] : tile<32xf32> -> tile<f32> (%a: tile<f32>, %c: tile<f32>) {
      %l = cuda_tile.maxf %a, %c propagate_nan : tile<f32>
      cuda_tile.yield %l : tile<f32>
    }
    %s = cuda_tile.reshape %m : tile<f32> -> tile<1xf32>
    ownership.store %s, %r : !cuda_tile.tile<1xf32>, !ownership.region<out tile [1], [M], f32>
  }
}
"""

TWO_GRIDS = """ownership.kernel @two_grids(%y: !ownership.tensor<[N], f32>, %z: !ownership.tensor<[M], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<out tile [16], [N], f32>
  %q = ownership.partition %z : !ownership.tensor<[M], f32> -> !ownership.partition<out tile [8], [M], f32>
  ownership.distribute %p, %q : !ownership.partition<out tile [16], [N], f32>, !ownership.partition<out tile [8], [M], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
  }
}
"""

WITH_A_CHECK = """ownership.kernel @checked(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[M], f32>) {
  %rx = ownership.borrow %x : !ownership.tensor<[M], f32> -> !ownership.ref<[M], f32>
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<out tile [16], [N], f32>
  ownership.distribute %p : !ownership.partition<out tile [16], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<out tile [16], [N], f32> -> !ownership.region<out tile [16], [N], f32>
    %t = ownership.load %rx[%i] : !ownership.ref<[M], f32> -> !cuda_tile.tile<16xf32>
    ownership.store %t, %r : !cuda_tile.tile<16xf32>, !ownership.region<out tile [16], [N], f32>
  }
}
"""

WITH_A_REQUIREMENT = """ownership.kernel @parts(%y: !ownership.tensor<[N], f32>, %N: !cuda_tile.tile<i32>) {
  ownership.require "N % N_2 == 0"
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [16], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [16], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
  }
}
"""
"""A scalar is called as an extent is, so terms call it otherwise."""

ENTRY = """cuda_tile.module @m { cuda_tile.entry @k(%o: !cuda_tile.tile<ptr<i32>>) {
  %c0 = constant <i32: 0> : tile<i32>
  %x, %y, %z = get_tile_block_id : tile<i32>
  BODY
  return } }
"""
"""A lowered kernel; its body follows."""

COUNTED = """
ownership.kernel @counted(%y: !ownership.tensor<[N], f32>, %n: !cuda_tile.tile<i64>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [64], [N], f32>
  ownership.distribute %p over ["2 * n"] : !ownership.partition<mut tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
  }
}
"""
NO_POINTS = """
ownership.kernel @halves(%y: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [64], [N], f32>
  ownership.distribute %p over ["N // 64"] : !ownership.partition<mut tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
  }
}
"""
