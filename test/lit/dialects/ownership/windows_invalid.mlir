// Windows and groups that are no IR.

// RUN: tile-opt %s --print-diagnostics --split-input-file | filecheck %s

// CHECK: `ownership.window`: no axis 1 in a tensor of rank 1
ownership.kernel @axis(%c: !ownership.tensor<[S], f32>, %at: !cuda_tile.tile<i32>) {
  %w = ownership.window %c[%at] {axis = #builtin.int<1>} : !ownership.tensor<[S], f32> -> !ownership.tensor<[8], f32>
}

// -----

// CHECK: `ownership.window`: an element of {{.*}}f4E2M1FN has no address
ownership.kernel @nibbles(%c: !ownership.tensor<[S], f4E2M1FN>, %at: !cuda_tile.tile<i32>) {
  %w = ownership.window %c[%at] {axis = #builtin.int<0>} : !ownership.tensor<[S], f4E2M1FN> -> !ownership.tensor<[8], f4E2M1FN>
}

// -----

// CHECK: `ownership.window`: a window of {{.*}} along axis 0 is !ownership.tensor<[8, D], f32>
ownership.kernel @another(%c: !ownership.tensor<[S, D], f32>, %at: !cuda_tile.tile<i32>) {
  %w = ownership.window %c[%at] {axis = #builtin.int<0>} : !ownership.tensor<[S, D], f32> -> !ownership.tensor<[8, E], f32>
}

// -----

// A position that may be odd leaves no address a multiple of 16.
// CHECK: `ownership.window`: a window of {{.*}} along axis 0 is !ownership.tensor<[8], f32, #ownership.layout<align = 4,
ownership.kernel @aligned(%c: !ownership.tensor<[S], f32, #ownership.layout<align = 16, strides = [1], stride_divs = [1], extent_divs = [1]>>, %at: !cuda_tile.tile<i32>) {
  %w = ownership.window %c[%at] {axis = #builtin.int<0>} : !ownership.tensor<[S], f32, #ownership.layout<align = 16, strides = [1], stride_divs = [1], extent_divs = [1]>> -> !ownership.tensor<[8], f32, #ownership.layout<align = 16, strides = [1], stride_divs = [1], extent_divs = [1]>>
}

// -----

// CHECK: `ownership.partition`: offsets bound groups, and groups have offsets
ownership.kernel @no_offsets(%c: !ownership.tensor<[M], f32>) {
  %p = ownership.partition %c : !ownership.tensor<[M], f32> -> !ownership.partition<mut tile [8] ragged 0, [M], f32>
}

// -----

// CHECK: `ownership.partition`: offsets are a line of i32, not {{.*}}i64
ownership.kernel @long(%c: !ownership.tensor<[M], f32>, %offsets: !ownership.tensor<[O], i64>) {
  %o = ownership.borrow %offsets : !ownership.tensor<[O], i64> -> !ownership.ref<[O], i64>
  %p = ownership.partition %c by %o : !ownership.ref<[O], i64>, : !ownership.tensor<[M], f32> -> !ownership.partition<mut tile [8] ragged 0, [M], f32>
}

// -----

// CHECK: regions of a group lie a tile apart
ownership.kernel @step(%c: !ownership.tensor<[M], f32>, %p: !ownership.partition<mut tile [8] step [16] ragged 0, [M], f32>) {
}

// -----

// CHECK: `ownership.distribute`: needs a domain where a partition has groups
ownership.kernel @domain(%c: !ownership.tensor<[M], f32>, %offsets: !ownership.tensor<[O], i32>) {
  %o = ownership.borrow %offsets : !ownership.tensor<[O], i32> -> !ownership.ref<[O], i32>
  %p = ownership.partition %c by %o : !ownership.ref<[O], i32>, : !ownership.tensor<[M], f32> -> !ownership.partition<mut tile [8] ragged 0, [M], f32>
  ownership.distribute %p : !ownership.partition<mut tile [8] ragged 0, [M], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
  }
}

// -----

// CHECK: `ownership.region`: 1 coordinates for a partition of rank 2
ownership.kernel @coordinates(%c: !ownership.tensor<[M], f32>, %offsets: !ownership.tensor<[O], i32>) {
  %o = ownership.borrow %offsets : !ownership.tensor<[O], i32> -> !ownership.ref<[O], i32>
  %p = ownership.partition %c by %o : !ownership.ref<[O], i32>, : !ownership.tensor<[M], f32> -> !ownership.partition<mut tile [8] ragged 0, [M], f32>
  ownership.distribute %p over ["O - 1"] : !ownership.partition<mut tile [8] ragged 0, [M], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [8] ragged 0, [M], f32> -> !ownership.region<mut tile [8] ragged 0, [M], f32>
  }
}

// -----

// CHECK: `ownership.group_tiles`: {{.*}} has no groups
ownership.kernel @whole(%c: !ownership.tensor<[M], f32>) {
  %p = ownership.partition %c : !ownership.tensor<[M], f32> -> !ownership.partition<mut tile [8], [M], f32>
  ownership.distribute %p : !ownership.partition<mut tile [8], [M], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %n = ownership.group_tiles %p[%i] : !ownership.partition<mut tile [8], [M], f32>
  }
}
