// RUN: tile-opt %s --print-debuginfo | tile-opt --print-debuginfo | filecheck %s

// Scopes and positions in them; the names of what only one kind can stand for may be left out.

#file = #cuda_tile.di_file<"k.py" in "/src">
#k = #cuda_tile.di_subprogram<file = <"k.py" in "/src">, line = 1, name = "k", linkageName = "k", compileUnit = <file = #file>, scopeLine = 2>
#block = #cuda_tile.di_lexical_block<scope = #k, file = #file, line = 3, column = 4>
#here = #cuda_tile.di_loc<loc("/src/k.py":5:6) in #block>

cuda_tile.module @m {
  // CHECK: entry @k(%i: tile<i32>
  entry @k(%i: tile<i32>) {
    // CHECK: negi %i : tile<i32> loc(#cuda_tile.di_loc<loc("/src/k.py":5:6) in #cuda_tile.di_lexical_block<scope = #cuda_tile.di_subprogram<file = #cuda_tile.di_file<"k.py" in "/src">, line = 1,
    %0 = negi %i : tile<i32> loc(#here)
    // CHECK: negi %0 : tile<i32> loc(unknown)
    %1 = negi %0 : tile<i32> loc(unknown)
    // CHECK: negi %1 : tile<i32> loc(callsite("/src/h.py":1:1 at #cuda_tile.di_loc<loc("/src/k.py":5:6) in
    %2 = negi %1 : tile<i32> loc(callsite("/src/h.py":1:1 at #here))
    return
  } loc(#cuda_tile.di_loc<loc("/src/k.py":1:1) in #k>)
}
