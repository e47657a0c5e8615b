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
