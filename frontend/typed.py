"""
The typed core: what a kernel does, as a tree of ours in which every type is known, before there is any operation.

A `Do` says which operation will be made, of which values and which other data; what has regions in the IR holds
`Block`s in their place. Typing writes such a tree, may throw it away and write it again, and `emit` walks over what is
left once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, Protocol, TypeAlias, cast

from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import Attribute, Operation
from xdsl.traits import NoMemoryEffect, RecursiveMemoryEffect

from freehold.dialects.names import in_ir
from freehold.dialects.ownership import LoadOp, RefType
from freehold.frontend.syntax import core


class Scene(Protocol):
    """A function as one call of it sees it: where its nodes stand, with the calls that it was inlined through."""

    def location(self, place: core.Place, /) -> LocationAttr:
        """The location of a place in the function's text."""
        ...


Place: TypeAlias = "tuple[Scene, core.Place] | LocationAttr"
"""What something stands for in the user's text."""


class Var:
    """A value of the running kernel. What operations make has the type that they give it."""

    __slots__ = ("maker", "name_hint")

    def __init__(self, maker: Do | Block):
        self.maker: Final = maker
        """What makes it; of an argument, its block."""
        self.name_hint: str | None = None
        """The user's name of it."""


class Typed(Var):
    """A value whose type in the IR has been said: an argument of a block, or something that is owned."""

    __slots__ = ("type",)

    def __init__(self, maker: Do | Block, type_: Attribute):
        super().__init__(maker)
        self.type: Final = type_


class Do:
    """An operation to be made."""

    __slots__ = ("args", "block", "data", "make", "place", "results")

    def __init__(self, make: Callable[..., Operation], args: tuple[object, ...], data: dict[str, object], place: Place):
        self.make: Final = make
        """Its class."""
        self.args = args
        """What the class is called with: where an operand goes stands a `Var`, where a region goes a `Block`, in lists,
        too; all else is as it is."""
        self.data: Final = data
        """What it is called with by name: neither operands nor regions."""
        self.place = place
        self.results: list[Var] = []
        self.block: Block | None = None
        """Where it is written."""

    @property
    def operands(self) -> Iterator[Var]:
        """The values that it uses itself."""
        return (part for part in _parts(self.args) if isinstance(part, Var))

    @property
    def blocks(self) -> Iterator[Block]:
        """What it holds."""
        return (part for part in _parts(self.args) if isinstance(part, Block))

    def replace(self, old: Var, new: Var) -> None:
        """Uses one value in the place of another."""
        self.args = tuple(_replaced(arg, old, new) for arg in self.args)

    def drop(self) -> None:
        """Takes it out of its block."""
        assert self.block is not None
        self.block.body.remove(self)
        self.block = None


class Block:
    """What is done one after the other, with the values it is given each time."""

    __slots__ = ("args", "body", "places")

    def __init__(self) -> None:
        self.args: Final[list[Typed]] = []
        self.places: Final[list[Place]] = []
        """Where the arguments stand."""
        self.body: Final[list[Do]] = []

    def argument(self, type_: Attribute, place: Place, name: str | None = None) -> Typed:
        """Gives the block one more argument."""
        made = Typed(self, type_)
        if name is not None:
            hint(made, name)
        self.args.append(made)
        self.places.append(place)
        return made

    def add(self, do: Do) -> None:
        """Writes what is done after all else."""
        do.block = self
        self.body.append(do)

    def absorb(self, others: Iterable[Do]) -> None:
        """Writes here what was written in a block that is no longer needed."""
        for do in others:
            self.add(do)

    def walk(self) -> Iterator[Do]:
        """All that is done in it, in any nesting."""
        for do in self.body:
            yield do
            for inner in do.blocks:
                yield from inner.walk()


def _parts(args: Iterable[object]) -> Iterator[object]:
    for arg in args:
        if isinstance(arg, list):
            yield from cast("list[object]", arg)
        else:
            yield arg


def _replaced(arg: object, old: Var, new: Var) -> object:
    if isinstance(arg, list):
        return [_replaced(item, old, new) for item in cast("list[object]", arg)]
    return new if arg is old else arg


def hint(value: Var, name: str) -> None:
    """Gives a value the user's name, where that can be one in the IR."""
    value.name_hint = in_ir(name) or value.name_hint


def is_free(do: Do) -> bool:
    """Whether something that holds no block has no effect. To read what is lent to all has none: nothing changes it."""
    if do.make is LoadOp:
        return isinstance(source := do.args[0], Typed) and isinstance(source.type, RefType)
    return has_trait(do, NoMemoryEffect)


def touches_no_memory(do: Do) -> bool:
    """Whether something, and all that it holds, neither reads nor writes, and does not stop the kernel."""
    if has_trait(do, RecursiveMemoryEffect):
        return all(map(touches_no_memory, (inner for block in do.blocks for inner in block.body)))
    return has_trait(do, NoMemoryEffect)


def has_trait(do: Do, trait: type[Any]) -> bool:
    """Whether the operation that will be made has a trait."""
    return cast("type[Operation]", do.make).has_trait(trait)
