// RUN: tile-opt %s -p resolve-obligations,report-obligations | filecheck %s

// What is proved of indices, and what is masked. The tensor's extents are M and K; `s` is a scalar argument.
// CHECK:      @ranges
// CHECK-NEXT: gather from `x`: in bounds along axis 0: masked where not (indices are from 0 to 3)
// CHECK-NEXT: gather from `x`: in bounds along axis 1: masked where not (indices are any number)
// CHECK-NEXT: gather from `x`: in bounds along axis 0: proved (0 <= min(0, M - 1) and min(3, M - 1) < M)
// CHECK-NEXT: gather from `x`: in bounds along axis 1: proved (0 <= 0 and K - 1 < K)
// CHECK-NEXT: gather from `x8`: in bounds along axis 0: proved (0 <= 0 and 7 < 8)
// CHECK-NEXT: gather from `x8`: in bounds along axis 1: masked where not (indices are from i * 4 to i * 4 + 3)
// CHECK-NEXT: load from `x`: in bounds along axis 0: masked where not (indices are from i - 1 to i + 2)
// CHECK-NEXT: load from `x`: in bounds along axis 1: proved (0 <= 0 < K)
// CHECK-NEXT: update of `h`: in bounds along axis 0: proved (0 <= 0 < ceildiv(B, 4) by rules)
// CHECK-NEXT: update of `h`: in bounds along axis 0: checked at launch: 0 <= s and s < ceildiv(B, 4)
// CHECK-NEXT: update of `h`: in bounds along axis 0: proved (0 <= 0 and B - 1 < B)
// CHECK-NEXT: unsafe load from `q`: not proved: "it is read alone"
// CHECK-NEXT: unsafe store to `q`: not proved: "one block does"
// CHECK-NEXT: unsafe atomic update of `q`: not proved: "tickets"
ownership.kernel @ranges(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[M, K], f32>, %h: !ownership.tensor<[B], i32>, %q: !ownership.tensor<[B], i32>, %s: !cuda_tile.tile<i32>, %x8: !ownership.tensor<[8, N], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  %b = ownership.borrow %x : !ownership.tensor<[M, K], f32> -> !ownership.ref<[M, K], f32>
  %acc = ownership.accumulator %h : !ownership.tensor<[B], i32> -> !ownership.acc<[B], i32>
  %raw = ownership.expose %q : !ownership.tensor<[B], i32> -> !ownership.raw<[B], i32>
  %b8 = ownership.borrow %x8 : !ownership.tensor<[8, N], f32> -> !ownership.ref<[8, N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %n = cuda_tile.iota : !cuda_tile.tile<4xi32>
    %zeros = cuda_tile.constant <i32: 0> : !cuda_tile.tile<4xi32>
    %seven = cuda_tile.constant <i32: 7> : !cuda_tile.tile<4xi32>
    %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
    %four = cuda_tile.constant <i32: 4> : !cuda_tile.tile<i32>
    // Loaded from nowhere: any number.
    %f = cuda_tile.itof %n signed : !cuda_tile.tile<4xi32> -> !cuda_tile.tile<4xf32>
    %any = cuda_tile.ftoi %f signed : !cuda_tile.tile<4xf32> -> !cuda_tile.tile<4xi32>
    %g = ownership.gather %b[%n, %any] : !ownership.ref<[M, K], f32>, (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xf32>
    // Clamped to the last row, and the remainder of the extent.
    %m = ownership.dim %b, 0 : !ownership.ref<[M, K], f32>
    %last = cuda_tile.subi %m, %one : !cuda_tile.tile<i32>
    %last1 = cuda_tile.reshape %last : !cuda_tile.tile<i32> -> !cuda_tile.tile<1xi32>
    %lasts = cuda_tile.broadcast %last1 : !cuda_tile.tile<1xi32> -> !cuda_tile.tile<4xi32>
    %rows = cuda_tile.mini %n, %lasts signed : !cuda_tile.tile<4xi32>
    %k = ownership.dim %b, 1 : !ownership.ref<[M, K], f32>
    %k1 = cuda_tile.reshape %k : !cuda_tile.tile<i32> -> !cuda_tile.tile<1xi32>
    %ks = cuda_tile.broadcast %k1 : !cuda_tile.tile<1xi32> -> !cuda_tile.tile<4xi32>
    %quotient = cuda_tile.divi %any, %ks signed rounding<negative_inf> : !cuda_tile.tile<4xi32>
    %product = cuda_tile.muli %quotient, %ks : !cuda_tile.tile<4xi32>
    %columns = cuda_tile.subi %any, %product : !cuda_tile.tile<4xi32>
    %c = ownership.gather %b[%rows, %columns] : !ownership.ref<[M, K], f32>, (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xf32>
    // Bits, of a tensor with 8 rows; and the place of the block's own region, in 64 bits.
    %bits = cuda_tile.andi %any, %seven : !cuda_tile.tile<4xi32>
    %start = cuda_tile.muli %i, %four : !cuda_tile.tile<i32>
    %start1 = cuda_tile.reshape %start : !cuda_tile.tile<i32> -> !cuda_tile.tile<1xi32>
    %starts = cuda_tile.broadcast %start1 : !cuda_tile.tile<1xi32> -> !cuda_tile.tile<4xi32>
    %own = cuda_tile.addi %starts, %n : !cuda_tile.tile<4xi32>
    %wide = cuda_tile.exti %own signed : !cuda_tile.tile<4xi32> -> !cuda_tile.tile<4xi64>
    %d = ownership.gather %b8[%bits, %wide] : !ownership.ref<[8, N], f32>, (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi64>) -> !cuda_tile.tile<4xf32>
    %before = cuda_tile.subi %i, %one : !cuda_tile.tile<i32>
    %w = ownership.load_from %b[%before, %zero] : !ownership.ref<[M, K], f32> -> !cuda_tile.tile<4x8xf32>
    ownership.accumulate <add> %n, %acc[%zero] : !cuda_tile.tile<4xi32>, !ownership.acc<[B], i32>
    ownership.accumulate <add> %n, %acc[%s] : !cuda_tile.tile<4xi32>, !ownership.acc<[B], i32>
    %e = ownership.dim %acc, 0 : !ownership.acc<[B], i32>
    %e1 = cuda_tile.reshape %e : !cuda_tile.tile<i32> -> !cuda_tile.tile<1xi32>
    %es = cuda_tile.broadcast %e1 : !cuda_tile.tile<1xi32> -> !cuda_tile.tile<4xi32>
    %q2 = cuda_tile.divi %any, %es signed rounding<negative_inf> : !cuda_tile.tile<4xi32>
    %p2 = cuda_tile.muli %es, %q2 : !cuda_tile.tile<4xi32>
    %wrapped = cuda_tile.subi %any, %p2 : !cuda_tile.tile<4xi32>
    ownership.accumulate_at <add> %n, %acc[%wrapped] : !cuda_tile.tile<4xi32>, !ownership.acc<[B], i32>, (!cuda_tile.tile<4xi32>)
    %l = ownership.unsafe_load "it is read alone" %raw[%zero] {ordering = #cuda_tile.memory_ordering_semantics<weak>} : !ownership.raw<[B], i32>, (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
    ownership.unsafe_store "one block does" %l, %raw[%zero] {ordering = #cuda_tile.memory_ordering_semantics<weak>} : !cuda_tile.tile<i32>, !ownership.raw<[B], i32>, (!cuda_tile.tile<i32>)
    %o = ownership.unsafe_update "tickets" %l, %raw[%zero] {mode = #cuda_tile.atomic_rmw_mode<add>, ordering = #cuda_tile.memory_ordering_semantics<relaxed>, scope = #cuda_tile.memory_scope<device>} : !cuda_tile.tile<i32>, !ownership.raw<[B], i32>, (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
  }
}

// What may wrap is any number: the sum and the product of numbers that are not small.
// CHECK:      @wraps
// CHECK-NEXT: gather from `x`: in bounds along axis 0: masked where not (indices are any number)
// CHECK-NEXT: gather from `x`: in bounds along axis 1: masked where not (indices are any number)
ownership.kernel @wraps(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[M, K], f32>, %h: !ownership.tensor<[B], i32>, %q: !ownership.tensor<[B], i32>, %s: !cuda_tile.tile<i32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  %b = ownership.borrow %x : !ownership.tensor<[M, K], f32> -> !ownership.ref<[M, K], f32>
  %acc = ownership.accumulator %h : !ownership.tensor<[B], i32> -> !ownership.acc<[B], i32>
  %raw = ownership.expose %q : !ownership.tensor<[B], i32> -> !ownership.raw<[B], i32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %n = cuda_tile.iota : !cuda_tile.tile<4xi32>
    %s1 = cuda_tile.reshape %s : !cuda_tile.tile<i32> -> !cuda_tile.tile<1xi32>
    %ss = cuda_tile.broadcast %s1 : !cuda_tile.tile<1xi32> -> !cuda_tile.tile<4xi32>
    %sum = cuda_tile.addi %ss, %n : !cuda_tile.tile<4xi32>
    %product = cuda_tile.muli %ss, %n overflow<no_signed_wrap> : !cuda_tile.tile<4xi32>
    %g = ownership.gather %b[%sum, %product] : !ownership.ref<[M, K], f32>, (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xf32>
  }
}

// Of which one end is known, both are told; any number that is not negative is none of them.
// CHECK:      @halves
// CHECK-NEXT: gather from `x`: in bounds along axis 0: masked where not (indices are from 0 to 2147483647)
// CHECK-NEXT: gather from `x`: in bounds along axis 1: masked where not (indices are from min(-2147483648, K - 1) to min(2147483647, K - 1))
ownership.kernel @halves(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[M, K], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  %b = ownership.borrow %x : !ownership.tensor<[M, K], f32> -> !ownership.ref<[M, K], f32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %n = cuda_tile.iota : !cuda_tile.tile<4xi32>
    %zeros = cuda_tile.constant <i32: 0> : !cuda_tile.tile<4xi32>
    %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
    %f = cuda_tile.itof %n signed : !cuda_tile.tile<4xi32> -> !cuda_tile.tile<4xf32>
    %any = cuda_tile.ftoi %f signed : !cuda_tile.tile<4xf32> -> !cuda_tile.tile<4xi32>
    %not_negative = cuda_tile.maxi %any, %zeros signed : !cuda_tile.tile<4xi32>
    %k = ownership.dim %b, 1 : !ownership.ref<[M, K], f32>
    %last = cuda_tile.subi %k, %one : !cuda_tile.tile<i32>
    %last1 = cuda_tile.reshape %last : !cuda_tile.tile<i32> -> !cuda_tile.tile<1xi32>
    %lasts = cuda_tile.broadcast %last1 : !cuda_tile.tile<1xi32> -> !cuda_tile.tile<4xi32>
    %not_behind = cuda_tile.mini %any, %lasts signed : !cuda_tile.tile<4xi32>
    %g = ownership.gather %b[%not_negative, %not_behind] : !ownership.ref<[M, K], f32>, (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xf32>
  }
}

// A condition around a gather is known there; indices of a launch whose extents are multiples of the tile need no mask.
// CHECK:      @conditions
// CHECK-NEXT: gather from `x`: in bounds along axis 0: proved (0 <= s and s + 3 < M)
// CHECK-NEXT: gather from `x`: in bounds along axis 1: proved (0 <= i * 4 and i * 4 + 3 < K)
ownership.kernel @conditions(%y: !ownership.tensor<[K], f32, #ownership.layout<align = 4, strides = [1], stride_divs = [1], extent_divs = [4]>>, %x: !ownership.tensor<[M, K], f32>, %s: !cuda_tile.tile<i32>) {
  %p = ownership.partition %y : !ownership.tensor<[K], f32, #ownership.layout<align = 4, strides = [1], stride_divs = [1], extent_divs = [4]>> -> !ownership.partition<mut tile [4], [K], f32, #ownership.layout<align = 4, strides = [1], stride_divs = [1], extent_divs = [4]>>
  %b = ownership.borrow %x : !ownership.tensor<[M, K], f32> -> !ownership.ref<[M, K], f32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [K], f32, #ownership.layout<align = 4, strides = [1], stride_divs = [1], extent_divs = [4]>> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %three = cuda_tile.constant <i32: 3> : !cuda_tile.tile<i32>
    %four = cuda_tile.constant <i32: 4> : !cuda_tile.tile<i32>
    %n = cuda_tile.iota : !cuda_tile.tile<4xi32>
    %m = ownership.dim %b, 0 : !ownership.ref<[M, K], f32>
    %room = cuda_tile.subi %m, %three : !cuda_tile.tile<i32>
    %low = cuda_tile.cmpi less_than_or_equal %zero, %s, signed : !cuda_tile.tile<i32> -> !cuda_tile.tile<i1>
    %high = cuda_tile.cmpi less_than %s, %room, signed : !cuda_tile.tile<i32> -> !cuda_tile.tile<i1>
    %both = cuda_tile.andi %low, %high : !cuda_tile.tile<i1>
    %s1 = cuda_tile.reshape %s : !cuda_tile.tile<i32> -> !cuda_tile.tile<1xi32>
    %ss = cuda_tile.broadcast %s1 : !cuda_tile.tile<1xi32> -> !cuda_tile.tile<4xi32>
    %rows = cuda_tile.addi %ss, %n : !cuda_tile.tile<4xi32>
    %start = cuda_tile.muli %i, %four : !cuda_tile.tile<i32>
    %start1 = cuda_tile.reshape %start : !cuda_tile.tile<i32> -> !cuda_tile.tile<1xi32>
    %starts = cuda_tile.broadcast %start1 : !cuda_tile.tile<1xi32> -> !cuda_tile.tile<4xi32>
    %columns = cuda_tile.addi %starts, %n : !cuda_tile.tile<4xi32>
    cuda_tile.if %both {
      %g = ownership.gather %b[%rows, %columns] : !ownership.ref<[M, K], f32>, (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xf32>
      cuda_tile.yield
    }
  }
}
