"""A launch as text: the kernel, how its tensors are cut, hints, constants, and what else it is given."""

# Arrays are of any library.
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false, reportUnknownMemberType=false

from __future__ import annotations

from typing import Any

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
