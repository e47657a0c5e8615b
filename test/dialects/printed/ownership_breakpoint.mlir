builtin.module {
  ownership.kernel @stops(%x: !ownership.tensor<[N], f32>) {
    %p = ownership.partition %x : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [4], [N], f32>
    ownership.distribute %p : !ownership.partition<mut tile [4], [N], f32> {
    ^bb0(%i: !cuda_tile.tile<i32>):
      ownership.breakpoint %x, %i : !ownership.tensor<[N], f32>, !cuda_tile.tile<i32> {asked, dtypes = ["f32", "i32"], scopes = [{begins = #builtin.int<7>, function = "gemm", module = "train", names = ["x = tensor(_0, (_1, ), (4, ))", "i = _1", "eps = float('nan')", "state = record('train', 'State', (_1, -2, ))", "mode = host('train', 'Mode.FAST')"]}]}
      ownership.breakpoint {dtypes = [], scopes = [{begins = #builtin.int<1>, function = "<lambda>", module = "train", names = []}, {begins = #builtin.int<7>, function = "gemm", module = "train", names = ["text = 'a = b'", "r = range(0, 8, 2)", "t = dtype('f32')"]}]}
    }
  }
}
// -----
"builtin.module"() ({
  "ownership.kernel"() <{sym_name = "stops"}> ({
  ^bb0(%x: !ownership.tensor<[N], f32>):
    %p = "ownership.partition"(%x) : (!ownership.tensor<[N], f32>) -> !ownership.partition<mut tile [4], [N], f32>
    "ownership.distribute"(%p) <{order = #ownership.order<row>, blocks = #ownership.blocks<each>}> ({
    ^bb0(%i: !cuda_tile.tile<i32>):
      "ownership.breakpoint"(%x, %i) <{asked, dtypes = ["f32", "i32"], scopes = [{begins = #builtin.int<7>, function = "gemm", module = "train", names = ["x = tensor(_0, (_1, ), (4, ))", "i = _1", "eps = float('nan')", "state = record('train', 'State', (_1, -2, ))", "mode = host('train', 'Mode.FAST')"]}]}> : (!ownership.tensor<[N], f32>, !cuda_tile.tile<i32>) -> ()
      "ownership.breakpoint"() <{dtypes = [], scopes = [{begins = #builtin.int<1>, function = "<lambda>", module = "train", names = []}, {begins = #builtin.int<7>, function = "gemm", module = "train", names = ["text = 'a = b'", "r = range(0, 8, 2)", "t = dtype('f32')"]}]}> : () -> ()
      "ownership.end"() : () -> ()
    }) : (!ownership.partition<mut tile [4], [N], f32>) -> ()
    "ownership.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
