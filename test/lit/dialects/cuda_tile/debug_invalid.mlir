// RUN: REJECTS | filecheck %s

// CHECK: `cuda_tile.entry`: debug information does not fit: the scope of the kernel has the linkage name `other`
#file = #cuda_tile.di_file<"k.py" in "/src">
#other = #cuda_tile.di_subprogram<file = #file, line = 1, name = "other", linkageName = "other", compileUnit = <file = #file>>
cuda_tile.module @m {
  entry @k() {
    return
  } loc(#cuda_tile.di_loc<loc("/src/k.py":1:1) in #other>)
}

// -----

// CHECK: `cuda_tile.entry`: debug information does not fit: the scope of a kernel is a di_subprogram
#file = #cuda_tile.di_file<"k.py" in "/src">
#k = #cuda_tile.di_subprogram<file = #file, line = 1, name = "k", linkageName = "k", compileUnit = <file = #file>>
#block = #cuda_tile.di_lexical_block<scope = #k, file = #file, line = 3, column = 4>
cuda_tile.module @m {
  entry @k() {
    return
  } loc(fused["/src/k.py":1:1, #cuda_tile.di_loc<loc("/src/k.py":1:1) in #block>])
}

// -----

// CHECK: `cuda_tile.entry`: debug information does not fit: the location of a kernel is no call site
cuda_tile.module @m {
  entry @k() {
    return
  } loc(callsite("/src/k.py":1:1 at "/src/k.py":2:1))
}

// -----

// CHECK: `cuda_tile.entry`: debug information does not fit: `cuda_tile.return` in it has a scope, and the kernel has none
#file = #cuda_tile.di_file<"k.py" in "/src">
#k = #cuda_tile.di_subprogram<file = #file, line = 1, name = "k", linkageName = "k", compileUnit = <file = #file>>
cuda_tile.module @m {
  entry @k() {
    return loc("name"(#cuda_tile.di_loc<loc("/src/k.py":1:1) in #k>))
  } loc(unknown)
}

// -----

// CHECK: `cuda_tile.entry`: debug information does not fit: the scope of `cuda_tile.return` in it is of `h`, another function
#file = #cuda_tile.di_file<"k.py" in "/src">
#k = #cuda_tile.di_subprogram<file = #file, line = 1, name = "k", linkageName = "k", compileUnit = <file = #file>>
#h = #cuda_tile.di_subprogram<file = #file, line = 9, name = "h", linkageName = "h", compileUnit = <file = #file>>
cuda_tile.module @m {
  entry @k() {
    return loc(#cuda_tile.di_loc<loc("/src/k.py":1:1) in #h>)
  } loc(#cuda_tile.di_loc<loc("/src/k.py":1:1) in #k>)
}

// -----

// CHECK: `cuda_tile.global`: debug information does not fit: a global has no scope
#file = #cuda_tile.di_file<"k.py" in "/src">
#k = #cuda_tile.di_subprogram<file = #file, line = 1, name = "k", linkageName = "k", compileUnit = <file = #file>>
cuda_tile.module @m {
  global @g <f32: 1.0> : tile<1xf32> loc(#cuda_tile.di_loc<loc("/src/k.py":1:1) in #k>)
}

// -----

// CHECK: error[O501]: -9223372036854775808 is out of range
cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>) {
    %0 = make_tensor_view %p, shape = [4], strides = [1] : tensor_view<4xf32, strides=[-9223372036854775808]>
  }
}
