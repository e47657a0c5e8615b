// RUN: tile-opt %s -p simplify-conditions --elide-prefix | filecheck %s

cuda_tile.module @m {
  // What only one region yields is what there is; a literal is selected from element by element; tiles stay in an `if`.
  // CHECK-LABEL: entry @other
  entry @other(%p: tile<ptr<i32>>, %c: tile<i1>) {
    // CHECK: %[[L:.*]] = constant <i32: [0, 3, 4, 7]>
    %m = constant <i1: [true, false, true, false]> : tile<4xi1>
    %x = constant <i32: [0, 2, 4, 6]> : tile<4xi32>
    %y = constant <i32: [1, 3, 5, 7]> : tile<4xi32>
    %l = select %m, %x, %y : tile<4xi1>, tile<4xi32>
    // CHECK: if %c {
    // CHECK-NEXT: return
    // CHECK-NEXT: }
    %r = if %c -> (tile<4xi32>) {
      return
    } else {
      yield %l : tile<4xi32>
    }
    // CHECK: if %c
    %k = if %c -> (tile<4xi32>) {
      yield %x : tile<4xi32>
    } else {
      yield %y : tile<4xi32>
    }
    print_tko "%d %d", %r, %k : tile<4xi32>, tile<4xi32> -> token
    return
  }
}
