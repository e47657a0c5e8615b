// What is said of kernels on partition views: safe, a race, out of bounds, an order that no token gives.
//
// RUN: tile-audit %s --entry add --grid 8 -a 'x=f32[1000]' -a 'y=f32[1000]' | filecheck %s --check-prefix=SAFE
// RUN: not tile-audit %s --entry add --grid 8,2 -a 'x=f32[1000]' -a 'y=f32[1000]' | filecheck %s --check-prefix=RACE
// RUN: not tile-audit %s --entry add --grid 9 -a 'x=f32[1000]' -a 'y=f32[1000]' | filecheck %s --check-prefix=OUTSIDE
// RUN: not tile-audit %s --entry add --grid 8 -a 'x=f32[1000]' -a 'y=f32[1000]:same=x' | filecheck %s --check-prefix=ORDER
// RUN: not tile-audit %s --entry add --grid 8,2 -a 'x=f32[1000]' -a 'y=f32[1000]' --format sarif | filecheck %s --check-prefix=LOG
// RUN: not tile-audit %s --entry table --grid 8 -a 'rows=i32[8]' -a 'y=f32[1024]' | filecheck %s --check-prefix=TABLE
// RUN: tile-audit %s --entry clamped --grid 8 -a 'rows=i32[8]' -a 'y=f32[1024]' -a 'last=7' | filecheck %s --check-prefix=CLAMPED
// RUN: not tile-audit %s --entry clamped --grid 8 -a 'rows=i32[8]' -a 'y=f32[1024]' -a 'last=8' | filecheck %s --check-prefix=BEYOND
// RUN: not tile-audit %s --entry clamped --grid 8 -a 'rows=i32[8]' -a 'y=f32[1023]' -a 'last=7' | filecheck %s --check-prefix=SHORT
// RUN: not tile-audit %s --entry add -a 'x=f32[1000]' 2>&1 | filecheck %s --check-prefix=FACTS

// SAFE: kernel `add`, grid 8: safe in this launch
// SAFE-NEXT: `x` f32[1000]  read only; in bounds, masked at the edge
// SAFE-NEXT: `y` f32[1000]  blocks write apart in every launch; in bounds, masked at the edge
// SAFE: def add(x: Ref[f32, 'X0'], y: Out[f32, 'Y0'])  # partition y by [128]

// RACE: error[O523]: blocks (0, 0, 0) and (0, 1, 0) both access element [0] of `y`
// RACE: kernel `add`, grid 8 x 2: faulty in this launch
// RACE: `y` f32[1000]  race;

// OUTSIDE: error[O520]: coordinate 8 of axis 0 is outside `x`, which has 8 tiles there
// OUTSIDE: `x` f32[1000]  read only; out of bounds
// OUTSIDE: wrong, too, behind the errors above:

// ORDER: error[O525]: no token orders two accesses to element [0] of `x`

// LOG: "level": "error"
// LOG: "text": "blocks (0, 0, 0) and (0, 1, 0) both access element [0] of `y`

// TABLE: kernel `table`, grid 8: not decided for this launch
// TABLE: not decided:
// TABLE-NEXT: `y` out of bounds: it depends on what `rows` holds
// TABLE-NEXT: decided by: contents of `rows`

// CLAMPED: kernel `clamped`, grid 8: safe in this launch
// CLAMPED: `y` f32[1024]  read only; in bounds
// BEYOND: kernel `clamped`, grid 8: not decided for this launch
// BEYOND: `y` out of bounds: it depends on what `rows` holds
// SHORT: `y` f32[1023]  read only; bounds not decided

// FACTS: error[O511]: the facts give 3 values for 6 parameters of `add`

cuda_tile.module @kernels {
  entry @add(%x: tile<ptr<f32>>, %nx: tile<i32>, %sx: tile<i32>, %y: tile<ptr<f32>>, %ny: tile<i32>, %sy: tile<i32>) {
    %none = make_token : token
    %from = make_tensor_view %x, shape = [%nx], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %to = make_tensor_view %y, shape = [%ny], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %a = make_partition_view %from : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>
    %b = make_partition_view %to : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>
    %i, %j, %k = get_tile_block_id : tile<i32>
    %t, %after = load_view_tko weak %a[%i] token = %none : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
    %done = store_view_tko weak %t, %b[%i] token = %none : tile<128xf32>, partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }
  entry @clamped(%rows: tile<ptr<i32>>, %y: tile<ptr<f32>>, %last: tile<i32>) {
    %none = make_token : token
    %i, %j, %k = get_tile_block_id : tile<i32>
    %from = make_tensor_view %y, shape = [1024], strides = [1] : tensor_view<1024xf32, strides=[1]>
    %b = make_partition_view %from : partition_view<tile=(128), tensor_view<1024xf32, strides=[1]>>
    %p = offset %rows, %i : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %row, %after = load_ptr_tko weak %p token = %none : tile<ptr<i32>> -> tile<i32>, token
    %first = constant <i32: 0> : tile<i32>
    %low = maxi %row, %first signed : tile<i32>
    %there = mini %low, %last signed : tile<i32>
    %t, %done = load_view_tko weak %b[%there] token = %none : partition_view<tile=(128), tensor_view<1024xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
    return
  }
  entry @table(%rows: tile<ptr<i32>>, %y: tile<ptr<f32>>) {
    %none = make_token : token
    %i, %j, %k = get_tile_block_id : tile<i32>
    %to = make_tensor_view %y, shape = [1024], strides = [1] : tensor_view<1024xf32, strides=[1]>
    %b = make_partition_view %to : partition_view<tile=(128), tensor_view<1024xf32, strides=[1]>>
    %p = offset %rows, %i : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %row, %after = load_ptr_tko weak %p token = %none : tile<ptr<i32>> -> tile<i32>, token
    %zero = constant <f32: 0.0> : tile<128xf32>
    %done = store_view_tko weak %zero, %b[%row] token = %none : tile<128xf32>, partition_view<tile=(128), tensor_view<1024xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}
