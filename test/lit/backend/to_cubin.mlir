// To GPU code, from text and from bytecode alike; what the architecture lacks is shown where it stands.
// RUN: tile-translate %s --to-cubin --arch sm_90 -o %t.cubin
// RUN: tile-translate %s --to-bytecode | tile-translate --to-cubin --arch sm_90 -o %t.2.cubin
// RUN: cmp %t.cubin %t.2.cubin
// RUN: not tile-translate %s --to-cubin --arch sm_80 2>&1 | filecheck %s
// RUN: not tile-translate %s --to-cubin 2>&1 | filecheck %s --check-prefix NO-ARCH
// RUN: echo 'no bytecode' | not tile-translate --from-bytecode 2>&1 | filecheck %s --check-prefix GARBAGE

cuda_tile.module @kernels {
  entry @narrow(%to: tile<ptr<f8E4M3FN>>, %x: tile<f32>) {
    // CHECK: error[O408]: kernel `narrow` uses `f8e4m3fn`, which sm_80 does not have
    // CHECK: ^ `f8e4m3fn`: from sm_89 on
    %0 = ftof %x : tile<f32> -> tile<f8E4M3FN>
    %1 = store_ptr_tko weak %to, %0 : tile<ptr<f8E4M3FN>>, tile<f8E4M3FN> -> token
    return
  }
}

// NO-ARCH: --to-cubin needs --arch
// GARBAGE: error[O413]: `{{.*}}` is not Tile IR bytecode, or it is damaged: it does not begin as Tile IR bytecode does (byte 0)
