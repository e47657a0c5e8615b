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
  %r8_a = cuda_tile.assume div_by<4, every 0 along 0>, %n : tile<4xi32>
  %r9_a = cuda_tile.assume div_by<4, every 4 along 0>, %n : tile<4xi32>
  %r10_a = cuda_tile.assume same_elements<[0]>, %n : tile<4xi32>
  %r11_a = cuda_tile.assume same_elements<[4]>, %n : tile<4xi32>
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
  %r8_a = "cuda_tile.assume"(%n) <{predicate = #cuda_tile.div_by<4, every 0 along 0>}> : (!cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r9_a = "cuda_tile.assume"(%n) <{predicate = #cuda_tile.div_by<4, every 4 along 0>}> : (!cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r10_a = "cuda_tile.assume"(%n) <{predicate = #cuda_tile.same_elements<[0]>}> : (!cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r11_a = "cuda_tile.assume"(%n) <{predicate = #cuda_tile.same_elements<[4]>}> : (!cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
}) : () -> ()
// -----
builtin.module {
  %b = "test.op"() : () -> !cuda_tile.tile<4xi1> loc(#loc)
  %f = "test.op"() : () -> !cuda_tile.tile<4xf32> loc(#loc1)
  %k = "test.op"() : () -> !cuda_tile.token loc(#loc2)
  %n = "test.op"() : () -> !cuda_tile.tile<4xi32> loc(#loc3)
  %p = "test.op"() : () -> !cuda_tile.tile<ptr<f32>> loc(#loc4)
  %s = "test.op"() : () -> !cuda_tile.tile<i32> loc(#loc5)
  %tv = "test.op"() : () -> !cuda_tile.tensor_view<?x16xf32, strides=[?,1]> loc(#loc6)
  %r0_a = cuda_tile.assume div_by<16>, %p : tile<ptr<f32>> loc(#loc7)
  %r1_a = cuda_tile.assume div_by<4, every 2 along 0>, %n : tile<4xi32> loc(#loc8)
  %r2_a = cuda_tile.assume same_elements<[2]>, %n : tile<4xi32> loc(#loc9)
  %r3_a = cuda_tile.assume bounded<0, ?>, %s : tile<i32> loc(#loc10)
  %r4_a = cuda_tile.assume bounded<?, 7>, %s : tile<i32> loc(#loc11)
  %r5_a = cuda_tile.assume div_by<16>, %tv : tensor_view<?x16xf32, strides=[?,1]> loc(#loc12)
  %r6_a = cuda_tile.print_tko "hello\0A" -> token loc(#loc13)
  %r7_a = cuda_tile.print_tko "%d %f %%", %n, %f token=%k : tile<4xi32>, tile<4xf32> -> token loc(#loc14)
  cuda_tile.assert %b, "not \22so\22" : tile<4xi1> loc(#loc15)
  %r8_a = cuda_tile.assume div_by<4, every 0 along 0>, %n : tile<4xi32> loc(#loc16)
  %r9_a = cuda_tile.assume div_by<4, every 4 along 0>, %n : tile<4xi32> loc(#loc17)
  %r10_a = cuda_tile.assume same_elements<[0]>, %n : tile<4xi32> loc(#loc18)
  %r11_a = cuda_tile.assume same_elements<[4]>, %n : tile<4xi32> loc(#loc19)
} loc(#loc20)
#loc = loc(fused["misc.mlir":4:6, "misc.mlir":4:47])
#loc1 = loc(fused["misc.mlir":5:6, "misc.mlir":5:48])
#loc2 = loc(fused["misc.mlir":6:6, "misc.mlir":6:42])
#loc3 = loc(fused["misc.mlir":7:6, "misc.mlir":7:48])
#loc4 = loc(fused["misc.mlir":8:6, "misc.mlir":8:51])
#loc5 = loc(fused["misc.mlir":9:6, "misc.mlir":9:46])
#loc6 = loc(fused["misc.mlir":10:7, "misc.mlir":10:74])
#loc7 = loc(fused["misc.mlir":13:9, "misc.mlir":13:57])
#loc8 = loc(fused["misc.mlir":16:9, "misc.mlir":16:70])
#loc9 = loc(fused["misc.mlir":19:9, "misc.mlir":19:62])
#loc10 = loc(fused["misc.mlir":22:9, "misc.mlir":22:55])
#loc11 = loc(fused["misc.mlir":25:9, "misc.mlir":25:55])
#loc12 = loc(fused["misc.mlir":28:9, "misc.mlir":28:80])
#loc13 = loc(fused["misc.mlir":31:9, "misc.mlir":31:48])
#loc14 = loc(fused["misc.mlir":34:9, "misc.mlir":34:94])
#loc15 = loc(fused["misc.mlir":37:1, "misc.mlir":37:49])
#loc16 = loc(fused["misc.mlir":40:9, "misc.mlir":40:70])
#loc17 = loc(fused["misc.mlir":43:9, "misc.mlir":43:70])
#loc18 = loc(fused["misc.mlir":46:10, "misc.mlir":46:63])
#loc19 = loc(fused["misc.mlir":49:10, "misc.mlir":49:63])
#loc20 = loc(unknown)
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
  %r8_a = "cuda_tile.assume"(%n) <{predicate = #cuda_tile.div_by<4, every 0 along 0>}> : (!cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r9_a = "cuda_tile.assume"(%n) <{predicate = #cuda_tile.div_by<4, every 4 along 0>}> : (!cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r10_a = "cuda_tile.assume"(%n) <{predicate = #cuda_tile.same_elements<[0]>}> : (!cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
  %r11_a = "cuda_tile.assume"(%n) <{predicate = #cuda_tile.same_elements<[4]>}> : (!cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xi32>
}) : () -> ()
