// RUN: REJECTS | filecheck %s

// CHECK: constant`: the literal has type !cuda_tile.tile<4xi32> but the result is !cuda_tile.tile<2xi32>
%r = "cuda_tile.constant"() <{value = #cuda_tile.dense<i32: 1, tile<4xi32>>}> : () -> !cuda_tile.tile<2xi32>

// -----

// CHECK: iota`: the result must have rank 1
%r = cuda_tile.iota : tile<2x2xi32>

// -----

// CHECK: iota`: 512 elements cannot be numbered in i8
%r = cuda_tile.iota : tile<512xi8>

// -----

// CHECK: reshape`: source and result must have as many elements
%f = "test.op"() : () -> !cuda_tile.tile<4xf32>
%r = cuda_tile.reshape %f : tile<4xf32> -> tile<2xf32>

// -----

// CHECK: reshape`: source and result must have one element type
%f = "test.op"() : () -> !cuda_tile.tile<4xf32>
%r = cuda_tile.reshape %f : tile<4xf32> -> tile<2x2xf16>

// -----

// CHECK: broadcast`: dimension 0 of extent 4 cannot be repeated to 8
%f = "test.op"() : () -> !cuda_tile.tile<4xf32>
%r = cuda_tile.broadcast %f : tile<4xf32> -> tile<8xf32>

// -----

// CHECK: broadcast`: source and result must have one rank
%f = "test.op"() : () -> !cuda_tile.tile<4xf32>
%r = cuda_tile.broadcast %f : tile<4xf32> -> tile<4x4xf32>

// -----

// CHECK: broadcast`: source and result must have one element type
%f = "test.op"() : () -> !cuda_tile.tile<4xf32>
%r = cuda_tile.broadcast %f : tile<4xf32> -> tile<4xf16>

// -----

// CHECK: permute`: the source must have rank 2 or more
%f = "test.op"() : () -> !cuda_tile.tile<4xf32>
%r = cuda_tile.permute %f [0] : tile<4xf32> -> tile<4xf32>

// -----

// CHECK: permute`: [0, 0] is not a permutation of 0 to 1
%m = "test.op"() : () -> !cuda_tile.tile<2x4xf32>
%r = cuda_tile.permute %m [0, 0] : tile<2x4xf32> -> tile<2x4xf32>

// -----

// CHECK: permute`: the result must be !cuda_tile.tile<4x2xf32>
%m = "test.op"() : () -> !cuda_tile.tile<2x4xf32>
%r = cuda_tile.permute %m [1, 0] : tile<2x4xf32> -> tile<2x4xf32>

// -----

// CHECK: cat`: dim must be from 0 to 1, got 2
%m = "test.op"() : () -> !cuda_tile.tile<2x4xf32>
%r = cuda_tile.cat %m, %m dim = 2 : tile<2x4xf32>, tile<2x4xf32> -> tile<2x8xf32>

// -----

// CHECK: cat`: dimension 0 of the result must be 2 + 2, got 2
%m = "test.op"() : () -> !cuda_tile.tile<2x4xf32>
%r = cuda_tile.cat %m, %m dim = 0 : tile<2x4xf32>, tile<2x4xf32> -> tile<2x8xf32>

// -----

// CHECK: cat`: dimension 1 must be equal in
%m = "test.op"() : () -> !cuda_tile.tile<2x4xf32>
%m3 = "test.op"() : () -> !cuda_tile.tile<2x8xf32>
%r = cuda_tile.cat %m, %m3 dim = 0 : tile<2x4xf32>, tile<2x8xf32> -> tile<4x8xf32>

// -----

// CHECK: cat`: operands and result must have one rank
%f = "test.op"() : () -> !cuda_tile.tile<4xf32>
%m = "test.op"() : () -> !cuda_tile.tile<2x4xf32>
%r = cuda_tile.cat %m, %f dim = 0 : tile<2x4xf32>, tile<4xf32> -> tile<2x8xf32>

// -----

// CHECK: cat`: operands and result must have one element type
%f = "test.op"() : () -> !cuda_tile.tile<4xf32>
%h = "test.op"() : () -> !cuda_tile.tile<4xf16>
%r = cuda_tile.cat %f, %h dim = 0 : tile<4xf32>, tile<4xf16> -> tile<8xf32>

// -----

// CHECK: extract`: both tiles must have one element type
%m = "test.op"() : () -> !cuda_tile.tile<2x4xf32>
%s = "test.op"() : () -> !cuda_tile.tile<i32>
%r = cuda_tile.extract %m[%s, %s] : tile<2x4xf32> -> tile<1x2xf16>

// -----

// CHECK: extract`: both tiles must have one rank
%m = "test.op"() : () -> !cuda_tile.tile<2x4xf32>
%s = "test.op"() : () -> !cuda_tile.tile<i32>
%r = cuda_tile.extract %m[%s, %s] : tile<2x4xf32> -> tile<2xf32>

// -----

// CHECK: extract`: dimension 0 of extent 2 is not a multiple of 4
%m = "test.op"() : () -> !cuda_tile.tile<2x4xf32>
%s = "test.op"() : () -> !cuda_tile.tile<i32>
%r = cuda_tile.extract %m[%s, %s] : tile<2x4xf32> -> tile<4x4xf32>

// -----

// CHECK: extract`: rank 2 takes as many indices, got 1
%m = "test.op"() : () -> !cuda_tile.tile<2x4xf32>
%s = "test.op"() : () -> !cuda_tile.tile<i32>
%r = cuda_tile.extract %m[%s] : tile<2x4xf32> -> tile<1x2xf32>

// -----

// CHECK: insert`: both tiles must have one rank
%f = "test.op"() : () -> !cuda_tile.tile<4xf32>
%m = "test.op"() : () -> !cuda_tile.tile<2x4xf32>
%s = "test.op"() : () -> !cuda_tile.tile<i32>
%r = cuda_tile.insert %m, %f[%s] : tile<2x4xf32>, tile<4xf32>

// -----

// CHECK: select`: the condition must have the values' shape
%b2 = "test.op"() : () -> !cuda_tile.tile<2xi1>
%f = "test.op"() : () -> !cuda_tile.tile<4xf32>
%r = cuda_tile.select %b2, %f, %f : tile<2xi1>, tile<4xf32>

// -----

// CHECK: got !cuda_tile.tile<4xf4E2M1FN>
%b = "test.op"() : () -> !cuda_tile.tile<4xi1>
%f4v = "test.op"() : () -> !cuda_tile.tile<4xf4E2M1FN>
%r = cuda_tile.select %b, %f4v, %f4v : tile<4xi1>, tile<4xf4E2M1FN>

// -----

// CHECK: offset`: pointers and offsets must have one shape
%n = "test.op"() : () -> !cuda_tile.tile<4xi32>
%p = "test.op"() : () -> !cuda_tile.tile<ptr<f32>>
%r = cuda_tile.offset %p, %n : tile<ptr<f32>>, tile<4xi32> -> tile<ptr<f32>>

// -----

// CHECK: pack`: both tiles must have rank 1
%m = "test.op"() : () -> !cuda_tile.tile<2x4xf32>
%r = cuda_tile.pack %m : tile<2x4xf32> -> tile<32xi8>

// -----

// CHECK: pack`: i8 is a byte already; use bitcast
%c = "test.op"() : () -> !cuda_tile.tile<4xi8>
%r = cuda_tile.pack %c : tile<4xi8> -> tile<4xi8>

// -----

// CHECK: takes 16 bytes, not 8
%f = "test.op"() : () -> !cuda_tile.tile<4xf32>
%r = cuda_tile.pack %f : tile<4xf32> -> tile<8xi8>

// -----

// CHECK: takes 16 bytes, not 4
%c = "test.op"() : () -> !cuda_tile.tile<4xi8>
%r = cuda_tile.unpack %c : tile<4xi8> -> tile<4xf32>
