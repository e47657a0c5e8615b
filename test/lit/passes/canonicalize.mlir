// RUN: tile-opt %s -p canonicalize | filecheck %s
// RUN: tile-opt %s -p 'canonicalize{fold-integers=false}' | filecheck %s --check-prefix=KEPT

// Arithmetic can be left as it stands.
// KEPT-LABEL: entry @constants(
// KEPT: cuda_tile.divi
// KEPT: cuda_tile.addi
// KEPT-NOT: cuda_tile.muli
// KEPT-LABEL: entry @identities(
// KEPT: cuda_tile.muli
// KEPT-NOT: cuda_tile.select
// KEPT: return

cuda_tile.module @m {
  // Numbers fold as the operation computes them; what nobody uses goes.
  // CHECK-LABEL: entry @constants(
  // CHECK-SAME: %out: tile<ptr<i32>>) {
  // CHECK-DAG: %[[DOWN:.*]] = cuda_tile.constant <i32: -4>
  // CHECK-DAG: %[[ZERO:.*]] = cuda_tile.constant <i32: -3>
  // CHECK-DAG: %[[UP:.*]] = cuda_tile.constant <i32: 4>
  // CHECK-DAG: %[[REM:.*]] = cuda_tile.constant <i32: -1>
  // CHECK-DAG: %[[WRAP:.*]] = cuda_tile.constant <i32: -2147483648>
  // CHECK-DAG: %[[BIG:.*]] = cuda_tile.constant <i32: 2147483644>
  // CHECK-NOT: divi
  // CHECK: cuda_tile.print_tko "%d %d %d %d %d %d\0A", %[[DOWN]], %[[ZERO]], %[[UP]], %[[REM]], %[[WRAP]], %[[BIG]]
  entry @constants(%out: tile<ptr<i32>>) {
    %m7 = constant <i32: -7> : tile<i32>
    %p7 = constant <i32: 7> : tile<i32>
    %two = constant <i32: 2> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %max = constant <i32: 2147483647> : tile<i32>
    %down = divi %m7, %two signed rounding<negative_inf> : tile<i32>
    %zero = divi %m7, %two signed : tile<i32>
    %up = divi %p7, %two signed rounding<positive_inf> : tile<i32>
    %rem = remi %m7, %two signed : tile<i32>
    %wrap = addi %max, %one : tile<i32>
    %big = divi %m7, %two unsigned : tile<i32>
    %dead = muli %big, %wrap : tile<i32>
    %t = print_tko "%d %d %d %d %d %d\0A", %down, %zero, %up, %rem, %wrap, %big : tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i32> -> token
    return
  }

  // Neutral operands vanish, constants go to the right, and stand in front.
  // CHECK-LABEL: entry @identities(
  // CHECK-SAME: %x: tile<i32>, %f: tile<i1>) {
  // CHECK-NEXT: %[[FALSE:.*]] = cuda_tile.constant <i1: false>
  // CHECK-NEXT: %[[TWO:.*]] = cuda_tile.constant <i32: 2>
  // CHECK-NEXT: %[[R:.*]] = cuda_tile.addi %x, %[[TWO]]
  // CHECK-NEXT: cuda_tile.print_tko "%d %d %d", %x, %[[R]], %[[FALSE]]
  entry @identities(%x: tile<i32>, %f: tile<i1>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %two = constant <i32: 2> : tile<i32>
    %true = constant <i1: true> : tile<i1>
    %a = addi %zero, %x : tile<i32>
    %b = muli %a, %one : tile<i32>
    %c = subi %b, %zero : tile<i32>
    %d = divi %c, %one signed : tile<i32>
    %e = select %true, %d, %two : tile<i1>, tile<i32>
    %g = select %f, %e, %e : tile<i1>, tile<i32>
    %h = maxi %g, %g unsigned : tile<i32>
    %r = addi %two, %h : tile<i32>
    %s = cmpi less_than %r, %r, signed : tile<i32> -> tile<i1>
    %t = print_tko "%d %d %d", %h, %r, %s : tile<i32>, tile<i32>, tile<i1> -> token
    return
  }

  // What is undefined stays as it was.
  // CHECK-LABEL: entry @undefined(
  // CHECK: cuda_tile.divi
  // CHECK: cuda_tile.remi
  // CHECK: cuda_tile.shli
  entry @undefined(%x: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %m1 = constant <i32: -1> : tile<i32>
    %min = constant <i32: -2147483648> : tile<i32>
    %n = constant <i32: 32> : tile<i32>
    %a = divi %min, %m1 signed : tile<i32>
    %b = remi %one, %zero signed : tile<i32>
    %c = shli %one, %n : tile<i32>
    %t = print_tko "%d %d %d", %a, %b, %c : tile<i32>, tile<i32>, tile<i32> -> token
    return
  }

  // A fill keeps its bits in another shape; a shape that does not change is none.
  // CHECK-LABEL: entry @shapes(
  // CHECK-NEXT: %[[N:.*]] = cuda_tile.constant <f32: 0x7FC00001> : tile<4x8xf32>
  // CHECK-NEXT: cuda_tile.print_tko "%f", %[[N]]
  entry @shapes() {
    %nan = constant <f32: 0x7FC00001> : tile<f32>
    %a = reshape %nan : tile<f32> -> tile<1x1xf32>
    %b = broadcast %a : tile<1x1xf32> -> tile<8x4xf32>
    %c = permute %b [1, 0] : tile<8x4xf32> -> tile<4x8xf32>
    %d = reshape %c : tile<4x8xf32> -> tile<4x8xf32>
    %t = print_tko "%f", %d : tile<4x8xf32> -> token
    return
  }

  // A branch that is known is taken; where it leaves a loop, nothing behind it is left.
  // CHECK-LABEL: entry @branches(
  // CHECK-NOT: if
  // CHECK: cuda_tile.print_tko "then"
  // CHECK: cuda_tile.print_tko "%d", %x
  // CHECK: cuda_tile.loop {
  // CHECK-NEXT: cuda_tile.break
  // CHECK-NEXT: }
  entry @branches(%x: tile<i32>, %y: tile<i32>) {
    %true = constant <i1: true> : tile<i1>
    %false = constant <i1: false> : tile<i1>
    %r = if %true -> (tile<i32>) {
      %t = print_tko "then" -> token
      yield %x : tile<i32>
    } else {
      %t = print_tko "else" -> token
      yield %y : tile<i32>
    }
    if %false {
      %t = print_tko "never" -> token
    }
    %u = print_tko "%d", %r : tile<i32> -> token
    loop {
      if %true {
        break
      }
      continue
    }
    return
  }

  // A loop without a turn is its initial values.
  // CHECK-LABEL: entry @no_turn(
  // CHECK-NEXT: cuda_tile.print_tko "%d", %x
  entry @no_turn(%x: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %r = for %k in (%one to %zero, step %one) : tile<i32> iter_values(%a = %x) -> (tile<i32>) {
      %b = addi %a, %k : tile<i32>
      continue %b : tile<i32>
    }
    %t = print_tko "%d", %r : tile<i32> -> token
    return
  }

  // Loads that nobody wants go; stores, promises that are used, and assertions stay.
  // CHECK-LABEL: entry @effects(
  // CHECK: assume div_by<16>
  // CHECK-NOT: assume
  // CHECK-NOT: load_view_tko
  // CHECK: store_view_tko
  // CHECK: assert
  entry @effects(%p: tile<ptr<f32>>, %n: tile<i32>, %c: tile<i1>) {
    %q = assume div_by<16>, %p : tile<ptr<f32>>
    %m = assume bounded<0, ?>, %n : tile<i32>
    %v = make_tensor_view %q, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %w = make_partition_view %v : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    %zero = constant <i32: 0> : tile<i32>
    %x, %t = load_view_tko weak %w[%zero] : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token
    %y = constant <f32: 1.0> : tile<8xf32>
    %u = store_view_tko weak %y, %w[%zero] : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    assert %c, "kept" : tile<i1>
    return
  }
}
