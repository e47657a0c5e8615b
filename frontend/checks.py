"""What kernels check while they run: assertions, with the values that their errors show."""

from __future__ import annotations

from freehold.dialects.ownership import SHOWN, CheckOp
from freehold.frontend import errors
from freehold.frontend.context import Context
from freehold.frontend.reductions import every
from freehold.frontend.syntax import core
from freehold.frontend.values import TileValue, static_of
from freehold.support.contract import MOST_VALUES


def check(c: Context, condition: TileValue, message: str, shown: dict[str, TileValue]) -> None:
    """Ends the block, and fails the launch, unless all elements of a tile of truth values are true."""
    known = {n: v for n, v in shown.items() if not v.shape and v.dtype.name in SHOWN}
    values = dict(list(known.items())[:MOST_VALUES])
    dtypes = [v.dtype.name for v in values.values()]
    c.add(CheckOp, every(c, condition), message, [*values.values()], list(values), dtypes)


def unsaid(c: Context, test: core.Expr) -> str:
    """The message of an assertion that has none."""
    return f"`{' '.join(c.text(test).split())}` does not hold"


def scalars_in(c: Context, test: core.Expr) -> dict[str, TileValue]:
    """The variables that an expression names and that are tiles, in their order in the text."""
    names = [n for n in core.walk(test) if isinstance(n, core.Name)]
    found = [n.id for n in sorted(names, key=lambda n: n.place)]
    values = {name: c.frame.variables.get(name) for name in found}
    return {name: value for name, value in values.items() if isinstance(value, TileValue)}


def static_failure(c: Context, test: core.Expr, message: str) -> None:
    """Reports a condition that is known not to hold."""
    error = errors.StaticAssertion(c.span(test), message=message)
    shown: list[str] = []
    for name in sorted({n.id for n in core.walk(test) if isinstance(n, core.Name) and not core.is_hidden(n.id)}):
        value = c.frame.variables.get(name)
        known = None if value is None else static_of(value)
        if known is not None:
            shown.append(f"`{name}` is {known[0]!r}")
    if shown:
        error.add(error.Values(", ".join(shown)))
    c.error(error)
