"""The verifier of tokens against the interpreter: what it accepts has no two accesses that lack an order.

Tokens of good modules are taken away or led elsewhere, one at a time. The interpreter, which says so where nothing
orders two accesses that meet, decides whether an edge was needed.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import lowering_kernels as kernels
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from test_random_tokens import Statement, kernel, statements
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, result_def
from xdsl.utils.exceptions import PassFailedException

import freehold as fh
from freehold.dialects.cuda_tile.op import TileOp
from freehold.dialects.cuda_tile.ops.memory import MakeTokenOp
from freehold.dialects.cuda_tile.ops.module import EntryOp
from freehold.dialects.cuda_tile.types import TOKEN
from freehold.passes.launch_contract import contract, kernel_of
from freehold.passes.lowering import convert
from freehold.passes.pipeline import verify
from freehold.passes.verify_tokens import Roles, roles_of, verify_tokens
from freehold.runtime.interpreter import run_entry, run_tile
from freehold.support.contract import Checks
from freehold.support.diagnostic import Rejected
from freehold.tools.context import make_context
from freehold.tools.located_parser import parse_module


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


@pytest.mark.parametrize(("waits_for", "joined", "ordered"), [
    ("%c", "%r, %r", True),
    ("%c", "%t, %r", True),
    ("%t", "%r, %r", False),
    ("%t", "%t, %r", False),
])  # fmt: skip
def test_a_store_behind_a_loop_comes_after_the_loads_of_all_turns(waits_for: str, joined: str, ordered: bool) -> None:
    """The token of the last turn is not enough where turns do not wait for one another."""
    text = f"""cuda_tile.module @m {{ entry @k(%p: tile<ptr<i32>>, %n: tile<i32>) {{
      %zero = constant <i32: 0> : tile<i32>
      %one = constant <i32: 1> : tile<i32>
      %t = make_token : token
      %r = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%c = %t) -> (token) {{
        %x, %u = load_ptr_tko weak %p token = {waits_for} : tile<ptr<i32>> -> tile<i32>, token
        continue %u : token
      }}
      %j = join_tokens {joined} : token
      %s = store_ptr_tko weak %p, %n token = %j : tile<ptr<i32>>, tile<i32> -> token
      return
    }} }}"""
    module = parse_module(make_context(), text, "entry.mlir")
    module.verify()
    assert accepted(module, Roles((), (), (), ())) == ordered
    out = np.zeros(1, np.int32)
    if ordered:
        run_tile(module, [out, 3], checked=True)
        return
    with pytest.raises(Rejected):
        run_tile(module, [out, 3], checked=True)


@irdl_op_definition
class Spends(TileOp):
    """Takes a token, and does nobody knows what to memory."""

    name = "test.spends"
    token = operand_def(TOKEN)


@irdl_op_definition
class Makes(TileOp):
    """Makes a token of what nobody knows."""

    name = "test.makes"
    token = result_def(TOKEN)


@pytest.mark.parametrize("makes", [False, True])
def test_what_takes_or_makes_tokens_has_to_be_known(makes: bool) -> None:
    source = kernels.parse(kernel([("grow", "%r")]))
    lowered, roles = convert(source), roles_of(kernel_of(source))
    assert accepted(lowered, roles)
    op, operand = edges(lowered)[-1]
    unknown = Makes(result_types=[TOKEN]) if makes else Spends(operands=[op.operands[operand]])
    assert op.parent is not None
    op.parent.insert_op_before(unknown, op)
    assert not accepted(lowered, roles)


def _named(text: str, kind: str, lent: str) -> str:
    """A kernel, with the types of its one partition, of regions of that and of what is lent written out."""
    types = {"PARTITION": f"!ownership.partition<{kind}>", "REGION": f"!ownership.region<{kind}>"}
    for name, type_ in {**types, "REF": f"!ownership.ref<{lent}>"}.items():
        text = text.replace(name, type_)
    return text


TWICE_IN_A_GROUP = _named(
    """
ownership.kernel @twice(
  %y: !ownership.tensor<[M], i32>, %at: !ownership.tensor<["G + 1"], i32>, %w: !ownership.tensor<[G], i32>
) {
  %o = ownership.borrow %at : !ownership.tensor<["G + 1"], i32> -> REF
  %p = ownership.partition %y by %o : REF, : !ownership.tensor<[M], i32> -> PARTITION
  ownership.distribute %p over [G, "ceildiv(M, 2)"] BLOCKS : PARTITION {
  ^bb0(%i: !cuda_tile.tile<i32>, %j: !cuda_tile.tile<i32>):
    %one = cuda_tile.constant <i32: 1> : tile<2xi32>
    %n = ownership.group_tiles %p[%i] : PARTITION
    %in = cuda_tile.cmpi less_than %j, %n, signed : tile<i32> -> tile<i1>
    cuda_tile.if %in {
      %r = ownership.region %p[%i, %j] {mapped} : PARTITION -> REGION
      ownership.store %one, %r : !cuda_tile.tile<2xi32>, REGION
    }
    cuda_tile.if %in {
      %r = ownership.region %p[%i, %j] {mapped} : PARTITION -> REGION
      ownership.store %one, %r : !cuda_tile.tile<2xi32>, REGION
    }
  }
}
""",
    "mut tile [2] ragged 0, [M], i32",
    '["G + 1"], i32',
)

ONE_OF_OVERLAPPING = _named(
    """
ownership.kernel @one(%y: !ownership.tensor<[2], i32>, %a: !ownership.tensor<[K], i32>) {
  %p = ownership.partition %y : !ownership.tensor<[2], i32> -> PARTITION
  %r = ownership.borrow %a : !ownership.tensor<[K], i32> -> REF
  ownership.distribute %p BLOCKS : PARTITION {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %one = cuda_tile.constant <i32: 1> : tile<4xi32>
    %own = ownership.region %p[%i] : PARTITION -> REGION
    ownership.store %one, %own : !cuda_tile.tile<4xi32>, REGION
    %n = ownership.tiles %r, 0 by 2 : REF
    %never = cuda_tile.cmpi equal %i, %n, signed : tile<i32> -> tile<i1>
    cuda_tile.if %never {
      %again = ownership.region %p[%n] : PARTITION -> REGION
      ownership.store %one, %again : !cuda_tile.tile<4xi32>, REGION
    }
  }
}
""",
    "partial tile [4] step [2], [2], i32",
    "[K], i32",
)


@pytest.mark.parametrize("text", [TWICE_IN_A_GROUP, ONE_OF_OVERLAPPING])
@pytest.mark.parametrize(
    "blocks", ["", "blocks #ownership.blocks<persistent>", "blocks #ownership.blocks<persistent 3>"]
)
@pytest.mark.parametrize("checks", [True, "trap", False])
def test_what_is_verified_is_ordered(text: str, blocks: str, checks: Checks) -> None:
    """A partition is ordered by what names its regions, and by nothing that is known of numbers."""
    module = kernels.parse(text.replace("BLOCKS", blocks))
    verify(module)
    lowered = convert(module, checks=checks)  # which verifies the tokens
    assert accepted(lowered, roles_of(kernel_of(module), checks))
    assert len(edges(lowered)) >= 1


# Steps of which it is not known that they are at least 1 are checked in the kernel, with a way out of each loop: there
# are more paths than stay apart, but those on which a check has failed do.


def flags_over_two_loops(y: fh.Out["N"], a: int, b: int):
    c1 = a > 1
    c2 = b > 1
    c3 = True
    c4 = a > b
    n = 0
    while n < 3 and c1:
        n += 1
        for i in range(0, a, b % 3 + 1):
            if c2:
                c3 = b < i
                c4 = True
            elif c3:
                c2 = i > a
                c4 = False
                continue
            if c3:
                for _ in range(0, i, a % 3 + 1):
                    c3 = c4
                    c4 = False
            if c4:
                c2 = False
                continue
            if c3:
                c1 = True
    y.store(fh.full(y.tile, n, fh.f32))


def flags_that_leave(y: fh.Out["N"], a: int, b: int):
    c1 = a > 1
    c2 = True
    c3 = False
    n = 0
    while n < 3 and (c1 or c2):
        n += 1
        for i in range(0, a, b % 3 + 1):
            if c1 and not c3:
                for _ in range(0, i, a % 3 + 1):
                    c2 = c1
                    c1 = False
                c3 = b < i
                continue
            if c2:
                c3 = True
                if a < i:
                    continue
                c1 = c3
            else:
                c2 = b < a
    y.store(fh.full(y.tile, n, fh.f32))


def flags_handed_round(y: fh.Out["N"], a: int, b: int):
    c1 = a > 1
    c2 = b > 1
    c3 = True
    c4 = False
    n = 0
    while n < 3 and not b < a:
        n += 1
        for i in range(n % 5, a % 3, a % 3 + 1):
            if c1:
                c1 = c2
                c2 = c3
                c3 = c4
                c4 = b < i
            if c2:
                for _ in range(0, i % 5, n % 3 + 1):
                    c3 = c1
                    c4 = True
                continue
            if c3 and c4:
                c2 = False
                continue
            c1 = c4
    y.store(fh.full(y.tile, n, fh.f32))


@pytest.mark.parametrize("checks", [True, False])
@pytest.mark.parametrize("function", [flags_over_two_loops, flags_that_leave, flags_handed_round])
def test_what_follows_a_failed_check_stays_apart_on_many_paths(function: Any, checks: bool) -> None:
    convert(fh.kernel(function).verify(fh.partition(np.zeros(64, np.float32), 16), 3, 4), checks=checks)
