// RUN: tile-opt %s | filecheck %s
// RUN: tile-opt %s | tile-opt | filecheck %s
// RUN: tile-opt %s --print-op-generic | tile-opt | filecheck %s

// CHECK: ownership.kernel @checks(
ownership.kernel @checks(%ok: !cuda_tile.tile<i1>, %n: !cuda_tile.tile<i32>, %h: !cuda_tile.tile<bf16>) {
  // CHECK-NEXT: ownership.check %ok, "alone" : !cuda_tile.tile<i1>
  ownership.check %ok, "alone" : !cuda_tile.tile<i1>
  // CHECK-NEXT: ownership.check %ok, "shown" values %n, %h, %ok : !cuda_tile.tile<i1>(!cuda_tile.tile<i32>, !cuda_tile.tile<bf16>, !cuda_tile.tile<i1>) {names = ["n", "h", "ok"], dtypes = ["u32", "bf16", "bool_"]}
  ownership.check %ok, "shown" values %n, %h, %ok : !cuda_tile.tile<i1> (!cuda_tile.tile<i32>, !cuda_tile.tile<bf16>, !cuda_tile.tile<i1>) {names = ["n", "h", "ok"], dtypes = ["u32", "bf16", "bool_"]}
  // CHECK-NEXT: ownership.check %ok, "" values %n, %n : {{.*}} {names = ["index", "count"], dtypes = ["i32", "i32"], number = 4 : i32, deferrable}
  ownership.check %ok, "" values %n, %n : !cuda_tile.tile<i1> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) {names = ["index", "count"], dtypes = ["i32", "i32"], number = 4 : i32, deferrable}
}
