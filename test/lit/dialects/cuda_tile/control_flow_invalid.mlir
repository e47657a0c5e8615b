// RUN: REJECTS | filecheck %s

// CHECK: return`: must stand in an entry, through if and loop only, but stands in cuda_tile.for
cuda_tile.entry @k(%i: tile<i32>) {
for %j in (%i to %i, step %i) : tile<i32> { return }
}

// -----

// CHECK: return`: a kernel returns nothing
cuda_tile.entry @k(%i: tile<i32>) {
return %i : tile<i32>
}

// -----

// CHECK: yield`: must stand in if, reduce or scan, got cuda_tile.entry
cuda_tile.entry @k() {
yield
}

// -----

// CHECK: yield`: the operands must have the types of the results of the if, (!cuda_tile.tile<i32>), got (!cuda_tile.tile<4xf32>)
%f = "test.op"() : () -> !cuda_tile.tile<4xf32>
%s = "test.op"() : () -> !cuda_tile.tile<i32>
%s1 = "test.op"() : () -> !cuda_tile.tile<i1>
%r = cuda_tile.if %s1 -> (tile<i32>) { yield %f : tile<4xf32> } else { yield %s : tile<i32> }

// -----

// CHECK: break`: must stand in a loop, through if only, but stands in cuda_tile.for
%s = "test.op"() : () -> !cuda_tile.tile<i32>
%s1 = "test.op"() : () -> !cuda_tile.tile<i1>
cuda_tile.for %j in (%s to %s, step %s) : tile<i32> { if %s1 { break }
 continue }

// -----

// CHECK: break`: the operands must have the types of the results of the loop, (!cuda_tile.tile<i32>), got ()
%r = cuda_tile.loop : tile<i32> { break }

// -----

// CHECK: continue`: must stand in a for or loop, through if only, but stands in cuda_tile.entry
cuda_tile.entry @k() {
continue
}

// -----

// CHECK: continue`: the operands must have the types of the carried values, (!cuda_tile.tile<4xf32>), got ()
%f = "test.op"() : () -> !cuda_tile.tile<4xf32>
%s = "test.op"() : () -> !cuda_tile.tile<i32>
%r = cuda_tile.for %j in (%s to %s, step %s) : tile<i32> iter_values(%a = %f) -> (tile<4xf32>) { continue }

// -----

// CHECK: if`: an if with results must have an else region
%s = "test.op"() : () -> !cuda_tile.tile<i32>
%s1 = "test.op"() : () -> !cuda_tile.tile<i1>
%r = cuda_tile.if %s1 -> (tile<i32>) { yield %s : tile<i32> }

// -----

// CHECK: if`: views are not carried through control flow
%s1 = "test.op"() : () -> !cuda_tile.tile<i1>
%tv = "test.op"() : () -> !cuda_tile.tensor_view<?x16xf32, strides=[?,1]>
%r = cuda_tile.if %s1 -> (tensor_view<?x16xf32, strides=[?,1]>) { yield %tv : tensor_view<?x16xf32, strides=[?,1]> } else { yield %tv : tensor_view<?x16xf32, strides=[?,1]> }

// -----

// CHECK: for`: views are not carried through control flow
%s = "test.op"() : () -> !cuda_tile.tile<i32>
%tv = "test.op"() : () -> !cuda_tile.tensor_view<?x16xf32, strides=[?,1]>
%r = cuda_tile.for %j in (%s to %s, step %s) : tile<i32> iter_values(%a = %tv) -> (tensor_view<?x16xf32, strides=[?,1]>) { continue %a : tensor_view<?x16xf32, strides=[?,1]> }

// -----

// CHECK: if`: the then region takes no arguments
%s1 = "test.op"() : () -> !cuda_tile.tile<i1>
"cuda_tile.if"(%s1) ({
^bb0(%x: !cuda_tile.tile<i32>):
"cuda_tile.yield"() : () -> ()
}, {}) : (!cuda_tile.tile<i1>) -> ()

// -----

// CHECK: if`: the then region must end in yield, break, continue or return
%s1 = "test.op"() : () -> !cuda_tile.tile<i1>
"cuda_tile.if"(%s1) ({
^bb0:
%t = "cuda_tile.make_token"() : () -> !cuda_tile.token
}, {}) : (!cuda_tile.tile<i1>) -> ()

// -----

// CHECK: for`: the body must take (!cuda_tile.tile<i32>), got ()
%s = "test.op"() : () -> !cuda_tile.tile<i32>
"cuda_tile.for"(%s, %s, %s) ({
^bb0:
"cuda_tile.continue"() : () -> ()
}) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> ()

// -----

// CHECK: for`: results must have the types of the initial values, (), got (!cuda_tile.tile<i32>)
%s = "test.op"() : () -> !cuda_tile.tile<i32>
%r = "cuda_tile.for"(%s, %s, %s) ({
^bb0(%j: !cuda_tile.tile<i32>):
"cuda_tile.continue"() : () -> ()
}) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>

// -----

// CHECK: for`: the body must end in cuda_tile.continue
%s = "test.op"() : () -> !cuda_tile.tile<i32>
"cuda_tile.for"(%s, %s, %s) ({
^bb0(%j: !cuda_tile.tile<i32>):
%t = "cuda_tile.make_token"() : () -> !cuda_tile.token
}) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> ()

// -----

// CHECK: expected from variable 'T', but got !cuda_tile.tile<i64>
%l1 = "test.op"() : () -> !cuda_tile.tile<i64>
%s = "test.op"() : () -> !cuda_tile.tile<i32>
"cuda_tile.for"(%s, %s, %l1) ({
^bb0(%j: !cuda_tile.tile<i32>):
"cuda_tile.continue"() : () -> ()
}) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>) -> ()

// -----

// CHECK: loop`: the body must take (), got (!cuda_tile.tile<i32>)
"cuda_tile.loop"() ({
^bb0(%j: !cuda_tile.tile<i32>):
"cuda_tile.continue"() : () -> ()
}) : () -> ()

// -----

// CHECK: loop`: the body must end in continue, break or return
"cuda_tile.loop"() ({
^bb0:
%t = "cuda_tile.make_token"() : () -> !cuda_tile.token
}) : () -> ()
