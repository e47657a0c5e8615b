// RUN: tile-opt %s --print-diagnostics --split-input-file | filecheck %s

// CHECK: extents are positive, not 0
ownership.kernel @k(%x: !ownership.tensor<[0], f32>) {}

// -----

// CHECK: a dimension is a term over symbols
ownership.kernel @k(%x: !ownership.tensor<["f(N)"], f32>) {}

// -----

// CHECK: the layout has 2 axes, the tensor 1
ownership.kernel @k(%x: !ownership.tensor<[N], f32, #ownership.layout<align = 1, strides = [0, 1], stride_divs = [1, 1], extent_divs = [1, 1]>>) {}

// -----

// CHECK: strides, stride_divs and extent_divs differ in length
ownership.kernel @k(%x: !ownership.tensor<[N], f32, #ownership.layout<align = 1, strides = [1], stride_divs = [1, 1], extent_divs = [1]>>) {}

// -----

// CHECK: alignments and divisors are positive
ownership.kernel @k(%x: !ownership.tensor<[N], f32, #ownership.layout<align = 0, strides = [1], stride_divs = [1], extent_divs = [1]>>) {}

// -----

// CHECK: strides are positive, or 0 for one known at launch
ownership.kernel @k(%x: !ownership.tensor<[N], f32, #ownership.layout<align = 1, strides = [-1], stride_divs = [1], extent_divs = [1]>>) {}

// -----

// CHECK: argument 0 is neither a tensor nor a scalar
ownership.kernel @k(%x: !cuda_tile.tile<4xf32>) {}

// -----

// CHECK: a tile of rank 1 with steps of rank 1 cannot partition a tensor of rank 2
ownership.kernel @k(%x: !ownership.tensor<[M, N], f32>) {
  %p = ownership.partition %x : !ownership.tensor<[M, N], f32> -> !ownership.partition<out tile [4], [M, N], f32>
}

// -----

// CHECK: a tile's extents are powers of two
ownership.kernel @k(%x: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %x : !ownership.tensor<[N], f32> -> !ownership.partition<out tile [48], [N], f32>
}

// -----

// CHECK: steps are positive
ownership.kernel @k(%x: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %x : !ownership.tensor<[N], f32> -> !ownership.partition<out tile [4] step [0], [N], f32>
}

// -----

// CHECK: `ownership.partition`: a partition of
ownership.kernel @k(%x: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %x : !ownership.tensor<[N], f32> -> !ownership.partition<out tile [4], [M], f32>
}

// -----

// CHECK: `ownership.borrow`: a borrow of
ownership.kernel @k(%x: !ownership.tensor<[N], f32>) {
  %p = ownership.borrow %x : !ownership.tensor<[N], f32> -> !ownership.ref<[M], f32>
}

// -----

// CHECK: the body of a rank-1 domain takes 1 arguments
ownership.kernel @k(%x: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %x : !ownership.tensor<[N], f32> -> !ownership.partition<out tile [4], [N], f32>
  ownership.distribute %p : !ownership.partition<out tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
  }
}

// -----

// CHECK: a grouped order needs two axes, the domain has 1
ownership.kernel @k(%x: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %x : !ownership.tensor<[N], f32> -> !ownership.partition<out tile [4], [N], f32>
  ownership.distribute %p order #ownership.order<grouped 4> : !ownership.partition<out tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
  }
}

// -----

// CHECK: unknown order 'diagonal'
ownership.kernel @k(%x: !ownership.tensor<[N], f32>) attributes {order = #ownership.order<diagonal>} {}

// -----

// CHECK: a group has at least one row, not 0
ownership.kernel @k(%x: !ownership.tensor<[N], f32>) attributes {order = #ownership.order<grouped 0>} {}

// -----

// CHECK: unknown duty 'politeness'
ownership.kernel @k(%x: !ownership.tensor<[N], f32>) attributes {o = #ownership.duty<politeness proved "so">} {}

// -----

// CHECK: unknown rung 'hoped'
ownership.kernel @k(%x: !ownership.tensor<[N], f32>) attributes {o = #ownership.duty<in_bounds axis 0 hoped "so">} {}

// -----

// CHECK: `ownership.region`: 2 coordinates for a partition of rank 1
ownership.kernel @k(%x: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %x : !ownership.tensor<[N], f32> -> !ownership.partition<out tile [4], [N], f32>
  ownership.distribute %p : !ownership.partition<out tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i, %i] : !ownership.partition<out tile [4], [N], f32> -> !ownership.region<out tile [4], [N], f32>
  }
}

// -----

// CHECK: `ownership.region`: a region of
ownership.kernel @k(%x: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %x : !ownership.tensor<[N], f32> -> !ownership.partition<out tile [4], [N], f32>
  ownership.distribute %p : !ownership.partition<out tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<out tile [4], [N], f32> -> !ownership.region<out tile [8], [N], f32>
  }
}

// -----

// CHECK: `ownership.dim`: no axis 1 in a tensor of rank 1
ownership.kernel @k(%x: !ownership.tensor<[N], f32>) {
  %n = ownership.dim %x, 1 : !ownership.tensor<[N], f32>
}

// -----

// CHECK: `ownership.tiles`: a tile has at least one element, not 0
ownership.kernel @k(%x: !ownership.tensor<[N], f32>) {
  %n = ownership.tiles %x, 0 by 0 : !ownership.tensor<[N], f32>
}

// -----

// CHECK: `ownership.load`: a tile of rank 1 at 2 coordinates of a tensor of rank 1
ownership.kernel @k(%x: !ownership.tensor<[N], f32>, %i: !cuda_tile.tile<i32>) {
  %r = ownership.borrow %x : !ownership.tensor<[N], f32> -> !ownership.ref<[N], f32>
  %t = ownership.load %r[%i, %i] : !ownership.ref<[N], f32> -> !cuda_tile.tile<4xf32>
}

// -----

// CHECK: `ownership.load`: loads f32, not f16
ownership.kernel @k(%x: !ownership.tensor<[N], f32>, %i: !cuda_tile.tile<i32>) {
  %r = ownership.borrow %x : !ownership.tensor<[N], f32> -> !ownership.ref<[N], f32>
  %t = ownership.load %r[%i] : !ownership.ref<[N], f32> -> !cuda_tile.tile<4xf16>
}

// -----

// CHECK: `ownership.load`: a region is loaded without coordinates
ownership.kernel @k(%x: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %x : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [4], [N], f32> -> !ownership.region<mut tile [4], [N], f32>
    %t = ownership.load %r[%i] : !ownership.region<mut tile [4], [N], f32> -> !cuda_tile.tile<4xf32>
  }
}

// -----

// CHECK: `ownership.load`: the region is (4,), not (8,)
ownership.kernel @k(%x: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %x : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [4], [N], f32> -> !ownership.region<mut tile [4], [N], f32>
    %t = ownership.load %r : !ownership.region<mut tile [4], [N], f32> -> !cuda_tile.tile<8xf32>
  }
}

// -----

// CHECK: `ownership.store`: the region is (4,), not (8,)
ownership.kernel @k(%x: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %x : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [4], [N], f32> -> !ownership.region<mut tile [4], [N], f32>
    %t = cuda_tile.constant <f32: 0.0> : !cuda_tile.tile<8xf32>
    ownership.store %t, %r : !cuda_tile.tile<8xf32>, !ownership.region<mut tile [4], [N], f32>
  }
}

// -----

// CHECK: `ownership.store`: stores f32, not f16
ownership.kernel @k(%x: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %x : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [4], [N], f32> -> !ownership.region<mut tile [4], [N], f32>
    %t = cuda_tile.constant <f16: 0.0> : !cuda_tile.tile<4xf16>
    ownership.store %t, %r : !cuda_tile.tile<4xf16>, !ownership.region<mut tile [4], [N], f32>
  }
}
