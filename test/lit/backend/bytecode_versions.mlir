// What a version lacks is refused by name, at the operation that needs it.
// RUN: not tile-translate %s --to-bytecode --version 13.1 2>&1 | filecheck %s --check-prefix OLDEST
// RUN: not tile-translate %s --to-bytecode --version 13.3 2>&1 | filecheck %s --check-prefix MIDDLE
// RUN: not tile-translate %s --to-bytecode --version 14.0 2>&1 | filecheck %s --check-prefix UNKNOWN
// RUN: tile-translate %s --to-bytecode --version 13.4 | tile-translate --from-bytecode | filecheck %s

cuda_tile.module @kernels {
  entry @k(%x: tile<f32>) {
    // OLDEST:      error[O410]: `rounding_mode` of `tanh` is new in Tile IR 13.2 and cannot be written for 13.1
    // OLDEST-NEXT:  --> {{.*}}bytecode_versions.mlir:[[#]]:
    %0 = tanh %x rounding<approx> : tile<f32>
    // MIDDLE:      error[O410]: `saturating` of `ftoi` is new in Tile IR 13.4 and cannot be written for 13.3
    // CHECK:       ftoi {{.*}} saturating
    %1 = ftoi %x signed saturating : tile<f32> -> tile<i32>
    // UNKNOWN:     error[O411]: there is no Tile IR bytecode version 14.0
    return
  }
}
