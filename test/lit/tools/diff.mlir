// Two modules are the same up to names and order; what differs stands side by side.
// RUN: tile-diff %s %S/diff_same.mlir
// RUN: not tile-diff %s %S/diff_same.mlir --order | filecheck %s --check-prefix ORDER
// RUN: not tile-diff %s %S/diff_same.mlir --names | filecheck %s --check-prefix NAMES
// RUN: tile-opt %s --emit-bytecode -o %t.tileirbc
// RUN: not tile-diff %s %t.tileirbc | filecheck %s --check-prefix MODULE
// RUN: not tile-diff %s %S/diff_other.mlir --width 100 | filecheck %s --check-prefix OTHER
// RUN: not tile-diff %s %S/rejected.mlir 2>&1 | filecheck %s --check-prefix REFUSED

// ORDER: |
// NAMES: %sum{{.*}}|{{.*}}%other
// MODULE: cuda_tile.module @diff {{.*}} | {{.*}}@kernels
// OTHER: @@ {{[0-9]+}} | {{[0-9]+}} @@
// OTHER: muli {{.*}} | {{.*}}addi
// REFUSED: error[O501]

cuda_tile.module @diff {
  entry @k(%x: tile<i32>, %y: tile<i32>) {
    %sum = addi %x, %y : tile<i32>
    %product = muli %x, %y : tile<i32>
    %all = subi %sum, %product : tile<i32>
    print_tko "%i", %all : tile<i32> -> token
    print_tko "%i", %sum : tile<i32> -> token
    return
  }
}
