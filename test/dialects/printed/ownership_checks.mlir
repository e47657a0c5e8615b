builtin.module {
  ownership.kernel @checks(%ok: !cuda_tile.tile<i1>, %n: !cuda_tile.tile<i32>, %h: !cuda_tile.tile<bf16>) {
    ownership.check %ok, "alone" : !cuda_tile.tile<i1>
    ownership.check %ok, "shown" values %n, %h, %ok : !cuda_tile.tile<i1>(!cuda_tile.tile<i32>, !cuda_tile.tile<bf16>, !cuda_tile.tile<i1>) {names = ["n", "h", "ok"], dtypes = ["u32", "bf16", "bool_"]}
    ownership.check %ok, "" values %n, %n : !cuda_tile.tile<i1>(!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) {names = ["index", "count"], dtypes = ["i32", "i32"], number = 4 : i32, deferrable}
  }
}
// -----
"builtin.module"() ({
  "ownership.kernel"() <{sym_name = "checks"}> ({
  ^bb0(%ok: !cuda_tile.tile<i1>, %n: !cuda_tile.tile<i32>, %h: !cuda_tile.tile<bf16>):
    "ownership.check"(%ok) <{message = "alone"}> : (!cuda_tile.tile<i1>) -> ()
    "ownership.check"(%ok, %n, %h, %ok) <{message = "shown", names = ["n", "h", "ok"], dtypes = ["u32", "bf16", "bool_"]}> : (!cuda_tile.tile<i1>, !cuda_tile.tile<i32>, !cuda_tile.tile<bf16>, !cuda_tile.tile<i1>) -> ()
    "ownership.check"(%ok, %n, %n) <{message = "", names = ["index", "count"], dtypes = ["i32", "i32"], number = 4 : i32, deferrable}> : (!cuda_tile.tile<i1>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> ()
    "ownership.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
