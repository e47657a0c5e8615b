// RUN: tile-opt %s -p VERIFIERS,print-launch-contract | filecheck %s

// Pointers, extents in order of first occurrence, strides that only the launch knows, scalars. Checks come once.
// CHECK:      // launch contract of @attend
// CHECK-NEXT: //   out o: bf16[B, H, 64] align 16 strides [0, 64, 1] stride_divs [64, 64, 1] extent_divs [1, 1, 64]
// CHECK-NEXT: //   ref k: bf16[B, H // G, 64] align 1 strides [0, 0, 1] stride_divs [1, 1, 1] extent_divs [1, 1, 1]
// CHECK-NEXT: //   ref mask: bool_[G] align 1 strides [1] stride_divs [1] extent_divs [1]
// CHECK-NEXT: //   scalar scale: f32
// CHECK-NEXT: //   mut n: i32[B] align 1 strides [0] stride_divs [1] extent_divs [1]
// CHECK-NEXT: //   scalar flag: bool_
// CHECK-NEXT: //   entry %0: pointer o
// CHECK-NEXT: //   entry %1: pointer k
// CHECK-NEXT: //   entry %2: pointer mask
// CHECK-NEXT: //   entry %3: pointer n
// CHECK-NEXT: //   entry %4: extent B
// CHECK-NEXT: //   entry %5: extent H
// CHECK-NEXT: //   entry %6: extent H // G
// CHECK-NEXT: //   entry %7: extent G
// CHECK-NEXT: //   entry %8: stride o.strides[0]
// CHECK-NEXT: //   entry %9: stride k.strides[0]
// CHECK-NEXT: //   entry %10: stride k.strides[1]
// CHECK-NEXT: //   entry %11: stride n.strides[0]
// CHECK-NEXT: //   entry %12: scalar scale
// CHECK-NEXT: //   entry %13: scalar flag
// CHECK-NEXT: //   grid [B, ceildiv(H, 4), 1] persistent
// CHECK-NEXT: //   check ceildiv(H, 4) == 1: blocks that differ along axis 1 of the grid alone would share regions of `n`
// CHECK-NEXT: //   check B - 1 < H // G: every tile of `k` is loaded inside it along axis 1
// CHECK-NEXT: builtin.module
ownership.kernel @attend(
    %o: !ownership.tensor<[B, H, 64], bf16, #ownership.layout<align = 16, strides = [0, 64, 1], stride_divs = [64, 64, 1], extent_divs = [1, 1, 64]>>,
    %k: !ownership.tensor<[B, "H // G", 64], bf16>, %mask: !ownership.tensor<[G], i1>, %scale: !cuda_tile.tile<f32>,
    %n: !ownership.tensor<[B], i32, #ownership.layout<align = 1, strides = [0], stride_divs = [1], extent_divs = [1]>>, %flag: !cuda_tile.tile<i1>) {
  %b = ownership.borrow %k : !ownership.tensor<[B, "H // G", 64], bf16> -> !ownership.ref<[B, "H // G", 64], bf16>
  %p = ownership.partition %o : !ownership.tensor<[B, H, 64], bf16, #ownership.layout<align = 16, strides = [0, 64, 1], stride_divs = [64, 64, 1], extent_divs = [1, 1, 64]>> -> !ownership.partition<out tile [1, 4, 64], [B, H, 64], bf16, #ownership.layout<align = 16, strides = [0, 64, 1], stride_divs = [64, 64, 1], extent_divs = [1, 1, 64]>>
  %q = ownership.partition %n : !ownership.tensor<[B], i32, #ownership.layout<align = 1, strides = [0], stride_divs = [1], extent_divs = [1]>> -> !ownership.partition<mut tile [1], [B], i32, #ownership.layout<align = 1, strides = [0], stride_divs = [1], extent_divs = [1]>>
  ownership.distribute %p, %q blocks #ownership.blocks<persistent> : !ownership.partition<out tile [1, 4, 64], [B, H, 64], bf16, #ownership.layout<align = 16, strides = [0, 64, 1], stride_divs = [64, 64, 1], extent_divs = [1, 1, 64]>>, !ownership.partition<mut tile [1], [B], i32, #ownership.layout<align = 1, strides = [0], stride_divs = [1], extent_divs = [1]>> {
  ^bb0(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>, %l: !cuda_tile.tile<i32>):
    %zero = cuda_tile.constant <i32: 0> : tile<i32>
    %r = ownership.region %p[%i, %j, %l] : !ownership.partition<out tile [1, 4, 64], [B, H, 64], bf16, #ownership.layout<align = 16, strides = [0, 64, 1], stride_divs = [64, 64, 1], extent_divs = [1, 1, 64]>> -> !ownership.region<out tile [1, 4, 64], [B, H, 64], bf16, #ownership.layout<align = 16, strides = [0, 64, 1], stride_divs = [64, 64, 1], extent_divs = [1, 1, 64]>>
    %c = cuda_tile.constant <bf16: 1.0> : tile<1x4x64xbf16>
    ownership.store %c, %r : !cuda_tile.tile<1x4x64xbf16>, !ownership.region<out tile [1, 4, 64], [B, H, 64], bf16, #ownership.layout<align = 16, strides = [0, 64, 1], stride_divs = [64, 64, 1], extent_divs = [1, 1, 64]>>
    %t = ownership.load %b[%i, %i, %zero] : !ownership.ref<[B, "H // G", 64], bf16> -> !cuda_tile.tile<1x1x64xbf16>
    %u = ownership.load %b[%i, %i, %zero] : !ownership.ref<[B, "H // G", 64], bf16> -> !cuda_tile.tile<1x1x64xbf16>
  }
}
