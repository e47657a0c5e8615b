builtin.module {
  cuda_tile.module @m {
    cuda_tile.entry @k(%p: tile<ptr<i32>>, %x: tile<i32>) {
      %a = cuda_tile.addi %x, %x : tile<i32>
      %b = cuda_tile.addi %x, %x : tile<i32>
      %c, %t0 = cuda_tile.load_ptr_tko acquire device %p : tile<ptr<i32>> -> tile<i32>, token
      %d, %t1 = cuda_tile.load_ptr_tko acquire device %p : tile<ptr<i32>> -> tile<i32>, token
      %e, %t2 = cuda_tile.atomic_rmw_tko relaxed device %p, add, %x : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
      %f, %t3 = cuda_tile.atomic_rmw_tko relaxed device %p, add, %x : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
      %g = cuda_tile.alloca num_elem = 4, alignment = 4 : tile<ptr<i32>>
      %h = cuda_tile.alloca num_elem = 4, alignment = 4 : tile<ptr<i32>>
      %0 = cuda_tile.print_tko "%d %d %d %d", %b, %c, %d, %e : tile<i32>, tile<i32>, tile<i32>, tile<i32> -> token
      %k0 = cuda_tile.store_ptr_tko weak %g, %f : tile<ptr<i32>>, tile<i32> -> token
      %k1 = cuda_tile.store_ptr_tko weak %h, %f : tile<ptr<i32>>, tile<i32> -> token
      cuda_tile.return
    }
  }
}
// -----
"builtin.module"() ({
  "cuda_tile.module"() <{sym_name = "m"}> ({
    "cuda_tile.entry"() <{sym_name = "k", function_type = (!cuda_tile.tile<ptr<i32>>, !cuda_tile.tile<i32>) -> ()}> ({
    ^bb0(%p: !cuda_tile.tile<ptr<i32>>, %x: !cuda_tile.tile<i32>):
      %a = "cuda_tile.addi"(%x, %x) <{overflow = #cuda_tile.overflow<none>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
      %b = "cuda_tile.addi"(%x, %x) <{overflow = #cuda_tile.overflow<none>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
      %c, %t0 = "cuda_tile.load_ptr_tko"(%p) <{memory_ordering_semantics = 2 : i32, memory_scope = 1 : i32, operandSegmentSizes = array<i32: 1, 0, 0, 0>}> : (!cuda_tile.tile<ptr<i32>>) -> (!cuda_tile.tile<i32>, !cuda_tile.token)
      %d, %t1 = "cuda_tile.load_ptr_tko"(%p) <{memory_ordering_semantics = 2 : i32, memory_scope = 1 : i32, operandSegmentSizes = array<i32: 1, 0, 0, 0>}> : (!cuda_tile.tile<ptr<i32>>) -> (!cuda_tile.tile<i32>, !cuda_tile.token)
      %e, %t2 = "cuda_tile.atomic_rmw_tko"(%p, %x) <{memory_ordering_semantics = 1 : i32, memory_scope = 1 : i32, mode = 3 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!cuda_tile.tile<ptr<i32>>, !cuda_tile.tile<i32>) -> (!cuda_tile.tile<i32>, !cuda_tile.token)
      %f, %t3 = "cuda_tile.atomic_rmw_tko"(%p, %x) <{memory_ordering_semantics = 1 : i32, memory_scope = 1 : i32, mode = 3 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!cuda_tile.tile<ptr<i32>>, !cuda_tile.tile<i32>) -> (!cuda_tile.tile<i32>, !cuda_tile.token)
      %g = "cuda_tile.alloca"() <{num_elem = 4 : i64, alignment = 4 : i64}> : () -> !cuda_tile.tile<ptr<i32>>
      %h = "cuda_tile.alloca"() <{num_elem = 4 : i64, alignment = 4 : i64}> : () -> !cuda_tile.tile<ptr<i32>>
      %0 = "cuda_tile.print_tko"(%b, %c, %d, %e) <{str = "%d %d %d %d", operandSegmentSizes = array<i32: 4, 0>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.token
      %k0 = "cuda_tile.store_ptr_tko"(%g, %f) <{memory_ordering_semantics = 0 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!cuda_tile.tile<ptr<i32>>, !cuda_tile.tile<i32>) -> !cuda_tile.token
      %k1 = "cuda_tile.store_ptr_tko"(%h, %f) <{memory_ordering_semantics = 0 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!cuda_tile.tile<ptr<i32>>, !cuda_tile.tile<i32>) -> !cuda_tile.token
      "cuda_tile.return"() : () -> ()
    }) : () -> ()
  }) : () -> ()
}) : () -> ()
// -----
cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>> loc(#loc), %x: tile<i32> loc(#loc1)) {
    %a = addi %x, %x : tile<i32> loc(#loc2)
    %b = addi %x, %x : tile<i32> loc(#loc3)
    %c, %t0 = load_ptr_tko acquire device %p : tile<ptr<i32>> -> tile<i32>, token loc(#loc4)
    %d, %t1 = load_ptr_tko acquire device %p : tile<ptr<i32>> -> tile<i32>, token loc(#loc5)
    %e, %t2 = atomic_rmw_tko relaxed device %p, add, %x : tile<ptr<i32>>, tile<i32> -> tile<i32>, token loc(#loc6)
    %f, %t3 = atomic_rmw_tko relaxed device %p, add, %x : tile<ptr<i32>>, tile<i32> -> tile<i32>, token loc(#loc7)
    %g = alloca num_elem = 4, alignment = 4 : tile<ptr<i32>> loc(#loc8)
    %h = alloca num_elem = 4, alignment = 4 : tile<ptr<i32>> loc(#loc9)
    %0 = print_tko "%d %d %d %d", %b, %c, %d, %e : tile<i32>, tile<i32>, tile<i32>, tile<i32> -> token loc(#loc10)
    %k0 = store_ptr_tko weak %g, %f : tile<ptr<i32>>, tile<i32> -> token loc(#loc11)
    %k1 = store_ptr_tko weak %h, %f : tile<ptr<i32>>, tile<i32> -> token loc(#loc12)
    return loc(#loc13)
  } loc(#loc14)
} loc(#loc15)
#loc = loc(fused["cse.mlir":5:12, "cse.mlir":5:14])
#loc1 = loc(fused["cse.mlir":5:32, "cse.mlir":5:34])
#loc2 = loc(fused["cse.mlir":9:10, "cse.mlir":9:33])
#loc3 = loc(fused["cse.mlir":10:10, "cse.mlir":10:33])
#loc4 = loc(fused["cse.mlir":14:15, "cse.mlir":14:82])
#loc5 = loc(fused["cse.mlir":15:15, "cse.mlir":15:82])
#loc6 = loc(fused["cse.mlir":18:15, "cse.mlir":18:104])
#loc7 = loc(fused["cse.mlir":19:15, "cse.mlir":19:104])
#loc8 = loc(fused["cse.mlir":22:10, "cse.mlir":22:61])
#loc9 = loc(fused["cse.mlir":23:10, "cse.mlir":23:61])
#loc10 = loc(fused["cse.mlir":24:5, "cse.mlir":24:98])
#loc11 = loc(fused["cse.mlir":25:11, "cse.mlir":25:73])
#loc12 = loc(fused["cse.mlir":26:11, "cse.mlir":26:73])
#loc13 = loc(unknown)
#loc14 = loc(fused["cse.mlir":5:3, "cse.mlir":5:46])
#loc15 = loc(fused["cse.mlir":3:1, "cse.mlir":3:20])
// -----
"builtin.module"() ({
  "cuda_tile.module"() <{sym_name = "m"}> ({
    "cuda_tile.entry"() <{sym_name = "k", function_type = (!cuda_tile.tile<ptr<i32>>, !cuda_tile.tile<i32>) -> ()}> ({
    ^bb0(%p: !cuda_tile.tile<ptr<i32>>, %x: !cuda_tile.tile<i32>):
      %a = "cuda_tile.addi"(%x, %x) <{overflow = #cuda_tile.overflow<none>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
      %b = "cuda_tile.addi"(%x, %x) <{overflow = #cuda_tile.overflow<none>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
      %c, %t0 = "cuda_tile.load_ptr_tko"(%p) <{memory_ordering_semantics = 2 : i32, memory_scope = 1 : i32, operandSegmentSizes = array<i32: 1, 0, 0, 0>}> : (!cuda_tile.tile<ptr<i32>>) -> (!cuda_tile.tile<i32>, !cuda_tile.token)
      %d, %t1 = "cuda_tile.load_ptr_tko"(%p) <{memory_ordering_semantics = 2 : i32, memory_scope = 1 : i32, operandSegmentSizes = array<i32: 1, 0, 0, 0>}> : (!cuda_tile.tile<ptr<i32>>) -> (!cuda_tile.tile<i32>, !cuda_tile.token)
      %e, %t2 = "cuda_tile.atomic_rmw_tko"(%p, %x) <{memory_ordering_semantics = 1 : i32, memory_scope = 1 : i32, mode = 3 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!cuda_tile.tile<ptr<i32>>, !cuda_tile.tile<i32>) -> (!cuda_tile.tile<i32>, !cuda_tile.token)
      %f, %t3 = "cuda_tile.atomic_rmw_tko"(%p, %x) <{memory_ordering_semantics = 1 : i32, memory_scope = 1 : i32, mode = 3 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!cuda_tile.tile<ptr<i32>>, !cuda_tile.tile<i32>) -> (!cuda_tile.tile<i32>, !cuda_tile.token)
      %g = "cuda_tile.alloca"() <{num_elem = 4 : i64, alignment = 4 : i64}> : () -> !cuda_tile.tile<ptr<i32>>
      %h = "cuda_tile.alloca"() <{num_elem = 4 : i64, alignment = 4 : i64}> : () -> !cuda_tile.tile<ptr<i32>>
      %0 = "cuda_tile.print_tko"(%b, %c, %d, %e) <{str = "%d %d %d %d", operandSegmentSizes = array<i32: 4, 0>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.token
      %k0 = "cuda_tile.store_ptr_tko"(%g, %f) <{memory_ordering_semantics = 0 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!cuda_tile.tile<ptr<i32>>, !cuda_tile.tile<i32>) -> !cuda_tile.token
      %k1 = "cuda_tile.store_ptr_tko"(%h, %f) <{memory_ordering_semantics = 0 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!cuda_tile.tile<ptr<i32>>, !cuda_tile.tile<i32>) -> !cuda_tile.token
      "cuda_tile.return"() : () -> ()
    }) : () -> ()
  }) : () -> ()
}) : () -> ()
