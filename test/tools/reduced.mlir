// == 
// 0 operations, 0 attributes, after 3 runs of the command
// 0 operations, 0 attributes, after 3 runs of the command
builtin.module {
}

// == @g
// 2 operations, 5 attributes, after 10 runs of the command
// 2 operations, 5 attributes, after 12 runs of the command
builtin.module {
  cuda_tile.module @many {
    cuda_tile.global @g alignment = 16 <f32: [1.000000e+00, 2.000000e+00]> : tile<2xf32>
  }
}

// == producer
// 1 operations, 2 attributes, after 7 runs of the command
// 1 operations, 2 attributes, after 9 runs of the command
builtin.module {
  cuda_tile.module @many attributes {producer = "a compiler"} {
  }
}

// == no_signed_wrap
// 4 operations, 4 attributes, after 19 runs of the command
// 4 operations, 4 attributes, after 24 runs of the command
builtin.module {
  cuda_tile.module @many {
    cuda_tile.entry @k(%p: tile<ptr<f32>>, %n: tile<i32>, %b: tile<i1>) {
      %sum = cuda_tile.addi %n, %n overflow<no_signed_wrap> : tile<i32>
      cuda_tile.return
    }
  }
}

// == rounding<zero>
// 6 operations, 6 attributes, after 20 runs of the command
// 6 operations, 6 attributes, after 25 runs of the command
builtin.module {
  cuda_tile.module @many {
    cuda_tile.entry @k(%p: tile<ptr<f32>>, %n: tile<i32>, %b: tile<i1>) {
      %t = cuda_tile.make_token : token
      %x, %t1 = cuda_tile.load_ptr_tko weak %p token=%t : tile<ptr<f32>> -> tile<f32>, token
      %y = cuda_tile.addf %x, %x rounding<zero> : tile<f32>
      cuda_tile.return
    }
  }
}

// == occupancy
// 3 operations, 4 attributes, after 16 runs of the command
// 3 operations, 4 attributes, after 19 runs of the command
builtin.module {
  cuda_tile.module @many {
    cuda_tile.entry @k(%p: tile<ptr<f32>>, %n: tile<i32>, %b: tile<i1>) optimization_hints=<sm_90 = {occupancy = 2}> {
      cuda_tile.return
    }
  }
}

// == load_ptr_tko
// 5 operations, 5 attributes, after 17 runs of the command
// 5 operations, 5 attributes, after 23 runs of the command
builtin.module {
  cuda_tile.module @many {
    cuda_tile.entry @k(%p: tile<ptr<f32>>, %n: tile<i32>, %b: tile<i1>) {
      %t = cuda_tile.make_token : token
      %x, %t1 = cuda_tile.load_ptr_tko weak %p token=%t : tile<ptr<f32>> -> tile<f32>, token
      cuda_tile.return
    }
  }
}

// == store_ptr_tko
// 6 operations, 7 attributes, after 20 runs of the command
// 6 operations, 7 attributes, after 25 runs of the command
builtin.module {
  cuda_tile.module @many {
    cuda_tile.entry @k(%p: tile<ptr<f32>>, %n: tile<i32>, %b: tile<i1>) {
      %t = cuda_tile.make_token : token
      %x, %t1 = cuda_tile.load_ptr_tko weak %p token=%t : tile<ptr<f32>> -> tile<f32>, token
      %u = cuda_tile.store_ptr_tko weak %p, %x token=%t1 : tile<ptr<f32>>, tile<f32> -> token
      cuda_tile.return
    }
  }
}

// == negf
// 9 operations, 5 attributes, after 21 runs of the command
// 9 operations, 5 attributes, after 33 runs of the command
builtin.module {
  cuda_tile.module @many {
    cuda_tile.entry @k(%p: tile<ptr<f32>>, %n: tile<i32>, %b: tile<i1>) {
      %t = cuda_tile.make_token : token
      %x, %t1 = cuda_tile.load_ptr_tko weak %p token=%t : tile<ptr<f32>> -> tile<f32>, token
      %w, %t2 = cuda_tile.if %b -> (tile<f32>, token) {
        cuda_tile.yield %x, %t1 : tile<f32>, token
      } else {
        %z = cuda_tile.negf %x : tile<f32>
        cuda_tile.yield %z, %t1 : tile<f32>, token
      }
      cuda_tile.return
    }
  }
}

// == sqrt
// 8 operations, 6 attributes, after 24 runs of the command
// 8 operations, 6 attributes, after 32 runs of the command
builtin.module {
  cuda_tile.module @many {
    cuda_tile.entry @k(%p: tile<ptr<f32>>, %n: tile<i32>, %b: tile<i1>) {
      %t = cuda_tile.make_token : token
      %x, %t1 = cuda_tile.load_ptr_tko weak %p token=%t : tile<ptr<f32>> -> tile<f32>, token
      %found, %t3 = cuda_tile.loop iter_values(%i = %n, %v = %x, %t4 = %t1) : tile<i32>, tile<f32>, token -> tile<f32>, token {
        %q = cuda_tile.sqrt %v : tile<f32>
        cuda_tile.continue %i, %q, %t4 : tile<i32>, tile<f32>, token
      }
      cuda_tile.return
    }
  }
}

// == break
// 9 operations, 5 attributes, after 25 runs of the command
// 9 operations, 5 attributes, after 37 runs of the command
builtin.module {
  cuda_tile.module @many {
    cuda_tile.entry @k(%p: tile<ptr<f32>>, %n: tile<i32>, %b: tile<i1>) {
      %t = cuda_tile.make_token : token
      %x, %t1 = cuda_tile.load_ptr_tko weak %p token=%t : tile<ptr<f32>> -> tile<f32>, token
      %found, %t3 = cuda_tile.loop iter_values(%i = %n, %v = %x, %t4 = %t1) : tile<i32>, tile<f32>, token -> tile<f32>, token {
        cuda_tile.if %b {
          cuda_tile.break %v, %t4 : tile<f32>, token
        }
        cuda_tile.continue %i, %v, %t4 : tile<i32>, tile<f32>, token
      }
      cuda_tile.return
    }
  }
}

// == loop
// 7 operations, 5 attributes, after 22 runs of the command
// 7 operations, 5 attributes, after 28 runs of the command
builtin.module {
  cuda_tile.module @many {
    cuda_tile.entry @k(%p: tile<ptr<f32>>, %n: tile<i32>, %b: tile<i1>) {
      %t = cuda_tile.make_token : token
      %x, %t1 = cuda_tile.load_ptr_tko weak %p token=%t : tile<ptr<f32>> -> tile<f32>, token
      %found, %t3 = cuda_tile.loop iter_values(%i = %n, %v = %x, %t4 = %t1) : tile<i32>, tile<f32>, token -> tile<f32>, token {
        cuda_tile.continue %i, %v, %t4 : tile<i32>, tile<f32>, token
      }
      cuda_tile.return
    }
  }
}

// == cmpi
// 8 operations, 7 attributes, after 22 runs of the command
// 8 operations, 7 attributes, after 30 runs of the command
builtin.module {
  cuda_tile.module @many {
    cuda_tile.entry @k(%p: tile<ptr<f32>>, %n: tile<i32>, %b: tile<i1>) {
      %t = cuda_tile.make_token : token
      %x, %t1 = cuda_tile.load_ptr_tko weak %p token=%t : tile<ptr<f32>> -> tile<f32>, token
      %found, %t3 = cuda_tile.loop iter_values(%i = %n, %v = %x, %t4 = %t1) : tile<i32>, tile<f32>, token -> tile<f32>, token {
        %d = cuda_tile.cmpi less_than %i, %n, signed : tile<i32> -> tile<i1>
        cuda_tile.continue %i, %v, %t4 : tile<i32>, tile<f32>, token
      }
      cuda_tile.return
    }
  }
}

// == muli iota
// 5 operations, 4 attributes, after 26 runs of the command
// 5 operations, 4 attributes, after 33 runs of the command
builtin.module {
  cuda_tile.module @many {
    cuda_tile.entry @k(%p: tile<ptr<f32>>, %n: tile<i32>, %b: tile<i1>) {
      %more = cuda_tile.muli %n, %n : tile<i32>
      %row = cuda_tile.iota : tile<8xi32>
      cuda_tile.return
    }
  }
}

// == maxi
// 7 operations, 6 attributes, after 22 runs of the command
// 7 operations, 6 attributes, after 29 runs of the command
builtin.module {
  cuda_tile.module @many {
    cuda_tile.entry @k(%p: tile<ptr<f32>>, %n: tile<i32>, %b: tile<i1>) {
      %row = cuda_tile.iota : tile<8xi32>
      %all = cuda_tile.reduce %row dim=0 identities=[0 : i32] : tile<8xi32> -> tile<i32>
      (%l: tile<i32>, %m: tile<i32>) {
        %h = cuda_tile.maxi %l, %m signed : tile<i32>
        cuda_tile.yield %h : tile<i32>
      }
      cuda_tile.return
    }
  }
}

// == reduce
// 6 operations, 5 attributes, after 22 runs of the command
// 6 operations, 5 attributes, after 27 runs of the command
builtin.module {
  cuda_tile.module @many {
    cuda_tile.entry @k(%p: tile<ptr<f32>>, %n: tile<i32>, %b: tile<i1>) {
      %row = cuda_tile.iota : tile<8xi32>
      %all = cuda_tile.reduce %row dim=0 identities=[0 : i32] : tile<8xi32> -> tile<i32>
      (%l: tile<i32>, %m: tile<i32>) {
        cuda_tile.yield %l : tile<i32>
      }
      cuda_tile.return
    }
  }
}

// == print_tko
// 5 operations, 5 attributes, after 20 runs of the command
// 5 operations, 5 attributes, after 26 runs of the command
builtin.module {
  cuda_tile.module @many {
    cuda_tile.entry @k(%p: tile<ptr<f32>>, %n: tile<i32>, %b: tile<i1>) {
      %t = cuda_tile.make_token : token
      %t6 = cuda_tile.print_tko "%d", %n token=%t : tile<i32> -> token
      cuda_tile.return
    }
  }
}

// == if
// 8 operations, 5 attributes, after 20 runs of the command
// 8 operations, 5 attributes, after 28 runs of the command
builtin.module {
  cuda_tile.module @many {
    cuda_tile.entry @k(%p: tile<ptr<f32>>, %n: tile<i32>, %b: tile<i1>) {
      %t = cuda_tile.make_token : token
      %x, %t1 = cuda_tile.load_ptr_tko weak %p token=%t : tile<ptr<f32>> -> tile<f32>, token
      %w, %t2 = cuda_tile.if %b -> (tile<f32>, token) {
        cuda_tile.yield %x, %t1 : tile<f32>, token
      } else {
        cuda_tile.yield %x, %t1 : tile<f32>, token
      }
      cuda_tile.return
    }
  }
}

// == token=
// 5 operations, 5 attributes, after 17 runs of the command
// 5 operations, 5 attributes, after 23 runs of the command
builtin.module {
  cuda_tile.module @many {
    cuda_tile.entry @k(%p: tile<ptr<f32>>, %n: tile<i32>, %b: tile<i1>) {
      %t = cuda_tile.make_token : token
      %x, %t1 = cuda_tile.load_ptr_tko weak %p token=%t : tile<ptr<f32>> -> tile<f32>, token
      cuda_tile.return
    }
  }
}

// == -> (tile<f32>
// 8 operations, 5 attributes, after 20 runs of the command
// 8 operations, 5 attributes, after 28 runs of the command
builtin.module {
  cuda_tile.module @many {
    cuda_tile.entry @k(%p: tile<ptr<f32>>, %n: tile<i32>, %b: tile<i1>) {
      %t = cuda_tile.make_token : token
      %x, %t1 = cuda_tile.load_ptr_tko weak %p token=%t : tile<ptr<f32>> -> tile<f32>, token
      %w, %t2 = cuda_tile.if %b -> (tile<f32>, token) {
        cuda_tile.yield %x, %t1 : tile<f32>, token
      } else {
        cuda_tile.yield %x, %t1 : tile<f32>, token
      }
      cuda_tile.return
    }
  }
}

// == %d
// 8 operations, 7 attributes, after 22 runs of the command
// 8 operations, 7 attributes, after 30 runs of the command
builtin.module {
  cuda_tile.module @many {
    cuda_tile.entry @k(%p: tile<ptr<f32>>, %n: tile<i32>, %b: tile<i1>) {
      %t = cuda_tile.make_token : token
      %x, %t1 = cuda_tile.load_ptr_tko weak %p token=%t : tile<ptr<f32>> -> tile<f32>, token
      %found, %t3 = cuda_tile.loop iter_values(%i = %n, %v = %x, %t4 = %t1) : tile<i32>, tile<f32>, token -> tile<f32>, token {
        %d = cuda_tile.cmpi less_than %i, %n, signed : tile<i32> -> tile<i1>
        cuda_tile.continue %i, %v, %t4 : tile<i32>, tile<f32>, token
      }
      cuda_tile.return
    }
  }
}

// == signed
// 4 operations, 4 attributes, after 19 runs of the command
// 4 operations, 4 attributes, after 24 runs of the command
builtin.module {
  cuda_tile.module @many {
    cuda_tile.entry @k(%p: tile<ptr<f32>>, %n: tile<i32>, %b: tile<i1>) {
      %sum = cuda_tile.addi %n, %n overflow<no_signed_wrap> : tile<i32>
      cuda_tile.return
    }
  }
}
