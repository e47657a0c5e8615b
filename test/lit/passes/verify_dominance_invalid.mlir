// RUN: tile-opt %s -p verify-dominance --print-diagnostics --split-input-file | filecheck %s

// CHECK:      error[O120]: `cuda_tile.addi` uses a value that is not defined there
// CHECK-NEXT:   --> {{.*}}verify_dominance_invalid.mlir:10:8
// CHECK-NEXT:    |
// CHECK-NEXT: 10 |   %a = cuda_tile.addi %b, %b : !cuda_tile.tile<i32>
// CHECK-NEXT:    |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ operand 0 does not dominate this use
// CHECK:      the value is defined here
ownership.kernel @backwards() {
  %a = cuda_tile.addi %b, %b : !cuda_tile.tile<i32>
  %b = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
}

// -----

// CHECK: ownership.kernel @fine
ownership.kernel @fine(%c: !cuda_tile.tile<i1>) {
  %b = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
  cuda_tile.if %c {
    %n = cuda_tile.addi %b, %b : !cuda_tile.tile<i32>
    cuda_tile.yield
  }
}
