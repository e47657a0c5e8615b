"""What a report proposes helps: with it, the obligation is on the rung that it names."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from examples.kernels import library
from xdsl.dialects.builtin import ModuleOp

from freehold.dialects.ownership import Duty, RequireOp, Rung, duties_of
from freehold.passes.analysis.advice import cost, upwards
from freehold.passes.analysis.facts import analyse
from freehold.passes.launch_contract import kernel_of
from freehold.passes.pipeline import verify
from freehold.passes.verify_duties import owing
from freehold.support.terms import parse

LIBRARY = dict(library())
Owed = tuple[int, int, Duty]
"""Which of the operations that owe something, the axis, and what."""


def proposals(module: ModuleOp) -> Iterator[tuple[Owed, str]]:
    """The requirements that are proposed for a verified module."""
    kernel = kernel_of(module)
    facts = analyse(kernel)
    for n, op in enumerate(owing(kernel)):
        for obligation in duties_of(op):
            if obligation.rung is Rung.TOKENS:
                continue
            told = upwards(op, obligation, facts)
            assert (obligation.rung is Rung.PROVED) == (not told) == (cost(op, obligation, facts) == "nothing")
            for wanted in re.findall(r'fh\.require\("(.*?)"\)', told):
                yield (n, obligation.axis.data, obligation.duty), wanted


@pytest.mark.parametrize("name", LIBRARY)
def test_what_is_to_be_required_proves_it(name: str) -> None:
    example = LIBRARY[name]
    module = example.kernel.lower(*example.arguments)
    verified = module.clone()
    verify(verified)
    asked: dict[str, set[Owed]] = {}
    for owed, wanted in proposals(verified):
        asked.setdefault(wanted, set()).add(owed)
    for wanted, owed in asked.items():
        other = module.clone()
        first = kernel_of(other).body.block.first_op
        assert first is not None
        kernel_of(other).body.block.insert_op_before(RequireOp(parse(wanted)), first)
        verify(other)
        operations = owing(kernel_of(other))
        for n, axis, duty in owed:
            assert operations[n].duty(duty, axis).rung is Rung.PROVED, wanted
