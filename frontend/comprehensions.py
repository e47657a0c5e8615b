"""Comprehensions: written out, as what they run over is known when the kernel is compiled."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from freehold.frontend import errors
from freehold.frontend.conditions import condition
from freehold.frontend.context import Context
from freehold.frontend.loops import MAX_TURNS
from freehold.frontend.values import (
    POISON,
    Poison,
    TensorValue,
    TileValue,
    TupleValue,
    Value,
    describe,
    items_of,
)


class _Stop(Exception):
    """What a comprehension runs over cannot be written out; the reason is reported."""


def generator(c: Context, node: ast.GeneratorExp) -> Value:
    """`... for x in xs if test`, as the tuple of its values. Its variables are its own."""
    variables = c.frame.variables
    c.frame.variables = dict(variables)
    try:
        return TupleValue(tuple(_values(c, node, 0, [MAX_TURNS])))
    except _Stop:
        return POISON
    finally:
        c.frame.variables = variables


def _values(c: Context, node: ast.GeneratorExp, depth: int, left: list[int]) -> Iterator[Value]:
    from freehold.frontend.statements import assign

    if depth == len(node.generators):
        left[0] -= 1
        yield c.lower(node.elt)
        return
    level = node.generators[depth]
    for item in _items(c, level.iter):
        if left[0] <= 0:
            what = f"the comprehension has more than {MAX_TURNS} values"
            error = errors.TooLong(c.span(node), what=what, why="each is written out")
            c.error(error.add(error.Instead("count at run time: `for i in range(...)`")))
            raise _Stop
        assign(c, level.target, item)
        if all(_holds(c, test) for test in level.ifs):
            yield from _values(c, node, depth + 1, left)


def _items(c: Context, node: ast.expr) -> tuple[Value, ...]:
    over = c.lower(node)
    items = items_of(over, MAX_TURNS + 1)
    if items is not None:
        return items
    if isinstance(over, TileValue | TensorValue):
        error = errors.NotIterable(c.span(node), what=describe(over))
        c.error(error.add(error.Instead("combine the elements of a tile: `t.sum(axis)`")))
    elif not isinstance(over, Poison):
        wrong = errors.NotConstant(c.span(node), what="what a comprehension runs over", why=f"this is {describe(over)}")
        c.error(wrong.add(wrong.Instead(f"write a loop: `for i in {c.text(node)}:`")))
    raise _Stop


def _holds(c: Context, test: ast.expr) -> bool:
    truth = condition(c, c.lower(test), test, "a comprehension")
    if isinstance(truth, TileValue):
        why = "it is known when the kernel runs, and how many values there are must be known before"
        error = errors.NotConstant(c.span(test), what="the condition of a comprehension", why=why)
        c.error(error.add(error.Instead(f"choose the value: `x if {c.text(test)} else 0`")))
        raise _Stop
    if truth is None:
        raise _Stop
    return truth
