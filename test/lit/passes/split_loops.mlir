// RUN: tile-opt %s -p VERIFIERS,split-loops | filecheck %s
// RUN: tile-opt %s -p VERIFIERS,split-loops,thread-tokens,convert-ownership-to-cuda-tile,canonicalize | filecheck %s --check-prefix=DECIDED

// The counter is compared with what does not change: in front of the cut one branch is taken, from there on the other.
// CHECK-LABEL: @branch(
// CHECK: %[[END:.*]] = cuda_tile.mini %n, %first signed
// CHECK-NEXT: %[[A:.*]] = cuda_tile.for %k in (%zero to %[[END]], step %one) : tile<i32> iter_values(%a = %x)
// CHECK: %[[F:.*]] = cuda_tile.constant <i1: false>
// CHECK-NEXT: cuda_tile.if %[[F]]
// CHECK: %[[BEGIN:.*]] = cuda_tile.maxi %zero, %first signed
// CHECK-NEXT: %[[B:.*]] = cuda_tile.for %{{.*}} in (%[[BEGIN]] to %n, step %one) : tile<i32> iter_values(%{{.*}} = %[[A]])
// CHECK: %[[T:.*]] = cuda_tile.constant <i1: true>
// CHECK-NEXT: cuda_tile.if %[[T]]
// CHECK: ownership.store %[[B]], %r
// DECIDED-LABEL: @branch(
// DECIDED: cuda_tile.for
// DECIDED-NEXT: %[[S:.*]] = cuda_tile.addf %a, %a
// DECIDED-NEXT: cuda_tile.continue %[[S]]
// DECIDED: cuda_tile.for
// DECIDED-NEXT: %[[P:.*]] = cuda_tile.mulf
// DECIDED-NEXT: cuda_tile.continue %[[P]]
ownership.kernel @branch(%y: !ownership.tensor<[N], f32>, %n: !cuda_tile.tile<i32>, %first: !cuda_tile.tile<i32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [4], [N], f32> -> !ownership.region<mut tile [4], [N], f32>
    %x = ownership.load %r : !ownership.region<mut tile [4], [N], f32> -> !cuda_tile.tile<4xf32>
    %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
    %z = cuda_tile.for %k in (%zero to %n, step %one) : !cuda_tile.tile<i32> iter_values(%a = %x) -> (!cuda_tile.tile<4xf32>) {
      %c = cuda_tile.cmpi greater_than_or_equal %k, %first, signed : !cuda_tile.tile<i32> -> !cuda_tile.tile<i1>
      %b = cuda_tile.if %c -> (!cuda_tile.tile<4xf32>) {
        %d = cuda_tile.mulf %a, %x : !cuda_tile.tile<4xf32>
        cuda_tile.yield %d : !cuda_tile.tile<4xf32>
      } else {
        %e = cuda_tile.addf %a, %a : !cuda_tile.tile<4xf32>
        cuda_tile.yield %e : !cuda_tile.tile<4xf32>
      }
      cuda_tile.continue %b : !cuda_tile.tile<4xf32>
    }
    ownership.store %z, %r : !cuda_tile.tile<4xf32>, !ownership.region<mut tile [4], [N], f32>
  }
}

// A mask of what is multiplied is needed from the first tile on that ends behind the bound: tiles 8 apart, of 8 elements.
// The other way to ask is a mask of what is left out.
// CHECK-LABEL: @masks(
// CHECK: %[[SEVEN:.*]] = cuda_tile.constant <i32: -8>
// CHECK-NEXT: %[[LAST:.*]] = cuda_tile.addi %m, %[[SEVEN]]
// CHECK: cuda_tile.divi %[[LAST]], %{{.*}} signed rounding<negative_inf>
// CHECK: cuda_tile.for
// CHECK: cuda_tile.constant <i1: true> : tile<8x8xi1>
// CHECK: cuda_tile.constant <i1: false> : tile<8x8xi1>
// CHECK: cuda_tile.for
// CHECK: cuda_tile.cmpi less_than %
// CHECK: cuda_tile.cmpi greater_than_or_equal %
// DECIDED-LABEL: @masks(
// DECIDED: cuda_tile.for
// DECIDED-NOT: cuda_tile.select
// DECIDED: cuda_tile.for
// DECIDED: cuda_tile.select
// DECIDED: cuda_tile.select
ownership.kernel @masks(%y: !ownership.tensor<[N, 8], f32>, %n: !cuda_tile.tile<i32>, %m: !cuda_tile.tile<i32>) {
  ownership.require "0 <= m and m <= 1000 and n <= 1000"
  %p = ownership.partition %y : !ownership.tensor<[N, 8], f32> -> !ownership.partition<mut tile [8, 8], [N, 8], f32>
  ownership.distribute %p : !ownership.partition<mut tile [8, 8], [N, 8], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i, %j] : !ownership.partition<mut tile [8, 8], [N, 8], f32> -> !ownership.region<mut tile [8, 8], [N, 8], f32>
    %x = ownership.load %r : !ownership.region<mut tile [8, 8], [N, 8], f32> -> !cuda_tile.tile<8x8xf32>
    %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
    %eight = cuda_tile.constant <i32: 8> : !cuda_tile.tile<i32>
    %none = cuda_tile.constant <f32: 0.0> : !cuda_tile.tile<8x8xf32>
    %row = cuda_tile.constant <f32: 0.0> : !cuda_tile.tile<64xf32>
    %rows = cuda_tile.reshape %row : !cuda_tile.tile<64xf32> -> !cuda_tile.tile<8x8xf32>
    %z = cuda_tile.for %k in (%zero to %n, step %one) : !cuda_tile.tile<i32> iter_values(%a = %x) -> (!cuda_tile.tile<8x8xf32>) {
      %s = cuda_tile.muli %k, %eight : !cuda_tile.tile<i32>
      %s1 = cuda_tile.reshape %s : !cuda_tile.tile<i32> -> !cuda_tile.tile<1x1xi32>
      %s2 = cuda_tile.broadcast %s1 : !cuda_tile.tile<1x1xi32> -> !cuda_tile.tile<8x8xi32>
      %t = cuda_tile.iota : !cuda_tile.tile<8xi32>
      %t1 = cuda_tile.reshape %t : !cuda_tile.tile<8xi32> -> !cuda_tile.tile<1x8xi32>
      %t2 = cuda_tile.broadcast %t1 : !cuda_tile.tile<1x8xi32> -> !cuda_tile.tile<8x8xi32>
      %u = cuda_tile.addi %s2, %t2 : !cuda_tile.tile<8x8xi32>
      %m1 = cuda_tile.reshape %m : !cuda_tile.tile<i32> -> !cuda_tile.tile<1x1xi32>
      %m2 = cuda_tile.broadcast %m1 : !cuda_tile.tile<1x1xi32> -> !cuda_tile.tile<8x8xi32>
      %c = cuda_tile.cmpi less_than %u, %m2, signed : !cuda_tile.tile<8x8xi32> -> !cuda_tile.tile<8x8xi1>
      %v = cuda_tile.select %c, %x, %none : !cuda_tile.tile<8x8xi1>, !cuda_tile.tile<8x8xf32>
      %d = cuda_tile.cmpi greater_than_or_equal %u, %m2, signed : !cuda_tile.tile<8x8xi32> -> !cuda_tile.tile<8x8xi1>
      %w = cuda_tile.select %d, %rows, %x : !cuda_tile.tile<8x8xi1>, !cuda_tile.tile<8x8xf32>
      %b = cuda_tile.mmaf %v, %w, %a : !cuda_tile.tile<8x8xf32>, !cuda_tile.tile<8x8xf32>, !cuda_tile.tile<8x8xf32>
      cuda_tile.continue %b : !cuda_tile.tile<8x8xf32>
    }
    ownership.store %z, %r : !cuda_tile.tile<8x8xf32>, !ownership.region<mut tile [8, 8], [N, 8], f32>
  }
}

// What is not linear in the counter, what may wrap, and what changes in every turn is left as it is.
// CHECK-LABEL: @whole(
// CHECK: cuda_tile.for %k in (%zero to %n, step %one)
// CHECK-NOT: cuda_tile.for
// CHECK: ownership.store
ownership.kernel @whole(%y: !ownership.tensor<[N], i32>, %n: !cuda_tile.tile<i32>, %m: !cuda_tile.tile<i32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], i32> -> !ownership.partition<mut tile [4], [N], i32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], i32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [4], [N], i32> -> !ownership.region<mut tile [4], [N], i32>
    %x = ownership.load %r : !ownership.region<mut tile [4], [N], i32> -> !cuda_tile.tile<4xi32>
    %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
    %z, %w = cuda_tile.for %k in (%zero to %n, step %one) : !cuda_tile.tile<i32> iter_values(%a = %x, %q = %zero) -> (!cuda_tile.tile<4xi32>, !cuda_tile.tile<i32>) {
      %square = cuda_tile.muli %k, %k : !cuda_tile.tile<i32>
      %sum = cuda_tile.addi %k, %m : !cuda_tile.tile<i32>
      %c = cuda_tile.cmpi less_than %square, %m, signed : !cuda_tile.tile<i32> -> !cuda_tile.tile<i1>
      %d = cuda_tile.cmpi less_than %sum, %n, signed : !cuda_tile.tile<i32> -> !cuda_tile.tile<i1>
      %e = cuda_tile.cmpi less_than %q, %k, signed : !cuda_tile.tile<i32> -> !cuda_tile.tile<i1>
      %f = cuda_tile.andi %c, %d : !cuda_tile.tile<i1>
      %g = cuda_tile.andi %f, %e : !cuda_tile.tile<i1>
      %b = cuda_tile.if %g -> (!cuda_tile.tile<4xi32>) {
        %h = cuda_tile.muli %a, %x : !cuda_tile.tile<4xi32>
        cuda_tile.yield %h : !cuda_tile.tile<4xi32>
      } else {
        cuda_tile.yield %a : !cuda_tile.tile<4xi32>
      }
      cuda_tile.continue %b, %sum : !cuda_tile.tile<4xi32>, !cuda_tile.tile<i32>
    }
    ownership.store %z, %r : !cuda_tile.tile<4xi32>, !ownership.region<mut tile [4], [N], i32>
  }
}
