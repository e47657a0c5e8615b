// Partitions into groups that offsets bound, refused.

// RUN: tile-opt %s -p VERIFIERS --print-diagnostics --split-input-file | filecheck %s

// Without a condition.
// CHECK: error[O306]: a region of `c` is not shown to lie in its group
// CHECK: tile `i, j` of group `e`
ownership.kernel @straight(%c: !ownership.tensor<[M, N], f32>, %offsets: !ownership.tensor<["E + 1"], i32>, %w: !ownership.tensor<[E], f32>) {
  %o = ownership.borrow %offsets : !ownership.tensor<["E + 1"], i32> -> !ownership.ref<["E + 1"], i32>
  %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
  %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
  %value = cuda_tile.constant <f32: 1.0> : !cuda_tile.tile<4x32xf32>
  %p = ownership.partition %c by %o : !ownership.ref<["E + 1"], i32>, : !ownership.tensor<[M, N], f32> -> !ownership.partition<mut tile [4, 32] ragged 0, [M, N], f32>
  ownership.distribute %p over [E, "ceildiv(M, 4)", "ceildiv(N, 32)"] : !ownership.partition<mut tile [4, 32] ragged 0, [M, N], f32> {
  ^bb0(%e: !cuda_tile.tile<i32>, %i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%e, %i, %j] {mapped} : !ownership.partition<mut tile [4, 32] ragged 0, [M, N], f32> -> !ownership.region<mut tile [4, 32] ragged 0, [M, N], f32>
    ownership.store %value, %r : !cuda_tile.tile<4x32xf32>, !ownership.region<mut tile [4, 32] ragged 0, [M, N], f32>
  }
}

// -----

// Under a condition on another group.
// CHECK: error[O306]: a region of `c` is not shown to lie in its group
ownership.kernel @other(%c: !ownership.tensor<[M, N], f32>, %offsets: !ownership.tensor<["E + 1"], i32>, %w: !ownership.tensor<[E], f32>) {
  %o = ownership.borrow %offsets : !ownership.tensor<["E + 1"], i32> -> !ownership.ref<["E + 1"], i32>
  %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
  %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
  %value = cuda_tile.constant <f32: 1.0> : !cuda_tile.tile<4x32xf32>
  %p = ownership.partition %c by %o : !ownership.ref<["E + 1"], i32>, : !ownership.tensor<[M, N], f32> -> !ownership.partition<mut tile [4, 32] ragged 0, [M, N], f32>
  ownership.distribute %p over [E, "ceildiv(M, 4)", "ceildiv(N, 32)"] : !ownership.partition<mut tile [4, 32] ragged 0, [M, N], f32> {
  ^bb0(%e: !cuda_tile.tile<i32>, %i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
    %next = cuda_tile.addi %e, %one : !cuda_tile.tile<i32>
    %n = ownership.group_tiles %p[%next] : !ownership.partition<mut tile [4, 32] ragged 0, [M, N], f32>
    %in = cuda_tile.cmpi less_than %i, %n, signed : !cuda_tile.tile<i32> -> !cuda_tile.tile<i1>
    cuda_tile.if %in {
      %r = ownership.region %p[%e, %i, %j] {mapped} : !ownership.partition<mut tile [4, 32] ragged 0, [M, N], f32> -> !ownership.region<mut tile [4, 32] ragged 0, [M, N], f32>
      ownership.store %value, %r : !cuda_tile.tile<4x32xf32>, !ownership.region<mut tile [4, 32] ragged 0, [M, N], f32>
    }
  }
}

// -----

// In a loop that runs a turn too many.
// CHECK: error[O306]: a region of `c` is not shown to lie in its group
ownership.kernel @turns(%c: !ownership.tensor<[M, N], f32>, %offsets: !ownership.tensor<["E + 1"], i32>, %w: !ownership.tensor<[E], f32>) {
  %o = ownership.borrow %offsets : !ownership.tensor<["E + 1"], i32> -> !ownership.ref<["E + 1"], i32>
  %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
  %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
  %value = cuda_tile.constant <f32: 1.0> : !cuda_tile.tile<4x32xf32>
  %p = ownership.partition %c by %o : !ownership.ref<["E + 1"], i32>, : !ownership.tensor<[M, N], f32> -> !ownership.partition<mut tile [4, 32] ragged 0, [M, N], f32>
  ownership.distribute %p over [E, "ceildiv(N, 32)"] : !ownership.partition<mut tile [4, 32] ragged 0, [M, N], f32> {
  ^bb0(%e: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
    %n = ownership.group_tiles %p[%e] : !ownership.partition<mut tile [4, 32] ragged 0, [M, N], f32>
    %more = cuda_tile.addi %n, %one : !cuda_tile.tile<i32>
    cuda_tile.for %k in (%zero to %more, step %one) : tile<i32> {
      %r = ownership.region %p[%e, %k, %j] {mapped} : !ownership.partition<mut tile [4, 32] ragged 0, [M, N], f32> -> !ownership.region<mut tile [4, 32] ragged 0, [M, N], f32>
      ownership.store %value, %r : !cuda_tile.tile<4x32xf32>, !ownership.region<mut tile [4, 32] ragged 0, [M, N], f32>
    }
  }
}

// -----

// The same region for all columns of points: two blocks own it.
// CHECK: error[O113]: cannot show that tile blocks write different regions of `c`
// CHECK: takes `c[e, i, 0]`
// CHECK: = note: `n` depends on where a group begins and ends
ownership.kernel @same(%c: !ownership.tensor<[M, N], f32>, %offsets: !ownership.tensor<["E + 1"], i32>, %w: !ownership.tensor<[E], f32>) {
  %o = ownership.borrow %offsets : !ownership.tensor<["E + 1"], i32> -> !ownership.ref<["E + 1"], i32>
  %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
  %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
  %value = cuda_tile.constant <f32: 1.0> : !cuda_tile.tile<4x32xf32>
  %p = ownership.partition %c by %o : !ownership.ref<["E + 1"], i32>, : !ownership.tensor<[M, N], f32> -> !ownership.partition<mut tile [4, 32] ragged 0, [M, N], f32>
  ownership.distribute %p over [E, "ceildiv(M, 4)", "ceildiv(N, 32)"] : !ownership.partition<mut tile [4, 32] ragged 0, [M, N], f32> {
  ^bb0(%e: !cuda_tile.tile<i32>, %i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
    %n = ownership.group_tiles %p[%e] : !ownership.partition<mut tile [4, 32] ragged 0, [M, N], f32>
    %in = cuda_tile.cmpi less_than %i, %n, signed : !cuda_tile.tile<i32> -> !cuda_tile.tile<i1>
    cuda_tile.if %in {
      %r = ownership.region %p[%e, %i, %zero] {mapped} : !ownership.partition<mut tile [4, 32] ragged 0, [M, N], f32> -> !ownership.region<mut tile [4, 32] ragged 0, [M, N], f32>
      ownership.store %value, %r : !cuda_tile.tile<4x32xf32>, !ownership.region<mut tile [4, 32] ragged 0, [M, N], f32>
    }
  }
}

// -----

// The next group's region, by persistent blocks.
// CHECK: error[O306]: a region of `c` is not shown to lie in its group
ownership.kernel @beyond(%c: !ownership.tensor<[M, N], f32>, %offsets: !ownership.tensor<["E + 1"], i32>, %w: !ownership.tensor<[E], f32>) {
  %o = ownership.borrow %offsets : !ownership.tensor<["E + 1"], i32> -> !ownership.ref<["E + 1"], i32>
  %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
  %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
  %value = cuda_tile.constant <f32: 1.0> : !cuda_tile.tile<4x32xf32>
  %p = ownership.partition %c by %o : !ownership.ref<["E + 1"], i32>, : !ownership.tensor<[M, N], f32> -> !ownership.partition<mut tile [4, 32] ragged 0, [M, N], f32>
  ownership.distribute %p over [E, "ceildiv(M, 4)", "ceildiv(N, 32)"] blocks #ownership.blocks<persistent> : !ownership.partition<mut tile [4, 32] ragged 0, [M, N], f32> {
  ^bb0(%e: !cuda_tile.tile<i32>, %i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
    %next = cuda_tile.addi %e, %one : !cuda_tile.tile<i32>
    %n = ownership.group_tiles %p[%next] : !ownership.partition<mut tile [4, 32] ragged 0, [M, N], f32>
    %in = cuda_tile.cmpi less_than %i, %n, signed : !cuda_tile.tile<i32> -> !cuda_tile.tile<i1>
    cuda_tile.if %in {
      %r = ownership.region %p[%next, %i, %j] {mapped} : !ownership.partition<mut tile [4, 32] ragged 0, [M, N], f32> -> !ownership.region<mut tile [4, 32] ragged 0, [M, N], f32>
      ownership.store %value, %r : !cuda_tile.tile<4x32xf32>, !ownership.region<mut tile [4, 32] ragged 0, [M, N], f32>
    }
  }
}

// -----

// A group fewer.
// CHECK: error[O122]: cannot show that all of the output `c` is written
// CHECK: of its groups' regions, none are taken for certain
ownership.kernel @fewer(%c: !ownership.tensor<[M, N], f32>, %offsets: !ownership.tensor<["E + 1"], i32>, %w: !ownership.tensor<[E], f32>) {
  %o = ownership.borrow %offsets : !ownership.tensor<["E + 1"], i32> -> !ownership.ref<["E + 1"], i32>
  %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
  %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
  %value = cuda_tile.constant <f32: 1.0> : !cuda_tile.tile<4x32xf32>
  %p = ownership.partition %c by %o : !ownership.ref<["E + 1"], i32>, : !ownership.tensor<[M, N], f32> -> !ownership.partition<out tile [4, 32] ragged 0, [M, N], f32>
  ownership.distribute %p over ["E - 1", "ceildiv(M, 4)", "ceildiv(N, 32)"] : !ownership.partition<out tile [4, 32] ragged 0, [M, N], f32> {
  ^bb0(%e: !cuda_tile.tile<i32>, %i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
    %n = ownership.group_tiles %p[%e] : !ownership.partition<out tile [4, 32] ragged 0, [M, N], f32>
    %in = cuda_tile.cmpi less_than %i, %n, signed : !cuda_tile.tile<i32> -> !cuda_tile.tile<i1>
    cuda_tile.if %in {
      %r = ownership.region %p[%e, %i, %j] {mapped} : !ownership.partition<out tile [4, 32] ragged 0, [M, N], f32> -> !ownership.region<out tile [4, 32] ragged 0, [M, N], f32>
      ownership.store %value, %r : !cuda_tile.tile<4x32xf32>, !ownership.region<out tile [4, 32] ragged 0, [M, N], f32>
    }
  }
}

// -----

// A column of regions fewer: every group, and of each all rows.
// CHECK: error[O122]: cannot show that all of the output `c` is written
// CHECK: of its groups' regions, none are taken for certain
ownership.kernel @narrower(%c: !ownership.tensor<[M, N], f32>, %offsets: !ownership.tensor<["E + 1"], i32>, %w: !ownership.tensor<[E], f32>) {
  %o = ownership.borrow %offsets : !ownership.tensor<["E + 1"], i32> -> !ownership.ref<["E + 1"], i32>
  %value = cuda_tile.constant <f32: 1.0> : !cuda_tile.tile<4x32xf32>
  %p = ownership.partition %c by %o : !ownership.ref<["E + 1"], i32>, : !ownership.tensor<[M, N], f32> -> !ownership.partition<out tile [4, 32] ragged 0, [M, N], f32>
  ownership.distribute %p over [E, "ceildiv(M, 4)", "ceildiv(N, 32) - 1"] : !ownership.partition<out tile [4, 32] ragged 0, [M, N], f32> {
  ^bb0(%e: !cuda_tile.tile<i32>, %i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
    %n = ownership.group_tiles %p[%e] : !ownership.partition<out tile [4, 32] ragged 0, [M, N], f32>
    %in = cuda_tile.cmpi less_than %i, %n, signed : !cuda_tile.tile<i32> -> !cuda_tile.tile<i1>
    cuda_tile.if %in {
      %r = ownership.region %p[%e, %i, %j] {mapped} : !ownership.partition<out tile [4, 32] ragged 0, [M, N], f32> -> !ownership.region<out tile [4, 32] ragged 0, [M, N], f32>
      ownership.store %value, %r : !cuda_tile.tile<4x32xf32>, !ownership.region<out tile [4, 32] ragged 0, [M, N], f32>
    }
  }
}

// -----

// Another condition beside the group's.
// CHECK: error[O122]: cannot show that all of the output `c` is written
ownership.kernel @some(%c: !ownership.tensor<[M, N], f32>, %offsets: !ownership.tensor<["E + 1"], i32>, %w: !ownership.tensor<[E], f32>) {
  %o = ownership.borrow %offsets : !ownership.tensor<["E + 1"], i32> -> !ownership.ref<["E + 1"], i32>
  %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
  %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
  %value = cuda_tile.constant <f32: 1.0> : !cuda_tile.tile<4x32xf32>
  %p = ownership.partition %c by %o : !ownership.ref<["E + 1"], i32>, : !ownership.tensor<[M, N], f32> -> !ownership.partition<out tile [4, 32] ragged 0, [M, N], f32>
  ownership.distribute %p over [E, "ceildiv(M, 4)", "ceildiv(N, 32)"] : !ownership.partition<out tile [4, 32] ragged 0, [M, N], f32> {
  ^bb0(%e: !cuda_tile.tile<i32>, %i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
    %n = ownership.group_tiles %p[%e] : !ownership.partition<out tile [4, 32] ragged 0, [M, N], f32>
    %in = cuda_tile.cmpi less_than %i, %n, signed : !cuda_tile.tile<i32> -> !cuda_tile.tile<i1>
    %first = cuda_tile.cmpi less_than %j, %one, signed : !cuda_tile.tile<i32> -> !cuda_tile.tile<i1>
    %both = cuda_tile.andi %in, %first : !cuda_tile.tile<i1>
    cuda_tile.if %both {
      %r = ownership.region %p[%e, %i, %j] {mapped} : !ownership.partition<out tile [4, 32] ragged 0, [M, N], f32> -> !ownership.region<out tile [4, 32] ragged 0, [M, N], f32>
      ownership.store %value, %r : !cuda_tile.tile<4x32xf32>, !ownership.region<out tile [4, 32] ragged 0, [M, N], f32>
    }
  }
}

// -----

// The first tiles of groups alone.
// CHECK: error[O122]: cannot show that all of the output `c` is written
ownership.kernel @first(%c: !ownership.tensor<[M, N], f32>, %offsets: !ownership.tensor<["E + 1"], i32>, %w: !ownership.tensor<[E], f32>) {
  %o = ownership.borrow %offsets : !ownership.tensor<["E + 1"], i32> -> !ownership.ref<["E + 1"], i32>
  %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
  %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
  %value = cuda_tile.constant <f32: 1.0> : !cuda_tile.tile<4x32xf32>
  %p = ownership.partition %c by %o : !ownership.ref<["E + 1"], i32>, : !ownership.tensor<[M, N], f32> -> !ownership.partition<out tile [4, 32] ragged 0, [M, N], f32>
  ownership.distribute %p over [E, 1, "ceildiv(N, 32)"] : !ownership.partition<out tile [4, 32] ragged 0, [M, N], f32> {
  ^bb0(%e: !cuda_tile.tile<i32>, %i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
    %n = ownership.group_tiles %p[%e] : !ownership.partition<out tile [4, 32] ragged 0, [M, N], f32>
    %in = cuda_tile.cmpi less_than %zero, %n, signed : !cuda_tile.tile<i32> -> !cuda_tile.tile<i1>
    cuda_tile.if %in {
      %r = ownership.region %p[%e, %zero, %j] {mapped} : !ownership.partition<out tile [4, 32] ragged 0, [M, N], f32> -> !ownership.region<out tile [4, 32] ragged 0, [M, N], f32>
      ownership.store %value, %r : !cuda_tile.tile<4x32xf32>, !ownership.region<out tile [4, 32] ragged 0, [M, N], f32>
    }
  }
}
