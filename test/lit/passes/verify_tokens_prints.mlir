// RUN: tile-opt %s -p 'verify-tokens' --split-input-file --print-diagnostics | filecheck %s
// RUN: tile-opt %s -p 'verify-tokens{persistent=true}' --split-input-file --print-diagnostics | filecheck %s --check-prefix=POINTS

// In order, through a loop and a branch.
// CHECK-LABEL: @ordered
// POINTS-LABEL: @ordered
cuda_tile.module @m {
  entry @ordered(%n: tile<i32>, %q: tile<i1>) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %a = print_tko "a" -> token
    %l = for %i in (%c0 to %n, step %c1) : tile<i32> iter_values(%t = %a) -> (token) {
      %u = if %q -> (token) {
        %b = print_tko "%i", %i token = %t : tile<i32> -> token
        yield %b : token
      } else {
        yield %t : token
      }
      continue %u : token
    }
    %c = print_tko "c" token = %l -> token
    return
  }
}

// -----

// CHECK: is not ordered after cuda_tile.print_tko of line {{[0-9]+}}: both print
cuda_tile.module @m {
  entry @straight() {
    %a = print_tko "a" -> token
    %b = print_tko "b" -> token
    return
  }
}

// -----

// A token that comes from somewhere else.
// CHECK: is not ordered after cuda_tile.print_tko
cuda_tile.module @m {
  entry @elsewhere() {
    %t = make_token : token
    %a = print_tko "a" -> token
    %b = print_tko "b" token = %t -> token
    return
  }
}

// -----

// One turn and the next: of a persistent block, they are points, each with prints of its own.
// CHECK: is not ordered after cuda_tile.print_tko
// POINTS: entry @turns
cuda_tile.module @m {
  entry @turns(%n: tile<i32>) {
    %b, %b1, %b2 = get_tile_block_id : tile<i32>
    %s0, %s1, %s2 = get_num_tile_blocks : tile<i32>
    for %i in (%b to %n, step %s0) : tile<i32> {
      %a = print_tko "a" -> token
    }
    return
  }
}

// -----

// Within a point the order is owed.
// CHECK: is not ordered after cuda_tile.print_tko
// POINTS: is not ordered after cuda_tile.print_tko
cuda_tile.module @m {
  entry @point(%n: tile<i32>) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %b, %b1, %b2 = get_tile_block_id : tile<i32>
    %s0, %s1, %s2 = get_num_tile_blocks : tile<i32>
    for %i in (%b to %n, step %s0) : tile<i32> {
      for %j in (%c0 to %n, step %c1) : tile<i32> {
        %a = print_tko "a" -> token
      }
    }
    return
  }
}

// -----

// What only one way of a branch has printed.
// CHECK: is not ordered after cuda_tile.print_tko
cuda_tile.module @m {
  entry @branch(%q: tile<i1>) {
    %a = print_tko "a" -> token
    if %q {
      %b = print_tko "b" token = %a -> token
    }
    %c = print_tko "c" token = %a -> token
    return
  }
}
