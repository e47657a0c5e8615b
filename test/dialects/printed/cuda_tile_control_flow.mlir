builtin.module {
  cuda_tile.module @m {
    cuda_tile.entry @k(%c: tile<i1>, %n: tile<i32>) {
      %x = cuda_tile.constant <f32: 1.000000e+00> : tile<4xf32>
      cuda_tile.if %c {
        cuda_tile.return
      }
      cuda_tile.if %c {
        cuda_tile.return
      } {hint = 1 : i32}
      cuda_tile.if %c {
      } else {
      } {hint = 2 : i32}
      cuda_tile.for %h in (%n to %n, step %n) : tile<i32> {
      } {hint = 3 : i32}
      cuda_tile.loop {
        cuda_tile.break
      } {hint = 4 : i32}
      %both = cuda_tile.if %c -> (tile<4xf32>) {
        cuda_tile.yield %x : tile<4xf32>
      } else {
        %y = cuda_tile.addf %x, %x : tile<4xf32>
        cuda_tile.yield %y : tile<4xf32>
      }
      cuda_tile.for unsigned %i in (%n to %n, step %n) : tile<i32> {
      }
      %sum, %sum_1 = cuda_tile.for %j in (%n to %n, step %n) : tile<i32> iter_values(%acc = %x, %one = %n) -> (tile<4xf32>, tile<i32>) {
        cuda_tile.if %c {
          cuda_tile.continue %acc, %one : tile<4xf32>, tile<i32>
        } else {
        }
        cuda_tile.continue %acc, %j : tile<4xf32>, tile<i32>
      }
      cuda_tile.loop {
        cuda_tile.if %c {
          cuda_tile.break
        }
      }
      %found = cuda_tile.loop iter_values(%k = %n) : tile<i32> -> tile<4xf32> {
        cuda_tile.if %c {
          cuda_tile.break %x : tile<4xf32>
        }
        cuda_tile.continue %k : tile<i32>
      }
      %first = cuda_tile.loop : tile<i32> {
        cuda_tile.break %n : tile<i32>
      }
      cuda_tile.return
    }
  }
}
// -----
"builtin.module"() ({
  "cuda_tile.module"() <{sym_name = "m"}> ({
    "cuda_tile.entry"() <{sym_name = "k", function_type = (!cuda_tile.tile<i1>, !cuda_tile.tile<i32>) -> ()}> ({
    ^bb0(%c: !cuda_tile.tile<i1>, %n: !cuda_tile.tile<i32>):
      %x = "cuda_tile.constant"() <{value = dense<1.000000e+00> : !cuda_tile.tile<4xf32>}> : () -> !cuda_tile.tile<4xf32>
      "cuda_tile.if"(%c) ({
        "cuda_tile.return"() : () -> ()
      }, {
      }) : (!cuda_tile.tile<i1>) -> ()
      "cuda_tile.if"(%c) ({
        "cuda_tile.return"() : () -> ()
      }, {
      }) {hint = 1 : i32} : (!cuda_tile.tile<i1>) -> ()
      "cuda_tile.if"(%c) ({
        "cuda_tile.yield"() : () -> ()
      }, {
        "cuda_tile.yield"() : () -> ()
      }) {hint = 2 : i32} : (!cuda_tile.tile<i1>) -> ()
      "cuda_tile.for"(%n, %n, %n) ({
      ^bb0(%h: !cuda_tile.tile<i32>):
        "cuda_tile.continue"() : () -> ()
      }) {hint = 3 : i32} : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> ()
      "cuda_tile.loop"() ({
        "cuda_tile.break"() : () -> ()
      }) {hint = 4 : i32} : () -> ()
      %both = "cuda_tile.if"(%c) ({
        "cuda_tile.yield"(%x) : (!cuda_tile.tile<4xf32>) -> ()
      }, {
        %y = "cuda_tile.addf"(%x, %x) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
        "cuda_tile.yield"(%y) : (!cuda_tile.tile<4xf32>) -> ()
      }) : (!cuda_tile.tile<i1>) -> !cuda_tile.tile<4xf32>
      "cuda_tile.for"(%n, %n, %n) <{unsignedCmp}> ({
      ^bb0(%i: !cuda_tile.tile<i32>):
        "cuda_tile.continue"() : () -> ()
      }) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> ()
      %sum, %sum_1 = "cuda_tile.for"(%n, %n, %n, %x, %n) ({
      ^bb0(%j: !cuda_tile.tile<i32>, %acc: !cuda_tile.tile<4xf32>, %one: !cuda_tile.tile<i32>):
        "cuda_tile.if"(%c) ({
          "cuda_tile.continue"(%acc, %one) : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<i32>) -> ()
        }, {
          "cuda_tile.yield"() : () -> ()
        }) : (!cuda_tile.tile<i1>) -> ()
        "cuda_tile.continue"(%acc, %j) : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<i32>) -> ()
      }) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<4xf32>, !cuda_tile.tile<i32>) -> (!cuda_tile.tile<4xf32>, !cuda_tile.tile<i32>)
      "cuda_tile.loop"() ({
        "cuda_tile.if"(%c) ({
          "cuda_tile.break"() : () -> ()
        }, {
        }) : (!cuda_tile.tile<i1>) -> ()
        "cuda_tile.continue"() : () -> ()
      }) : () -> ()
      %found = "cuda_tile.loop"(%n) ({
      ^bb0(%k: !cuda_tile.tile<i32>):
        "cuda_tile.if"(%c) ({
          "cuda_tile.break"(%x) : (!cuda_tile.tile<4xf32>) -> ()
        }, {
        }) : (!cuda_tile.tile<i1>) -> ()
        "cuda_tile.continue"(%k) : (!cuda_tile.tile<i32>) -> ()
      }) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<4xf32>
      %first = "cuda_tile.loop"() ({
        "cuda_tile.break"(%n) : (!cuda_tile.tile<i32>) -> ()
      }) : () -> !cuda_tile.tile<i32>
      "cuda_tile.return"() : () -> ()
    }) : () -> ()
  }) : () -> ()
}) : () -> ()
// -----
cuda_tile.module @m {
  entry @k(%c: tile<i1> loc(#loc), %n: tile<i32> loc(#loc1)) {
    %x = constant <f32: 1.000000e+00> : tile<4xf32> loc(#loc2)
    if %c {
      return loc(#loc3)
    } loc(#loc4)
    if %c {
      return loc(#loc5)
    } {hint = 1 : i32} loc(#loc6)
    if %c {
    } else {
    } {hint = 2 : i32} loc(#loc7)
    for %h in (%n to %n, step %n) : tile<i32> {
    } {hint = 3 : i32} loc(#loc8)
    loop {
      break loc(#loc9)
    } {hint = 4 : i32} loc(#loc10)
    %both = if %c -> (tile<4xf32>) {
      yield %x : tile<4xf32> loc(#loc11)
    } else {
      %y = addf %x, %x : tile<4xf32> loc(#loc12)
      yield %y : tile<4xf32> loc(#loc13)
    } loc(#loc14)
    for unsigned %i in (%n to %n, step %n) : tile<i32> {
      continue loc(#loc15)
    } loc(#loc16)
    %sum:2 = for %j in (%n to %n, step %n) : tile<i32> iter_values(%acc = %x, %one = %n) -> (tile<4xf32>, tile<i32>) {
      if %c {
        continue %acc, %one : tile<4xf32>, tile<i32> loc(#loc17)
      } else {
      } loc(#loc18)
      continue %acc, %j : tile<4xf32>, tile<i32> loc(#loc19)
    } loc(#loc20)
    loop {
      if %c {
        break loc(#loc21)
      } loc(#loc22)
    } loc(#loc23)
    %found = loop iter_values(%k = %n) : tile<i32> -> tile<4xf32> {
      if %c {
        break %x : tile<4xf32> loc(#loc24)
      } loc(#loc25)
      continue %k : tile<i32> loc(#loc26)
    } loc(#loc27)
    %first = loop : tile<i32> {
      break %n : tile<i32> loc(#loc28)
    } loc(#loc29)
    return loc(#loc30)
  } loc(#loc31)
} loc(#loc32)
#loc = loc(fused["control_flow.mlir":5:12, "control_flow.mlir":5:14])
#loc1 = loc(fused["control_flow.mlir":5:26, "control_flow.mlir":5:28])
#loc2 = loc(fused["control_flow.mlir":6:10, "control_flow.mlir":6:43])
#loc3 = loc(fused["control_flow.mlir":12:7, "control_flow.mlir":12:13])
#loc4 = loc(fused["control_flow.mlir":11:5, "control_flow.mlir":11:10])
#loc5 = loc(fused["control_flow.mlir":18:7, "control_flow.mlir":18:13])
#loc6 = loc(fused["control_flow.mlir":17:5, "control_flow.mlir":17:10])
#loc7 = loc(fused["control_flow.mlir":23:5, "control_flow.mlir":23:10])
#loc8 = loc(fused["control_flow.mlir":29:5, "control_flow.mlir":29:46])
#loc9 = loc(fused["control_flow.mlir":36:7, "control_flow.mlir":36:12])
#loc10 = loc(fused["control_flow.mlir":35:5, "control_flow.mlir":35:9])
#loc11 = loc(fused["control_flow.mlir":46:7, "control_flow.mlir":46:29])
#loc12 = loc(fused["control_flow.mlir":48:12, "control_flow.mlir":48:37])
#loc13 = loc(fused["control_flow.mlir":49:7, "control_flow.mlir":49:29])
#loc14 = loc(fused["control_flow.mlir":45:13, "control_flow.mlir":45:35])
#loc15 = loc(fused["control_flow.mlir":56:7, "control_flow.mlir":56:15])
#loc16 = loc(fused["control_flow.mlir":55:5, "control_flow.mlir":55:55])
#loc17 = loc(fused["control_flow.mlir":67:9, "control_flow.mlir":67:53])
#loc18 = loc(fused["control_flow.mlir":66:7, "control_flow.mlir":66:12])
#loc19 = loc(fused["control_flow.mlir":70:7, "control_flow.mlir":70:49])
#loc20 = loc(fused["control_flow.mlir":65:14, "control_flow.mlir":65:117])
#loc21 = loc(fused["control_flow.mlir":80:9, "control_flow.mlir":80:14])
#loc22 = loc(fused["control_flow.mlir":79:7, "control_flow.mlir":79:12])
#loc23 = loc(fused["control_flow.mlir":78:5, "control_flow.mlir":78:9])
#loc24 = loc(fused["control_flow.mlir":87:9, "control_flow.mlir":87:31])
#loc25 = loc(fused["control_flow.mlir":86:7, "control_flow.mlir":86:12])
#loc26 = loc(fused["control_flow.mlir":89:7, "control_flow.mlir":89:30])
#loc27 = loc(fused["control_flow.mlir":85:14, "control_flow.mlir":85:66])
#loc28 = loc(fused["control_flow.mlir":94:7, "control_flow.mlir":94:27])
#loc29 = loc(fused["control_flow.mlir":93:14, "control_flow.mlir":93:30])
#loc30 = loc(unknown)
#loc31 = loc(fused["control_flow.mlir":5:3, "control_flow.mlir":5:40])
#loc32 = loc(fused["control_flow.mlir":4:1, "control_flow.mlir":4:20])
// -----
"builtin.module"() ({
  "cuda_tile.module"() <{sym_name = "m"}> ({
    "cuda_tile.entry"() <{sym_name = "k", function_type = (!cuda_tile.tile<i1>, !cuda_tile.tile<i32>) -> ()}> ({
    ^bb0(%c: !cuda_tile.tile<i1>, %n: !cuda_tile.tile<i32>):
      %x = "cuda_tile.constant"() <{value = dense<1.000000e+00> : !cuda_tile.tile<4xf32>}> : () -> !cuda_tile.tile<4xf32>
      "cuda_tile.if"(%c) ({
        "cuda_tile.return"() : () -> ()
      }, {
      }) : (!cuda_tile.tile<i1>) -> ()
      "cuda_tile.if"(%c) ({
        "cuda_tile.return"() : () -> ()
      }, {
      }) {hint = 1 : i32} : (!cuda_tile.tile<i1>) -> ()
      "cuda_tile.if"(%c) ({
        "cuda_tile.yield"() : () -> ()
      }, {
        "cuda_tile.yield"() : () -> ()
      }) {hint = 2 : i32} : (!cuda_tile.tile<i1>) -> ()
      "cuda_tile.for"(%n, %n, %n) ({
      ^bb0(%h: !cuda_tile.tile<i32>):
        "cuda_tile.continue"() : () -> ()
      }) {hint = 3 : i32} : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> ()
      "cuda_tile.loop"() ({
        "cuda_tile.break"() : () -> ()
      }) {hint = 4 : i32} : () -> ()
      %both = "cuda_tile.if"(%c) ({
        "cuda_tile.yield"(%x) : (!cuda_tile.tile<4xf32>) -> ()
      }, {
        %y = "cuda_tile.addf"(%x, %x) <{rounding_mode = #cuda_tile.rounding<nearest_even>}> : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<4xf32>) -> !cuda_tile.tile<4xf32>
        "cuda_tile.yield"(%y) : (!cuda_tile.tile<4xf32>) -> ()
      }) : (!cuda_tile.tile<i1>) -> !cuda_tile.tile<4xf32>
      "cuda_tile.for"(%n, %n, %n) <{unsignedCmp}> ({
      ^bb0(%i: !cuda_tile.tile<i32>):
        "cuda_tile.continue"() : () -> ()
      }) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> ()
      %sum, %sum_1 = "cuda_tile.for"(%n, %n, %n, %x, %n) ({
      ^bb0(%j: !cuda_tile.tile<i32>, %acc: !cuda_tile.tile<4xf32>, %one: !cuda_tile.tile<i32>):
        "cuda_tile.if"(%c) ({
          "cuda_tile.continue"(%acc, %one) : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<i32>) -> ()
        }, {
          "cuda_tile.yield"() : () -> ()
        }) : (!cuda_tile.tile<i1>) -> ()
        "cuda_tile.continue"(%acc, %j) : (!cuda_tile.tile<4xf32>, !cuda_tile.tile<i32>) -> ()
      }) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<4xf32>, !cuda_tile.tile<i32>) -> (!cuda_tile.tile<4xf32>, !cuda_tile.tile<i32>)
      "cuda_tile.loop"() ({
        "cuda_tile.if"(%c) ({
          "cuda_tile.break"() : () -> ()
        }, {
        }) : (!cuda_tile.tile<i1>) -> ()
        "cuda_tile.continue"() : () -> ()
      }) : () -> ()
      %found = "cuda_tile.loop"(%n) ({
      ^bb0(%k: !cuda_tile.tile<i32>):
        "cuda_tile.if"(%c) ({
          "cuda_tile.break"(%x) : (!cuda_tile.tile<4xf32>) -> ()
        }, {
        }) : (!cuda_tile.tile<i1>) -> ()
        "cuda_tile.continue"(%k) : (!cuda_tile.tile<i32>) -> ()
      }) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<4xf32>
      %first = "cuda_tile.loop"() ({
        "cuda_tile.break"(%n) : (!cuda_tile.tile<i32>) -> ()
      }) : () -> !cuda_tile.tile<i32>
      "cuda_tile.return"() : () -> ()
    }) : () -> ()
  }) : () -> ()
}) : () -> ()
