"""Translation validation of emitted code that lacks a branch or a loop: it may if that has no effect, and only then."""

from __future__ import annotations

import lowering_kernels as texts
import pytest
from xdsl.rewriter import Rewriter

from freehold.dialects.cuda_tile.ops.control_flow import ForOp, IfOp, LoopOp
from freehold.dialects.cuda_tile.ops.memory import MakeTokenOp
from freehold.passes.launch_contract import kernel_of
from freehold.passes.pipeline import convert
from freehold.passes.validate_translation import entry_of, validate_translation
from freehold.support.diagnostic import Rejected

KERNEL = """
ownership.kernel @branch(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[N], f32>, %q: !ownership.tensor<[N], i32>, %n: !cuda_tile.tile<i32>) {{
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<mut tile [8], [N], f32>
  %b = ownership.borrow %x : !ownership.tensor<[N], f32> -> !ownership.ref<[N], f32>
  %acc = ownership.accumulator %q : !ownership.tensor<[N], i32> -> !ownership.acc<[N], i32>
  ownership.distribute %p : !ownership.partition<mut tile [8], [N], f32> {{
  ^bb0(%i: !cuda_tile.tile<i32>):
    %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
    %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
    %ones = cuda_tile.constant <i32: 1> : !cuda_tile.tile<8xi32>
    %c = cuda_tile.cmpi greater_than %n, %zero, signed : !cuda_tile.tile<i32> -> !cuda_tile.tile<i1>
    %d = cuda_tile.cmpi less_than %n, %one, signed : !cuda_tile.tile<i32> -> !cuda_tile.tile<i1>
    %yes = cuda_tile.constant <i1: true> : tile<i1>
    %no = cuda_tile.constant <i1: false> : tile<i1>
    %t = ownership.load %b[%i] : !ownership.ref<[N], f32> -> !cuda_tile.tile<8xf32>
    %r = ownership.region %p[%i] : !ownership.partition<mut tile [8], [N], f32> -> !ownership.region<mut tile [8], [N], f32>
    {body}
    ownership.store %t, %r : !cuda_tile.tile<8xf32>, !ownership.region<mut tile [8], [N], f32>
  }}
}}
"""  # noqa: E501 -- IR
LOAD = "%u = ownership.load %b[%i] : !ownership.ref<[N], f32> -> !cuda_tile.tile<8xf32>"
STORE = "ownership.store %t, %r : !cuda_tile.tile<8xf32>, !ownership.region<mut tile [8], [N], f32>"
UPDATE = "ownership.accumulate <add> %ones, %acc[%zero] : !cuda_tile.tile<8xi32>, !ownership.acc<[N], i32>"
PRINT = '%o = cuda_tile.print_tko "%d", %n : tile<i32> -> token'
IF, ALWAYS, NEVER = (f"cuda_tile.if %{name}" for name in ("c", "yes", "no"))
TURNS = "cuda_tile.for %j in (%zero to %n, step %one) : tile<i32>"
NONE = {
    "nothing": f"{IF} {{ }}",
    "a load": f"{IF} {{ {LOAD} }}",
    "a load on one of two sides": f"{IF} {{ }} else {{ {LOAD} }}",
    "a load in a branch": f"{IF} {{ cuda_tile.if %d {{ {LOAD} }} }}",
    "a load in each turn": f"{TURNS} {{ {LOAD} }}",
    "what is never done": f"{IF} {{ {NEVER} {{ {UPDATE} }} {ALWAYS} {{ }} else {{ {UPDATE} }} }}",
    "what no turn does": f"{IF} {{ {TURNS.replace('%n', '%zero')} {{ {UPDATE} }} }}",
}
SOME = {
    "a store": f"{IF} {{ {STORE} }}",
    "an update": f"{IF} {{ {UPDATE} }}",
    "an update on the other side": f"{IF} {{ {LOAD} }} else {{ {UPDATE} }}",
    "an update in each turn": f"{TURNS} {{ {LOAD} {UPDATE} }}",
    "an update that is always done": f"{IF} {{ {ALWAYS} {{ {UPDATE} }} }}",
    "an update that is always done on the other side": f"{IF} {{ {NEVER} {{ }} else {{ {UPDATE} }} }}",
    "an update in a branch in a branch": f"{IF} {{ cuda_tile.if %d {{ {UPDATE} }} }}",
    "what is printed": f"{IF} {{ {PRINT} }}",
    "a check": f'{IF} {{ ownership.check %d, "less" : !cuda_tile.tile<i1> }}',
    "an assertion": f'{IF} {{ cuda_tile.assert %d, "less" : !cuda_tile.tile<i1> }}',
    "what may have no end": f"{IF} {{ cuda_tile.loop {{ {LOAD} cuda_tile.continue }} }}",
    "the end of a loop": f"cuda_tile.loop {{ {UPDATE} cuda_tile.if %d {{ cuda_tile.break }} cuda_tile.continue }}",
}


@pytest.mark.parametrize("what", [*NONE, *SOME])
def test_what_is_left_out(what: str) -> None:
    module = texts.parse(KERNEL.format(body={**NONE, **SOME}[what]))
    kernel, entry = kernel_of(module), entry_of(convert(module))
    validate_translation(kernel, entry)
    kinds = IfOp if what == "the end of a loop" else (IfOp, ForOp, LoopOp)
    found = [op for op in entry.walk() if isinstance(op, kinds)][:1]
    assert found or what in NONE
    for op in found:
        Rewriter.replace_op(op, [MakeTokenOp() for _ in op.results])
    if what in NONE:
        validate_translation(kernel, entry)
        return
    with pytest.raises(Rejected) as caught:
        validate_translation(kernel, entry)
    assert caught.value.codes == ("O140",)
