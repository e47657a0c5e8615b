builtin.module {
  %b = "test.op"() : () -> !cuda_tile.tile<4xi1>
  %c = "test.op"() : () -> !cuda_tile.tile<4xi8>
  %f = "test.op"() : () -> !cuda_tile.tile<4xf32>
  %fs = "test.op"() : () -> !cuda_tile.tile<f32>
  %m = "test.op"() : () -> !cuda_tile.tile<2x4xf32>
  %n = "test.op"() : () -> !cuda_tile.tile<4xi32>
  %ps = "test.op"() : () -> !cuda_tile.tile<4xptr<f32>>
  %s = "test.op"() : () -> !cuda_tile.tile<i32>
  %r0_a = cuda_tile.constant <f32: 1.500000e+00> : tile<4xf32>
  %r1_a = cuda_tile.constant <f32: [1.000000e+00, -2.500000e+00, 0x7FC00000, 0xFF800000]> : tile<4xf32>
  %r2_a = cuda_tile.constant <f32: 0.333333343> : tile<f32>
  %r3_a = cuda_tile.constant <f64: 0.33333333333333331> : tile<f64>
  %r4_a = cuda_tile.constant <f16: -0.000000e+00> : tile<2xf16>
  %r5_a = cuda_tile.constant <i8: [[1, 2], [3, -4]]> : tile<2x2xi8>
  %r6_a = cuda_tile.constant <i1: [true, false, true, true]> : tile<4xi1>
  %r7_a = cuda_tile.constant <i1: true> : tile<4xi1>
  %r8_a = cuda_tile.constant <i64: -9223372036854775808> : tile<i64>
  %r9_a = cuda_tile.constant <tf32: 1.500000e+00> : tile<4xtf32>
  %r10_a = cuda_tile.constant <f8E4M3FN: 4.480000e+02> : tile<4xf8E4M3FN>
  %r11_a = cuda_tile.iota : tile<8xi32>
  %r12_a = cuda_tile.reshape %f : tile<4xf32> -> tile<2x2xf32>
  %r13_a = cuda_tile.broadcast %m : tile<2x4xf32> -> tile<2x4xf32>
  %r14_a = cuda_tile.permute %m [1, 0] : tile<2x4xf32> -> tile<4x2xf32>
  %r15_a = cuda_tile.cat %m, %m dim = 1 : tile<2x4xf32>, tile<2x4xf32> -> tile<2x8xf32>
  %r16_a = cuda_tile.extract %m[%s, %s] : tile<2x4xf32> -> tile<1x2xf32>
  %r17_a = cuda_tile.insert %m, %m[%s, %s] : tile<2x4xf32>, tile<2x4xf32>
  %r18_a = cuda_tile.insert %fs, %fs[] : tile<f32>, tile<f32>
  %r19_a = cuda_tile.select %b, %f, %f : tile<4xi1>, tile<4xf32>
  %r20_a = cuda_tile.offset %ps, %n : tile<4xptr<f32>>, tile<4xi32> -> tile<4xptr<f32>>
  %r21_a = cuda_tile.pack %f : tile<4xf32> -> tile<16xi8>
  %r21_b = cuda_tile.pack %r9_a : tile<4xtf32> -> tile<16xi8>
  %r22_a = cuda_tile.unpack %c : tile<4xi8> -> tile<8xf4E2M1FN>
}
// -----
"builtin.module"() ({
  %b = "test.op"() : () -> !cuda_tile.tile<4xi1>
  %c = "test.op"() : () -> !cuda_tile.tile<4xi8>
  %f = "test.op"() : () -> !cuda_tile.tile<4xf32>
  %fs = "test.op"() : () -> !cuda_tile.tile<f32>
  %m = "test.op"() : () -> !cuda_tile.tile<2x4xf32>
  %n = "test.op"() : () -> !cuda_tile.tile<4xi32>
  %ps = "test.op"() : () -> !cuda_tile.tile<4xptr<f32>>
  %s = "test.op"() : () -> !cuda_tile.tile<i32>
  %r0_a = "cuda_tile.constant"() <{value = dense<1.500000e+00> : !cuda_tile.tile<4xf32>}> : () -> !cuda_tile.tile<4xf32>
  %r1_a = "cuda_tile.constant"() <{value = dense<[1.000000e+00, -2.500000e+00, 0x7FC00000, 0xFF800000]> : !cuda_tile.tile<4xf32>}> : () -> !cuda_tile.tile<4xf32>
  %r2_a = "cuda_tile.constant"() <{value = dense<0.333333343> : !cuda_tile.tile<f32>}> : () -> !cuda_tile.tile<f32>
  %r3_a = "cuda_tile.constant"() <{value = dense<0.33333333333333331> : !cuda_tile.tile<f64>}> : () -> !cuda_tile.tile<f64>
  %r4_a = "cuda_tile.constant"() <{value = dense<-0.000000e+00> : !cuda_tile.tile<2xf16>}> : () -> !cuda_tile.tile<2xf16>
  %r5_a = "cuda_tile.constant"() <{value = dense<[[1, 2], [3, -4]]> : !cuda_tile.tile<2x2xi8>}> : () -> !cuda_tile.tile<2x2xi8>
  %r6_a = "cuda_tile.constant"() <{value = dense<[true, false, true, true]> : !cuda_tile.tile<4xi1>}> : () -> !cuda_tile.tile<4xi1>
  %r7_a = "cuda_tile.constant"() <{value = dense<true> : !cuda_tile.tile<4xi1>}> : () -> !cuda_tile.tile<4xi1>
  %r8_a = "cuda_tile.constant"() <{value = dense<-9223372036854775808> : !cuda_tile.tile<i64>}> : () -> !cuda_tile.tile<i64>
  %r9_a = "cuda_tile.constant"() <{value = dense<1.500000e+00> : !cuda_tile.tile<4xtf32>}> : () -> !cuda_tile.tile<4xtf32>
  %r10_a = "cuda_tile.constant"() <{value = dense<4.480000e+02> : !cuda_tile.tile<4xf8E4M3FN>}> : () -> !cuda_tile.tile<4xf8E4M3FN>
  %r11_a = "cuda_tile.iota"() : () -> !cuda_tile.tile<8xi32>
  %r12_a = "cuda_tile.reshape"(%f) : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<2x2xf32>
  %r13_a = "cuda_tile.broadcast"(%m) : (!cuda_tile.tile<2x4xf32>) -> !cuda_tile.tile<2x4xf32>
  %r14_a = "cuda_tile.permute"(%m) <{permutation = array<i32: 1, 0>}> : (!cuda_tile.tile<2x4xf32>) -> !cuda_tile.tile<4x2xf32>
  %r15_a = "cuda_tile.cat"(%m, %m) <{dim = 1 : i64}> : (!cuda_tile.tile<2x4xf32>, !cuda_tile.tile<2x4xf32>) -> !cuda_tile.tile<2x8xf32>
  %r16_a = "cuda_tile.extract"(%m, %s, %s) : (!cuda_tile.tile<2x4xf32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<1x2xf32>
  %r17_a = "cuda_tile.insert"(%m, %m, %s, %s) : (!cuda_tile.tile<2x4xf32>, !cuda_tile.tile<2x4xf32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<2x4xf32>
  %r18_a = "cuda_tile.insert"(%fs, %fs) : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>
  %r19_a = "cuda_tile.select"(%b, %f, %f) : (!cuda_tile.tile<4xi1>, !cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
  %r20_a = "cuda_tile.offset"(%ps, %n) : (!cuda_tile.tile<4xptr<f32>>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xptr<f32>>
  %r21_a = "cuda_tile.pack"(%f) : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<16xi8>
  %r21_b = "cuda_tile.pack"(%r9_a) : (!cuda_tile.tile<4xtf32>) -> !cuda_tile.tile<16xi8>
  %r22_a = "cuda_tile.unpack"(%c) : (!cuda_tile.tile<4xi8>) -> !cuda_tile.tile<8xf4E2M1FN>
}) : () -> ()
// -----
builtin.module {
  %b = "test.op"() : () -> !cuda_tile.tile<4xi1> loc(#loc)
  %c = "test.op"() : () -> !cuda_tile.tile<4xi8> loc(#loc1)
  %f = "test.op"() : () -> !cuda_tile.tile<4xf32> loc(#loc2)
  %fs = "test.op"() : () -> !cuda_tile.tile<f32> loc(#loc3)
  %m = "test.op"() : () -> !cuda_tile.tile<2x4xf32> loc(#loc4)
  %n = "test.op"() : () -> !cuda_tile.tile<4xi32> loc(#loc5)
  %ps = "test.op"() : () -> !cuda_tile.tile<4xptr<f32>> loc(#loc6)
  %s = "test.op"() : () -> !cuda_tile.tile<i32> loc(#loc7)
  %r0_a = cuda_tile.constant <f32: 1.500000e+00> : tile<4xf32> loc(#loc8)
  %r1_a = cuda_tile.constant <f32: [1.000000e+00, -2.500000e+00, 0x7FC00000, 0xFF800000]> : tile<4xf32> loc(#loc9)
  %r2_a = cuda_tile.constant <f32: 0.333333343> : tile<f32> loc(#loc10)
  %r3_a = cuda_tile.constant <f64: 0.33333333333333331> : tile<f64> loc(#loc11)
  %r4_a = cuda_tile.constant <f16: -0.000000e+00> : tile<2xf16> loc(#loc12)
  %r5_a = cuda_tile.constant <i8: [[1, 2], [3, -4]]> : tile<2x2xi8> loc(#loc13)
  %r6_a = cuda_tile.constant <i1: [true, false, true, true]> : tile<4xi1> loc(#loc14)
  %r7_a = cuda_tile.constant <i1: true> : tile<4xi1> loc(#loc15)
  %r8_a = cuda_tile.constant <i64: -9223372036854775808> : tile<i64> loc(#loc16)
  %r9_a = cuda_tile.constant <tf32: 1.500000e+00> : tile<4xtf32> loc(#loc17)
  %r10_a = cuda_tile.constant <f8E4M3FN: 4.480000e+02> : tile<4xf8E4M3FN> loc(#loc18)
  %r11_a = cuda_tile.iota : tile<8xi32> loc(#loc19)
  %r12_a = cuda_tile.reshape %f : tile<4xf32> -> tile<2x2xf32> loc(#loc20)
  %r13_a = cuda_tile.broadcast %m : tile<2x4xf32> -> tile<2x4xf32> loc(#loc21)
  %r14_a = cuda_tile.permute %m [1, 0] : tile<2x4xf32> -> tile<4x2xf32> loc(#loc22)
  %r15_a = cuda_tile.cat %m, %m dim = 1 : tile<2x4xf32>, tile<2x4xf32> -> tile<2x8xf32> loc(#loc23)
  %r16_a = cuda_tile.extract %m[%s, %s] : tile<2x4xf32> -> tile<1x2xf32> loc(#loc24)
  %r17_a = cuda_tile.insert %m, %m[%s, %s] : tile<2x4xf32>, tile<2x4xf32> loc(#loc25)
  %r18_a = cuda_tile.insert %fs, %fs[] : tile<f32>, tile<f32> loc(#loc26)
  %r19_a = cuda_tile.select %b, %f, %f : tile<4xi1>, tile<4xf32> loc(#loc27)
  %r20_a = cuda_tile.offset %ps, %n : tile<4xptr<f32>>, tile<4xi32> -> tile<4xptr<f32>> loc(#loc28)
  %r21_a = cuda_tile.pack %f : tile<4xf32> -> tile<16xi8> loc(#loc29)
  %r21_b = cuda_tile.pack %r9_a : tile<4xtf32> -> tile<16xi8> loc(#loc30)
  %r22_a = cuda_tile.unpack %c : tile<4xi8> -> tile<8xf4E2M1FN> loc(#loc31)
} loc(#loc32)
#loc = loc(fused["shape.mlir":4:6, "shape.mlir":4:47])
#loc1 = loc(fused["shape.mlir":5:6, "shape.mlir":5:47])
#loc2 = loc(fused["shape.mlir":6:6, "shape.mlir":6:48])
#loc3 = loc(fused["shape.mlir":7:7, "shape.mlir":7:47])
#loc4 = loc(fused["shape.mlir":8:6, "shape.mlir":8:50])
#loc5 = loc(fused["shape.mlir":9:6, "shape.mlir":9:48])
#loc6 = loc(fused["shape.mlir":10:7, "shape.mlir":10:54])
#loc7 = loc(fused["shape.mlir":11:6, "shape.mlir":11:46])
#loc8 = loc(fused["shape.mlir":14:9, "shape.mlir":14:61])
#loc9 = loc(fused["shape.mlir":17:9, "shape.mlir":17:102])
#loc10 = loc(fused["shape.mlir":20:9, "shape.mlir":20:58])
#loc11 = loc(fused["shape.mlir":23:9, "shape.mlir":23:66])
#loc12 = loc(fused["shape.mlir":26:9, "shape.mlir":26:62])
#loc13 = loc(fused["shape.mlir":29:9, "shape.mlir":29:66])
#loc14 = loc(fused["shape.mlir":32:9, "shape.mlir":32:72])
#loc15 = loc(fused["shape.mlir":35:9, "shape.mlir":35:51])
#loc16 = loc(fused["shape.mlir":38:9, "shape.mlir":38:67])
#loc17 = loc(fused["shape.mlir":41:9, "shape.mlir":41:63])
#loc18 = loc(fused["shape.mlir":44:10, "shape.mlir":44:72])
#loc19 = loc(fused["shape.mlir":47:10, "shape.mlir":47:38])
#loc20 = loc(fused["shape.mlir":50:10, "shape.mlir":50:61])
#loc21 = loc(fused["shape.mlir":53:10, "shape.mlir":53:65])
#loc22 = loc(fused["shape.mlir":56:10, "shape.mlir":56:70])
#loc23 = loc(fused["shape.mlir":59:10, "shape.mlir":59:86])
#loc24 = loc(fused["shape.mlir":62:10, "shape.mlir":62:71])
#loc25 = loc(fused["shape.mlir":65:10, "shape.mlir":65:72])
#loc26 = loc(fused["shape.mlir":68:10, "shape.mlir":68:60])
#loc27 = loc(fused["shape.mlir":71:10, "shape.mlir":71:63])
#loc28 = loc(fused["shape.mlir":74:10, "shape.mlir":74:86])
#loc29 = loc(fused["shape.mlir":77:10, "shape.mlir":77:56])
#loc30 = loc(fused["shape.mlir":80:10, "shape.mlir":80:60])
#loc31 = loc(fused["shape.mlir":83:10, "shape.mlir":83:62])
#loc32 = loc(unknown)
// -----
"builtin.module"() ({
  %b = "test.op"() : () -> !cuda_tile.tile<4xi1>
  %c = "test.op"() : () -> !cuda_tile.tile<4xi8>
  %f = "test.op"() : () -> !cuda_tile.tile<4xf32>
  %fs = "test.op"() : () -> !cuda_tile.tile<f32>
  %m = "test.op"() : () -> !cuda_tile.tile<2x4xf32>
  %n = "test.op"() : () -> !cuda_tile.tile<4xi32>
  %ps = "test.op"() : () -> !cuda_tile.tile<4xptr<f32>>
  %s = "test.op"() : () -> !cuda_tile.tile<i32>
  %r0_a = "cuda_tile.constant"() <{value = dense<1.500000e+00> : !cuda_tile.tile<4xf32>}> : () -> !cuda_tile.tile<4xf32>
  %r1_a = "cuda_tile.constant"() <{value = dense<[1.000000e+00, -2.500000e+00, 0x7FC00000, 0xFF800000]> : !cuda_tile.tile<4xf32>}> : () -> !cuda_tile.tile<4xf32>
  %r2_a = "cuda_tile.constant"() <{value = dense<0.333333343> : !cuda_tile.tile<f32>}> : () -> !cuda_tile.tile<f32>
  %r3_a = "cuda_tile.constant"() <{value = dense<0.33333333333333331> : !cuda_tile.tile<f64>}> : () -> !cuda_tile.tile<f64>
  %r4_a = "cuda_tile.constant"() <{value = dense<-0.000000e+00> : !cuda_tile.tile<2xf16>}> : () -> !cuda_tile.tile<2xf16>
  %r5_a = "cuda_tile.constant"() <{value = dense<[[1, 2], [3, -4]]> : !cuda_tile.tile<2x2xi8>}> : () -> !cuda_tile.tile<2x2xi8>
  %r6_a = "cuda_tile.constant"() <{value = dense<[true, false, true, true]> : !cuda_tile.tile<4xi1>}> : () -> !cuda_tile.tile<4xi1>
  %r7_a = "cuda_tile.constant"() <{value = dense<true> : !cuda_tile.tile<4xi1>}> : () -> !cuda_tile.tile<4xi1>
  %r8_a = "cuda_tile.constant"() <{value = dense<-9223372036854775808> : !cuda_tile.tile<i64>}> : () -> !cuda_tile.tile<i64>
  %r9_a = "cuda_tile.constant"() <{value = dense<1.500000e+00> : !cuda_tile.tile<4xtf32>}> : () -> !cuda_tile.tile<4xtf32>
  %r10_a = "cuda_tile.constant"() <{value = dense<4.480000e+02> : !cuda_tile.tile<4xf8E4M3FN>}> : () -> !cuda_tile.tile<4xf8E4M3FN>
  %r11_a = "cuda_tile.iota"() : () -> !cuda_tile.tile<8xi32>
  %r12_a = "cuda_tile.reshape"(%f) : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<2x2xf32>
  %r13_a = "cuda_tile.broadcast"(%m) : (!cuda_tile.tile<2x4xf32>) -> !cuda_tile.tile<2x4xf32>
  %r14_a = "cuda_tile.permute"(%m) <{permutation = array<i32: 1, 0>}> : (!cuda_tile.tile<2x4xf32>) -> !cuda_tile.tile<4x2xf32>
  %r15_a = "cuda_tile.cat"(%m, %m) <{dim = 1 : i64}> : (!cuda_tile.tile<2x4xf32>, !cuda_tile.tile<2x4xf32>) -> !cuda_tile.tile<2x8xf32>
  %r16_a = "cuda_tile.extract"(%m, %s, %s) : (!cuda_tile.tile<2x4xf32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<1x2xf32>
  %r17_a = "cuda_tile.insert"(%m, %m, %s, %s) : (!cuda_tile.tile<2x4xf32>, !cuda_tile.tile<2x4xf32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<2x4xf32>
  %r18_a = "cuda_tile.insert"(%fs, %fs) : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>
  %r19_a = "cuda_tile.select"(%b, %f, %f) : (!cuda_tile.tile<4xi1>, !cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
  %r20_a = "cuda_tile.offset"(%ps, %n) : (!cuda_tile.tile<4xptr<f32>>, !cuda_tile.tile<4xi32>) -> !cuda_tile.tile<4xptr<f32>>
  %r21_a = "cuda_tile.pack"(%f) : (!cuda_tile.tile<4xf32>) -> !cuda_tile.tile<16xi8>
  %r21_b = "cuda_tile.pack"(%r9_a) : (!cuda_tile.tile<4xtf32>) -> !cuda_tile.tile<16xi8>
  %r22_a = "cuda_tile.unpack"(%c) : (!cuda_tile.tile<4xi8>) -> !cuda_tile.tile<8xf4E2M1FN>
}) : () -> ()
