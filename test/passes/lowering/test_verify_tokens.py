"""The verifier of tokens against the interpreter: what it accepts has no two accesses that lack an order.

Tokens of good modules are taken away or led elsewhere, one at a time. The interpreter, which says so where nothing
orders two accesses that meet, decides whether an edge was needed.
"""

from __future__ import annotations

from itertools import product

import lowering_kernels as kernels
import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from test_random_tokens import Statement, kernel, statements
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException

from freehold.dialects.cuda_tile.ops.memory import MakeTokenOp
from freehold.dialects.cuda_tile.ops.module import EntryOp
from freehold.dialects.cuda_tile.types import TOKEN
from freehold.passes.launch_contract import contract, kernel_of
from freehold.passes.lowering import convert
from freehold.passes.verify_tokens import Roles, roles_of, verify_tokens
from freehold.runtime.interpreter import run_entry
from freehold.support.diagnostic import Rejected


def edges(module: ModuleOp) -> list[tuple[Operation, int]]:
    """Every place where an operation takes a token."""
    return [(op, n) for op in module.walk() for n, operand in enumerate(op.operands) if operand.type == TOKEN]


def others(op: Operation, but: SSAValue) -> list[SSAValue]:
    """Tokens that an operation could take instead: those made in front of it in its block."""
    block = op.parent
    assert block is not None
    found: list[SSAValue] = [a for a in block.args if a.type == TOKEN]
    for earlier in block.ops:
        if earlier is op:
            break
        found += [r for r in earlier.results if r.type == TOKEN]
    return [token for token in found if token is not but]


def reroute(op: Operation, n: int, choice: int) -> None:
    """Lets an operation wait for another token, or for a new one, which comes after nothing."""
    found = others(op, op.operands[n])
    if found and choice < len(found):
        op.operands[n] = found[choice]
        return
    block = op.parent
    assert block is not None
    fresh = MakeTokenOp()
    block.insert_op_before(fresh, op)
    op.operands[n] = fresh.result


def accepted(module: ModuleOp, roles: Roles) -> bool:
    try:
        for op in module.walk():
            if isinstance(op, EntryOp):
                verify_tokens(op, roles)
    except PassFailedException:
        return False
    return True


def objections(lowered: ModuleOp, source: ModuleOp) -> list[str]:
    """What the interpreter says, on every way that the kernel's two flags choose."""
    found: list[str] = []
    for flags in product((False, True), repeat=2):
        arrays = [np.array([5, 7], np.int32), np.array([11, 13], np.int32)]
        try:
            run_entry(lowered, contract(source), [*arrays, *flags], checked=True)
        except Rejected as objection:
            found.append(str(objection))
    return found


@settings(max_examples=60)
@given(statements(2), st.integers(0, 10**6), st.integers(0, 4))
def test_what_is_accepted_is_ordered(program: list[Statement], edge: int, choice: int) -> None:
    source = kernels.parse(kernel(program))
    lowered = convert(source)
    roles = roles_of(kernel_of(source))
    assert accepted(lowered, roles)
    found = edges(lowered)
    assume(found)
    reroute(*found[edge % len(found)], choice)
    if accepted(lowered, roles):
        assert not objections(lowered, source)


def test_needed_edges_are_missed() -> None:
    """In straight line, in a loop and behind it, in a branch: each edge is needed, but for those from nothing."""
    programs: list[list[Statement]] = [
        [("grow", "%r"), ("grow", "%r")],
        [("for", 2, [("grow", "%r")], None), ("move", "%r", "%s")],
        [("set", "%r"), ("if", "%f", [("grow", "%r")], [("move", "%r", "%s")]), ("grow", "%r")],
    ]
    refused = needless = 0
    for program in programs:
        source = kernels.parse(kernel(program))
        roles = roles_of(kernel_of(source))
        for n in range(len(edges(convert(source)))):
            lowered = convert(source)
            op, operand = edges(lowered)[n]
            from_nothing = isinstance(op.operands[operand].owner, MakeTokenOp)
            reroute(op, operand, 10**6)
            assert accepted(lowered, roles) == (not objections(lowered, source)) == from_nothing
            refused += not from_nothing
            needless += from_nothing
    assert refused >= 8, (refused, needless)
