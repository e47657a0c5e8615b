"""Passes that change branches and loops of Tile IR: what random entries print and store stays as it was."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from flow_programs import module_of, program, told
from hypothesis import example, given, settings
from hypothesis import strategies as st

from freehold.dialects.cuda_tile.ops.control_flow import ForOp, IfOp
from freehold.runtime.interpreter.launch import Entry
from freehold.support.integers import limits
from freehold.tools.pipeline_text import parse_pipeline
from freehold.tools.processing import verify

ARGUMENTS = [(0, 0, False, True), (3, 1, True, False), (-1, 2, True, True)]


@pytest.mark.parametrize("pipeline", ["canonicalize", "canonicalize{fold-integers=false}", "loop-split"])
@given(seed=st.integers(0, 1 << 30))
@settings(max_examples=25)
def test_random_entries_do_what_they_did(pipeline: str, seed: int) -> None:
    context, module = module_of(program(seed))
    before = [told(module, *arguments) for arguments in ARGUMENTS]
    for each in parse_pipeline(pipeline):
        each.apply(context, module)
    verify(module)
    assert [told(module, *arguments) for arguments in ARGUMENTS] == before


def test_random_entries_have_what_the_passes_change() -> None:
    fewer = cut = 0
    for seed in range(40):
        counts = list[int]()
        for kind, pipeline in ((IfOp, "canonicalize"), (ForOp, "loop-split")):
            context, module = module_of(program(seed))
            before = sum(isinstance(op, kind) for op in module.walk())
            for each in parse_pipeline(pipeline):
                each.apply(context, module)
            counts.append(sum(isinstance(op, kind) for op in module.walk()) - before)
        fewer, cut = fewer + (counts[0] < 0), cut + (counts[1] > 0)
    assert fewer > 10
    assert cut > 3


LOOP = """cuda_tile.module @m {{
  entry @k(%p: tile<ptr<i8>>, %low: tile<i8>, %high: tile<i8>, %step: tile<i8>, %cut: tile<i8>) {{
    {constants}
    %zero = constant <i8: 0> : tile<i8>
    %three = constant <i8: 3> : tile<i8>
    %r = for{unsigned} %i in ({low} to {high}, step {step}) : tile<i8> iter_values(%s = %zero) -> (tile<i8>) {{
      %c = cmpi {predicate} {pair}, {sign} : tile<i8> -> tile<i1>
      %t = muli %s, %three : tile<i8>
      %x = if %c -> (tile<i8>) {{
        %u = addi %t, %i : tile<i8>
        yield %u : tile<i8>
      }} else {{
        %u = xori %t, %i : tile<i8>
        yield %u : tile<i8>
      }}
      continue %x : tile<i8>
    }}
    store_ptr_tko weak %p, %r : tile<ptr<i8>>, tile<i8> -> token
    return
  }}
}}
"""
NAMES = ("low", "high", "step", "cut")


def loop(numbers: tuple[int, ...], known: tuple[bool, ...], predicate: str, sign: str, swapped: bool) -> str:
    """A loop in i8 whose bounds, step and cut are constants where they are `known`, and arguments otherwise."""
    names = {name: f"%k{name}" if there else f"%{name}" for name, there in zip(NAMES, known, strict=True)}
    lines = [
        f"%k{name} = constant <i8: {wrapped(number)}> : tile<i8>" for name, number in zip(NAMES, numbers, strict=True)
    ]
    pair = [names.pop("cut"), "%i"] if swapped else ["%i", names.pop("cut")]
    unsigned = " unsigned" if sign == "unsigned" else ""
    return LOOP.format(
        constants="\n    ".join(lines), pair=", ".join(pair), predicate=predicate, sign=sign, unsigned=unsigned, **names
    )


def wrapped(number: int) -> int:
    return (number + 128) % 256 - 128


def edges(sign: str) -> st.SearchStrategy[int]:
    least, most = limits(8, signed=sign == "signed")
    near = st.sampled_from([least, least + 1, least + 2, 0, 1, most - 2, most - 1, most])
    return near | st.integers(least, most)


@st.composite
def loops(draw: st.DrawFn) -> tuple[tuple[int, ...], tuple[bool, ...], str, str, bool]:
    sign = draw(st.sampled_from(["signed", "unsigned"]))
    low, high, cut = (draw(edges(sign)) for _ in range(3))
    step = draw(st.sampled_from([1, 1, 2, 3, 7, 64, 100, 127]))
    how = draw(st.sampled_from(["less_than", "less_than_or_equal", "greater_than", "greater_than_or_equal"]))
    known = tuple(draw(st.booleans()) for _ in NAMES)
    return (low, high, step, cut), known, how, sign, draw(st.booleans())


@given(what=loops())
@example(what=((0, 127, 1, 127), (True, False, True, False), "greater_than", "signed", False))
@example(what=((0, 127, 1, 127), (True, True, True, True), "less_than_or_equal", "signed", False))
@example(what=((1, 200, 7, 0), (False, False, False, False), "less_than", "unsigned", False))
@example(what=((-128, 127, 100, 126), (True, True, True, True), "greater_than", "signed", True))
@settings(max_examples=150)
def test_a_loop_that_is_cut_has_its_turns_in_order(what: tuple[Any, ...]) -> None:
    numbers, known, predicate, sign, swapped = what
    arguments = [wrapped(number) for number in numbers]
    context, module = module_of(loop(numbers, known, predicate, sign, swapped))
    before = stored(module, arguments)
    for each in parse_pipeline("loop-split"):
        each.apply(context, module)
    verify(module)
    assert sum(isinstance(op, ForOp) for op in module.walk()) == 2
    assert not any(isinstance(op, IfOp) for op in module.walk())
    assert stored(module, arguments) == before


def stored(module: Any, arguments: list[int]) -> int:
    array = np.zeros(1, np.int8)
    Entry.of(module, None).run([array, *arguments], (1, 1, 1))
    return int(array[0])
