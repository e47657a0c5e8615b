"""`synthesize-debug-info-scopes`: entries that have positions and no scopes get a function of debug information each.

Name and result are those of the pass in NVIDIA's `cuda-tile-opt`, for front ends that know lines and nothing more. What
the bytecode writer derives of positions by itself is written down by this: each operation is at its position in the
function of its entry. The compile unit is the file of the module's own position, `<unknown>` where it has none; an
operation without a position is where its entry begins, and an entry without one at the first line of the unit's file.
Of text that was inlined, the place of the call counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    ModuleOp,
    NameLoc,
    StringAttr,
)
from xdsl.ir import Attribute
from xdsl.passes import ModulePass

from freehold.dialects.cuda_tile.debug import DICompileUnitAttr, DIFileAttr, DISubprogramAttr, file_of, own_scope
from freehold.dialects.cuda_tile.ops.module import EntryOp, TileModuleOp
from freehold.passes.rewriting import walk


@dataclass(frozen=True)
class SynthesizeDebugInfoScopesPass(ModulePass):
    """Gives each entry without a scope one, made of its position. Changes nothing but locations."""

    name = "synthesize-debug-info-scopes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Makes scopes in every `cuda_tile.module`, and in what a nested pipeline hands on of one."""
        for each in walk(op):
            if isinstance(each, EntryOp) and own_scope(each.location) is None:
                around = each.parent_op()
                _synthesize(each, _unit(around.location if isinstance(around, TileModuleOp) else each.location))


def _unit(location: Attribute) -> DICompileUnitAttr:
    place = _position(location)
    unknown = DIFileAttr(StringAttr("<unknown>"), StringAttr(""))
    return DICompileUnitAttr(unknown if place is None else file_of(place.filename.data))


def _synthesize(entry: EntryOp, unit: DICompileUnitAttr) -> None:
    place = _position(entry.location)
    file = unit.file
    if place is None:
        place = FileLineColLoc(file.file_name, IntAttr(1), IntAttr(1))
    else:
        file = file_of(place.filename.data)
    name, line = StringAttr(entry.sym_name.data), place.line
    scope = DISubprogramAttr(file, line, name, name, unit, line, IntAttr(0))
    for op in walk(entry):
        op.location = FusedLoc((_position(op.location) or place,), scope)


def _position(location: Attribute) -> FileLineColLoc | None:
    """The position in the kernel's own text that a location has."""
    match location:
        case FileLineColLoc():
            return location
        case NameLoc():
            return _position(location.location)
        case CallSiteLoc():
            return _position(location.caller)
        case FusedLoc():
            parts = cast("ArrayAttr[Attribute]", location.locations).data
            return next((found for part in parts if (found := _position(part)) is not None), None)
        case _:
            return None
