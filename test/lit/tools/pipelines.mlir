// Pipelines that are nested, in files, watched and bisected; bytecode in and out.
// RUN: tile-opt %s --pass-pipeline='builtin.module(cuda_tile.module(canonicalize,cse))' | filecheck %s --check-prefix NESTED
// RUN: tile-opt %s --canonicalize --cse | filecheck %s --check-prefix NESTED
// RUN: tile-opt --loop-split=split-threshold=2 --cse %s | filecheck %s --check-prefix NESTED
// RUN: not tile-opt --canonicalise %s 2>&1 | filecheck %s --check-prefix NEAR
// RUN: not tile-opt --loop-split=threshold=2 %s 2>&1 | filecheck %s --check-prefix NO-OPTION
// RUN: tile-opt %s -p 'any(cse)' | filecheck %s --check-prefix NESTED
// RUN: tile-opt %s -p 'ownership.kernel(cse)' | filecheck %s --check-prefix ELSEWHERE
// RUN: tile-opt %s -p @%S/pipelines.txt | filecheck %s --check-prefix NESTED
// RUN: not tile-opt %s -p 'module(cse)' 2>&1 | filecheck %s --check-prefix NO-ANCHOR
// RUN: not tile-opt %s -p @%S/no_such_file.txt 2>&1 | filecheck %s --check-prefix NO-FILE
// RUN: tile-opt %s -p 'cuda_tile.module(cse),cse' --mlir-print-ir-after-change 2>&1 | filecheck %s --check-prefix CHANGE
// RUN: tile-opt %s -p 'cse,cse' --print-op-stats --pass-statistics 2>&1 | filecheck %s --check-prefix STATS
// RUN: tile-opt %s --emit-bytecode | tile-opt --elide-prefix | filecheck %s --check-prefix BYTECODE
// RUN: tile-opt %s -p 'canonicalize,cse,canonicalize' --bisect 'grep -c "addi.*addi\|%[a-z]* = cuda_tile.addi.*%x, %x" {} | grep 2' | filecheck %s --check-prefix BISECT
// RUN: tile-opt %s -p cse --bisect true | filecheck %s --check-prefix ALL-GOOD
// RUN: tile-opt %s -p cse --bisect false | filecheck %s --check-prefix ALL-BAD

// NESTED-COUNT-1: cuda_tile.addi
// NESTED: cuda_tile.print
// ELSEWHERE-COUNT-2: cuda_tile.addi
// NO-ANCHOR: error[O505]: `module(cse)` is not a pass with options: `module` is the name of no operation
// NEAR: error: unrecognized argument: --canonicalise; did you mean `--canonicalize`?
// NO-OPTION: error[O505]: `loop-split{threshold=2}` is not a pass with options
// NO-FILE: error[O506]: cannot read

// CHANGE: IR Dump After cuda_tile.module(cse)
// CHANGE-NOT: IR Dump After cse

// STATS:      Operations encountered:
// STATS-NEXT:   builtin.module       1
// STATS-NEXT:   cuda_tile.addi       1
// STATS:      Operations added and taken away, by pass:
// STATS-NEXT:   1. cse: +0 -1
// STATS-NEXT:     cuda_tile.addi: +0 -1
// STATS-NEXT:   2. cse: +0 -0

// BYTECODE: cuda_tile.module @kernels {
// BYTECODE:   addi

// BISECT:      // bisect: pass 2 of 3, `cse`, makes the command fail; before it:
// BISECT-COUNT-2: addi
// BISECT:      // bisect: after `cse`:
// BISECT-COUNT-1: addi

// ALL-GOOD: // bisect: the command succeeds after all passes
// ALL-BAD: // bisect: the command fails on what was read, before any pass

cuda_tile.module @pipelines {
  entry @k(%x: tile<i32>) {
    %a = addi %x, %x : tile<i32>
    %b = addi %x, %x : tile<i32>
    print_tko "%i %i", %a, %b : tile<i32>, tile<i32> -> token
    return
  }
}
