// RUN: tile-opt %s -p canonicalize --elide-prefix | filecheck %s

cuda_tile.module @m {
  // What only one region yields is what there is; a literal is selected from element by element, and
  // tiles by a condition that is as large.
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
    // CHECK: %[[ONE:.*]] = reshape %c : tile<i1> -> tile<1xi1>
    // CHECK-NEXT: %[[FOUR:.*]] = broadcast %[[ONE]] : tile<1xi1> -> tile<4xi1>
    // CHECK-NEXT: select %[[FOUR]], %x, %y : tile<4xi1>, tile<4xi32>
    %k = if %c -> (tile<4xi32>) {
      yield %x : tile<4xi32>
    } else {
      yield %y : tile<4xi32>
    }
    print_tko "%d %d", %r, %k : tile<4xi32>, tile<4xi32> -> token
    return
  }

  // A token is no tile, and is not selected.
  // CHECK-LABEL: entry @tokens
  entry @tokens(%p: tile<ptr<i32>>, %c: tile<i1>) {
    %x, %t = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
    %y, %u = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
    // CHECK: %[[EITHER:.*]] = if %c -> (token) {
    // CHECK: } else {
    // CHECK: }
    // CHECK: store_ptr_tko weak %p, %{{.*}} token=%[[EITHER]]
    %either = if %c -> (token) {
      yield %t : token
    } else {
      yield %u : token
    }
    %sum = addi %x, %y : tile<i32>
    store_ptr_tko weak %p, %sum token=%either : tile<ptr<i32>>, tile<i32> -> token
    return
  }

  // Two in a row on one condition or its opposite are one. What the first yields is what the second uses; where the
  // first leaves, the second is not reached.
  // CHECK-LABEL: entry @again
  entry @again(%a: tile<i32>, %b: tile<i32>, %c: tile<i1>) {
    // CHECK: %[[R:.*]]:2 = if %c
    // CHECK-NEXT: %[[SUM:.*]] = addi %a, %b
    // CHECK-NEXT: %[[PRODUCT:.*]] = muli %[[SUM]], %a
    // CHECK-NEXT: yield %[[SUM]], %[[PRODUCT]]
    // CHECK-NEXT: } else {
    // CHECK-NEXT: print_tko "left"
    // CHECK-NEXT: return
    // CHECK-NEXT: }
    // CHECK-NOT: if
    // CHECK: print_tko "%d %d", %[[R]]#0, %[[R]]#1
    %true = constant <i1: true> : tile<i1>
    %not = xori %c, %true : tile<i1>
    %sum = if %c -> (tile<i32>) {
      %s = addi %a, %b : tile<i32>
      yield %s : tile<i32>
    } else {
      print_tko "left" -> token
      return
    }
    %product = if %not -> (tile<i32>) {
      %s = subi %sum, %a : tile<i32>
      yield %s : tile<i32>
    } else {
      %s = muli %sum, %a : tile<i32>
      yield %s : tile<i32>
    }
    print_tko "%d %d", %sum, %product : tile<i32>, tile<i32> -> token
    return
  }

  // Hints stay with what they are of, and keep apart what has others.
  // CHECK-LABEL: entry @hints
  entry @hints(%c: tile<i1>) {
    // CHECK: if %c {
    // CHECK-NEXT: print_tko "no"
    // CHECK-NEXT: } else {
    // CHECK-NEXT: print_tko "yes"
    // CHECK-NEXT: } {cuda_tile.loop_split = 0
    // CHECK-NEXT: if %c {
    // CHECK-NEXT: print_tko "more"
    // CHECK-NEXT: }
    // CHECK-NEXT: return
    %true = constant <i1: true> : tile<i1>
    %not = xori %c, %true : tile<i1>
    if %not {
      print_tko "yes" -> token
    } else {
      print_tko "no" -> token
    } {cuda_tile.loop_split = 0}
    if %c {
      print_tko "more" -> token
    }
    return
  }

  // One and zero are truth values made wider; constants are gathered, but not from a reduction.
  // CHECK-LABEL: entry @extended
  entry @extended(%c: tile<i1>) {
    // CHECK-DAG: %[[TRUE:.*]] = constant <i1: true>
    // CHECK-DAG: %[[SEVEN:.*]] = constant <i32: 7> : tile<i32>
    // CHECK: exti %c unsigned : tile<i1> -> tile<i32>
    // CHECK: %[[NOT:.*]] = xori %c, %[[TRUE]]
    // CHECK: exti %[[NOT]] unsigned
    // CHECK: if %c {
    // CHECK-NEXT: print_tko "%d", %[[SEVEN]]
    // CHECK: reduce
    // CHECK: constant <i32: 7>
    %v = iota : tile<8xi32>
    %one = constant <i32: 1> : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %x = select %c, %one, %zero : tile<i1>, tile<i32>
    %y = select %c, %zero, %one : tile<i1>, tile<i32>
    print_tko "%d %d", %x, %y : tile<i32>, tile<i32> -> token
    if %c {
      %seven = constant <i32: 7> : tile<i32>
      print_tko "%d", %seven : tile<i32> -> token
    }
    %seven = constant <i32: 7> : tile<i32>
    print_tko "%d", %seven : tile<i32> -> token
    %r = reduce %v dim=0 identities=[0 : i32] : tile<8xi32> -> tile<i32>
    (%e: tile<i32>, %f: tile<i32>) {
      %w = constant <i32: 7> : tile<i32>
      %g = xori %e, %f : tile<i32>
      %h = andi %g, %w : tile<i32>
      yield %h : tile<i32>
    }
    print_tko "%d", %r : tile<i32> -> token
    return
  }
}
