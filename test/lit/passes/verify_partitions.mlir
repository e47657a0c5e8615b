// RUN: tile-opt %s -p verify-partitions --split-input-file | filecheck %s

// Two outputs of one grid, each block a point; extents that the types make equal.
// CHECK:      ownership.distribute %p, %q attributes {duties = [
// CHECK-SAME:   #ownership.duty<disjoint proved "row order numbers every point once; block n takes number n">,
// CHECK-SAME:   #ownership.duty<same_grid axis 0 proved "equal extents and steps">]}
// CHECK:      %r = ownership.region %p[%i] {duties = [#ownership.duty<disjoint proved "[i] differs from point to point, by rules">,
ownership.kernel @pair(%y: !ownership.tensor<[N], f32>, %z: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<out tile [64], [N], f32>
  %q = ownership.partition %z : !ownership.tensor<[N], f32> -> !ownership.partition<out tile [64], [N], f32>
  ownership.distribute %p, %q : !ownership.partition<out tile [64], [N], f32>, !ownership.partition<out tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<out tile [64], [N], f32> -> !ownership.region<out tile [64], [N], f32>
    %s = ownership.region %q[%i] : !ownership.partition<out tile [64], [N], f32> -> !ownership.region<out tile [64], [N], f32>
  }
}

// -----

// Extents that only the launch knows: one comparison.
// CHECK: #ownership.duty<same_grid axis 0 launch ("ceildiv(N, 64) == ceildiv(M, 32)")>
ownership.kernel @other(%y: !ownership.tensor<[N], f32>, %z: !ownership.tensor<[M], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [64], [N], f32>
  %q = ownership.partition %z : !ownership.tensor<[M], f32> -> !ownership.partition<mut tile [32], [M], f32>
  ownership.distribute %p, %q : !ownership.partition<mut tile [64], [N], f32>, !ownership.partition<mut tile [32], [M], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
  }
}

// -----

// The same region in two branches of which one is taken; a transposed one; the mirror image; one in a step of two.
// CHECK: @branches
// CHECK-COUNT-2: disjoint proved "[i] differs
ownership.kernel @branches(%y: !ownership.tensor<[N], f32>, %c: !cuda_tile.tile<i1>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [64], [N], f32>
  ownership.distribute %p order #ownership.order<column> blocks #ownership.blocks<persistent> : !ownership.partition<mut tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    cuda_tile.if %c {
      %r = ownership.region %p[%i] : !ownership.partition<mut tile [64], [N], f32> -> !ownership.region<mut tile [64], [N], f32>
      cuda_tile.yield
    } else {
      %r = ownership.region %p[%i] : !ownership.partition<mut tile [64], [N], f32> -> !ownership.region<mut tile [64], [N], f32>
      cuda_tile.yield
    }
  }
}

// -----

// CHECK: @transposed
// CHECK: disjoint proved "[j, i] differs from point to point, by rules"
ownership.kernel @transposed(%y: !ownership.tensor<[N, N], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[N, N], f32> -> !ownership.partition<mut tile [64, 64], [N, N], f32>
  ownership.distribute %p order #ownership.order<grouped 4> : !ownership.partition<mut tile [64, 64], [N, N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%j, %i] : !ownership.partition<mut tile [64, 64], [N, N], f32> -> !ownership.region<mut tile [64, 64], [N, N], f32>
  }
}

// -----

// CHECK: @mirrored
// CHECK: disjoint proved "[ceildiv(N, 64) - i - 1] differs from point to point, by rules"
ownership.kernel @mirrored(%y: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [64], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %n = ownership.tiles %p, 0 by 64 : !ownership.partition<mut tile [64], [N], f32>
    %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
    %a = cuda_tile.subi %n, %i : !cuda_tile.tile<i32>
    %b = cuda_tile.subi %a, %one : !cuda_tile.tile<i32>
    %r = ownership.region %p[%b] : !ownership.partition<mut tile [64], [N], f32> -> !ownership.region<mut tile [64], [N], f32>
  }
}

// -----

// A point that takes several regions, one a turn: the turn is part of what tells them apart. Rotated by division and
// remainder, the solver shows it.
// CHECK: @several
// CHECK: disjoint proved "[i * 4 + k] differs from point to point, by rules"
ownership.kernel @several(%y: !ownership.tensor<[N], f32>, %z: !ownership.tensor<[M], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [256], [N], f32>
  %q = ownership.partition %z : !ownership.tensor<[M], f32> -> !ownership.partition<mut tile [64], [M], f32>
  ownership.distribute %p, %q : !ownership.partition<mut tile [256], [N], f32>, !ownership.partition<mut tile [64], [M], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
    %four = cuda_tile.constant <i32: 4> : !cuda_tile.tile<i32>
    cuda_tile.for %k in (%zero to %four, step %one) : !cuda_tile.tile<i32> {
      %a = cuda_tile.muli %i, %four : !cuda_tile.tile<i32>
      %b = cuda_tile.addi %a, %k : !cuda_tile.tile<i32>
      %r = ownership.region %q[%b] : !ownership.partition<mut tile [64], [M], f32> -> !ownership.region<mut tile [64], [M], f32>
      cuda_tile.continue
    }
  }
}

// -----

// CHECK: @split
// CHECK: disjoint proved "[i // 8 * 8 + i % 8] differs from point to point, by solver"
ownership.kernel @split(%y: !ownership.tensor<[N, 64], f32>, %z: !ownership.tensor<[M], f32>) {
  %p = ownership.partition %z : !ownership.tensor<[M], f32> -> !ownership.partition<mut tile [64], [M], f32>
  ownership.distribute %p : !ownership.partition<mut tile [64], [M], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %n = ownership.tiles %p, 0 by 64 : !ownership.partition<mut tile [64], [M], f32>
    %eight = cuda_tile.constant <i32: 8> : !cuda_tile.tile<i32>
    %a = cuda_tile.divi %i, %eight signed : !cuda_tile.tile<i32>
    %b = cuda_tile.remi %i, %eight signed : !cuda_tile.tile<i32>
    %c = cuda_tile.muli %a, %eight : !cuda_tile.tile<i32>
    %d = cuda_tile.addi %c, %b : !cuda_tile.tile<i32>
    %r = ownership.region %p[%d] : !ownership.partition<mut tile [64], [M], f32> -> !ownership.region<mut tile [64], [M], f32>
  }
}

// -----

// Nothing is refuted by what happens in a branch that is never taken, whatever its condition is about.
// CHECK: @never
// CHECK: ownership.region
// CHECK-SAME: disjoint proved
ownership.kernel @never(%y: !ownership.tensor<[M], f32>, %a: !ownership.tensor<[K], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[M], f32> -> !ownership.partition<mut tile [64], [M], f32>
  %b = ownership.borrow %a : !ownership.tensor<[K], f32> -> !ownership.ref<[K], f32>
  ownership.distribute %p : !ownership.partition<mut tile [64], [M], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %n = ownership.tiles %b, 0 by 2 : !ownership.ref<[K], f32>
    %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %none = cuda_tile.cmpi equal %n, %zero, signed : !cuda_tile.tile<i32> -> !cuda_tile.tile<i1>
    cuda_tile.if %none {
      %r = ownership.region %p[%zero] : !ownership.partition<mut tile [64], [M], f32> -> !ownership.region<mut tile [64], [M], f32>
      cuda_tile.yield
    }
  }
}

// -----

// Blocks meet in no region that there is: that `s` is one is checked where it is taken.
// CHECK: @beyond
// CHECK: ownership.region
// CHECK-SAME: disjoint proved
ownership.kernel @beyond(%y: !ownership.tensor<[M], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[M], f32> -> !ownership.partition<mut tile [64], [M], f32>
  ownership.distribute %p : !ownership.partition<mut tile [64], [M], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %n = ownership.tiles %p, 0 by 64 : !ownership.partition<mut tile [64], [M], f32>
    %two = cuda_tile.constant <i32: 2> : !cuda_tile.tile<i32>
    %h = cuda_tile.divi %i, %two signed : !cuda_tile.tile<i32>
    %far = cuda_tile.addi %h, %n : !cuda_tile.tile<i32>
    %j = cuda_tile.maxi %i, %far signed : !cuda_tile.tile<i32>
    %r = ownership.region %p[%j] : !ownership.partition<mut tile [64], [M], f32> -> !ownership.region<mut tile [64], [M], f32>
  }
}
