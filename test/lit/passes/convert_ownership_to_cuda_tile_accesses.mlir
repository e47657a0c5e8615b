// RUN: tile-opt %s -p VERIFIERS,convert-ownership-to-cuda-tile | filecheck %s

// Everything the launcher guarantees is assumed: alignment, divisors (their power of two), extents of 1 and more. Static
// strides and extents are part of the type. One view serves equal accesses; a store needs no padding.
// CHECK-LABEL: entry @layouts(
// CHECK-SAME: %y: tile<ptr<f32>>, %x: tile<ptr<f32>>, %M: tile<i32>, %x_stride0: tile<i32>, %a: tile<f32>)
// CHECK-SAME: optimization_hints=<sm_90 = {occupancy = 2}>
// CHECK-DAG: %[[M1:.*]] = cuda_tile.assume bounded<1, ?>, %M
// CHECK-DAG: %[[M:.*]] = cuda_tile.assume div_by<16>, %[[M1]]
// CHECK-DAG: %[[S1:.*]] = cuda_tile.assume bounded<1, ?>, %x_stride0
// CHECK-DAG: %[[S:.*]] = cuda_tile.assume div_by<8>, %[[S1]]
// CHECK-DAG: %[[X:.*]] = cuda_tile.assume div_by<32>, %x
// CHECK-DAG: %x_view = cuda_tile.make_tensor_view %[[X]], shape = [%[[M]], 64], strides = [%[[S]], 1] : tile<i32> -> tensor_view<?x64xf32, strides=[?,1]>
// CHECK-DAG: %x_tiles = cuda_tile.make_partition_view %x_view : partition_view<tile=(4x16), tensor_view
// CHECK-DAG: %[[Y:.*]] = cuda_tile.assume div_by<16>, %y
// CHECK-DAG: %y_view = cuda_tile.make_tensor_view %[[Y]], shape = [%[[M]], 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]>
// CHECK-DAG: %y_tiles = cuda_tile.make_partition_view %y_view : partition_view<tile=(4x16), tensor_view
// CHECK: load_view_tko weak %x_tiles[%i, %j] optimization_hints = <default = {latency = 3}> :
// CHECK: load_view_tko weak %x_tiles[%i, %zero] :
// CHECK: %[[T:.*]], %[[TT:.*]] = cuda_tile.load_view_tko weak %y_tiles[%i, %j] :
// CHECK: store_view_tko weak %[[T]], %y_tiles[%i, %j] token = %[[TT]] optimization_hints = <default = {allow_tma = false}> :
// CHECK-NOT: make_partition_view
ownership.kernel @layouts(
    %y: !ownership.tensor<[M, 64], f32, #ownership.layout<align = 16, strides = [64, 1], stride_divs = [64, 1], extent_divs = [48, 64]>>,
    %x: !ownership.tensor<[M, 64], f32, #ownership.layout<align = 32, strides = [0, 1], stride_divs = [24, 1], extent_divs = [16, 1]>>,
    %a: !cuda_tile.tile<f32>) hints #cuda_tile.optimization_hints<sm_90 = {occupancy = 2}> {
  %b = ownership.borrow %x : !ownership.tensor<[M, 64], f32, #ownership.layout<align = 32, strides = [0, 1], stride_divs = [24, 1], extent_divs = [16, 1]>> -> !ownership.ref<[M, 64], f32, #ownership.layout<align = 32, strides = [0, 1], stride_divs = [24, 1], extent_divs = [16, 1]>>
  %p = ownership.partition %y : !ownership.tensor<[M, 64], f32, #ownership.layout<align = 16, strides = [64, 1], stride_divs = [64, 1], extent_divs = [48, 64]>> -> !ownership.partition<mut tile [4, 16], [M, 64], f32, #ownership.layout<align = 16, strides = [64, 1], stride_divs = [64, 1], extent_divs = [48, 64]>>
  ownership.distribute %p : !ownership.partition<mut tile [4, 16], [M, 64], f32, #ownership.layout<align = 16, strides = [64, 1], stride_divs = [64, 1], extent_divs = [48, 64]>> {
  ^bb0(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i, %j] : !ownership.partition<mut tile [4, 16], [M, 64], f32, #ownership.layout<align = 16, strides = [64, 1], stride_divs = [64, 1], extent_divs = [48, 64]>> -> !ownership.region<mut tile [4, 16], [M, 64], f32, #ownership.layout<align = 16, strides = [64, 1], stride_divs = [64, 1], extent_divs = [48, 64]>>
    %zero = cuda_tile.constant <i32: 0> : tile<i32>
    %u = ownership.load %b[%i, %j] {hints = #cuda_tile.optimization_hints<default = {latency = 3}>} : !ownership.ref<[M, 64], f32, #ownership.layout<align = 32, strides = [0, 1], stride_divs = [24, 1], extent_divs = [16, 1]>> -> !cuda_tile.tile<4x16xf32>
    %v = ownership.load %b[%i, %zero] : !ownership.ref<[M, 64], f32, #ownership.layout<align = 32, strides = [0, 1], stride_divs = [24, 1], extent_divs = [16, 1]>> -> !cuda_tile.tile<4x16xf32>
    %t, %tt = ownership.load %r : !ownership.region<mut tile [4, 16], [M, 64], f32, #ownership.layout<align = 16, strides = [64, 1], stride_divs = [64, 1], extent_divs = [48, 64]>> -> !cuda_tile.tile<4x16xf32>, !cuda_tile.token
    ownership.store %t, %r token %tt {hints = #cuda_tile.optimization_hints<default = {allow_tma = false}>} : !cuda_tile.tile<4x16xf32>, !ownership.region<mut tile [4, 16], [M, 64], f32, #ownership.layout<align = 16, strides = [64, 1], stride_divs = [64, 1], extent_divs = [48, 64]>>
  }
}

// Where tiles may overhang, a load pads with zeros or with what it asks for. Views that differ are made once each.
// CHECK-LABEL: entry @padding(
// CHECK: %[[ZERO:.*]] = cuda_tile.make_partition_view %x_view : partition_view<tile=(4), padding_value = zero, tensor_view<?xf32, strides=[1]>>
// CHECK: %[[INF:.*]] = cuda_tile.make_partition_view %x_view : partition_view<tile=(4), padding_value = neg_inf, tensor_view<?xf32, strides=[1]>>
// CHECK: %[[EIGHT:.*]] = cuda_tile.make_partition_view %x_view : partition_view<tile=(8), padding_value = zero, tensor_view<?xf32, strides=[1]>>
// CHECK: %[[STORE:.*]] = cuda_tile.make_partition_view %y_view : partition_view<tile=(4), tensor_view<?xf32, strides=[1]>>
// CHECK: load_view_tko weak %[[ZERO]][%block]
// CHECK: load_view_tko weak %[[INF]][%block]
// CHECK: load_view_tko weak %[[EIGHT]][%block]
// CHECK: load_view_tko weak %[[ZERO]][%block]
// CHECK: store_view_tko weak %a, %[[STORE]][%block]
ownership.kernel @padding(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[N], f32>) {
  %b = ownership.borrow %x : !ownership.tensor<[N], f32> -> !ownership.ref<[N], f32>
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<out tile [4], [N], f32>
  ownership.distribute %p : !ownership.partition<out tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<out tile [4], [N], f32> -> !ownership.region<out tile [4], [N], f32>
    %a = ownership.load %b[%i] : !ownership.ref<[N], f32> -> !cuda_tile.tile<4xf32>
    %c = ownership.load %b[%i] {padding_value = #cuda_tile.padding_value<neg_inf>} : !ownership.ref<[N], f32> -> !cuda_tile.tile<4xf32>
    %d = ownership.load %b[%i] : !ownership.ref<[N], f32> -> !cuda_tile.tile<8xf32>
    %e = ownership.load %b[%i] : !ownership.ref<[N], f32> -> !cuda_tile.tile<4xf32>
    ownership.store %a, %r : !cuda_tile.tile<4xf32>, !ownership.region<out tile [4], [N], f32>
  }
}

// Regions that do not start a tile apart are tiles of a strided view, and their number is counted in steps.
// CHECK-LABEL: entry @steps(
// CHECK: %[[SIX:.*]] = cuda_tile.constant <i32: 6>
// CHECK: cuda_tile.divi %{{.*}}, %[[SIX]] unsigned
// CHECK: %x_tiles = cuda_tile.make_strided_view %x_view : strided_view<tile=(4), traversal_strides=[6], tensor_view<?xf32, strides=[1]>>
// CHECK: cuda_tile.for
// CHECK: store_view_tko weak %c, %x_tiles[%point]
ownership.kernel @steps(%x: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %x : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4] step [6], [N], f32>
  ownership.distribute %p blocks #ownership.blocks<persistent> : !ownership.partition<mut tile [4] step [6], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [4] step [6], [N], f32> -> !ownership.region<mut tile [4] step [6], [N], f32>
    %c = cuda_tile.constant <f32: 1.0> : tile<4xf32>
    ownership.store %c, %r : !cuda_tile.tile<4xf32>, !ownership.region<mut tile [4] step [6], [N], f32>
    ownership.release %r : !ownership.region<mut tile [4] step [6], [N], f32>
  }
}

// Coordinates, extents and numbers of tiles; a number of tiles that divides needs no rounding.
// CHECK-LABEL: entry @queries(
// CHECK: %[[N:.*]] = cuda_tile.assume div_by<8>
// CHECK: %[[FOUR:.*]] = cuda_tile.constant <i32: 4>
// CHECK: %[[TILES:.*]] = cuda_tile.divi %[[N]], %[[FOUR]] unsigned
// CHECK: %[[A:.*]] = cuda_tile.addi %block, %[[N]]
// CHECK: %[[B:.*]] = cuda_tile.addi %[[A]], %[[TILES]]
// CHECK: %[[THREE:.*]] = cuda_tile.addi %[[B]], %
ownership.kernel @queries(%x: !ownership.tensor<[N, 9], f32, #ownership.layout<align = 4, strides = [9, 1], stride_divs = [1, 1], extent_divs = [8, 1]>>) {
  %p = ownership.partition %x : !ownership.tensor<[N, 9], f32, #ownership.layout<align = 4, strides = [9, 1], stride_divs = [1, 1], extent_divs = [8, 1]>> -> !ownership.partition<out tile [4, 16], [N, 9], f32, #ownership.layout<align = 4, strides = [9, 1], stride_divs = [1, 1], extent_divs = [8, 1]>>
  ownership.distribute %p : !ownership.partition<out tile [4, 16], [N, 9], f32, #ownership.layout<align = 4, strides = [9, 1], stride_divs = [1, 1], extent_divs = [8, 1]>> {
  ^bb0(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i, %j] : !ownership.partition<out tile [4, 16], [N, 9], f32, #ownership.layout<align = 4, strides = [9, 1], stride_divs = [1, 1], extent_divs = [8, 1]>> -> !ownership.region<out tile [4, 16], [N, 9], f32, #ownership.layout<align = 4, strides = [9, 1], stride_divs = [1, 1], extent_divs = [8, 1]>>
    %c = ownership.coordinate %r, 0 : !ownership.region<out tile [4, 16], [N, 9], f32, #ownership.layout<align = 4, strides = [9, 1], stride_divs = [1, 1], extent_divs = [8, 1]>>
    %d = ownership.dim %p, 0 : !ownership.partition<out tile [4, 16], [N, 9], f32, #ownership.layout<align = 4, strides = [9, 1], stride_divs = [1, 1], extent_divs = [8, 1]>>
    %n = ownership.tiles %r, 0 by 4 : !ownership.region<out tile [4, 16], [N, 9], f32, #ownership.layout<align = 4, strides = [9, 1], stride_divs = [1, 1], extent_divs = [8, 1]>>
    %m = ownership.tiles %r, 1 by 4 : !ownership.region<out tile [4, 16], [N, 9], f32, #ownership.layout<align = 4, strides = [9, 1], stride_divs = [1, 1], extent_divs = [8, 1]>>
    %e = cuda_tile.addi %c, %d : tile<i32>
    %f = cuda_tile.addi %e, %n : tile<i32>
    %g = cuda_tile.addi %f, %m : tile<i32>
    %h = cuda_tile.itof %g signed : tile<i32> -> tile<f32>
    %s = cuda_tile.reshape %h : tile<f32> -> tile<1x1xf32>
    %t = cuda_tile.broadcast %s : tile<1x1xf32> -> tile<4x16xf32>
    ownership.store %t, %r : !cuda_tile.tile<4x16xf32>, !ownership.region<out tile [4, 16], [N, 9], f32, #ownership.layout<align = 4, strides = [9, 1], stride_divs = [1, 1], extent_divs = [8, 1]>>
  }
}
