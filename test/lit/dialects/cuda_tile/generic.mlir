// RUN: tile-opt %s --print-op-generic | filecheck %s
// RUN: tile-opt %s --print-op-generic | tile-opt --elide-prefix | filecheck %s --check-prefix=AGAIN

// The generic form as NVIDIA's and upstream's tools read it.

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %i: tile<i32>) {
    // CHECK: "cuda_tile.constant"() <{value = dense<true> : !cuda_tile.tile<4xi1>}>
    // AGAIN: constant <i1: true> : tile<4xi1>
    %c = constant <i1: true> : tile<4xi1>
    // CHECK: value = dense<[1.000000e+00, 0x7FC00000]> : !cuda_tile.tile<2xf32>
    // AGAIN: constant <f32: [1.000000e+00, 0x7FC00000]> : tile<2xf32>
    %d = constant <f32: [1.0, 0x7FC00000]> : tile<2xf32>
    // CHECK: "cuda_tile.load_ptr_tko"(%p) <{memory_ordering_semantics = 1 : i32, memory_scope = 1 : i32, operandSegmentSizes = array<i32: 1, 0, 0, 0>}>
    // AGAIN: load_ptr_tko relaxed device %p
    %0, %1 = load_ptr_tko relaxed device %p : tile<ptr<f32>> -> tile<f32>, token
    // What means the same as nothing in older versions is not said.
    // CHECK: "cuda_tile.negi"(%i) : (
    // AGAIN: negi %i : tile<i32>
    %2 = negi %i : tile<i32>
    // CHECK: "cuda_tile.atomic_rmw_tko"(%p, %0) <{{.*}}mode = 4 : i32
    // AGAIN: atomic_rmw_tko relaxed device %p, addf, %result
    %3, %4 = atomic_rmw_tko relaxed device %p, addf, %0 : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
    // CHECK: "cuda_tile.cat"(%d, %d) <{dim = 0 : i64}>
    // AGAIN: cat %{{.+}} dim = 0 :
    %5 = cat %d, %d dim = 0 : tile<2xf32>, tile<2xf32> -> tile<4xf32>
    return
  }
}
