// RUN: tile-opt %s --print-diagnostics --split-input-file | filecheck %s

// Every operation that does not verify is shown where it stands, all of a module at once.

builtin.module {
  "test.op"() ({
    "test.op"() : () -> ()
  }) : () -> ()
  "test.op"() ({
    %0 = "test.op"() : () -> i32
  }) : () -> ()
}

// CHECK:      error[O502]: `test.op`: Operation test.op terminates block in single-block region but is not a terminator
// CHECK-NEXT:  --> {{.*}}rejected.mlir:7:5
// CHECK-NEXT:   |
// CHECK-NEXT: 7 |     "test.op"() : () -> ()
// CHECK-NEXT:   |     ^^^^^^^^^^^^^^^^^^^^^^ this operation does not verify
// CHECK:      error[O502]
// CHECK-NEXT:   --> {{.*}}rejected.mlir:10:10
// CHECK:      2 errors

// -----

// An accepted module between two that are not is printed.

// CHECK:      // -----
// CHECK-NEXT: builtin.module {
// CHECK-NEXT:   "test.op"() : () -> ()
// CHECK-NEXT: }
"test.op"() : () -> ()

// -----

// CHECK:      // -----
// CHECK-NEXT: error[O501]: Operation nobody.knows is not registered
// CHECK-NEXT:   --> {{.*}}rejected.mlir:41:8
// CHECK-NEXT:    |
// CHECK-NEXT: 41 |   %0 = nobody.knows
// CHECK-NEXT:    |        ^^^^^^^^^^^^ not understood from here on
  %0 = nobody.knows

// -----

// CHECK:      error[O502]: `test.op`: contains empty block in single-block region
"test.op"() ({
^bb0(%x: i32):
}) : () -> ()

// -----

// Values that nothing defines are shown where they are used, all at once.

// CHECK:      // -----
// CHECK-NEXT: error[O501]: `%b` is used and nothing defines it
// CHECK:      {{[0-9]+}} |   %a = "test.op"(%b, %c) : (i32, i32) -> i32
// CHECK-NEXT:     |                  ^^ used here
// CHECK:      error[O501]: `%d` is used and nothing defines it
// CHECK:      2 errors
"test.op"() ({
  %a = "test.op"(%b, %c) : (i32, i32) -> i32
  %c = "test.op"(%d) : (i64) -> i32
  "test.termop"() : () -> ()
}) : () -> ()

// -----

// A type that its class refuses.

// CHECK:      // -----
// CHECK-NEXT: error[O501]: cuda_tile.tile: every extent must be a positive power of two, got 3
// CHECK:      {{[0-9]+}} |   %0 = "test.op"() : () -> !cuda_tile.tile<3xf32>
// CHECK-NEXT:    |        ^^^
  %0 = "test.op"() : () -> !cuda_tile.tile<3xf32>
