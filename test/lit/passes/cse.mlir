// RUN: tile-opt %s -p cse | filecheck %s

cuda_tile.module @m {
  // Equal constants, arithmetic and promises become one, also from inside a loop; different attributes differ.
  // CHECK-LABEL: entry @scalars(
  // CHECK: %one = cuda_tile.constant <i32: 1> : tile<i32>
  // CHECK: %long = cuda_tile.constant <i64: 1> : tile<i64>
  // CHECK: %a = cuda_tile.divi %x, %one signed
  // CHECK: %c = cuda_tile.divi %x, %one unsigned
  // CHECK: %d = cuda_tile.assume bounded<0, ?>, %x
  // CHECK-NOT: assume
  // CHECK: for %k in (%one to %x, step %one)
  // CHECK-NOT: divi
  // CHECK: cuda_tile.print_tko "%d %d %d %d %d", %a, %a, %c, %d, %a
  entry @scalars(%x: tile<i32>) {
    %one = constant <i32: 1> : tile<i32>
    %uno = constant <i32: 1> : tile<i32>
    %long = constant <i64: 1> : tile<i64>
    %a = divi %x, %one signed : tile<i32>
    %b = divi %x, %uno signed : tile<i32>
    %c = divi %x, %one unsigned : tile<i32>
    %d = assume bounded<0, ?>, %x : tile<i32>
    %e = assume bounded<0, ?>, %x : tile<i32>
    for %k in (%one to %x, step %uno) : tile<i32> {
      %f = divi %x, %uno signed : tile<i32>
      %t = print_tko "%d %d %d %d %d", %a, %b, %c, %e, %f : tile<i32>, tile<i32>, tile<i32>, tile<i32>, tile<i32> -> token
      %u = print_tko "%d", %long : tile<i64> -> token
    }
    return
  }

  // What is computed in one branch is not known in the other, nor behind.
  // CHECK-LABEL: entry @branches(
  // CHECK-COUNT-3: cuda_tile.addi
  entry @branches(%x: tile<i32>, %c: tile<i1>) {
    if %c {
      %a = addi %x, %x : tile<i32>
      %t = print_tko "%d", %a : tile<i32> -> token
    } else {
      %b = addi %x, %x : tile<i32>
      %t = print_tko "%d", %b : tile<i32> -> token
    }
    %d = addi %x, %x : tile<i32>
    %t = print_tko "%d", %d : tile<i32> -> token
    return
  }

  // A weak load is ordered by its token alone: equal ones are one, across a store that neither waits for. Loads after
  // different tokens, or in different blocks, stay.
  // CHECK-LABEL: entry @loads(
  // CHECK: %[[X:.*]], %[[T:.*]] = cuda_tile.load_view_tko weak %w[%zero] :
  // CHECK: %[[S:.*]] = cuda_tile.store_view_tko weak %[[X]], %w[%zero] token = %[[T]]
  // CHECK: load_view_tko weak %w[%zero] token = %[[S]]
  // CHECK: cuda_tile.if
  // CHECK:   load_view_tko weak %w[%zero] :
  // CHECK-NOT: load_view_tko
  entry @loads(%p: tile<ptr<f32>>, %c: tile<i1>) {
    %v = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %w = make_partition_view %v : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    %zero = constant <i32: 0> : tile<i32>
    %x, %t = load_view_tko weak %w[%zero] : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token
    %s = store_view_tko weak %x, %w[%zero] token = %t : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    %y, %u = load_view_tko weak %w[%zero] : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token
    %z, %q = load_view_tko weak %w[%zero] token = %s : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token
    %t1 = print_tko "%f %f %f", %x, %y, %z : tile<8xf32>, tile<8xf32>, tile<8xf32> -> token
    if %c {
      %a, %b = load_view_tko weak %w[%zero] : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token
      %t2 = print_tko "%f", %a : tile<8xf32> -> token
    }
    return
  }

  // Nothing that writes, stops or makes an order is merged.
  // CHECK-LABEL: entry @effects(
  // CHECK-COUNT-2: cuda_tile.assert
  // CHECK-COUNT-2: cuda_tile.print_tko
  entry @effects(%c: tile<i1>) {
    assert %c, "once" : tile<i1>
    assert %c, "once" : tile<i1>
    %a = print_tko "x" -> token
    %b = print_tko "x" -> token
    return
  }
}

// Loads through a shared borrow are merged; those of a region are not.
// CHECK-LABEL: ownership.kernel @borrowed(
// CHECK: ownership.load %b[%i]
// CHECK-NOT: ownership.load %b[%i]
// CHECK-COUNT-2: ownership.load %r
ownership.kernel @borrowed(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[N], f32>) {
  %b = ownership.borrow %x : !ownership.tensor<[N], f32> -> !ownership.ref<[N], f32>
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
  ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [4], [N], f32> -> !ownership.region<mut tile [4], [N], f32>
    %a = ownership.load %b[%i] : !ownership.ref<[N], f32> -> !cuda_tile.tile<4xf32>
    %c = ownership.load %b[%i] : !ownership.ref<[N], f32> -> !cuda_tile.tile<4xf32>
    %d = ownership.load %r : !ownership.region<mut tile [4], [N], f32> -> !cuda_tile.tile<4xf32>
    %e = ownership.load %r : !ownership.region<mut tile [4], [N], f32> -> !cuda_tile.tile<4xf32>
    %s = cuda_tile.addf %a, %c : tile<4xf32>
    %t = cuda_tile.addf %d, %e : tile<4xf32>
    %u = cuda_tile.addf %s, %t : tile<4xf32>
    ownership.store %u, %r : !cuda_tile.tile<4xf32>, !ownership.region<mut tile [4], [N], f32>
  }
}
