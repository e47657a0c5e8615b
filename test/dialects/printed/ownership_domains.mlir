builtin.module {
  ownership.kernel @part(%y: !ownership.tensor<[N], f32>) {
    %p = ownership.partition %y {duties = [#ownership.duty<covered open>]} : !ownership.tensor<[N], f32> -> !ownership.partition<partial tile [4], [N], f32>
    ownership.distribute %p over ["ceildiv(N, 4) // 2", 3] blocks #ownership.blocks<persistent 132> : !ownership.partition<partial tile [4], [N], f32> {
    ^bb0(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
      %r = ownership.region %p[%i] {mapped, axes = #builtin.int<1>} : !ownership.partition<partial tile [4], [N], f32> -> !ownership.region<partial tile [4], [N], f32>
    }
  }
  ownership.kernel @none(%x: !ownership.tensor<[M], f32>) {
    ownership.distribute over [M, 8] order #ownership.order<column> {
    ^bb0(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
    }
  }
}
// -----
"builtin.module"() ({
  "ownership.kernel"() <{sym_name = "part"}> ({
  ^bb0(%y: !ownership.tensor<[N], f32>):
    %p = "ownership.partition"(%y) <{duties = [#ownership.duty<covered open>]}> : (!ownership.tensor<[N], f32>) -> !ownership.partition<partial tile [4], [N], f32>
    "ownership.distribute"(%p) <{domain = ["ceildiv(N, 4) // 2", "3"], order = #ownership.order<row>, blocks = #ownership.blocks<persistent 132>}> ({
    ^bb0(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
      %r = "ownership.region"(%p, %i) <{mapped, axes = #builtin.int<1>}> : (!ownership.partition<partial tile [4], [N], f32>, !cuda_tile.tile<i32>) -> !ownership.region<partial tile [4], [N], f32>
      "ownership.end"() : () -> ()
    }) : (!ownership.partition<partial tile [4], [N], f32>) -> ()
    "ownership.return"() : () -> ()
  }) : () -> ()
  "ownership.kernel"() <{sym_name = "none"}> ({
  ^bb0(%x: !ownership.tensor<[M], f32>):
    "ownership.distribute"() <{domain = ["M", "8"], order = #ownership.order<column>, blocks = #ownership.blocks<each>}> ({
    ^bb0(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
      "ownership.end"() : () -> ()
    }) : () -> ()
    "ownership.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
