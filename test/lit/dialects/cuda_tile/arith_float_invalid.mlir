// RUN: REJECTS | filecheck %s

// CHECK: expected a tile of f16, bf16, f32 or f64, got !cuda_tile.tile<4xi32>
%n = "test.op"() : () -> !cuda_tile.tile<4xi32>
%r = cuda_tile.absf %n : tile<4xi32>

// -----

// CHECK: addf`: rounding must be one of nearest_even, zero, negative_inf, positive_inf, got approx
%f = "test.op"() : () -> !cuda_tile.tile<4xf32>
%r = cuda_tile.addf %f, %f rounding<approx> : tile<4xf32>

// -----

// CHECK: addf`: flush_to_zero is for f32 only
%h = "test.op"() : () -> !cuda_tile.tile<4xf16>
%r = cuda_tile.addf %h, %h flush_to_zero : tile<4xf16>

// -----

// CHECK: maxf`: flush_to_zero is for f32 only
%h = "test.op"() : () -> !cuda_tile.tile<4xf16>
%r = cuda_tile.maxf %h, %h flush_to_zero : tile<4xf16>

// -----

// CHECK: divf`: rounding full is for f32 only
%h = "test.op"() : () -> !cuda_tile.tile<4xf16>
%r = cuda_tile.divf %h, %h rounding<full> : tile<4xf16>

// -----

// CHECK: sqrt`: rounding must be one of nearest_even, zero, negative_inf, positive_inf, approx, got full
%f = "test.op"() : () -> !cuda_tile.tile<4xf32>
%r = cuda_tile.sqrt %f rounding<full> : tile<4xf32>

// -----

// CHECK: exp`: rounding approx is for f32 only
%h = "test.op"() : () -> !cuda_tile.tile<4xf16>
%r = cuda_tile.exp %h rounding<approx> : tile<4xf16>

// -----

// CHECK: tanh`: rounding must be one of full, approx, got zero
%f = "test.op"() : () -> !cuda_tile.tile<4xf32>
%r = cuda_tile.tanh %f rounding<zero> : tile<4xf32>

// -----

// CHECK: expected a tile of i1, i16, i32, i8, got !cuda_tile.tile<4xi64>
%f = "test.op"() : () -> !cuda_tile.tile<4xf32>
%l = "test.op"() : () -> !cuda_tile.tile<4xi64>
%r = cuda_tile.fpowi %f, %l : tile<4xf32>, tile<4xi64>

// -----

// CHECK: fpowi`: source and exponent must have the same shape
%f = "test.op"() : () -> !cuda_tile.tile<4xf32>
%s = "test.op"() : () -> !cuda_tile.tile<i32>
%r = cuda_tile.fpowi %f, %s : tile<4xf32>, tile<i32>

// -----

// CHECK: cmpf`: the result must be !cuda_tile.tile<4xi1>
%f = "test.op"() : () -> !cuda_tile.tile<4xf32>
%r = cuda_tile.cmpf equal ordered %f, %f : tile<4xf32> -> tile<2xi1>

// -----

// CHECK: expected one of equal, not_equal, less_than, less_than_or_equal, greater_than, greater_than_or_equal
%f = "test.op"() : () -> !cuda_tile.tile<4xf32>
%r = cuda_tile.cmpf same ordered %f, %f : tile<4xf32> -> tile<4xi1>

// -----

// CHECK: !cuda_tile.tile<4xf32> expected from variable 'T', but got !cuda_tile.tile<4xf16>
%f = "test.op"() : () -> !cuda_tile.tile<4xf32>
%h = "test.op"() : () -> !cuda_tile.tile<4xf16>
%r = "cuda_tile.subf"(%f, %h) : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf16>) -> !cuda_tile.tile<4xf32>
