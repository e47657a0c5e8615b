"""What the arguments of a launch look like: a key of all that matters of them but addresses and scalars."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

from freehold.frontend.signature import EXACT, ConstSpec, KernelSignature
from freehold.runtime.launch import modes
from freehold.runtime.launch.partition import Partition
from freehold.runtime.memory.arguments import ALIGNMENT, ArrayView, UnknownDType, Unreadable, view
from freehold.runtime.memory.scalars import is_plain, plain_number, scalar_dtype


class Likeness(NamedTuple):
    """Arguments, read once."""

    key: Hashable
    views: tuple[ArrayView, ...]
    run_time: tuple[Any, ...]
    """As a `Bound` has it."""

    def same(self, views: Sequence[ArrayView]) -> bool:
        """Whether arrays that were read again look the same. An object may describe itself in another way each time."""
        return [*map(_looks, self.views)] == [*map(_looks, views)]


def _looks(found: ArrayView) -> tuple[Hashable, ...]:
    low = found.pointer % ALIGNMENT
    return found.shape, found.strides, found.dtype.name, found.device, found.family, low, found.read_only is None


def likeness(signature: KernelSignature, arguments: tuple[Any, ...]) -> Likeness | None:
    """What arguments look like, also to the interpreter; None where that takes the thorough way to find out."""
    key: list[Hashable] = [modes.current()]
    views: list[ArrayView] = []
    run_time: list[Any] = []
    try:
        for parameter, argument in zip(signature.parameters, arguments, strict=True):
            kind: type = argument.__class__
            if parameter.is_tensor:
                spec = None
                if isinstance(argument, Partition):
                    spec, argument = id(argument.spec), argument.array  # equal specs are one object
                found = view(argument)
                key += (kind, spec, *_looks(found))
                views.append(found)
                run_time.append(found)
            elif parameter.mode == "scalar":
                if not is_plain(argument.__class__):  # what may be another number when it is asked again is asked once
                    return None
                number = plain_number(scalar_dtype(parameter), argument)
                if number is None:
                    return None
                run_time.append(number)
            else:
                key += (kind, argument if kind in EXACT else ConstSpec(argument))
    except (Unreadable, UnknownDType, TypeError):  # a constant may have no hash
        return None
    return Likeness(tuple(key), tuple(views), tuple(run_time))
