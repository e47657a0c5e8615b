// RUN: tile-opt %s -p VERIFIERS,thread-tokens | filecheck %s

// A point walks the regions of an axis twice. The second walk's load waits for the first walk's stores, and its store for
// both: the partition has one chain of tokens, because a region has a name in each walk.
// CHECK:       %p = ownership.partition %y {{.*}}#ownership.duty<ordered tokens
// CHECK:       %0 = cuda_tile.make_token
// CHECK:       cuda_tile.for %k in {{.*}} iter_values(%2 = %0)
// CHECK:         ownership.store %x, %r token %2
// CHECK:         cuda_tile.continue %3
// CHECK:       cuda_tile.for %l in {{.*}} iter_values(%5 = %1)
// CHECK:         ownership.load %s token %5
// CHECK:         ownership.store %t, %s token %6
ownership.kernel @twice(%y: !ownership.tensor<[M, N], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[M, N], f32> -> !ownership.partition<mut tile [4, 64], [M, N], f32>
  ownership.distribute %p over ["ceildiv(M, 4)"] : !ownership.partition<mut tile [4, 64], [M, N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
    %x = cuda_tile.constant <f32: 1.0> : !cuda_tile.tile<4x64xf32>
    %n = ownership.tiles %p, 1 by 64 : !ownership.partition<mut tile [4, 64], [M, N], f32>
    cuda_tile.for %k in (%zero to %n, step %one) : tile<i32> {
      %r = ownership.region %p[%i, %k] : !ownership.partition<mut tile [4, 64], [M, N], f32> -> !ownership.region<mut tile [4, 64], [M, N], f32>
      ownership.store %x, %r : !cuda_tile.tile<4x64xf32>, !ownership.region<mut tile [4, 64], [M, N], f32>
      cuda_tile.continue
    }
    cuda_tile.for %l in (%zero to %n, step %one) : tile<i32> {
      %s = ownership.region %p[%i, %l] : !ownership.partition<mut tile [4, 64], [M, N], f32> -> !ownership.region<mut tile [4, 64], [M, N], f32>
      %t = ownership.load %s : !ownership.region<mut tile [4, 64], [M, N], f32> -> !cuda_tile.tile<4x64xf32>
      ownership.store %t, %s : !cuda_tile.tile<4x64xf32>, !ownership.region<mut tile [4, 64], [M, N], f32>
      cuda_tile.continue
    }
  }
}

// The only point is (0, 0), so `i * k` is 0 in every turn: the turns of a loop that has none are told apart by no name
// that is left in what is emitted.
// CHECK-LABEL: ownership.kernel @one_point
// CHECK:       ownership.partition %y {{.*}}#ownership.duty<ordered tokens
// CHECK:       cuda_tile.for %k in (%one to %i, step %one) : tile<i32> iter_values(%{{.*}} = %{{.*}})
// CHECK:         ownership.store %x, %r token
ownership.kernel @one_point(%y: !ownership.tensor<[2, 2], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[2, 2], f32> -> !ownership.partition<mut tile [2, 2], [2, 2], f32>
  ownership.distribute %p : !ownership.partition<mut tile [2, 2], [2, 2], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
    %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
    %x = cuda_tile.constant <f32: 1.0> : !cuda_tile.tile<2x2xf32>
    cuda_tile.for %k in (%one to %i, step %one) : tile<i32> {
      %n = cuda_tile.muli %i, %k : tile<i32>
      %r = ownership.region %p[%j, %n] : !ownership.partition<mut tile [2, 2], [2, 2], f32> -> !ownership.region<mut tile [2, 2], [2, 2], f32>
      ownership.store %x, %r : !cuda_tile.tile<2x2xf32>, !ownership.region<mut tile [2, 2], [2, 2], f32>
      cuda_tile.continue
    }
  }
}
