// RUN: tile-opt %s -p VERIFIERS,convert-ownership-to-cuda-tile,canonicalize --split-input-file | filecheck %s
// RUN: tile-opt %s -p VERIFIERS,validate-translation --split-input-file | filecheck %s --check-prefix=VALID
// RUN: tile-opt %s -p 'VERIFIERS,validate-translation{traps=true}' --split-input-file | filecheck %s --check-prefix=VALID
// RUN: tile-opt %s -p VERIFIERS,report-obligations --split-input-file | filecheck %s --check-prefix=LOST

// A window at an extent that is a multiple of 8 is aligned to 8 elements of 2 bytes.
// CHECK-LABEL: cuda_tile.entry @second_half
// CHECK:       %[[AT:.*]] = cuda_tile.offset %{{.*}}, %{{.*}} : tile<ptr<bf16>>, tile<i64> -> tile<ptr<bf16>>
// CHECK:       cuda_tile.assume div_by<16>, %[[AT]]
// VALID-LABEL: ownership.kernel @second_half
// LOST:        @second_half
// LOST-NOT:    aligned
ownership.kernel @second_half(%y: !ownership.tensor<[N], bf16, #ownership.layout<align = 16, strides = [1], stride_divs = [1], extent_divs = [8]>>, %x: !ownership.tensor<["N * 2"], bf16, #ownership.layout<align = 16, strides = [1], stride_divs = [1], extent_divs = [16]>>) {
  %p = ownership.partition %y : !ownership.tensor<[N], bf16, #ownership.layout<align = 16, strides = [1], stride_divs = [1], extent_divs = [8]>> -> !ownership.partition<out tile [64], [N], bf16, #ownership.layout<align = 16, strides = [1], stride_divs = [1], extent_divs = [8]>>
  %n = ownership.dim %p, 0 : !ownership.partition<out tile [64], [N], bf16, #ownership.layout<align = 16, strides = [1], stride_divs = [1], extent_divs = [8]>>
  %w = ownership.window %x[%n] {axis = #builtin.int<0>} : !ownership.tensor<["N * 2"], bf16, #ownership.layout<align = 16, strides = [1], stride_divs = [1], extent_divs = [16]>> -> !ownership.tensor<[N], bf16, #ownership.layout<align = 2, strides = [1], stride_divs = [1], extent_divs = [1]>>
  %b = ownership.borrow %w : !ownership.tensor<[N], bf16, #ownership.layout<align = 2, strides = [1], stride_divs = [1], extent_divs = [1]>> -> !ownership.ref<[N], bf16, #ownership.layout<align = 2, strides = [1], stride_divs = [1], extent_divs = [1]>>
  ownership.distribute %p : !ownership.partition<out tile [64], [N], bf16, #ownership.layout<align = 16, strides = [1], stride_divs = [1], extent_divs = [8]>> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<out tile [64], [N], bf16, #ownership.layout<align = 16, strides = [1], stride_divs = [1], extent_divs = [8]>> -> !ownership.region<out tile [64], [N], bf16, #ownership.layout<align = 16, strides = [1], stride_divs = [1], extent_divs = [8]>>
    %t = ownership.load %b[%i] : !ownership.ref<[N], bf16, #ownership.layout<align = 2, strides = [1], stride_divs = [1], extent_divs = [1]>> -> !cuda_tile.tile<64xbf16>
    ownership.store %t, %r : !cuda_tile.tile<64xbf16>, !ownership.region<out tile [64], [N], bf16, #ownership.layout<align = 16, strides = [1], stride_divs = [1], extent_divs = [8]>>
  }
}

// -----

// So is one at a scalar that is required to be a multiple of 4, of elements of 4 bytes; one at any scalar is not.
// CHECK-LABEL: cuda_tile.entry @required
// CHECK:       %[[AT:.*]] = cuda_tile.offset %{{.*}} : tile<ptr<f32>>, tile<i64> -> tile<ptr<f32>>
// CHECK:       cuda_tile.assume div_by<16>, %[[AT]]
// CHECK:       %[[ANY:.*]] = cuda_tile.offset %{{.*}} : tile<ptr<f32>>, tile<i64> -> tile<ptr<f32>>
// CHECK:       cuda_tile.assume div_by<4>, %[[ANY]]
// VALID-LABEL: ownership.kernel @required
// LOST:        @required
// LOST:        window at a position of `x`: aligned to 4 bytes of 16; `fh.require("any % 4 == 0")` keeps it
ownership.kernel @required(%y: !ownership.tensor<[8], f32>, %x: !ownership.tensor<[N], f32, #ownership.layout<align = 16, strides = [1], stride_divs = [1], extent_divs = [1]>>, %at: !cuda_tile.tile<i32>, %any: !cuda_tile.tile<i32>) {
  ownership.require "at % 4 == 0"
  %p = ownership.partition %y : !ownership.tensor<[8], f32> -> !ownership.partition<out tile [8], [8], f32>
  %w = ownership.window %x[%at] {axis = #builtin.int<0>} : !ownership.tensor<[N], f32, #ownership.layout<align = 16, strides = [1], stride_divs = [1], extent_divs = [1]>> -> !ownership.tensor<["8"], f32, #ownership.layout<align = 4, strides = [1], stride_divs = [1], extent_divs = [1]>>
  %v = ownership.window %x[%any] {axis = #builtin.int<0>} : !ownership.tensor<[N], f32, #ownership.layout<align = 16, strides = [1], stride_divs = [1], extent_divs = [1]>> -> !ownership.tensor<["8"], f32, #ownership.layout<align = 4, strides = [1], stride_divs = [1], extent_divs = [1]>>
  %b = ownership.borrow %w : !ownership.tensor<["8"], f32, #ownership.layout<align = 4, strides = [1], stride_divs = [1], extent_divs = [1]>> -> !ownership.ref<["8"], f32, #ownership.layout<align = 4, strides = [1], stride_divs = [1], extent_divs = [1]>>
  %c = ownership.borrow %v : !ownership.tensor<["8"], f32, #ownership.layout<align = 4, strides = [1], stride_divs = [1], extent_divs = [1]>> -> !ownership.ref<["8"], f32, #ownership.layout<align = 4, strides = [1], stride_divs = [1], extent_divs = [1]>>
  ownership.distribute %p : !ownership.partition<out tile [8], [8], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<out tile [8], [8], f32> -> !ownership.region<out tile [8], [8], f32>
    %s = ownership.load %b[%i] : !ownership.ref<["8"], f32, #ownership.layout<align = 4, strides = [1], stride_divs = [1], extent_divs = [1]>> -> !cuda_tile.tile<8xf32>
    %t = ownership.load %c[%i] : !ownership.ref<["8"], f32, #ownership.layout<align = 4, strides = [1], stride_divs = [1], extent_divs = [1]>> -> !cuda_tile.tile<8xf32>
    %u = cuda_tile.addf %s, %t : tile<8xf32>
    ownership.store %u, %r : !cuda_tile.tile<8xf32>, !ownership.region<out tile [8], [8], f32>
  }
}

// -----

// A page that memory numbers: 16 times any number is a multiple of 16, also where it wraps, and so is 0, where a check
// that fails moves it to.
// CHECK-LABEL: cuda_tile.entry @page
// CHECK:       %[[AT:.*]] = cuda_tile.offset %{{.*}} : tile<ptr<f32>>, tile<i64> -> tile<ptr<f32>>
// CHECK:       cuda_tile.assume div_by<16>, %[[AT]]
// VALID-LABEL: ownership.kernel @page
ownership.kernel @page(%y: !ownership.tensor<[16], f32>, %x: !ownership.tensor<[N], f32, #ownership.layout<align = 16, strides = [1], stride_divs = [1], extent_divs = [1]>>, %pages: !ownership.tensor<[1], i32>) {
  ownership.require "16 <= N"
  %z = cuda_tile.constant <i32: 0> : tile<i32>
  %m = ownership.borrow %pages : !ownership.tensor<[1], i32> -> !ownership.ref<[1], i32>
  %l = ownership.load %m[%z] : !ownership.ref<[1], i32> -> !cuda_tile.tile<1xi32>
  %k = cuda_tile.reshape %l : tile<1xi32> -> tile<i32>
  %c16 = cuda_tile.constant <i32: 16> : tile<i32>
  %at = cuda_tile.muli %k, %c16 : tile<i32>
  %p = ownership.partition %y : !ownership.tensor<[16], f32> -> !ownership.partition<out tile [16], [16], f32>
  %w = ownership.window %x[%at] {axis = #builtin.int<0>} : !ownership.tensor<[N], f32, #ownership.layout<align = 16, strides = [1], stride_divs = [1], extent_divs = [1]>> -> !ownership.tensor<["16"], f32, #ownership.layout<align = 4, strides = [1], stride_divs = [1], extent_divs = [1]>>
  %b = ownership.borrow %w : !ownership.tensor<["16"], f32, #ownership.layout<align = 4, strides = [1], stride_divs = [1], extent_divs = [1]>> -> !ownership.ref<["16"], f32, #ownership.layout<align = 4, strides = [1], stride_divs = [1], extent_divs = [1]>>
  ownership.distribute %p : !ownership.partition<out tile [16], [16], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<out tile [16], [16], f32> -> !ownership.region<out tile [16], [16], f32>
    %t = ownership.load %b[%i] : !ownership.ref<["16"], f32, #ownership.layout<align = 4, strides = [1], stride_divs = [1], extent_divs = [1]>> -> !cuda_tile.tile<16xf32>
    ownership.store %t, %r : !cuda_tile.tile<16xf32>, !ownership.region<out tile [16], [16], f32>
  }
}
