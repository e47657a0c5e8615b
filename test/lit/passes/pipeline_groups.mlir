// Partitions into groups that offsets bound: what is proved of them, and what they become.

// RUN: tile-opt %s -p VERIFIERS --split-input-file | filecheck %s
// RUN: tile-opt %s -p 'VERIFIERS,thread-tokens,convert-ownership-to-cuda-tile{traps=true},canonicalize,cse' --split-input-file | filecheck %s --check-prefix=TILE

// Each group by itself: its regions are its own, and all of them are taken.
// CHECK-LABEL: ownership.kernel @all
// CHECK:       ownership.partition %c by %o {{.*}} {duties = [
// CHECK-SAME:    #ownership.duty<covered proved "the regions of each group are its points'">,
// CHECK-SAME:    #ownership.duty<grouped axis 0 kernel "0 == offsets[0] <= ... <= offsets[E] == M">]}
// CHECK:       ownership.region %p[%e, %i, %j] {mapped, duties = [
// CHECK-SAME:    #ownership.duty<disjoint proved "[e, i, j] differs from point to point, by rules">,
// CHECK-SAME:    #ownership.duty<in_bounds axis 0 proved "0 <= e and e < E and (0 <= i and i < n)">,
// TILE-LABEL:  cuda_tile.entry @all
// TILE:        %[[BAD:.*]] = cuda_tile.for
// TILE:        cuda_tile.load_ptr_tko
// TILE:        cuda_tile.continue
// TILE:        %[[FIRST:.*]] = cuda_tile.reduce %[[BAD]]
// TILE:        %[[OK:.*]] = cuda_tile.cmpi equal %[[FIRST]]
// TILE:        cuda_tile.assert %[[OK]], "all: offsets bound no groups of c
// TILE:        %[[LOW:.*]], %{{.*}} = cuda_tile.load_ptr_tko weak
// TILE:        %[[HIGH:.*]], %{{.*}} = cuda_tile.load_ptr_tko weak
// TILE:        %[[SIZE:.*]] = cuda_tile.subi %[[HIGH]], %[[LOW]]
// TILE:        %[[HERE:.*]] = cuda_tile.select %[[OK]], %[[SIZE]]
// TILE:        cuda_tile.if
// TILE:          cuda_tile.exti %[[LOW]] signed
// TILE:          cuda_tile.make_tensor_view %{{.*}}, shape = [%[[HERE]], %N_1]
// TILE:          cuda_tile.store_view_tko weak %{{.*}}, %{{.*}}[%i, %j]
ownership.kernel @all(%c: !ownership.tensor<[M, N], f32>, %offsets: !ownership.tensor<["E + 1"], i32>, %w: !ownership.tensor<[E], f32>) {
  %o = ownership.borrow %offsets : !ownership.tensor<["E + 1"], i32> -> !ownership.ref<["E + 1"], i32>
  %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
  %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
  %value = cuda_tile.constant <f32: 1.0> : !cuda_tile.tile<4x32xf32>
  %p = ownership.partition %c by %o : !ownership.ref<["E + 1"], i32>, : !ownership.tensor<[M, N], f32> -> !ownership.partition<out tile [4, 32] ragged 0, [M, N], f32>
  ownership.distribute %p over [E, "ceildiv(M, 4)", "ceildiv(N, 32)"] : !ownership.partition<out tile [4, 32] ragged 0, [M, N], f32> {
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

// Persistent blocks look at the offsets once; groups of at most 8 elements are part of what is looked at.
// CHECK-LABEL: ownership.kernel @persistent
// CHECK:       #ownership.duty<covered proved
// TILE-LABEL:  cuda_tile.entry @persistent
// TILE:        cuda_tile.assert
// TILE:        cuda_tile.for %{{.*}} in (%block to
// TILE-NOT:    cuda_tile.assert
ownership.kernel @persistent(%c: !ownership.tensor<[M, N], f32>, %offsets: !ownership.tensor<["E + 1"], i32>, %w: !ownership.tensor<[E], f32>) {
  %o = ownership.borrow %offsets : !ownership.tensor<["E + 1"], i32> -> !ownership.ref<["E + 1"], i32>
  %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
  %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
  %value = cuda_tile.constant <f32: 1.0> : !cuda_tile.tile<4x32xf32>
  %p = ownership.partition %c by %o : !ownership.ref<["E + 1"], i32>, : !ownership.tensor<[M, N], f32> -> !ownership.partition<out tile [4, 32] ragged 0, [M, N], f32>
  ownership.distribute %p over [E, 2, "ceildiv(N, 32)"] blocks #ownership.blocks<persistent> : !ownership.partition<out tile [4, 32] ragged 0, [M, N], f32> {
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

// What is updated may be a part, and its first and last elements are known.
// CHECK-LABEL: ownership.kernel @edges
// CHECK:       #ownership.duty<grouped axis 0 kernel "0 <= offsets[0] <= ... <= offsets[E] <= M">
// CHECK:       ownership.load_from %x[%a, %column] {duties = [#ownership.duty<in_bounds axis 0 proved "0 <= a < M">, #ownership.duty<in_bounds axis 1 proved "0 <= j * 32 < N">]}
// TILE-LABEL:  cuda_tile.entry @edges
ownership.kernel @edges(%c: !ownership.tensor<[M, N], f32>, %offsets: !ownership.tensor<["E + 1"], i32>, %w: !ownership.tensor<[E], f32>, %y: !ownership.tensor<[M, N], f32>) {
  %o = ownership.borrow %offsets : !ownership.tensor<["E + 1"], i32> -> !ownership.ref<["E + 1"], i32>
  %x = ownership.borrow %y : !ownership.tensor<[M, N], f32> -> !ownership.ref<[M, N], f32>
  %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
  %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
  %value = cuda_tile.constant <f32: 1.0> : !cuda_tile.tile<4x32xf32>
  %p = ownership.partition %c by %o : !ownership.ref<["E + 1"], i32>, : !ownership.tensor<[M, N], f32> -> !ownership.partition<mut tile [4, 32] ragged 0, [M, N], f32>
  ownership.distribute %p over [E, "ceildiv(M, 4)", "ceildiv(N, 32)"] : !ownership.partition<mut tile [4, 32] ragged 0, [M, N], f32> {
  ^bb0(%e: !cuda_tile.tile<i32>, %i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
    %n = ownership.group_tiles %p[%e] : !ownership.partition<mut tile [4, 32] ragged 0, [M, N], f32>
    %in = cuda_tile.cmpi less_than %i, %n, signed : !cuda_tile.tile<i32> -> !cuda_tile.tile<i1>
    cuda_tile.if %in {
      %r = ownership.region %p[%e, %i, %j] : !ownership.partition<mut tile [4, 32] ragged 0, [M, N], f32> -> !ownership.region<mut tile [4, 32] ragged 0, [M, N], f32>
      %a = ownership.start %r, 0 : !ownership.region<mut tile [4, 32] ragged 0, [M, N], f32>
      %b = ownership.stop %r, 0 : !ownership.region<mut tile [4, 32] ragged 0, [M, N], f32>
      %column = ownership.start %r, 1 : !ownership.region<mut tile [4, 32] ragged 0, [M, N], f32>
      %t = ownership.load_from %x[%a, %column] : !ownership.ref<[M, N], f32> -> !cuda_tile.tile<4x32xf32>
      ownership.store %t, %r : !cuda_tile.tile<4x32xf32>, !ownership.region<mut tile [4, 32] ragged 0, [M, N], f32>
    }
  }
}

// -----

// In a loop over the columns, of which a point has all.
// CHECK-LABEL: ownership.kernel @owned
// CHECK:       ownership.region %p[%e, %i, %k]
ownership.kernel @owned(%c: !ownership.tensor<[M, N], f32>, %offsets: !ownership.tensor<["E + 1"], i32>, %w: !ownership.tensor<[E], f32>) {
  %o = ownership.borrow %offsets : !ownership.tensor<["E + 1"], i32> -> !ownership.ref<["E + 1"], i32>
  %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
  %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
  %value = cuda_tile.constant <f32: 1.0> : !cuda_tile.tile<4x32xf32>
  %p = ownership.partition %c by %o : !ownership.ref<["E + 1"], i32>, : !ownership.tensor<[M, N], f32> -> !ownership.partition<mut tile [4, 32] ragged 0, [M, N], f32>
  %columns = ownership.tiles %p, 1 by 32 : !ownership.partition<mut tile [4, 32] ragged 0, [M, N], f32>
  ownership.distribute %p over [E, "ceildiv(M, 4)"] : !ownership.partition<mut tile [4, 32] ragged 0, [M, N], f32> {
  ^bb0(%e: !cuda_tile.tile<i32>, %i: !cuda_tile.tile<i32>):
    %n = ownership.group_tiles %p[%e] : !ownership.partition<mut tile [4, 32] ragged 0, [M, N], f32>
    %in = cuda_tile.cmpi less_than %i, %n, signed : !cuda_tile.tile<i32> -> !cuda_tile.tile<i1>
    cuda_tile.if %in {
      cuda_tile.for %k in (%zero to %columns, step %one) : tile<i32> {
        %r = ownership.region %p[%e, %i, %k] : !ownership.partition<mut tile [4, 32] ragged 0, [M, N], f32> -> !ownership.region<mut tile [4, 32] ragged 0, [M, N], f32>
        ownership.store %value, %r : !cuda_tile.tile<4x32xf32>, !ownership.region<mut tile [4, 32] ragged 0, [M, N], f32>
      }
    }
  }
}

// -----

// What overhangs a group is padded as it was asked for, like what overhangs a tensor.
// CHECK-LABEL: ownership.kernel @padded
// CHECK:       ownership.load %r {{.*}}neg_inf
// TILE-LABEL:  cuda_tile.entry @padded
// TILE:        cuda_tile.make_partition_view %{{.*}} : partition_view<tile=(4x32), padding_value = neg_inf,
// TILE:        cuda_tile.load_view_tko
ownership.kernel @padded(%c: !ownership.tensor<[M, N], f32>, %offsets: !ownership.tensor<["E + 1"], i32>, %w: !ownership.tensor<[E], f32>) {
  %o = ownership.borrow %offsets : !ownership.tensor<["E + 1"], i32> -> !ownership.ref<["E + 1"], i32>
  %p = ownership.partition %c by %o : !ownership.ref<["E + 1"], i32>, : !ownership.tensor<[M, N], f32> -> !ownership.partition<mut tile [4, 32] ragged 0, [M, N], f32>
  ownership.distribute %p over [E, "ceildiv(M, 4)", "ceildiv(N, 32)"] : !ownership.partition<mut tile [4, 32] ragged 0, [M, N], f32> {
  ^bb0(%e: !cuda_tile.tile<i32>, %i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
    %n = ownership.group_tiles %p[%e] : !ownership.partition<mut tile [4, 32] ragged 0, [M, N], f32>
    %in = cuda_tile.cmpi less_than %i, %n, signed : !cuda_tile.tile<i32> -> !cuda_tile.tile<i1>
    cuda_tile.if %in {
      %r = ownership.region %p[%e, %i, %j] : !ownership.partition<mut tile [4, 32] ragged 0, [M, N], f32> -> !ownership.region<mut tile [4, 32] ragged 0, [M, N], f32>
      %t = ownership.load %r {padding_value = #cuda_tile.padding_value<neg_inf>} : !ownership.region<mut tile [4, 32] ragged 0, [M, N], f32> -> !cuda_tile.tile<4x32xf32>
      ownership.store %t, %r : !cuda_tile.tile<4x32xf32>, !ownership.region<mut tile [4, 32] ragged 0, [M, N], f32>
    }
  }
}

// -----

// Of a `partial_mut` partition a group may be larger than the points reach: its rest stays as it is.
// CHECK-LABEL: ownership.kernel @gaps
// CHECK:       #ownership.duty<grouped axis 0 kernel "0 <= offsets[0] <= ... <= offsets[E] <= M">
// CHECK-NOT:   covered
ownership.kernel @gaps(%c: !ownership.tensor<[M, N], f32>, %offsets: !ownership.tensor<["E + 1"], i32>, %w: !ownership.tensor<[E], f32>) {
  %o = ownership.borrow %offsets : !ownership.tensor<["E + 1"], i32> -> !ownership.ref<["E + 1"], i32>
  %p = ownership.partition %c by %o : !ownership.ref<["E + 1"], i32>, : !ownership.tensor<[M, N], f32> -> !ownership.partition<partial_mut tile [1, 32] ragged 0, [M, N], f32>
  ownership.distribute %p over [E, 1, "ceildiv(N, 32)"] : !ownership.partition<partial_mut tile [1, 32] ragged 0, [M, N], f32> {
  ^bb0(%e: !cuda_tile.tile<i32>, %i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
    %n = ownership.group_tiles %p[%e] : !ownership.partition<partial_mut tile [1, 32] ragged 0, [M, N], f32>
    %in = cuda_tile.cmpi less_than %i, %n, signed : !cuda_tile.tile<i32> -> !cuda_tile.tile<i1>
    cuda_tile.if %in {
      %r = ownership.region %p[%e, %i, %j] {mapped} : !ownership.partition<partial_mut tile [1, 32] ragged 0, [M, N], f32> -> !ownership.region<partial_mut tile [1, 32] ragged 0, [M, N], f32>
      %t = ownership.load %r : !ownership.region<partial_mut tile [1, 32] ragged 0, [M, N], f32> -> !cuda_tile.tile<1x32xf32>
      ownership.store %t, %r : !cuda_tile.tile<1x32xf32>, !ownership.region<partial_mut tile [1, 32] ragged 0, [M, N], f32>
    }
  }
}
