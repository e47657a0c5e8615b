builtin.module {
  %b = "test.op"() : () -> !cuda_tile.tile<4xi1>
  %f = "test.op"() : () -> !cuda_tile.tile<4xf32>
  %k = "test.op"() : () -> !cuda_tile.token
  %n = "test.op"() : () -> !cuda_tile.tile<4xi32>
  %p = "test.op"() : () -> !cuda_tile.tile<ptr<f32>>
  %s = "test.op"() : () -> !cuda_tile.tile<i32>
  %tv = "test.op"() : () -> !cuda_tile.tensor_view<?x16xf32, strides=[?,1]>
  %r0_a = cuda_tile.assume div_by<16>, %p : tile<ptr<f32>>
  %r1_a = cuda_tile.assume div_by<4, every 2 along 0>, %n : tile<4xi32>
  %r2_a = cuda_tile.assume same_elements<[2]>, %n : tile<4xi32>
  %r3_a = cuda_tile.assume bounded<0, ?>, %s : tile<i32>
  %r4_a = cuda_tile.assume bounded<?, 7>, %s : tile<i32>
  %r5_a = cuda_tile.assume div_by<16>, %tv : tensor_view<?x16xf32, strides=[?,1]>
  %r6_a = cuda_tile.print_tko "hello\0A" -> token
  %r7_a = cuda_tile.print_tko "%d %f %%", %n, %f token=%k : tile<4xi32>, tile<4xf32> -> token
  cuda_tile.assert %b, "not \22so\22" : tile<4xi1>
}
// -----
"builtin.module"() ({
  %b = "test.op"() : () -> !cuda_tile.tile<4xi1>
  %f = "test.op"() : () -> !cuda_tile.tile<4xf32>
  %k = "test.op"() : () -> !cuda_tile.token
  %n = "test.op"() : () -> !cuda_tile.tile<4xi32>
  %p = "test.op"() : () -> !cuda_tile.tile<ptr<f32>>
  %s = "test.op"() : () -> !cuda_tile.tile<i32>
  %tv = "test.op"() : () -> !cuda_tile.tensor_view<?x16xf32, strides=[?,1]>
  %r0_a = "cuda_tile.assume"(%p) <{predicate = #cuda_tile.div_by<16>}> : (!cuda_tile.tile<ptr<f32>>) -> !cuda_tile.tile<ptr<f32>>
  %r1_a = "cuda_tile.assume"(%n) <{predicate = #cuda_tile.div_by<4, every 2 along 0>}> : (!cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r2_a = "cuda_tile.assume"(%n) <{predicate = #cuda_tile.same_elements<[2]>}> : (!cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r3_a = "cuda_tile.assume"(%s) <{predicate = #cuda_tile.bounded<0, ?>}> : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
  %r4_a = "cuda_tile.assume"(%s) <{predicate = #cuda_tile.bounded<?, 7>}> : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
  %r5_a = "cuda_tile.assume"(%tv) <{predicate = #cuda_tile.div_by<16>}> : (!cuda_tile.tensor_view<?x16xf32, strides=[?,1]>) -> !cuda_tile.tensor_view<?x16xf32, strides=[?,1]>
  %r6_a = "cuda_tile.print_tko"() <{str = "hello\0A", operandSegmentSizes = array<i32: 0, 0>}> : () -> !cuda_tile.token
  %r7_a = "cuda_tile.print_tko"(%n, %f, %k) <{str = "%d %f %%", operandSegmentSizes = array<i32: 2, 1>}> : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<4xf32>, !cuda_tile.token) -> !cuda_tile.token
  "cuda_tile.assert"(%b) <{message = "not \22so\22"}> : (!cuda_tile.tile<4xi1>) -> ()
}) : () -> ()
