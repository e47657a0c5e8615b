// Views at their edges: no elements, a stride of 0, tiles beyond the end; tables of addresses.
// RUN: tile-run %s --symbol beyond --arg zeros:f32[4] --arg ones:f32[4] --arg 4 --arg 1 --arg 7 --checked 2>&1 | filecheck %s --check-prefix BEYOND
// RUN: tile-run %s --symbol beyond --arg ones:f32[4] --arg zeros:f32[0] --arg 0 --arg 1 --arg 0 | filecheck %s --check-prefix EMPTY
// RUN: tile-run %s --symbol beyond --arg zeros:f32[4] --arg arange:f32[1] --arg 4 --arg 0 --arg 0 | filecheck %s --check-prefix ALIKE
// RUN: tile-run %s --symbol table --arg zeros:f32[1] --arg '[ones:f32[3], 5, rand:f32[2]:1]' | filecheck %s --check-prefix TABLE
// RUN: not tile-run %s --symbol table --arg zeros:f32[1] --arg '[ones:f32[3], 2.5]' 2>&1 | filecheck %s --check-prefix REFUSED
// RUN: tile-run %s --symbol half --arg ones:bf16[2] --arg ones:f8E4M3FN[2] --save 0=%t.bf16.npy --save 1=%t.f8.npy --print none
// RUN: tile-run %s --symbol half --arg %t.bf16.npy --arg %t.f8.npy | filecheck %s --check-prefix HALF

// BEYOND:      warning[O537]: coordinate 7 of axis 0 is beyond `x`, of 4 elements there
// BEYOND-NEXT:  --> {{.*}}run_views.mlir:{{[0-9]+}}:15
// BEYOND:      this tile is nothing but padding
// BEYOND:      argument 0: float32[4]
// BEYOND-NEXT: [nan, nan, nan, nan]

// EMPTY: [nan, nan, nan, nan]
// ALIKE: [0., 0., 0., 0.]

cuda_tile.module @views {
  entry @beyond(%y: tile<ptr<f32>>, %x: tile<ptr<f32>>, %n: tile<i32>, %s: tile<i32>, %i: tile<i32>) {
    %c0 = constant <i32: 0> : tile<i32>
    %v = make_tensor_view %x, shape = [%n], strides = [%s] : tile<i32> -> tensor_view<?xf32, strides=[?]>
    %p = make_partition_view %v : partition_view<tile=(4), padding_value = nan, tensor_view<?xf32, strides=[?]>>
    %a, %t0 = load_view_tko weak %p[%i] : partition_view<tile=(4), padding_value = nan, tensor_view<?xf32, strides=[?]>>, tile<i32> -> tile<4xf32>, token
    %w = make_tensor_view %y, shape = [4], strides = [1] : tensor_view<4xf32, strides=[1]>
    %q = make_partition_view %w : partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>
    %t1 = store_view_tko weak %a, %q[%c0] : tile<4xf32>, partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, tile<i32> -> token
    return
  }

  // TABLE:      argument 0: float32[1]
  // TABLE-NEXT: [5.]
  // TABLE-NEXT: argument 1[0]: float32[3]
  // TABLE-NEXT: [5., 1., 1.]
  // TABLE-NEXT: argument 1[2]: float32[2]
  // REFUSED: error[O530]: 2.5 is no i64
  // REFUSED-NEXT: --> argument `table[1]` of `table`
  entry @table(%y: tile<ptr<f32>>, %table: tile<ptr<i64>>) {
    %v = make_tensor_view %table, shape = [2], strides = [1] : tensor_view<2xi64, strides=[1]>
    %p = make_partition_view %v : partition_view<tile=(2), tensor_view<2xi64, strides=[1]>>
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %row, %t0 = load_view_tko weak %p[%c0] : partition_view<tile=(2), tensor_view<2xi64, strides=[1]>>, tile<i32> -> tile<2xi64>, token
    %e0 = extract %row[%c0] : tile<2xi64> -> tile<1xi64>
    %a0 = reshape %e0 : tile<1xi64> -> tile<i64>
    %first = int_to_ptr %a0 : tile<i64> -> tile<ptr<f32>>
    %e1 = extract %row[%c1] : tile<2xi64> -> tile<1xi64>
    %a1 = reshape %e1 : tile<1xi64> -> tile<i64>
    %f = itof %a1 signed : tile<i64> -> tile<f32>
    %t1 = store_ptr_tko weak %first, %f : tile<ptr<f32>>, tile<f32> -> token
    %t2 = store_ptr_tko weak %y, %f : tile<ptr<f32>>, tile<f32> -> token
    return
  }

  // HALF:      argument 0: bfloat16[2]
  // HALF-NEXT: [3., 1.]
  // HALF-NEXT: argument 1: float8_e4m3fn[2]
  // HALF-NEXT: [1., 1.]
  entry @half(%y: tile<ptr<bf16>>, %x: tile<ptr<f8E4M3FN>>) {
    %two = constant <bf16: 1.0> : tile<bf16>
    %a, %t0 = load_ptr_tko weak %y : tile<ptr<bf16>> -> tile<bf16>, token
    %b = addf %a, %two : tile<bf16>
    %t1 = store_ptr_tko weak %y, %b : tile<ptr<bf16>>, tile<bf16> -> token
    return
  }
}
