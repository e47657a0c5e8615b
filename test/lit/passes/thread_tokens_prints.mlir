// RUN: tile-opt %s -p VERIFIERS,thread-tokens | filecheck %s

// One print has nothing to be ordered with.
// CHECK-LABEL: @once
// CHECK: cuda_tile.print_tko "a" -> token
ownership.kernel @once(%x: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %x : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %a = cuda_tile.print_tko "a" -> token
  }
}

// Each waits for the one before it, whatever else stands in between.
// CHECK-LABEL: @straight
// CHECK: %[[A:.*]] = cuda_tile.print_tko "a" -> token
// CHECK: ownership.store %c, %r :
// CHECK: %[[B:.*]] = cuda_tile.print_tko "%i", %i token=%[[A]] : tile<i32> -> token
// CHECK: cuda_tile.print_tko "c" token=%[[B]] -> token
ownership.kernel @straight(%x: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %x : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [4], [N], f32> -> !ownership.region<mut tile [4], [N], f32>
    %c = cuda_tile.constant <f32: 1.0> : tile<4xf32>
    %a = cuda_tile.print_tko "a" -> token
    ownership.store %c, %r : !cuda_tile.tile<4xf32>, !ownership.region<mut tile [4], [N], f32>
    %b = cuda_tile.print_tko "%i", %i : tile<i32> -> token
    %d = cuda_tile.print_tko "c" -> token
  }
}

// A token goes from turn to turn and past the loop.
// CHECK-LABEL: @loop
// CHECK: %[[A:.*]] = cuda_tile.print_tko "a" -> token
// CHECK: %[[L:.*]] = cuda_tile.for {{.*}} iter_values(%[[T:.*]] = %[[A]]) -> (token)
// CHECK: %[[B:.*]] = cuda_tile.print_tko "b" token=%[[T]] -> token
// CHECK: cuda_tile.continue %[[B]]
// CHECK: cuda_tile.print_tko "c" token=%[[L]] -> token
ownership.kernel @loop(%x: !ownership.tensor<[N], f32>, %n: !cuda_tile.tile<i32>) {
  %p = ownership.partition %x : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %c0 = cuda_tile.constant <i32: 0> : tile<i32>
    %c1 = cuda_tile.constant <i32: 1> : tile<i32>
    %a = cuda_tile.print_tko "a" -> token
    cuda_tile.for %k in (%c0 to %n, step %c1) : tile<i32> {
      %b = cuda_tile.print_tko "b" -> token
    }
    %d = cuda_tile.print_tko "c" -> token
  }
}

// Where one way prints, the other hands on the token that it came with.
// CHECK-LABEL: @branch
// CHECK: %[[A:.*]] = cuda_tile.print_tko "a" -> token
// CHECK: %[[I:.*]] = cuda_tile.if %q -> (token) {
// CHECK: %[[B:.*]] = cuda_tile.print_tko "b" token=%[[A]] -> token
// CHECK: cuda_tile.yield %[[B]]
// CHECK: } else {
// CHECK: cuda_tile.yield %[[A]]
// CHECK: cuda_tile.print_tko "c" token=%[[I]] -> token
ownership.kernel @branch(%x: !ownership.tensor<[N], f32>, %q: !cuda_tile.tile<i1>) {
  %p = ownership.partition %x : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %a = cuda_tile.print_tko "a" -> token
    cuda_tile.if %q {
      %b = cuda_tile.print_tko "b" -> token
    }
    %d = cuda_tile.print_tko "c" -> token
  }
}

// A token that is there already gives way.
// CHECK-LABEL: @again
// CHECK: %[[A:.*]] = cuda_tile.print_tko "a" -> token
// CHECK: cuda_tile.print_tko "b" token=%[[A]] -> token
ownership.kernel @again(%x: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %x : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %none = cuda_tile.make_token : token
    %a = cuda_tile.print_tko "a" token = %none -> token
    %b = cuda_tile.print_tko "b" token = %none -> token
  }
}
