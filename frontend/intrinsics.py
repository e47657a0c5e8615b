"""What the names of the language share: a marked function is recognised in kernels, and refuses to run."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Literal, NoReturn, ParamSpec, TypeAlias, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

Padding: TypeAlias = Literal["zero", "neg_zero", "nan", "inf", "-inf"]
"""What a load reads beyond the edge of a tensor. All but `zero` need floating-point elements."""


class Rounding(Enum):
    """How an inexact result is rounded: `fh.Rounding.ZERO`."""

    NEAREST = "nearest_even"
    """To the nearest number; of two as near, to the even one."""
    AWAY = "nearest_away"
    """To the nearest number; of two as near, to the one farther from zero."""
    ZERO = "zero"
    """Towards zero."""
    DOWN = "negative_inf"
    """To the next lower number."""
    UP = "positive_inf"
    """To the next higher number."""
    APPROX = "approx"
    """By the fastest approximation."""
    FULL = "full"
    """By an approximation that is accurate over the whole range."""


def outside(name: str) -> NoReturn:
    """Says that something of the language was used outside a kernel (O016)."""
    from freehold.frontend.errors import OutsideKernel
    from freehold.support.diagnostic import Rejected

    raise Rejected([OutsideKernel(None, name=name)])


def intrinsic(function: Callable[P, R]) -> Callable[P, R]:
    """Marks a name of the language; its body is never run in a kernel."""

    def refuse(*args: P.args, **kwargs: P.kwargs) -> R:
        for argument in args:  # an index map, which is read on the host, has values of its own
            rule = getattr(argument, "__freehold_host__", None)
            if rule is not None and not isinstance(argument, type):
                return rule(function.__name__, args)
        outside(function.__name__)

    refuse.__name__ = refuse.__qualname__ = function.__name__
    refuse.__doc__ = function.__doc__
    refuse.__module__ = function.__module__
    refuse.__wrapped__ = function  # type: ignore[attr-defined] # pyright: ignore[reportFunctionMemberAccess] -- the frontend reads its parameters
    refuse.__freehold_intrinsic__ = function.__name__  # type: ignore[attr-defined] # pyright: ignore[reportFunctionMemberAccess] -- how the frontend knows it
    return refuse
