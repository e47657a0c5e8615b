// RUN: REJECTS | filecheck %s

// CHECK: reduce`: dim must be a dimension of !cuda_tile.tile<4xf32>, got 1
%f = "test.op"() : () -> !cuda_tile.tile<4xf32>
%r = cuda_tile.reduce %f dim=1 identities=[0.0 : f32] : tile<4xf32> -> tile<f32> (%a: tile<f32>, %b: tile<f32>) { yield %a : tile<f32> }

// -----

// CHECK: reduce`: identity 0 must be of f32
%f = "test.op"() : () -> !cuda_tile.tile<4xf32>
%r = cuda_tile.reduce %f dim=0 identities=[0.0 : f16] : tile<4xf32> -> tile<f32> (%a: tile<f32>, %b: tile<f32>) { yield %a : tile<f32> }

// -----

// CHECK: reduce`: 1 operands need as many identities, got 0
%f = "test.op"() : () -> !cuda_tile.tile<4xf32>
%r = cuda_tile.reduce %f dim=0 identities=[] : tile<4xf32> -> tile<f32> (%a: tile<f32>, %b: tile<f32>) { yield %a : tile<f32> }

// -----

// CHECK: reduce`: results must be !cuda_tile.tile<f32>, got !cuda_tile.tile<4xf32>
%f = "test.op"() : () -> !cuda_tile.tile<4xf32>
%r = cuda_tile.reduce %f dim=0 identities=[0.0 : f32] : tile<4xf32> -> tile<4xf32> (%a: tile<f32>, %b: tile<f32>) { yield %a : tile<f32> }

// -----

// CHECK: scan`: results must be !cuda_tile.tile<4xf32>, got !cuda_tile.tile<f32>
%f = "test.op"() : () -> !cuda_tile.tile<4xf32>
%r = cuda_tile.scan %f dim=0 reverse=false identities=[0.0 : f32] : tile<4xf32> -> tile<f32> (%a: tile<f32>, %b: tile<f32>) { yield %a : tile<f32> }

// -----

// CHECK: reduce`: the body must take !cuda_tile.tile<f32>, !cuda_tile.tile<f32>, got !cuda_tile.tile<f32>
%f = "test.op"() : () -> !cuda_tile.tile<4xf32>
%r = cuda_tile.reduce %f dim=0 identities=[0.0 : f32] : tile<4xf32> -> tile<f32> (%a: tile<f32>) { yield %a : tile<f32> }

// -----

// CHECK: reduce`: the body must be free of memory effects, but holds cuda_tile.print_tko
%f = "test.op"() : () -> !cuda_tile.tile<4xf32>
%r = cuda_tile.reduce %f dim=0 identities=[0.0 : f32] : tile<4xf32> -> tile<f32> (%a: tile<f32>, %b: tile<f32>) { %t = print_tko "no" -> token
 yield %a : tile<f32> }

// -----

// CHECK: reduce`: the body must yield !cuda_tile.tile<f32>
%f = "test.op"() : () -> !cuda_tile.tile<4xf32>
%r = cuda_tile.reduce %f dim=0 identities=[0.0 : f32] : tile<4xf32> -> tile<f32> (%a: tile<f32>, %b: tile<f32>) { yield %a, %b : tile<f32>, tile<f32> }

// -----

// CHECK: reduce`: at least one operand is needed
%r = "cuda_tile.reduce"() <{dim = 0 : i32, identities = []}> ({
^bb0:
"cuda_tile.yield"() : () -> ()
}) : () -> !cuda_tile.tile<f32>

// -----

// CHECK: reduce`: operands must have one shape
%f = "test.op"() : () -> !cuda_tile.tile<4xf32>
%m = "test.op"() : () -> !cuda_tile.tile<2x4xf32>
%r:2 = cuda_tile.reduce %f, %m dim=0 identities=[0.0 : f32, 0.0 : f32] : tile<4xf32>, tile<2x4xf32> -> tile<f32>, tile<4xf32> (%a: tile<f32>, %b: tile<f32>, %c: tile<f32>, %d: tile<f32>) { yield %a, %c : tile<f32>, tile<f32> }
