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
