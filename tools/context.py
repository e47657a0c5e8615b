"""The dialects that a tool reads, each loaded when a file first names it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.context import Context

if TYPE_CHECKING:
    from xdsl.ir import Dialect


def _builtin() -> Dialect:
    from xdsl.dialects.builtin import Builtin

    return Builtin


def _test() -> Dialect:
    from xdsl.dialects.test import Test

    return Test


def _ownership() -> Dialect:
    from freehold.dialects.ownership import Ownership

    return Ownership


def _cuda_tile() -> Dialect:
    from freehold.dialects.cuda_tile import CudaTile

    return CudaTile


DIALECTS = {"builtin": _builtin, "test": _test, "ownership": _ownership, "cuda_tile": _cuda_tile}
"""Name and factory of each dialect."""


def make_context(*, allow_unregistered: bool = False) -> Context:
    """
    A context that knows Freehold's dialects, `builtin`, and xDSL's `test` for suites.

    With `allow_unregistered`, operations of other dialects are accepted in generic form.
    """
    context = Context(allow_unregistered=allow_unregistered)
    for name, factory in DIALECTS.items():
        context.register_dialect(name, factory)
    return context
