// UNSUPPORTED: mlir
// RUN: tile-opt %s -p 'mlir{cse}' --print-diagnostics | filecheck %s

// CHECK:      error[O507]: upstream MLIR was not found
// CHECK-NEXT:   = note: looked for
// CHECK-NEXT:   = note: `mlir-python-bindings` on PyPI is a placeholder
// CHECK-NEXT:   = help: `pip install iree-base-compiler`
"test.op"() : () -> ()
