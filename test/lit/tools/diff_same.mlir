// The other side of diff.mlir: other names, another order of what has none.
// RUN: tile-diff %S/diff.mlir %s
cuda_tile.module @diff {
  entry @k(%a: tile<i32>, %b: tile<i32>) {
    %p = muli %a, %b : tile<i32>
    %other = addi %a, %b : tile<i32>
    %d = subi %other, %p : tile<i32>
    print_tko "%i", %d : tile<i32> -> token
    print_tko "%i", %other : tile<i32> -> token
    return
  }
}
