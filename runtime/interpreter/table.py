"""Every operation that has a meaning, in one table: the modules beside this one, by section of the specification."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from freehold.runtime.interpreter import (
    breakpoints,
    control,
    conversions,
    floats,
    integers,
    ownership,
    parts,
    pointers,
    products,
    reductions,
    scattered,
    shapes,
    views,
)

if TYPE_CHECKING:
    from freehold.runtime.interpreter.compile import Effect, Pure

PURE: Final[dict[str, Pure]] = {
    **integers.PURE,
    **floats.PURE,
    **conversions.PURE,
    **shapes.PURE,
    **products.PURE,
    **control.PURE,
    **pointers.PURE,
    **views.PURE,
    **ownership.PURE,
    **parts.PURE,
}
"""Operations whose results are functions of their operands' values."""

EFFECTS: Final[dict[str, Effect]] = {
    **control.EFFECTS,
    **reductions.EFFECTS,
    **pointers.EFFECTS,
    **views.EFFECTS,
    **ownership.EFFECTS,
    **parts.EFFECTS,
    **scattered.EFFECTS,
    **breakpoints.EFFECTS,
}
"""Operations that touch memory, steer, or run regions."""

CONTAINERS: Final = frozenset({"ownership.kernel", "cuda_tile.module", "cuda_tile.entry", "cuda_tile.global"})
"""Operations that hold what is run, and that `launch` reads by itself."""

TERMINATORS: Final = frozenset({"cuda_tile.yield"})
"""Operations that the one around them reads by itself."""

WITHOUT_MEANING: Final = {
    "cuda_tile.pow": "text that has it is read as `fpowf`",
    "cuda_tile.print": "text that has it is read as `print_tko`",
    "cuda_tile.preview$call": "it calls device code that is not in the module",
}
"""Operations that the interpreter refuses, and why."""
