// RUN: REJECTS | filecheck %s

// CHECK: module`: only entry and global may stand in a module, got test.op
cuda_tile.module @m { %r = "test.op"() : () -> i32 }

// -----

// CHECK: entry`: a kernel returns nothing
cuda_tile.entry @k() -> tile<i32> { return }

// -----

// CHECK: entry`: argument 0 must be a rank-0 tile of a number or a pointer, got !cuda_tile.tile<4xf32>
cuda_tile.entry @k(%a: tile<4xf32>) { return }

// -----

// CHECK: entry`: argument 0 must be a rank-0 tile of a number or a pointer, got !cuda_tile.token
cuda_tile.entry @k(%a: token) { return }

// -----

// CHECK: entry`: argument 0 must not be of i4
cuda_tile.entry @k(%a: tile<i4>) { return }

// -----

// CHECK: entry`: the body's arguments must be those of the function type
"cuda_tile.entry"() <{sym_name = "k", function_type = (!cuda_tile.tile<i32>) -> ()}> ({
^bb0:
"cuda_tile.return"() : () -> ()
}) : () -> ()

// -----

// CHECK: entry`: 0 arguments but 1 argument attributes
"cuda_tile.entry"() <{sym_name = "k", function_type = () -> (), arg_attrs = [{}]}> ({
^bb0:
"cuda_tile.return"() : () -> ()
}) : () -> ()

// -----

// CHECK: entry`: the body must end in cuda_tile.return
"cuda_tile.entry"() <{sym_name = "k", function_type = () -> ()}> ({
^bb0:
%t = "cuda_tile.make_token"() : () -> !cuda_tile.token
}) : () -> ()

// -----

// CHECK: global`: the value must have rank 1, got !cuda_tile.tile<f32>
cuda_tile.global @g <f32: 1.0> : tile<f32>

// -----

// CHECK: global`: the alignment must not be negative
cuda_tile.global @g alignment = -1 <f32: 1.0> : tile<4xf32>

// -----

// CHECK: get_global`: @g is not a global of this module
cuda_tile.module @m { entry @k() { %r = get_global @g : tile<ptr<f32>> } }

// -----

// CHECK: get_global`: @g has elements of i32, not f32
cuda_tile.module @m { global @g <i32: 1> : tile<4xi32>
 entry @k() { %r = get_global @g : tile<ptr<f32>> } }

// -----

// CHECK: module`: Redefinition of symbol
cuda_tile.module @m { entry @k() {}
 entry @k() {} }
