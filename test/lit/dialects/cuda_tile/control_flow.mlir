// RUN: ROUNDTRIP
// RUN: GENERIC_ROUNDTRIP

cuda_tile.module @m {
  entry @k(%c: tile<i1>, %n: tile<i32>) {
    %x = constant <f32: 1.0> : tile<4xf32>

    // CHECK: cuda_tile.if %c {
    // CHECK-NEXT: cuda_tile.return
    // CHECK-NEXT: }
    if %c {
      return
    }

    // Attributes that others have put on an operation stay there.
    // CHECK: } {hint = 1 : i32}
    if %c {
      return
    } {hint = 1 : i32}

    // CHECK: } else {
    // CHECK-NEXT: } {hint = 2 : i32}
    if %c {
    } else {
    } {hint = 2 : i32}

    // CHECK: cuda_tile.for {{.*}} {
    // CHECK-NEXT: } {hint = 3 : i32}
    for %h in (%n to %n, step %n) : tile<i32> {
    } {hint = 3 : i32}

    // CHECK: cuda_tile.loop {
    // CHECK-NEXT: cuda_tile.break
    // CHECK-NEXT: } {hint = 4 : i32}
    loop {
      break
    } {hint = 4 : i32}

    // CHECK: %both = cuda_tile.if %c -> (tile<4xf32>) {
    // CHECK-NEXT: cuda_tile.yield %x : tile<4xf32>
    // CHECK-NEXT: } else {
    // CHECK-NEXT: %y = cuda_tile.addf %x, %x : tile<4xf32>
    // CHECK-NEXT: cuda_tile.yield %y : tile<4xf32>
    // CHECK-NEXT: }
    %both = if %c -> (tile<4xf32>) {
      yield %x : tile<4xf32>
    } else {
      %y = addf %x, %x : tile<4xf32>
      yield %y : tile<4xf32>
    }

    // The terminator that says nothing may be left out.
    // CHECK: cuda_tile.for unsigned %i in (%n to %n, step %n) : tile<i32> {
    // CHECK-NEXT: }
    for unsigned %i in (%n to %n, step %n) : tile<i32> {
      continue
    }

    // CHECK: %{{.*}} = cuda_tile.for %j in (%n to %n, step %n) : tile<i32> iter_values(%acc = %x, %one = %n) -> (tile<4xf32>, tile<i32>) {
    // CHECK-NEXT: cuda_tile.if %c {
    // CHECK-NEXT: cuda_tile.continue %acc, %one : tile<4xf32>, tile<i32>
    // CHECK-NEXT: } else {
    // CHECK-NEXT: }
    // CHECK-NEXT: cuda_tile.continue %acc, %j : tile<4xf32>, tile<i32>
    %sum:2 = for %j in (%n to %n, step %n) : tile<i32> iter_values(%acc = %x, %one = %n) -> (tile<4xf32>, tile<i32>) {
      if %c {
        continue %acc, %one : tile<4xf32>, tile<i32>
      } else {
      }
      continue %acc, %j : tile<4xf32>, tile<i32>
    }

    // CHECK: cuda_tile.loop {
    // CHECK-NEXT: cuda_tile.if %c {
    // CHECK-NEXT: cuda_tile.break
    // CHECK-NEXT: }
    // CHECK-NEXT: }
    loop {
      if %c {
        break
      }
    }

    // CHECK: %found = cuda_tile.loop iter_values(%k = %n) : tile<i32> -> tile<4xf32> {
    %found = loop iter_values(%k = %n) : tile<i32> -> tile<4xf32> {
      if %c {
        break %x : tile<4xf32>
      }
      continue %k : tile<i32>
    }

    // CHECK: %first = cuda_tile.loop : tile<i32> {
    %first = loop : tile<i32> {
      break %n : tile<i32>
    }
  }
}
