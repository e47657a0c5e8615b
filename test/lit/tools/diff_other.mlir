// The other side of diff.mlir: another program, and an order that counts.
// RUN: not tile-diff %S/diff_same.mlir %s
cuda_tile.module @diff {
  entry @k(%a: tile<i32>, %b: tile<i32>) {
    %p = addi %a, %a : tile<i32>
    %other = addi %a, %b : tile<i32>
    %d = subi %other, %p : tile<i32>
    print_tko "%i", %d : tile<i32> -> token
    print_tko "%i", %other : tile<i32> -> token
    return
  }
}
