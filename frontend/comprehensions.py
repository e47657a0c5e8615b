"""Comprehensions: written out, as what they run over is known when the kernel is compiled."""

from __future__ import annotations

from freehold.frontend import errors
from freehold.frontend.assignments import assign
from freehold.frontend.conditions import condition
from freehold.frontend.context import Context
from freehold.frontend.loops import MAX_TURNS
from freehold.frontend.syntax import core
from freehold.frontend.values import POISON, Poison, TensorValue, TileValue, TupleValue, Value, describe, items_of


def each(c: Context, node: core.Each) -> Value:
    """`... for x in xs`, as the tuple of its values. Its variables are its own."""
    items = _items(c, node.iter)
    if items is None:
        return POISON
    variables = c.frame.variables
    c.frame.variables = dict(variables)
    made: list[Value] = []
    try:
        for item in items:
            if len(made) >= MAX_TURNS or len(items) > MAX_TURNS:
                counted = "has" if len(items) <= MAX_TURNS else "runs over"
                what = f"the comprehension {counted} more than {MAX_TURNS} values"
                error = errors.TooLong(c.span(node), what=what, why="each is written out")
                return c.error(error.add(error.Instead("count at run time: `for i in range(...)`")))
            assign(c, node.target, item)
            value = c.lower(node.body)
            if not isinstance(value, TupleValue):
                return POISON
            made += value.items
    finally:
        c.frame.variables = variables
    return TupleValue(tuple(made))


def only(c: Context, node: core.Only) -> Value:
    """`... if test`: what follows, or no value."""
    truth = condition(c, c.lower(node.test), node.test, "a comprehension")
    if isinstance(truth, TileValue):
        why = "it is known when the kernel runs, and how many values there are must be known before"
        error = errors.NotConstant(c.span(node.test), what="the condition of a comprehension", why=why)
        return c.error(error.add(error.Instead(f"choose the value: `x if {c.text(node.test)} else 0`")))
    if truth is None:
        return POISON
    return c.lower(node.body) if truth else TupleValue(())


def _items(c: Context, node: core.Expr) -> tuple[Value, ...] | None:
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
    return None
