builtin.module {
  ownership.kernel @windows(%c: !ownership.tensor<[S, D], bf16, #ownership.layout<align = 16, strides = [0, 1], stride_divs = [8, 1], extent_divs = [4, 8]>>, %at: !cuda_tile.tile<i32>) {
    %w = ownership.window %c[%at] {axis = #builtin.int<0>} : !ownership.tensor<[S, D], bf16, #ownership.layout<align = 16, strides = [0, 1], stride_divs = [8, 1], extent_divs = [4, 8]>> -> !ownership.tensor<["S // 2", D], bf16, #ownership.layout<align = 16, strides = [0, 1], stride_divs = [8, 1], extent_divs = [1, 8]>>
    %v = ownership.window %w[%at] {axis = #builtin.int<1>} : !ownership.tensor<["S // 2", D], bf16, #ownership.layout<align = 16, strides = [0, 1], stride_divs = [8, 1], extent_divs = [1, 8]>> -> !ownership.tensor<["S // 2", 64], bf16, #ownership.layout<align = 2, strides = [0, 1], stride_divs = [8, 1], extent_divs = [1, 1]>>
  }
  ownership.kernel @groups(%c: !ownership.tensor<[H, M], f32>, %offsets: !ownership.tensor<[O], i32>) {
    %o = ownership.borrow %offsets : !ownership.tensor<[O], i32> -> !ownership.ref<[O], i32>
    %p = ownership.partition %c by %o : !ownership.ref<[O], i32>, : !ownership.tensor<[H, M], f32> -> !ownership.partition<mut tile [8, 16] step [16, 16] ragged 1, [H, M], f32>
    ownership.distribute %p over ["O - 1", "ceildiv(H, 16)", "ceildiv(M, 16)"] : !ownership.partition<mut tile [8, 16] step [16, 16] ragged 1, [H, M], f32> {
    ^bb0(%e: !cuda_tile.tile<i32>, %i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
      %n = ownership.group_tiles %p[%e] : !ownership.partition<mut tile [8, 16] step [16, 16] ragged 1, [H, M], f32>
      %r = ownership.region %p[%e, %i, %j] : !ownership.partition<mut tile [8, 16] step [16, 16] ragged 1, [H, M], f32> -> !ownership.region<mut tile [8, 16] step [16, 16] ragged 1, [H, M], f32>
      %g = ownership.coordinate %r, 2 : !ownership.region<mut tile [8, 16] step [16, 16] ragged 1, [H, M], f32>
      %a = ownership.start %r, 1 : !ownership.region<mut tile [8, 16] step [16, 16] ragged 1, [H, M], f32>
      %b = ownership.stop %r, 0 : !ownership.region<mut tile [8, 16] step [16, 16] ragged 1, [H, M], f32>
    }
  }
}
// -----
"builtin.module"() ({
  "ownership.kernel"() <{sym_name = "windows"}> ({
  ^bb0(%c: !ownership.tensor<[S, D], bf16, #ownership.layout<align = 16, strides = [0, 1], stride_divs = [8, 1], extent_divs = [4, 8]>>, %at: !cuda_tile.tile<i32>):
    %w = "ownership.window"(%c, %at) <{axis = #builtin.int<0>}> : (!ownership.tensor<[S, D], bf16, #ownership.layout<align = 16, strides = [0, 1], stride_divs = [8, 1], extent_divs = [4, 8]>>, !cuda_tile.tile<i32>) -> !ownership.tensor<["S // 2", D], bf16, #ownership.layout<align = 16, strides = [0, 1], stride_divs = [8, 1], extent_divs = [1, 8]>>
    %v = "ownership.window"(%w, %at) <{axis = #builtin.int<1>}> : (!ownership.tensor<["S // 2", D], bf16, #ownership.layout<align = 16, strides = [0, 1], stride_divs = [8, 1], extent_divs = [1, 8]>>, !cuda_tile.tile<i32>) -> !ownership.tensor<["S // 2", 64], bf16, #ownership.layout<align = 2, strides = [0, 1], stride_divs = [8, 1], extent_divs = [1, 1]>>
    "ownership.return"() : () -> ()
  }) : () -> ()
  "ownership.kernel"() <{sym_name = "groups"}> ({
  ^bb0(%c: !ownership.tensor<[H, M], f32>, %offsets: !ownership.tensor<[O], i32>):
    %o = "ownership.borrow"(%offsets) : (!ownership.tensor<[O], i32>) -> !ownership.ref<[O], i32>
    %p = "ownership.partition"(%c, %o) : (!ownership.tensor<[H, M], f32>, !ownership.ref<[O], i32>) -> !ownership.partition<mut tile [8, 16] step [16, 16] ragged 1, [H, M], f32>
    "ownership.distribute"(%p) <{domain = ["O - 1", "ceildiv(H, 16)", "ceildiv(M, 16)"], order = #ownership.order<row>, blocks = #ownership.blocks<each>}> ({
    ^bb0(%e: !cuda_tile.tile<i32>, %i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
      %n = "ownership.group_tiles"(%p, %e) : (!ownership.partition<mut tile [8, 16] step [16, 16] ragged 1, [H, M], f32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
      %r = "ownership.region"(%p, %e, %i, %j) : (!ownership.partition<mut tile [8, 16] step [16, 16] ragged 1, [H, M], f32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !ownership.region<mut tile [8, 16] step [16, 16] ragged 1, [H, M], f32>
      %g = "ownership.coordinate"(%r) <{axis = #builtin.int<2>}> : (!ownership.region<mut tile [8, 16] step [16, 16] ragged 1, [H, M], f32>) -> !cuda_tile.tile<i32>
      %a = "ownership.start"(%r) <{axis = #builtin.int<1>}> : (!ownership.region<mut tile [8, 16] step [16, 16] ragged 1, [H, M], f32>) -> !cuda_tile.tile<i32>
      %b = "ownership.stop"(%r) <{axis = #builtin.int<0>}> : (!ownership.region<mut tile [8, 16] step [16, 16] ragged 1, [H, M], f32>) -> !cuda_tile.tile<i32>
      "ownership.end"() : () -> ()
    }) : (!ownership.partition<mut tile [8, 16] step [16, 16] ragged 1, [H, M], f32>) -> ()
    "ownership.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
