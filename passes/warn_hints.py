"""
`warn-hints`: names hints of `cuda_tile` operations that the assembler passes over. With `refuse`, refuses them.

A hint stands under an architecture, or under `default` for all. Kernels take `num_cta_in_cga` (1, 2, 4, 8 or 16; 1
before sm_90), `num_worker_warps_per_cta` (1, 2, 4, 8, 16 or 32) and `occupancy` (1 to 32); loads and stores take
`latency` (1 to 10), those of views `allow_tma`, too, which is a boolean. Changes nothing.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, cast

from xdsl.context import Context
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, IntegerType, ModuleOp, i1
from xdsl.ir import Attribute, Operation
from xdsl.passes import ModulePass

from freehold.dialects.cuda_tile.attrs import OptimizationHintsAttr
from freehold.dialects.location import span_of
from freehold.passes.errors.hints import HintIgnored, HintRefused
from freehold.passes.rewriting import walk
from freehold.support.diagnostic import KernelWarning, Rejected
from freehold.support.render import render
from freehold.support.span import Span

ARCHITECTURES: Final = frozenset(
    f"sm_{number}" for number in (80, 86, 87, 88, 89, 90, 100, 103, 107, 110, 120, 121)
) | {"default"}
"""What hints may stand under."""
_WITHOUT_CLUSTERS: Final = frozenset(f"sm_{number}" for number in (80, 86, 87, 88, 89))

_OF_KERNELS: Final = ("num_cta_in_cga", "num_worker_warps_per_cta", "occupancy")
_TAKEN: Final[Mapping[str, tuple[str, ...]]] = {
    "entry": _OF_KERNELS,
    "load_view_tko": ("latency", "allow_tma"),
    "store_view_tko": ("latency", "allow_tma"),
    "load_ptr_tko": ("latency",),
    "store_ptr_tko": ("latency",),
}
"""The hints that an operation takes. Others, with hints as a plain attribute, are not looked at."""

_VALUES: Final[Mapping[str, tuple[frozenset[int], str]]] = {
    "num_cta_in_cga": (frozenset((1, 2, 4, 8, 16)), "1, 2, 4, 8 or 16"),
    "num_worker_warps_per_cta": (frozenset((1, 2, 4, 8, 16, 32)), "1, 2, 4, 8, 16 or 32"),
    "occupancy": (frozenset(range(1, 33)), "an integer from 1 to 32"),
    "latency": (frozenset(range(1, 11)), "an integer from 1 to 10"),
}
"""The values that a hint may have, and how they are told."""


@dataclass(frozen=True)
class WarnHintsPass(ModulePass):
    """Warns of hints that the assembler passes over; with `refuse`, refuses them. Changes nothing."""

    name = "warn-hints"
    refuse: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Gives a `KernelWarning` (O160) for each, or with `refuse` raises `Rejected` with an O161 for each."""
        found = [(each, *wrong) for each in walk(op) for wrong in unsupported_hints(each)]
        if self.refuse and found:
            raise Rejected([HintRefused(span_of(each), hint, why) for each, hint, why in found])
        for each, hint, why in found:
            warning = HintIgnored(span_of(each), hint, why)
            file, line = (warning.place.file, warning.place.line) if isinstance(warning.place, Span) else ("module", 0)
            warnings.warn_explicit(render(warning.report()), KernelWarning, file, line)


def unsupported_hints(op: Operation) -> Iterator[tuple[str, str]]:
    """The hints of an operation that are not followed, `sm_90.occupancy`, and why each is not."""
    taken = _TAKEN.get(op.name.removeprefix("cuda_tile."))
    hints = op.properties.get("optimization_hints")
    if taken is None or not isinstance(hints, OptimizationHintsAttr):
        return
    for arch, values in hints.hints.data.items():
        if arch not in ARCHITECTURES:
            yield arch, "hints stand under `default` or an architecture such as `sm_90`"
            continue
        for name, value in cast("DictionaryAttr", values).data.items():
            if name not in taken:
                yield f"{arch}.{name}", f"`{op.name.removeprefix('cuda_tile.')}` takes {' and '.join(taken)}"
            elif (why := _wrong_value(arch, name, value)) is not None:
                yield f"{arch}.{name}", why


def _wrong_value(arch: str, name: str, value: Attribute) -> str | None:
    integer = cast("IntegerAttr[IntegerType]", value) if isinstance(value, IntegerAttr) else None
    boolean = integer is not None and integer.type == i1
    if name == "allow_tma":
        return None if boolean else "it is `true` or `false`"
    allowed, told = _VALUES[name]
    if name == "num_cta_in_cga" and arch in _WITHOUT_CLUSTERS:
        allowed, told = frozenset((1,)), f"1, for {arch} has no clusters"
    return None if integer is not None and not boolean and integer.value.data in allowed else f"it is {told}"
