// Windows, groups and the edges of regions, as they are read and written.

// RUN: tile-opt %s | tile-opt - | filecheck %s
// RUN: tile-opt %s --print-op-generic | tile-opt - | filecheck %s

// CHECK-LABEL: ownership.kernel @windows
ownership.kernel @windows(%c: !ownership.tensor<[S, D], bf16, #ownership.layout<align = 16, strides = [0, 1], stride_divs = [8, 1], extent_divs = [4, 8]>>, %at: !cuda_tile.tile<i32>) {
  // CHECK: %w = ownership.window %c[%at] {axis = #builtin.int<0>} : !ownership.tensor<[S, D], bf16, {{.*}}> -> !ownership.tensor<["S // 2", D], bf16, #ownership.layout<align = 16, strides = [0, 1], stride_divs = [8, 1], extent_divs = [1, 8]>>
  %w = ownership.window %c[%at] {axis = #builtin.int<0>} : !ownership.tensor<[S, D], bf16, #ownership.layout<align = 16, strides = [0, 1], stride_divs = [8, 1], extent_divs = [4, 8]>> -> !ownership.tensor<["S // 2", D], bf16, #ownership.layout<align = 16, strides = [0, 1], stride_divs = [8, 1], extent_divs = [1, 8]>>
  // A window along the contiguous axis may begin at any element.
  // CHECK: %v = ownership.window %w[%at] {axis = #builtin.int<1>} : {{.*}} -> !ownership.tensor<["S // 2", 64], bf16, #ownership.layout<align = 2, strides = [0, 1], stride_divs = [8, 1], extent_divs = [1, 1]>>
  %v = ownership.window %w[%at] {axis = #builtin.int<1>} : !ownership.tensor<["S // 2", D], bf16, #ownership.layout<align = 16, strides = [0, 1], stride_divs = [8, 1], extent_divs = [1, 8]>> -> !ownership.tensor<["S // 2", 64], bf16, #ownership.layout<align = 2, strides = [0, 1], stride_divs = [8, 1], extent_divs = [1, 1]>>
}

// CHECK-LABEL: ownership.kernel @groups
ownership.kernel @groups(%c: !ownership.tensor<[H, M], f32>, %offsets: !ownership.tensor<[O], i32>) {
  %o = ownership.borrow %offsets : !ownership.tensor<[O], i32> -> !ownership.ref<[O], i32>
  // CHECK: %p = ownership.partition %c by %o : !ownership.ref<[O], i32>, : !ownership.tensor<[H, M], f32> -> !ownership.partition<mut tile [8, 16] step [16, 16] ragged 1, [H, M], f32>
  %p = ownership.partition %c by %o : !ownership.ref<[O], i32>, : !ownership.tensor<[H, M], f32> -> !ownership.partition<mut tile [8, 16] step [16, 16] ragged 1, [H, M], f32>
  ownership.distribute %p over ["O - 1", "ceildiv(H, 16)", "ceildiv(M, 16)"] : !ownership.partition<mut tile [8, 16] step [16, 16] ragged 1, [H, M], f32> {
  ^bb0(%e: !cuda_tile.tile<i32>, %i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
    // CHECK: %n = ownership.group_tiles %p[%e] : !ownership.partition<mut tile [8, 16] step [16, 16] ragged 1, [H, M], f32>
    %n = ownership.group_tiles %p[%e] : !ownership.partition<mut tile [8, 16] step [16, 16] ragged 1, [H, M], f32>
    // CHECK: %r = ownership.region %p[%e, %i, %j]
    %r = ownership.region %p[%e, %i, %j] : !ownership.partition<mut tile [8, 16] step [16, 16] ragged 1, [H, M], f32> -> !ownership.region<mut tile [8, 16] step [16, 16] ragged 1, [H, M], f32>
    // CHECK: %g = ownership.coordinate %r, 2
    %g = ownership.coordinate %r, 2 : !ownership.region<mut tile [8, 16] step [16, 16] ragged 1, [H, M], f32>
    // CHECK: %a = ownership.start %r, 1 : !ownership.region<mut tile [8, 16] step [16, 16] ragged 1, [H, M], f32>
    %a = ownership.start %r, 1 : !ownership.region<mut tile [8, 16] step [16, 16] ragged 1, [H, M], f32>
    // CHECK: %b = ownership.stop %r, 0 : !ownership.region<mut tile [8, 16] step [16, 16] ragged 1, [H, M], f32>
    %b = ownership.stop %r, 0 : !ownership.region<mut tile [8, 16] step [16, 16] ragged 1, [H, M], f32>
  }
}
