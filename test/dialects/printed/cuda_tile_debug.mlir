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
// -----
cuda_tile.module @m {
  entry @k(%i: tile<i32> loc(#loc)) {
    %0 = negi %i : tile<i32> loc(#loc2)
    %1 = negi %0 : tile<i32> loc(#loc3)
    %2 = negi %1 : tile<i32> loc(#loc4)
    return loc(#loc5)
  } loc(#loc7)
} loc(#loc8)
#loc = loc(fused["debug.mlir":12:12, "debug.mlir":12:14])
#loc1 = loc("/src/k.py":5:6)
#di_file = #cuda_tile.di_file<"k.py" in "/src">
#di_compile_unit = #cuda_tile.di_compile_unit<file = #di_file>
#di_subprogram = #cuda_tile.di_subprogram<file = #di_file, line = 1, name = "k", linkageName = "k", compileUnit = #di_compile_unit, scopeLine = 2>
#di_lexical_block = #cuda_tile.di_lexical_block<scope = #di_subprogram, file = #di_file, line = 3, column = 4>
#loc2 = #cuda_tile.di_loc<#loc1 in #di_lexical_block>
#loc3 = loc(unknown)
#loc4 = loc(callsite("/src/h.py":1:1 at #cuda_tile.di_loc<#loc1 in #di_lexical_block>))
#loc5 = loc(fused["debug.mlir":19:5, "debug.mlir":19:11])
#loc6 = loc("/src/k.py":1:1)
#loc7 = #cuda_tile.di_loc<#loc6 in #di_subprogram>
#loc8 = loc(fused["debug.mlir":10:1, "debug.mlir":10:20])
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
