// RUN: tile-opt %s -p canonicalize --elide-prefix | filecheck %s
// RUN: tile-opt %s -p canonicalize | tile-run - -a zeros:i32[8] -a 3 -a 5 | filecheck %s --check-prefix=RESULT
// RUN: tile-opt %s -p 'canonicalize{conditions=false}' | filecheck %s --check-prefix=KEPT
// RUN: tile-run %s -a zeros:i32[8] -a 3 -a 5 | filecheck %s --check-prefix=RESULT

// KEPT: cuda_tile.xori
// KEPT: cuda_tile.if %c -> (tile<i32>, tile<i32>)
// KEPT: cuda_tile.if %not

// Each result is stored in an element of its own; it is the same before and after.
// RESULT: [3, 5, 5, 3, 7, 5, 1, 0]

cuda_tile.module @m {
  // CHECK-LABEL: entry @k
  entry @k(%p: tile<ptr<i32>>, %a: tile<i32>, %b: tile<i32>) {
    %0 = constant <i32: 0> : tile<i32>
    %1 = constant <i32: 1> : tile<i32>
    %2 = constant <i32: 2> : tile<i32>
    %3 = constant <i32: 3> : tile<i32>
    %4 = constant <i32: 4> : tile<i32>
    %5 = constant <i32: 5> : tile<i32>
    %6 = constant <i32: 6> : tile<i32>
    %true = constant <i1: true> : tile<i1>
    %false = constant <i1: false> : tile<i1>
    // CHECK: %c = cmpi less_than %a, %b, signed
    %c = cmpi less_than %a, %b, signed : tile<i32> -> tile<i1>
    %not = xori %c, %true : tile<i1>

    // Scalars that exist whatever the `if` does, in both orders.
    // CHECK-NEXT: select %c, %a, %b
    // CHECK-NEXT: select %c, %b, %a
    %s0, %s1 = if %c -> (tile<i32>, tile<i32>) {
      yield %a, %b : tile<i32>, tile<i32>
    } else {
      yield %b, %a : tile<i32>, tile<i32>
    }
    %t0 = store_ptr_tko weak %p, %s0 : tile<ptr<i32>>, tile<i32> -> token
    %p1 = offset %p, %1 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %t1 = store_ptr_tko weak %p1, %s1 : tile<ptr<i32>>, tile<i32> -> token

    // Where two numbers are equal either is as good; of several on one condition one is enough; the opposite of one.
    // CHECK-NOT: select
    // CHECK: store_ptr_tko weak %p2, %b
    %e = cmpi equal %a, %b, signed : tile<i32> -> tile<i1>
    %s2 = select %e, %a, %b : tile<i1>, tile<i32>
    %p2 = offset %p, %2 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %t2 = store_ptr_tko weak %p2, %s2 : tile<ptr<i32>>, tile<i32> -> token
    // CHECK: select %c, %a, %b
    %s3a = select %not, %5, %a : tile<i1>, tile<i32>
    %s3 = select %c, %s3a, %b : tile<i1>, tile<i32>
    %p3 = offset %p, %3 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %t3 = store_ptr_tko weak %p3, %s3 : tile<ptr<i32>>, tile<i32> -> token

    // What is computed in a region stays there, under the condition itself.
    // CHECK: if %c
    // CHECK-NEXT: addi %a, %{{.*}}
    // CHECK: else
    %s4 = if %not -> (tile<i32>) {
      yield %b : tile<i32>
    } else {
      %sum = addi %a, %4 : tile<i32>
      yield %sum : tile<i32>
    }
    %p4 = offset %p, %4 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %t4 = store_ptr_tko weak %p4, %s4 : tile<ptr<i32>>, tile<i32> -> token

    // An `if` with nothing in it but another.
    // CHECK: %[[BOTH:.*]] = andi %c, %{{.*}}
    // CHECK-NEXT: if %[[BOTH]] {
    // CHECK-NOT: if
    %n = cmpi not_equal %a, %b, signed : tile<i32> -> tile<i1>
    %p5 = offset %p, %5 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    if %c {
      if %n {
        %t5 = store_ptr_tko weak %p5, %b : tile<ptr<i32>>, tile<i32> -> token
      }
    }

    // Truth values, promises made before.
    // CHECK: assume bounded<0, ?>, %a
    // CHECK-NOT: assume
    // CHECK: exti %c unsigned
    %u0 = assume bounded<0, ?>, %a : tile<i32>
    %u1 = assume bounded<0, ?>, %u0 : tile<i32>
    %truth = if %c -> (tile<i1>) {
      %yes = constant <i1: true> : tile<i1>
      yield %yes : tile<i1>
    } else {
      yield %false : tile<i1>
    }
    %s6 = exti %truth unsigned : tile<i1> -> tile<i32>
    %p6 = offset %p, %6 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %big = cmpi greater_than %u1, %0, signed : tile<i32> -> tile<i1>
    if %big {
      %t6 = store_ptr_tko weak %p6, %s6 : tile<ptr<i32>>, tile<i32> -> token
    }

    // Both ways leave: nothing behind is reached.
    // CHECK: if %{{.*}} {
    // CHECK: return
    // CHECK-NEXT: }
    // CHECK-NEXT: return
    // CHECK-NEXT: }
    %p7 = offset %p6, %1 : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    if %n {
      print_tko "left" -> token
      return
    } else {
      return
    }
    %t7 = store_ptr_tko weak %p7, %b : tile<ptr<i32>>, tile<i32> -> token
    return
  }
}
