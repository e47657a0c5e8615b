// Operations in a `cuda_tile.module` with the dialect's name, and as NVIDIA's tools print them: without. Both are read.

// RUN: tile-opt %s | filecheck %s --check-prefix=LONG
// RUN: tile-opt %s --elide-prefix | filecheck %s --check-prefix=SHORT
// RUN: tile-opt %s --elide-prefix | tile-opt | filecheck %s --check-prefix=LONG
// RUN: tile-opt %s | tile-opt --elide-prefix | filecheck %s --check-prefix=SHORT
// RUN: tile-opt %s --elide-prefix --print-debuginfo | filecheck %s --check-prefix=LOCATED
// RUN: tile-opt %s --elide-prefix | tile-translate --to-bytecode | tile-translate --from-bytecode | filecheck %s --check-prefix=READ

// LONG:      builtin.module {
// LONG-NEXT:   cuda_tile.module @kernels {
// LONG-NEXT:     cuda_tile.entry @k(%x: tile<f32>, %c: tile<i1>) {
// LONG-NEXT:       %y = cuda_tile.addf %x, %x : tile<f32>
// LONG-NEXT:       cuda_tile.if %c {
// LONG-NEXT:         %z = cuda_tile.negf %y : tile<f32>

// SHORT:      cuda_tile.module @kernels {
// SHORT-NEXT:   entry @k(%x: tile<f32>, %c: tile<i1>) {
// SHORT-NEXT:     %y = addf %x, %x : tile<f32>
// SHORT-NEXT:     if %c {
// SHORT-NEXT:       %z = negf %y : tile<f32>

// LOCATED:      entry @k(%x: tile<f32> loc(#loc), %c: tile<i1> loc(#loc1)) {
// LOCATED-NEXT:   %y = addf %x, %x : tile<f32> loc(#loc2)
// LOCATED:      #loc = loc(fused["{{.*}}":34:22, {{.*}})

// READ:      cuda_tile.module @kernels {
// READ-NEXT:   entry @k(%arg0: tile<f32>, %arg1: tile<i1>) {
// READ-NEXT:     %0 = addf %arg0, %arg0 : tile<f32>
// READ-NEXT:     if %arg1 {

// Text may mix both.
cuda_tile.module @kernels {
  cuda_tile.entry @k(%x: tile<f32>, %c: !cuda_tile.tile<i1>) {
    %y = cuda_tile.addf %x, %x : tile<f32>
    if %c {
      %z = cuda_tile.negf %y : !cuda_tile.tile<f32>
    }
    return
  }
}
