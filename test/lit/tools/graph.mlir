// Control and data flow, as SVG and for Graphviz.
// RUN: tile-graph %s | filecheck %s --check-prefix SVG
// RUN: tile-graph %s --dot --entry k | filecheck %s --check-prefix DOT
// RUN: tile-graph %s --dot --no-constants | filecheck %s --check-prefix BARE
// RUN: not tile-graph %s --entry nobody 2>&1 | filecheck %s --check-prefix NOBODY
// RUN: tile-graph %S/rejected.mlir --split-input-file --print-diagnostics | filecheck %s --check-prefix REFUSED

// SVG:      <svg xmlns="http://www.w3.org/2000/svg" width="{{[0-9]+}}" height="{{[0-9]+}}"
// SVG:      entry @k</text>
// SVG:      <text {{.*}}>constant</text>
// SVG-NEXT: <text class="d" {{.*}}>dense&lt;i32: 1, tile&lt;i32&gt;&gt;</text>
// SVG:      <text {{.*}}>for</text>
// SVG:      <path d="M{{.*}}"><title>%acc</title></path>
// SVG:      <path class="t" d=
// SVG:      </svg>

// DOT:      digraph module {
// DOT:        n0 [label="entry @k"];
// DOT:        subgraph cluster_n0_0 { label="entry @k";
// DOT:          n2 [label="constant\n
// DOT:        {{n[0-9]+}} -> {{n[0-9]+}} [label="t0", style=dashed];

// BARE-NOT: constant
// NOBODY: pass `--entry` failed: there is no `nobody`
// REFUSED: error[O502]

cuda_tile.module @graph {
  entry @k(%n: tile<i32>) {
    %c1 = constant <i32: 1> : tile<i32>
    %t0 = make_token : token
    %r = for %i in (%c1 to %n, step %c1) : tile<i32> iter_values(%acc = %c1) -> (tile<i32>) {
      %s = addi %acc, %i : tile<i32>
      continue %s : tile<i32>
    }
    %t1 = join_tokens %t0, %t0 : token
    return
  }
}
