// Promises to the assembler that a launch breaks, and tokens in loops: missing, stale, and right.
//
// RUN: tile-audit %s --entry bounded --grid 4 -a 'y=f32[8]' -a n=7 | filecheck %s --check-prefix=SAFE
// RUN: not tile-audit %s --entry bounded --grid 4 -a 'y=f32[8]' -a n=8 | filecheck %s --check-prefix=BOUNDED
// RUN: not tile-audit %s --entry multiple --grid 4 -a 'y=f32[8]:alignment=4' -a n=0 | filecheck %s --check-prefix=MULTIPLE
// RUN: tile-audit %s --entry wraps --grid 4 -a 'y=f32[8]' -a n=4 | filecheck %s --check-prefix=SAFE
// RUN: not tile-audit %s --entry wraps --grid 4 -a 'y=f32[8]' -a n=-2 | filecheck %s --check-prefix=WRAPS
// RUN: tile-audit %s --entry carried -a 'y=f32[8]' -a n=4 | filecheck %s --check-prefix=SAFE
// RUN: not tile-audit %s --entry stale -a 'y=f32[8]' -a n=4 | filecheck %s --check-prefix=STALE
// RUN: tile-audit %s --entry stale -a 'y=f32[8]' -a n=1 | filecheck %s --check-prefix=SAFE

// SAFE: safe in this launch

// BOUNDED: error[O528]
// BOUNDED: `y` f32[8]

// MULTIPLE: error[O528]

// WRAPS: error[O528]: `cuda_tile.addi` has no defined result: the result wraps as an unsigned number

// STALE: error[O525]: no token orders two accesses to element [0] of `y`

cuda_tile.module @kernels {
  entry @bounded(%y: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_token : token
    %i, %j, %k = get_tile_block_id : tile<i32>
    %m = assume bounded<0, 7>, %n : tile<i32>
    %some = mini %m, %i signed : tile<i32>
    %c = constant <f32: 1.0> : tile<f32>
    %past = subi %i, %some : tile<i32>
    %at = addi %past, %some : tile<i32>
    %p = offset %y, %at : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %done = store_ptr_tko weak %p, %c token=%t : tile<ptr<f32>>, tile<f32> -> token
    return
  }
  entry @multiple(%y: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_token : token
    %i, %j, %k = get_tile_block_id : tile<i32>
    %a = assume div_by<16>, %y : tile<ptr<f32>>
    %c = constant <f32: 1.0> : tile<f32>
    %p = offset %a, %i : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %done = store_ptr_tko weak %p, %c token=%t : tile<ptr<f32>>, tile<f32> -> token
    return
  }
  entry @wraps(%y: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_token : token
    %i, %j, %k = get_tile_block_id : tile<i32>
    %sum = addi %n, %i overflow<no_unsigned_wrap> : tile<i32>
    %back = subi %sum, %n : tile<i32>
    %c = constant <f32: 1.0> : tile<f32>
    %p = offset %y, %back : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %done = store_ptr_tko weak %p, %c token=%t : tile<ptr<f32>>, tile<f32> -> token
    return
  }
  entry @carried(%y: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_token : token
    %c = constant <f32: 1.0> : tile<f32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %end = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%before = %t) -> (token) {
      %done = store_ptr_tko weak %y, %c token=%before : tile<ptr<f32>>, tile<f32> -> token
      continue %done : token
    }
    return
  }
  entry @stale(%y: tile<ptr<f32>>, %n: tile<i32>) {
    %t = make_token : token
    %c = constant <f32: 1.0> : tile<f32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    for %i in (%zero to %n, step %one) : tile<i32> {
      %done = store_ptr_tko weak %y, %c token=%t : tile<ptr<f32>>, tile<f32> -> token
      continue
    }
    return
  }
}
