// Ways that meet: a token behind them orders what happens on each, for the tile blocks that come by there.
//
// RUN: tile-audit %s --entry some --grid 8 -a 'y=f32[1000]' | filecheck %s --check-prefix=SOME
// RUN: tile-audit %s --entry chosen --grid 8 -a 'rows=i32[8]' -a 'y=f32[1000]' | filecheck %s --check-prefix=CHOSEN
// RUN: tile-audit %s --entry twice --grid 8 -a 'y=f32[1000]' | filecheck %s --check-prefix=TWICE
// RUN: not tile-audit %s --entry past --grid 8 -a 'y=f32[1000]' | filecheck %s --check-prefix=PAST

// SOME: kernel `some`, grid 8: safe in this launch
// SOME-NEXT: `y` f32[1000]  blocks write apart in every launch, in the order of tokens;
// CHOSEN: kernel `chosen`, grid 8: safe in this launch

// TWICE: kernel `twice`, grid 8: safe in this launch
// TWICE-NEXT: `y` f32[1000]  blocks write apart in every launch, in the order of tokens;

// PAST: error[O525]: no token orders two accesses to element [0] of `y`

cuda_tile.module @kernels {
  // Half of the blocks write before all of them read: where a block has not written, there is nothing to be ordered.
  entry @some(%y: tile<ptr<f32>>, %ny: tile<i32>, %sy: tile<i32>) {
    %none = make_token : token
    %half = constant <i32: 4> : tile<i32>
    %zero = constant <f32: 0.0> : tile<128xf32>
    %view = make_tensor_view %y, shape = [%ny], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %p = make_partition_view %view : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>
    %i, %j, %k = get_tile_block_id : tile<i32>
    %first = cmpi less_than %i, %half, signed : tile<i32> -> tile<i1>
    %met = if %first -> (token) {
      %stored = store_view_tko weak %zero, %p[%i] token = %none : tile<128xf32>, partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
      yield %stored : token
    } else {
      yield %none : token
    }
    %t, %after = load_view_tko weak %p[%i] token = %met : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
    return
  }

  // The same where memory decides which of the blocks these are.
  entry @chosen(%rows: tile<ptr<i32>>, %nr: tile<i32>, %sr: tile<i32>, %y: tile<ptr<f32>>, %ny: tile<i32>, %sy: tile<i32>) {
    %none = make_token : token
    %half = constant <i32: 4> : tile<i32>
    %zero = constant <f32: 0.0> : tile<128xf32>
    %view = make_tensor_view %y, shape = [%ny], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %p = make_partition_view %view : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>
    %i, %j, %k = get_tile_block_id : tile<i32>
    %at = offset %rows, %i : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %row, %loaded = load_ptr_tko weak %at token = %none : tile<ptr<i32>> -> tile<i32>, token
    %first = cmpi less_than %row, %half, signed : tile<i32> -> tile<i1>
    %met = if %first -> (token) {
      %stored = store_view_tko weak %zero, %p[%i] token = %none : tile<128xf32>, partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
      yield %stored : token
    } else {
      yield %none : token
    }
    %t, %after = load_view_tko weak %p[%i] token = %met : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
    return
  }

  // Nothing is read: what is written last stays because of the token.
  entry @twice(%y: tile<ptr<f32>>, %ny: tile<i32>, %sy: tile<i32>) {
    %none = make_token : token
    %zero = constant <f32: 0.0> : tile<128xf32>
    %one = constant <f32: 1.0> : tile<128xf32>
    %view = make_tensor_view %y, shape = [%ny], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %p = make_partition_view %view : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>
    %i, %j, %k = get_tile_block_id : tile<i32>
    %before = store_view_tko weak %zero, %p[%i] token = %none : tile<128xf32>, partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    %after = store_view_tko weak %one, %p[%i] token = %before : tile<128xf32>, partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }

  // A token of before the ways orders nothing of theirs.
  entry @past(%y: tile<ptr<f32>>, %ny: tile<i32>, %sy: tile<i32>) {
    %none = make_token : token
    %half = constant <i32: 4> : tile<i32>
    %zero = constant <f32: 0.0> : tile<128xf32>
    %view = make_tensor_view %y, shape = [%ny], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %p = make_partition_view %view : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>
    %i, %j, %k = get_tile_block_id : tile<i32>
    %first = cmpi less_than %i, %half, signed : tile<i32> -> tile<i1>
    %met = if %first -> (token) {
      %stored = store_view_tko weak %zero, %p[%i] token = %none : tile<128xf32>, partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
      yield %none : token
    } else {
      yield %none : token
    }
    %t, %after = load_view_tko weak %p[%i] token = %met : partition_view<tile=(128), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<128xf32>, token
    return
  }
}
