// The smallest module for which a command fails: what the failure does not need is gone.
// RUN: tile-reduce %s --quiet --test '! grep mulf' | filecheck %s
// RUN: tile-reduce %s --test false --quiet | filecheck %s --check-prefix EMPTY
// RUN: not tile-reduce %s --quiet --test true 2>&1 | filecheck %s --check-prefix FINE
// RUN: not tile-reduce %s --quiet --test '! grep mulf' --says 'no such text' 2>&1 | filecheck %s --check-prefix FINE
// RUN: not tile-reduce %s --quiet --test /no/such/program 2>&1 | filecheck %s --check-prefix NO-PROGRAM

// FINE: tile-reduce: the command does not fail on
// NO-PROGRAM: tile-reduce: the command cannot be run

// CHECK:      builtin.module {
// CHECK-NEXT:   cuda_tile.module @reduce {
// CHECK-NEXT:     cuda_tile.entry @k({{.*}}) {
// CHECK-NEXT:       [[X:%.*]] = cuda_tile.constant
// CHECK-NEXT:       {{%.*}} = cuda_tile.mulf [[X]], [[X]] {{.*}}: tile<f32>
// CHECK-NEXT:       cuda_tile.return
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }

// EMPTY: builtin.module {
// EMPTY-NEXT: }

cuda_tile.module @reduce {
  entry @other() {
    return
  }
  entry @k(%n: tile<i32>) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %x = constant <f32: 2.0> : tile<f32>
    %p = cmpi less_than %n, %c1, signed : tile<i32> -> tile<i1>
    %r = for %i in (%c0 to %n, step %c1) : tile<i32> iter_values(%acc = %x) -> (tile<f32>) {
      %q = if %p -> (tile<f32>) {
        %y = mulf %acc, %x rounding<zero> : tile<f32>
        yield %y : tile<f32>
      } else {
        yield %acc : tile<f32>
      }
      continue %q : tile<f32>
    }
    print_tko "%f", %r : tile<f32> -> token
    return
  }
}
