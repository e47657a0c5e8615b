// Windows of tensors that are refused.

// RUN: tile-opt %s -p VERIFIERS --print-diagnostics --split-input-file | filecheck %s

// A window in a loop.
// CHECK: error[O118]: a window of `c` is made inside another operation
// CHECK: it is the same for all tile blocks: it is made at the top level
ownership.kernel @in_a_loop(%c: !ownership.tensor<[S], f32>, %y: !ownership.tensor<[S], f32>, %n: !cuda_tile.tile<i32>) {
  %p = ownership.partition %y : !ownership.tensor<[S], f32> -> !ownership.partition<mut tile [8], [S], f32>
  %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
  %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
  ownership.distribute %p : !ownership.partition<mut tile [8], [S], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    cuda_tile.for %k in (%zero to %n, step %one) : tile<i32> {
      %w = ownership.window %c[%k] {axis = #builtin.int<0>} : !ownership.tensor<[S], f32> -> !ownership.tensor<[8], f32>
    }
  }
}

// -----

// A window in a branch.
// CHECK: error[O118]: a window of `c` is made inside another operation
ownership.kernel @in_a_branch(%c: !ownership.tensor<[S], f32>, %y: !ownership.tensor<[S], f32>, %n: !cuda_tile.tile<i32>) {
  %p = ownership.partition %y : !ownership.tensor<[S], f32> -> !ownership.partition<mut tile [8], [S], f32>
  %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
  %some = cuda_tile.cmpi less_than %zero, %n, signed : !cuda_tile.tile<i32> -> !cuda_tile.tile<i1>
  cuda_tile.if %some {
    %w = ownership.window %c[%n] {axis = #builtin.int<0>} : !ownership.tensor<[S], f32> -> !ownership.tensor<[8], f32>
  }
  ownership.distribute %p : !ownership.partition<mut tile [8], [S], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
  }
}

// -----

// A position by the block's own number.
// CHECK: error[O118]: a window of `c` begins at another place in each tile block
// CHECK: windows of two blocks may overlap, and so may their regions
ownership.kernel @by_block(%c: !ownership.tensor<[S], f32>) {
  %b, %b1, %b2 = cuda_tile.get_tile_block_id : !cuda_tile.tile<i32>
  %w = ownership.window %c[%b] {axis = #builtin.int<0>} : !ownership.tensor<[S], f32> -> !ownership.tensor<[8], f32>
  %p = ownership.partition %w : !ownership.tensor<[8], f32> -> !ownership.partition<mut tile [8], [8], f32>
  ownership.distribute %p : !ownership.partition<mut tile [8], [8], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [8], [8], f32> -> !ownership.region<mut tile [8], [8], f32>
  }
}

// -----

// A position out of memory that other blocks write.
// CHECK: error[O118]: a window of `c` begins at another place in each tile block
ownership.kernel @by_ticket(%c: !ownership.tensor<[S], f32>, %t: !ownership.tensor<[1], i32>) {
  %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
  %raw = ownership.expose %t : !ownership.tensor<[1], i32> -> !ownership.raw<[1], i32>
  %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
  %b = ownership.unsafe_update "a ticket" %one, %raw[%zero] {mode = #cuda_tile.atomic_rmw_mode<add>, ordering = #cuda_tile.memory_ordering_semantics<relaxed>, scope = #cuda_tile.memory_scope<device>} : !cuda_tile.tile<i32>, !ownership.raw<[1], i32>, (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
  %w = ownership.window %c[%b] {axis = #builtin.int<0>} : !ownership.tensor<[S], f32> -> !ownership.tensor<[8], f32>
  %p = ownership.partition %w : !ownership.tensor<[8], f32> -> !ownership.partition<mut tile [8], [8], f32>
  ownership.distribute %p : !ownership.partition<mut tile [8], [8], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [8], [8], f32> -> !ownership.region<mut tile [8], [8], f32>
  }
}

// -----

// A length that only a number says which is no integer.
// CHECK: error[O133]: the window of `c` along axis 0 has no length in every launch
// CHECK: `n`: `n` is no extent of an argument, and no integer scalar
ownership.kernel @length(%c: !ownership.tensor<[S], f32>, %n: !cuda_tile.tile<f32>) {
  %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
  %w = ownership.window %c[%zero] {axis = #builtin.int<0>} : !ownership.tensor<[S], f32> -> !ownership.tensor<[n], f32>
  %p = ownership.partition %w : !ownership.tensor<[n], f32> -> !ownership.partition<mut tile [8], [n], f32>
  ownership.distribute %p : !ownership.partition<mut tile [8], [n], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [8], [n], f32> -> !ownership.region<mut tile [8], [n], f32>
  }
}

// -----

// A length that is divided by a scalar of which nobody says that it is positive.
// CHECK: error[O133]: the window of `c` along axis 0 has no length in every launch
// CHECK: `S // n`: `n` divides, and may be 0 or less
// CHECK: help: ask it of the launch: `fh.require(n > 0)`
ownership.kernel @divided(%c: !ownership.tensor<[S], f32>, %n: !cuda_tile.tile<i32>) {
  %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
  %w = ownership.window %c[%zero] {axis = #builtin.int<0>} : !ownership.tensor<[S], f32> -> !ownership.tensor<["S // n"], f32>
  %p = ownership.partition %w : !ownership.tensor<["S // n"], f32> -> !ownership.partition<mut tile [8], ["S // n"], f32>
  ownership.distribute %p : !ownership.partition<mut tile [8], ["S // n"], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [8], ["S // n"], f32> -> !ownership.region<mut tile [8], ["S // n"], f32>
  }
}

// -----

// Two windows that may overlap, under each blocks.
// CHECK: error[O134]: parts of `c` that are used in two ways may share elements
// CHECK: = note: where {{.*}}at = {{.*}}, both have element {{[0-9]+}} along axis 0
ownership.kernel @overlap_each(%c: !ownership.tensor<[S], f32>, %at: !cuda_tile.tile<i32>) {
  %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
  %w = ownership.window %c[%zero] {axis = #builtin.int<0>} : !ownership.tensor<[S], f32> -> !ownership.tensor<[8], f32>
  %v = ownership.window %c[%at] {axis = #builtin.int<0>} : !ownership.tensor<[S], f32> -> !ownership.tensor<[8], f32>
  %b = ownership.borrow %w : !ownership.tensor<[8], f32> -> !ownership.ref<[8], f32>
  %p = ownership.partition %v : !ownership.tensor<[8], f32> -> !ownership.partition<mut tile [8], [8], f32>
  ownership.distribute %p : !ownership.partition<mut tile [8], [8], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [8], [8], f32> -> !ownership.region<mut tile [8], [8], f32>
  }
}

// -----

// Two windows that may overlap, under persistent blocks.
// CHECK: error[O134]: parts of `c` that are used in two ways may share elements
// CHECK: = note: where {{.*}}at = {{.*}}, both have element {{[0-9]+}} along axis 0
ownership.kernel @overlap_persistent(%c: !ownership.tensor<[S], f32>, %at: !cuda_tile.tile<i32>) {
  %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
  %w = ownership.window %c[%zero] {axis = #builtin.int<0>} : !ownership.tensor<[S], f32> -> !ownership.tensor<[8], f32>
  %v = ownership.window %c[%at] {axis = #builtin.int<0>} : !ownership.tensor<[S], f32> -> !ownership.tensor<[8], f32>
  %b = ownership.borrow %w : !ownership.tensor<[8], f32> -> !ownership.ref<[8], f32>
  %p = ownership.partition %v : !ownership.tensor<[8], f32> -> !ownership.partition<mut tile [8], [8], f32>
  ownership.distribute %p blocks #ownership.blocks<persistent> : !ownership.partition<mut tile [8], [8], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [8], [8], f32> -> !ownership.region<mut tile [8], [8], f32>
  }
}

// -----

// A window beside the whole tensor.
// CHECK: error[O134]: parts of `c` that are used in two ways may share elements
ownership.kernel @whole(%c: !ownership.tensor<[S], f32>, %at: !cuda_tile.tile<i32>) {
  %w = ownership.window %c[%at] {axis = #builtin.int<0>} : !ownership.tensor<[S], f32> -> !ownership.tensor<[8], f32>
  %b = ownership.borrow %c : !ownership.tensor<[S], f32> -> !ownership.ref<[S], f32>
  %p = ownership.partition %w : !ownership.tensor<[8], f32> -> !ownership.partition<mut tile [8], [8], f32>
  ownership.distribute %p : !ownership.partition<mut tile [8], [8], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [8], [8], f32> -> !ownership.region<mut tile [8], [8], f32>
  }
}

// -----

// Windows at positions in memory are apart from nothing.
// CHECK: error[O134]: parts of `c` that are used in two ways may share elements
// CHECK: = note: where one of them begins is read from memory
ownership.kernel @memory(%c: !ownership.tensor<[S], f32>, %t: !ownership.tensor<[], i32>) {
  %m = ownership.borrow %t : !ownership.tensor<[], i32> -> !ownership.ref<[], i32>
  %at = ownership.load %m : !ownership.ref<[], i32> -> !cuda_tile.tile<i32>
  %eight = cuda_tile.constant <i32: 8> : !cuda_tile.tile<i32>
  %next = cuda_tile.addi %at, %eight : !cuda_tile.tile<i32>
  %w = ownership.window %c[%at] {axis = #builtin.int<0>} : !ownership.tensor<[S], f32> -> !ownership.tensor<[8], f32>
  %v = ownership.window %c[%next] {axis = #builtin.int<0>} : !ownership.tensor<[S], f32> -> !ownership.tensor<[8], f32>
  %b = ownership.borrow %w : !ownership.tensor<[8], f32> -> !ownership.ref<[8], f32>
  %p = ownership.partition %v : !ownership.tensor<[8], f32> -> !ownership.partition<mut tile [8], [8], f32>
  ownership.distribute %p : !ownership.partition<mut tile [8], [8], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [8], [8], f32> -> !ownership.region<mut tile [8], [8], f32>
  }
}

// -----

// One window, partitioned twice.
// CHECK: error[O104]: `c` is partitioned more than once
ownership.kernel @twice(%c: !ownership.tensor<[S], f32>, %at: !cuda_tile.tile<i32>) {
  %w = ownership.window %c[%at] {axis = #builtin.int<0>} : !ownership.tensor<[S], f32> -> !ownership.tensor<[8], f32>
  %q = ownership.partition %w : !ownership.tensor<[8], f32> -> !ownership.partition<mut tile [8], [8], f32>
  %p = ownership.partition %w : !ownership.tensor<[8], f32> -> !ownership.partition<mut tile [8], [8], f32>
  ownership.distribute %p : !ownership.partition<mut tile [8], [8], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [8], [8], f32> -> !ownership.region<mut tile [8], [8], f32>
  }
}

// -----

// An accumulator and a window that is read.
// CHECK: error[O130]: 
ownership.kernel @acc(%c: !ownership.tensor<[S], f32>, %y: !ownership.tensor<[8], f32>, %at: !cuda_tile.tile<i32>) {
  %w = ownership.window %c[%at] {axis = #builtin.int<0>} : !ownership.tensor<[S], f32> -> !ownership.tensor<[8], f32>
  %a = ownership.accumulator %c : !ownership.tensor<[S], f32> -> !ownership.acc<[S], f32>
  %b = ownership.borrow %w : !ownership.tensor<[8], f32> -> !ownership.ref<[8], f32>
  %p = ownership.partition %y : !ownership.tensor<[8], f32> -> !ownership.partition<mut tile [8], [8], f32>
  ownership.distribute %p : !ownership.partition<mut tile [8], [8], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [8], [8], f32> -> !ownership.region<mut tile [8], [8], f32>
  }
}

// -----

// A window that begins behind its tensor.
// CHECK: error[O305]: this window of `c` is never inside it along axis 0
// CHECK: elements `S` up to `S + 8` of `S`
ownership.kernel @behind(%c: !ownership.tensor<[S], f32>) {
  %n = ownership.dim %c, 0 : !ownership.tensor<[S], f32>
  %w = ownership.window %c[%n] {axis = #builtin.int<0>} : !ownership.tensor<[S], f32> -> !ownership.tensor<[8], f32>
  %p = ownership.partition %w : !ownership.tensor<[8], f32> -> !ownership.partition<mut tile [8], [8], f32>
  ownership.distribute %p : !ownership.partition<mut tile [8], [8], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [8], [8], f32> -> !ownership.region<mut tile [8], [8], f32>
  }
}

// -----

// One in front of it.
// CHECK: error[O305]: this window of `c` is never inside it along axis 0
ownership.kernel @in_front(%c: !ownership.tensor<[S], f32>) {
  %n = cuda_tile.constant <i32: -1> : !cuda_tile.tile<i32>
  %w = ownership.window %c[%n] {axis = #builtin.int<0>} : !ownership.tensor<[S], f32> -> !ownership.tensor<[8], f32>
  %p = ownership.partition %w : !ownership.tensor<[8], f32> -> !ownership.partition<mut tile [8], [8], f32>
  ownership.distribute %p : !ownership.partition<mut tile [8], [8], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [8], [8], f32> -> !ownership.region<mut tile [8], [8], f32>
  }
}

// -----

// A region beyond the window, though in the tensor.
// CHECK: error[O302]: this region of `w` is out of bounds along axis 0
ownership.kernel @beyond(%c: !ownership.tensor<[S], f32>, %at: !cuda_tile.tile<i32>) {
  %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
  %w = ownership.window %c[%at] {axis = #builtin.int<0>} : !ownership.tensor<[S], f32> -> !ownership.tensor<[8], f32>
  %p = ownership.partition %w : !ownership.tensor<[8], f32> -> !ownership.partition<mut tile [8], [8], f32>
  ownership.distribute %p : !ownership.partition<mut tile [8], [8], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%one] : !ownership.partition<mut tile [8], [8], f32> -> !ownership.region<mut tile [8], [8], f32>
  }
}
