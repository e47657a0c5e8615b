"""
Versions of torch's tensors: a launch that writes one says so, as torch's own operations do.

Autograd compares the version of what it saved with that of what it finds in backward, and raises where they differ. The
tensor that `detach()` gives shares the version of the one it came from, so that no gradient is wrong without a word.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Final

_BUMPS: Final[dict[type, Callable[[tuple[Any]], None] | None]] = {}
"""By class of array: torch's function, which takes tuples of them, or None for arrays that have no version."""


def changed(written: Any) -> None:
    """Says of an array, or of each in a tuple, that its elements are others now."""
    kind = written.__class__
    try:
        bump = _BUMPS[kind]
    except KeyError:
        bump = _BUMPS[kind] = _found(kind)
    if bump is not None:
        bump((written,))


def _found(kind: type) -> Callable[[tuple[Any]], None] | None:
    if kind is tuple:
        return _each
    if any(base.__name__ == "Tensor" and base.__module__ in ("torch", "torch._tensor") for base in kind.__mro__):
        torch: Any = sys.modules["torch"]
        try:
            torch._C._increment_version((torch.empty(0),))  # what the public function calls
        except (AttributeError, TypeError):  # another torch
            return _by_name
        return torch._C._increment_version
    return None


def _by_name(written: tuple[Any]) -> None:
    increment: Any = sys.modules["torch"].autograd.graph.increment_version
    increment(written[0])


def _each(written: tuple[tuple[Any, ...]]) -> None:
    for one in written[0]:
        changed(one)
