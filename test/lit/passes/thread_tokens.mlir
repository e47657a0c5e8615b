// RUN: tile-opt %s -p VERIFIERS,thread-tokens | filecheck %s

// A region that is stored once has nothing to be ordered with.
// CHECK-LABEL: @one_store
// CHECK-NOT: token
ownership.kernel @one_store(%x: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %x : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [4], [N], f32> -> !ownership.region<mut tile [4], [N], f32>
    %c = cuda_tile.constant <f32: 1.0> : tile<4xf32>
    ownership.store %c, %r : !cuda_tile.tile<4xf32>, !ownership.region<mut tile [4], [N], f32>
  }
}

// Reads are not ordered among themselves.
// CHECK-LABEL: @only_reads
// CHECK-NOT: token
ownership.kernel @only_reads(%x: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %x : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [4], [N], f32> -> !ownership.region<mut tile [4], [N], f32>
    %a = ownership.load %r : !ownership.region<mut tile [4], [N], f32> -> !cuda_tile.tile<4xf32>
    %b = ownership.load %r : !ownership.region<mut tile [4], [N], f32> -> !cuda_tile.tile<4xf32>
  }
}

// A write waits for the reads before it.
// CHECK-LABEL: @read_write
// CHECK: %a, %[[T:.*]] = ownership.load %r :
// CHECK: ownership.store %a, %r token %[[T]] :
// CHECK-NOT: -> !cuda_tile.token
ownership.kernel @read_write(%x: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %x : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [4], [N], f32> -> !ownership.region<mut tile [4], [N], f32>
    %a = ownership.load %r : !ownership.region<mut tile [4], [N], f32> -> !cuda_tile.tile<4xf32>
    ownership.store %a, %r : !cuda_tile.tile<4xf32>, !ownership.region<mut tile [4], [N], f32>
  }
}

// A write waits for all reads since the last write, and a read for that write.
// CHECK-LABEL: @write_reads_write
// CHECK: %[[W:.*]] = ownership.store %c, %r :
// CHECK: %a, %[[A:.*]] = ownership.load %r token %[[W]] :
// CHECK: %b, %[[B:.*]] = ownership.load %r token %[[W]] :
// CHECK: %[[J:.*]] = cuda_tile.join_tokens %[[A]], %[[B]]
// CHECK: ownership.store %c, %r token %[[J]] :
ownership.kernel @write_reads_write(%x: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %x : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [4], [N], f32> -> !ownership.region<mut tile [4], [N], f32>
    %c = cuda_tile.constant <f32: 1.0> : tile<4xf32>
    ownership.store %c, %r : !cuda_tile.tile<4xf32>, !ownership.region<mut tile [4], [N], f32>
    %a = ownership.load %r : !ownership.region<mut tile [4], [N], f32> -> !cuda_tile.tile<4xf32>
    %b = ownership.load %r : !ownership.region<mut tile [4], [N], f32> -> !cuda_tile.tile<4xf32>
    ownership.store %c, %r : !cuda_tile.tile<4xf32>, !ownership.region<mut tile [4], [N], f32>
  }
}

// Regions are disjoint, so accesses to different ones stay unordered.
// CHECK-LABEL: @two_regions
// CHECK: %a, %[[A:.*]] = ownership.load %r :
// CHECK: %b, %[[B:.*]] = ownership.load %s :
// CHECK: ownership.store %b, %r token %[[A]] :
// CHECK: ownership.store %a, %s token %[[B]] :
ownership.kernel @two_regions(%x: !ownership.tensor<[N], f32>, %y: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %x : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  %q = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  ownership.distribute %p, %q : !ownership.partition<mut tile [4], [N], f32>, !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [4], [N], f32> -> !ownership.region<mut tile [4], [N], f32>
    %s = ownership.region %q[%i] : !ownership.partition<mut tile [4], [N], f32> -> !ownership.region<mut tile [4], [N], f32>
    %a = ownership.load %r : !ownership.region<mut tile [4], [N], f32> -> !cuda_tile.tile<4xf32>
    %b = ownership.load %s : !ownership.region<mut tile [4], [N], f32> -> !cuda_tile.tile<4xf32>
    ownership.store %b, %r : !cuda_tile.tile<4xf32>, !ownership.region<mut tile [4], [N], f32>
    ownership.store %a, %s : !cuda_tile.tile<4xf32>, !ownership.region<mut tile [4], [N], f32>
  }
}

// What one branch does and the other does not leaves the `if` as one token.
// CHECK-LABEL: @branch
// CHECK: %a, %[[A:.*]] = ownership.load %r :
// CHECK: %[[I:.*]] = cuda_tile.if %f -> (token) {
// CHECK:   %[[W:.*]] = ownership.store %a, %r token %[[A]] :
// CHECK:   cuda_tile.yield %[[W]] : token
// CHECK: } else {
// CHECK:   cuda_tile.yield %[[A]] : token
// CHECK: }
// CHECK: ownership.load %r token %[[I]] :
ownership.kernel @branch(%x: !ownership.tensor<[N], f32>, %f: !cuda_tile.tile<i1>) {
  %p = ownership.partition %x : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [4], [N], f32> -> !ownership.region<mut tile [4], [N], f32>
    %a = ownership.load %r : !ownership.region<mut tile [4], [N], f32> -> !cuda_tile.tile<4xf32>
    cuda_tile.if %f {
      ownership.store %a, %r : !cuda_tile.tile<4xf32>, !ownership.region<mut tile [4], [N], f32>
    }
    %b = ownership.load %r : !ownership.region<mut tile [4], [N], f32> -> !cuda_tile.tile<4xf32>
  }
}

// A branch whose accesses nothing later waits for yields no token.
// CHECK-LABEL: @last_branch
// CHECK: %a, %[[A:.*]] = ownership.load %r :
// CHECK: cuda_tile.if %f {
// CHECK:   ownership.store %a, %r token %[[A]] :
// CHECK-NOT: yield
ownership.kernel @last_branch(%x: !ownership.tensor<[N], f32>, %f: !cuda_tile.tile<i1>) {
  %p = ownership.partition %x : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [4], [N], f32> -> !ownership.region<mut tile [4], [N], f32>
    %a = ownership.load %r : !ownership.region<mut tile [4], [N], f32> -> !cuda_tile.tile<4xf32>
    cuda_tile.if %f {
      ownership.store %a, %r : !cuda_tile.tile<4xf32>, !ownership.region<mut tile [4], [N], f32>
    }
  }
}

// The results an `if` had stay in front of the tokens.
// CHECK-LABEL: @branch_results
// CHECK: %[[I:.*]], %[[T:.*]] = cuda_tile.if %f -> (tile<4xf32>, token) {
// CHECK:   %a, %[[A:.*]] = ownership.load %r :
// CHECK:   cuda_tile.yield %a, %[[A]] : tile<4xf32>, token
// CHECK: } else {
// CHECK:   %[[N:.*]] = cuda_tile.make_token
// CHECK:   cuda_tile.yield %c, %[[N]] : tile<4xf32>, token
// CHECK: ownership.store %[[I]], %r token %[[T]] :
ownership.kernel @branch_results(%x: !ownership.tensor<[N], f32>, %f: !cuda_tile.tile<i1>) {
  %p = ownership.partition %x : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [4], [N], f32> -> !ownership.region<mut tile [4], [N], f32>
    %v = cuda_tile.if %f -> (tile<4xf32>) {
      %a = ownership.load %r : !ownership.region<mut tile [4], [N], f32> -> !cuda_tile.tile<4xf32>
      cuda_tile.yield %a : tile<4xf32>
    } else {
      %c = cuda_tile.constant <f32: 1.0> : tile<4xf32>
      cuda_tile.yield %c : tile<4xf32>
    }
    ownership.store %v, %r : !cuda_tile.tile<4xf32>, !ownership.region<mut tile [4], [N], f32>
  }
}

// A loop that writes hands a token from turn to turn.
// CHECK-LABEL: @write_loop
// CHECK: %[[N:.*]] = cuda_tile.make_token
// CHECK: %[[L:.*]] = cuda_tile.for %k in (%zero to %n, step %one) : tile<i32> iter_values(%[[C:.*]] = %[[N]]) -> (token) {
// CHECK:   %a, %[[A:.*]] = ownership.load %r token %[[C]] :
// CHECK:   %[[W:.*]] = ownership.store %a, %r token %[[A]] :
// CHECK:   cuda_tile.continue %[[W]] : token
// CHECK: ownership.load %r token %[[L]] :
ownership.kernel @write_loop(%x: !ownership.tensor<[N], f32>, %n: !cuda_tile.tile<i32>) {
  %p = ownership.partition %x : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [4], [N], f32> -> !ownership.region<mut tile [4], [N], f32>
    %zero = cuda_tile.constant <i32: 0> : tile<i32>
    %one = cuda_tile.constant <i32: 1> : tile<i32>
    cuda_tile.for %k in (%zero to %n, step %one) : tile<i32> {
      %a = ownership.load %r : !ownership.region<mut tile [4], [N], f32> -> !cuda_tile.tile<4xf32>
      ownership.store %a, %r : !cuda_tile.tile<4xf32>, !ownership.region<mut tile [4], [N], f32>
    }
    %b = ownership.load %r : !ownership.region<mut tile [4], [N], f32> -> !cuda_tile.tile<4xf32>
  }
}

// A loop that only reads collects its reads for the write behind it; they do not wait for each other.
// CHECK-LABEL: @read_loop
// CHECK: %[[W:.*]] = ownership.store %c, %r :
// CHECK: %[[L:.*]] = cuda_tile.for %k in (%zero to %n, step %one) : tile<i32> iter_values(%[[C:.*]] = %[[W]]) -> (token) {
// CHECK:   %a, %[[A:.*]] = ownership.load %r token %[[W]] :
// CHECK:   %[[J:.*]] = cuda_tile.join_tokens %[[C]], %[[A]]
// CHECK:   cuda_tile.continue %[[J]] : token
// CHECK: ownership.store %c, %r token %[[L]] :
ownership.kernel @read_loop(%x: !ownership.tensor<[N], f32>, %n: !cuda_tile.tile<i32>) {
  %p = ownership.partition %x : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [4], [N], f32> -> !ownership.region<mut tile [4], [N], f32>
    %zero = cuda_tile.constant <i32: 0> : tile<i32>
    %one = cuda_tile.constant <i32: 1> : tile<i32>
    %c = cuda_tile.constant <f32: 1.0> : tile<4xf32>
    ownership.store %c, %r : !cuda_tile.tile<4xf32>, !ownership.region<mut tile [4], [N], f32>
    cuda_tile.for %k in (%zero to %n, step %one) : tile<i32> {
      %a = ownership.load %r : !ownership.region<mut tile [4], [N], f32> -> !cuda_tile.tile<4xf32>
    }
    ownership.store %c, %r : !cuda_tile.tile<4xf32>, !ownership.region<mut tile [4], [N], f32>
  }
}

// `loop` carries a token, and `break` takes it out, from inside an `if` too.
// CHECK-LABEL: @endless
// CHECK: %a, %[[A:.*]] = ownership.load %r :
// CHECK: %[[L:.*]] = cuda_tile.loop iter_values(%[[C:.*]] = %[[A]]) : token -> token {
// CHECK:   %[[W:.*]] = ownership.store %a, %r token %[[C]] :
// CHECK:   cuda_tile.if %f {
// CHECK:     cuda_tile.break %[[W]] : token
// CHECK:   cuda_tile.continue %[[W]] : token
// CHECK: ownership.load %r token %[[L]] :
ownership.kernel @endless(%x: !ownership.tensor<[N], f32>, %f: !cuda_tile.tile<i1>) {
  %p = ownership.partition %x : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [4], [N], f32> -> !ownership.region<mut tile [4], [N], f32>
    %a = ownership.load %r : !ownership.region<mut tile [4], [N], f32> -> !cuda_tile.tile<4xf32>
    cuda_tile.loop {
      ownership.store %a, %r : !cuda_tile.tile<4xf32>, !ownership.region<mut tile [4], [N], f32>
      cuda_tile.if %f {
        cuda_tile.break
      }
      cuda_tile.continue
    }
    %b = ownership.load %r : !ownership.region<mut tile [4], [N], f32> -> !cuda_tile.tile<4xf32>
  }
}

// A write in an inner loop is ordered with its own turns and with those of the outer loop.
// CHECK-LABEL: @nested
// CHECK: %[[N:.*]] = cuda_tile.make_token
// CHECK: cuda_tile.for %k in (%zero to %n, step %one) : tile<i32> iter_values(%[[K:.*]] = %[[N]]) -> (token) {
// CHECK:   %[[L:.*]] = cuda_tile.for %l in (%zero to %n, step %one) : tile<i32> iter_values(%[[I:.*]] = %[[K]]) -> (token) {
// CHECK:     %[[W:.*]] = ownership.store %c, %r token %[[I]] :
// CHECK:     cuda_tile.continue %[[W]] : token
// CHECK:   cuda_tile.continue %[[L]] : token
ownership.kernel @nested(%x: !ownership.tensor<[N], f32>, %n: !cuda_tile.tile<i32>) {
  %p = ownership.partition %x : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [4], [N], f32> -> !ownership.region<mut tile [4], [N], f32>
    %zero = cuda_tile.constant <i32: 0> : tile<i32>
    %one = cuda_tile.constant <i32: 1> : tile<i32>
    %c = cuda_tile.constant <f32: 1.0> : tile<4xf32>
    cuda_tile.for %k in (%zero to %n, step %one) : tile<i32> {
      cuda_tile.for %l in (%zero to %n, step %one) : tile<i32> {
        ownership.store %c, %r : !cuda_tile.tile<4xf32>, !ownership.region<mut tile [4], [N], f32>
      }
    }
  }
}
