"""Assignments: a value, or its parts, under the names of variables."""

from __future__ import annotations

from freehold.frontend import advice_on_values, errors
from freehold.frontend.advice import Advice, extremes, line
from freehold.frontend.context import Context
from freehold.frontend.syntax import core, names
from freehold.frontend.syntax.text import primary
from freehold.frontend.values import (
    POISON,
    Poison,
    RegionValue,
    Static,
    TensorValue,
    TileValue,
    TupleValue,
    Value,
    describe,
    record_of,
)


def assign(c: Context, target: core.Target, value: Value) -> None:
    """Gives `value` to a variable, or its parts to several."""
    match target:
        case core.Name():
            _keeps_outputs(c, target, value)
            c.bind(target.id, value)
        case core.Unpack():
            _unpack(c, target, value)
        case core.Subscript() | core.Attribute():
            into_memory(c, target)
        case _:
            pass  # reported when the syntax was checked


def _keeps_outputs(c: Context, target: core.Name, value: Value) -> None:
    """Notes where a tile gets the name of a tensor that is written. What was read of one may go on under its name."""
    old = c.frame.variables.get(target.id)
    if not isinstance(old, TensorValue) or not isinstance(value, TileValue | Static):
        return
    mode = old.parameter.mode
    if mode != "out" and (mode != "mut" or all(p.name != target.id for p in c.frame.function.parameters)):
        return  # a further name of a `Mut` is a variable like any
    c.renamed.add(target.id)
    statement = next((n for n in c.frame.nodes if isinstance(n, core.Assign) and target in core.walk(*n.targets)), None)
    behind = [] if statement is None else _behind(c, statement, target.id)
    if mode == "mut" and any(isinstance(n, core.Name) for n in behind):
        return
    kind = "output" if mode == "out" else "tensor"
    error = errors.OutputRebound(c.span(target), kind=kind, name=target.id, what=describe(value))
    own = None if statement is None or any(isinstance(n, core.Assign) for n in behind) else statement
    if own is not None and own.targets == [target]:
        error.add(error.Instead(f"store it: `{target.id}.store({line(c, own.value)})`", at=c.span(own)))
    else:
        edit = f"give the tile another name, `tile`, and store it in the end: `{target.id}.store(tile)`"
        error.add(error.Instead(edit))
    c.rebound.setdefault(old.parameter.name, error)


def _behind(c: Context, statement: core.Assign, name: str) -> list[core.Node]:
    """What reads a name after a statement: names, and for those in them, what gives the name a new value."""
    choices = (n for n in c.frame.nodes if isinstance(n, core.If) and statement in core.walk(*n.body))
    otherwise = {id(n) for choice in choices for n in core.walk(*choice.orelse)}
    nodes = [n for n in c.frame.nodes if n.place[:2] >= statement.place[2:] and id(n) not in otherwise]
    again = [n for n in nodes if isinstance(n, core.Assign) and [*map(_name, n.targets)] == [name]]
    own = {id(n) for assign in again for n in core.walk(assign)}
    found: list[core.Node] = [n for n in again if name in map(_name, core.walk(n.value))]
    return found + [n for n in nodes if _name(n) == name and id(n) not in own]


def _name(node: core.Node) -> str | None:
    return node.id if isinstance(node, core.Name) else None


def _assignment(c: Context, target: core.Target) -> core.Assign | None:
    """The statement that has a target."""
    assigned = (n for n in c.frame.nodes if isinstance(n, core.Assign) and target in n.targets)
    return next(assigned, None)


def _extremes(c: Context, target: core.Unpack) -> Advice | None:
    """What torch's `v, i = t.max(1)` is: two reductions."""
    found = _assignment(c, target)
    pair = None if found is None or len(target.targets) != 2 else extremes(c, found.value)
    return None if found is None or pair is None else Advice(", ".join(pair), found.value)


def _unpack(c: Context, target: core.Unpack, value: Value) -> None:
    targets, star = target.targets, target.star
    if isinstance(value, TupleValue):
        items = value.items
        more = len(items) - len(targets)
        if star is not None and more >= -1:
            items = (*items[:star], TupleValue(items[star : star + more + 1]), *items[star + more + 1 :])
        if len(items) == len(targets):
            for inner, item in zip(targets, items, strict=True):
                assign(c, inner, item)
            return
    if not isinstance(value, Poison):
        one = len(targets) == 1
        error = errors.Unpacking(
            c.span(target),
            what=describe(value),
            names="one name" if one else f"{len(targets)} names",
            needed="a tuple of one value is needed" if one else f"{len(targets)} values are needed",
        )
        if isinstance(value, TensorValue):
            error.add(error.Instead(f"its extents are `{value.name}.shape`"))
        elif isinstance(value, TupleValue):
            count = len(value.items)
            texts = [("*" if i == star else "") + c.text(t) for i, t in enumerate(targets)]
            wanted = texts[:count] + ["_"] * (count - len(targets))
            shown = ", ".join(wanted) if count != 1 else f"({wanted[0]},)"
            if count:
                error.add(error.Instead(f"write as many names as there are values: `{shown} = ...`"))
        elif (pair := _extremes(c, target)) is not None:
            error.add(error.Instead(f"each is a call of its own: `{pair.text}`", at=pair.at(c)))
        c.error(error)
    for name in names.of_target(target):
        c.frame.variables[name.id] = POISON


def _is_of_places(c: Context, index: core.Expr) -> bool:
    """Whether an index is a tile of integers."""
    if isinstance(index, core.Slice):
        return False
    before = len(c.errors)
    values = [
        c.lower(e) for e in (index.elts if isinstance(index, core.Tuple) else (index,)) if not isinstance(e, core.Slice)
    ]
    del c.errors[before:]  # which are told of where a value is used
    return any(isinstance(value, TileValue) and value.shape and not value.dtype.is_float for value in values)


def into_memory(c: Context, target: core.Subscript | core.Attribute) -> None:
    """Reports an assignment to a part of something."""
    value = c.lower(target.value)
    if isinstance(value, Poison):
        return
    here = c.here.value if isinstance(c.here, core.Assign) else None
    augmented = here if isinstance(here, core.BinOp) and here.augmented else None
    given = augmented.right if augmented is not None else here
    element, at = isinstance(target, core.Subscript), None
    what = "assigning to an element" if element else "assigning to an attribute"
    if isinstance(value, TensorValue | RegionValue):
        tensor = value if isinstance(value, TensorValue) else value.tensor
        why = "a tensor is written by regions: each block its own, without an index"
        error = errors.Unsupported(c.span(target), what=what, why=why)
        edit = f"declare it as written, and store: `{tensor.name}: Out`, `{tensor.name}.store(t)`"
        if tensor.parameter.mode == "acc" and isinstance(target, core.Subscript):
            index, text = c.text(target.slice), "value" if given is None else c.text(given)
            whole = augmented is not None and augmented.op == "+" and not isinstance(target.slice, core.Slice)
            places = _is_of_places(c, target.slice)
            made = f"{tensor.name}.add_at({text}, {index})" if places else f"{tensor.name}.at({index}).add({text})"
            edit, at = f"blocks add to it: `{made}`", c.span(c.here) if whole else None
        if tensor.region is not None:
            name, text = c.text(target.value), c.text(given) if given is not None and element else "tile"
            if augmented is not None and element:
                text = f"{name}.load() {augmented.op} {primary(text)}"
            edit = f"write this block's region: `{name}.store({text})`"
            at = c.span(c.here) if element and advice_on_values.is_all(target) else None
            if isinstance(target, core.Subscript) and _is_of_places(c, target.slice):
                values = "values" if given is None else c.text(given)
                edit = (
                    f"places that data say are written by sums alone: declare `{name}` as `Acc`, zeros at first, "
                    f"and write `{name}.add_at({values}, {c.text(target.slice)})`"
                )
    else:
        error = errors.Unsupported(c.span(target), what=what, why=f"{describe(value)} cannot be changed")
        edit = "make a new value and give it a name"
        plain = given if augmented is None else None
        if isinstance(value, TileValue):
            edit = "make a new tile: `fh.where(condition, new, old)`"
            if given is not None and isinstance(target, core.Subscript):
                op = "" if augmented is None else augmented.op
                made = advice_on_values.of_assignment(c, value, target, given, op)
                edit, at = (edit, None) if made is None else (made.text, c.span(c.here))
        elif record_of(value) is not None and isinstance(target, core.Attribute) and plain is not None:
            name = c.text(target.value)
            edit = f"make a new one: `{name} = dataclasses.replace({name}, {target.attr}={c.text(plain)})`"
    c.error(error.add(error.Instead(edit, at=at)))
