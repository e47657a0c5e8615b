"""Loops over tiles, what is decided at compile time, assertions and printing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import TYPE_CHECKING, Any

from freehold.frontend.intrinsics import intrinsic
from freehold.frontend.language.tensors import Tensor
from freehold.frontend.language.tile import Index, Operand, Scalar
from freehold.support.lazy import Lazy

if TYPE_CHECKING:
    from freehold.frontend import ranges, requirements, texts
    from freehold.frontend.language.tile import i32
else:
    ranges = Lazy("freehold.frontend.ranges")
    requirements = Lazy("freehold.frontend.requirements")
    texts = Lazy("freehold.frontend.texts")

__all__ = [
    "assert_",
    "cdiv",
    "print",
    "require",
    "static_assert",
    "static_range",
    "tiles",
    "unsafe",
]


@intrinsic(lambda: ranges.tiles)
def tiles(
    tensor: Tensor, *, axis: int, size: int, start: Index = 0, stop: Index | None = None, step: Index = 1
) -> Sequence[i32]:
    """The indices of the tiles of `size` elements that cover `tensor` along `axis`: `0 .. ceildiv(extent, size) - 1`.

    Those from `start` up to `stop`: what lies outside the tensor is left out, and a negative `start` that the kernel
    computes is 0. Every `step`-th from there on; `step` is positive, which is checked in the kernel where it is not
    known. `reversed(tiles(...))` runs backwards.
    Only as what a `for` runs over. The index carries its bound, so a load with it needs no check.
    """
    ...


@intrinsic(lambda: ranges.unsafe)
def unsafe(reason: str) -> AbstractContextManager[None]:
    """
    `with unsafe("why this is right"):` a block in which `Raw` tensors are accessed, without proof and without checks.

    Everything else in it is proved as anywhere. The reason stands in `Kernel.explain` and in reports.
    """
    ...


@intrinsic(lambda: partial(ranges.counted, static=True))
def static_range(*args: int) -> Iterator[int]:
    """As `range` of values known at compile time; the loop is unrolled, its variable is known in each turn."""
    ...


@intrinsic(lambda: ranges.static_assert)
def static_assert(condition: bool, message: str = "") -> None:
    """Refuses the kernel (O030) unless `condition`, known at compile time, holds."""


@intrinsic(lambda: requirements.require)
def require(condition: bool | Scalar | str, message: str = "") -> None:
    """
    A condition that the launcher checks before anything runs (O239), and that proofs may use.

    It speaks of extents (`x.shape[0]`), integer scalar parameters and compile-time integers, with `+ - * // %`, `min`,
    `max`, `cdiv` and comparisons; as text, of dimensions by their names: `require("H % G == 0")`. Numbers in it are
    Python's, which do not wrap around; what it divides by must be positive.
    """


@intrinsic(lambda: texts.assert_)
def assert_(condition: Operand, message: str = "") -> None:
    """Stops the kernel with `message` unless `condition` holds, for every element. As `assert`."""


@intrinsic(lambda: texts.print_)
def print(*values: object, sep: str = " ", end: str = "\n") -> None:
    """Prints, once a tile block, as Python does: tiles element by element, f-strings by printf's formats."""


@intrinsic(lambda: ranges.cdiv)
def cdiv(a: Any, b: Any) -> Any:
    """`ceil(a / b)` of integers; `b` is positive."""
    ...
