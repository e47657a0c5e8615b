// RUN: tile-opt %s -p lower-checks | filecheck %s

cuda_tile.module @m {
  // The first failure of the launch takes the first word; then come the block and the values, and last the check's number.
  // CHECK-LABEL: entry @straight(
  // CHECK: %[[FAILED:.*]] = cuda_tile.xori %ok, %{{.*}}
  // CHECK: cuda_tile.if %[[FAILED]] {
  // CHECK: %[[OLD:.*]], %[[T:.*]] = cuda_tile.atomic_cas_tko relaxed device %failures, %[[ZERO:.*]], %{{.*}}
  // CHECK: %[[FIRST:.*]] = cuda_tile.cmpi equal %[[OLD]], %[[ZERO]], signed
  // CHECK: cuda_tile.if %[[FIRST]] {
  // CHECK: %[[BLOCK:.*]], %{{.*}}, %{{.*}} = cuda_tile.get_tile_block_id
  // CHECK: %[[WORD:.*]] = cuda_tile.exti %[[BLOCK]] signed : tile<i32> -> tile<i64>
  // CHECK: cuda_tile.exti %n signed : tile<i32> -> tile<i64>
  // CHECK: cuda_tile.exti %u unsigned : tile<i32> -> tile<i64>
  // CHECK: %[[BITS:.*]] = cuda_tile.bitcast %x : tile<f32> -> tile<i32>
  // CHECK: cuda_tile.exti %[[BITS]] signed : tile<i32> -> tile<i64>
  // CHECK: cuda_tile.ftof %h : tile<bf16> -> tile<f32>
  // CHECK: cuda_tile.constant <i64: 1024>
  // CHECK: cuda_tile.store_ptr_tko weak %{{.*}}, %[[WORD]] token=%[[T]]
  // CHECK: cuda_tile.store_ptr_tko release sys %failures, %{{.*}} token=%
  // CHECK: }
  // CHECK: cuda_tile.return
  // CHECK: }
  // CHECK: cuda_tile.return
  entry @straight(%ok: tile<i1>, %n: tile<i32>, %u: tile<i32>, %x: tile<f32>, %h: tile<bf16>, %failures: tile<ptr<i64>>) {
    "ownership.check"(%ok, %n, %u, %x, %h) <{message = "m", names = ["n", "u", "x", "h"], dtypes = ["i32", "u32", "f32", "bf16"], number = 6 : i32}> : (!cuda_tile.tile<i1>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<f32>, !cuda_tile.tile<bf16>) -> ()
    return
  }

  // Indices of reads in a nest of loops: the loops carry the first failure along, and it is written down behind them.
  // CHECK-LABEL: entry @deferred(
  // CHECK: %one = cuda_tile.constant
  // CHECK-NEXT: %[[NONE:.*]] = cuda_tile.constant <i32: 0>
  // CHECK: %[[OUT:.*]], %[[NUMBER:.*]], %[[I:.*]], %[[C:.*]] = cuda_tile.for %k in {{.*}} iter_values(%s = %zero, %[[A:.*]] = %[[NONE]], %[[B:.*]] = %[[NONE]], %[[D:.*]] = %[[NONE]])
  // CHECK: cuda_tile.for %l in {{.*}} iter_values(%[[A2:.*]] = %[[A]], %[[B2:.*]] = %[[B]], %[[D2:.*]] = %[[D]])
  // CHECK: %[[FAILED:.*]] = cuda_tile.xori %ok, %
  // CHECK: %[[NO:.*]] = cuda_tile.cmpi equal %[[A2]], %{{.*}}, signed
  // CHECK: %[[FIRST:.*]] = cuda_tile.andi %[[NO]], %[[FAILED]]
  // CHECK: %[[MINE:.*]] = cuda_tile.constant <i32: 3>
  // CHECK: cuda_tile.select %[[FIRST]], %[[MINE]], %[[A2]]
  // CHECK: cuda_tile.select %[[FIRST]], %l, %[[B2]]
  // CHECK: cuda_tile.select %[[FIRST]], %n, %[[D2]]
  // CHECK: cuda_tile.continue
  // CHECK: }
  // CHECK: cuda_tile.if %skip {
  // CHECK-NEXT: cuda_tile.continue %s, %{{.*}}, %{{.*}}, %{{.*}} : tile<i32>, tile<i32>, tile<i32>, tile<i32>
  // CHECK: }
  // CHECK: cuda_tile.cmpi not_equal %[[NUMBER]], %[[NONE]], signed
  // CHECK: cuda_tile.if
  // CHECK: cuda_tile.atomic_cas_tko
  // CHECK: cuda_tile.exti %[[I]] signed
  // CHECK: cuda_tile.exti %[[C]] signed
  // CHECK: cuda_tile.exti %[[NUMBER]] signed
  // CHECK: cuda_tile.return
  entry @deferred(%ok: tile<i1>, %skip: tile<i1>, %n: tile<i32>, %failures: tile<ptr<i64>>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %r = for %k in (%zero to %n, step %one) : tile<i32> iter_values(%s = %zero) -> (tile<i32>) {
      for %l in (%zero to %n, step %one) : tile<i32> {
        "ownership.check"(%ok, %l, %n) <{message = "", names = ["index", "count"], dtypes = ["i32", "i32"], number = 2 : i32, deferrable}> : (!cuda_tile.tile<i1>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> ()
      }
      if %skip {
        continue %s : tile<i32>
      }
      %t = addi %s, %k : tile<i32>
      continue %t : tile<i32>
    }
    return
  }

  // The loop around it has an effect, so its turn ends behind the inner loop.
  // CHECK-LABEL: entry @in_front_of_an_effect(
  // CHECK: %[[F:.*]] = cuda_tile.for %p in {{.*}} iter_values(%[[FLAG:.*]] = %[[FALSE:.*]]) -> (tile<i1>) {
  // CHECK-NEXT: cuda_tile.if %[[FLAG]] {
  // CHECK: %[[NUMBER:.*]], %{{.*}}, %{{.*}} = cuda_tile.for %l in
  // CHECK: %[[C:.*]] = cuda_tile.cmpi not_equal %[[NUMBER]], %
  // CHECK-NEXT: cuda_tile.if %[[C]] {
  // CHECK: cuda_tile.atomic_cas_tko
  // CHECK: cuda_tile.continue %[[TRUE:.*]] : tile<i1>
  // CHECK: cuda_tile.print_tko
  // CHECK: cuda_tile.continue %[[FALSE]] : tile<i1>
  // CHECK: cuda_tile.if %[[F]] {
  // CHECK-NEXT: cuda_tile.return
  entry @in_front_of_an_effect(%ok: tile<i1>, %n: tile<i32>, %failures: tile<ptr<i64>>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    for %p in (%zero to %n, step %one) : tile<i32> {
      for %l in (%zero to %n, step %one) : tile<i32> {
        "ownership.check"(%ok, %l, %n) <{message = "", names = ["index", "count"], dtypes = ["i32", "i32"], number = 2 : i32, deferrable}> : (!cuda_tile.tile<i1>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> ()
      }
      %t = print_tko "%d", %p : tile<i32> -> token
    }
    return
  }

  // Otherwise a turn that failed ends, the following ones do nothing, and the block ends behind the loop. A `loop` in a
  // `for` is left by `break`; one around it is left by `return`.
  // CHECK-LABEL: entry @at_once(
  // CHECK: cuda_tile.loop {
  // CHECK: %[[R:.*]], %[[F:.*]] = cuda_tile.for %k in {{.*}} iter_values(%s = %zero, %[[FLAG:.*]] = %[[FALSE:.*]]) -> (tile<i32>, tile<i1>) {
  // CHECK-NEXT: cuda_tile.if %[[FLAG]] {
  // CHECK-NEXT: cuda_tile.continue %s, %[[TRUE:.*]] : tile<i32>, tile<i1>
  // CHECK: %[[V:.*]], %[[G:.*]] = cuda_tile.loop : tile<i32>, tile<i1>
  // CHECK: cuda_tile.atomic_cas_tko
  // CHECK: %[[DUMMY:.*]] = cuda_tile.constant <i32: 0>
  // CHECK-NEXT: cuda_tile.break %[[DUMMY]], %[[TRUE]] : tile<i32>, tile<i1>
  // CHECK: cuda_tile.break %k, %[[FALSE]] : tile<i32>, tile<i1>
  // CHECK: cuda_tile.if %[[G]] {
  // CHECK-NEXT: cuda_tile.continue %s, %[[TRUE]] : tile<i32>, tile<i1>
  // CHECK: cuda_tile.continue %[[V]], %[[FALSE]] : tile<i32>, tile<i1>
  // CHECK: cuda_tile.if %[[F]] {
  // CHECK-NEXT: cuda_tile.return
  entry @at_once(%ok: tile<i1>, %n: tile<i32>, %failures: tile<ptr<i64>>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    loop {
      %r = for %k in (%zero to %n, step %one) : tile<i32> iter_values(%s = %zero) -> (tile<i32>) {
        %v = loop : tile<i32> {
          "ownership.check"(%ok) <{message = "m", number = 0 : i32}> : (!cuda_tile.tile<i1>) -> ()
          break %k : tile<i32>
        }
        continue %v : tile<i32>
      }
      break
    }
    return
  }

  // Nothing to do: nothing is done.
  // CHECK-LABEL: entry @none(
  // CHECK-NEXT: cuda_tile.return
  entry @none() {
    return
  }
}
