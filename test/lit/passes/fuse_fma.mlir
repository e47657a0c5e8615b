// RUN: tile-opt %s -p 'cuda_tile.module(cuda_tile.entry(fuse-fma))' --elide-prefix | filecheck %s

cuda_tile.module @m {
  // Sums on either side, and differences from a product, however they round and flush, if they do so alike.
  // CHECK-LABEL: entry @fused
  // CHECK-NEXT: %s = fma %a, %b, %c : tile<f32>
  // CHECK-NEXT: %t = fma %a, %c, %s rounding<zero> flush_to_zero : tile<f32>
  // CHECK-NEXT: %[[N:.*]] = negf %c : tile<f32>
  // CHECK-NEXT: %u = fma %a, %t, %[[N]] rounding<positive_inf> : tile<f32>
  // CHECK-NEXT: return
  entry @fused(%a: tile<f32>, %b: tile<f32>, %c: tile<f32>) {
    %p = mulf %a, %b : tile<f32>
    %s = addf %p, %c : tile<f32>
    %q = mulf %a, %c rounding<zero> flush_to_zero : tile<f32>
    %t = addf %s, %q rounding<zero> flush_to_zero : tile<f32>
    %r = mulf %a, %t rounding<positive_inf> : tile<f32>
    %u = subf %r, %c rounding<positive_inf> : tile<f32>
    return
  }

  // Left alone: a product that is subtracted, one that is used twice, other roundings, other flushing.
  // CHECK-LABEL: entry @apart
  // CHECK-NOT: fma
  // CHECK: %[[Q:.*]] = mulf %b, %c rounding<zero>
  // CHECK-NEXT: %y = addf %[[Q]], %a
  // CHECK-NOT: fma
  // CHECK: return
  entry @apart(%a: tile<f32>, %b: tile<f32>, %c: tile<f32>) {
    %p = mulf %a, %b : tile<f32>
    %s = subf %c, %p : tile<f32>
    %o = mulf %a, %c : tile<f32>
    %x = addf %o, %b : tile<f32>
    %w = subf %o, %b : tile<f32>
    %q = mulf %b, %c rounding<zero> : tile<f32>
    %y = addf %a, %q : tile<f32>
    %r = mulf %c, %c flush_to_zero : tile<f32>
    %z = addf %r, %a : tile<f32>
    return
  }
}
