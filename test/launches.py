"""
A launch as text: the kernel, how its tensors are cut, hints, constants, and what else it is given; and a kernel as
text: the operations that it is made of.
"""

# Arrays are of any library.
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false, reportUnknownMemberType=false

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, cast

from xdsl.dialects.builtin import DictionaryAttr, UnitAttr
from xdsl.ir import Operation

from freehold.dialects.cuda_tile import ConstantOp
from freehold.dialects.cuda_tile.attrs import ComparisonPredicateAttr, OptimizationHintsAttr
from freehold.dialects.cuda_tile.dense import DenseElementsAttr
from freehold.frontend.schedule import PartitionSpec
from freehold.runtime.launch.launch import Launch
from freehold.runtime.launch.partition import Partition


def said(launch: Launch, whole: bool) -> str:
    """A launch; unless the `whole` of it, without what the sizes of its arguments say."""
    kernel, arguments = launch.dispatcher.kernel, launch.arguments
    assert arguments is not None
    cuts = [a.spec for a in arguments if isinstance(a, Partition) and isinstance(a.spec, PartitionSpec)]
    constants = {p.name: a for p, a in zip(kernel.signature.parameters, arguments, strict=True) if p.mode == "const"}
    parts = [f"{c.tile} {c.order} {c.blocks}".replace("freehold.", "") for c in dict.fromkeys(cuts)]
    parts += [" ".join(f"{name}={value}" for name, value in getattr(kernel, "options").hints)]  # noqa: B009 -- of kernels
    parts += [" ".join(f"{name}={value}" for name, value in constants.items() if value is not None)]
    if whole:
        rest = [shown(a) for p, a in zip(kernel.signature.parameters, arguments, strict=True) if p.mode != "const"]
        parts += [" ".join(s for s in rest if s)]
    return f"  {kernel.__name__}: {'; '.join(p for p in parts if p)}\n"


def shown(argument: Any) -> str:
    """The extents of an array, and a number as it is."""
    if isinstance(argument, Partition):
        spec = argument.spec
        more = [f"owned {spec.owned}"] if isinstance(spec, PartitionSpec) and spec.owned else []
        if isinstance(spec, PartitionSpec) and spec.groups is not None:
            more += [f"by {spec.groups.by} along {spec.groups.axis} to {spec.groups.most}"]
        return f"{shown(argument.array)}[{' '.join(more)}]" if more else shown(argument.array)
    if isinstance(argument, tuple | list):
        return f"({' '.join(map(shown, argument))})"
    if hasattr(argument, "shape"):
        return "x".join(map(str, argument.shape)) or "one"
    return "" if argument is None else f"{argument:.6g}" if isinstance(argument, float) else str(argument)


class Made:
    """
    What the kernels of launches are made of. Each combination of dtypes and constants is looked at; where only numbers
    among the constants differ, and what is made of them has the same operations, the one that came first is told.
    """

    def __init__(self) -> None:
        self._seen = set[str]()
        self._found: dict[tuple[str, str], str] = {}

    def note(self, launch: Launch) -> None:
        """Looks at the kernel of a launch, unless it was there."""
        way, numbers = variant(launch)
        name = " ".join((way, *numbers))
        if name not in self._seen:
            self._seen.add(name)
            made = made_of(launch)
            self._found.setdefault((way, re.sub(r"`.*?`(, )?", "", made)), f"{name}\n{made}")

    def __str__(self) -> str:
        return "".join(sorted(self._found.values()))


def variant(launch: Launch) -> tuple[str, list[str]]:
    """A kernel's name, the dtypes of its arrays, and which of its ways it takes; and numbers among its constants."""
    kernel, arguments = launch.dispatcher.kernel, launch.arguments
    assert arguments is not None
    given = list(zip(kernel.signature.parameters, arguments, strict=True))
    arrays = [getattr(a, "array", a) for p, a in given if p.mode != "const"]
    dtypes = [str(a.dtype).removeprefix("torch.") for a in arrays if hasattr(a, "dtype")]
    ways = [f"{p.name}={a}" for p, a in given if p.mode == "const" and isinstance(a, bool | str)]
    numbers = [f"{p.name}={a}" for p, a in given if p.mode == "const" and a is not None and f"{p.name}={a}" not in ways]
    return " ".join((kernel.__name__, *dtypes, *ways)), numbers


_WITHIN = ("for", "loop", "if")
"""Operations whose bodies run another number of times, or not at all."""
_ALONG = ("axis", "dim", "reverse")
_NOTHING = ("kernel", "module", "region", "end", "return", "yield", "continue")


def made_of(launch: Launch) -> str:
    """
    The operations of a launch's kernel, as the frontend makes them: how many in which loops, along which axes, and what
    numbers they take, each as often as it is taken.
    """
    kernel: Any = launch.dispatcher.kernel
    found: dict[str, Counter[str]] = {}
    for op in kernel.lower(*(launch.arguments or ())).walk():
        place = " ".join(reversed([name for name in map(_name, _around(op)) if name in _WITHIN]))
        found.setdefault(place, Counter()).update(_told(op))
    lines: list[str] = []
    for place, told in found.items():
        counted = [
            _number(name, count) if name[0] == "`" else f"{count} {name}" for name, count in sorted(told.items())
        ]
        lines += [f"    {place + ': ' if place else ''}{', '.join(counted)}\n"] if counted else []
    return "".join(lines)


def _number(name: str, count: int) -> str:
    return name if count == 1 else f"{name[:-1]} x{count}`"


def _name(op: Operation) -> str:
    return op.name.partition(".")[2]


def _around(op: Operation) -> Iterator[Operation]:
    while (above := op.parent_op()) is not None:
        yield above
        op = above


def _told(op: Operation) -> list[str]:
    """An operation by its name, its axis, how it compares, flags and hints; a constant for each use, by its number."""
    if isinstance(op, ConstantOp):
        uses = sum(1 for _ in op.results[0].uses)
        value = op.value.splat_value if op.value.is_splat else None
        return ["constant"] if value is None else [f"`{value if isinstance(value, int) else f'{value:.6g}'}`"] * uses
    hints = op.properties.get("hints")
    asked = hints.hints.data.items() if isinstance(hints, OptimizationHintsAttr) else ()
    pairs = [(arch, *pair) for arch, given in asked for pair in cast(DictionaryAttr, given).data.items()]
    rest = [f"{key}={value}{'' if arch == 'default' else f' on {arch}'}" for arch, key, value in pairs]
    compared = [str(a.data) for a in op.properties.values() if isinstance(a, ComparisonPredicateAttr)]
    flags = [name for name, a in op.properties.items() if isinstance(a, UnitAttr)]
    axes = [str(getattr(a, "data", a)) for name, a in op.properties.items() if name in _ALONG]
    axes = [axis.partition(" : ")[0] for axis in axes]
    padding = op.properties.get("padding_value")
    if isinstance(padding, DenseElementsAttr) and padding.splat_value:
        flags.append(f"padding {padding.splat_value:.6g}")
    return [] if _name(op) in _NOTHING else [" ".join((_name(op), *axes, *compared, *flags, *rest))]
