// RUN: REJECTS | filecheck %s

// CHECK: join_tokens`: at least two tokens are needed, got 1
%k = "test.op"() : () -> !cuda_tile.token
%r = cuda_tile.join_tokens %k : token

// -----

// CHECK: load_ptr_tko`: the pointers are to i32, but the value is !cuda_tile.tile<4xf32>
%pi = "test.op"() : () -> !cuda_tile.tile<4xptr<i32>>
%r, %r2 = cuda_tile.load_ptr_tko weak %pi : tile<4xptr<i32>> -> tile<4xf32>, token

// -----

// CHECK: load_ptr_tko`: pointers and value must have one shape
%p = "test.op"() : () -> !cuda_tile.tile<ptr<f32>>
%r, %r2 = cuda_tile.load_ptr_tko weak %p : tile<ptr<f32>> -> tile<4xf32>, token

// -----

// CHECK: load_ptr_tko`: the mask must have the pointers' shape
%b2 = "test.op"() : () -> !cuda_tile.tile<2xi1>
%ps = "test.op"() : () -> !cuda_tile.tile<4xptr<f32>>
%r, %r2 = cuda_tile.load_ptr_tko weak %ps, %b2 : tile<4xptr<f32>>, tile<2xi1> -> tile<4xf32>, token

// -----

// CHECK: load_ptr_tko`: the padding value must be !cuda_tile.tile<4xf32>
%b = "test.op"() : () -> !cuda_tile.tile<4xi1>
%h = "test.op"() : () -> !cuda_tile.tile<4xf16>
%ps = "test.op"() : () -> !cuda_tile.tile<4xptr<f32>>
%r, %r2 = cuda_tile.load_ptr_tko weak %ps, %b, %h : tile<4xptr<f32>>, tile<4xi1>, tile<4xf16> -> tile<4xf32>, token

// -----

// CHECK: load_ptr_tko`: f4E2M1FN is addressed through views; pointers to it are scalars
%f4p = "test.op"() : () -> !cuda_tile.tile<4xptr<f4E2M1FN>>
%r, %r2 = cuda_tile.load_ptr_tko weak %f4p : tile<4xptr<f4E2M1FN>> -> tile<4xf4E2M1FN>, token

// -----

// CHECK: load_ptr_tko`: a multicast pointer serves multimem operations only
%mps = "test.op"() : () -> !cuda_tile.tile<4xptr<f32, <multicast>>>
%r, %r2 = cuda_tile.load_ptr_tko weak %mps : tile<4xptr<f32, <multicast>>> -> tile<4xf32>, token

// -----

// CHECK: store_ptr_tko`: the ordering must be weak or relaxed or release, got acquire
%f = "test.op"() : () -> !cuda_tile.tile<4xf32>
%ps = "test.op"() : () -> !cuda_tile.tile<4xptr<f32>>
%r = cuda_tile.store_ptr_tko acquire device %ps, %f : tile<4xptr<f32>>, tile<4xf32> -> token

// -----

// CHECK: alloca`: num_elem must not be negative, got -1
%r = cuda_tile.alloca num_elem = -1, alignment = 4 : tile<ptr<f32>>

// -----

// CHECK: alloca`: the alignment must be a power of two, got 3
%r = cuda_tile.alloca num_elem = 1, alignment = 3 : tile<ptr<f32>>

// -----

// CHECK: alloca`: f32 must be aligned to 4 bytes or more, got 2
%r = cuda_tile.alloca num_elem = 1, alignment = 2 : tile<ptr<f32>>
