// RUN: tile-opt %s -p 'cuda_tile.module(cuda_tile.entry(loop-split))' --elide-prefix | filecheck %s
// RUN: tile-opt %s -p 'loop-split{split-threshold=3}' --elide-prefix | filecheck %s --check-prefix=THREE
// RUN: tile-opt %s -p loop-split | tile-run - --symbol cut -a zeros:i32[4] -a 3 -a 9 -a 2 | filecheck %s --check-prefix=RESULT
// RUN: tile-run %s --symbol cut -a zeros:i32[4] -a 3 -a 9 -a 2 | filecheck %s --check-prefix=RESULT

// RESULT: [31,  0,  0,  0]

cuda_tile.module @m {
  // The cut lies behind the number; the greatest one stands for itself. What the comparison is used for besides is known.
  // CHECK-LABEL: entry @cut
  // CHECK: %[[LAST:.*]] = constant <i32: 2147483646>
  // CHECK-NEXT: %[[CLAMPED:.*]] = mini %k, %[[LAST]] signed
  // CHECK-NEXT: %[[ONE:.*]] = constant <i32: 1>
  // CHECK-NEXT: %[[CUT:.*]] = addi %[[CLAMPED]], %[[ONE]]
  // CHECK-NEXT: %[[END:.*]] = mini %[[CUT]], %n signed
  // CHECK-NEXT: %[[START:.*]] = maxi %[[CUT]], %zero signed
  // CHECK-NEXT: %[[FIRST:.*]] = for %{{.*}} in (%zero to %[[END]], step %one) : tile<i32> iter_values(%{{.*}} = %zero)
  // CHECK-NEXT: %[[FALSE:.*]] = constant <i1: false>
  // CHECK-NEXT: exti %[[FALSE]]
  // CHECK-NOT: if
  // CHECK: continue
  // CHECK: for %[[I:.*]] in (%[[START]] to %n, step %one) : tile<i32> iter_values(%[[S:.*]] = %[[FIRST]])
  // CHECK-NEXT: %[[TRUE:.*]] = constant <i1: true>
  // CHECK-NEXT: exti %[[TRUE]]
  // CHECK-NEXT: addi %[[S]], %[[I]]
  // CHECK-NEXT: addi
  // CHECK-NEXT: continue
  // THREE-LABEL: entry @cut
  // THREE-COUNT-1: = for
  // THREE-NOT: = for
  // THREE: return
  entry @cut(%p: tile<ptr<i32>>, %k: tile<i32>, %n: tile<i32>, %step: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %r = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%s = %zero) -> (tile<i32>) {
      %late = cmpi less_than %k, %i, signed : tile<i32> -> tile<i1>
      %wide = exti %late unsigned : tile<i1> -> tile<i32>
      %t = if %late -> (tile<i32>) {
        %u = addi %s, %i : tile<i32>
        yield %u : tile<i32>
      } else {
        %u = subi %s, %one : tile<i32>
        continue %u : tile<i32>
      }
      %v = addi %t, %wide : tile<i32>
      continue %v : tile<i32>
    }
    store_ptr_tko weak %p, %r : tile<ptr<i32>>, tile<i32> -> token
    return
  }

  // A step that is known: the first turn of the second loop is computed. One that is not known: no number on the way to
  // it wraps.
  // CHECK-LABEL: entry @steps
  // CHECK: %[[WAY:.*]] = subi %thirty, %low
  // CHECK-NEXT: %[[TURNS:.*]] = divi %[[WAY]], %four signed rounding<positive_inf>
  // CHECK-NEXT: %[[FAR:.*]] = muli %[[TURNS]], %four
  // CHECK-NEXT: %[[CUT:.*]] = addi %low, %[[FAR]]
  // CHECK-NEXT: mini %[[CUT]], %n signed
  // CHECK-NEXT: maxi %[[CUT]], %low signed
  // CHECK-NEXT: for
  // CHECK: for
  // CHECK: %[[BELOW:.*]] = mini %thirty, %n unsigned
  // CHECK-NEXT: %[[END:.*]] = maxi %[[BELOW]], %low unsigned
  // CHECK-NEXT: %[[GONE:.*]] = subi %[[END]], %low
  // CHECK-NEXT: %[[LEFT:.*]] = remi %[[GONE]], %step unsigned
  // CHECK: %[[MISSING:.*]] = subi %step, %[[LEFT]]
  // CHECK-NEXT: %[[TO:.*]] = select %{{.*}}, %{{.*}}, %[[MISSING]]
  // CHECK-NEXT: %[[MOST:.*]] = subi %n, %[[END]]
  // CHECK-NEXT: %[[STEPS:.*]] = mini %[[TO]], %[[MOST]] unsigned
  // CHECK-NEXT: %[[START:.*]] = addi %[[END]], %[[STEPS]]
  // CHECK-NEXT: for unsigned %{{.*}} in (%low to %[[END]], step %step)
  // CHECK: for unsigned %{{.*}} in (%[[START]] to %n, step %step)
  // THREE-LABEL: entry @steps
  // THREE-COUNT-4: for {{.*}} in
  entry @steps(%n: tile<i32>, %step: tile<i32>) {
    %low = constant <i32: -2> : tile<i32>
    %four = constant <i32: 4> : tile<i32>
    %thirty = constant <i32: 30> : tile<i32>
    for %i in (%low to %n, step %four) : tile<i32> {
      %early = cmpi less_than %i, %thirty, signed : tile<i32> -> tile<i1>
      if %early {
        for %j in (%low to %n, step %four) : tile<i32> {
          print_tko "%d", %i : tile<i32> -> token
        }
      }
    }
    for unsigned %i in (%low to %n, step %step) : tile<i32> {
      %early = cmpi less_than %i, %thirty, unsigned : tile<i32> -> tile<i1>
      if %early {
        print_tko "%d", %i : tile<i32> -> token
        print_tko "%d", %i : tile<i32> -> token
        print_tko "%d", %i : tile<i32> -> token
      }
    }
    return
  }

  // Left alone: another reading of the numbers, equality, a number that the loop changes, what another `if` decides, and
  // what a hint says.
  // CHECK-LABEL: entry @apart
  // CHECK-COUNT-5: = for
  // CHECK-NOT: = for
  // CHECK: return
  entry @apart(%k: tile<i32>, %n: tile<i32>, %c: tile<i1>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %r0 = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%s = %zero) -> (tile<i32>) {
      %x = cmpi less_than %i, %k, unsigned : tile<i32> -> tile<i1>
      if %x {
        print_tko "x" -> token
      }
      continue %i : tile<i32>
    }
    %r1 = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%s = %zero) -> (tile<i32>) {
      %x = cmpi equal %i, %k, signed : tile<i32> -> tile<i1>
      if %x {
        print_tko "x" -> token
      }
      continue %i : tile<i32>
    }
    %r2 = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%s = %zero) -> (tile<i32>) {
      %x = cmpi less_than %i, %s, signed : tile<i32> -> tile<i1>
      if %x {
        print_tko "x" -> token
      }
      continue %i : tile<i32>
    }
    %r3 = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%s = %zero) -> (tile<i32>) {
      %x = cmpi less_than %i, %k, signed : tile<i32> -> tile<i1>
      %y = andi %x, %c : tile<i1>
      if %y {
        print_tko "x" -> token
      }
      continue %i : tile<i32>
    }
    %r4 = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%s = %zero) -> (tile<i32>) {
      %x = cmpi less_than %i, %k, signed : tile<i32> -> tile<i1>
      if %x {
        print_tko "x" -> token
      }
      continue %i : tile<i32>
    } {cuda_tile.loop_split = 0}
    return
  }

  // The hint that is nearest counts.
  // CHECK-LABEL: entry @hinted
  // CHECK-COUNT-2: = for
  // CHECK-NOT: = for
  // CHECK: return
  entry @hinted(%k: tile<i32>, %n: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %r = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%s = %zero) -> (tile<i32>) {
      %x = cmpi less_than %i, %k, signed : tile<i32> -> tile<i1>
      if %x {
        print_tko "x" -> token
      } {cuda_tile.loop_split = 1}
      continue %i : tile<i32>
    } {cuda_tile.loop_split = 0}
    return
  } {cuda_tile.loop_split = 0}
}
