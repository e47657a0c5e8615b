"""What helps where the assembler fails on a kernel: it is asked again without the kernel's hints, one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final, cast

from freehold.runtime.variants.hints import DEFAULT, KNOWN
from freehold.support.diagnostic import Rejected

if TYPE_CHECKING:
    from xdsl.dialects.builtin import IntegerAttr, ModuleOp

FAILS: Final = (("O404",), ("O406",))
"""The errors of an assembler that crashed on a kernel, or refused it."""

_USERS: Final = {known: name for name, (known, _) in KNOWN.items() if known}
_FIRST: Final = ("occupancy", "num_cta_in_cga", "num_worker_warps_per_cta")
"""Hints in the order in which they are left out."""


def advise(rejected: Rejected, module: ModuleOp, arch: str, assembled: Callable[[ModuleOp], object]) -> None:
    """
    Adds to an error of the assembler, on a module of Tile IR, which hints it takes the kernel without, if it does.

    `assembled` raises `Rejected` for a module that it does not take.
    """
    from freehold.backend.errors.assembler import AssemblerFailed

    (error,) = rejected.errors
    assert isinstance(error, AssemblerFailed)
    for left_out, without in _attempts(module, arch):
        try:
            assembled(without)
        except Rejected:
            continue
        shown = " and ".join(f"`{_USERS.get(name, name)}={value}`" for name, value in left_out.items())
        error.add(error.WithoutHints(shown, "it" if len(left_out) == 1 else "them"))
        return


def _attempts(module: ModuleOp, arch: str) -> Iterator[tuple[dict[str, int], ModuleOp]]:
    """The module without each of the hints that count for an architecture, and without all; with those left out."""
    from xdsl.dialects.builtin import DictionaryAttr

    from freehold.dialects.cuda_tile.attrs import OptimizationHintsAttr
    from freehold.passes.validate_translation import entry_of

    given = entry_of(module).optimization_hints
    found = {} if given is None else {a: dict(cast("DictionaryAttr", h).data) for a, h in given.hints.data.items()}
    counted = {**found.get(DEFAULT, {}), **found.get(arch, {})}
    names = sorted(counted, key=lambda name: (_FIRST.index(name) if name in _FIRST else len(_FIRST), name))
    for chosen in [[name] for name in names] + ([names] if len(names) > 1 else []):
        without = module.clone()
        kept = {a: DictionaryAttr({n: v for n, v in h.items() if n not in chosen}) for a, h in found.items()}
        entry_of(without).optimization_hints = OptimizationHintsAttr({a: h for a, h in kept.items() if h.data})
        yield {name: cast("IntegerAttr", counted[name]).value.data for name in chosen}, without
