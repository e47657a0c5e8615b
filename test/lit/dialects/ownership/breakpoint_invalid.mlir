// RUN: REJECTS | filecheck %s

// CHECK: `ownership.breakpoint`: 1 values and 0 dtypes
%a = cuda_tile.constant <i32: 0> : tile<i32>
ownership.breakpoint %a : !cuda_tile.tile<i32> {dtypes = [], scopes = [{begins = #builtin.int<1>, function = "f", module = "m", names = []}]}

// -----

// CHECK: `ownership.breakpoint`: no function is being run
ownership.breakpoint {dtypes = [], scopes = []}

// -----

// CHECK: `ownership.breakpoint`: a scope has a function, a module, the line where it begins, and names
ownership.breakpoint {dtypes = [], scopes = [{function = "f", module = "m", names = []}]}

// -----

// CHECK: `ownership.breakpoint`: `x = _1` is no name with a value
%a = cuda_tile.constant <i32: 0> : tile<i32>
ownership.breakpoint %a : !cuda_tile.tile<i32> {dtypes = ["i32"], scopes = [{begins = #builtin.int<1>, function = "f", module = "m", names = ["x = _1"]}]}

// -----

// What is written is a value, and no program.
// CHECK: `ownership.breakpoint`: `x = open('f')` is no name with a value
ownership.breakpoint {dtypes = [], scopes = [{begins = #builtin.int<1>, function = "f", module = "m", names = ["x = open('f')"]}]}

// -----

// CHECK: `ownership.breakpoint`: `a b = 1` is no name with a value
ownership.breakpoint {dtypes = [], scopes = [{begins = #builtin.int<1>, function = "f", module = "m", names = ["a b = 1"]}]}
