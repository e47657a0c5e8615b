// RUN: tile-opt %s -p contract-multiply-add | filecheck %s

cuda_tile.module @m {
  // Sums and differences, on either side; a subtracted product is negated by one of its factors.
  // CHECK-LABEL: entry @sums(
  // CHECK-NEXT: %s = cuda_tile.fma %a, %b, %c : tile<f32>
  // CHECK-NEXT: %t = cuda_tile.fma %a, %c, %s : tile<f32>
  // CHECK-NEXT: [[N:%.+]] = cuda_tile.negf %c : tile<f32>
  // CHECK-NEXT: %u = cuda_tile.fma %a, %t, [[N]] : tile<f32>
  // CHECK-NEXT: [[M:%.+]] = cuda_tile.negf %b : tile<f32>
  // CHECK-NEXT: %v = cuda_tile.fma [[M]], %u, %c : tile<f32>
  // CHECK-NEXT: return
  entry @sums(%a: tile<f32>, %b: tile<f32>, %c: tile<f32>) {
    %p = mulf %a, %b : tile<f32>
    %s = addf %p, %c : tile<f32>
    %q = mulf %a, %c : tile<f32>
    %t = addf %s, %q : tile<f32>
    %r = mulf %a, %t : tile<f32>
    %u = subf %r, %c : tile<f32>
    %o = mulf %b, %u : tile<f32>
    %v = subf %c, %o : tile<f32>
    return
  }

  // Of two products the left one is contracted; a product of which there are two sums is contracted with both.
  // CHECK-LABEL: entry @several(
  // CHECK-NEXT: %q = cuda_tile.mulf %a, %c
  // CHECK-NEXT: %s = cuda_tile.fma %a, %b, %q
  // CHECK-NEXT: %u = cuda_tile.fma %c, %c, %a
  // CHECK-NEXT: %v = cuda_tile.fma %c, %c, %b
  // CHECK-NEXT: return
  entry @several(%a: tile<f16>, %b: tile<f16>, %c: tile<f16>) {
    %p = mulf %a, %b : tile<f16>
    %q = mulf %a, %c : tile<f16>
    %s = addf %p, %q : tile<f16>
    %r = mulf %c, %c : tile<f16>
    %u = addf %r, %a : tile<f16>
    %v = addf %b, %r : tile<f16>
    return
  }

  // Left alone: a product that somebody else uses, one added to itself, other roundings, other flushing, and a product
  // that a loop only uses, whose factors would live through it.
  // CHECK-LABEL: entry @apart(
  // CHECK-NOT: fma
  // CHECK: return
  entry @apart(%a: tile<f32>, %b: tile<f32>, %c: tile<f32>, %n: tile<i32>) {
    %p = mulf %a, %b : tile<f32>
    %s = addf %p, %c : tile<f32>
    %e = exp %p : tile<f32>
    %q = mulf %a, %c rounding<zero> : tile<f32>
    %t = addf %q, %c : tile<f32>
    %r = mulf %c, %c : tile<f32>
    %u = addf %r, %a rounding<zero> : tile<f32>
    %o = mulf %b, %c flush_to_zero : tile<f32>
    %v = addf %o, %a : tile<f32>
    %w = mulf %a, %a : tile<f32>
    %x = for %k in (%n to %n, step %n) : tile<i32> iter_values(%y = %a) -> (tile<f32>) {
      %z = addf %w, %y : tile<f32>
      continue %z : tile<f32>
    }
    return
  }

  // A product less the same product with its factors in another order, or with signs, is 0, and stays it. Constants are
  // the same up to their sign, too, and products of sums as the sums are.
  // CHECK-LABEL: entry @alike(
  // CHECK-NOT: fma
  // CHECK: return
  entry @alike(%a: tile<f32>, %b: tile<f32>, %c: tile<f32>) {
    %p = mulf %a, %b : tile<f32>
    %q = mulf %b, %a : tile<f32>
    %s = subf %p, %q : tile<f32>
    %n = negf %c : tile<f32>
    %r = mulf %c, %b : tile<f32>
    %t = mulf %b, %n : tile<f32>
    %u = addf %r, %t : tile<f32>
    %two = constant <f32: 2.0> : tile<f32>
    %less = constant <f32: -2.0> : tile<f32>
    %v = mulf %a, %two : tile<f32>
    %w = mulf %less, %a : tile<f32>
    %x = addf %v, %w : tile<f32>
    %d = subf %a, %b : tile<f32>
    %e = subf %b, %a : tile<f32>
    %f = mulf %d, %c : tile<f32>
    %g = mulf %c, %e : tile<f32>
    %h = addf %f, %g : tile<f32>
    return
  }

  // Where one of two products alike is used otherwise, both are rounded.
  // CHECK-LABEL: entry @used(
  // CHECK-NOT: fma
  // CHECK: return
  entry @used(%a: tile<f32>, %b: tile<f32>, %c: tile<f32>) {
    %p = mulf %a, %b : tile<f32>
    %e = exp %p : tile<f32>
    %q = mulf %b, %a : tile<f32>
    %s = addf %q, %c : tile<f32>
    return
  }

  // A product is contracted with all of its sums: so it is not computed by itself, too, and two equal sums stay equal.
  // CHECK-LABEL: entry @all_sums(
  // CHECK-NEXT: %q = cuda_tile.mulf %c, %d
  // CHECK-NEXT: %s = cuda_tile.fma %a, %b, %q
  // CHECK-NEXT: %r = cuda_tile.mulf %c, %c
  // CHECK-NEXT: %t = cuda_tile.fma %a, %b, %r
  // CHECK-NEXT: %u = cuda_tile.fma %b, %a, %q
  // CHECK-NEXT: return
  entry @all_sums(%a: tile<f32>, %b: tile<f32>, %c: tile<f32>, %d: tile<f32>) {
    %p = mulf %a, %b : tile<f32>
    %q = mulf %c, %d : tile<f32>
    %s = addf %p, %q : tile<f32>
    %r = mulf %c, %c : tile<f32>
    %t = addf %r, %p : tile<f32>
    %o = mulf %b, %a : tile<f32>
    %u = addf %q, %o : tile<f32>
    return
  }

  // What is less itself is a zero, which changes no sum that it is added to, whichever sign it has: so these are alike.
  // CHECK-LABEL: entry @less_itself(
  // CHECK-NOT: fma
  // CHECK: return
  entry @less_itself(%a: tile<f32>, %b: tile<f32>, %c: tile<f32>) {
    %z = subf %c, %c : tile<f32>
    %n = negf %z : tile<f32>
    %x = addf %z, %a : tile<f32>
    %y = addf %a, %n : tile<f32>
    %p = mulf %x, %b : tile<f32>
    %q = mulf %b, %y : tile<f32>
    %s = subf %p, %q : tile<f32>
    return
  }

  // A product that is rounded up is left alone, and is not the like of one that rounds to nearest.
  // CHECK-LABEL: entry @directed(
  // CHECK: fma %a, %c, %b
  // CHECK: return
  entry @directed(%a: tile<f32>, %b: tile<f32>, %c: tile<f32>) {
    %p = mulf %a, %c rounding<positive_inf> : tile<f32>
    %e = exp %p : tile<f32>
    %q = mulf %a, %c : tile<f32>
    %s = addf %q, %b : tile<f32>
    return
  }
}
