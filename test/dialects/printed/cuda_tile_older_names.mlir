builtin.module {
  cuda_tile.module @m {
    cuda_tile.entry @k(%x: tile<f32>) {
      %y = cuda_tile.fpowf %x, %x : tile<f32>
      %0 = cuda_tile.print_tko "%f", %y : tile<f32> -> token
      cuda_tile.return
    }
  }
  %view = "test.op"() : () -> !cuda_tile.partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
  %at = "test.op"() : () -> !cuda_tile.tile<i32>
  %loaded, %token = cuda_tile.load_view_tko weak %view[%at] : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token
}
// -----
"builtin.module"() ({
  "cuda_tile.module"() <{sym_name = "m"}> ({
    "cuda_tile.entry"() <{sym_name = "k", function_type = (!cuda_tile.tile<f32>) -> ()}> ({
    ^bb0(%x: !cuda_tile.tile<f32>):
      %y = "cuda_tile.fpowf"(%x, %x) : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>
      %0 = "cuda_tile.print_tko"(%y) <{str = "%f", operandSegmentSizes = array<i32: 1, 0>}> : (!cuda_tile.tile<f32>) -> !cuda_tile.token
      "cuda_tile.return"() : () -> ()
    }) : () -> ()
  }) : () -> ()
  %view = "test.op"() : () -> !cuda_tile.partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
  %at = "test.op"() : () -> !cuda_tile.tile<i32>
  %loaded, %token = "cuda_tile.load_view_tko"(%view, %at) <{memory_ordering_semantics = 0 : i32, operandSegmentSizes = array<i32: 1, 1, 0>}> : (!cuda_tile.partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, !cuda_tile.tile<i32>) -> (!cuda_tile.tile<8xf32>, !cuda_tile.token)
}) : () -> ()
// -----
builtin.module {
  cuda_tile.module @m {
    entry @k(%x: tile<f32> loc(#loc)) {
      %y = fpowf %x, %x : tile<f32> loc(#loc1)
      %0 = print_tko "%f", %y : tile<f32> -> token loc(#loc2)
      return loc(#loc3)
    } loc(#loc4)
  } loc(#loc5)
  %view = "test.op"() : () -> !cuda_tile.partition_view<tile=(8), tensor_view<64xf32, strides=[1]>> loc(#loc6)
  %at = "test.op"() : () -> !cuda_tile.tile<i32> loc(#loc7)
  %loaded, %token = cuda_tile.load_view_tko weak %view[%at] : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token loc(#loc8)
} loc(#loc3)
#loc = loc(fused["older_names.mlir":10:12, "older_names.mlir":10:14])
#loc1 = loc(fused["older_names.mlir":14:10, "older_names.mlir":14:32])
#loc2 = loc(fused["older_names.mlir":16:5, "older_names.mlir":16:31])
#loc3 = loc(unknown)
#loc4 = loc(fused["older_names.mlir":10:3, "older_names.mlir":10:26])
#loc5 = loc(fused["older_names.mlir":9:1, "older_names.mlir":9:20])
#loc6 = loc(fused["older_names.mlir":22:9, "older_names.mlir":22:98])
#loc7 = loc(fused["older_names.mlir":23:7, "older_names.mlir":23:47])
#loc8 = loc(fused["older_names.mlir":24:19, "older_names.mlir":24:281])
// -----
"builtin.module"() ({
  "cuda_tile.module"() <{sym_name = "m"}> ({
    "cuda_tile.entry"() <{sym_name = "k", function_type = (!cuda_tile.tile<f32>) -> ()}> ({
    ^bb0(%x: !cuda_tile.tile<f32>):
      %y = "cuda_tile.pow"(%x, %x) : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>
      %0 = "cuda_tile.print_tko"(%y) <{str = "%f", operandSegmentSizes = array<i32: 1, 0>}> : (!cuda_tile.tile<f32>) -> !cuda_tile.token
      "cuda_tile.return"() : () -> ()
    }) : () -> ()
  }) : () -> ()
  %view = "test.op"() : () -> !cuda_tile.partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
  %at = "test.op"() : () -> !cuda_tile.tile<i32>
  %loaded, %token = "cuda_tile.load_view_tko"(%view, %at) <{memory_ordering_semantics = 0 : i32, operandSegmentSizes = array<i32: 1, 1, 0>}> : (!cuda_tile.partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, !cuda_tile.tile<i32>) -> (!cuda_tile.tile<8xf32>, !cuda_tile.token)
}) : () -> ()
