// A file needs no module around what stands in it, unless it is asked for one; an empty file is an empty module.
// RUN: echo '%%0 = cuda_tile.make_token : token' | tile-opt | filecheck %s --check-prefix MADE
// RUN: echo '%%0 = cuda_tile.make_token : token' | not tile-opt --no-implicit-module 2>&1 | filecheck %s --check-prefix REFUSED
// RUN: echo '' | tile-opt | filecheck %s --check-prefix EMPTY
// RUN: echo '' | not tile-opt --no-implicit-module 2>&1 | filecheck %s --check-prefix REFUSED
// RUN: tile-opt %s --no-implicit-module --elide-prefix | filecheck %s
// RUN: cat %s %s | not tile-opt --no-implicit-module 2>&1 | filecheck %s --check-prefix REFUSED

// MADE: builtin.module {
// MADE-NEXT: make_token
// EMPTY: builtin.module {
// EMPTY-NEXT: }
// REFUSED: error[O501]: a module is expected, and nothing beside it
// CHECK: cuda_tile.module @m {
// CHECK-NEXT: entry @k() {
cuda_tile.module @m {
  entry @k() {
    return
  }
}
