"""What a call leaves open: the tensors that somebody has to cut, and the compile-time values that may be chosen."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from freehold.frontend.schedule import (
    EACH,
    ROW,
    Blocks,
    Choice,
    Grid,
    OpenPartition,
    Order,
    PartitionSpec,
)
from freehold.frontend.signature import ConstSpec, ScalarSpec, Specialisation, TensorSpec
from freehold.runtime.launch.partition import Partition, compiled_in, partition

if TYPE_CHECKING:
    from freehold.frontend.signature import KernelSignature, Parameter

Spec = TensorSpec | ScalarSpec | ConstSpec

EVEN: Final = 256


@dataclass(frozen=True)
class Schedule:
    """What a launch may leave open, decided."""

    tile: Mapping[str, int]
    """The extent of a tile along each dimension of what is cut, by the dimension's name."""
    owned: tuple[str, ...] = ()
    """Dimensions of which a point has all regions."""
    order: Order = ROW
    blocks: Blocks = EACH
    count: int = 0
    constants: Mapping[str, Any] = field(default_factory=dict[str, Any])
    hints: Mapping[str, int] = field(default_factory=dict[str, int])
    known: tuple[str, ...] = ()
    """Dimensions whose extents are compiled in."""

    def __str__(self) -> str:
        parts = [f"tile {self.shape}"]
        parts += [f"owned {', '.join(self.owned)}"] if self.owned else []
        parts += [f"{', '.join(self.known)} compiled in"] if self.known else []
        parts += [f"order {self.order}"] if self.order != ROW else []
        parts += [f"{self.count or 'as many as fit'} persistent blocks"] if self.blocks is not EACH else []
        return ", ".join([*parts, *(f"{n} = {v}" for n, v in {**self.constants, **self.hints}.items())])

    @property
    def shape(self) -> str:
        """The tile, with the names of its dimensions."""
        return " x ".join(f"{n}:{e}" for n, e in self.tile.items())


@dataclass(frozen=True)
class Problem:
    """A call of which something is open."""

    parameters: tuple[Parameter, ...]
    specs: tuple[Spec, ...]
    shapes: Mapping[str, tuple[int, ...]]
    """Of all tensors."""
    open: Mapping[str, OpenPartition]
    """By tensor that somebody has to cut: what is said about how."""
    constants: Mapping[str, Choice]
    whole: tuple[str, ...] = ()
    """Dimensions of what is to be cut that are worth a variant of their own: whole multiples of `EVEN`, as those of
    models, so that rows which grow do not need a variant each."""

    def dimensions(self, name: str) -> tuple[str, ...]:
        """What the axes of a tensor are called; axes of one name get one tile."""
        dims = next(p for p in self.parameters if p.name == name).dims
        return dims if dims is not None else tuple(f"{name}.shape[{n}]" for n in range(len(self.shapes[name])))

    @property
    def extents(self) -> dict[str, int]:
        """The extents of the dimensions of what is to be cut."""
        return {d: e for name in self.open for d, e in zip(self.dimensions(name), self.shapes[name], strict=True)}

    @property
    def leader(self) -> str:
        """The tensor with the most axes: the points of the launch are those of its regions."""
        return max(self.open, key=lambda name: len(self.shapes[name]))

    def counts(self, schedule: Schedule) -> tuple[int, ...]:
        """How many tiles there are along each axis of the launch."""
        return self._counts(self.leader, schedule) if self.open else ()

    def _counts(self, name: str, schedule: Schedule) -> tuple[int, ...]:
        pairs = zip(self.dimensions(name), self.shapes[name], strict=True)
        return tuple(-(-e // schedule.tile[d]) for d, e in pairs if d not in schedule.owned)

    def tile(self, schedule: Schedule) -> tuple[int, ...]:
        """The extents of a tile along the axes of the launch."""
        dims = self.dimensions(self.leader) if self.open else ()
        return tuple(schedule.tile[d] for d in dims if d not in schedule.owned)

    def agrees(self, schedule: Schedule) -> bool:
        """Whether the partitions that a schedule makes have the points of one launch."""
        all_points = self.counts(schedule)
        axes = [d for d in (self.dimensions(self.leader) if self.open else ()) if d not in schedule.owned]
        for parameter in self.parameters:
            if parameter.name in self.open:
                own = self._counts(parameter.name, schedule)
                rest = all_points[len(own) :]
                dims = [d for d in self.dimensions(parameter.name) if d not in schedule.owned]
                if (
                    dims != axes[: len(dims)]
                ):  # how regions of the one go with those of the other is the author's to say
                    return False
                if own != all_points[: len(own)] or (parameter.mode in ("mut", "out") and any(n > 1 for n in rest)):
                    return False
        return True

    def partition(self, name: str, schedule: Schedule) -> PartitionSpec:
        """How a schedule cuts a tensor."""
        dims = self.dimensions(name)
        tile = tuple(schedule.tile[d] for d in dims)
        owned = tuple(n for n, d in enumerate(dims) if d in schedule.owned)
        partial = self.open[name].partial
        known = tuple(e if d in schedule.known else 0 for d, e in zip(dims, self.shapes[name], strict=True))
        extents = known if any(known) else ()
        blocks, count = schedule.blocks, schedule.count
        return PartitionSpec(tile, tile, schedule.order, blocks, count, None, owned, partial, None, extents)

    def specialisation(self, schedule: Schedule) -> Specialisation:
        """What the kernel is specialised to under a schedule."""
        found: list[Spec] = []
        for parameter, spec in zip(self.parameters, self.specs, strict=True):
            if isinstance(spec, TensorSpec) and parameter.name in self.open:
                spec = replace(spec, partition=self.partition(parameter.name, schedule))
            elif parameter.name in schedule.constants:
                spec = ConstSpec(schedule.constants[parameter.name])
            found.append(spec)
        return Specialisation(tuple(found), tuple(sorted(schedule.hints.items())))

    def arguments(self, given: Sequence[Any], schedule: Schedule) -> tuple[Any, ...]:
        """The arguments of the call under a schedule."""
        found: list[Any] = []
        for parameter, argument in zip(self.parameters, given, strict=True):
            if parameter.name in self.open:
                array = argument.array if isinstance(argument, Partition) else argument
                spec = self.partition(parameter.name, schedule)
                blocks = spec.count or spec.blocks
                made = partition(
                    array, spec.tile, owned=spec.owned, partial=spec.partial, order=spec.order, blocks=blocks
                )
                found.append(compiled_in(made, spec.extents) if spec.extents else made)
            else:
                found.append(schedule.constants.get(parameter.name, argument))
        return tuple(found)

    def at(self, shapes: Mapping[str, tuple[int, ...]]) -> Problem:
        """The same for tensors of other extents."""
        return replace(self, shapes=shapes)


_OF_A_PART: Final = frozenset({"index", "tile", "start", "stop"})
"""What tensors have where they are partitioned."""


def cut_in_text(tree: ast.AST, names: Iterable[str]) -> list[str]:
    """The parameters of which a kernel's text speaks as partitioned ones."""
    wanted, found = set(names), set[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and not node.args and isinstance(node.func, ast.Attribute):
            attribute = node.func if node.func.attr == "load" else None
        else:
            attribute = node if isinstance(node, ast.Attribute) and node.attr in _OF_A_PART else None
        if attribute is not None and isinstance(attribute.value, ast.Name) and attribute.value.id in wanted:
            found.add(attribute.value.id)
    return [name for name in names if name in found]


def leaves_open(signature: KernelSignature, arguments: Sequence[Any]) -> bool:
    """Whether anything of a call is to be chosen."""
    if len(arguments) != len(signature.parameters) or not signature.cut:
        return False
    some = written = False
    for parameter, argument in zip(signature.parameters, arguments, strict=True):
        cut = isinstance(argument, Partition)
        if isinstance(argument, Choice) or (cut and isinstance(argument.spec, OpenPartition)):
            return True
        if parameter.mode in ("mut", "out"):
            written = True
            if not cut:
                return True
        some = some or cut or isinstance(argument, Grid)
    return not written and not some and any(p.mode == "acc" for p in signature.parameters)


def problem_of(
    parameters: Sequence[Parameter],
    arguments: Sequence[Any],
    specs: Sequence[Spec],
    values: Sequence[Any],
    tree: ast.AST,
) -> Problem | None:
    """
    The problem that a checked call is, whose run-time arguments are `values`; None where it mixes partitions that are
    complete with others, or nothing in it can be cut.
    """
    shapes: dict[str, tuple[int, ...]] = {}
    opened: dict[str, OpenPartition] = {}
    constants: dict[str, Choice] = {}
    left = iter(values)
    tensors: list[str] = []
    gridded = any(isinstance(s, ConstSpec) and isinstance(s.value, Grid) for s in specs)
    for parameter, argument, spec in zip(parameters, arguments, specs, strict=True):
        if isinstance(spec, ConstSpec):
            if isinstance(spec.value, Choice):
                constants[parameter.name] = spec.value
            continue
        value = next(left)
        if not isinstance(spec, TensorSpec):
            continue
        shapes[parameter.name] = value.shape
        if isinstance(argument, Partition):
            if not isinstance(argument.spec, OpenPartition):
                continue
            opened[parameter.name] = argument.spec
        elif parameter.mode in ("mut", "out"):
            opened[parameter.name] = OpenPartition()
        elif parameter.mode in ("ref", "acc"):
            tensors.append(parameter.name)
    complete = any(isinstance(a, Partition) and isinstance(a.spec, PartitionSpec) for a in arguments)
    if not complete and not gridded:
        opened |= dict.fromkeys(cut_in_text(tree, tensors), OpenPartition())
    if (opened and (gridded or complete)) or not (opened or constants):
        return None
    known = {
        p.name: s.value
        for p, s in zip(parameters, specs, strict=True)
        if isinstance(s, ConstSpec) and type(s.value) is int
    }
    found = Problem(tuple(p.given(known) for p in parameters), tuple(specs), shapes, opened, constants)
    return replace(found, whole=tuple(d for d, e in found.extents.items() if d.isidentifier() and e % EVEN == 0))
