// Text to bytecode and back, in each version that has everything; the lowest is chosen where none is asked for.
// RUN: tile-translate %s --to-bytecode | tile-translate --from-bytecode | filecheck %s
// RUN: tile-translate %s --to-bytecode --version 13.3 | tile-translate --from-bytecode | filecheck %s
// RUN: tile-translate %s --to-bytecode --version 13.4 | tile-translate --from-bytecode | filecheck %s
// RUN: tile-translate %s --to-bytecode --version 13.5 | tile-translate --from-bytecode | filecheck %s
// RUN: tile-translate %s --to-bytecode --version 13.5 | tile-translate --to-bytecode | tile-translate --from-bytecode | filecheck %s

cuda_tile.module @kernels {
  global private @table alignment = 16 <f32: [1.0, 2.0, 3.0, 4.0]> : tile<4xf32>
  entry @row_sums(%x: tile<ptr<f32>>, %out: tile<ptr<f32>>, %n: tile<i32>) optimization_hints=<sm_90 = {occupancy = 2}> {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %start = constant <f32: 0.0> : tile<64xf32>
    %row, %y, %z = get_tile_block_id : tile<i32>
    %aligned = assume div_by<16>, %x : tile<ptr<f32>>
    %view = make_tensor_view %aligned, shape = [%n, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]>
    %tiles = make_partition_view %view : partition_view<tile=(1x64), padding_value = zero, tensor_view<?x64xf32, strides=[64,1]>>
    %total = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%acc = %start) -> (tile<64xf32>) {
      %tile, %token = load_view_tko weak %tiles[%i, %zero] : partition_view<tile=(1x64), padding_value = zero, tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<1x64xf32>, token
      %flat = reshape %tile : tile<1x64xf32> -> tile<64xf32>
      %next = addf %acc, %flat rounding<zero> flush_to_zero : tile<64xf32>
      continue %next : tile<64xf32>
    }
    %sum = reduce %total dim=0 identities=[0.0 : f32] : tile<64xf32> -> tile<f32>
    (%a: tile<f32>, %b: tile<f32>) {
      %c = addf %a, %b : tile<f32>
      yield %c : tile<f32>
    }
    %place = get_global @table : tile<ptr<f32>>
    %stored = store_ptr_tko weak %place, %sum : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}

// CHECK:      cuda_tile.module @kernels {
// CHECK-NEXT:   global private @table alignment = 16 <f32: [1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]> : tile<4xf32>
// CHECK-NEXT:   entry @row_sums({{.*}}: tile<ptr<f32>>, {{.*}}: tile<ptr<f32>>, {{.*}}: tile<i32>) optimization_hints=<sm_90 = {occupancy = 2}> {
// CHECK:          assume div_by<16>, {{.*}} : tile<ptr<f32>>
// CHECK-NEXT: {{.*}}make_tensor_view {{.*}}, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]>
// CHECK-NEXT: {{.*}}make_partition_view {{.*}} padding_value = zero
// CHECK-NEXT: {{.*}}for {{.*}} -> (tile<64xf32>) {
// CHECK-NEXT: {{.*}}load_view_tko weak
// CHECK-NEXT: {{.*}}reshape
// CHECK-NEXT: {{.*}}addf {{.*}} rounding<zero> flush_to_zero : tile<64xf32>
// CHECK-NEXT:       continue
// CHECK-NEXT:     }
// CHECK-NEXT: {{.*}}reduce {{.*}} dim=0 identities=[0.000000e+00 : f32] : tile<64xf32> -> tile<f32>
// CHECK-NEXT: (%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) {
// CHECK-NEXT: {{.*}}addf {{.*}} : tile<f32>
// CHECK-NEXT:       yield
// CHECK-NEXT:     }
// CHECK-NEXT: {{.*}}get_global @table : tile<ptr<f32>>
// CHECK-NEXT: {{.*}}store_ptr_tko weak
// CHECK-NEXT:     return
