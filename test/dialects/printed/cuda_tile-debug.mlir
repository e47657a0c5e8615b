builtin.module {
  cuda_tile.module @m {
    cuda_tile.entry @k(%i: tile<i32>) {
      %0 = cuda_tile.negi %i : tile<i32>
      %1 = cuda_tile.negi %0 : tile<i32>
      %2 = cuda_tile.negi %1 : tile<i32>
      cuda_tile.return
    }
  }
}
// -----
"builtin.module"() ({
  "cuda_tile.module"() <{sym_name = "m"}> ({
    "cuda_tile.entry"() <{sym_name = "k", function_type = (!cuda_tile.tile<i32>) -> ()}> ({
    ^bb0(%i: !cuda_tile.tile<i32>):
      %0 = "cuda_tile.negi"(%i) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
      %1 = "cuda_tile.negi"(%0) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
      %2 = "cuda_tile.negi"(%1) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
      "cuda_tile.return"() : () -> ()
    }) : () -> ()
  }) : () -> ()
}) : () -> ()
