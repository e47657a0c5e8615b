builtin.module {
  ownership.kernel @gemm(%c: !ownership.tensor<[M, N], bf16>, %a: !ownership.tensor<[M, K], bf16, #ownership.layout<align = 16, strides = [0, 1], stride_divs = [8, 1], extent_divs = [1, 8]>>, %b: !ownership.tensor<[K, N], bf16>) {
    %pc = ownership.partition %c : !ownership.tensor<[M, N], bf16> -> !ownership.partition<out tile [64, 32], [M, N], bf16>
    %ra = ownership.borrow %a : !ownership.tensor<[M, K], bf16, #ownership.layout<align = 16, strides = [0, 1], stride_divs = [8, 1], extent_divs = [1, 8]>> -> !ownership.ref<[M, K], bf16, #ownership.layout<align = 16, strides = [0, 1], stride_divs = [8, 1], extent_divs = [1, 8]>>
    %rb = ownership.borrow %b : !ownership.tensor<[K, N], bf16> -> !ownership.ref<[K, N], bf16>
    ownership.distribute %pc order #ownership.order<grouped 8> blocks #ownership.blocks<persistent> : !ownership.partition<out tile [64, 32], [M, N], bf16> {
    ^bb0(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
      %r = ownership.region %pc[%i, %j] : !ownership.partition<out tile [64, 32], [M, N], bf16> -> !ownership.region<out tile [64, 32], [M, N], bf16>
      %m = ownership.coordinate %r, 0 : !ownership.region<out tile [64, 32], [M, N], bf16>
      %nk = ownership.tiles %ra, 1 by 16 : !ownership.ref<[M, K], bf16, #ownership.layout<align = 16, strides = [0, 1], stride_divs = [8, 1], extent_divs = [1, 8]>>
      %kk = ownership.dim %rb, 0 : !ownership.ref<[K, N], bf16>
      %t = ownership.load %rb[%m, %j] {duties = [#ownership.duty<in_bounds axis 0 open>, #ownership.duty<in_bounds axis 1 open>]} : !ownership.ref<[K, N], bf16> -> !cuda_tile.tile<64x32xbf16>
      ownership.store %t, %r : !cuda_tile.tile<64x32xbf16>, !ownership.region<out tile [64, 32], [M, N], bf16>
      %again, %tok = ownership.load %r : !ownership.region<out tile [64, 32], [M, N], bf16> -> !cuda_tile.tile<64x32xbf16>, !cuda_tile.token
      %tok2 = ownership.store %again, %r token %tok : !cuda_tile.tile<64x32xbf16>, !ownership.region<out tile [64, 32], [M, N], bf16> -> !cuda_tile.token
      ownership.release %r : !ownership.region<out tile [64, 32], [M, N], bf16>
    }
  }
  ownership.kernel @steps(%u: !ownership.tensor<[N, "H // G", 4], f32>, %a: !cuda_tile.tile<f32>) {
    %p = ownership.partition %u : !ownership.tensor<[N, "H // G", 4], f32> -> !ownership.partition<mut tile [64, 1, 4] step [32, 1, 4], [N, "H // G", 4], f32>
    ownership.distribute %p order #ownership.order<column> : !ownership.partition<mut tile [64, 1, 4] step [32, 1, 4], [N, "H // G", 4], f32> {
    ^bb0(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>, %k: !cuda_tile.tile<i32>):
    }
  }
}
// -----
"builtin.module"() ({
  "ownership.kernel"() <{sym_name = "gemm"}> ({
  ^bb0(%c: !ownership.tensor<[M, N], bf16>, %a: !ownership.tensor<[M, K], bf16, #ownership.layout<align = 16, strides = [0, 1], stride_divs = [8, 1], extent_divs = [1, 8]>>, %b: !ownership.tensor<[K, N], bf16>):
    %pc = "ownership.partition"(%c) : (!ownership.tensor<[M, N], bf16>) -> !ownership.partition<out tile [64, 32], [M, N], bf16>
    %ra = "ownership.borrow"(%a) : (!ownership.tensor<[M, K], bf16, #ownership.layout<align = 16, strides = [0, 1], stride_divs = [8, 1], extent_divs = [1, 8]>>) -> !ownership.ref<[M, K], bf16, #ownership.layout<align = 16, strides = [0, 1], stride_divs = [8, 1], extent_divs = [1, 8]>>
    %rb = "ownership.borrow"(%b) : (!ownership.tensor<[K, N], bf16>) -> !ownership.ref<[K, N], bf16>
    "ownership.distribute"(%pc) <{order = #ownership.order<grouped 8>, blocks = #ownership.blocks<persistent>}> ({
    ^bb0(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
      %r = "ownership.region"(%pc, %i, %j) : (!ownership.partition<out tile [64, 32], [M, N], bf16>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !ownership.region<out tile [64, 32], [M, N], bf16>
      %m = "ownership.coordinate"(%r) <{axis = #builtin.int<0>}> : (!ownership.region<out tile [64, 32], [M, N], bf16>) -> !cuda_tile.tile<i32>
      %nk = "ownership.tiles"(%ra) <{axis = #builtin.int<1>, size = #builtin.int<16>}> : (!ownership.ref<[M, K], bf16, #ownership.layout<align = 16, strides = [0, 1], stride_divs = [8, 1], extent_divs = [1, 8]>>) -> !cuda_tile.tile<i32>
      %kk = "ownership.dim"(%rb) <{axis = #builtin.int<0>}> : (!ownership.ref<[K, N], bf16>) -> !cuda_tile.tile<i32>
      %t = "ownership.load"(%rb, %m, %j) <{duties = [#ownership.duty<in_bounds axis 0 open>, #ownership.duty<in_bounds axis 1 open>], operandSegmentSizes = array<i32: 1, 2, 0>}> : (!ownership.ref<[K, N], bf16>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<64x32xbf16>
      "ownership.store"(%t, %r) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!cuda_tile.tile<64x32xbf16>, !ownership.region<out tile [64, 32], [M, N], bf16>) -> ()
      %again, %tok = "ownership.load"(%r) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (!ownership.region<out tile [64, 32], [M, N], bf16>) -> (!cuda_tile.tile<64x32xbf16>, !cuda_tile.token)
      %tok2 = "ownership.store"(%again, %r, %tok) <{operandSegmentSizes = array<i32: 1, 1, 0, 1>}> : (!cuda_tile.tile<64x32xbf16>, !ownership.region<out tile [64, 32], [M, N], bf16>, !cuda_tile.token) -> !cuda_tile.token
      "ownership.release"(%r) : (!ownership.region<out tile [64, 32], [M, N], bf16>) -> ()
      "ownership.end"() : () -> ()
    }) : (!ownership.partition<out tile [64, 32], [M, N], bf16>) -> ()
    "ownership.return"() : () -> ()
  }) : () -> ()
  "ownership.kernel"() <{sym_name = "steps"}> ({
  ^bb0(%u: !ownership.tensor<[N, "H // G", 4], f32>, %a: !cuda_tile.tile<f32>):
    %p = "ownership.partition"(%u) : (!ownership.tensor<[N, "H // G", 4], f32>) -> !ownership.partition<mut tile [64, 1, 4] step [32, 1, 4], [N, "H // G", 4], f32>
    "ownership.distribute"(%p) <{order = #ownership.order<column>, blocks = #ownership.blocks<each>}> ({
    ^bb0(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>, %k: !cuda_tile.tile<i32>):
      "ownership.end"() : () -> ()
    }) : (!ownership.partition<mut tile [64, 1, 4] step [32, 1, 4], [N, "H // G", 4], f32>) -> ()
    "ownership.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
