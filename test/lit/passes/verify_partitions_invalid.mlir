// RUN: tile-opt %s -p verify-partitions --print-diagnostics --split-input-file | filecheck %s

// CHECK:      error[O101]: two tile blocks write overlapping regions of `u`
// CHECK:      step 64 is smaller than the tile extent 128
// CHECK:      block `i` along axis 0 writes `u[64*i .. 64*i + 128]`
// CHECK:      = note: where N = 128, blocks 0 and 1 both write `u[64 .. 128]`
// CHECK-NEXT: = note: blocks run in no fixed order, so this would be a data race
// CHECK-NEXT: = help: make the step at least the tile: `step=(128,)`
ownership.kernel @step(%u: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %u : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [128] step [64], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [128] step [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [128] step [64], [N], f32> -> !ownership.region<mut tile [128] step [64], [N], f32>
    %t = cuda_tile.constant <f32: 0.0> : !cuda_tile.tile<128xf32>
    ownership.store %t, %r : !cuda_tile.tile<128xf32>, !ownership.region<mut tile [128] step [64], [N], f32>
  }
}

// -----

// CHECK:      error[O101]: two tile blocks write overlapping regions of `u`
// CHECK:      takes the region `[i // 2]` of `u`
// CHECK:      = note: where N = 128, blocks 0 and 1 both own `u[0 .. 64]`
// CHECK-NEXT: = note: blocks run in no fixed order, so this would be a data race
// CHECK-NEXT: = help: store to the block's own region, `u.store(...)`, without coordinates
ownership.kernel @halved(%u: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %u : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [64], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %two = cuda_tile.constant <i32: 2> : !cuda_tile.tile<i32>
    %h = cuda_tile.divi %i, %two signed : !cuda_tile.tile<i32>
    %r = ownership.region %p[%h] : !ownership.partition<mut tile [64], [N], f32> -> !ownership.region<mut tile [64], [N], f32>
  }
}

// -----

// A point's coordinate along one axis alone.
// CHECK:      error[O101]: two tile blocks write overlapping regions of `u`
// CHECK:      takes the region `[i, 0]` of `u`
// CHECK:      = note: where M = 128, N = 128, blocks (0, 0) and (0, 1) both own `u[0 .. 64, 0 .. 64]`
ownership.kernel @row(%u: !ownership.tensor<[M, N], f32>) {
  %p = ownership.partition %u : !ownership.tensor<[M, N], f32> -> !ownership.partition<mut tile [64, 64], [M, N], f32>
  ownership.distribute %p order #ownership.order<grouped 8> : !ownership.partition<mut tile [64, 64], [M, N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
    %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %r = ownership.region %p[%i, %zero] : !ownership.partition<mut tile [64, 64], [M, N], f32> -> !ownership.region<mut tile [64, 64], [M, N], f32>
  }
}

// -----

// Overlap only at sizes beyond a search of small ones: `i * 3` and `i * 2 + 1000` meet at (1000, 1000), so at 3000.
// CHECK:      error[O101]: two tile blocks write overlapping regions of `u`
// CHECK:      both own `u[
ownership.kernel @far(%u: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %u : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [1], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [1], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %three = cuda_tile.constant <i32: 3> : !cuda_tile.tile<i32>
    %two = cuda_tile.constant <i32: 2> : !cuda_tile.tile<i32>
    %far = cuda_tile.constant <i32: 1000> : !cuda_tile.tile<i32>
    %a = cuda_tile.muli %i, %three : !cuda_tile.tile<i32>
    %b = cuda_tile.muli %i, %two : !cuda_tile.tile<i32>
    %c = cuda_tile.addi %b, %far : !cuda_tile.tile<i32>
    %r = ownership.region %p[%a] : !ownership.partition<mut tile [1], [N], f32> -> !ownership.region<mut tile [1], [N], f32>
    %s = ownership.region %p[%c] : !ownership.partition<mut tile [1], [N], f32> -> !ownership.region<mut tile [1], [N], f32>
  }
}

// -----

// Arithmetic that may wrap is no arithmetic: nothing is known of the product.
// CHECK:      error[O113]: cannot show that tile blocks write different regions of `u`
// CHECK:      takes `u[w]`
// CHECK:      = note: `w` is computed in a way that may wrap, or that the prover does not follow, so two blocks may have the same
ownership.kernel @wraps(%u: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %u : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [64], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %big = cuda_tile.constant <i32: 65536> : !cuda_tile.tile<i32>
    %w = cuda_tile.muli %i, %big : !cuda_tile.tile<i32>
    %r = ownership.region %p[%w] : !ownership.partition<mut tile [64], [N], f32> -> !ownership.region<mut tile [64], [N], f32>
  }
}

// -----

// What cannot be proved is computed for some small launches: two blocks that meet are a witness.
// CHECK:      error[O101]: two tile blocks write overlapping regions of `u`
// CHECK:      = note: where N = {{[0-9]+}}, blocks {{[0-9]+}} and {{[0-9]+}} both own
ownership.kernel @wraps_and_meets(%u: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %u : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [64], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %big = cuda_tile.constant <i32: -2147483648> : !cuda_tile.tile<i32>
    %two = cuda_tile.constant <i32: 2> : !cuda_tile.tile<i32>
    %even = cuda_tile.muli %i, %two : !cuda_tile.tile<i32>
    %w = cuda_tile.muli %even, %big : !cuda_tile.tile<i32>
    %r = ownership.region %p[%w] : !ownership.partition<mut tile [64], [N], f32> -> !ownership.region<mut tile [64], [N], f32>
  }
}

// -----

// A witness is certain: where it is not known whether a remainder in front of the regions is defined, none is named.
// CHECK:      error[O113]: cannot show that tile blocks write different regions of `u`
// CHECK:      so two blocks may have the same
// CHECK-NEXT: = help
ownership.kernel @may_divide_by_zero_before_it_meets(%u: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[N], i32>) {
  %p = ownership.partition %u : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [64], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %read = ownership.borrow %x : !ownership.tensor<[N], i32> -> !ownership.ref<[N], i32>
    %loaded = ownership.load_from %read[%i] : !ownership.ref<[N], i32> -> !cuda_tile.tile<1xi32>
    %t = cuda_tile.reshape %loaded : tile<1xi32> -> tile<i32>
    %rest = cuda_tile.remi %i, %t unsigned : !cuda_tile.tile<i32>
    %big = cuda_tile.constant <i32: -2147483648> : !cuda_tile.tile<i32>
    %two = cuda_tile.constant <i32: 2> : !cuda_tile.tile<i32>
    %even = cuda_tile.muli %i, %two : !cuda_tile.tile<i32>
    %w = cuda_tile.muli %even, %big : !cuda_tile.tile<i32>
    %r = ownership.region %p[%w] : !ownership.partition<mut tile [64], [N], f32> -> !ownership.region<mut tile [64], [N], f32>
  }
}

// -----

// The same for a divisor that is zero: the first block has no region.
// CHECK:      error[O113]: cannot show that tile blocks write different regions of `u`
// CHECK:      = note: where N = {{[0-9]+}}, block 0 divides by zero to find its region
ownership.kernel @divides_by_zero(%u: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %u : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [64], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %n = ownership.tiles %p, 0 by 64 : !ownership.partition<mut tile [64], [N], f32>
    %square = cuda_tile.muli %n, %i : !cuda_tile.tile<i32>
    %w = cuda_tile.divi %square, %i signed : !cuda_tile.tile<i32>
    %j = cuda_tile.addi %w, %i : !cuda_tile.tile<i32>
    %r = ownership.region %p[%j] : !ownership.partition<mut tile [64], [N], f32> -> !ownership.region<mut tile [64], [N], f32>
  }
}

// -----

// CHECK:      error[O114]: the same region of `u` is taken twice
// CHECK:      taken again in every turn of the loop
ownership.kernel @again(%u: !ownership.tensor<[N], f32>, %c: !cuda_tile.tile<i1>) {
  %p = ownership.partition %u : !ownership.tensor<[N], f32> -> !ownership.partition<out tile [64], [N], f32>
  ownership.distribute %p : !ownership.partition<out tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    cuda_tile.loop {
      %r = ownership.region %p[%i] : !ownership.partition<out tile [64], [N], f32> -> !ownership.region<out tile [64], [N], f32>
      cuda_tile.if %c {
        cuda_tile.break
      }
      cuda_tile.continue
    }
  }
}

// -----

// CHECK:      error[O114]: the same region of `u` is taken twice
// CHECK:      taken here before
// CHECK:      taken again here
// CHECK:      = note: where N = 128, the region `[0]` is taken twice by block 0
ownership.kernel @two(%u: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %u : !ownership.tensor<[N], f32> -> !ownership.partition<out tile [64], [N], f32>
  ownership.distribute %p : !ownership.partition<out tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<out tile [64], [N], f32> -> !ownership.region<out tile [64], [N], f32>
    %s = ownership.region %p[%i] : !ownership.partition<out tile [64], [N], f32> -> !ownership.region<out tile [64], [N], f32>
  }
}

// -----

// CHECK:      error[O115]: `y` and `z` are partitioned into different grids
// CHECK:      `y` is partitioned here
// CHECK:      `z` is partitioned here
// CHECK:      `y` has 4 regions along axis 0, `z` 8
ownership.kernel @grids(%y: !ownership.tensor<[256], f32>, %z: !ownership.tensor<[256], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[256], f32> -> !ownership.partition<mut tile [64], [256], f32>
  %q = ownership.partition %z : !ownership.tensor<[256], f32> -> !ownership.partition<mut tile [32], [256], f32>
  ownership.distribute %p, %q : !ownership.partition<mut tile [64], [256], f32>, !ownership.partition<mut tile [32], [256], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
  }
}

// -----

// CHECK:      error[O116]: a region of `y` is taken outside of a distribution
// CHECK:      every tile block would take the same one
// CHECK:      error[O116]: a region of `z` is taken that is not distributed
// CHECK:      the distribution is over other partitions, so `z` may have another grid
ownership.kernel @outside(%y: !ownership.tensor<[N], f32>, %z: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [64], [N], f32>
  %q = ownership.partition %z : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [64], [N], f32>
  %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
  %r = ownership.region %p[%zero] : !ownership.partition<mut tile [64], [N], f32> -> !ownership.region<mut tile [64], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %s = ownership.region %q[%i] : !ownership.partition<mut tile [64], [N], f32> -> !ownership.region<mut tile [64], [N], f32>
  }
}

// -----

// CHECK:      error[O117]: the regions of the output `y` leave gaps
// CHECK:      along axis 0, regions of 64 elements begin 128 apart
// CHECK:      = help: declare `y` as `Mut`: what lies between the regions keeps its value
ownership.kernel @gaps(%y: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<out tile [64] step [128], [N], f32>
  ownership.distribute %p : !ownership.partition<out tile [64] step [128], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
  }
}

// -----

// CHECK:      error[O118]: the kernel distributes no points, so no tile block has any work
ownership.kernel @idle(%y: !ownership.tensor<[N], f32>) {}

// -----

// CHECK:      error[O118]: points are distributed inside another operation
// CHECK:      error[O118]: a kernel distributes its points once
ownership.kernel @nested(%y: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [64], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    ownership.distribute %p : !ownership.partition<mut tile [64], [N], f32> {
    ^bb0(%j: !cuda_tile.tile<i32>):
    }
  }
}

// -----

// From a contradiction everything would follow, so nothing is concluded from one.
// CHECK:      error[O119]: no launch of `never` is possible: its extents contradict each other
ownership.kernel @never(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<["2 - N - N"], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [64], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
  }
}

// -----

// A single region leaves a gap, too, behind its end.
// CHECK:      error[O117]: the regions of the output `y` leave gaps
ownership.kernel @single(%y: !ownership.tensor<[100], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[100], f32> -> !ownership.partition<out tile [64] step [128], [100], f32>
  ownership.distribute %p : !ownership.partition<out tile [64] step [128], [100], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
  }
}

// -----

// What a loop carries cannot be chosen: no two blocks are said to get past a condition on it.
// CHECK:      error[O113]: cannot show that tile blocks write different regions of `u`
// CHECK-NOT:  both
ownership.kernel @carried(%u: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %u : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [64], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
    %two = cuda_tile.constant <i32: 2> : !cuda_tile.tile<i32>
    cuda_tile.for %k in (%zero to %two, step %one) : !cuda_tile.tile<i32> iter_values(%c = %i) -> (!cuda_tile.tile<i32>) {
      %more = cuda_tile.muli %c, %two : !cuda_tile.tile<i32>
      %left = cuda_tile.cmpi less_than_or_equal %zero, %c, signed : !cuda_tile.tile<i32> -> !cuda_tile.tile<i1>
      cuda_tile.if %left {
        cuda_tile.continue %more : !cuda_tile.tile<i32>
      }
      %r = ownership.region %p[%k] : !ownership.partition<mut tile [64], [N], f32> -> !ownership.region<mut tile [64], [N], f32>
      cuda_tile.continue %more : !cuda_tile.tile<i32>
    }
  }
}

// -----

// Where memory says which regions are taken, no element is said to be left out: only too few are taken for certain.
// CHECK:     error[O122]: cannot show that all of the output `y` is written
// CHECK-NOT: no block takes
ownership.kernel @somewhere(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[1], i1>) {
  ownership.require "9 <= N"
  %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
  %b = ownership.borrow %x : !ownership.tensor<[1], i1> -> !ownership.ref<[1], i1>
  %l = ownership.load %b[%zero] : !ownership.ref<[1], i1> -> !cuda_tile.tile<1xi1>
  %k = cuda_tile.reshape %l : tile<1xi1> -> tile<i1>
  %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
  %bit = cuda_tile.select %k, %one, %zero : tile<i1>, tile<i32>
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<out tile [4], [N], f32>
  ownership.distribute %p over ["2"] : !ownership.partition<out tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %at = cuda_tile.addi %i, %bit : tile<i32>
    %v = cuda_tile.constant <f32: 1.0> : tile<4xf32>
    %r = ownership.region %p[%at] : !ownership.partition<out tile [4], [N], f32> -> !ownership.region<out tile [4], [N], f32>
    ownership.store %v, %r : !cuda_tile.tile<4xf32>, !ownership.region<out tile [4], [N], f32>
  }
}

// -----

// A point may take a region of a `mut` again: that it does is not what is wrong, but that two points may take one.
// CHECK:     error[O113]: cannot show that tile blocks write different regions of `y`
// CHECK-NOT: taken twice
ownership.kernel @in_each_turn(%y: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [2], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [2], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %value = cuda_tile.constant <f32: 1.0> : !cuda_tile.tile<2xf32>
    %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
    %two = cuda_tile.constant <i32: 2> : !cuda_tile.tile<i32>
    %n = ownership.tiles %p, 0 by 2 : !ownership.partition<mut tile [2], [N], f32>
    %x = cuda_tile.xori %i, %one : tile<i32>
    %c = cuda_tile.cmpi less_than %x, %n, signed : tile<i32> -> tile<i1>
    cuda_tile.if %c {
      cuda_tile.for %k in (%zero to %two, step %one) : tile<i32> {
        %r = ownership.region %p[%x] : !ownership.partition<mut tile [2], [N], f32> -> !ownership.region<mut tile [2], [N], f32>
        ownership.store %value, %r : !cuda_tile.tile<2xf32>, !ownership.region<mut tile [2], [N], f32>
        cuda_tile.continue
      }
    }
  }
}

// -----

// CHECK:     error[O113]: cannot show that tile blocks write different regions of `y`
// CHECK-NOT: taken twice
ownership.kernel @in_a_branch(%y: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [2], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [2], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %value = cuda_tile.constant <f32: 1.0> : !cuda_tile.tile<2xf32>
    %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
    %two = cuda_tile.constant <i32: 2> : !cuda_tile.tile<i32>
    %n = ownership.tiles %p, 0 by 2 : !ownership.partition<mut tile [2], [N], f32>
    %x = cuda_tile.xori %i, %one : tile<i32>
    %c = cuda_tile.cmpi less_than %x, %n, signed : tile<i32> -> tile<i1>
    cuda_tile.if %c {
      %r = ownership.region %p[%x] : !ownership.partition<mut tile [2], [N], f32> -> !ownership.region<mut tile [2], [N], f32>
      ownership.store %value, %r : !cuda_tile.tile<2xf32>, !ownership.region<mut tile [2], [N], f32>
      %s = ownership.region %p[%x] : !ownership.partition<mut tile [2], [N], f32> -> !ownership.region<mut tile [2], [N], f32>
      ownership.store %value, %s : !cuda_tile.tile<2xf32>, !ownership.region<mut tile [2], [N], f32>
    }
  }
}
