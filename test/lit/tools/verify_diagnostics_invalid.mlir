// What does not come, what comes unexpected, and comments that cannot be read, are told, and the status is 1.
// RUN: not tile-opt %s --split-input-file --verify-diagnostics 2>&1 | filecheck %s
// RUN: not tile-opt %s --split-input-file --verify-diagnostics=only-expected 2>&1 | filecheck %s --check-prefix ONLY
// RUN: not tile-translate %s --split-input-file --verify-diagnostics --to-bytecode -o %t.bc 2>&1 | filecheck %s
// RUN: not tile-run %s --split-input-file --verify-diagnostics 2>&1 | filecheck %s

// CHECK: error[O515]: the error `something else` did not come
// ONLY: error[O515]: the error `something else` did not come
// expected-error @below {{something else}}
cuda_tile.module @m {
  cuda_tile.entry @k() {
    return
  }
}

// -----

// CHECK: error[O516]: an unexpected error: O501: Operation nope.op is not registered
// CHECK-NEXT: --> {{.*}}verify_diagnostics_invalid.mlir:21:1
// ONLY-NOT: O516
"nope.op"() : () -> ()

// -----

// CHECK: error[O515]: the warning `not registered` did not come
// CHECK: error[O516]: an unexpected error: O501: Operation nope.op is not registered
// CHECK: = note: a comment expects this text as a warning
// ONLY: error[O515]: the warning `not registered` did not come
// expected-warning @below {{not registered}}
"nope.op"() : () -> ()

// -----

// CHECK: error[O517]: this comment expects nothing that could come
// ONLY: error[O517]: this comment expects nothing that could come
// expected-error @nowhere {{not registered}}
"nope.op"() : () -> ()

// -----

// CHECK: error[O517]: this comment expects nothing that could come
// CHECK: {{.*}}in the regular expression
// expected-error-re @below {{not {{(}}}}
"nope.op"() : () -> ()
