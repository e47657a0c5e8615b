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
