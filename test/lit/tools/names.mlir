// Values without a name have the one that NVIDIA's tools give them, where text is as theirs; scopes have aliases.

// RUN: tile-opt %s --elide-prefix | filecheck %s
// RUN: tile-opt %s --elide-prefix --print-debuginfo | tile-opt --elide-prefix --print-debuginfo | filecheck %s --check-prefix=LOC
// RUN: tile-opt %s | filecheck %s --check-prefix=PLAIN

// CHECK:      entry @k(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i1>) {
// CHECK-NEXT:   %assume = assume div_by<16>, %arg0
// CHECK-NEXT:   %tview = make_tensor_view %assume
// CHECK-NEXT:   %pview = make_partition_view %tview
// CHECK-NEXT:   %sview = make_strided_view %tview
// CHECK-NEXT:   %cst_0_i32 = constant <i32: 0>
// CHECK-NEXT:   %cst_0_i32_1 = constant <i32: 0>
// CHECK-NEXT:   %cst_-7_i64 = constant <i64: -7>
// CHECK-NEXT:   %cst_i32 = constant <i32: [1, 2]>
// CHECK-NEXT:   %true = constant <i1: true>
// CHECK-NEXT:   %false = constant <i1: false>
// CHECK-NEXT:   %cst_2_f32 = constant <f32: 2.000000e+00>
// CHECK-NEXT:   %cst_f32 = constant <f32: 2.500000e+00>
// CHECK-NEXT:   %cst_f32_1 = constant <f32: -2.000000e+00>
// CHECK-NEXT:   %cst_NaN_f32 = constant <f32: 0x7FC00000>
// CHECK-NEXT:   %cst_f32_2 = constant <f32: 0x7F800000>
// CHECK-NEXT:   %assume_cst_0_i32 = assume bounded<0, ?>, %cst_0_i32
// CHECK-NEXT:   %tile, %result_token = load_view_tko weak %pview[%cst_0_i32]
// CHECK-NEXT:   %reduce = reduce %tile dim=0
// CHECK-NEXT:   (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
// CHECK:        %reshape = reshape %reduce
// CHECK-NEXT:   %bcast = broadcast %reshape
// CHECK-NEXT:   %for = for %loopIdx in (%cst_0_i32 to %arg1, step %assume_cst_0_i32) : tile<i32> iter_values(%iterArg0 = %reduce)
// CHECK-NEXT:     continue %iterArg0

// LOC:      return loc(#loc[[AT:[0-9]+]])
// LOC:      #di_file = #cuda_tile.di_file<"k.py" in "/src">
// LOC-NEXT: #di_compile_unit = #cuda_tile.di_compile_unit<file = #di_file>
// LOC-NEXT: #di_subprogram = #cuda_tile.di_subprogram<file = #di_file, line = 1, name = "k", linkageName = "k", compileUnit = #di_compile_unit, scopeLine = 2>
// LOC:      #loc[[AT]] = #cuda_tile.di_loc<#loc{{[0-9]*}} in #di_subprogram>

// PLAIN: %3 = cuda_tile.assume

#k = #cuda_tile.di_subprogram<file = <"k.py" in "/src">, line = 1, name = "k", linkageName = "k", compileUnit = <file = <"k.py" in "/src">>, scopeLine = 2>

cuda_tile.module @m {
  entry @k(%0: tile<ptr<f32>>, %1: tile<i32>, %2: tile<i1>) {
    %3 = assume div_by<16>, %0 : tile<ptr<f32>>
    %4 = make_tensor_view %3, shape = [8], strides = [1] : tensor_view<8xf32, strides=[1]>
    %5 = make_partition_view %4 : partition_view<tile=(8), tensor_view<8xf32, strides=[1]>>
    %6 = make_strided_view %4 : strided_view<tile=(8), traversal_strides=[8], tensor_view<8xf32, strides=[1]>>
    %7 = constant <i32: 0> : tile<i32>
    %8 = constant <i32: 0> : tile<i32>
    %9 = constant <i64: -7> : tile<i64>
    %10 = constant <i32: [1, 2]> : tile<2xi32>
    %11 = constant <i1: true> : tile<i1>
    %12 = constant <i1: false> : tile<2xi1>
    %13 = constant <f32: 2.0> : tile<f32>
    %14 = constant <f32: 2.5> : tile<f32>
    %15 = constant <f32: -2.0> : tile<f32>
    %16 = constant <f32: 0x7FC00000> : tile<f32>
    %17 = constant <f32: 0x7F800000> : tile<f32>
    %18 = assume bounded<0, ?>, %7 : tile<i32>
    %19, %20 = load_view_tko weak %5[%7] : partition_view<tile=(8), tensor_view<8xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token
    %21 = reduce %19 dim=0 identities=[0.0 : f32] : tile<8xf32> -> tile<f32>
    (%22: tile<f32>, %23: tile<f32>) {
      %24 = addf %22, %23 : tile<f32>
      yield %24 : tile<f32>
    }
    %25 = reshape %21 : tile<f32> -> tile<1xf32>
    %26 = broadcast %25 : tile<1xf32> -> tile<4xf32>
    %27 = for %28 in (%7 to %1, step %18) : tile<i32> iter_values(%29 = %21) -> (tile<f32>) {
      continue %29 : tile<f32>
    }
    return loc(#cuda_tile.di_loc<loc("/src/k.py":5:6) in #k>)
  } loc(#cuda_tile.di_loc<loc("/src/k.py":1:1) in #k>)
}
