// RUN: tile-opt %s -p 'canonicalize, cse' --print-ir-before-all --print-ir-after-all 2>&1 | filecheck %s
// RUN: tile-opt %s -p canonicalize --timing 2>&1 | filecheck %s --check-prefix=TIMING

// CHECK:      IR Dump Before canonicalize
// CHECK-NEXT: builtin.module {
// CHECK-NEXT:   %0 = "test.pureop"() : () -> i32
// CHECK:      IR Dump After canonicalize
// CHECK-NEXT: builtin.module {
// CHECK-NEXT: }
// CHECK:      IR Dump Before cse
// CHECK:      IR Dump After cse
%0 = "test.pureop"() : () -> i32

// TIMING:      parse
// TIMING-NEXT: verify
// TIMING-NEXT: canonicalize
// TIMING-NEXT: print
// TIMING-NEXT: total {{.*}} 100.0%
