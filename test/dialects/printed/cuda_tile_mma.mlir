builtin.module {
  %a = "test.op"() : () -> !cuda_tile.tile<16x8xf16>
  %acc = "test.op"() : () -> !cuda_tile.tile<16x16xf32>
  %bb = "test.op"() : () -> !cuda_tile.tile<8x16xf16>
  %i8a = "test.op"() : () -> !cuda_tile.tile<16x32xi8>
  %i8b = "test.op"() : () -> !cuda_tile.tile<32x16xi8>
  %iacc = "test.op"() : () -> !cuda_tile.tile<16x16xi32>
  %q = "test.op"() : () -> !cuda_tile.tile<32x64xf8E4M3FN>
  %q2 = "test.op"() : () -> !cuda_tile.tile<64x32xf8E4M3FN>
  %qacc = "test.op"() : () -> !cuda_tile.tile<32x32xf32>
  %sc = "test.op"() : () -> !cuda_tile.tile<32x2xf8E8M0FNU>
  %sc2 = "test.op"() : () -> !cuda_tile.tile<2x32xf8E8M0FNU>
  %r0_a = cuda_tile.mmaf %a, %bb, %acc : tile<16x8xf16>, tile<8x16xf16>, tile<16x16xf32>
  %r1_a = cuda_tile.mmaf %a, %bb, %acc fast_acc : tile<16x8xf16>, tile<8x16xf16>, tile<16x16xf32>
  %r2_a = cuda_tile.mmai %i8a, %i8b, %iacc signed unsigned : tile<16x32xi8>, tile<32x16xi8>, tile<16x16xi32>
  %r3_a = cuda_tile.mmaf_scaled %q, %q2, %qacc, %sc, %sc2 : tile<32x64xf8E4M3FN>, tile<64x32xf8E4M3FN>, tile<32x32xf32>, tile<32x2xf8E8M0FNU>, tile<2x32xf8E8M0FNU>
}
// -----
"builtin.module"() ({
  %a = "test.op"() : () -> !cuda_tile.tile<16x8xf16>
  %acc = "test.op"() : () -> !cuda_tile.tile<16x16xf32>
  %bb = "test.op"() : () -> !cuda_tile.tile<8x16xf16>
  %i8a = "test.op"() : () -> !cuda_tile.tile<16x32xi8>
  %i8b = "test.op"() : () -> !cuda_tile.tile<32x16xi8>
  %iacc = "test.op"() : () -> !cuda_tile.tile<16x16xi32>
  %q = "test.op"() : () -> !cuda_tile.tile<32x64xf8E4M3FN>
  %q2 = "test.op"() : () -> !cuda_tile.tile<64x32xf8E4M3FN>
  %qacc = "test.op"() : () -> !cuda_tile.tile<32x32xf32>
  %sc = "test.op"() : () -> !cuda_tile.tile<32x2xf8E8M0FNU>
  %sc2 = "test.op"() : () -> !cuda_tile.tile<2x32xf8E8M0FNU>
  %r0_a = "cuda_tile.mmaf"(%a, %bb, %acc) : (!cuda_tile.tile<16x8xf16>, !cuda_tile.tile<8x16xf16>, !cuda_tile.tile<16x16xf32>) -> !cuda_tile.tile<16x16xf32>
  %r1_a = "cuda_tile.mmaf"(%a, %bb, %acc) <{fast_acc}> : (!cuda_tile.tile<16x8xf16>, !cuda_tile.tile<8x16xf16>, !cuda_tile.tile<16x16xf32>) -> !cuda_tile.tile<16x16xf32>
  %r2_a = "cuda_tile.mmai"(%i8a, %i8b, %iacc) <{signedness_lhs = #cuda_tile.signedness<signed>, signedness_rhs = #cuda_tile.signedness<unsigned>}> : (!cuda_tile.tile<16x32xi8>, !cuda_tile.tile<32x16xi8>, !cuda_tile.tile<16x16xi32>) -> !cuda_tile.tile<16x16xi32>
  %r3_a = "cuda_tile.mmaf_scaled"(%q, %q2, %qacc, %sc, %sc2) : (!cuda_tile.tile<32x64xf8E4M3FN>, !cuda_tile.tile<64x32xf8E4M3FN>, !cuda_tile.tile<32x32xf32>, !cuda_tile.tile<32x2xf8E8M0FNU>, !cuda_tile.tile<2x32xf8E8M0FNU>) -> !cuda_tile.tile<32x32xf32>
}) : () -> ()
// -----
builtin.module {
  %a = "test.op"() : () -> !cuda_tile.tile<16x8xf16> loc(#loc)
  %acc = "test.op"() : () -> !cuda_tile.tile<16x16xf32> loc(#loc1)
  %bb = "test.op"() : () -> !cuda_tile.tile<8x16xf16> loc(#loc2)
  %i8a = "test.op"() : () -> !cuda_tile.tile<16x32xi8> loc(#loc3)
  %i8b = "test.op"() : () -> !cuda_tile.tile<32x16xi8> loc(#loc4)
  %iacc = "test.op"() : () -> !cuda_tile.tile<16x16xi32> loc(#loc5)
  %q = "test.op"() : () -> !cuda_tile.tile<32x64xf8E4M3FN> loc(#loc6)
  %q2 = "test.op"() : () -> !cuda_tile.tile<64x32xf8E4M3FN> loc(#loc7)
  %qacc = "test.op"() : () -> !cuda_tile.tile<32x32xf32> loc(#loc8)
  %sc = "test.op"() : () -> !cuda_tile.tile<32x2xf8E8M0FNU> loc(#loc9)
  %sc2 = "test.op"() : () -> !cuda_tile.tile<2x32xf8E8M0FNU> loc(#loc10)
  %r0_a = cuda_tile.mmaf %a, %bb, %acc : tile<16x8xf16>, tile<8x16xf16>, tile<16x16xf32> loc(#loc11)
  %r1_a = cuda_tile.mmaf %a, %bb, %acc fast_acc : tile<16x8xf16>, tile<8x16xf16>, tile<16x16xf32> loc(#loc12)
  %r2_a = cuda_tile.mmai %i8a, %i8b, %iacc signed unsigned : tile<16x32xi8>, tile<32x16xi8>, tile<16x16xi32> loc(#loc13)
  %r3_a = cuda_tile.mmaf_scaled %q, %q2, %qacc, %sc, %sc2 : tile<32x64xf8E4M3FN>, tile<64x32xf8E4M3FN>, tile<32x32xf32>, tile<32x2xf8E8M0FNU>, tile<2x32xf8E8M0FNU> loc(#loc14)
} loc(#loc15)
#loc = loc(fused["mma.mlir":4:6, "mma.mlir":4:51])
#loc1 = loc(fused["mma.mlir":5:8, "mma.mlir":5:54])
#loc2 = loc(fused["mma.mlir":6:7, "mma.mlir":6:52])
#loc3 = loc(fused["mma.mlir":7:8, "mma.mlir":7:53])
#loc4 = loc(fused["mma.mlir":8:8, "mma.mlir":8:53])
#loc5 = loc(fused["mma.mlir":9:9, "mma.mlir":9:55])
#loc6 = loc(fused["mma.mlir":10:6, "mma.mlir":10:57])
#loc7 = loc(fused["mma.mlir":11:7, "mma.mlir":11:58])
#loc8 = loc(fused["mma.mlir":12:9, "mma.mlir":12:55])
#loc9 = loc(fused["mma.mlir":13:7, "mma.mlir":13:58])
#loc10 = loc(fused["mma.mlir":14:8, "mma.mlir":14:59])
#loc11 = loc(fused["mma.mlir":17:9, "mma.mlir":17:87])
#loc12 = loc(fused["mma.mlir":20:9, "mma.mlir":20:96])
#loc13 = loc(fused["mma.mlir":23:9, "mma.mlir":23:107])
#loc14 = loc(fused["mma.mlir":26:9, "mma.mlir":26:162])
#loc15 = loc(unknown)
// -----
"builtin.module"() ({
  %a = "test.op"() : () -> !cuda_tile.tile<16x8xf16>
  %acc = "test.op"() : () -> !cuda_tile.tile<16x16xf32>
  %bb = "test.op"() : () -> !cuda_tile.tile<8x16xf16>
  %i8a = "test.op"() : () -> !cuda_tile.tile<16x32xi8>
  %i8b = "test.op"() : () -> !cuda_tile.tile<32x16xi8>
  %iacc = "test.op"() : () -> !cuda_tile.tile<16x16xi32>
  %q = "test.op"() : () -> !cuda_tile.tile<32x64xf8E4M3FN>
  %q2 = "test.op"() : () -> !cuda_tile.tile<64x32xf8E4M3FN>
  %qacc = "test.op"() : () -> !cuda_tile.tile<32x32xf32>
  %sc = "test.op"() : () -> !cuda_tile.tile<32x2xf8E8M0FNU>
  %sc2 = "test.op"() : () -> !cuda_tile.tile<2x32xf8E8M0FNU>
  %r0_a = "cuda_tile.mmaf"(%a, %bb, %acc) : (!cuda_tile.tile<16x8xf16>, !cuda_tile.tile<8x16xf16>, !cuda_tile.tile<16x16xf32>) -> !cuda_tile.tile<16x16xf32>
  %r1_a = "cuda_tile.mmaf"(%a, %bb, %acc) <{fast_acc}> : (!cuda_tile.tile<16x8xf16>, !cuda_tile.tile<8x16xf16>, !cuda_tile.tile<16x16xf32>) -> !cuda_tile.tile<16x16xf32>
  %r2_a = "cuda_tile.mmai"(%i8a, %i8b, %iacc) <{signedness_lhs = #cuda_tile.signedness<signed>, signedness_rhs = #cuda_tile.signedness<unsigned>}> : (!cuda_tile.tile<16x32xi8>, !cuda_tile.tile<32x16xi8>, !cuda_tile.tile<16x16xi32>) -> !cuda_tile.tile<16x16xi32>
  %r3_a = "cuda_tile.mmaf_scaled"(%q, %q2, %qacc, %sc, %sc2) : (!cuda_tile.tile<32x64xf8E4M3FN>, !cuda_tile.tile<64x32xf8E4M3FN>, !cuda_tile.tile<32x32xf32>, !cuda_tile.tile<32x2xf8E8M0FNU>, !cuda_tile.tile<2x32xf8E8M0FNU>) -> !cuda_tile.tile<32x32xf32>
}) : () -> ()
