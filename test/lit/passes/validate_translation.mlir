// RUN: tile-opt %s -p 'VERIFIERS,validate-translation' --split-input-file | filecheck %s

// An entry point beside the kernel of its name is compared with it; where there is none, one is made.
// CHECK: ownership.kernel @copy
// CHECK: cuda_tile.entry @copy
ownership.kernel @copy(%z: !ownership.tensor<[M, N], f32>, %x: !ownership.tensor<[M, N], f32>) {
  %p = ownership.partition %z : !ownership.tensor<[M, N], f32> -> !ownership.partition<out tile [8, 16], [M, N], f32>
  %b = ownership.borrow %x : !ownership.tensor<[M, N], f32> -> !ownership.ref<[M, N], f32>
  ownership.distribute %p : !ownership.partition<out tile [8, 16], [M, N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i, %j] : !ownership.partition<out tile [8, 16], [M, N], f32> -> !ownership.region<out tile [8, 16], [M, N], f32>
    %t = ownership.load %b[%i, %j] : !ownership.ref<[M, N], f32> -> !cuda_tile.tile<8x16xf32>
    ownership.store %t, %r : !cuda_tile.tile<8x16xf32>, !ownership.region<out tile [8, 16], [M, N], f32>
  }
}
cuda_tile.module @emitted {
  entry @copy(%z: tile<ptr<f32>>, %x: tile<ptr<f32>>, %m: tile<i32>, %n: tile<i32>, %zs: tile<i32>, %xs: tile<i32>) {
    %width = assume bounded<1, ?>, %n : tile<i32>
    %1 = constant <i32: 1> : tile<i32>
    %16 = constant <i32: 16> : tile<i32>
    %last = subi %width, %1 : tile<i32>
    %before = divi %last, %16 unsigned : tile<i32>
    %tiles = addi %before, %1 : tile<i32>
    %xv = make_tensor_view %x, shape = [%m, %n], strides = [%xs, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %xt = make_partition_view %xv : partition_view<tile=(8x16), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>
    %zv = make_tensor_view %z, shape = [%m, %n], strides = [%zs, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %zt = make_partition_view %zv : partition_view<tile=(8x16), tensor_view<?x?xf32, strides=[?,1]>>
    %b, %b1, %b2 = get_tile_block_id : tile<i32>
    %i = divi %b, %tiles unsigned : tile<i32>
    %j = remi %b, %tiles unsigned : tile<i32>
    %t, %k = load_view_tko weak %xt[%i, %j] : partition_view<tile=(8x16), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<8x16xf32>, token
    %s = store_view_tko weak %t, %zt[%i, %j] : tile<8x16xf32>, partition_view<tile=(8x16), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    return
  }
}

// -----

// CHECK: ownership.kernel @copy
// CHECK-NOT: cuda_tile.entry
ownership.kernel @copy(%z: !ownership.tensor<[M, N], f32>, %x: !ownership.tensor<[M, N], f32>) {
  %p = ownership.partition %z : !ownership.tensor<[M, N], f32> -> !ownership.partition<out tile [8, 16], [M, N], f32>
  %b = ownership.borrow %x : !ownership.tensor<[M, N], f32> -> !ownership.ref<[M, N], f32>
  ownership.distribute %p : !ownership.partition<out tile [8, 16], [M, N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i, %j] : !ownership.partition<out tile [8, 16], [M, N], f32> -> !ownership.region<out tile [8, 16], [M, N], f32>
    %t = ownership.load %b[%i, %j] : !ownership.ref<[M, N], f32> -> !cuda_tile.tile<8x16xf32>
    ownership.store %t, %r : !cuda_tile.tile<8x16xf32>, !ownership.region<out tile [8, 16], [M, N], f32>
  }
}

// -----

// The inner loop has no turn, whatever the kernel is passed, and so hands on what says which check has failed.
// CHECK: ownership.kernel @no_turn
ownership.kernel @no_turn(%z: !ownership.tensor<[M], f32>, %x: !ownership.tensor<[K], f32>, %t: !cuda_tile.tile<i1>) {
  %p = ownership.partition %z : !ownership.tensor<[M], f32> -> !ownership.partition<out tile [8], [M], f32>
  %b = ownership.borrow %x : !ownership.tensor<[K], f32> -> !ownership.ref<[K], f32>
  ownership.distribute %p : !ownership.partition<out tile [8], [M], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
    %r = ownership.region %p[%i] : !ownership.partition<out tile [8], [M], f32> -> !ownership.region<out tile [8], [M], f32>
    %n = ownership.tiles %b, 0 by 8 : !ownership.ref<[K], f32>
    %start = cuda_tile.constant <f32: 0.0> : !cuda_tile.tile<8xf32>
    %end = cuda_tile.for %k in (%zero to %n, step %one) : tile<i32> iter_values(%a = %start) -> (tile<8xf32>) {
      %high = cuda_tile.exti %t unsigned : tile<i1> -> tile<i32>
      %last = cuda_tile.mini %k, %high signed : tile<i32>
      %c = cuda_tile.for %l in (%one to %last, step %one) : tile<i32> iter_values(%d = %a) -> (tile<8xf32>) {
        %w = cuda_tile.muli %l, %i : tile<i32>
        %v = ownership.load %b[%w] : !ownership.ref<[K], f32> -> !cuda_tile.tile<8xf32>
        %e = cuda_tile.addf %d, %v : tile<8xf32>
        cuda_tile.continue %e : tile<8xf32>
      }
      cuda_tile.continue %c : tile<8xf32>
    }
    ownership.store %end, %r : !cuda_tile.tile<8xf32>, !ownership.region<out tile [8], [M], f32>
  }
}
