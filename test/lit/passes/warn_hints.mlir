// Hints that the assembler passes over: warnings, or with -Werr-hints errors; the others are not told of.

// RUN: tile-opt %s -p warn-hints --verify-diagnostics
// RUN: tile-opt %s -Wunsupported-hints --verify-diagnostics
// RUN: tile-opt %s -Wunsupported-hints 2>&1 | filecheck %s
// RUN: tile-opt %s -Wunsupported-hints -Werr-hints --print-diagnostics | filecheck %s --check-prefix=ERROR
// RUN: tile-opt %s -p 'warn-hints{refuse=true}' --print-diagnostics | filecheck %s --check-prefix=ERROR
// RUN: tile-opt %s | filecheck %s --check-prefix=PLAIN

// CHECK: warning[O160]: the hint `sm_100a` is not followed
// ERROR: error[O161]: the hint `sm_100a` is not followed
// ERROR: error[O161]: the hint `sm_90.allow_tma` is not followed
// PLAIN: cuda_tile.entry @unknown

cuda_tile.module @m {
  // expected-warning @below {{the hint `sm_100a` is not followed}}
  entry @unknown() optimization_hints=<sm_100a = {occupancy = 2}> { return }
  // expected-warning @below {{`entry` takes num_cta_in_cga and num_worker_warps_per_cta and occupancy}}
  entry @other() optimization_hints=<sm_100 = {latency = 2}> { return }
  // expected-warning @below {{it is 1, 2, 4, 8 or 16}}
  entry @text() optimization_hints=<sm_100 = {num_cta_in_cga = "a"}> { return }
  // expected-warning @below {{it is 1, 2, 4, 8 or 16}}
  entry @seven() optimization_hints=<sm_100 = {num_cta_in_cga = 7}> { return }
  // expected-warning @below {{it is 1, for sm_89 has no clusters}}
  entry @clusters() optimization_hints=<sm_89 = {num_cta_in_cga = 2}> { return }
  // expected-warning @below {{it is an integer from 1 to 32}}
  entry @occupancy() optimization_hints=<default = {occupancy = 64}> { return }
  // expected-warning @below {{it is 1, 2, 4, 8, 16 or 32}}
  entry @warps() optimization_hints=<sm_100 = {num_worker_warps_per_cta = 9}> { return }
  entry @good(%p: tile<ptr<i32>>, %c: tile<i1>) optimization_hints=<sm_90 = {num_cta_in_cga = 2, occupancy = 32}, default = {num_worker_warps_per_cta = 4}> {
    %tview = make_tensor_view %p, shape = [8], strides = [1] : tensor_view<8xi32, strides=[1]>
    %pview = make_partition_view %tview : partition_view<tile=(8), tensor_view<8xi32, strides=[1]>>
    %zero = constant <i32: 0> : tile<i32>
    %x, %t = load_view_tko weak %pview[%zero] optimization_hints = <sm_90 = {allow_tma = false, latency = 10}> : partition_view<tile=(8), tensor_view<8xi32, strides=[1]>>, tile<i32> -> tile<8xi32>, token
    if %c {
      // expected-warning @below {{it is an integer from 1 to 10}}
      %a, %b = load_ptr_tko weak %p optimization_hints = <sm_90 = {latency = 11}> : tile<ptr<i32>> -> tile<i32>, token
      // expected-warning @below {{`load_ptr_tko` takes latency}}
      %d, %e = load_ptr_tko weak %p optimization_hints = <sm_90 = {allow_tma = true}> : tile<ptr<i32>> -> tile<i32>, token
    }
    return
  }
}
