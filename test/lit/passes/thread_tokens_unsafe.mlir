// RUN: tile-opt %s -p VERIFIERS,thread-tokens | filecheck %s

// Updates of an accumulator and reads of a borrow need no order.
// CHECK-LABEL: @updates
// CHECK-NOT: token
ownership.kernel @updates(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[M, K], f32>, %h: !ownership.tensor<[B], i32>, %q: !ownership.tensor<[B], i32>, %s: !cuda_tile.tile<i32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  %b = ownership.borrow %x : !ownership.tensor<[M, K], f32> -> !ownership.ref<[M, K], f32>
  %acc = ownership.accumulator %h : !ownership.tensor<[B], i32> -> !ownership.acc<[B], i32>
  %raw = ownership.expose %q : !ownership.tensor<[B], i32> -> !ownership.raw<[B], i32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %n = cuda_tile.iota : !cuda_tile.tile<4xi32>
    %g = ownership.gather %b[%n, %n] : !ownership.ref<[M, K], f32>, (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xf32>
    ownership.accumulate <add> %n, %acc[%zero] : !cuda_tile.tile<4xi32>, !ownership.acc<[B], i32>
    ownership.accumulate_at <add> %n, %acc[%n] : !cuda_tile.tile<4xi32>, !ownership.acc<[B], i32>, (!cuda_tile.tile<4xi32>)
    ownership.accumulate <add> %n, %acc[%zero] : !cuda_tile.tile<4xi32>, !ownership.acc<[B], i32>
  }
}

// Accesses to a raw tensor are ordered as the text has them where one writes; two reads are not.
// CHECK-LABEL: @in_order
// CHECK: %l, %[[A:.*]] = ownership.unsafe_load "why" %raw[%zero] {
// CHECK: %m, %[[B:.*]] = ownership.unsafe_load "why" %raw[%zero] {
// CHECK: %[[AB:.*]] = cuda_tile.join_tokens %[[A]], %[[B]]
// CHECK: %[[C:.*]] = ownership.unsafe_store "why" %l, %raw[%zero] token %[[AB]] {
// CHECK: ownership.unsafe_update "why" %m, %raw[%zero] token %[[C]] {
// CHECK-NOT: -> !cuda_tile.token
ownership.kernel @in_order(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[M, K], f32>, %h: !ownership.tensor<[B], i32>, %q: !ownership.tensor<[B], i32>, %s: !cuda_tile.tile<i32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  %b = ownership.borrow %x : !ownership.tensor<[M, K], f32> -> !ownership.ref<[M, K], f32>
  %acc = ownership.accumulator %h : !ownership.tensor<[B], i32> -> !ownership.acc<[B], i32>
  %raw = ownership.expose %q : !ownership.tensor<[B], i32> -> !ownership.raw<[B], i32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %n = cuda_tile.iota : !cuda_tile.tile<4xi32>
    %l = ownership.unsafe_load "why" %raw[%zero] {ordering = #cuda_tile.memory_ordering_semantics<weak>} : !ownership.raw<[B], i32>, (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
    %m = ownership.unsafe_load "why" %raw[%zero] {ordering = #cuda_tile.memory_ordering_semantics<weak>} : !ownership.raw<[B], i32>, (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
    ownership.unsafe_store "why" %l, %raw[%zero] {ordering = #cuda_tile.memory_ordering_semantics<weak>} : !cuda_tile.tile<i32>, !ownership.raw<[B], i32>, (!cuda_tile.tile<i32>)
    %o = ownership.unsafe_update "why" %m, %raw[%zero] {mode = #cuda_tile.atomic_rmw_mode<add>, ordering = #cuda_tile.memory_ordering_semantics<relaxed>, scope = #cuda_tile.memory_scope<device>} : !cuda_tile.tile<i32>, !ownership.raw<[B], i32>, (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
  }
}

// Accesses to two raw tensors are ordered only by what acquires or releases: a lock around data.
// CHECK-LABEL: @lock
// CHECK: %was, %[[T:.*]] = ownership.unsafe_swap "why" %zero, %one, %raw[%zero] {
// CHECK: %v, %[[R:.*]] = ownership.unsafe_load "why" %data[%zero] token %[[T]] {
// CHECK: %[[W:.*]] = ownership.unsafe_store "why" %one, %data[%zero] token %[[R]] {
// CHECK: %[[J:.*]] = cuda_tile.join_tokens %[[T]], %[[W]]
// CHECK: ownership.unsafe_update "why" %zero, %raw[%zero] token %[[J]] {
ownership.kernel @lock(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[M, K], f32>, %h: !ownership.tensor<[B], i32>, %q: !ownership.tensor<[B], i32>, %d: !ownership.tensor<[B], i32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  %b = ownership.borrow %x : !ownership.tensor<[M, K], f32> -> !ownership.ref<[M, K], f32>
  %acc = ownership.accumulator %h : !ownership.tensor<[B], i32> -> !ownership.acc<[B], i32>
  %raw = ownership.expose %q : !ownership.tensor<[B], i32> -> !ownership.raw<[B], i32>
  %data = ownership.expose %d : !ownership.tensor<[B], i32> -> !ownership.raw<[B], i32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %n = cuda_tile.iota : !cuda_tile.tile<4xi32>
    %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
    %was = ownership.unsafe_swap "why" %zero, %one, %raw[%zero] {ordering = #cuda_tile.memory_ordering_semantics<acquire>, scope = #cuda_tile.memory_scope<device>} : !cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !ownership.raw<[B], i32>, (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
    %v = ownership.unsafe_load "why" %data[%zero] {ordering = #cuda_tile.memory_ordering_semantics<weak>} : !ownership.raw<[B], i32>, (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
    ownership.unsafe_store "why" %one, %data[%zero] {ordering = #cuda_tile.memory_ordering_semantics<weak>} : !cuda_tile.tile<i32>, !ownership.raw<[B], i32>, (!cuda_tile.tile<i32>)
    %o = ownership.unsafe_update "why" %zero, %raw[%zero] {mode = #cuda_tile.atomic_rmw_mode<xchg>, ordering = #cuda_tile.memory_ordering_semantics<release>, scope = #cuda_tile.memory_scope<device>} : !cuda_tile.tile<i32>, !ownership.raw<[B], i32>, (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
  }
}

// In a loop a store of one turn waits for that of the turn before, and what follows for the last.
// CHECK-LABEL: @turns
// CHECK: cuda_tile.make_token
// CHECK: %[[L:.*]] = cuda_tile.for %t in {{.*}} iter_values(%[[C:.*]] = %{{.*}}) -> (token) {
// CHECK: %[[D:.*]] = ownership.unsafe_store "why" %t, %raw[%t] token %[[C]] {
// CHECK: cuda_tile.continue %[[D]]
// CHECK: ownership.unsafe_load "why" %raw[%zero] token %[[L]] {
ownership.kernel @turns(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[M, K], f32>, %h: !ownership.tensor<[B], i32>, %q: !ownership.tensor<[B], i32>, %s: !cuda_tile.tile<i32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  %b = ownership.borrow %x : !ownership.tensor<[M, K], f32> -> !ownership.ref<[M, K], f32>
  %acc = ownership.accumulator %h : !ownership.tensor<[B], i32> -> !ownership.acc<[B], i32>
  %raw = ownership.expose %q : !ownership.tensor<[B], i32> -> !ownership.raw<[B], i32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %n = cuda_tile.iota : !cuda_tile.tile<4xi32>
    %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
    cuda_tile.for %t in (%zero to %s, step %one) : !cuda_tile.tile<i32> {
      ownership.unsafe_store "why" %t, %raw[%t] {ordering = #cuda_tile.memory_ordering_semantics<weak>} : !cuda_tile.tile<i32>, !ownership.raw<[B], i32>, (!cuda_tile.tile<i32>)
      cuda_tile.continue
    }
    %l = ownership.unsafe_load "why" %raw[%zero] {ordering = #cuda_tile.memory_ordering_semantics<weak>} : !ownership.raw<[B], i32>, (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
  }
}
