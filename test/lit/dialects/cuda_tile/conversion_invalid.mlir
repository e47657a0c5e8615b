// RUN: REJECTS | filecheck %s

// CHECK: bitcast`: element widths must be equal, got f32 (32 bits) and i64 (64)
%f = "test.op"() : () -> !cuda_tile.tile<4xf32>
%r = cuda_tile.bitcast %f : tile<4xf32> -> tile<4xi64>

// -----

// CHECK: bitcast`: source and result must have the same shape
%f = "test.op"() : () -> !cuda_tile.tile<4xf32>
%r = cuda_tile.bitcast %f : tile<4xf32> -> tile<2xi32>

// -----

// CHECK: exti`: the result must be wider than the source, got i32 to i32
%n = "test.op"() : () -> !cuda_tile.tile<4xi32>
%r = cuda_tile.exti %n signed : tile<4xi32> -> tile<4xi32>

// -----

// CHECK: trunci`: the result must be narrower than the source, got i32 to i64
%n = "test.op"() : () -> !cuda_tile.tile<4xi32>
%r = cuda_tile.trunci %n : tile<4xi32> -> tile<4xi64>

// -----

// CHECK: ftof`: source and result element types must differ, got f32 for both
%f = "test.op"() : () -> !cuda_tile.tile<4xf32>
%r = cuda_tile.ftof %f : tile<4xf32> -> tile<4xf32>

// -----

// CHECK: ftof`: f32 to f16 rounds by nearest_even, zero, not by negative_inf
%f = "test.op"() : () -> !cuda_tile.tile<4xf32>
%r = cuda_tile.ftof %f rounding<negative_inf> : tile<4xf32> -> tile<4xf16>

// -----

// CHECK: ftoi`: rounding must be nearest_int_to_zero, got zero
%f = "test.op"() : () -> !cuda_tile.tile<4xf32>
%r = cuda_tile.ftoi %f signed rounding<zero> : tile<4xf32> -> tile<4xi32>

// -----

// CHECK: itof`: rounding must be nearest_even, got zero
%n = "test.op"() : () -> !cuda_tile.tile<4xi32>
%r = cuda_tile.itof %n signed rounding<zero> : tile<4xi32> -> tile<4xf32>

// -----

// CHECK: itof`: integers do not convert to f8E8M0FNU
%n = "test.op"() : () -> !cuda_tile.tile<4xi32>
%r = cuda_tile.itof %n signed : tile<4xi32> -> tile<4xf8E8M0FNU>

// -----

// CHECK: expected a tile of i64, got !cuda_tile.tile<4xi32>
%n = "test.op"() : () -> !cuda_tile.tile<4xi32>
%r = cuda_tile.int_to_ptr %n : tile<4xi32> -> tile<4xptr<f32>>

// -----

// CHECK: expected a tile of pointers, got !cuda_tile.tile<4xi32>
%n = "test.op"() : () -> !cuda_tile.tile<4xi32>
%r = cuda_tile.ptr_to_int %n : tile<4xi32> -> tile<4xi64>
