"""What the names of the language share: a declared function is known in kernels, and refuses to run elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import cached_property, wraps
from inspect import unwrap
from types import FunctionType
from typing import Any, Literal, NoReturn, ParamSpec, TypeAlias, TypeVar, cast, get_overloads

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


@dataclass(frozen=True)
class Intrinsic:
    """A function of the language, or a method of tiles: what its declaration says, and how a call is typed."""

    name: str
    function: FunctionType
    """The declaration: its parameters, with their defaults, and its documentation."""
    find: Callable[[], Callable[..., Any]]
    """Finds what types a call: it is given the state of the typing and the call's arguments, and returns a value."""

    @cached_property
    def typing(self) -> Callable[..., Any]:
        """What types a call."""
        return self.find()

    @cached_property
    def forms(self) -> list[FunctionType]:
        """The ways to call it: those that it is overloaded with, or the declaration itself."""
        return cast("list[FunctionType]", get_overloads(self.function) or [self.function])


def intrinsic_of(function: object) -> Intrinsic | None:
    """What of the language a function of the host stands for; None of any other."""
    found = getattr(function, "__freehold_intrinsic__", None)
    return found if isinstance(found, Intrinsic) else None


def methods_of(kind: type[object]) -> dict[str, Intrinsic]:
    """The methods that the language declares for a class, in the order of its text."""
    named = {name: value for base in reversed(kind.__mro__) for name, value in vars(base).items()}
    return {name: found for name, value in named.items() if (found := intrinsic_of(value)) is not None}


def intrinsic(
    find: Callable[[], Callable[..., Any]], *, method_of: type[object] | None = None
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """
    Declares a name of the language. The declaration's body is never run: `find` says what types calls in kernels.

    It is a function because what it finds brings the compiler along, which nobody needs who only imports Freehold. With
    `method_of` the function is a method of that class, too: what it is called on is the first argument.
    """

    def declare(function: Callable[P, R]) -> Callable[P, R]:
        name = function.__name__

        @wraps(function)
        def refuse(*args: P.args, **kwargs: P.kwargs) -> R:
            for argument in args:  # an index map, which is read on the host, has values of its own
                rule = getattr(argument, "__freehold_host__", None)
                if rule is not None and not isinstance(argument, type):
                    return rule(name, args)
            outside(function.__qualname__)

        declared: Any = refuse
        declared.__freehold_intrinsic__ = Intrinsic(name, cast(FunctionType, unwrap(function)), find)
        if method_of is not None:
            setattr(method_of, name, refuse)
        return refuse

    return declare


def like(function: Callable[P, R], name: str, text: str) -> Callable[P, R]:
    """Declares a name of the language that is called as another one is; what types both knows it by its name."""
    other = intrinsic_of(function)
    assert other is not None

    @wraps(other.function)
    def declared(*_: P.args, **__: P.kwargs) -> R:
        raise AssertionError("a declaration is never run")

    declared.__name__, declared.__doc__ = name, text
    declared.__qualname__ = declared.__qualname__.replace(other.name, name)
    return intrinsic(other.find)(declared)
