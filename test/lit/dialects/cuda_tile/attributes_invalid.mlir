// RUN: REJECTS | filecheck %s

// CHECK: cuda_tile.div_by: the divisor must be a power of two from 1 to 2^62, got 3
%s = "test.op"() : () -> !cuda_tile.tile<i32>
%r = cuda_tile.assume div_by<3>, %s : tile<i32>

// -----

// CHECK: cuda_tile.bounded: the lower bound 3 is above the upper bound 2
%s = "test.op"() : () -> !cuda_tile.tile<i32>
%r = cuda_tile.assume bounded<3, 2>, %s : tile<i32>

// -----

// CHECK: '{' expected
cuda_tile.entry @k() optimization_hints=<sm_100 = 3> {}

// -----

// CHECK: 256 does not fit in i8
%r = cuda_tile.constant <i8: 256> : tile<i8>

// -----

// CHECK: true and false are values of i1, not of i8
%r = cuda_tile.constant <i8: true> : tile<i8>

// -----

// CHECK: 0x10000 is not a bit pattern of f16
%r = cuda_tile.constant <f16: 0x10000> : tile<f16>

// -----

// CHECK: the literal does not have the shape of its type: got 2 items
%r = cuda_tile.constant <i32: [1, 2]> : tile<4xi32>

// -----

// CHECK: the literal has fewer dimensions than its type
%r = cuda_tile.constant <i32: [1, 2]> : tile<2x1xi32>

// -----

// CHECK: the literal has elements of i32 but its type is !cuda_tile.tile<f32>
%r = cuda_tile.constant <i32: 1> : tile<f32>

// -----

// CHECK: tile<4xf32> takes 16 bytes, got 1
%r = cuda_tile.constant <f32: "0x00"> : tile<4xf32>

// -----

// CHECK: a literal in quotes must be hexadecimal
%r = cuda_tile.constant <f32: "0xzz"> : tile<4xf32>

// -----

// CHECK: cuda_tile.dense: !cuda_tile.ptr<f32> cannot stand in a literal
%r = cuda_tile.constant <ptr<f32>: 0> : tile<ptr<f32>>
