// RUN: tile-opt %s -p VERIFIERS,convert-ownership-to-cuda-tile | filecheck %s

// One axis: the block's number is the coordinate.
// CHECK-LABEL: entry @one_axis(%x: tile<ptr<f32>>, %N: tile<i32>)
// CHECK: %block, %{{.*}}, %{{.*}} = cuda_tile.get_tile_block_id
// CHECK-NOT: divi
// CHECK: store_view_tko weak %c, %x_tiles[%block]
ownership.kernel @one_axis(%x: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %x : !ownership.tensor<[N], f32> -> !ownership.partition<out tile [4], [N], f32>
  ownership.distribute %p : !ownership.partition<out tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<out tile [4], [N], f32> -> !ownership.region<out tile [4], [N], f32>
    %c = cuda_tile.constant <f32: 1.0> : tile<4xf32>
    ownership.store %c, %r : !cuda_tile.tile<4xf32>, !ownership.region<out tile [4], [N], f32>
  }
}

// Rows: the last axis runs fastest. Tiles are counted as (N - 1) / 8 + 1, which cannot wrap as N + 7 could.
// CHECK-LABEL: entry @row(
// CHECK: %[[N:.*]] = cuda_tile.assume bounded<1, ?>, %N
// CHECK: %[[ONE:.*]] = cuda_tile.constant <i32: 1>
// CHECK: %[[LAST:.*]] = cuda_tile.subi %[[N]], %[[ONE]]
// CHECK: %[[TILE:.*]] = cuda_tile.constant <i32: 8>
// CHECK: %[[Q:.*]] = cuda_tile.divi %[[LAST]], %[[TILE]] unsigned
// CHECK: %[[COLUMNS:.*]] = cuda_tile.addi %[[Q]], %[[ONE]]
// CHECK: %i = cuda_tile.divi %block, %[[COLUMNS]] unsigned
// CHECK: %j = cuda_tile.remi %block, %[[COLUMNS]] unsigned
// CHECK: store_view_tko weak %c, %x_tiles[%i, %j]
ownership.kernel @row(%x: !ownership.tensor<[M, N], f32>) {
  %p = ownership.partition %x : !ownership.tensor<[M, N], f32> -> !ownership.partition<out tile [4, 8], [M, N], f32>
  ownership.distribute %p : !ownership.partition<out tile [4, 8], [M, N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i, %j] : !ownership.partition<out tile [4, 8], [M, N], f32> -> !ownership.region<out tile [4, 8], [M, N], f32>
    %c = cuda_tile.constant <f32: 1.0> : tile<4x8xf32>
    ownership.store %c, %r : !cuda_tile.tile<4x8xf32>, !ownership.region<out tile [4, 8], [M, N], f32>
  }
}

// Columns: the first axis runs fastest.
// CHECK-LABEL: entry @column(
// CHECK: %[[M:.*]] = cuda_tile.assume bounded<1, ?>, %M
// CHECK: %[[LAST:.*]] = cuda_tile.subi %[[M]]
// CHECK: %[[Q:.*]] = cuda_tile.divi %[[LAST]]
// CHECK: %[[ROWS:.*]] = cuda_tile.addi %[[Q]]
// CHECK: %i = cuda_tile.remi %block, %[[ROWS]] unsigned
// CHECK: %j = cuda_tile.divi %block, %[[ROWS]] unsigned
ownership.kernel @column(%x: !ownership.tensor<[M, N], f32>) {
  %p = ownership.partition %x : !ownership.tensor<[M, N], f32> -> !ownership.partition<out tile [4, 8], [M, N], f32>
  ownership.distribute %p order #ownership.order<column> : !ownership.partition<out tile [4, 8], [M, N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i, %j] : !ownership.partition<out tile [4, 8], [M, N], f32> -> !ownership.region<out tile [4, 8], [M, N], f32>
    %c = cuda_tile.constant <f32: 1.0> : tile<4x8xf32>
    ownership.store %c, %r : !cuda_tile.tile<4x8xf32>, !ownership.region<out tile [4, 8], [M, N], f32>
  }
}

// Groups of 4 rows. With one block a point there are at most 2^24 - 1 points, so 4 rows of columns fit 32 bits.
// CHECK-LABEL: entry @grouped(
// CHECK: %[[FOUR:.*]] = cuda_tile.constant <i32: 4>
// CHECK: %[[BAND:.*]] = cuda_tile.muli %[[COLUMNS:.*]], %[[FOUR]]
// CHECK: %[[B:.*]] = cuda_tile.divi %block, %[[BAND]] unsigned
// CHECK: %[[FIRST:.*]] = cuda_tile.muli %[[B]], %[[FOUR]]
// CHECK: %[[WITHIN:.*]] = cuda_tile.remi %block, %[[BAND]] unsigned
// CHECK: %[[LEFT:.*]] = cuda_tile.subi %{{.*}}, %[[FIRST]]
// CHECK: %[[HEIGHT:.*]] = cuda_tile.mini %[[LEFT]], %[[FOUR]] unsigned
// CHECK: %[[R:.*]] = cuda_tile.remi %[[WITHIN]], %[[HEIGHT]] unsigned
// CHECK: %i = cuda_tile.addi %[[FIRST]], %[[R]]
// CHECK: %j = cuda_tile.divi %[[WITHIN]], %[[HEIGHT]] unsigned
ownership.kernel @grouped(%x: !ownership.tensor<[M, N], f32>) {
  %p = ownership.partition %x : !ownership.tensor<[M, N], f32> -> !ownership.partition<out tile [4, 8], [M, N], f32>
  ownership.distribute %p order #ownership.order<grouped 4> : !ownership.partition<out tile [4, 8], [M, N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i, %j] : !ownership.partition<out tile [4, 8], [M, N], f32> -> !ownership.region<out tile [4, 8], [M, N], f32>
    %c = cuda_tile.constant <f32: 1.0> : tile<4x8xf32>
    ownership.store %c, %r : !cuda_tile.tile<4x8xf32>, !ownership.region<out tile [4, 8], [M, N], f32>
  }
}

// A group of 4096 rows could make the product wrap: a band is taken to be no higher than the grid.
// CHECK-LABEL: entry @high_groups(
// CHECK: %[[SIZE:.*]] = cuda_tile.constant <i32: 4096>
// CHECK: %[[LOW:.*]] = cuda_tile.mini %{{.*}}, %[[SIZE]] unsigned
// CHECK: %[[BAND:.*]] = cuda_tile.muli %{{.*}}, %[[LOW]]
// CHECK: cuda_tile.divi %block, %[[BAND]] unsigned
ownership.kernel @high_groups(%x: !ownership.tensor<[M, N], f32>) {
  %p = ownership.partition %x : !ownership.tensor<[M, N], f32> -> !ownership.partition<out tile [4, 8], [M, N], f32>
  ownership.distribute %p order #ownership.order<grouped 4096> : !ownership.partition<out tile [4, 8], [M, N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i, %j] : !ownership.partition<out tile [4, 8], [M, N], f32> -> !ownership.region<out tile [4, 8], [M, N], f32>
    %c = cuda_tile.constant <f32: 1.0> : tile<4x8xf32>
    ownership.store %c, %r : !cuda_tile.tile<4x8xf32>, !ownership.region<out tile [4, 8], [M, N], f32>
  }
}

// Persistent blocks take every n-th point of all A * 3 * ceildiv(B // 2, 4). Constant extents stay constants, and an extent
// that is a term is a parameter of its own.
// CHECK-LABEL: entry @persistent(
// CHECK-SAME: %x: tile<ptr<f16>>, %n: tile<ptr<i32>>, %A: tile<i32>, %[[TERM:.*]]: tile<i32>, %B: tile<i32>, %x_stride0: tile<i32>, %x_stride1: tile<i32>, %x_stride2: tile<i32>)
// CHECK: %[[A:.*]] = cuda_tile.assume bounded<1, ?>, %A
// CHECK: %[[THREE:.*]] = cuda_tile.constant <i32: 3>
// CHECK: %[[OUTER:.*]] = cuda_tile.muli %[[A]], %[[THREE]]
// CHECK: %[[B:.*]] = cuda_tile.assume bounded<1, ?>, %[[TERM]]
// CHECK: %[[POINTS:.*]] = cuda_tile.muli %[[OUTER]], %[[BT:.*]] :
// CHECK: make_tensor_view %x, shape = [%[[A]], 6, %[[B]], 64]
// CHECK: %blocks, %{{.*}}, %{{.*}} = cuda_tile.get_num_tile_blocks
// CHECK: cuda_tile.for %point in (%block to %[[POINTS]], step %blocks) : tile<i32> {
// CHECK:   %[[H:.*]] = cuda_tile.divi %point, %[[BT]] unsigned
// CHECK:   %i = cuda_tile.divi %[[H]], %[[THREE]] unsigned
// CHECK:   %j = cuda_tile.remi %[[H]], %[[THREE]] unsigned
// CHECK:   %k = cuda_tile.remi %point, %[[BT]] unsigned
// CHECK:   store_view_tko weak %c, %x_tiles[%i, %j, %k, %{{.*}}]
// CHECK: }
// CHECK: cuda_tile.return
ownership.kernel @persistent(%x: !ownership.tensor<[A, 6, "B // 2", 64], f16>, %n: !ownership.tensor<[B], i32>) {
  %p = ownership.partition %x : !ownership.tensor<[A, 6, "B // 2", 64], f16> -> !ownership.partition<out tile [1, 2, 4, 64], [A, 6, "B // 2", 64], f16>
  ownership.distribute %p blocks #ownership.blocks<persistent> : !ownership.partition<out tile [1, 2, 4, 64], [A, 6, "B // 2", 64], f16> {
  ^bb0(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>, %k: !cuda_tile.tile<i32>, %l: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i, %j, %k, %l] : !ownership.partition<out tile [1, 2, 4, 64], [A, 6, "B // 2", 64], f16> -> !ownership.region<out tile [1, 2, 4, 64], [A, 6, "B // 2", 64], f16>
    %c = cuda_tile.constant <f16: 1.0> : tile<1x2x4x64xf16>
    ownership.store %c, %r : !cuda_tile.tile<1x2x4x64xf16>, !ownership.region<out tile [1, 2, 4, 64], [A, 6, "B // 2", 64], f16>
  }
}
