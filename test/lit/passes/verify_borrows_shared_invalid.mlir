// RUN: tile-opt %s -p verify-borrows --print-diagnostics --split-input-file | filecheck %s

// An accumulator is read by nobody.
// CHECK:      error[O130]: `x` is an accumulator and lent for reading
// CHECK:      `x` is lent for reading here
// CHECK:      `x` is an accumulator here
// CHECK:      = note: what one tile block does there would depend on when another does the other
// CHECK-NEXT: = help: use two tensors, or two kernels: the second sees all that the first has done
ownership.kernel @k(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[N], f32>, %h: !ownership.tensor<[B], i32>) {
  %a = ownership.borrow %x : !ownership.tensor<[N], f32> -> !ownership.ref<[N], f32>
  %b = ownership.accumulator %x : !ownership.tensor<[N], f32> -> !ownership.acc<[N], f32>
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
  }
}

// -----

// Nor is it split into regions.
// CHECK: error[O130]: `y` is an accumulator and split into regions for writing
ownership.kernel @k(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[N], f32>, %h: !ownership.tensor<[B], i32>) {
  %b = ownership.accumulator %y : !ownership.tensor<[N], f32> -> !ownership.acc<[N], f32>
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
  }
}

// -----

// Nothing is known of a raw tensor's other uses.
// CHECK: error[O130]: `x` is raw and lent for reading
ownership.kernel @k(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[N], f32>, %h: !ownership.tensor<[B], i32>) {
  %a = ownership.borrow %x : !ownership.tensor<[N], f32> -> !ownership.ref<[N], f32>
  %b = ownership.expose %x : !ownership.tensor<[N], f32> -> !ownership.raw<[N], f32>
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
  }
}

// -----

// CHECK: error[O130]: `y` is raw and split into regions for writing
ownership.kernel @k(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[N], f32>, %h: !ownership.tensor<[B], i32>) {
  %b = ownership.expose %y : !ownership.tensor<[N], f32> -> !ownership.raw<[N], f32>
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
  }
}

// -----

// CHECK: error[O130]: `h` is raw and an accumulator
ownership.kernel @k(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[N], f32>, %h: !ownership.tensor<[B], i32>) {
  %a = ownership.accumulator %h : !ownership.tensor<[B], i32> -> !ownership.acc<[B], i32>
  %b = ownership.expose %h : !ownership.tensor<[B], i32> -> !ownership.raw<[B], i32>
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
  }
}

// -----

// A sum and a maximum do not commute.
// CHECK:      error[O131]: `h` takes updates that do not commute: `add` and `maximum`
// CHECK:      {{-+}} `add` here
// CHECK:      {{\^+}} `maximum` here
// CHECK:      = note: of 0, `add` with 1 and then `maximum` with 1 makes 1, and the other way 2
// CHECK-NEXT: = note: blocks run in no fixed order, and the result would depend on it
// CHECK-NEXT: = help: give each kind of update an `Acc` parameter of its own
ownership.kernel @k(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[N], f32>, %h: !ownership.tensor<[B], i32>) {
  %a = ownership.accumulator %h : !ownership.tensor<[B], i32> -> !ownership.acc<[B], i32>
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %n = cuda_tile.iota : !cuda_tile.tile<4xi32>
    ownership.accumulate <add> %n, %a[%i] : !cuda_tile.tile<4xi32>, !ownership.acc<[B], i32>
    ownership.accumulate_at <max> %n, %a[%n] : !cuda_tile.tile<4xi32>, !ownership.acc<[B], i32>, (!cuda_tile.tile<4xi32>)
  }
}

// -----

// Neither do signed and unsigned maxima, nor through two names of one tensor.
// CHECK: error[O131]: `h` takes updates that do not commute: `max` and `umax`
ownership.kernel @k(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[N], f32>, %h: !ownership.tensor<[B], i32>) {
  %a = ownership.accumulator %h : !ownership.tensor<[B], i32> -> !ownership.acc<[B], i32>
  %b = ownership.accumulator %h : !ownership.tensor<[B], i32> -> !ownership.acc<[B], i32>
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %n = cuda_tile.iota : !cuda_tile.tile<4xi32>
    ownership.accumulate <max> %n, %a[%i] : !cuda_tile.tile<4xi32>, !ownership.acc<[B], i32>
    ownership.accumulate <umax> %n, %b[%i] : !cuda_tile.tile<4xi32>, !ownership.acc<[B], i32>
  }
}

// -----

// Updates of one kind meet as they like, under two names, too.
// CHECK: ownership.kernel @k
ownership.kernel @k(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[N], f32>, %h: !ownership.tensor<[B], i32>) {
  %a = ownership.accumulator %h : !ownership.tensor<[B], i32> -> !ownership.acc<[B], i32>
  %b = ownership.accumulator %h : !ownership.tensor<[B], i32> -> !ownership.acc<[B], i32>
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %n = cuda_tile.iota : !cuda_tile.tile<4xi32>
    ownership.accumulate <max> %n, %a[%i] : !cuda_tile.tile<4xi32>, !ownership.acc<[B], i32>
    ownership.accumulate_at <max> %n, %b[%n] : !cuda_tile.tile<4xi32>, !ownership.acc<[B], i32>, (!cuda_tile.tile<4xi32>)
  }
}

// -----

// A gather reads anywhere.
// CHECK: error[O103]: `y` is read anywhere while tile blocks write it
ownership.kernel @k(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[N], f32>, %h: !ownership.tensor<[B], i32>) {
  %a = ownership.borrow %y : !ownership.tensor<[N], f32> -> !ownership.ref<[N], f32>
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %n = cuda_tile.iota : !cuda_tile.tile<4xi32>
    %g = ownership.gather %a[%n] : !ownership.ref<[N], f32>, (!cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xf32>
  }
}

// -----

// A window that reaches into the next block's region: the witness is clipped to the tensor.
// CHECK: error[O103]: `y` is read anywhere while tile blocks write it
// CHECK: = note: where B = 64, N = 8, block 1 reads `y[1 .. 5]` and block 0 owns `y[0 .. 4]`
ownership.kernel @k(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[N], f32>, %h: !ownership.tensor<[B], i32>) {
  %a = ownership.borrow %y : !ownership.tensor<[N], f32> -> !ownership.ref<[N], f32>
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [4], [N], f32> -> !ownership.region<mut tile [4], [N], f32>
    %g = ownership.load_from %a[%i] : !ownership.ref<[N], f32> -> !cuda_tile.tile<4xf32>
  }
}
