builtin.module {
  cuda_tile.module @kernels attributes {producer = "a compiler"} {
    cuda_tile.global @weights alignment = 16 <f32: [1.000000e+00, 2.000000e+00]> : tile<2xf32>
    cuda_tile.global private constant @table <i4: [1, -2]> : tile<2xi4>
    cuda_tile.entry @k(%p: tile<ptr<f32>> {cuda_tile.align = 16 : i32}, %n: tile<i32>) optimization_hints=<default = {occupancy = 2}, sm_100 = {num_cta_in_cga = 2}> {
      %x, %y, %z = cuda_tile.get_tile_block_id : tile<i32>
      %gx, %gy, %gz = cuda_tile.get_num_tile_blocks : tile<i32>
      %w = cuda_tile.get_global @weights : tile<ptr<f32>>
      cuda_tile.return
    }
    cuda_tile.entry @"a name"() {
      cuda_tile.return
    }
  }
}
// -----
"builtin.module"() ({
  "cuda_tile.module"() <{sym_name = "kernels", producer = "a compiler"}> ({
    "cuda_tile.global"() <{sym_name = "weights", alignment = 16 : i64, value = dense<[1.000000e+00, 2.000000e+00]> : !cuda_tile.tile<2xf32>}> : () -> ()
    "cuda_tile.global"() <{symbol_visibility = #cuda_tile.symbol_visibility<private>, constant, sym_name = "table", value = dense<[1, -2]> : !cuda_tile.tile<2xi4>, alignment = 0 : i64}> : () -> ()
    "cuda_tile.entry"() <{sym_name = "k", function_type = (!cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<i32>) -> (), arg_attrs = [{cuda_tile.align = 16 : i32}, {}], optimization_hints = #cuda_tile.optimization_hints<default = {occupancy = 2}, sm_100 = {num_cta_in_cga = 2}>}> ({
    ^bb0(%p: !cuda_tile.tile<ptr<f32>>, %n: !cuda_tile.tile<i32>):
      %x, %y, %z = "cuda_tile.get_tile_block_id"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
      %gx, %gy, %gz = "cuda_tile.get_num_tile_blocks"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
      %w = "cuda_tile.get_global"() <{name = @weights}> : () -> !cuda_tile.tile<ptr<f32>>
      "cuda_tile.return"() : () -> ()
    }) : () -> ()
    "cuda_tile.entry"() <{sym_name = "a name", function_type = () -> ()}> ({
      "cuda_tile.return"() : () -> ()
    }) : () -> ()
  }) : () -> ()
}) : () -> ()
// -----
cuda_tile.module @kernels attributes {producer = "a compiler"} {
  global @weights alignment = 16 <f32: [1.000000e+00, 2.000000e+00]> : tile<2xf32> loc(#loc)
  global private constant @table <i4: [1, -2]> : tile<2xi4> loc(#loc1)
  entry @k(%p: tile<ptr<f32>> {cuda_tile.align = 16 : i32} loc(#loc2), %n: tile<i32> loc(#loc3)) optimization_hints=<default = {occupancy = 2}, sm_100 = {num_cta_in_cga = 2}> {
    %x, %y, %z = get_tile_block_id : tile<i32> loc(#loc4)
    %gx, %gy, %gz = get_num_tile_blocks : tile<i32> loc(#loc5)
    %w = get_global @weights : tile<ptr<f32>> loc(#loc6)
    return loc(#loc7)
  } loc(#loc8)
  entry @"a name"() {
    return loc(#loc9)
  } loc(#loc10)
} loc(#loc11)
#loc = loc(fused["module.mlir":9:3, "module.mlir":9:65])
#loc1 = loc(fused["module.mlir":11:3, "module.mlir":11:81])
#loc2 = loc(fused["module.mlir":14:12, "module.mlir":14:14])
#loc3 = loc(fused["module.mlir":14:61, "module.mlir":14:63])
#loc4 = loc(fused["module.mlir":16:18, "module.mlir":16:47])
#loc5 = loc(fused["module.mlir":18:21, "module.mlir":18:73])
#loc6 = loc(fused["module.mlir":20:10, "module.mlir":20:46])
#loc7 = loc(unknown)
#loc8 = loc(fused["module.mlir":14:3, "module.mlir":14:164])
#loc9 = loc(fused["module.mlir":28:5, "module.mlir":28:11])
#loc10 = loc(fused["module.mlir":27:3, "module.mlir":27:42])
#loc11 = loc(fused["module.mlir":7:1, "module.mlir":7:63])
// -----
"builtin.module"() ({
  "cuda_tile.module"() <{sym_name = "kernels", producer = "a compiler"}> ({
    "cuda_tile.global"() <{sym_name = "weights", alignment = 16 : i64, value = dense<[1.000000e+00, 2.000000e+00]> : !cuda_tile.tile<2xf32>}> : () -> ()
    "cuda_tile.global"() <{symbol_visibility = #cuda_tile.symbol_visibility<private>, constant, sym_name = "table", value = dense<[1, -2]> : !cuda_tile.tile<2xi4>, alignment = 0 : i64}> : () -> ()
    "cuda_tile.entry"() <{sym_name = "k", function_type = (!cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<i32>) -> (), arg_attrs = [{cuda_tile.align = 16 : i32}, {}], optimization_hints = #cuda_tile.optimization_hints<default = {occupancy = 2}, sm_100 = {num_cta_in_cga = 2}>}> ({
    ^bb0(%p: !cuda_tile.tile<ptr<f32>>, %n: !cuda_tile.tile<i32>):
      %x, %y, %z = "cuda_tile.get_tile_block_id"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
      %gx, %gy, %gz = "cuda_tile.get_num_tile_blocks"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
      %w = "cuda_tile.get_global"() <{name = @weights}> : () -> !cuda_tile.tile<ptr<f32>>
      "cuda_tile.return"() : () -> ()
    }) : () -> ()
    "cuda_tile.entry"() <{sym_name = "a name", function_type = () -> ()}> ({
      "cuda_tile.return"() : () -> ()
    }) : () -> ()
  }) : () -> ()
}) : () -> ()
