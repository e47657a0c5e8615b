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
