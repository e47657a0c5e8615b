// Of the modules of a file, the first for which the command fails is reduced.
// RUN: tile-reduce %s --quiet --split-input-file --test '! grep muli' | filecheck %s
// RUN: not tile-reduce %s --quiet --split-input-file --test '! grep mulf' 2>&1 | filecheck %s --check-prefix FINE

// FINE: tile-reduce: the command does not fail on

cuda_tile.module @first {
  entry @k(%n: tile<i32>) {
    return
  }
}

// -----

// CHECK-NOT: first
// CHECK: cuda_tile.module @second {
// CHECK-NEXT: cuda_tile.entry @k
// CHECK-NEXT: cuda_tile.muli
// CHECK-NEXT: cuda_tile.return
cuda_tile.module @second {
  entry @k(%n: tile<i32>) {
    %0 = addi %n, %n : tile<i32>
    %1 = muli %n, %n : tile<i32>
    return
  }
}
