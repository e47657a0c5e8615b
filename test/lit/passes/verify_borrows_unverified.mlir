// RUN: tile-opt %s -p verify-borrows --no-verify --print-diagnostics | filecheck %s

// IR that comes from elsewhere need not have been verified: `if` takes no ownership, and the pass says so itself.
// CHECK:      error[O110]: a region of `y` is handed on through control flow
// CHECK:      what is chosen or carried here must be a value, no ownership
// CHECK:      = help: choose or carry coordinates, and take the region behind that
ownership.kernel @chosen(%y: !ownership.tensor<[N], f32>, %c: !cuda_tile.tile<i1>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [64], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [64], [N], f32> -> !ownership.region<mut tile [64], [N], f32>
    %s = "cuda_tile.if"(%c) ({
      "cuda_tile.yield"(%r) : (!ownership.region<mut tile [64], [N], f32>) -> ()
    }, {
      "cuda_tile.yield"(%r) : (!ownership.region<mut tile [64], [N], f32>) -> ()
    }) : (!cuda_tile.tile<i1>) -> !ownership.region<mut tile [64], [N], f32>
  }
}
