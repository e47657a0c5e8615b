// RUN: REJECTS | filecheck %s

// CHECK: expected a tile of integers (i1 to i64), got !cuda_tile.tile<4xf32>
%f = "test.op"() : () -> !cuda_tile.tile<4xf32>
%r = cuda_tile.addi %f, %f : tile<4xf32>

// -----

// CHECK: divi`: rounding must be one of zero, negative_inf, positive_inf, got nearest_even
%n = "test.op"() : () -> !cuda_tile.tile<4xi32>
%r = cuda_tile.divi %n, %n signed rounding<nearest_even> : tile<4xi32>

// -----

// CHECK: divi`: rounding negative_inf is for signed division only
%n = "test.op"() : () -> !cuda_tile.tile<4xi32>
%r = cuda_tile.divi %n, %n unsigned rounding<negative_inf> : tile<4xi32>

// -----

// CHECK: negi`: overflow must be one of none, no_signed_wrap, no_wrap, got no_unsigned_wrap
%n = "test.op"() : () -> !cuda_tile.tile<4xi32>
%r = cuda_tile.negi %n overflow<no_unsigned_wrap> : tile<4xi32>

// -----

// CHECK: cmpi`: the result must be !cuda_tile.tile<4xi1>
%n = "test.op"() : () -> !cuda_tile.tile<4xi32>
%r = cuda_tile.cmpi equal %n, %n, signed : tile<4xi32> -> tile<i1>

// -----

// CHECK: expected one of unsigned, signed
%n = "test.op"() : () -> !cuda_tile.tile<4xi32>
%r = cuda_tile.maxi %n, %n : tile<4xi32>
