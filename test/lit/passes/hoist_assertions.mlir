// RUN: tile-opt %s -p hoist-assertions | filecheck %s

cuda_tile.module @m {
  // Out of two loops, each with its guard, and the arithmetic of the condition with it.
  // CHECK-LABEL: entry @nested(
  // CHECK: %c = cuda_tile.cmpi less_than %x, %y, unsigned
  // CHECK: %[[I:.*]] = cuda_tile.cmpi greater_than_or_equal %zero, %x, unsigned
  // CHECK: %[[A:.*]] = cuda_tile.ori %[[I]], %c
  // CHECK: %[[O:.*]] = cuda_tile.cmpi greater_than_or_equal %zero, %y, signed
  // CHECK: %[[B:.*]] = cuda_tile.ori %[[O]], %[[A]]
  // CHECK: cuda_tile.assert %[[B]], "twice"
  // CHECK-NEXT: cuda_tile.for
  // CHECK-NOT: assert
  // CHECK-LABEL: entry @some_turn(
  entry @nested(%x: tile<i32>, %y: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    for %k in (%zero to %y, step %one) : tile<i32> {
      for unsigned %l in (%zero to %x, step %one) : tile<i32> {
        %c = cmpi less_than %x, %y, unsigned : tile<i32> -> tile<i1>
        assert %c, "twice" : tile<i1>
      }
    }
    return
  }

  // A loop that is known to have turns needs no guard, and neither does `loop`.
  // CHECK: cuda_tile.assert %c, "for"
  // CHECK-NEXT: cuda_tile.for
  // CHECK: cuda_tile.assert %c, "loop"
  // CHECK-NEXT: cuda_tile.loop
  entry @some_turn(%c: tile<i1>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    for %k in (%zero to %one, step %one) : tile<i32> {
      assert %c, "for" : tile<i1>
    }
    loop {
      assert %c, "loop" : tile<i1>
      break
    }
    return
  }

  // The one bit of a truth value is -1 to a signed comparison, and 1 to an unsigned one.
  // CHECK-LABEL: entry @truths(
  // CHECK: cuda_tile.assert %c, "from true to false"
  // CHECK: cuda_tile.cmpi greater_than_or_equal %false, %true, signed
  // CHECK: cuda_tile.assert %{{.*}}, "from false to true"
  // CHECK: cuda_tile.assert %c, "unsigned"
  entry @truths(%c: tile<i1>) {
    %false = constant <i1: false> : tile<i1>
    %true = constant <i1: true> : tile<i1>
    for %k in (%true to %false, step %true) : tile<i1> {
      assert %c, "from true to false" : tile<i1>
    }
    for %k in (%false to %true, step %true) : tile<i1> {
      assert %c, "from false to true" : tile<i1>
    }
    for unsigned %k in (%false to %true, step %true) : tile<i1> {
      assert %c, "unsigned" : tile<i1>
    }
    return
  }

  // A condition that changes stays, and so does an assertion that a turn may not come to: in a branch, behind one that
  // leaves the turn, behind a loop that may be endless.
  // CHECK-LABEL: entry @stay(
  // CHECK: cuda_tile.for
  // CHECK: cuda_tile.assert %{{.*}}, "changes"
  // CHECK: cuda_tile.for
  // CHECK: cuda_tile.assert %d, "branch"
  // CHECK: cuda_tile.for
  // CHECK: cuda_tile.assert %d, "after continue"
  // CHECK: cuda_tile.for
  // CHECK: cuda_tile.assert %d, "after loop"
  entry @stay(%x: tile<i32>, %d: tile<i1>, %e: tile<i1>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    for %k in (%zero to %x, step %one) : tile<i32> {
      %c = cmpi less_than %k, %x, signed : tile<i32> -> tile<i1>
      assert %c, "changes" : tile<i1>
    }
    for %k in (%zero to %x, step %one) : tile<i32> {
      if %e {
        assert %d, "branch" : tile<i1>
      }
    }
    for %k in (%zero to %x, step %one) : tile<i32> {
      if %e {
        continue
      }
      assert %d, "after continue" : tile<i1>
    }
    for %k in (%zero to %x, step %one) : tile<i32> {
      loop {
        if %e {
          break
        }
        continue
      }
      assert %d, "after loop" : tile<i1>
    }
    return
  }

  // Behind a loop that ends by itself it moves.
  // CHECK-LABEL: entry @behind_a_loop(
  // CHECK: cuda_tile.assert
  // CHECK-NEXT: cuda_tile.for
  entry @behind_a_loop(%x: tile<i32>, %d: tile<i1>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    for %k in (%zero to %x, step %one) : tile<i32> {
      for %l in (%zero to %x, step %one) : tile<i32> {
        %t = print_tko "%d", %l : tile<i32> -> token
      }
      assert %d, "behind" : tile<i1>
    }
    return
  }

  // A check moves with its number and its values, unless a value is made in the loop.
  // CHECK-LABEL: entry @checks(
  // CHECK: %[[NONE:.*]] = cuda_tile.cmpi greater_than_or_equal
  // CHECK: %[[C:.*]] = cuda_tile.ori %[[NONE]], %d
  // CHECK: ownership.check %[[C]], "" values %x, %x : {{.*}} number = 3 : i32, deferrable}
  // CHECK: cuda_tile.for %k
  // CHECK: ownership.check %d, "m" values %k
  entry @checks(%x: tile<i32>, %d: tile<i1>, %failures: tile<ptr<i64>>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    for %k in (%zero to %x, step %one) : tile<i32> {
      "ownership.check"(%d, %x, %x) <{message = "", names = ["index", "count"], dtypes = ["i32", "i32"], number = 3 : i32, deferrable}> : (!cuda_tile.tile<i1>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> ()
      "ownership.check"(%d, %k) <{message = "m", names = ["k"], dtypes = ["i32"], number = 4 : i32}> : (!cuda_tile.tile<i1>, !cuda_tile.tile<i32>) -> ()
    }
    return
  }
}
