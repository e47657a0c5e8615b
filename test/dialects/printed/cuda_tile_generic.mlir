builtin.module {
  cuda_tile.module @m {
    cuda_tile.entry @k(%p: tile<ptr<f32>>, %i: tile<i32>) {
      %c = cuda_tile.constant <i1: true> : tile<4xi1>
      %d = cuda_tile.constant <f32: [1.000000e+00, 0x7FC00000]> : tile<2xf32>
      %0, %1 = cuda_tile.load_ptr_tko relaxed device %p : tile<ptr<f32>> -> tile<f32>, token
      %2 = cuda_tile.negi %i : tile<i32>
      %3, %4 = cuda_tile.atomic_rmw_tko relaxed device %p, addf, %0 : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
      %5 = cuda_tile.cat %d, %d dim = 0 : tile<2xf32>, tile<2xf32> -> tile<4xf32>
      cuda_tile.return
    }
  }
}
// -----
"builtin.module"() ({
  "cuda_tile.module"() <{sym_name = "m"}> ({
    "cuda_tile.entry"() <{sym_name = "k", function_type = (!cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<i32>) -> ()}> ({
    ^bb0(%p: !cuda_tile.tile<ptr<f32>>, %i: !cuda_tile.tile<i32>):
      %c = "cuda_tile.constant"() <{value = dense<true> : !cuda_tile.tile<4xi1>}> : () -> !cuda_tile.tile<4xi1>
      %d = "cuda_tile.constant"() <{value = dense<[1.000000e+00, 0x7FC00000]> : !cuda_tile.tile<2xf32>}> : () -> !cuda_tile.tile<2xf32>
      %0, %1 = "cuda_tile.load_ptr_tko"(%p) <{memory_ordering_semantics = 1 : i32, memory_scope = 1 : i32, operandSegmentSizes = array<i32: 1, 0, 0, 0>}> : (!cuda_tile.tile<ptr<f32>>) -> (!cuda_tile.tile<f32>, !cuda_tile.token)
      %2 = "cuda_tile.negi"(%i) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
      %3, %4 = "cuda_tile.atomic_rmw_tko"(%p, %0) <{memory_ordering_semantics = 1 : i32, memory_scope = 1 : i32, mode = 4 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<f32>) -> (!cuda_tile.tile<f32>, !cuda_tile.token)
      %5 = "cuda_tile.cat"(%d, %d) <{dim = 0 : i64}> : (!cuda_tile.tile<2xf32>, !cuda_tile.tile<2xf32>) -> !cuda_tile.tile<4xf32>
      "cuda_tile.return"() : () -> ()
    }) : () -> ()
  }) : () -> ()
}) : () -> ()
// -----
cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>> loc(#loc), %i: tile<i32> loc(#loc1)) {
    %c = constant <i1: true> : tile<4xi1> loc(#loc2)
    %d = constant <f32: [1.000000e+00, 0x7FC00000]> : tile<2xf32> loc(#loc3)
    %result, %result_token = load_ptr_tko relaxed device %p : tile<ptr<f32>> -> tile<f32>, token loc(#loc4)
    %0 = negi %i : tile<i32> loc(#loc5)
    %result_1, %result_token_1 = atomic_rmw_tko relaxed device %p, addf, %result : tile<ptr<f32>>, tile<f32> -> tile<f32>, token loc(#loc6)
    %1 = cat %d, %d dim = 0 : tile<2xf32>, tile<2xf32> -> tile<4xf32> loc(#loc7)
    return loc(#loc8)
  } loc(#loc9)
} loc(#loc10)
#loc = loc(fused["generic.mlir":7:12, "generic.mlir":7:14])
#loc1 = loc(fused["generic.mlir":7:32, "generic.mlir":7:34])
#loc2 = loc(fused["generic.mlir":10:10, "generic.mlir":10:42])
#loc3 = loc(fused["generic.mlir":13:10, "generic.mlir":13:57])
#loc4 = loc(fused["generic.mlir":16:14, "generic.mlir":16:81])
#loc5 = loc(fused["generic.mlir":20:10, "generic.mlir":20:29])
#loc6 = loc(fused["generic.mlir":23:14, "generic.mlir":23:104])
#loc7 = loc(fused["generic.mlir":26:10, "generic.mlir":26:70])
#loc8 = loc(fused["generic.mlir":27:5, "generic.mlir":27:11])
#loc9 = loc(fused["generic.mlir":7:3, "generic.mlir":7:46])
#loc10 = loc(fused["generic.mlir":6:1, "generic.mlir":6:20])
// -----
"builtin.module"() ({
  "cuda_tile.module"() <{sym_name = "m"}> ({
    "cuda_tile.entry"() <{sym_name = "k", function_type = (!cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<i32>) -> ()}> ({
    ^bb0(%p: !cuda_tile.tile<ptr<f32>>, %i: !cuda_tile.tile<i32>):
      %c = "cuda_tile.constant"() <{value = dense<true> : !cuda_tile.tile<4xi1>}> : () -> !cuda_tile.tile<4xi1>
      %d = "cuda_tile.constant"() <{value = dense<[1.000000e+00, 0x7FC00000]> : !cuda_tile.tile<2xf32>}> : () -> !cuda_tile.tile<2xf32>
      %0, %1 = "cuda_tile.load_ptr_tko"(%p) <{memory_ordering_semantics = 1 : i32, memory_scope = 1 : i32, operandSegmentSizes = array<i32: 1, 0, 0, 0>}> : (!cuda_tile.tile<ptr<f32>>) -> (!cuda_tile.tile<f32>, !cuda_tile.token)
      %2 = "cuda_tile.negi"(%i) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
      %3, %4 = "cuda_tile.atomic_rmw_tko"(%p, %0) <{memory_ordering_semantics = 1 : i32, memory_scope = 1 : i32, mode = 4 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<f32>) -> (!cuda_tile.tile<f32>, !cuda_tile.token)
      %5 = "cuda_tile.cat"(%d, %d) <{dim = 0 : i64}> : (!cuda_tile.tile<2xf32>, !cuda_tile.tile<2xf32>) -> !cuda_tile.tile<4xf32>
      "cuda_tile.return"() : () -> ()
    }) : () -> ()
  }) : () -> ()
}) : () -> ()
