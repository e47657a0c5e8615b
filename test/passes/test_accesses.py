"""Accesses of classes that no pass knows: what goes through an ownership that does not allow it is refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import pytest
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.ir import Block, Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, result_def
from xdsl.rewriter import InsertPoint, Rewriter

from freehold.dialects.cuda_tile.text import TileParser
from freehold.dialects.cuda_tile.types import TileType, tile
from freehold.dialects.ownership import (
    AccessOp,
    Action,
    Indexing,
    PartitionType,
    RawType,
    RefType,
    RegionType,
    TensorType,
    Update,
    UpdateAttr,
)
from freehold.dialects.ownership.duties import Owed
from freehold.dialects.ownership.format import FormattedOp
from freehold.passes.pipeline import verify
from freehold.support.diagnostic import Rejected
from freehold.tools.context import make_context

ANY = TensorType | RefType | RegionType | RawType | PartitionType


class Unknown(AccessOp, FormattedOp):
    """An access of all of its memory, by nobody's rules."""

    FORMAT: ClassVar[str] = "attr-dict"

    @property
    def indexing(self) -> Indexing:
        return Indexing.OWN

    @property
    def places(self) -> Sequence[SSAValue]:
        return ()

    @property
    def owed(self) -> Sequence[Owed]:
        return ()


@irdl_op_definition
class Peek(Unknown):
    """Reads."""

    name = "ownership.peek"
    ACTION: ClassVar[Action] = Action.READ
    CALLED: ClassVar[str] = "peek at"
    source = operand_def(ANY)
    result = result_def(TileType)


@irdl_op_definition
class Poke(Unknown):
    """Writes."""

    name = "ownership.poke"
    ACTION: ClassVar[Action] = Action.WRITE
    CALLED: ClassVar[str] = "poke at"
    VALUE: ClassVar[int | None] = 1
    target = operand_def(ANY)
    tile = operand_def(TileType)


@irdl_op_definition
class Stir(Unknown):
    """Updates, in some way that it keeps to itself unless `update` says it."""

    name = "ownership.stir"
    ACTION: ClassVar[Action] = Action.UPDATE
    CALLED: ClassVar[str] = "stir of"
    VALUE: ClassVar[int | None] = 1
    target = operand_def()
    tile = operand_def(TileType)
    update = opt_prop_def(UpdateAttr)

    @property
    def commuting(self) -> Update | None:
        return None if self.update is None else self.update.data


KERNEL = """
ownership.kernel @k(%y: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[N], f32>, %r: !ownership.tensor<[N], f32>,
                    %h: !ownership.tensor<[N], f32>, %n: !cuda_tile.tile<i32>) {
  %p = ownership.partition %y : !ownership.tensor<[N], f32> -> !ownership.partition<out tile [64], [N], f32>
  %b = ownership.borrow %x : !ownership.tensor<[N], f32> -> !ownership.ref<[N], f32>
  %e = ownership.expose %r : !ownership.tensor<[N], f32> -> !ownership.raw<[N], f32>
  %a = ownership.accumulator %h : !ownership.tensor<[N], f32> -> !ownership.acc<[N], f32>
  ownership.distribute %p : !ownership.partition<out tile [64], [N], f32> {
  ^bb0(%i: !cuda_tile.tile<i32>):
    %own = ownership.region %p[%i] : !ownership.partition<out tile [64], [N], f32>
      -> !ownership.region<out tile [64], [N], f32>
    %t = cuda_tile.constant <f32: 1.0> : tile<64xf32>
    OPEN
    cuda_tile.print_tko "here" -> token
    CLOSE
    ownership.store %t, %own : !cuda_tile.tile<64xf32>, !ownership.region<out tile [64], [N], f32>
  }
}
"""
FORMS = {
    "straight": ("", ""),
    "for": (
        "%zero = cuda_tile.constant <i32: 0> : tile<i32>  %one = cuda_tile.constant <i32: 1> : tile<i32>"
        " cuda_tile.for %turn in (%zero to %n, step %one) : tile<i32> {",
        "cuda_tile.continue }",
    ),
    "if": (
        "%zero = cuda_tile.constant <i32: 0> : tile<i32>"
        " %c = cuda_tile.cmpi equal %n, %zero, signed : tile<i32> -> tile<i1> cuda_tile.if %c {",
        "cuda_tile.yield }",
    ),
}
WRONG = {
    "a region that was not stored": ("peek", "own", "O107"),
    "a tensor that is lent to nobody": ("peek", "x", "O112"),
    "a partition": ("peek", "p", "O112"),
    "a raw tensor, without a reason": ("peek", "e", "O112"),
    "a write to a borrow": ("poke", "b", "O102"),
    "a write to a raw tensor": ("poke", "e", "O112"),
    "a write to an accumulator": ("poke", "a", "O112"),
    "an update of a region that was not stored": ("stir", "own", "O107"),
    "an update that need not commute": ("stir", "a", "O112"),
}


def module(kind: str, memory: str, form: str) -> ModuleOp:
    """A kernel with an access in a place."""
    before, behind = FORMS[form]
    found = TileParser(make_context(), KERNEL.replace("OPEN", before).replace("CLOSE", behind)).parse_module()
    assert isinstance(found, ModuleOp)
    mark = next(op for op in found.walk() if op.name == "cuda_tile.print_tko")
    values = {name: value for block in blocks(found) for value in defined(block) if (name := value.name_hint)}
    access: Operation
    if kind == "peek":
        access = Peek(operands=[values[memory]], result_types=[tile((64,), f32)])
    else:
        access = (Poke if kind == "poke" else Stir)(operands=[values[memory], values["t"]])
    Rewriter.insert_op(access, InsertPoint.before(mark))
    return found


def blocks(found: ModuleOp) -> list[Block]:
    return [block for op in found.walk() for region in op.regions for block in region.blocks]


def defined(block: Block) -> list[SSAValue]:
    return [*block.args, *(result for op in block.ops for result in op.results)]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("what", WRONG)
def test_what_its_ownership_does_not_allow_is_refused(what: str, form: str) -> None:
    kind, memory, code = WRONG[what]
    with pytest.raises(Rejected) as caught:
        verify(module(kind, memory, form))
    assert code in caught.value.codes


def test_updates_of_two_kinds_are_refused() -> None:
    found = module("stir", "a", "straight")
    (stir,) = (op for op in found.walk() if isinstance(op, Stir))
    stir.update = UpdateAttr(Update.ADD)
    verify(found)
    other = Stir(operands=stir.operands, properties={"update": UpdateAttr(Update.MAX)})
    Rewriter.insert_op(other, InsertPoint.after(stir))
    with pytest.raises(Rejected) as caught:
        verify(found)
    assert caught.value.codes == ("O131",)
