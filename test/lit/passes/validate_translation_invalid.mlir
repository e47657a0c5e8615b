// RUN: tile-opt %s -p 'VERIFIERS,validate-translation' --split-input-file --print-diagnostics | filecheck %s

// Indices in another order.
// CHECK: error[O140]: what was emitted for `copy` is not shown to do what was verified
// CHECK: this store is emitted with another index along axis 0
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
    %s = store_view_tko weak %t, %zt[%j, %i] : tile<8x16xf32>, partition_view<tile=(8x16), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
// -----

// The extents of another tensor, or of another axis.
// CHECK: this load is emitted with another extent along axis 0
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
    %xv = make_tensor_view %x, shape = [%n, %m], strides = [%xs, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
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

// A stride of another tensor.
// CHECK: this load is emitted with another stride along axis 0
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
    %xv = make_tensor_view %x, shape = [%m, %n], strides = [%zs, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
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

// Another tensor's memory.
// CHECK: this load is emitted with another memory
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
    %xv = make_tensor_view %z, shape = [%m, %n], strides = [%xs, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
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

// Tiles of another size, by which points are counted.
// CHECK: this load is emitted with another index along axis 0
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
    %16 = constant <i32: 8> : tile<i32>
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

// Rounded down.
// CHECK: this load is emitted with another index along axis 0
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
    %tiles = addi %before, %before : tile<i32>
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

// Points by columns.
// CHECK: this load is emitted with another index along axis 0
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
    %j = divi %b, %tiles unsigned : tile<i32>
    %i = remi %b, %tiles unsigned : tile<i32>
    %t, %k = load_view_tko weak %xt[%i, %j] : partition_view<tile=(8x16), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<8x16xf32>, token
    %s = store_view_tko weak %t, %zt[%i, %j] : tile<8x16xf32>, partition_view<tile=(8x16), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
// -----

// A promise that nobody keeps.
// CHECK: promises #cuda_tile.div_by<16> of what the launcher does not guarantee it of
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
    %width = assume div_by<16>, %n : tile<i32>
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

// Nothing wraps, it is said.
// CHECK: promises that nothing overflows
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
    %last = subi %width, %1 overflow<no_signed_wrap> : tile<i32>
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

// An order that was not asked for.
// CHECK: this load is emitted with another order
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
    %t, %k = load_view_tko relaxed device %xt[%i, %j] : partition_view<tile=(8x16), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<8x16xf32>, token
    %s = store_view_tko weak %t, %zt[%i, %j] : tile<8x16xf32>, partition_view<tile=(8x16), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
// -----

// One store more.
// CHECK: `store_view` is nowhere in the kernel
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
    %more = store_view_tko weak %t, %zt[%i, %j] : tile<8x16xf32>, partition_view<tile=(8x16), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
// -----

// Another value.
// CHECK: this store is emitted with another value
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
    %u = addf %t, %t : tile<8x16xf32>
    %s = store_view_tko weak %u, %zt[%i, %j] : tile<8x16xf32>, partition_view<tile=(8x16), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
// -----

// No store.
// CHECK: `store` of the kernel is `return` in what was emitted
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
    return
  }
}
// -----

// Other parameters.
// CHECK: has other parameters than the launcher passes
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
  entry @copy(%z: tile<ptr<f32>>, %x: tile<ptr<f32>>, %m: tile<i32>, %n: tile<i32>, %zs: tile<i32>, %xs: tile<i64>) {
    %width = assume bounded<1, ?>, %n : tile<i32>
    %1 = constant <i32: 1> : tile<i32>
    %16 = constant <i32: 16> : tile<i32>
    %last = subi %width, %1 : tile<i32>
    %before = divi %last, %16 unsigned : tile<i32>
    %tiles = addi %before, %1 : tile<i32>
    %xv = make_tensor_view %x, shape = [%m, %n], strides = [%zs, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
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

// An operation that reaches memory in another way.
// CHECK: is not understood
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
    %g = gdc_wait_tko -> token
    return
  }
}

// -----

// To a signed comparison true is -1, less than false: the loop has a turn, and nothing of it was emitted.
// CHECK: error[O140]: what was emitted for `truths` is not shown to do what was verified
ownership.kernel @truths(%z: !ownership.tensor<[M], f32>) {
  %p = ownership.partition %z : !ownership.tensor<[M], f32> -> !ownership.partition<mut tile [8], [M], f32>
  ownership.distribute %p : !ownership.partition<mut tile [8], [M], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %yes = cuda_tile.constant <i1: true> : !cuda_tile.tile<i1>
    %no = cuda_tile.constant <i1: false> : !cuda_tile.tile<i1>
    %v = cuda_tile.constant <f32: 0.0> : !cuda_tile.tile<8xf32>
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [8], [M], f32> -> !ownership.region<mut tile [8], [M], f32>
    cuda_tile.for %k in (%yes to %no, step %yes) : tile<i1> {
      ownership.store %v, %r : !cuda_tile.tile<8xf32>, !ownership.region<mut tile [8], [M], f32>
      cuda_tile.continue
    }
  }
}
cuda_tile.module @emitted {
  entry @truths(%z: tile<ptr<f32>>, %m: tile<i32>) {
    return
  }
}
