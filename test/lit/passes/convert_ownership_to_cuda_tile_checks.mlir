// RUN: tile-opt %s -p VERIFIERS,convert-ownership-to-cuda-tile | filecheck %s
// RUN: tile-opt %s -p 'VERIFIERS,convert-ownership-to-cuda-tile{traps=true}' | filecheck %s --check-prefix TRAPS
// RUN: tile-opt %s -p 'VERIFIERS,convert-ownership-to-cuda-tile{checks=false}' | filecheck %s --check-prefix UNCHECKED
// RUN: tile-opt %s -p 'VERIFIERS,convert-ownership-to-cuda-tile,canonicalize,hoist-invariants,cse,hoist-assertions' | filecheck %s --check-prefix HOISTED

// An obligation met in the kernel is one unsigned comparison, which also finds negative indices. A read takes index 0 where
// it does not hold, since an assertion orders nothing, and a check of a read may be deferred. What is proved or met at the
// launch costs nothing.
// CHECK-LABEL: entry @shifted(
// CHECK: %[[TILES:.*]] = cuda_tile.addi
// CHECK: %[[ZERO:.*]] = cuda_tile.constant <i32: 0>
// CHECK: %k = cuda_tile.addi %block, %shift
// CHECK: %[[OK:.*]] = cuda_tile.cmpi less_than %k, %[[TILES]], unsigned
// CHECK: ownership.check %[[OK]], "" values %k, %[[TILES]] : {{.*}} {names = ["index", "count"], dtypes = ["i32", "i32"], number = 0 : i32, deferrable}
// CHECK: %[[K:.*]] = cuda_tile.select %[[OK]], %k, %[[ZERO]]
// CHECK: load_view_tko weak %x_tiles[%[[K]]]
// CHECK: load_view_tko weak %x_tiles[%block]
// CHECK: load_view_tko weak %x_tiles[%block]

// An assertion names no file, so the code does not depend on where its source lies.
// TRAPS-LABEL: entry @shifted(
// TRAPS-NOT: failures
// TRAPS: %[[OK:.*]] = cuda_tile.cmpi less_than %k, %[[TILES:.*]], unsigned
// TRAPS: cuda_tile.assert %[[OK]], "shifted: tile index out of bounds: axis 0 of x (line {{[0-9]+}} of the kernel)"
// TRAPS: %[[K:.*]] = cuda_tile.select %[[OK]], %k, %

// Hoisting has nothing to do here.
// HOISTED-LABEL: entry @shifted(
// HOISTED: ownership.check

// UNCHECKED-LABEL: entry @shifted(
// UNCHECKED-NOT: failures
// UNCHECKED-NOT: check
// UNCHECKED-NOT: cmpi
// UNCHECKED-NOT: select
// UNCHECKED: load_view_tko weak %x_tiles[%k]
ownership.kernel @shifted(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[N], f32>, %shift: !cuda_tile.tile<i32>) {
  %b = ownership.borrow %x : !ownership.tensor<[N], f32> -> !ownership.ref<[N], f32>
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<out tile [4], [N], f32>
  ownership.distribute %p : !ownership.partition<out tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<out tile [4], [N], f32> -> !ownership.region<out tile [4], [N], f32>
    %k = cuda_tile.addi %i, %shift : tile<i32>
    %u = ownership.load %b[%k] : !ownership.ref<[N], f32> -> !cuda_tile.tile<4xf32>
    %v = ownership.load %b[%i] : !ownership.ref<[N], f32> -> !cuda_tile.tile<4xf32>
    %w = ownership.load %b[%i] : !ownership.ref<[N], f32> -> !cuda_tile.tile<4xf32>
    ownership.store %u, %r : !cuda_tile.tile<4xf32>, !ownership.region<out tile [4], [N], f32>
  }
}

// In a loop, the check of an index that never changes moves in front of it, where it holds if there is no turn.
// CHECK-LABEL: entry @invariant(
// CHECK: cuda_tile.for
// CHECK: ownership.check
// HOISTED-LABEL: entry @invariant(
// HOISTED: %[[OK:.*]] = cuda_tile.cmpi less_than %shift, %{{.*}}, unsigned
// HOISTED: %[[NONE:.*]] = cuda_tile.cmpi greater_than_or_equal %{{.*}}, %turns, signed
// HOISTED: %[[C:.*]] = cuda_tile.ori %[[NONE]], %[[OK]]
// HOISTED: ownership.check %[[C]], "" values %shift, %{{.*}} number = 0 : i32, deferrable}
// HOISTED: cuda_tile.for
// HOISTED-NOT: check
// HOISTED: cuda_tile.return
ownership.kernel @invariant(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[N], f32>, %at: !ownership.tensor<[], i32>, %turns: !cuda_tile.tile<i32>) {
  %a = ownership.borrow %at : !ownership.tensor<[], i32> -> !ownership.ref<[], i32>
  %shift = ownership.load %a : !ownership.ref<[], i32> -> !cuda_tile.tile<i32>
  %b = ownership.borrow %x : !ownership.tensor<[N], f32> -> !ownership.ref<[N], f32>
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<out tile [4], [N], f32>
  ownership.distribute %p : !ownership.partition<out tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<out tile [4], [N], f32> -> !ownership.region<out tile [4], [N], f32>
    %zero = cuda_tile.constant <i32: 0> : tile<i32>
    %one = cuda_tile.constant <i32: 1> : tile<i32>
    %start = cuda_tile.constant <f32: 0.0> : tile<4xf32>
    %sum = cuda_tile.for %k in (%zero to %turns, step %one) : tile<i32> iter_values(%before = %start) -> (tile<4xf32>) {
      %u = ownership.load %b[%shift] : !ownership.ref<[N], f32> -> !cuda_tile.tile<4xf32>
      %s = cuda_tile.addf %before, %u : tile<4xf32>
      cuda_tile.continue %s : tile<4xf32>
    }
    ownership.store %sum, %r : !cuda_tile.tile<4xf32>, !ownership.region<out tile [4], [N], f32>
  }
}

// A region's coordinates are checked where it is taken. No write may happen in another's place: its check is not deferred.
// CHECK-LABEL: entry @region(
// CHECK: %[[OK:.*]] = cuda_tile.cmpi less_than %k, %{{.*}}, unsigned
// CHECK: ownership.check %[[OK]], "" values %k, %{{.*}} {names = ["index", "count"], dtypes = ["i32", "i32"], number = 0 : i32}
// CHECK: store_view_tko weak %c, %y_tiles[%block, %k]
ownership.kernel @region(%y: !ownership.tensor<[M, N], f32>, %at: !ownership.tensor<[], i32>) {
  %a = ownership.borrow %at : !ownership.tensor<[], i32> -> !ownership.ref<[], i32>
  %k = ownership.load %a : !ownership.ref<[], i32> -> !cuda_tile.tile<i32>
  %p = ownership.partition %y : !ownership.tensor<[M, N], f32> -> !ownership.partition<mut tile [4, 4], [M, N], f32>
  ownership.distribute %p over ["ceildiv(M, 4)"] : !ownership.partition<mut tile [4, 4], [M, N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i, %k] : !ownership.partition<mut tile [4, 4], [M, N], f32> -> !ownership.region<mut tile [4, 4], [M, N], f32>
    %c = cuda_tile.constant <f32: 1.0> : tile<4x4xf32>
    ownership.store %c, %r : !cuda_tile.tile<4x4xf32>, !ownership.region<mut tile [4, 4], [M, N], f32>
  }
}
