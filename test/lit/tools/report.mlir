// RUN: tile-opt %s --report | filecheck %s --strict-whitespace

// One line an obligation: where, what, on which rung and why; what that costs; what would move it to a higher one.
// CHECK:      @asked
// CHECK-NEXT:   18:8 output `y`: covered: proved (the map reaches each of ceildiv(N, 64) regions)
// CHECK-NEXT:   22:3 distribution of `y`: disjoint: proved (row order numbers every point once; block n takes number n)
// CHECK-NEXT:   24:10 region of `y`: disjoint: proved ([i] differs from point to point, by rules)
// CHECK-NEXT:   24:10 region of `y`: in bounds along axis 0: proved (0 <= i < ceildiv(N, 64) by rules)
// CHECK-NEXT:   26:11 load from `x`: in bounds along axis 0: checked at launch: ceildiv(N, 64) - 1 < ceildiv(M, 64); costs one comparison a launch; proved with `fh.require("N <= M")`, or with constant `M` and `N`
// CHECK-NEXT:   27:11 load from `x`: in bounds along axis 0: checked at launch: 5 < ceildiv(M, 64); costs one comparison a launch; proved with `fh.require("5 < ceildiv(M, 64)")`, or with constant `M`
// CHECK-NEXT:   28:11 load from `x`: in bounds along axis 0: checked at launch: 0 <= s and s < ceildiv(M, 64); costs one comparison a launch; proved with `fh.require("0 <= s and s < ceildiv(M, 64)")`, or with constant `M`
// CHECK-NEXT:   30:11 load from `x`: in bounds along axis 0: checked in the kernel: 0 <= square and square < ceildiv(M, 64); costs a comparison and a branch a point; `square` is computed in a way that may wrap, or that the prover does not follow; proved inside `if 0 <= square and square < fh.cdiv(M, 64):`
// CHECK-NEXT:   38:11 gather from `x`: in bounds along axis 0: masked where not (indices are from i * 64 to i * 64 + 63); costs a comparison an element, and loads by address instead of tiles; an element is out of bounds where M = 1, i = 0
// CHECK-NEXT:   39:11 load from `x`: in bounds along axis 0: masked where not (indices are from i * 64 - 1 to i * 64 + 62); costs a comparison an element, and loads by address instead of tiles; an element is out of bounds where M = 1, i = 0
// CHECK-NEXT:   40:11 gather from `x`: in bounds along axis 0: masked where not (indices are any number); costs a comparison an element, and loads by address instead of tiles; nothing: indices may be any number
// CHECK-NEXT:   42:11 gather from `x`: in bounds along axis 0: masked where not (indices are from min(-2147483648, i * 64) to min(2147483647, i * 64 + 63)); costs a comparison an element, and loads by address instead of tiles; nothing: indices may be out of bounds whatever the launch
ownership.kernel @asked(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[M], f32>, %s: !cuda_tile.tile<i32>, %v: !cuda_tile.tile<i32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<out tile [64], [N], f32>
  %u = ownership.borrow %x : !ownership.tensor<[M], f32> -> !ownership.ref<[M], f32>
  %five = cuda_tile.constant <i32: 5> : tile<i32>
  %square = cuda_tile.muli %s, %s : tile<i32>
  ownership.distribute %p : !ownership.partition<out tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<out tile [64], [N], f32> -> !ownership.region<out tile [64], [N], f32>
    %one = cuda_tile.constant <i32: 1> : tile<i32>
    %t1 = ownership.load %u[%i] : !ownership.ref<[M], f32> -> !cuda_tile.tile<64xf32>
    %t2 = ownership.load %u[%five] : !ownership.ref<[M], f32> -> !cuda_tile.tile<64xf32>
    %t3 = ownership.load %u[%s] : !ownership.ref<[M], f32> -> !cuda_tile.tile<64xf32>
    %wide = cuda_tile.constant <i32: 64> : tile<i32>
    %t4 = ownership.load %u[%square] : !ownership.ref<[M], f32> -> !cuda_tile.tile<64xf32>
    %first = cuda_tile.muli %i, %wide : tile<i32>
    %before = cuda_tile.subi %first, %one : tile<i32>
    %any = cuda_tile.ftoi %t1 signed rounding<nearest_int_to_zero> : tile<64xf32> -> tile<64xi32>
    %line = cuda_tile.iota : tile<64xi32>
    %f1 = cuda_tile.reshape %first : tile<i32> -> tile<1xi32>
    %f2 = cuda_tile.broadcast %f1 : tile<1xi32> -> tile<64xi32>
    %at = cuda_tile.addi %f2, %line : tile<64xi32>
    %t5 = ownership.gather %u[%at] : !ownership.ref<[M], f32>, (!cuda_tile.tile<64xi32>) -> !cuda_tile.tile<64xf32>
    %t6 = ownership.load_from %u[%before] : !ownership.ref<[M], f32> -> !cuda_tile.tile<64xf32>
    %t7 = ownership.gather %u[%any] : !ownership.ref<[M], f32>, (!cuda_tile.tile<64xi32>) -> !cuda_tile.tile<64xf32>
    %cut = cuda_tile.mini %any, %at signed : tile<64xi32>
    %t8 = ownership.gather %u[%cut] : !ownership.ref<[M], f32>, (!cuda_tile.tile<64xi32>) -> !cuda_tile.tile<64xf32>
    ownership.store %t1, %r : !cuda_tile.tile<64xf32>, !ownership.region<out tile [64], [N], f32>
  }
}
