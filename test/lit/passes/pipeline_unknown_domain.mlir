// RUN: not tile-opt --report %s 2>&1 | filecheck %s

// No launch of it is worked through, for there is none; what else is wrong is said all the same.
// CHECK:      error[O121]: the domain's extent along axis 0 is no number in every launch
// CHECK:      error[O302]: this load from `x` is out of bounds along axis 0
ownership.kernel @unknown_and_outside(%y: !ownership.tensor<[M], f32>, %x: !ownership.tensor<[M], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[M], f32> -> !ownership.partition<mut tile [64], [M], f32>
  %r = ownership.borrow %x : !ownership.tensor<[M], f32> -> !ownership.ref<[M], f32>
  ownership.distribute %p over [K] : !ownership.partition<mut tile [64], [M], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %c0 = cuda_tile.constant <i32: 0> : tile<i32>
    %c1 = cuda_tile.constant <i32: 1> : tile<i32>
    %n = ownership.tiles %r, 0 by 64 : !ownership.ref<[M], f32>
    %c = cuda_tile.for %k in (%c0 to %n, step %c1) : tile<i32> iter_values(%s = %c0) -> (tile<i32>) {
      %t = ownership.load %r[%n] : !ownership.ref<[M], f32> -> !cuda_tile.tile<64xf32>
      cuda_tile.continue %s : tile<i32>
    }
  }
}
