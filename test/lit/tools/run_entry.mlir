// tile-run on a cuda_tile entry, as text and as bytecode.

// RUN: tile-run %s -a zeros:i32[8] -a 100 --grid 2,3 --symbol numbers | filecheck %s
// RUN: tile-translate %s --to-bytecode -o %t.tileirbc
// RUN: tile-run %t.tileirbc -a zeros:i32[8] -a 100 --grid 2,3 --symbol numbers --checked --order 5 | filecheck %s --check-prefix=ANY
// RUN: tile-run %t.tileirbc -a zeros:i32[8] -a 100 --grid 2,3 --symbol numbers --adversarial --order 5 | filecheck %s --check-prefix=ANY
// RUN: not tile-run %s -a zeros:i32[1] --symbol race --adversarial --gpu 2>&1 | filecheck %s --check-prefix=OWN
// OWN: --adversarial is the interpreter's: leave it out, or leave out --gpu
// CHECK-COUNT-6: block
// CHECK:         argument 0: int32[8]
// CHECK-NEXT:    [100, 101, 102, 103, 104, 105,   0,   0]
// ANY:           [100, 101, 102, 103, 104, 105,   0,   0]

// RUN: not tile-run %s -a zeros:i32[8] -a 1 --grid 9 --symbol numbers 2>&1 | filecheck %s --check-prefix=OUTSIDE
// OUTSIDE: error[O521]: store at address {{.*}} reaches outside every array
// OUTSIDE: store_ptr_tko weak %q, %v
// OUTSIDE: note: in block 8; `o` has 32 bytes, and this is byte 32

// RUN: not tile-run %s -a zeros:i32[1] --grid 2 --symbol race --checked 2>&1 | filecheck %s --check-prefix=RACE
// RACE: error[O523]: blocks 0 and 1 both access element [0] of `o`
// RACE: block 0 writes it here
// RACE: block 1 writes it here

// RUN: not tile-run %s -a zeros:i32[1] 2>&1 | filecheck %s --check-prefix=WHICH
// WHICH: error[O529]: the interpreter cannot run `builtin.module`: it holds 2 entries where one is to be run

cuda_tile.module @m {
  entry @numbers(%o: tile<ptr<i32>>, %n: tile<i32>) {
    %x, %y, %z = get_tile_block_id : tile<i32>
    %nx, %ny, %nz = get_num_tile_blocks : tile<i32>
    %row = muli %y, %nx : tile<i32>
    %i = addi %row, %x : tile<i32>
    %v = addi %i, %n : tile<i32>
    %q = offset %o, %i : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %t = print_tko "block %d\n", %i : tile<i32> -> token
    %u = store_ptr_tko weak %q, %v : tile<ptr<i32>>, tile<i32> -> token
    return
  }
  entry @race(%o: tile<ptr<i32>>) {
    %x, %y, %z = get_tile_block_id : tile<i32>
    %u = store_ptr_tko weak %o, %x : tile<ptr<i32>>, tile<i32> -> token
    return
  }
}
