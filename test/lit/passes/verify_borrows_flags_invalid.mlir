// RUN: tile-opt %s -p verify-borrows --print-diagnostics --split-input-file | filecheck %s

// As in verify_borrows_flags.mlir, but under the flag where it should be under its negation.

// CHECK:      error[O108]: the output `y` is not stored on every path
ownership.kernel @straight(%y: !ownership.tensor<[N], f32>, %a: !cuda_tile.tile<i1>, %b: !cuda_tile.tile<i1>, %n: !cuda_tile.tile<i32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<out tile [64], [N], f32>
  ownership.distribute %p : !ownership.partition<out tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %yes = cuda_tile.constant <i1: true> : tile<i1>
    %no = cuda_tile.constant <i1: false> : tile<i1>
    %zero = cuda_tile.constant <i32: 0> : tile<i32>
    %one = cuda_tile.constant <i32: 1> : tile<i32>
    %t = cuda_tile.constant <f32: 0.0> : tile<64xf32>
    %r = ownership.region %p[%i] : !ownership.partition<out tile [64], [N], f32> -> !ownership.region<out tile [64], [N], f32>
    %returned = cuda_tile.if %a -> (tile<i1>) {
      ownership.store %t, %r : !cuda_tile.tile<64xf32>, !ownership.region<out tile [64], [N], f32>
      cuda_tile.yield %yes : tile<i1>
    } else {
      cuda_tile.yield %no : tile<i1>
    }
    %left = cuda_tile.xori %returned, %yes : tile<i1>
    cuda_tile.if %returned {
      ownership.store %t, %r : !cuda_tile.tile<64xf32>, !ownership.region<out tile [64], [N], f32>
      cuda_tile.yield
    }
  }
}

// -----

// CHECK:      error[O108]: the output `y` is not stored on every path
ownership.kernel @in_a_for(%y: !ownership.tensor<[N], f32>, %a: !cuda_tile.tile<i1>, %b: !cuda_tile.tile<i1>, %n: !cuda_tile.tile<i32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<out tile [64], [N], f32>
  ownership.distribute %p : !ownership.partition<out tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %yes = cuda_tile.constant <i1: true> : tile<i1>
    %no = cuda_tile.constant <i1: false> : tile<i1>
    %zero = cuda_tile.constant <i32: 0> : tile<i32>
    %one = cuda_tile.constant <i32: 1> : tile<i32>
    %t = cuda_tile.constant <f32: 0.0> : tile<64xf32>
    %r = ownership.region %p[%i] : !ownership.partition<out tile [64], [N], f32> -> !ownership.region<out tile [64], [N], f32>
    %returned = cuda_tile.for %k in (%zero to %n, step %one) : tile<i32> iter_values(%before = %no) -> (tile<i1>) {
      %after = cuda_tile.if %before -> (tile<i1>) {
        cuda_tile.yield %before : tile<i1>
      } else {
        %hit = cuda_tile.cmpi equal %k, %i, signed : tile<i32> -> tile<i1>
        %found = cuda_tile.if %hit -> (tile<i1>) {
          ownership.store %t, %r : !cuda_tile.tile<64xf32>, !ownership.region<out tile [64], [N], f32>
          cuda_tile.yield %yes : tile<i1>
        } else {
          cuda_tile.yield %no : tile<i1>
        }
        cuda_tile.yield %found : tile<i1>
      }
      cuda_tile.continue %after : tile<i1>
    }
    %left = cuda_tile.xori %returned, %yes : tile<i1>
    cuda_tile.if %returned {
      ownership.store %t, %r : !cuda_tile.tile<64xf32>, !ownership.region<out tile [64], [N], f32>
      cuda_tile.yield
    }
  }
}

// -----

// CHECK:      error[O108]: the output `y` is not stored on every path
ownership.kernel @in_a_loop(%y: !ownership.tensor<[N], f32>, %a: !cuda_tile.tile<i1>, %b: !cuda_tile.tile<i1>, %n: !cuda_tile.tile<i32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<out tile [64], [N], f32>
  ownership.distribute %p : !ownership.partition<out tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %yes = cuda_tile.constant <i1: true> : tile<i1>
    %no = cuda_tile.constant <i1: false> : tile<i1>
    %zero = cuda_tile.constant <i32: 0> : tile<i32>
    %one = cuda_tile.constant <i32: 1> : tile<i32>
    %t = cuda_tile.constant <f32: 0.0> : tile<64xf32>
    %r = ownership.region %p[%i] : !ownership.partition<out tile [64], [N], f32> -> !ownership.region<out tile [64], [N], f32>
    %returned = cuda_tile.loop iter_values(%k = %zero) : tile<i32> -> tile<i1> {
      %hit = cuda_tile.cmpi equal %k, %i, signed : tile<i32> -> tile<i1>
      cuda_tile.if %hit {
        ownership.store %t, %r : !cuda_tile.tile<64xf32>, !ownership.region<out tile [64], [N], f32>
        cuda_tile.break %yes : tile<i1>
      }
      %last = cuda_tile.cmpi greater_than %k, %n, signed : tile<i32> -> tile<i1>
      cuda_tile.if %last {
        cuda_tile.break %no : tile<i1>
      }
      %next = cuda_tile.addi %k, %one : tile<i32>
      cuda_tile.continue %next : tile<i32>
    }
    %left = cuda_tile.xori %returned, %yes : tile<i1>
    cuda_tile.if %returned {
      ownership.store %t, %r : !cuda_tile.tile<64xf32>, !ownership.region<out tile [64], [N], f32>
      cuda_tile.yield
    }
  }
}

// -----

// CHECK:      error[O108]: the output `y` is not stored on every path
ownership.kernel @nested(%y: !ownership.tensor<[N], f32>, %a: !cuda_tile.tile<i1>, %b: !cuda_tile.tile<i1>, %n: !cuda_tile.tile<i32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<out tile [64], [N], f32>
  ownership.distribute %p : !ownership.partition<out tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %yes = cuda_tile.constant <i1: true> : tile<i1>
    %no = cuda_tile.constant <i1: false> : tile<i1>
    %zero = cuda_tile.constant <i32: 0> : tile<i32>
    %one = cuda_tile.constant <i32: 1> : tile<i32>
    %t = cuda_tile.constant <f32: 0.0> : tile<64xf32>
    %r = ownership.region %p[%i] : !ownership.partition<out tile [64], [N], f32> -> !ownership.region<out tile [64], [N], f32>
    %returned = cuda_tile.if %a -> (tile<i1>) {
      %inner = cuda_tile.if %b -> (tile<i1>) {
        ownership.store %t, %r : !cuda_tile.tile<64xf32>, !ownership.region<out tile [64], [N], f32>
        cuda_tile.yield %yes : tile<i1>
      } else {
        cuda_tile.yield %no : tile<i1>
      }
      cuda_tile.yield %inner : tile<i1>
    } else {
      cuda_tile.yield %no : tile<i1>
    }
    %either = cuda_tile.ori %returned, %returned : tile<i1>
    %left = cuda_tile.xori %either, %yes : tile<i1>
    cuda_tile.if %returned {
      ownership.store %t, %r : !cuda_tile.tile<64xf32>, !ownership.region<out tile [64], [N], f32>
      cuda_tile.yield
    }
  }
}
