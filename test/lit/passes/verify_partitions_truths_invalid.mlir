// RUN: tile-opt %s -p verify-partitions --print-diagnostics --split-input-file | filecheck %s

// To a signed reading the one bit of a truth value is -1: the smaller of two is true where either of them is, and the
// larger where both are.

// CHECK:      error[O101]: two tile blocks write overlapping regions of `y`
// CHECK:      = note: where M = 2, N = 128, blocks (0, 0) and (0, 1) both own `y[0 .. 1, 0 .. 64]`
ownership.kernel @straight(%y: !ownership.tensor<[M, N], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[M, N], f32> -> !ownership.partition<mut tile [1, 64], [M, N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [1, 64], [M, N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
    %z = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %a = cuda_tile.cmpi equal %i, %z, signed : tile<i32> -> tile<i1>
    %b = cuda_tile.cmpi equal %j, %z, signed : tile<i32> -> tile<i1>
    %m = cuda_tile.mini %a, %b signed : tile<i1>
    cuda_tile.if %m {
      %r = ownership.region %p[%z, %z] : !ownership.partition<mut tile [1, 64], [M, N], f32> -> !ownership.region<mut tile [1, 64], [M, N], f32>
      cuda_tile.yield
    }
  }
}

// -----

// CHECK:      error[O101]: two tile blocks write overlapping regions of `y`
ownership.kernel @unsigned(%y: !ownership.tensor<[M, N], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[M, N], f32> -> !ownership.partition<mut tile [1, 64], [M, N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [1, 64], [M, N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
    %z = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %a = cuda_tile.cmpi equal %i, %z, signed : tile<i32> -> tile<i1>
    %b = cuda_tile.cmpi equal %j, %z, signed : tile<i32> -> tile<i1>
    %m = cuda_tile.maxi %a, %b unsigned : tile<i1>
    cuda_tile.if %m {
      %r = ownership.region %p[%z, %z] : !ownership.partition<mut tile [1, 64], [M, N], f32> -> !ownership.region<mut tile [1, 64], [M, N], f32>
      cuda_tile.yield
    }
  }
}

// -----

// CHECK:      error[O101]: two tile blocks write overlapping regions of `y`
ownership.kernel @branch(%y: !ownership.tensor<[M, N], f32>, %s: !cuda_tile.tile<i32>) {
  %p = ownership.partition %y : !ownership.tensor<[M, N], f32> -> !ownership.partition<mut tile [1, 64], [M, N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [1, 64], [M, N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
    %z = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %positive = cuda_tile.cmpi greater_than %s, %z, signed : tile<i32> -> tile<i1>
    cuda_tile.if %positive {
      %a = cuda_tile.cmpi equal %i, %z, signed : tile<i32> -> tile<i1>
      %b = cuda_tile.cmpi equal %j, %z, signed : tile<i32> -> tile<i1>
      %m = cuda_tile.mini %a, %b signed : tile<i1>
      cuda_tile.if %m {
        %r = ownership.region %p[%z, %z] : !ownership.partition<mut tile [1, 64], [M, N], f32> -> !ownership.region<mut tile [1, 64], [M, N], f32>
        cuda_tile.yield
      }
      cuda_tile.yield
    }
  }
}

// -----

// CHECK:      error[O101]: two tile blocks write overlapping regions of `y`
ownership.kernel @loop(%y: !ownership.tensor<[M, N], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[M, N], f32> -> !ownership.partition<mut tile [1, 64], [M, N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [1, 64], [M, N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
    %z = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
    %a = cuda_tile.cmpi equal %i, %z, signed : tile<i32> -> tile<i1>
    %b = cuda_tile.cmpi equal %j, %z, signed : tile<i32> -> tile<i1>
    cuda_tile.for %k in (%z to %one, step %one) : tile<i32> {
      %m = cuda_tile.mini %a, %b signed : tile<i1>
      cuda_tile.if %m {
        %r = ownership.region %p[%k, %z] : !ownership.partition<mut tile [1, 64], [M, N], f32> -> !ownership.region<mut tile [1, 64], [M, N], f32>
        cuda_tile.yield
      }
      cuda_tile.continue
    }
  }
}

// -----

// From true, which is -1, to false: one turn, in which true is not taken to be less than false.
// CHECK:      error[O113]: cannot show that tile blocks write different regions of `y`
ownership.kernel @counter(%y: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [64], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %z = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %no = cuda_tile.constant <i1: false> : !cuda_tile.tile<i1>
    %yes = cuda_tile.constant <i1: true> : !cuda_tile.tile<i1>
    cuda_tile.for %k in (%yes to %no, step %yes) : tile<i1> {
      %r = ownership.region %p[%z] : !ownership.partition<mut tile [64], [N], f32> -> !ownership.region<mut tile [64], [N], f32>
      cuda_tile.continue
    }
  }
}
