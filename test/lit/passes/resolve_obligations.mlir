// RUN: tile-opt %s -p resolve-obligations,report-obligations --split-input-file | filecheck %s

// The rungs of the ladder, one load each. The launch checks of the loops are needed only where the loop runs at all.
// CHECK:      // @ladder
// CHECK-NEXT: //{{.*}} region of `y`: in bounds along axis 0: proved (0 <= i < ceildiv(N, 64) by rules)
// CHECK-NEXT: //{{.*}} load from `x`: in bounds along axis 0: checked at launch: ceildiv(N, 64) - 1 < ceildiv(M, 64)
// CHECK-NEXT: //{{.*}} load from `x`: in bounds along axis 0: checked at launch: 5 < ceildiv(M, 64)
// CHECK-NEXT: //{{.*}} load from `w`: in bounds along axis 0: checked at launch: ceildiv(M, 64) <= 5 or ceildiv(M, 64) - 1 < ceildiv(K, 64)
// CHECK-NEXT: //{{.*}} load from `x`: in bounds along axis 0: proved (0 <= k < ceildiv(M, 64) by rules)
// CHECK-NEXT: //{{.*}} load from `w`: in bounds along axis 0: checked at launch: ceildiv(N, 64) - 1 < ceildiv(K, 64)
// CHECK-NEXT: //{{.*}} load from `x`: in bounds along axis 0: proved (0 <= i < ceildiv(M, 64) by rules)
// CHECK-NEXT: //{{.*}} load from `w`: in bounds along axis 0: checked at launch: min(ceildiv(M, 64) - 1, ceildiv(N, 64) - 1) < ceildiv(K, 64)
// CHECK-NEXT: //{{.*}} load from `x`: in bounds along axis 0: checked at launch: 0 <= s and s < ceildiv(M, 64)
// CHECK-NEXT: //{{.*}} load from `x`: in bounds along axis 0: checked in the kernel: 0 <= w2 and w2 < ceildiv(M, 64)
ownership.kernel @ladder(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[M], f32>, %w: !ownership.tensor<[K], f32>, %s: !cuda_tile.tile<i32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<out tile [64], [N], f32>
  %u = ownership.borrow %x : !ownership.tensor<[M], f32> -> !ownership.ref<[M], f32>
  %v = ownership.borrow %w : !ownership.tensor<[K], f32> -> !ownership.ref<[K], f32>
  ownership.distribute %p : !ownership.partition<out tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<out tile [64], [N], f32> -> !ownership.region<out tile [64], [N], f32>
    %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
    %two = cuda_tile.constant <i32: 2> : !cuda_tile.tile<i32>
    %five = cuda_tile.constant <i32: 5> : !cuda_tile.tile<i32>
    %t0 = ownership.load %u[%i] : !ownership.ref<[M], f32> -> !cuda_tile.tile<64xf32>
    %t1 = ownership.load %u[%five] : !ownership.ref<[M], f32> -> !cuda_tile.tile<64xf32>
    %n = ownership.tiles %u, 0 by 64 : !ownership.ref<[M], f32>
    cuda_tile.for %k in (%five to %n, step %two) : !cuda_tile.tile<i32> {
      %t2 = ownership.load %v[%k] : !ownership.ref<[K], f32> -> !cuda_tile.tile<64xf32>
      %t3 = ownership.load %u[%k] : !ownership.ref<[M], f32> -> !cuda_tile.tile<64xf32>
      cuda_tile.continue
    }
    // Causal: the bound depends on the point.
    %i1 = cuda_tile.addi %i, %one : !cuda_tile.tile<i32>
    cuda_tile.for %k in (%zero to %i1, step %one) : !cuda_tile.tile<i32> {
      %t2 = ownership.load %v[%k] : !ownership.ref<[K], f32> -> !cuda_tile.tile<64xf32>
      cuda_tile.continue
    }
    // A condition counts.
    %c = cuda_tile.cmpi less_than %i, %n, signed : !cuda_tile.tile<i32> -> !cuda_tile.tile<i1>
    cuda_tile.if %c {
      %t4 = ownership.load %u[%i] : !ownership.ref<[M], f32> -> !cuda_tile.tile<64xf32>
      %t5 = ownership.load %v[%i] : !ownership.ref<[K], f32> -> !cuda_tile.tile<64xf32>
      cuda_tile.yield
    }
    %a = ownership.load %u[%s] : !ownership.ref<[M], f32> -> !cuda_tile.tile<64xf32>
    // Multiplied and divided again: the product may wrap, so what comes out is any number.
    %big = cuda_tile.constant <i32: 100000> : !cuda_tile.tile<i32>
    %w1 = cuda_tile.muli %i, %big : !cuda_tile.tile<i32>
    %w2 = cuda_tile.divi %w1, %big signed : !cuda_tile.tile<i32>
    %b = ownership.load %u[%w2] : !ownership.ref<[M], f32> -> !cuda_tile.tile<64xf32>
    ownership.store %a, %r : !cuda_tile.tile<64xf32>, !ownership.region<out tile [64], [N], f32>
  }
}

// -----

// Clamped and guarded indices are proved, whatever the number is; so is one behind a `continue`.
// CHECK:      // @clamped
// CHECK-NEXT: //{{.*}} load from `x`: in bounds along axis 0: proved
// CHECK-NEXT: //{{.*}} load from `x`: in bounds along axis 0: proved (0 <= s < ceildiv(M, 64) by rules)
// CHECK-NEXT: //{{.*}} load from `x`: in bounds along axis 0: proved (0 <= k < ceildiv(M, 64) by rules)
ownership.kernel @clamped(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[M], f32>, %s: !cuda_tile.tile<i32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [64], [N], f32>
  %u = ownership.borrow %x : !ownership.tensor<[M], f32> -> !ownership.ref<[M], f32>
  ownership.distribute %p : !ownership.partition<mut tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
    %n = ownership.tiles %u, 0 by 64 : !ownership.ref<[M], f32>
    %last = cuda_tile.subi %n, %one : !cuda_tile.tile<i32>
    %low = cuda_tile.maxi %s, %zero signed : !cuda_tile.tile<i32>
    %in = cuda_tile.mini %low, %last signed : !cuda_tile.tile<i32>
    %a = ownership.load %u[%in] : !ownership.ref<[M], f32> -> !cuda_tile.tile<64xf32>
    %c = cuda_tile.cmpi greater_than_or_equal %s, %zero, signed : !cuda_tile.tile<i32> -> !cuda_tile.tile<i1>
    %d = cuda_tile.cmpi less_than %s, %n, signed : !cuda_tile.tile<i32> -> !cuda_tile.tile<i1>
    %e = cuda_tile.andi %c, %d : !cuda_tile.tile<i1>
    cuda_tile.if %e {
      %b = ownership.load %u[%s] : !ownership.ref<[M], f32> -> !cuda_tile.tile<64xf32>
      cuda_tile.yield
    }
    // A `while`: the carried number starts at 0, only grows, and the loop is left where it reaches the end.
    %out = cuda_tile.loop iter_values(%k = %zero) : !cuda_tile.tile<i32> -> !cuda_tile.tile<i32> {
      %f = cuda_tile.cmpi less_than %k, %n, signed : !cuda_tile.tile<i32> -> !cuda_tile.tile<i1>
      cuda_tile.if %f {
        cuda_tile.yield
      } else {
        cuda_tile.break %k : !cuda_tile.tile<i32>
      }
      %g = ownership.load %u[%k] : !ownership.ref<[M], f32> -> !cuda_tile.tile<64xf32>
      %next = cuda_tile.addi %k, %one : !cuda_tile.tile<i32>
      cuda_tile.continue %next : !cuda_tile.tile<i32>
    }
  }
}

// -----

// Facts end with the branch or loop they hold in; a carried number is not its first value; unsigned is not signed.
// CHECK:      // @lost
// CHECK-NEXT: //{{.*}} load from `x`: in bounds along axis 0: checked at launch: s < 0 or s < ceildiv(M, 64)
// CHECK-NEXT: //{{.*}} load from `x`: in bounds along axis 0: checked at launch: 0 <= s and s < ceildiv(M, 64)
// CHECK-NEXT: //{{.*}} load from `x`: in bounds along axis 0: checked in the kernel: 0 <= j and j < ceildiv(M, 64)
// CHECK-NEXT: //{{.*}} load from `x`: in bounds along axis 0: checked in the kernel: 0 <= k_3
ownership.kernel @lost(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[M], f32>, %s: !cuda_tile.tile<i32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [64], [N], f32>
  %u = ownership.borrow %x : !ownership.tensor<[M], f32> -> !ownership.ref<[M], f32>
  ownership.distribute %p : !ownership.partition<mut tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
    %n = ownership.tiles %u, 0 by 64 : !ownership.ref<[M], f32>
    %c = cuda_tile.cmpi greater_than_or_equal %s, %zero, signed : !cuda_tile.tile<i32> -> !cuda_tile.tile<i1>
    cuda_tile.if %c {
      %a = ownership.load %u[%s] : !ownership.ref<[M], f32> -> !cuda_tile.tile<64xf32>
      cuda_tile.yield
    }
    %b = ownership.load %u[%s] : !ownership.ref<[M], f32> -> !cuda_tile.tile<64xf32>
    %end = cuda_tile.for %k in (%zero to %n, step %one) : !cuda_tile.tile<i32> iter_values(%j = %zero) -> (!cuda_tile.tile<i32>) {
      %d = ownership.load %u[%j] : !ownership.ref<[M], f32> -> !cuda_tile.tile<64xf32>
      %next = cuda_tile.subi %j, %s : !cuda_tile.tile<i32>
      cuda_tile.continue %next : !cuda_tile.tile<i32>
    }
    // With a step of which nothing is known, a counter may be anything below the end.
    cuda_tile.for %k in (%zero to %n, step %one) : !cuda_tile.tile<i32> {
      cuda_tile.continue
    }
    %big = cuda_tile.constant <i32: 2147483647> : !cuda_tile.tile<i32>
    cuda_tile.for %k in (%zero to %n, step %big) : !cuda_tile.tile<i32> {
      %e = ownership.load %u[%k] : !ownership.ref<[M], f32> -> !cuda_tile.tile<64xf32>
      cuda_tile.continue
    }
  }
}

// -----

// Heads in groups: `h // G` from a dimension that says so. Two extents of one name are one extent.
// CHECK:      // @heads
// CHECK:      //{{.*}} load from `k`: in bounds along axis 0: checked in the kernel: 0 <= g and g < H // G
// CHECK-NEXT: //{{.*}} load from `k`: in bounds along axis 1: proved (0 <= j < ceildiv(S, 64) by rules)

// The report comes first; the rungs are on the operations.
// CHECK:      ownership.kernel @ladder
// CHECK:      %t1 = ownership.load %u[%five] {duties = [#ownership.duty<in_bounds axis 0 launch ("5 < ceildiv(M, 64)")>]}
ownership.kernel @heads(%y: !ownership.tensor<[H, S], f32>, %k: !ownership.tensor<["H // G", S], f32>, %g: !cuda_tile.tile<i32>) {
  %p = ownership.partition %y : !ownership.tensor<[H, S], f32> -> !ownership.partition<mut tile [1, 64], [H, S], f32>
  %u = ownership.borrow %k : !ownership.tensor<["H // G", S], f32> -> !ownership.ref<["H // G", S], f32>
  ownership.distribute %p : !ownership.partition<mut tile [1, 64], [H, S], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
    %a = ownership.load %u[%g, %j] : !ownership.ref<["H // G", S], f32> -> !cuda_tile.tile<1x64xf32>
  }
}
