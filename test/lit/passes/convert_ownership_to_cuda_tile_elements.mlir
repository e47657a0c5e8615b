// RUN: tile-opt %s -p VERIFIERS,convert-ownership-to-cuda-tile | filecheck %s

// A gather: each index is compared and multiplied as long as it is, and stretched last. A proved axis is not compared.
// CHECK-LABEL: entry @gather(
// CHECK-DAG: %[[FITS:.*]] = cuda_tile.cmpi less_than %columns, %{{.*}}, unsigned : tile<1x4xi32> -> tile<1x4xi1>
// CHECK-DAG: %[[ROWS:.*]] = cuda_tile.muli %{{.*}}, %{{.*}} : tile<4x1xi64>
// CHECK: %[[MASK:.*]] = cuda_tile.broadcast %[[FITS]] : tile<1x4xi1> -> tile<4x4xi1>
// CHECK-NOT: cmpi
// CHECK: %[[P:.*]] = cuda_tile.offset %{{.*}}, %{{.*}} : tile<4x4xptr<f32>>, tile<4x4xi64> -> tile<4x4xptr<f32>>
// CHECK: %[[Z:.*]] = cuda_tile.constant <f32: 0xFF800000> : tile<4x4xf32>
// CHECK: load_ptr_tko weak %[[P]], %[[MASK]], %[[Z]] optimization_hints = <default = {latency = 3}> :
ownership.kernel @gather(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[M, K], f32>, %h: !ownership.tensor<[B], i32>, %q: !ownership.tensor<[B], i32>, %s: !cuda_tile.tile<i32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  %b = ownership.borrow %x : !ownership.tensor<[M, K], f32> -> !ownership.ref<[M, K], f32>
  %acc = ownership.accumulator %h : !ownership.tensor<[B], i32> -> !ownership.acc<[B], i32>
  %raw = ownership.expose %q : !ownership.tensor<[B], i32> -> !ownership.raw<[B], i32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %n = cuda_tile.iota : !cuda_tile.tile<4xi32>
    %zeros = cuda_tile.constant <i32: 0> : !cuda_tile.tile<4x1xi32>
    %columns = cuda_tile.reshape %n : !cuda_tile.tile<4xi32> -> !cuda_tile.tile<1x4xi32>
    %g = ownership.gather %b[%zeros, %columns] {padding_value = #cuda_tile.padding_value<neg_inf>, hints = #cuda_tile.optimization_hints<default = {latency = 3}>} : !ownership.ref<[M, K], f32>, (!cuda_tile.tile<4x1xi32>, !cuda_tile.tile<1x4xi32>) -> !cuda_tile.tile<4x4xf32>
  }
}

// Padding may be any number.
// CHECK-LABEL: entry @padding(
// CHECK-DAG: %[[FIVE:.*]] = cuda_tile.constant <f32: 5.000000e+00> : tile<4x4xf32>
// CHECK: load_ptr_tko weak %{{.*}}, %[[FIVE]] : tile<4x4xptr<f32>>
ownership.kernel @padding(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[M, K], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  %b = ownership.borrow %x : !ownership.tensor<[M, K], f32> -> !ownership.ref<[M, K], f32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %n = cuda_tile.iota : !cuda_tile.tile<4xi32>
    %zeros = cuda_tile.constant <i32: 0> : !cuda_tile.tile<4x1xi32>
    %columns = cuda_tile.reshape %n : !cuda_tile.tile<4xi32> -> !cuda_tile.tile<1x4xi32>
    %five = ownership.gather %b[%zeros, %columns] {padding_value = #cuda_tile.dense<f32: 5.0, tile<f32>>} : !ownership.ref<[M, K], f32>, (!cuda_tile.tile<4x1xi32>, !cuda_tile.tile<1x4xi32>) -> !cuda_tile.tile<4x4xf32>
  }
}

// Where all is proved there is no mask. A mask of the user's own stands by itself. Scalars are addressed without shapes.
// CHECK-LABEL: entry @scalars(
// CHECK-NOT: cmpi
// CHECK: load_ptr_tko weak %{{[^,]*}} : tile<ptr<f32>> -> tile<f32>, token
// CHECK: load_ptr_tko weak %{{[^,]*}}, %m, %{{.*}} : tile<4xptr<f32>>, tile<4xi1>, tile<4xf32> -> tile<4xf32>, token
ownership.kernel @scalars(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[M, K], f32>, %h: !ownership.tensor<[B], i32>, %q: !ownership.tensor<[B], i32>, %s: !cuda_tile.tile<i32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  %b = ownership.borrow %x : !ownership.tensor<[M, K], f32> -> !ownership.ref<[M, K], f32>
  %acc = ownership.accumulator %h : !ownership.tensor<[B], i32> -> !ownership.acc<[B], i32>
  %raw = ownership.expose %q : !ownership.tensor<[B], i32> -> !ownership.raw<[B], i32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %n = cuda_tile.iota : !cuda_tile.tile<4xi32>
    %g = ownership.gather %b[%zero, %zero] : !ownership.ref<[M, K], f32>, (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<f32>
    %m = cuda_tile.constant <i1: true> : !cuda_tile.tile<4xi1>
    %zeros = cuda_tile.constant <i32: 0> : !cuda_tile.tile<4xi32>
    %u = ownership.gather %b[%zeros, %zeros] mask %m : !cuda_tile.tile<4xi1> : !ownership.ref<[M, K], f32>, (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xf32>
  }
}

// A window that begins in bounds is a tile of a strided view; any other is pointers.
// CHECK-LABEL: entry @windows(
// CHECK: %[[V:.*]] = cuda_tile.make_strided_view %x_view : strided_view<tile=(2x8), traversal_strides=[1,1], padding_value = zero,
// CHECK: load_view_tko weak %[[V]][%zero, %zero] :
// CHECK: cmpi less_than %{{.*}}, unsigned : tile<2x1xi32> -> tile<2x1xi1>
// CHECK: cmpi less_than %{{.*}}, unsigned : tile<1x8xi32> -> tile<1x8xi1>
// CHECK: load_ptr_tko weak {{.*}} : tile<2x8xptr<f32>>, tile<2x8xi1>, tile<2x8xf32>
ownership.kernel @windows(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[M, K], f32>, %h: !ownership.tensor<[B], i32>, %q: !ownership.tensor<[B], i32>, %s: !cuda_tile.tile<i32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  %b = ownership.borrow %x : !ownership.tensor<[M, K], f32> -> !ownership.ref<[M, K], f32>
  %acc = ownership.accumulator %h : !ownership.tensor<[B], i32> -> !ownership.acc<[B], i32>
  %raw = ownership.expose %q : !ownership.tensor<[B], i32> -> !ownership.raw<[B], i32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %n = cuda_tile.iota : !cuda_tile.tile<4xi32>
    %minus = cuda_tile.constant <i32: -1> : !cuda_tile.tile<i32>
    %v = ownership.load_from %b[%zero, %zero] : !ownership.ref<[M, K], f32> -> !cuda_tile.tile<2x8xf32>
    %w = ownership.load_from %b[%minus, %zero] : !ownership.ref<[M, K], f32> -> !cuda_tile.tile<2x8xf32>
  }
}

// Updates: of tiles through a view, of elements through pointers; relaxed, among all blocks of the device.
// CHECK-LABEL: entry @updates(
// CHECK: %[[S:.*]] = cuda_tile.make_strided_view %h_view : strided_view<tile=(4), traversal_strides=[2],
// CHECK: atomic_red_view_tko relaxed device %h_tiles[%zero], umax, %n :
// CHECK: atomic_red_view_tko relaxed device %[[S]][%zero], umax, %n :
// CHECK: atomic_rmw_tko relaxed device %{{.*}}, umax, %n, %{{.*}} : tile<4xptr<i32>>, tile<4xi32>, tile<4xi1>
// CHECK: ownership.check %{{.*}}, "" values %s, %{{.*}} number = 0 : i32}
ownership.kernel @updates(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[M, K], f32>, %h: !ownership.tensor<[B], i32>, %q: !ownership.tensor<[B], i32>, %z: !cuda_tile.tile<f32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  %b = ownership.borrow %x : !ownership.tensor<[M, K], f32> -> !ownership.ref<[M, K], f32>
  %acc = ownership.accumulator %h : !ownership.tensor<[B], i32> -> !ownership.acc<[B], i32>
  %raw = ownership.expose %q : !ownership.tensor<[B], i32> -> !ownership.raw<[B], i32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %n = cuda_tile.iota : !cuda_tile.tile<4xi32>
    ownership.accumulate <umax> %n, %acc[%zero] : !cuda_tile.tile<4xi32>, !ownership.acc<[B], i32>
    ownership.accumulate <umax> %n, %acc[%zero] {step = [#builtin.int<2>]} : !cuda_tile.tile<4xi32>, !ownership.acc<[B], i32>
    ownership.accumulate_at <umax> %n, %acc[%n] : !cuda_tile.tile<4xi32>, !ownership.acc<[B], i32>, (!cuda_tile.tile<4xi32>)
    %s = cuda_tile.ftoi %z signed : !cuda_tile.tile<f32> -> !cuda_tile.tile<i32>
    ownership.accumulate <umax> %n, %acc[%s] : !cuda_tile.tile<4xi32>, !ownership.acc<[B], i32>
  }
}

// Unsafe accesses are what they say, and nothing is compared.
// CHECK-LABEL: entry @unsafe(
// CHECK-NOT: cmpi
// CHECK: %l, %{{.*}} = cuda_tile.load_ptr_tko acquire device
// CHECK: store_ptr_tko weak
// CHECK: atomic_rmw_tko relaxed device %{{.*}}, xchg, %l
// CHECK: atomic_cas_tko release device %{{.*}}, %l, %o
ownership.kernel @unsafe(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[M, K], f32>, %h: !ownership.tensor<[B], i32>, %q: !ownership.tensor<[B], i32>, %s: !cuda_tile.tile<i32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  %b = ownership.borrow %x : !ownership.tensor<[M, K], f32> -> !ownership.ref<[M, K], f32>
  %acc = ownership.accumulator %h : !ownership.tensor<[B], i32> -> !ownership.acc<[B], i32>
  %raw = ownership.expose %q : !ownership.tensor<[B], i32> -> !ownership.raw<[B], i32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %n = cuda_tile.iota : !cuda_tile.tile<4xi32>
    %l = ownership.unsafe_load "why" %raw[%n] {ordering = #cuda_tile.memory_ordering_semantics<acquire>, scope = #cuda_tile.memory_scope<device>} : !ownership.raw<[B], i32>, (!cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
    ownership.unsafe_store "why" %l, %raw[%n] {ordering = #cuda_tile.memory_ordering_semantics<weak>} : !cuda_tile.tile<4xi32>, !ownership.raw<[B], i32>, (!cuda_tile.tile<4xi32>)
    %o = ownership.unsafe_update "why" %l, %raw[%n] {mode = #cuda_tile.atomic_rmw_mode<xchg>, ordering = #cuda_tile.memory_ordering_semantics<relaxed>, scope = #cuda_tile.memory_scope<device>} : !cuda_tile.tile<4xi32>, !ownership.raw<[B], i32>, (!cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
    %c = ownership.unsafe_swap "why" %l, %o, %raw[%n] {ordering = #cuda_tile.memory_ordering_semantics<release>, scope = #cuda_tile.memory_scope<device>} : !cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>, !ownership.raw<[B], i32>, (!cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  }
}
