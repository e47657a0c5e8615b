// RUN: REJECTS | filecheck %s

// CHECK: mmaf`: lhs and rhs must have one element type
%a = "test.op"() : () -> !cuda_tile.tile<16x8xf16>
%acc = "test.op"() : () -> !cuda_tile.tile<16x16xf32>
%bfb = "test.op"() : () -> !cuda_tile.tile<8x16xbf16>
%r = cuda_tile.mmaf %a, %bfb, %acc : tile<16x8xf16>, tile<8x16xbf16>, tile<16x16xf32>

// -----

// CHECK: mmaf`: lhs, rhs and acc must all have rank 2 or all 3
%acc = "test.op"() : () -> !cuda_tile.tile<16x16xf32>
%f16 = "test.op"() : () -> !cuda_tile.tile<4xf16>
%r = cuda_tile.mmaf %f16, %f16, %acc : tile<4xf16>, tile<4xf16>, tile<16x16xf32>

// -----

// CHECK: mmaf`: the batch extents must be equal
%r3 = "test.op"() : () -> !cuda_tile.tile<2x16x8xf16>
%r3b = "test.op"() : () -> !cuda_tile.tile<4x8x16xf16>
%r3c = "test.op"() : () -> !cuda_tile.tile<2x16x16xf32>
%r = cuda_tile.mmaf %r3, %r3b, %r3c : tile<2x16x8xf16>, tile<4x8x16xf16>, tile<2x16x16xf32>

// -----

// CHECK: mmaf`: lhs has 8 columns but rhs has 16 rows
%a = "test.op"() : () -> !cuda_tile.tile<16x8xf16>
%acc = "test.op"() : () -> !cuda_tile.tile<16x16xf32>
%r = cuda_tile.mmaf %a, %a, %acc : tile<16x8xf16>, tile<16x8xf16>, tile<16x16xf32>

// -----

// CHECK: mmaf`: acc must be 16 by 16, got 32 by 32
%a = "test.op"() : () -> !cuda_tile.tile<16x8xf16>
%bb = "test.op"() : () -> !cuda_tile.tile<8x16xf16>
%qacc = "test.op"() : () -> !cuda_tile.tile<32x32xf32>
%r = cuda_tile.mmaf %a, %bb, %qacc : tile<16x8xf16>, tile<8x16xf16>, tile<32x32xf32>

// -----

// CHECK: mmaf`: there is no product of bf16 accumulated in f16
%bfa = "test.op"() : () -> !cuda_tile.tile<16x8xbf16>
%bfb = "test.op"() : () -> !cuda_tile.tile<8x16xbf16>
%hacc = "test.op"() : () -> !cuda_tile.tile<16x16xf16>
%r = cuda_tile.mmaf %bfa, %bfb, %hacc : tile<16x8xbf16>, tile<8x16xbf16>, tile<16x16xf16>

// -----

// CHECK: expected a tile of i8, got !cuda_tile.tile<16x8xf16>
%a = "test.op"() : () -> !cuda_tile.tile<16x8xf16>
%bb = "test.op"() : () -> !cuda_tile.tile<8x16xf16>
%iacc = "test.op"() : () -> !cuda_tile.tile<16x16xi32>
%r = cuda_tile.mmai %a, %bb, %iacc signed signed : tile<16x8xf16>, tile<8x16xf16>, tile<16x16xi32>

// -----

// CHECK: mmaf_scaled`: lhs_scale and rhs_scale must have one element type
%q = "test.op"() : () -> !cuda_tile.tile<32x64xf8E4M3FN>
%q2 = "test.op"() : () -> !cuda_tile.tile<64x32xf8E4M3FN>
%qacc = "test.op"() : () -> !cuda_tile.tile<32x32xf32>
%sc2 = "test.op"() : () -> !cuda_tile.tile<2x32xf8E8M0FNU>
%sc8 = "test.op"() : () -> !cuda_tile.tile<32x2xf8E4M3FN>
%r = cuda_tile.mmaf_scaled %q, %q2, %qacc, %sc8, %sc2 : tile<32x64xf8E4M3FN>, tile<64x32xf8E4M3FN>, tile<32x32xf32>, tile<32x2xf8E4M3FN>, tile<2x32xf8E8M0FNU>

// -----

// CHECK: mmaf_scaled`: f8E4M3FN does not take scales of f8E4M3FN
%q = "test.op"() : () -> !cuda_tile.tile<32x64xf8E4M3FN>
%q2 = "test.op"() : () -> !cuda_tile.tile<64x32xf8E4M3FN>
%qacc = "test.op"() : () -> !cuda_tile.tile<32x32xf32>
%sc8 = "test.op"() : () -> !cuda_tile.tile<32x2xf8E4M3FN>
%r = cuda_tile.mmaf_scaled %q, %q2, %qacc, %sc8, %sc8 : tile<32x64xf8E4M3FN>, tile<64x32xf8E4M3FN>, tile<32x32xf32>, tile<32x2xf8E4M3FN>, tile<32x2xf8E4M3FN>

// -----

// CHECK: mmaf_scaled`: one scale stands for 32 elements of K
%q = "test.op"() : () -> !cuda_tile.tile<32x64xf8E4M3FN>
%q2 = "test.op"() : () -> !cuda_tile.tile<64x32xf8E4M3FN>
%qacc = "test.op"() : () -> !cuda_tile.tile<32x32xf32>
%sc = "test.op"() : () -> !cuda_tile.tile<32x2xf8E8M0FNU>
%r = cuda_tile.mmaf_scaled %q, %q2, %qacc, %sc, %sc : tile<32x64xf8E4M3FN>, tile<64x32xf8E4M3FN>, tile<32x32xf32>, tile<32x2xf8E8M0FNU>, tile<32x2xf8E8M0FNU>

// -----

// Of one rank, and of none that there are products of.
// CHECK: mmaf`: lhs, rhs and acc must all have rank 2 or all 3
%f16 = "test.op"() : () -> !cuda_tile.tile<4xf16>
%acc = "test.op"() : () -> !cuda_tile.tile<4xf32>
%r = cuda_tile.mmaf %f16, %f16, %acc : tile<4xf16>, tile<4xf16>, tile<4xf32>

// -----

// CHECK: mmaf`: lhs, rhs and acc must all have rank 2 or all 3
%f16 = "test.op"() : () -> !cuda_tile.tile<1x1x4x4xf16>
%acc = "test.op"() : () -> !cuda_tile.tile<1x1x4x4xf32>
%r = cuda_tile.mmaf %f16, %f16, %acc : tile<1x1x4x4xf16>, tile<1x1x4x4xf16>, tile<1x1x4x4xf32>

// -----

// Of ranks that there are products of, and not of one.
// CHECK: mmaf`: lhs, rhs and acc must all have rank 2 or all 3
%f16 = "test.op"() : () -> !cuda_tile.tile<4x4xf16>
%acc = "test.op"() : () -> !cuda_tile.tile<1x4x4xf32>
%r = cuda_tile.mmaf %f16, %f16, %acc : tile<4x4xf16>, tile<4x4xf16>, tile<1x4x4xf32>
