// RUN: tile-opt %s -p 'builtin.module(cuda_tile.module(synthesize-debug-info-scopes))' --split-input-file -o %t.mlir --print-debuginfo
// RUN: filecheck %s < %t.mlir
// RUN: tile-opt %s --synthesize-debug-info-scopes --split-input-file --mlir-print-debuginfo --elide-prefix -o %t.aliases.mlir
// RUN: filecheck %s --check-prefix ALIASES < %t.aliases.mlir
// RUN: tile-opt %t.aliases.mlir --split-input-file --mlir-print-debuginfo --elide-prefix | diff - %t.aliases.mlir

// ALIASES: return loc([[RETURN:#loc[0-9]+]])
// ALIASES: [[FUNCTION:#di_subprogram]] = #cuda_tile.di_subprogram<
// ALIASES: [[PLACE:#loc[0-9]+]] = loc("/src/k.py":15:4)
// ALIASES-NEXT: [[RETURN]] = #cuda_tile.di_loc<[[PLACE]] in [[FUNCTION]]>
// RUN: tile-opt %t.mlir --split-input-file --emit-bytecode -o %t.bc

// Positions: those of the file, of the text that was called, of the first of several.
// CHECK-LABEL: entry @positions
// CHECK: print_tko "a" -> token{{.*}}"/src/k.py":12:4{{.*}}di_file<"k.py" in "/src">, line = 10, name = "positions", linkageName = "positions", compileUnit = {{.*}}"unit.py" in ""{{.*}}scopeLine = 10
// CHECK: print_tko "b" -> token{{.*}}"/src/k.py":13:4
// CHECK: print_tko "c" -> token{{.*}}"/src/k.py":14:2
// CHECK: print_tko "d" -> token{{.*}}"/src/k.py":10:1
// CHECK: return
// CHECK: } {{.*}}"/src/k.py":10:1{{.*}}di_subprogram
cuda_tile.module @m {
  entry @positions() {
    print_tko "a" -> token loc("/src/k.py":12:4)
    print_tko "b" -> token loc(callsite("lib.py":1:1 at "/src/k.py":13:4))
    print_tko "c" -> token loc("called"(fused["/src/k.py":14:2, "/src/k.py":14:9]))
    print_tko "d" -> token loc(unknown)
    return loc("/src/k.py":15:4)
  } loc("/src/k.py":10:1)
} loc("unit.py":1:1)

// -----

// Nothing is known: the first line of a file without a name.
// CHECK-LABEL: entry @nothing
// CHECK: return{{.*}}"<unknown>":1:1{{.*}}di_file<"<unknown>" in "">, line = 1, name = "nothing"
cuda_tile.module @m {
  entry @nothing() {
    return loc(unknown)
  } loc(unknown)
} loc(unknown)

// -----

// A scope that there is stays, and so does what is in it.
// CHECK-LABEL: entry @has_one
// CHECK: return loc(unknown)
// CHECK: line = 15, name = "has_one"
#file = #cuda_tile.di_file<"k.py" in "">
#unit = #cuda_tile.di_compile_unit<file = #file>
#function = #cuda_tile.di_subprogram<file = #file, line = 15, name = "has_one", linkageName = "has_one", compileUnit = #unit>
cuda_tile.module @m {
  entry @has_one() {
    return loc(unknown)
  } loc(#cuda_tile.di_loc<loc("k.py":15:1) in #function>)
} loc(unknown)
