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
