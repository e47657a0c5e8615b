"""Which variables statements assign, and which they read before that: of the core alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias, cast

from freehold.frontend.syntax import core
from freehold.frontend.syntax.core import Node, Place, Stmt, Target

Reads: TypeAlias = dict[str, Place]
"""Names, each with the place where it is read first."""


def of_target(target: Target) -> Iterator[core.Name]:
    """The variables that an assignment to `target` assigns."""
    if isinstance(target, core.Name):
        yield target
    elif isinstance(target, core.Unpack):
        for inner in target.targets:
            yield from of_target(inner)


def assigned(nodes: Iterable[Stmt]) -> dict[str, Node]:
    """The variables that `nodes` assign, in order of first assignment, each with the node that does."""
    found: dict[str, Node] = {}
    for statement in nodes:
        for name, node in _assigned(statement):
            found.setdefault(name, node)
    return found


def _assigned(node: Stmt) -> Iterator[tuple[str, Node]]:
    match node:
        case core.Assign():
            for target in node.targets:
                yield from ((name.id, name) for name in of_target(target))
        case core.For():
            yield from ((name.id, name) for name in of_target(node.target))
        case core.Define():
            yield node.function.name, node
        case _:
            pass
    for body in _bodies(node):
        for inner in body:
            yield from _assigned(inner)


def _bodies(node: Stmt) -> tuple[core.Body, ...]:
    match node:
        case core.If():
            return node.body, node.orelse
        case core.For() | core.While() | core.With():
            return (node.body,)
        case _:
            return ()


# --- Reading ---------------------------------------------------------------------------------------------------------


def reads(node: Node | None) -> Reads:
    """The variables around an expression that it reads."""
    found: Reads = {}
    if node is not None:
        _read(node, (), found)
    return found


def _read(node: Node, own: Sequence[str], found: Reads) -> None:
    """Adds what `node` reads, but for its `own` variables."""
    kind = type(node)
    if kind is core.Name:
        name = cast(core.Name, node)
        if name.id not in own:
            found.setdefault(name.id, name.place)
    elif kind is core.Attribute:
        _read(cast(core.Attribute, node).value, own, found)
    elif kind is core.Constant:
        pass
    elif isinstance(node, core.Each):
        _read(node.iter, own, found)
        inner = [*own, *(name.id for name in of_target(node.target))]
        _read(node.body, inner, found)
    elif isinstance(node, core.Lambda):
        _add(found, free(node.function), own)
    elif isinstance(node, core.BoolOp) and node.chain:
        inner = [
            *own,
            *(n.right.id for n in node.values if isinstance(n, core.Compare) and isinstance(n.right, core.Let)),
        ]
        for value in node.values:
            _read(value, inner, found)
    else:
        for child in core.children(node):
            _read(child, own, found)


def _add(found: Reads, more: Mapping[str, Place], known: Iterable[str] = ()) -> None:
    for name, place in more.items():
        if name not in known:
            found.setdefault(name, place)


def free(function: core.Function) -> Reads:
    """The variables around a function that it reads: its defaults do so where it is defined, its body at every call."""
    found: Reads = {}
    for parameter in function.parameters:
        _add(found, reads(parameter.default))
    own = {p.name for p in function.parameters} | assigned(function.body).keys()
    _add(found, reads(function.value) if function.value is not None else exposed(function.body), own)
    return found


def exposed(nodes: Iterable[Stmt], test: core.Expr | None = None) -> Reads:
    """The variables that `nodes` may read before they assign them; `test` is read first."""
    found = reads(test)
    _scan(nodes, set(), found)
    return found


def _scan(nodes: Iterable[Stmt], known: set[str], found: Reads) -> bool:
    """Adds to `found` what is read and not in `known`, and to `known` what is certainly assigned where the nodes end.
    Whether they do: a `break` or `continue` leaves them."""
    for node in nodes:
        _add(found, read_first(node), known)
        match node:
            case core.If():
                branches = [set(known), set(known)]
                ends = [_scan(body, k, found) for body, k in zip((node.body, node.orelse), branches, strict=True)]
                if not any(ends):
                    return False
                known |= set[str].intersection(*(k for k, end in zip(branches, ends, strict=True) if end))
            case core.For():
                _scan(node.body, known | {name.id for name in of_target(node.target)}, found)
            case core.While():
                _scan(node.body, set(known), found)
            case core.With():
                if not _scan(node.body, known, found):
                    return False
            case core.Assign():
                known |= {name.id for target in node.targets for name in of_target(target)}
            case core.Define():
                known.add(node.function.name)
            case core.Break() | core.Continue():
                return False
            case _:
                pass
    return True


@lru_cache(maxsize=4096)
def read_first(node: Stmt) -> Reads:
    """What a statement reads before the statements in it, or before it assigns."""
    match node:
        case core.Assign():
            found = reads(node.value)
            for target in node.targets:
                _add(found, _read_in(target))
            return found
        case core.If() | core.While():
            return reads(node.test)
        case core.For():
            return reads(node.iter)
        case core.With():
            return reads(node.context)
        case core.Define():
            return free(node.function)
        case _:
            return {name: place for child in core.children(node) for name, place in reads(child).items()}


def _read_in(target: Target) -> Reads:
    """What is read to assign to an element or an attribute."""
    if isinstance(target, core.Unpack):
        return {name: place for inner in target.targets for name, place in _read_in(inner).items()}
    return {} if isinstance(target, core.Name) else reads(target)


# --- Leaving ---------------------------------------------------------------------------------------------------------


def breaks(nodes: Iterable[Stmt]) -> Iterator[core.Break]:
    """Where the loop whose body `nodes` are is left."""
    for node in nodes:
        if isinstance(node, core.Break):
            yield node
        elif isinstance(node, core.If):
            yield from breaks([*node.body, *node.orelse])
        elif isinstance(node, core.With):
            yield from breaks(node.body)
