// RUN: tile-opt %s -p verify-partitions | filecheck %s

// To a signed reading the one bit of a truth value is -1: the larger of two is true where both are.
// CHECK-LABEL: @larger
ownership.kernel @larger(%y: !ownership.tensor<[M, N], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[M, N], f32> -> !ownership.partition<mut tile [1, 64], [M, N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [1, 64], [M, N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
    %z = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %a = cuda_tile.cmpi equal %i, %z, signed : tile<i32> -> tile<i1>
    %b = cuda_tile.cmpi equal %j, %z, signed : tile<i32> -> tile<i1>
    %m = cuda_tile.maxi %a, %b signed : tile<i1>
    cuda_tile.if %m {
      %r = ownership.region %p[%z, %z] : !ownership.partition<mut tile [1, 64], [M, N], f32> -> !ownership.region<mut tile [1, 64], [M, N], f32>
      cuda_tile.yield
    }
  }
}

// CHECK-LABEL: @smaller
ownership.kernel @smaller(%y: !ownership.tensor<[M, N], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[M, N], f32> -> !ownership.partition<mut tile [1, 64], [M, N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [1, 64], [M, N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
    %z = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %a = cuda_tile.cmpi equal %i, %z, signed : tile<i32> -> tile<i1>
    %b = cuda_tile.cmpi equal %j, %z, signed : tile<i32> -> tile<i1>
    %m = cuda_tile.mini %a, %b unsigned : tile<i1>
    cuda_tile.if %m {
      %r = ownership.region %p[%z, %z] : !ownership.partition<mut tile [1, 64], [M, N], f32> -> !ownership.region<mut tile [1, 64], [M, N], f32>
      cuda_tile.yield
    }
  }
}
