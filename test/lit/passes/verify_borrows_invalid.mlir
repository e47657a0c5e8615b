// RUN: tile-opt %s -p verify-borrows --print-diagnostics --split-input-file | filecheck %s

// CHECK:      error[O102]: cannot store through `x`: it is a shared borrow
// CHECK:      {{[0-9]+}} |   %u = ownership.borrow %x
// CHECK-NEXT: |        {{-+}} `x` is borrowed shared here
// CHECK:      {{[0-9]+}} |     ownership.store %t, %u
// CHECK-NEXT: |     {{\^+}} a store needs exclusive access to `x`
// CHECK:      = note: every tile block may read `x` while this one writes it
// CHECK-NEXT: = help: store to the exclusive region of `y`: `y.store(...)`
// CHECK-NEXT: = help: or declare `x` as `Mut`, and store to this block's region of it
ownership.kernel @shared(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<out tile [64], [N], f32>
  %u = ownership.borrow %x : !ownership.tensor<[N], f32> -> !ownership.ref<[N], f32>
  ownership.distribute %p : !ownership.partition<out tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<out tile [64], [N], f32> -> !ownership.region<out tile [64], [N], f32>
    %t = ownership.load %u[%i] : !ownership.ref<[N], f32> -> !cuda_tile.tile<64xf32>
    ownership.store %t, %u : !cuda_tile.tile<64xf32>, !ownership.ref<[N], f32>
    ownership.store %t, %r : !cuda_tile.tile<64xf32>, !ownership.region<out tile [64], [N], f32>
  }
}

// -----

// The stencil in place: a block reads what its neighbour owns.
// CHECK:      error[O103]: `u` is read anywhere while tile blocks write it
// CHECK:      `u` is split into regions for writing here
// CHECK:      reads `u` where other tile blocks may write
// CHECK:      = note: where N = 128, block 1 reads `u[0 .. 64]` and block 0 owns `u[0 .. 64]`
// CHECK-NEXT: = note: blocks run in no fixed order, so this would be a data race
// CHECK-NEXT: = help: read one tensor and write another: take `u` as `Ref` and add an `Out` of its shape
// CHECK-NEXT: = help: or read this block's own region only: `u.load()`
ownership.kernel @stencil(%u: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %u : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [64], [N], f32>
  %b = ownership.borrow %u : !ownership.tensor<[N], f32> -> !ownership.ref<[N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [64], [N], f32> -> !ownership.region<mut tile [64], [N], f32>
    %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
    %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %h = cuda_tile.subi %i, %one : !cuda_tile.tile<i32>
    %left = cuda_tile.maxi %h, %zero signed : !cuda_tile.tile<i32>
    %t = ownership.load %b[%left] : !ownership.ref<[N], f32> -> !cuda_tile.tile<64xf32>
    ownership.store %t, %r : !cuda_tile.tile<64xf32>, !ownership.region<mut tile [64], [N], f32>
  }
}

// -----

// Its double-buffered twin.
// CHECK: ownership.kernel @double_buffered
ownership.kernel @double_buffered(%v: !ownership.tensor<[N], f32>, %u: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %v : !ownership.tensor<[N], f32> -> !ownership.partition<out tile [64], [N], f32>
  %b = ownership.borrow %u : !ownership.tensor<[N], f32> -> !ownership.ref<[N], f32>
  ownership.distribute %p : !ownership.partition<out tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<out tile [64], [N], f32> -> !ownership.region<out tile [64], [N], f32>
    %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
    %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %h = cuda_tile.subi %i, %one : !cuda_tile.tile<i32>
    %left = cuda_tile.maxi %h, %zero signed : !cuda_tile.tile<i32>
    %t = ownership.load %b[%left] : !ownership.ref<[N], f32> -> !cuda_tile.tile<64xf32>
    ownership.store %t, %r : !cuda_tile.tile<64xf32>, !ownership.region<out tile [64], [N], f32>
  }
}

// -----

// CHECK:      error[O104]: `y` is partitioned more than once
// CHECK:      first partitioned here
// CHECK:      `y` was spent by an earlier partition
ownership.kernel @twice(%y: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [64], [N], f32>
  %q = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [32], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
  }
}

// -----

// Released on one path is released.
// CHECK:      error[O105]: the region of `y` is stored after it was released
// CHECK:      released here
// CHECK:      stored here
ownership.kernel @released(%y: !ownership.tensor<[N], f32>, %c: !cuda_tile.tile<i1>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [64], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [64], [N], f32> -> !ownership.region<mut tile [64], [N], f32>
    %t = ownership.load %r : !ownership.region<mut tile [64], [N], f32> -> !cuda_tile.tile<64xf32>
    cuda_tile.if %c {
      ownership.release %r : !ownership.region<mut tile [64], [N], f32>
      cuda_tile.yield
    }
    ownership.store %t, %r : !cuda_tile.tile<64xf32>, !ownership.region<mut tile [64], [N], f32>
  }
}

// -----

// CHECK:      error[O107]: `y` is read before it is stored
// CHECK:      `y` holds garbage here
// CHECK:      = note: `y` is an output: nothing is in it when the kernel starts
// CHECK-NEXT: = help: declare `y` as `Mut` if its old contents are meant
ownership.kernel @garbage(%y: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<out tile [64], [N], f32>
  ownership.distribute %p : !ownership.partition<out tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<out tile [64], [N], f32> -> !ownership.region<out tile [64], [N], f32>
    %t = ownership.load %r : !ownership.region<out tile [64], [N], f32> -> !cuda_tile.tile<64xf32>
    ownership.store %t, %r : !cuda_tile.tile<64xf32>, !ownership.region<out tile [64], [N], f32>
  }
}

// -----

// A loop that may run no turn is a path around its body; `%n` is whatever the caller passes.
// CHECK:      error[O108]: the output `y` is not stored on every path
// CHECK:      the work ends here without a store to `y` on some paths
// CHECK:      this store does not happen on every path
// CHECK:      = help: the loop may have no turn: store an initial value in front of it
// CHECK-NEXT: = help: or ask the launch for a turn: `fh.require("0 < n")`
// CHECK-NEXT: = help: or declare `y` as `Mut` if elements may keep what they held
ownership.kernel @zero_trip(%y: !ownership.tensor<[N], f32>, %n: !cuda_tile.tile<i32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<out tile [64], [N], f32>
  ownership.distribute %p : !ownership.partition<out tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<out tile [64], [N], f32> -> !ownership.region<out tile [64], [N], f32>
    %t = cuda_tile.constant <f32: 0.0> : !cuda_tile.tile<64xf32>
    %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
    cuda_tile.for %k in (%zero to %n, step %one) : !cuda_tile.tile<i32> {
      ownership.store %t, %r : !cuda_tile.tile<64xf32>, !ownership.region<out tile [64], [N], f32>
      cuda_tile.continue
    }
  }
}

// -----

// Over the tiles of an axis there is at least one turn.
// CHECK: ownership.kernel @one_trip
ownership.kernel @one_trip(%y: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<out tile [64], [N], f32>
  ownership.distribute %p : !ownership.partition<out tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<out tile [64], [N], f32> -> !ownership.region<out tile [64], [N], f32>
    %t = cuda_tile.constant <f32: 0.0> : !cuda_tile.tile<64xf32>
    %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
    %n = ownership.tiles %y, 0 by 64 : !ownership.tensor<[N], f32>
    cuda_tile.for %k in (%zero to %n, step %one) : !cuda_tile.tile<i32> {
      ownership.store %t, %r : !cuda_tile.tile<64xf32>, !ownership.region<out tile [64], [N], f32>
      cuda_tile.continue
    }
  }
}

// -----

// Both branches store; a loop is left behind a store only.
// CHECK: ownership.kernel @all_paths
ownership.kernel @all_paths(%y: !ownership.tensor<[N], f32>, %c: !cuda_tile.tile<i1>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<out tile [64], [N], f32>
  ownership.distribute %p : !ownership.partition<out tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<out tile [64], [N], f32> -> !ownership.region<out tile [64], [N], f32>
    %t = cuda_tile.constant <f32: 0.0> : !cuda_tile.tile<64xf32>
    cuda_tile.if %c {
      ownership.store %t, %r : !cuda_tile.tile<64xf32>, !ownership.region<out tile [64], [N], f32>
      cuda_tile.yield
    } else {
      cuda_tile.loop {
        ownership.store %t, %r : !cuda_tile.tile<64xf32>, !ownership.region<out tile [64], [N], f32>
        cuda_tile.if %c {
          cuda_tile.break
        }
        cuda_tile.continue
      }
      cuda_tile.yield
    }
    %u = ownership.load %r : !ownership.region<out tile [64], [N], f32> -> !cuda_tile.tile<64xf32>
  }
}

// -----

// CHECK:      error[O109]: the output `y` is left without a writer
// CHECK:      the work may end here without taking a region of `y`
ownership.kernel @nobody(%y: !ownership.tensor<[N], f32>, %c: !cuda_tile.tile<i1>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<out tile [64], [N], f32>
  ownership.distribute %p : !ownership.partition<out tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %t = cuda_tile.constant <f32: 0.0> : !cuda_tile.tile<64xf32>
    cuda_tile.if %c {
      %r = ownership.region %p[%i] : !ownership.partition<out tile [64], [N], f32> -> !ownership.region<out tile [64], [N], f32>
      ownership.store %t, %r : !cuda_tile.tile<64xf32>, !ownership.region<out tile [64], [N], f32>
      cuda_tile.yield
    }
  }
}

// -----

// CHECK: error[O111]: `builtin.unrealized_conversion_cast` uses `y` in a way that is not understood
ownership.kernel @cast(%y: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [64], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [64], [N], f32> -> !ownership.region<mut tile [64], [N], f32>
    %s = builtin.unrealized_conversion_cast %r : !ownership.region<mut tile [64], [N], f32> to i32
  }
}

// -----

// CHECK:      error[O112]: `cuda_tile.assume` promises what nobody checks
// CHECK:      not allowed in a verified kernel
ownership.kernel @promise(%y: !ownership.tensor<[N], f32>, %n: !cuda_tile.tile<i32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [64], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %m = cuda_tile.assume bounded<0, 4>, %n : !cuda_tile.tile<i32>
  }
}

// -----

// An output that no distribution hands out has no writer, whatever is handed out besides.
// CHECK:      error[O109]: the output `x` is left without a writer
// CHECK:      1 error
ownership.kernel @not_distributed(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<out tile [64], [N], f32>
  %q = ownership.partition %x : !ownership.tensor<[N], f32> -> !ownership.partition<out tile [64], [N], f32>
  ownership.distribute %p : !ownership.partition<out tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %c = cuda_tile.constant <f32: 1.0> : tile<64xf32>
    %r = ownership.region %p[%i] : !ownership.partition<out tile [64], [N], f32> -> !ownership.region<out tile [64], [N], f32>
    ownership.store %c, %r : !cuda_tile.tile<64xf32>, !ownership.region<out tile [64], [N], f32>
  }
}

// -----

// Coordinates are a use, too: in straight line,
// CHECK:      error[O105]: the region of `y` is {{.*}} after it was released
// CHECK:      ownership.coordinate %r, 0
ownership.kernel @coordinate_of_a_released_region(%y: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [64], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [64], [N], f32> -> !ownership.region<mut tile [64], [N], f32>
    ownership.release %r : !ownership.region<mut tile [64], [N], f32>
    %n = ownership.coordinate %r, 0 : !ownership.region<mut tile [64], [N], f32>
  }
}

// -----

// in a branch behind one,
// CHECK:      error[O105]: the region of `y` is {{.*}} after it was released
// CHECK:      ownership.coordinate %r, 0
ownership.kernel @in_branches(%y: !ownership.tensor<[N], f32>, %c: !cuda_tile.tile<i1>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [64], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [64], [N], f32> -> !ownership.region<mut tile [64], [N], f32>
    cuda_tile.if %c {
      ownership.release %r : !ownership.region<mut tile [64], [N], f32>
      cuda_tile.yield
    }
    cuda_tile.if %c {
      %n = ownership.coordinate %r, 0 : !ownership.region<mut tile [64], [N], f32>
      cuda_tile.yield
    }
  }
}

// -----

// and in the next turn of a loop.
// CHECK:      error[O105]: the region of `y` is {{.*}} after it was released
// CHECK:      ownership.coordinate %r, 0
ownership.kernel @in_turns(%y: !ownership.tensor<[N], f32>, %n: !cuda_tile.tile<i32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [64], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [64], [N], f32> -> !ownership.region<mut tile [64], [N], f32>
    %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
    cuda_tile.for %k in (%one to %n, step %one) : tile<i32> {
      %m = ownership.coordinate %r, 0 : !ownership.region<mut tile [64], [N], f32>
      ownership.release %r : !ownership.region<mut tile [64], [N], f32>
    }
  }
}

// -----

// Every operation that may promise that nothing overflows.
// CHECK: error[O112]: `cuda_tile.addi` promises that nothing overflows, which nobody checks
// CHECK: error[O112]: `cuda_tile.negi` promises that nothing overflows, which nobody checks
// CHECK: error[O112]: `cuda_tile.trunci` promises that nothing overflows, which nobody checks
ownership.kernel @promises(%n: !cuda_tile.tile<i32>) {
  ownership.distribute over [4] {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %a = cuda_tile.addi %n, %n overflow<no_signed_wrap> : tile<i32>
    %b = cuda_tile.negi %n overflow<no_signed_wrap> : tile<i32>
    %c = cuda_tile.trunci %n overflow<no_wrap> : tile<i32> -> tile<i8>
  }
}
