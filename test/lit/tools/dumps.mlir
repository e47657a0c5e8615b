// RUN: tile-opt %s -p 'canonicalize, cse' --print-ir-before-all --print-ir-after-all 2>&1 | filecheck %s
// RUN: tile-opt %s -p canonicalize --print-ir-before-all 2>&1 >/dev/null | filecheck %s --check-prefix=BEFORE
// RUN: tile-opt %s -p canonicalize --print-ir-after-all 2>&1 >/dev/null | filecheck %s --check-prefix=AFTER
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

// BEFORE-NOT:  IR Dump After
// BEFORE:      IR Dump Before canonicalize
// BEFORE-NEXT: builtin.module {
// BEFORE-NEXT:   %0 = "test.pureop"() : () -> i32
// BEFORE-NOT:  IR Dump After

// AFTER-NOT:  IR Dump Before
// AFTER:      IR Dump After canonicalize
// AFTER-NEXT: builtin.module {
// AFTER-NEXT: }
// AFTER-NOT:  IR Dump Before
