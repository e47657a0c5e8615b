"""What operations owe: verifiers meet it, in every place, and where a duty is open nothing is made of a kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import PassFailedException

import freehold as fh
from freehold import Acc, Mut, Out, Ref, i32
from freehold.backend.bytecode.reader import read_bytecode
from freehold.backend.bytecode.writer import write_bytecode
from freehold.dialects.ownership import Duty, DutyAttr, OwingOp, Rung, kernels_of
from freehold.passes.launch_contract import contract, kernel_of
from freehold.passes.lowering import convert
from freehold.passes.pipeline import verify
from freehold.passes.thread_tokens import thread_tokens
from freehold.passes.validate_translation import entry_of, validate_translation
from freehold.passes.verify_duties import verify_duties
from freehold.support.diagnostic import Rejected
from freehold.tools.context import make_context
from freehold.tools.located_parser import parse_module


def _twice(y: Any, x: Any, k: Any) -> None:
    y.store(x.load((k,), (8,)) * 2.0)


@fh.kernel
def straight(y: Out["N"], z: Out["N"], x: Ref["N"], h: Acc[i32, 4]):
    (i,) = y.index
    y.store(x.load((i,), (8,)))
    z.store(y.load())
    h.at(0).add(fh.full((4,), 1, i32))


@fh.kernel
def in_a_loop(y: Mut["N"], x: Ref["M"], h: Acc[i32, 4]):
    for k in fh.tiles(x, axis=0, size=8):
        y.store(y.load() + x.load((k,), (8,)))
        h.add_at(1, fh.arange(8))


@fh.kernel
def in_a_branch(y: Out["N"], x: Ref["M"], k: i32):
    if k > 0:
        y.store(x.load((k,), (8,)))
    else:
        y.store(x.gather(fh.arange(8) + k))


@fh.kernel
def in_a_helper(y: Out["N"], x: Ref["M"], at: Ref[i32, 1]):
    _twice(y, x, at.load((0,), (1,)).max())


@fh.kernel
def in_a_window(cache: Mut["S", "D"], x: Ref["T", "D"], at: i32):
    here = cache.window(0, at, x.shape[0])
    here.store(x.load_like(here))


@fh.kernel
def in_groups(y: Out["M"], x: Ref["M"], offsets: Ref[i32, "O"]):
    y.store(x.load_from(y.start, y.tile))


def arguments(kernel: Any) -> list[Any]:
    y, z, x = (np.zeros(32, np.float32) for _ in range(3))
    counts, at, rows = np.zeros(4, np.int32), np.zeros(1, np.int32), np.zeros((8, 32), np.float32)
    found: dict[Any, list[Any]] = {
        straight: [fh.partition(y, 8), fh.partition(z, 8), x, counts],
        in_a_loop: [fh.partition(y, 8), x, counts],
        in_a_branch: [fh.partition(y, 8), x, 1],
        in_a_helper: [fh.partition(y, 8), x, at],
        in_a_window: [fh.partition(rows, (2, 32)), np.zeros((4, 32), np.float32), 1],
        in_groups: [fh.ragged(y, 8, by="offsets"), x, np.array([0, 8, 32], np.int32)],
    }
    return found[kernel]


KERNELS = [straight, in_a_loop, in_a_branch, in_a_helper, in_a_window, in_groups]


def lowered(kernel: Any) -> ModuleOp:
    return kernel.lower(*arguments(kernel))


def owing(module: ModuleOp) -> Iterator[tuple[OwingOp, Duty, int]]:
    return ((op, *owed) for op in module.walk() if isinstance(op, OwingOp) for owed in op.owed)


def test_these_kernels_owe_everything() -> None:
    assert {duty for kernel in KERNELS for _, duty, _ in owing(lowered(kernel))} == {*Duty}


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k.__name__)
def test_what_is_owed_is_open_until_it_is_met(kernel: Any) -> None:
    module = lowered(kernel)
    assert {duty.rung for op in module.walk() if isinstance(op, OwingOp) for duty in op.owes} == {Rung.OPEN}
    verify(module)
    assert not verify_duties(kernel_of(module))
    assert all(op.duty(duty, axis).rung is not Rung.OPEN for op, duty, axis in owing(module))


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k.__name__)
def test_a_verifier_that_forgets_a_duty_accepts_nothing(kernel: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    discharge = OwingOp.discharge
    for forgotten in {duty for _, duty, _ in owing(lowered(kernel))}:

        def careless(op: OwingOp, *found: DutyAttr, forgotten: Duty = forgotten) -> None:
            discharge(op, *(duty for duty in found if duty.duty is not forgotten))

        monkeypatch.setattr(OwingOp, "discharge", careless)
        with pytest.raises(Rejected) as caught:
            verify(lowered(kernel))
        assert {*caught.value.codes} == {"O142"}
        assert forgotten.replace("_", " ") in str(caught.value)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k.__name__)
def test_nothing_is_made_of_a_kernel_with_an_open_duty(kernel: Any) -> None:
    module = lowered(kernel)
    verify(module)
    emitted = entry_of(read_bytecode(write_bytecode(convert(module))))
    uses: list[Callable[[ModuleOp], object]] = [convert, contract, lambda module: thread_tokens(kernel_of(module))]
    for number, (_, duty, axis) in enumerate(owing(module)):
        for missing in (False, True):
            other = module.clone()
            op = [op for op, _, _ in owing(other)][number]
            assert op.duties is not None
            left = [found for found in op.duties if found.met[0] != (duty, axis)]
            op.duties = type(op.duties)(left if missing else [*left, DutyAttr.open(duty, axis)])
            for use in uses:
                with pytest.raises(PassFailedException, match=f"`{op.name}` owes that it is {duty.replace('_', ' ')}"):
                    use(other)
            with pytest.raises(Rejected) as caught:
                validate_translation(kernel_of(other), emitted)
            assert caught.value.codes == ("O142",)


REGION = "<mut tile [64], [N], f32>"
RACE = f"""
ownership.kernel @race(%y: !ownership.tensor<[N], f32>, %k: !cuda_tile.tile<i32>) {{
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition{REGION}
  ownership.distribute %p : !ownership.partition{REGION} {{
  ^bb0(%i: !cuda_tile.tile<i32>):
    %r = ownership.region %p[%k] DUTIES: !ownership.partition{REGION} -> !ownership.region{REGION}
    %c = cuda_tile.constant <f32: 1.0> : tile<64xf32>
    ownership.store %c, %r : !cuda_tile.tile<64xf32>, !ownership.region{REGION}
  }}
}}
"""


def test_what_all_blocks_write_is_not_lowered() -> None:
    module = parse_module(make_context(), RACE.replace("DUTIES", ""), "race.mlir")
    with pytest.raises(PassFailedException, match=r"race: `ownership.kernel` owes that it is launchable"):
        convert(module)


def test_what_a_text_says_of_itself_is_found_out_anew() -> None:
    claimed = "{duties = [#ownership.duty<in_bounds axis 0 proved>, #ownership.duty<disjoint proved>]}"
    module = parse_module(make_context(), RACE.replace("DUTIES", claimed), "race.mlir")
    with pytest.raises(Rejected) as caught:
        verify(module)
    assert "O101" in caught.value.codes
    (kernel,) = kernels_of(module)
    assert verify_duties(kernel)
    with pytest.raises(PassFailedException):
        convert(module)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k.__name__)
def test_what_was_met_elsewhere_is_open_here(kernel: Any) -> None:
    """The records of another process are text, which anybody may have written."""
    module = lowered(kernel)
    verify(module)
    read = parse_module(make_context(), str(module), "verified.mlir")
    assert {duty.rung for op in read.walk() if isinstance(op, OwingOp) for duty in op.owes} == {Rung.OPEN}
    with pytest.raises(PassFailedException, match="nothing says how that is met"):
        convert(read)
    verify(read)
    assert str(read) == str(module)


@pytest.mark.parametrize(
    ("name", "duty", "rung", "axis"),
    [("load", Duty.IN_BOUNDS, Rung.MASKED, 0), ("region", Duty.DISJOINT, Rung.KERNEL, -1)],
)
def test_a_duty_is_met_on_its_own_rungs_alone(name: str, duty: Duty, rung: Rung, axis: int) -> None:
    """A tile is in bounds or it is not: no element is left out. Nor do kernels check that regions are disjoint."""
    module = lowered(straight)
    verify(module)
    op = next(op for op, owed, _ in owing(module) if op.name == f"ownership.{name}" and owed is duty)
    op.discharge(DutyAttr.of(duty, rung, "why not", axis))
    with pytest.raises(PassFailedException, match=f"`{op.name}` owes that it is {duty.replace('_', ' ')}"):
        convert(module)


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ('politeness proved "so"', "unknown duty"),
        ('disjoint hoped "so"', "unknown rung"),
        ('disjoint proved ("1 <= N")', "nothing is checked of what is proved"),
        ("in_bounds axis 0 kernel", "it is not said what is checked"),
        ('in_bounds axis 0 launch "so"', "a launch is asked a predicate"),
        ('in_bounds axis 0 launch ("a is b")', "a term over symbols is expected"),
    ],
)
def test_a_duty_that_makes_no_sense_is_refused(wrong: str, why: str) -> None:
    with pytest.raises(Exception, match=why):
        parse_module(make_context(), RACE.replace("DUTIES", f"{{duties = [#ownership.duty<{wrong}>]}}"), "race.mlir")


BACKWARDS = """
builtin.module {
  ownership.kernel @backwards() {
    %a = cuda_tile.addi %b, %b : !cuda_tile.tile<i32>
    %b = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
  }
KERNEL
}
"""


def test_where_values_are_used_before_they_are_there_nothing_else_is_asked() -> None:
    module = parse_module(make_context(), BACKWARDS.replace("KERNEL", RACE.replace("DUTIES", "")), "backwards.mlir")
    facts: list[Any] = []
    with pytest.raises(Rejected) as caught:
        verify(module, facts=facts)
    assert (set(caught.value.codes), facts) == ({"O120"}, [])
