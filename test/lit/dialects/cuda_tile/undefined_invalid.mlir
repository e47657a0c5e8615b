// What an operation's own region defines is not there for the operation itself.

// RUN: REJECTS | filecheck %s

// CHECK:      error[O501]: %inner is not defined here
// CHECK-NEXT:  --> {{.*}}undefined_invalid.mlir:9:32
cuda_tile.module @kernels {
  entry @k() {
    %r = loop iter_values(%a = %inner) : tile<i32> -> tile<i32> {
      %inner = constant <i32: 1> : tile<i32>
      break %inner : tile<i32>
    }
  }
}

// -----

// CHECK:      error[O501]: %inner is not defined here
// CHECK-NEXT:  --> {{.*}}undefined_invalid.mlir:22:22
cuda_tile.module @kernels {
  entry @k(%n: tile<i32>) {
    for %i in (%n to %inner, step %n) : tile<i32> {
      %inner = constant <i32: 1> : tile<i32>
    }
  }
}

// -----

// CHECK:      error[O501]: %inner is not defined here
cuda_tile.module @kernels {
  entry @k(%c: tile<i1>, %x: tile<f32>) {
    if %c {
      for %i in (%x to %x, step %x) : tile<f32> iter_values(%a = %inner) -> (tile<f32>) {
        %inner = negf %x : tile<f32>
        continue %inner : tile<f32>
      }
    }
  }
}
