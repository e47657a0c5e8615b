"""That a kernel waits for those in front of it is shown of what was emitted, and taken out again."""

from __future__ import annotations

import pytest

from freehold.dialects.cuda_tile.ops.module import EntryOp
from freehold.passes.wait_for_grids import take_wait, wait_for_grids
from freehold.support.diagnostic import Rejected
from freehold.tools.context import make_context
from freehold.tools.located_parser import parse_module

VIEW = "partition_view<tile=(16), tensor_view<64xf32, strides=[1]>>"
LOADED = f": {VIEW}, tile<i32> -> tile<16xf32>, token"
KERNEL = f"""
cuda_tile.module @m {{
  entry @k(%w: tile<ptr<f32>>, %u: tile<ptr<f32>>, %x: tile<ptr<f32>>, %c: tile<i1>) {{
    %i = constant <i32: 0> : tile<i32>
    %wt = make_tensor_view %w, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %wv = make_partition_view %wt : {VIEW}
    %ut = make_tensor_view %u, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %uv = make_partition_view %ut : {VIEW}
    %xt = make_tensor_view %x, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %xv = make_partition_view %xt : {VIEW}
BODY
    return
  }}
}}
"""
STORE = f"%s = store_view_tko weak %a, %xv[%i] token = %start : tile<16xf32>, {VIEW}, tile<i32> -> token"


def entry_of(*body: str) -> EntryOp:
    module = parse_module(make_context(), KERNEL.replace("BODY", "\n".join(body)), "k.mlir")
    (entry,) = (op for op in module.walk() if isinstance(op, EntryOp))
    return entry


def names(entry: EntryOp) -> list[str]:
    found = [op.name.removeprefix("cuda_tile.") for op in entry.body.block.ops]
    return [name.removesuffix("_tko") for name in found if name.endswith(("_tko", "token", "tokens"))]


EARLY = [f"%a, %t = load_view_tko weak %wv[%i] {LOADED}", f"%b, %q = load_view_tko weak %uv[%i] {LOADED}"]
PLAIN = [*EARLY, "%start = make_token : token", STORE]


@pytest.mark.parametrize(
    ("early", "wanted"),
    [
        ((), "gdc_wait gdc_launch_dependents load_view load_view store_view"),
        ((0,), "gdc_launch_dependents load_view gdc_wait load_view store_view"),
        ((0, 1), "gdc_launch_dependents load_view load_view join_tokens gdc_wait store_view"),
    ],
)
def test_what_is_put_in_is_taken_out(early: tuple[int, ...], wanted: str) -> None:
    entry = entry_of(*PLAIN)
    wait_for_grids(entry, early)
    assert names(entry) == wanted.split()
    take_wait(entry, early)
    assert names(entry) == ["make_token", "load_view", "load_view", "store_view"]
    entry.verify()


WAIT = ["%start = gdc_wait_tko -> token", "%begin = gdc_launch_dependents_tko token = %start -> token"]
AFTER = [f"%a, %t = load_view_tko weak %wv[%i] token = %start {LOADED}", STORE]
LOOSE = f"%l, %k = load_view_tko weak %xv[%i] {LOADED}"
UNSHOWN = "this is not shown to wait for the kernels in front"
SHOWN: list[tuple[list[str], tuple[int, ...], str | None]] = [
    ([*WAIT, *AFTER], (), None),
    ([*WAIT, *AFTER, f"if %c {{\n{STORE.replace('%s =', '%s2 =')}\n}}"], (), None),
    (AFTER[:0], (), "this does not wait once for the kernels in front of it"),
    (WAIT[:1], (), "this does not wait once for the kernels in front of it"),
    (["%first = gdc_wait_tko -> token", *WAIT], (), "this does not wait once for the kernels in front of it"),
    ([*WAIT, WAIT[1].replace("%begin", "%again")], (), "this does not wait once for the kernels in front of it"),
    ([WAIT[0], "%begin = gdc_launch_dependents_tko -> token", *AFTER], (), "this lets the kernels behind begin before"),
    (["%begin = gdc_launch_dependents_tko -> token", WAIT[0], *AFTER], (0,), None),
    (["if %c {\nreturn\n}", *WAIT, *AFTER], (), "this may end before it has waited for the kernels in front of it"),
    ([*WAIT, *AFTER, "if %c {\nreturn\n}"], (), None),
    ([*WAIT, *AFTER, "%more = make_token : token"], (), UNSHOWN),
    ([*WAIT, *AFTER, "if %c {\n%more = gdc_wait_tko -> token\n}"], (), UNSHOWN),
    ([*WAIT, *AFTER, "if %c {\n%more = gdc_launch_dependents_tko token = %start -> token\n}"], (), UNSHOWN),
    ([*WAIT, *AFTER, LOOSE], (), UNSHOWN),
    ([LOOSE, *WAIT, *AFTER], (), UNSHOWN),
    ([LOOSE, *WAIT, *AFTER], (0, 1), UNSHOWN),
]


@pytest.mark.parametrize(("body", "early", "said"), SHOWN)
def test_what_is_shown_to_wait(body: list[str], early: tuple[int, ...], said: str | None) -> None:
    entry = entry_of(*body)
    if said is None:
        take_wait(entry, early)
        assert not [name for name in names(entry) if name.startswith("gdc")]
        return
    with pytest.raises(Rejected) as caught:
        take_wait(entry, early)
    assert caught.value.codes == ("O140",)
    assert said in str(caught.value)
