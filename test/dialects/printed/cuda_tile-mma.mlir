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
