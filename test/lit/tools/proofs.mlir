// RUN: tile-opt %s --proofs | filecheck %s --strict-whitespace --match-full-lines
// RUN: tile-opt %s --proofs | z3 -in | filecheck %s --check-prefix=SOLVED --match-full-lines

// One question a conclusion, for another solver: the facts, and that the conclusion does not follow from them.
// CHECK:; What was concluded about kernel `copied`, to be checked by another solver: every answer has to be `unsat`.
// CHECK:(set-logic QF_NIA)
// CHECK:; {{[0-9]+}}. i < ceildiv(N, 64) (by rules)
// CHECK-NEXT:(push 1)
// CHECK-NEXT:(declare-const |N| Int)
// CHECK-NEXT:(declare-const |i| Int)
// CHECK:(assert (<= 0 |i|))
// CHECK-NEXT:(assert (< |i| (div (- (+ |N| 64) 1) 64)))
// CHECK-NEXT:(assert (<= (div (- (+ |N| 64) 1) 64) |i|))
// CHECK-NEXT:(check-sat)
// CHECK-NEXT:(pop 1)

// SOLVED-COUNT-3:unsat
// SOLVED-NOT:{{sat|unknown|.*error.*}}
ownership.kernel @copied(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[N], f32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<out tile [64], [N], f32>
  %u = ownership.borrow %x : !ownership.tensor<[N], f32> -> !ownership.ref<[N], f32>
  ownership.distribute %p : !ownership.partition<out tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%i] : !ownership.partition<out tile [64], [N], f32> -> !ownership.region<out tile [64], [N], f32>
    %t = ownership.load %u[%i] : !ownership.ref<[N], f32> -> !cuda_tile.tile<64xf32>
    ownership.store %t, %r : !cuda_tile.tile<64xf32>, !ownership.region<out tile [64], [N], f32>
  }
}
