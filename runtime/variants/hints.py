"""Hints for the assembler: how kernels are laid out on a GPU, for all GPUs alike or for each architecture."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from freehold.runtime.base.call_site import caller
from freehold.runtime.errors.refusing import errors, reject
from freehold.support.public import refuse
from freehold.support.spelling import nearest

Given = int | Mapping[str, int]
"""A hint as users give it: a value, or values by architecture (`{"sm_90": 2, "default": 1}`)."""

Hints = tuple[tuple[str, int | tuple[tuple[str, int], ...]], ...]
"""Hints as they are kept, sorted by name; of one with values by architecture, those pairs, sorted as well."""

KNOWN: Final[Mapping[str, tuple[str, tuple[int, ...]]]] = {
    "num_worker_warps": ("num_worker_warps_per_cta", (1, 2, 4, 8, 16, 32)),
    "occupancy": ("occupancy", tuple(range(1, 33))),
    "num_cta_in_cga": ("num_cta_in_cga", (1, 2, 4, 8, 16)),
    "allow_tma": ("", (False, True)),
    "begin_early": ("", (False, True)),
}
"""Hints by the name users know: the name in Tile IR, if entry points have them, and the values there are."""

DEFAULT: Final = "default"
"""Stands for all architectures that are not named."""

_ARCHITECTURE: Final = re.compile(r"sm_\d+")


def checked(kernel: str, hints: Mapping[str, Given]) -> Hints:
    """Hints in the form they are kept in. Raises `Rejected` (O242) for names and values that there are not."""
    kept: list[tuple[str, int | tuple[tuple[str, int], ...]]] = []
    for name, given in hints.items():
        if isinstance(given, Mapping):
            for arch, value in given.items():
                if arch != DEFAULT and not _ARCHITECTURE.fullmatch(arch):
                    _unknown(kernel, name, given, f"`{arch}` is no architecture, such as `sm_90`, nor `default`")
                _check(kernel, name, value)
            kept.append((name, tuple(sorted(given.items()))))
        else:
            _check(kernel, name, given)
            kept.append((name, given))
    return tuple(sorted(kept))


def given(hints: Hints) -> dict[str, Given]:
    """Hints as they were given."""
    return {name: value if isinstance(value, int) else dict(value) for name, value in hints}


def of(hints: Hints, arch: str) -> dict[str, int]:
    """The hints for one architecture, by the names users know."""
    found: dict[str, int] = {}
    for name, value in hints:
        known = {DEFAULT: value} if isinstance(value, int) else dict(value)
        if (chosen := known.get(arch, known.get(DEFAULT))) is not None:
            found[name] = chosen
    return found


def in_tile_ir(hints: Hints) -> dict[str, dict[str, int]]:
    """What an entry point carries: all hints for each architecture that is named, and for the others."""
    named = {arch for _, value in hints if not isinstance(value, int) for arch, _ in value}
    by_arch = {
        arch: {KNOWN[n][0]: v for n, v in of(hints, arch).items() if KNOWN[n][0]} for arch in sorted(named | {DEFAULT})
    }
    return {arch: found for arch, found in by_arch.items() if found}


def by_threads(hints: Hints) -> list[str]:
    """The architectures for which a kernel's tiles are loaded and stored by threads."""
    value = dict(hints).get("allow_tma", True)
    return [arch for arch, tma in ({DEFAULT: value} if isinstance(value, int) else dict(value)).items() if not tma]


def _check(kernel: str, name: str, value: object) -> None:
    if name in KNOWN and any(type(value) is type(known) and value == known for known in KNOWN[name][1]):
        return
    _unknown(kernel, name, value, "there is no such value" if name in KNOWN else "there is no such hint")


def refuse_as_keywords(kernel: str, others: Mapping[str, object]) -> None:
    """Raises for keywords of `kernel` that it does not have: `Rejected` (O242) for hints of ours or Triton's, which
    stand in `hints`, and (O045) for the others."""
    for name, value in others.items():
        if named(name) is None:
            refuse("freehold.kernel", f"got an unexpected keyword argument '{name}'")
        _unknown(kernel, name, value, "it is no keyword of `fh.kernel`")


_ELSEWHERE: Final = {"num_warps": "num_worker_warps", "num_ctas": "num_cta_in_cga", "num_stages": ""}
"""What Triton calls them; the empty text for what loads say, each for itself."""


def named(name: str) -> str | None:
    """The hint that is meant by a name of ours or Triton's; the empty text for what loads say here."""
    return name if name in KNOWN else _ELSEWHERE.get(name)


def _unknown(kernel: str, name: str, value: object, problem: str) -> None:
    error = errors.HintUnknown(caller().span, kernel, name, repr(value), problem, _known())
    meant = named(name)
    close = nearest(name, [*KNOWN]) if meant is None else meant
    if meant == "":
        error.add(error.OfLoads())
    elif problem.startswith("it is no keyword"):
        error.add(error.AsHint(str(close)))
    elif close is not None and close != name:
        error.add(error.DidYouMean(close))
    reject(error)


def _known() -> str:
    listed: list[str] = []
    for name, (_, values) in KNOWN.items():
        low, high = min(values), max(values)
        if low is False:
            listed.append(f"`{name}` (`True` or `False`)")
            continue
        whole = values == tuple(range(low, high + 1))
        shown = f"{low} to {high}" if whole else ", ".join(map(str, values))
        listed.append(f"`{name}` ({shown})")
    return ", ".join(listed)
