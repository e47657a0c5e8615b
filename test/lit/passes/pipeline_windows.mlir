// Windows of tensors: what is proved of them, what is left, and what they become.

// RUN: tile-opt %s -p VERIFIERS --split-input-file | filecheck %s
// RUN: tile-opt %s -p 'VERIFIERS,thread-tokens,convert-ownership-to-cuda-tile{traps=true},canonicalize,cse' --split-input-file | filecheck %s --check-prefix=TILE

// A position that the launcher knows: one comparison, and the position is a number as any other from there on.
// CHECK:      %w = ownership.window %c[%at] {axis = #builtin.int<0>, duties = [
// CHECK-SAME:   #ownership.duty<fits axis 0 launch ("T <= S")>,
// CHECK-SAME:   #ownership.duty<in_bounds axis 0 launch ("0 <= at and at + T <= S")>]}
// CHECK:      ownership.load %o[%at] {duties = [#ownership.duty<in_bounds axis 0 proved "0 <= at < S by rules">]}
// TILE-LABEL: cuda_tile.entry @at_launch
// TILE-NOT:   cuda_tile.assert
// TILE:       %[[LONG:.*]] = cuda_tile.exti %at signed
// TILE:       %[[BASE:.*]] = cuda_tile.offset %c, %[[LONG]]
// TILE:       %w_view = cuda_tile.make_tensor_view %[[BASE]], shape = [%T_1]
ownership.kernel @at_launch(%c: !ownership.tensor<[S], f32>, %x: !ownership.tensor<[T], f32>, %other: !ownership.tensor<[S], f32>, %at: !cuda_tile.tile<i32>) {
  %w = ownership.window %c[%at] {axis = #builtin.int<0>} : !ownership.tensor<[S], f32> -> !ownership.tensor<[T], f32>
  %p = ownership.partition %w : !ownership.tensor<[T], f32> -> !ownership.partition<out tile [8], [T], f32>
  %b = ownership.borrow %x : !ownership.tensor<[T], f32> -> !ownership.ref<[T], f32>
  %o = ownership.borrow %other : !ownership.tensor<[S], f32> -> !ownership.ref<[S], f32>
  ownership.distribute %p : !ownership.partition<out tile [8], [T], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<out tile [8], [T], f32> -> !ownership.region<out tile [8], [T], f32>
    %one = ownership.load %o[%at] : !ownership.ref<[S], f32> -> !cuda_tile.tile<1xf32>
    %t = ownership.load %b[%i] : !ownership.ref<[T], f32> -> !cuda_tile.tile<8xf32>
    %many = cuda_tile.broadcast %one : tile<1xf32> -> tile<8xf32>
    %sum = cuda_tile.addf %t, %many : tile<8xf32>
    ownership.store %sum, %r : !cuda_tile.tile<8xf32>, !ownership.region<out tile [8], [T], f32>
  }
}

// -----

// A position in memory, along an axis with a stride: checked once a block, in front of its work. Persistent blocks, too.
// CHECK:      %w = ownership.window %c[%at] {axis = #builtin.int<1>, duties = [
// CHECK-SAME:   #ownership.duty<fits axis 1 launch ("4 <= S")>,
// CHECK-SAME:   #ownership.duty<in_bounds axis 1 kernel ("0 <= at and at <= S - 4")>]}
// TILE-LABEL: cuda_tile.entry @from_memory
// TILE:       %[[LAST:.*]] = cuda_tile.subi %S_1, %{{.*}}
// TILE:       %[[IN:.*]] = cuda_tile.cmpi less_than_or_equal %at, %[[LAST]], unsigned
// TILE:       cuda_tile.assert %[[IN]], "from_memory: window out of bounds: axis 1 of c
// TILE:       %[[START:.*]] = cuda_tile.select %[[IN]], %at, %{{.*}}
// TILE:       cuda_tile.exti %[[START]] signed
// TILE:       cuda_tile.muli
// TILE:       cuda_tile.make_tensor_view %{{.*}}, shape = [%B_1, 4, 64], strides = [%{{.*}}, 64, 1]
// TILE:       cuda_tile.for
ownership.kernel @from_memory(%c: !ownership.tensor<[B, S, 64], f32, #ownership.layout<align = 16, strides = [0, 64, 1], stride_divs = [16, 64, 1], extent_divs = [1, 1, 1]>>, %where: !ownership.tensor<[], i32>) {
  %b = ownership.borrow %where : !ownership.tensor<[], i32> -> !ownership.ref<[], i32>
  %at = ownership.load %b : !ownership.ref<[], i32> -> !cuda_tile.tile<i32>
  %w = ownership.window %c[%at] {axis = #builtin.int<1>} : !ownership.tensor<[B, S, 64], f32, #ownership.layout<align = 16, strides = [0, 64, 1], stride_divs = [16, 64, 1], extent_divs = [1, 1, 1]>> -> !ownership.tensor<[B, 4, 64], f32, #ownership.layout<align = 16, strides = [0, 64, 1], stride_divs = [16, 64, 1], extent_divs = [1, 1, 1]>>
  %p = ownership.partition %w : !ownership.tensor<[B, 4, 64], f32, #ownership.layout<align = 16, strides = [0, 64, 1], stride_divs = [16, 64, 1], extent_divs = [1, 1, 1]>> -> !ownership.partition<mut tile [1, 1, 64], [B, 4, 64], f32, #ownership.layout<align = 16, strides = [0, 64, 1], stride_divs = [16, 64, 1], extent_divs = [1, 1, 1]>>
  ownership.distribute %p blocks #ownership.blocks<persistent> : !ownership.partition<mut tile [1, 1, 64], [B, 4, 64], f32, #ownership.layout<align = 16, strides = [0, 64, 1], stride_divs = [16, 64, 1], extent_divs = [1, 1, 1]>> {
  ^bb0(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>, %k: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i, %j, %k] : !ownership.partition<mut tile [1, 1, 64], [B, 4, 64], f32, #ownership.layout<align = 16, strides = [0, 64, 1], stride_divs = [16, 64, 1], extent_divs = [1, 1, 1]>> -> !ownership.region<mut tile [1, 1, 64], [B, 4, 64], f32, #ownership.layout<align = 16, strides = [0, 64, 1], stride_divs = [16, 64, 1], extent_divs = [1, 1, 1]>>
    %t = ownership.load %r : !ownership.region<mut tile [1, 1, 64], [B, 4, 64], f32, #ownership.layout<align = 16, strides = [0, 64, 1], stride_divs = [16, 64, 1], extent_divs = [1, 1, 1]>> -> !cuda_tile.tile<1x1x64xf32>
    ownership.store %t, %r : !cuda_tile.tile<1x1x64xf32>, !ownership.region<mut tile [1, 1, 64], [B, 4, 64], f32, #ownership.layout<align = 16, strides = [0, 64, 1], stride_divs = [16, 64, 1], extent_divs = [1, 1, 1]>>
  }
}

// -----

// Two windows of one tensor that touch: one is read, the other is written, and nothing has to be ordered.
// CHECK-LABEL: ownership.kernel @halves
// CHECK:         ownership.window %y[%half] {axis = #builtin.int<0>, duties = [#ownership.duty<fits axis 0 launch ("1 <= N // 2")>
// TILE-LABEL:  cuda_tile.entry @halves
// TILE:          cuda_tile.load_view_tko weak %w_tiles
// TILE-NOT:      token =
// TILE:          cuda_tile.store_view_tko weak %t, %{{.*}}tiles
ownership.kernel @halves(%y: !ownership.tensor<[N], f32>) {
  %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
  %two = cuda_tile.constant <i32: 2> : !cuda_tile.tile<i32>
  %n = ownership.dim %y, 0 : !ownership.tensor<[N], f32>
  %half = cuda_tile.divi %n, %two signed : !cuda_tile.tile<i32>
  %w = ownership.window %y[%zero] {axis = #builtin.int<0>} : !ownership.tensor<[N], f32> -> !ownership.tensor<["N // 2"], f32>
  %v = ownership.window %y[%half] {axis = #builtin.int<0>} : !ownership.tensor<[N], f32> -> !ownership.tensor<["N // 2"], f32>
  %b = ownership.borrow %w : !ownership.tensor<["N // 2"], f32> -> !ownership.ref<["N // 2"], f32>
  %p = ownership.partition %v : !ownership.tensor<["N // 2"], f32> -> !ownership.partition<out tile [8], ["N // 2"], f32>
  ownership.distribute %p : !ownership.partition<out tile [8], ["N // 2"], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<out tile [8], ["N // 2"], f32> -> !ownership.region<out tile [8], ["N // 2"], f32>
    %t = ownership.load %b[%i] : !ownership.ref<["N // 2"], f32> -> !cuda_tile.tile<8xf32>
    ownership.store %t, %r : !cuda_tile.tile<8xf32>, !ownership.region<out tile [8], ["N // 2"], f32>
  }
}

// -----

// A length that is an integer scalar: that there is an element, and that it fits, the launcher sees. The view of the
// window is as long, so nothing behind it is read.
// CHECK:      %w = ownership.window %c[%zero] {axis = #builtin.int<0>, duties = [
// CHECK-SAME:   #ownership.duty<fits axis 0 launch ("1 <= n and n <= S")>,
// CHECK-SAME:   #ownership.duty<in_bounds axis 0 proved "n <= S">]}
// CHECK:      ownership.load %b[%i] {duties = [#ownership.duty<in_bounds axis 0 proved "0 <= i < ceildiv(n, 8) by rules">]}
// TILE-LABEL: cuda_tile.entry @valid_prefix
// TILE-SAME:  %n: tile<i32>
// TILE-NOT:   cuda_tile.assert
// TILE:       cuda_tile.make_tensor_view %c, shape = [%n_{{[0-9]+}}]
ownership.kernel @valid_prefix(%y: !ownership.tensor<[N], f32>, %c: !ownership.tensor<[S], f32>, %n: !cuda_tile.tile<i32>) {
  %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
  %w = ownership.window %c[%zero] {axis = #builtin.int<0>} : !ownership.tensor<[S], f32> -> !ownership.tensor<[n], f32>
  %b = ownership.borrow %w : !ownership.tensor<[n], f32> -> !ownership.ref<[n], f32>
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<partial tile [8], [N], f32>
  ownership.distribute %p over ["ceildiv(n, 8)"] : !ownership.partition<partial tile [8], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<partial tile [8], [N], f32> -> !ownership.region<partial tile [8], [N], f32>
    %t = ownership.load %b[%i] : !ownership.ref<[n], f32> -> !cuda_tile.tile<8xf32>
    ownership.store %t, %r : !cuda_tile.tile<8xf32>, !ownership.region<partial tile [8], [N], f32>
  }
}
