"""Refusals: how an error of a user becomes an exception. The classes of errors are loaded when the first is needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Concatenate, NoReturn, ParamSpec

from freehold.runtime.base.call_site import caller
from freehold.support.diagnostic import Error, Rejected
from freehold.support.lazy import Lazy

if TYPE_CHECKING:
    from freehold.runtime.errors import every as errors
else:
    errors = Lazy("freehold.runtime.errors.every")

P = ParamSpec("P")


def refuse(kind: Callable[Concatenate[Any, P], Error], *fields: P.args, **named: P.kwargs) -> NoReturn:
    """Raises `Rejected` with an error of a class, at the caller's place."""
    reject(kind(caller().span, *fields, **named))


def reject(error: Error, cause: BaseException | None = None) -> NoReturn:
    """Raises `Rejected` with an error."""
    raise Rejected([error]) from cause


__all__ = ["errors", "refuse", "reject"]
