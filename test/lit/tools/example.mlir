// The commands that the README and the example itself name.
//
// `env` has lit start the tools of this file as a user does: as processes that import the compiler anew.
// RUN: env tile-opt %S/../../../examples/gemm.mlir -p verify-borrows,verify-partitions,resolve-obligations | filecheck %s
// RUN: tile-run %S/../../../examples/gemm.mlir --arg zeros:f32[100,80] --arg rand:f32[100,60]:1 --arg rand:f32[60,80]:2 --checked | filecheck %s --check-prefix VALUES
// RUN: tile-opt %S/../../../examples/gemm.mlir -p verify-borrows,verify-partitions,resolve-obligations,thread-tokens,convert-ownership-to-cuda-tile,canonicalize,cse | tile-translate --to-bytecode | tile-translate --from-bytecode | filecheck %s --check-prefix TILE

// Everything about it is proved.
// CHECK:      ownership.distribute {{.*}}<disjoint proved
// CHECK:      ownership.region {{.*}}<disjoint proved {{.*}}<in_bounds axis 0 proved {{.*}}<in_bounds axis 1 proved
// CHECK:      ownership.load %left{{.*}}<in_bounds axis 0 proved {{.*}}<in_bounds axis 1 proved
// CHECK:      ownership.load %right{{.*}}<in_bounds axis 0 proved {{.*}}<in_bounds axis 1 proved

// VALUES:     argument 0: float32[100, 80]
// TILE:       load_view_tko
// TILE:       mmaf
// TILE:       store_view_tko
