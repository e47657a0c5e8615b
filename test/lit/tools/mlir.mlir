// REQUIRES: mlir
// RUN: tile-opt %s -p 'mlir{canonicalize,cse}' --print-debuginfo | filecheck %s
// RUN: tile-opt %s -p 'mlir{nothing-of-this-name}' --print-diagnostics | filecheck %s --check-prefix=REFUSED

// There and back: attributes, types of dialects that upstream does not know, and locations survive.

// CHECK:      builtin.module {
// CHECK-NEXT:   %0 = "test.op"() {number = 1.500000e+00 : f32, tile = !cuda_tile.token} : () -> i32 loc(callsite("a.py":1:2 at "b.py":3:4))
// CHECK-NEXT:   "test.op"(%0) ({
// CHECK-NEXT:   ^bb0(%arg0: i32 loc(fused["{{.*}}mlir.mlir":14:8, "{{.*}}mlir.mlir":14:10])):
%0 = "test.op"() {number = 1.5 : f32, tile = !cuda_tile.token} : () -> i32 loc(callsite("a.py":1:2 at "b.py":3:4))
"test.op"(%0) ({
  // Blocks have their arguments' places too.
  ^bb0(%x: i32):
  "test.termop"() : () -> ()
}) : (i32) -> ()

// REFUSED: error[O508]: upstream MLIR ({{.*}}) refused `nothing-of-this-name`
// REFUSED: nothing-of-this-name
