builtin.module {
  %x = "test.op"() : () -> !cuda_tile.tile<2x4xf32>
  %i = "test.op"() : () -> !cuda_tile.tile<2x4xi32>
  %sum = cuda_tile.reduce %x dim=1 identities=[-0.000000e+00 : f32] : tile<2x4xf32> -> tile<2xf32>
  (%a: tile<f32>, %b: tile<f32>) {
    %s = cuda_tile.addf %a, %b : tile<f32>
    cuda_tile.yield %s : tile<f32>
  }
  %max, %max_1 = cuda_tile.reduce %x, %i dim=0 identities=[0xFF800000 : f32, -1 : i32] : tile<2x4xf32>, tile<2x4xi32> -> tile<4xf32>, tile<4xi32>
  (%v: tile<f32>, %w: tile<f32>, %j: tile<i32>, %k: tile<i32>) {
    %c = cuda_tile.cmpf greater_than ordered %v, %w : tile<f32> -> tile<i1>
    %e = cuda_tile.select %c, %v, %w : tile<i1>, tile<f32>
    %at = cuda_tile.if %c -> (tile<i32>) {
      cuda_tile.yield %j : tile<i32>
    } else {
      cuda_tile.yield %k : tile<i32>
    }
    cuda_tile.yield %e, %at : tile<f32>, tile<i32>
  }
  %scan = cuda_tile.scan %i dim=1 reverse=true identities=[0 : i32] : tile<2x4xi32> -> tile<2x4xi32>
  (%l: tile<i32>, %r: tile<i32>) {
    %t = cuda_tile.addi %l, %r : tile<i32>
    cuda_tile.yield %t : tile<i32>
  }
  %n = "test.op"() : () -> !cuda_tile.tile<4xfnv8E5M3FNU>
  %h = "test.op"() : () -> !cuda_tile.tile<4xf16>
  %nans, %nans_1 = cuda_tile.scan %n, %h dim=0 reverse=false identities=[0xFF : fnv8E5M3FNU, 0x7C01 : f16] : tile<4xfnv8E5M3FNU>, tile<4xf16> -> tile<4xfnv8E5M3FNU>, tile<4xf16>
  (%n0: tile<fnv8E5M3FNU>, %n1: tile<fnv8E5M3FNU>, %h0: tile<f16>, %h1: tile<f16>) {
    cuda_tile.yield %n0, %h0 : tile<fnv8E5M3FNU>, tile<f16>
  }
}
// -----
"builtin.module"() ({
  %x = "test.op"() : () -> !cuda_tile.tile<2x4xf32>
  %i = "test.op"() : () -> !cuda_tile.tile<2x4xi32>
  %sum = "cuda_tile.reduce"(%x) <{dim = 1 : i32, identities = [-0.000000e+00 : f32]}> ({
  ^bb0(%a: !cuda_tile.tile<f32>, %b: !cuda_tile.tile<f32>):
    %s = "cuda_tile.addf"(%a, %b) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>
    "cuda_tile.yield"(%s) : (!cuda_tile.tile<f32>) -> ()
  }) : (!cuda_tile.tile<2x4xf32>) -> !cuda_tile.tile<2xf32>
  %max, %max_1 = "cuda_tile.reduce"(%x, %i) <{dim = 0 : i32, identities = [0xFF800000 : f32, -1 : i32]}> ({
  ^bb0(%v: !cuda_tile.tile<f32>, %w: !cuda_tile.tile<f32>, %j: !cuda_tile.tile<i32>, %k: !cuda_tile.tile<i32>):
    %c = "cuda_tile.cmpf"(%v, %w) <{comparison_predicate = #cuda_tile.comparison_predicate<greater_than>, comparison_ordering = #cuda_tile.comparison_ordering<ordered>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<i1>
    %e = "cuda_tile.select"(%c, %v, %w) : (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>
    %at = "cuda_tile.if"(%c) ({
      "cuda_tile.yield"(%j) : (!cuda_tile.tile<i32>) -> ()
    }, {
      "cuda_tile.yield"(%k) : (!cuda_tile.tile<i32>) -> ()
    }) : (!cuda_tile.tile<i1>) -> !cuda_tile.tile<i32>
    "cuda_tile.yield"(%e, %at) : (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>) -> ()
  }) : (!cuda_tile.tile<2x4xf32>, !cuda_tile.tile<2x4xi32>) -> (!cuda_tile.tile<4xf32>, !cuda_tile.tile<4xi32>)
  %scan = "cuda_tile.scan"(%i) <{dim = 1 : i32, reverse = true, identities = [0 : i32]}> ({
  ^bb0(%l: !cuda_tile.tile<i32>, %r: !cuda_tile.tile<i32>):
    %t = "cuda_tile.addi"(%l, %r) <{overflow = #cuda_tile.overflow<none>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
    "cuda_tile.yield"(%t) : (!cuda_tile.tile<i32>) -> ()
  }) : (!cuda_tile.tile<2x4xi32>) -> !cuda_tile.tile<2x4xi32>
  %n = "test.op"() : () -> !cuda_tile.tile<4xfnv8E5M3FNU>
  %h = "test.op"() : () -> !cuda_tile.tile<4xf16>
  %nans, %nans_1 = "cuda_tile.scan"(%n, %h) <{dim = 0 : i32, reverse = false, identities = [0xFF : !cuda_tile.fnv8E5M3FNU, 0x7C01 : f16]}> ({
  ^bb0(%n0: !cuda_tile.tile<fnv8E5M3FNU>, %n1: !cuda_tile.tile<fnv8E5M3FNU>, %h0: !cuda_tile.tile<f16>, %h1: !cuda_tile.tile<f16>):
    "cuda_tile.yield"(%n0, %h0) : (!cuda_tile.tile<fnv8E5M3FNU>, !cuda_tile.tile<f16>) -> ()
  }) : (!cuda_tile.tile<4xfnv8E5M3FNU>, !cuda_tile.tile<4xf16>) -> (!cuda_tile.tile<4xfnv8E5M3FNU>, !cuda_tile.tile<4xf16>)
}) : () -> ()
// -----
builtin.module {
  %x = "test.op"() : () -> !cuda_tile.tile<2x4xf32> loc(#loc)
  %i = "test.op"() : () -> !cuda_tile.tile<2x4xi32> loc(#loc1)
  %sum = cuda_tile.reduce %x dim=1 identities=[-0.000000e+00 : f32] : tile<2x4xf32> -> tile<2xf32>
  (%a: tile<f32> loc(#loc2), %b: tile<f32> loc(#loc3)) {
    %s = addf %a, %b : tile<f32> loc(#loc4)
    yield %s : tile<f32> loc(#loc5)
  } loc(#loc6)
  %max:2 = cuda_tile.reduce %x, %i dim=0 identities=[0xFF800000 : f32, -1 : i32] : tile<2x4xf32>, tile<2x4xi32> -> tile<4xf32>, tile<4xi32>
  (%v: tile<f32> loc(#loc7), %w: tile<f32> loc(#loc8), %j: tile<i32> loc(#loc9), %k: tile<i32> loc(#loc10)) {
    %c = cmpf greater_than ordered %v, %w : tile<f32> -> tile<i1> loc(#loc11)
    %e = select %c, %v, %w : tile<i1>, tile<f32> loc(#loc12)
    %at = if %c -> (tile<i32>) {
      yield %j : tile<i32> loc(#loc13)
    } else {
      yield %k : tile<i32> loc(#loc14)
    } loc(#loc15)
    yield %e, %at : tile<f32>, tile<i32> loc(#loc16)
  } loc(#loc17)
  %scan = cuda_tile.scan %i dim=1 reverse=true identities=[0 : i32] : tile<2x4xi32> -> tile<2x4xi32>
  (%l: tile<i32> loc(#loc18), %r: tile<i32> loc(#loc19)) {
    %t = addi %l, %r : tile<i32> loc(#loc20)
    yield %t : tile<i32> loc(#loc21)
  } loc(#loc22)
  %n = "test.op"() : () -> !cuda_tile.tile<4xfnv8E5M3FNU> loc(#loc23)
  %h = "test.op"() : () -> !cuda_tile.tile<4xf16> loc(#loc24)
  %nans:2 = cuda_tile.scan %n, %h dim=0 reverse=false identities=[0xFF : fnv8E5M3FNU, 0x7C01 : f16] : tile<4xfnv8E5M3FNU>, tile<4xf16> -> tile<4xfnv8E5M3FNU>, tile<4xf16>
  (%n0: tile<fnv8E5M3FNU> loc(#loc25), %n1: tile<fnv8E5M3FNU> loc(#loc26), %h0: tile<f16> loc(#loc27), %h1: tile<f16> loc(#loc28)) {
    yield %n0, %h0 : tile<fnv8E5M3FNU>, tile<f16> loc(#loc29)
  } loc(#loc30)
} loc(#loc31)
#loc = loc(fused["reduce.mlir":4:6, "reduce.mlir":4:50])
#loc1 = loc(fused["reduce.mlir":5:6, "reduce.mlir":5:50])
#loc2 = loc(fused["reduce.mlir":11:90, "reduce.mlir":11:92])
#loc3 = loc(fused["reduce.mlir":11:105, "reduce.mlir":11:107])
#loc4 = loc(fused["reduce.mlir":12:8, "reduce.mlir":12:31])
#loc5 = loc(fused["reduce.mlir":13:3, "reduce.mlir":13:23])
#loc6 = loc(fused["reduce.mlir":11:8, "reduce.mlir":11:119])
#loc7 = loc(fused["reduce.mlir":20:2, "reduce.mlir":20:4])
#loc8 = loc(fused["reduce.mlir":20:17, "reduce.mlir":20:19])
#loc9 = loc(fused["reduce.mlir":20:32, "reduce.mlir":20:34])
#loc10 = loc(fused["reduce.mlir":20:47, "reduce.mlir":20:49])
#loc11 = loc(fused["reduce.mlir":21:8, "reduce.mlir":21:64])
#loc12 = loc(fused["reduce.mlir":22:8, "reduce.mlir":22:47])
#loc13 = loc(fused["reduce.mlir":24:5, "reduce.mlir":24:25])
#loc14 = loc(fused["reduce.mlir":26:5, "reduce.mlir":26:25])
#loc15 = loc(fused["reduce.mlir":23:9, "reduce.mlir":23:29])
#loc16 = loc(fused["reduce.mlir":28:3, "reduce.mlir":28:39])
#loc17 = loc(fused["reduce.mlir":19:10, "reduce.mlir":19:138])
#loc18 = loc(fused["reduce.mlir":33:101, "reduce.mlir":33:103])
#loc19 = loc(fused["reduce.mlir":33:116, "reduce.mlir":33:118])
#loc20 = loc(fused["reduce.mlir":34:8, "reduce.mlir":34:31])
#loc21 = loc(fused["reduce.mlir":35:3, "reduce.mlir":35:23])
#loc22 = loc(fused["reduce.mlir":33:9, "reduce.mlir":33:130])
#loc23 = loc(fused["reduce.mlir":39:6, "reduce.mlir":39:56])
#loc24 = loc(fused["reduce.mlir":40:6, "reduce.mlir":40:48])
#loc25 = loc(fused["reduce.mlir":44:2, "reduce.mlir":44:5])
#loc26 = loc(fused["reduce.mlir":44:26, "reduce.mlir":44:29])
#loc27 = loc(fused["reduce.mlir":44:50, "reduce.mlir":44:53])
#loc28 = loc(fused["reduce.mlir":44:66, "reduce.mlir":44:69])
#loc29 = loc(fused["reduce.mlir":45:3, "reduce.mlir":45:48])
#loc30 = loc(fused["reduce.mlir":43:11, "reduce.mlir":43:169])
#loc31 = loc(unknown)
// -----
"builtin.module"() ({
  %x = "test.op"() : () -> !cuda_tile.tile<2x4xf32>
  %i = "test.op"() : () -> !cuda_tile.tile<2x4xi32>
  %sum = "cuda_tile.reduce"(%x) <{dim = 1 : i32, identities = [-0.000000e+00 : f32]}> ({
  ^bb0(%a: !cuda_tile.tile<f32>, %b: !cuda_tile.tile<f32>):
    %s = "cuda_tile.addf"(%a, %b) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>
    "cuda_tile.yield"(%s) : (!cuda_tile.tile<f32>) -> ()
  }) : (!cuda_tile.tile<2x4xf32>) -> !cuda_tile.tile<2xf32>
  %max, %max_1 = "cuda_tile.reduce"(%x, %i) <{dim = 0 : i32, identities = [0xFF800000 : f32, -1 : i32]}> ({
  ^bb0(%v: !cuda_tile.tile<f32>, %w: !cuda_tile.tile<f32>, %j: !cuda_tile.tile<i32>, %k: !cuda_tile.tile<i32>):
    %c = "cuda_tile.cmpf"(%v, %w) <{comparison_predicate = #cuda_tile.comparison_predicate<greater_than>, comparison_ordering = #cuda_tile.comparison_ordering<ordered>}> : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<i1>
    %e = "cuda_tile.select"(%c, %v, %w) : (!cuda_tile.tile<i1>, !cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>
    %at = "cuda_tile.if"(%c) ({
      "cuda_tile.yield"(%j) : (!cuda_tile.tile<i32>) -> ()
    }, {
      "cuda_tile.yield"(%k) : (!cuda_tile.tile<i32>) -> ()
    }) : (!cuda_tile.tile<i1>) -> !cuda_tile.tile<i32>
    "cuda_tile.yield"(%e, %at) : (!cuda_tile.tile<f32>, !cuda_tile.tile<i32>) -> ()
  }) : (!cuda_tile.tile<2x4xf32>, !cuda_tile.tile<2x4xi32>) -> (!cuda_tile.tile<4xf32>, !cuda_tile.tile<4xi32>)
  %scan = "cuda_tile.scan"(%i) <{dim = 1 : i32, reverse = true, identities = [0 : i32]}> ({
  ^bb0(%l: !cuda_tile.tile<i32>, %r: !cuda_tile.tile<i32>):
    %t = "cuda_tile.addi"(%l, %r) <{overflow = #cuda_tile.overflow<none>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
    "cuda_tile.yield"(%t) : (!cuda_tile.tile<i32>) -> ()
  }) : (!cuda_tile.tile<2x4xi32>) -> !cuda_tile.tile<2x4xi32>
  %n = "test.op"() : () -> !cuda_tile.tile<4xfnv8E5M3FNU>
  %h = "test.op"() : () -> !cuda_tile.tile<4xf16>
  %nans, %nans_1 = "cuda_tile.scan"(%n, %h) <{dim = 0 : i32, reverse = false, identities = [0xFF : !cuda_tile.fnv8E5M3FNU, 0x7C01 : f16]}> ({
  ^bb0(%n0: !cuda_tile.tile<fnv8E5M3FNU>, %n1: !cuda_tile.tile<fnv8E5M3FNU>, %h0: !cuda_tile.tile<f16>, %h1: !cuda_tile.tile<f16>):
    "cuda_tile.yield"(%n0, %h0) : (!cuda_tile.tile<fnv8E5M3FNU>, !cuda_tile.tile<f16>) -> ()
  }) : (!cuda_tile.tile<4xfnv8E5M3FNU>, !cuda_tile.tile<4xf16>) -> (!cuda_tile.tile<4xfnv8E5M3FNU>, !cuda_tile.tile<4xf16>)
}) : () -> ()
