"""From the typed core to ownership IR: one walk, in which every operation is made once."""

from __future__ import annotations

from typing import cast

from xdsl import ir
from xdsl.dialects.builtin import LocationAttr, ModuleOp
from xdsl.ir import Operation, SSAValue

from freehold.dialects.classes import append, module_of, region_of, set_hint
from freehold.frontend.typed import Block, Do, Place, Var


def module(kernel: Do) -> ModuleOp:
    """The module of one kernel."""
    return module_of(_Emission().operation(kernel))


class _Emission:
    """The values that have been made."""

    def __init__(self) -> None:
        self.values: dict[Var, SSAValue] = {}

    def operation(self, do: Do) -> Operation:
        """What a `Do` stands for, at its place."""
        op = do.make(*map(self.part, do.args), **do.data)
        op.location = location(do.place)
        for value, result in zip(do.results, op.results, strict=False):  # tokens are nobody's yet
            self.values[value] = result
            if value.name_hint is not None:
                set_hint(result, value.name_hint)
        return op

    def part(self, arg: object) -> object:
        """What stands in an operation for an argument of a `Do`."""
        if isinstance(arg, Var):
            return self.values[arg]
        if isinstance(arg, list):
            return [self.part(item) for item in cast("list[object]", arg)]
        return region_of(self.block(arg)) if isinstance(arg, Block) else arg

    def block(self, block: Block) -> ir.Block:
        """A block with all that is done in it."""
        made = ir.Block(arg_types=[arg.type for arg in block.args])
        for value, place, argument in zip(block.args, block.places, made.args, strict=True):
            self.values[value] = argument
            argument.location = location(place)
            set_hint(argument, value.name_hint)
        append(made, [self.operation(do) for do in block.body])
        return made


def location(place: Place) -> LocationAttr:
    """Where something stands, as the IR says it."""
    if isinstance(place, tuple):
        scene, node = place
        return scene.location(node)
    return place
