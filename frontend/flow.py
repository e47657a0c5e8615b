"""Which variables a statement assigns, which it reads before that, and which are read later: syntax alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final, cast


def walk(tree: ast.AST) -> list[ast.AST]:
    """All nodes of `tree`, in the order of `ast.walk`, which takes several times as long: it also looks at what holds
    none. Operators and contexts are left out."""
    found = [tree]
    for node in found:  # which grows on the way
        found += children(node)
    return found


def children(node: ast.AST) -> list[ast.AST]:
    """The nodes directly below `node`; neither operators nor contexts."""
    found: list[ast.AST] = []
    for name in _parts(type(node)):
        value = getattr(node, name, None)
        if type(value) is list:
            found += [item for item in cast("list[object]", value) if isinstance(item, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)
    return found


@cache
def _parts(kind: type[ast.AST]) -> tuple[str, ...]:
    """The fields of a kind of node that may hold nodes."""
    if kind is ast.Constant:
        return ()
    return tuple(name for name in kind._fields if name not in _LEAVES)


_LEAVES: Final = frozenset(("ctx", "op", "ops", "id", "attr", "arg", "name", "type_comment", "kind"))
"""Fields that hold text, operators or contexts."""


def returned(key: str) -> str:
    """A variable that no program can name: whether the loop that has just ended did so by the way out `key`."""
    return f"returned${key}"


def result(key: str) -> str:
    """Likewise: what that way out takes along."""
    return f"result${key}"


def assigned(statements: Sequence[ast.stmt]) -> dict[str, ast.AST]:
    """The variables that `statements` assign, in order of first assignment, each with the node that does."""
    found: dict[str, ast.AST] = {}
    for statement in statements:
        for name, node in _targets(statement):
            found.setdefault(name, node)
    return found


def _targets(node: ast.stmt) -> Iterator[tuple[str, ast.AST]]:
    match node:
        case ast.Assign():
            for target in node.targets:
                yield from names(target)
        case ast.AnnAssign() | ast.AugAssign():
            if not isinstance(node, ast.AnnAssign) or node.value is not None:
                yield from names(node.target)
        case ast.For():
            yield from names(node.target)
            for statement in node.body:
                yield from _targets(statement)
        case ast.While():
            for statement in node.body:
                yield from _targets(statement)
        case ast.If():
            for statement in (*node.body, *node.orelse):
                yield from _targets(statement)
        case ast.With():
            for statement in node.body:
                yield from _targets(statement)
        case ast.FunctionDef():
            yield node.name, node
        case _:
            return


def names(target: ast.expr) -> Iterator[tuple[str, ast.AST]]:
    """The variables that an assignment to `target` assigns."""
    if isinstance(target, ast.Name):
        yield target.id, target
    elif isinstance(target, ast.Tuple | ast.List):
        for item in target.elts:
            yield from names(item)
    elif isinstance(target, ast.Starred):
        yield from names(target.value)


def exposed(statements: Sequence[ast.stmt], test: ast.expr | None = None) -> set[str]:
    """The variables that `statements` may read before they assign them; `test` is read first."""
    found: set[str] = set()
    if test is not None:
        found |= _reads(test)
    _scan(statements, set(), found)
    return found


def _reads(node: ast.AST) -> set[str]:
    return {n.id for n in walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def _scan(statements: Sequence[ast.stmt], known: set[str], found: set[str]) -> None:
    """Adds to `found` what is read and not in `known`, and to `known` what is certainly assigned."""
    for node in statements:
        match node:
            case ast.If():
                found |= _reads(node.test) - known
                then, other = set(known), set(known)
                _scan(node.body, then, found)
                _scan(node.orelse, other, found)
                known |= then & other
            case ast.For():
                found |= _reads(node.iter) - known
                inner = known | {name for name, _ in names(node.target)}
                _scan(node.body, inner, found)
            case ast.While():
                found |= _reads(node.test) - known
                _scan(node.body, set(known), found)
            case ast.With():
                for item in node.items:
                    found |= _reads(item.context_expr) - known
                _scan(node.body, known, found)
            case ast.AugAssign():
                found |= (_reads(node.value) | _reads(node.target)) - known
                if isinstance(node.target, ast.Name):
                    found |= {node.target.id} - known
                    known.add(node.target.id)
            case ast.Assign():
                found |= _reads(node.value) - known
                for target in node.targets:
                    known |= {name for name, _ in names(target)}
            case ast.AnnAssign():
                if node.value is not None:
                    found |= _reads(node.value) - known
                    known |= {name for name, _ in names(node.target)}
            case ast.FunctionDef():
                found |= _reads(node) - known
                known.add(node.name)
            case _:
                found |= _reads(node) - known


def leaves_by_return(statements: Sequence[ast.stmt]) -> bool:
    """Whether a `return` of this function stands in `statements`, in any nesting."""
    return any(
        isinstance(n, ast.Return)
        or (isinstance(n, ast.If | ast.For | ast.While) and leaves_by_return([*n.body, *n.orelse]))
        or (isinstance(n, ast.With) and leaves_by_return(n.body))
        for n in statements
    )


def leaves_the_turn(statements: Sequence[ast.stmt]) -> bool:
    """Whether a `break` or `continue` of the loop around them stands in `statements`."""
    return any(
        isinstance(n, ast.Break | ast.Continue)
        or (isinstance(n, ast.If) and leaves_the_turn([*n.body, *n.orelse]))
        or (isinstance(n, ast.With) and leaves_the_turn(n.body))
        for n in statements
    )


def breaks(statements: Sequence[ast.stmt]) -> bool:
    """Whether a `break` of the loop whose body they are stands in `statements`."""
    return any(
        isinstance(n, ast.Break)
        or (isinstance(n, ast.If) and breaks([*n.body, *n.orelse]))
        or (isinstance(n, ast.With) and breaks(n.body))
        for n in statements
    )


@lru_cache(maxsize=1024)
def captured(tree: ast.FunctionDef | ast.Lambda) -> frozenset[str]:
    """The names that functions defined in `tree` read: they may do so at every call."""
    inner = [n for n in walk(tree) if isinstance(n, ast.FunctionDef | ast.Lambda) and n is not tree]
    return frozenset(name for node in inner for name in _reads(node))


@dataclass(frozen=True, slots=True)
class LoopFacts:
    """What a loop does to the variables around it."""

    assigned: dict[str, ast.AST]
    """The variables its body assigns, each with the node that does so first."""
    exposed: frozenset[str]
    """The variables that a turn may read before it assigns them."""
    returns: bool
    """Whether a `return` stands in its body."""
    leaves: bool
    """Whether it may end before its time: by `break` or `return`."""


@lru_cache(maxsize=1024)
def of_loop(node: ast.For | ast.While) -> LoopFacts:
    """The facts of a loop; syntax does not change, so they are found once."""
    test = node.test if isinstance(node, ast.While) else None
    returns = leaves_by_return(node.body)
    leaves = returns or breaks(node.body)
    return LoopFacts(assigned(node.body), frozenset(exposed(node.body, test)), returns, leaves)


@dataclass(frozen=True, slots=True)
class WayOut:
    """A `return` in a loop: what is left to do after the loop, and the variables that this reads of the loop's."""

    key: str
    tail: tuple[ast.stmt, ...]
    reads: tuple[str, ...]


@lru_cache(maxsize=1024)
def way_out(loop: ast.For | ast.While, tail: tuple[ast.stmt, ...] = ()) -> WayOut:
    """
    The way out of `loop` by `return`. A `tail` is carried out after the loop: what it stores is stored there.

    What stands after the loop is `if returned: (reads) = result; tail`, or `if returned: return result`.
    """
    key = f"{loop.lineno}.{loop.col_offset}"
    if not tail:
        return WayOut(key, (), ())
    changed = {
        *of_loop(loop).assigned,
        *(name for name, _ in (names(loop.target) if isinstance(loop, ast.For) else ())),
    }
    reads = tuple(sorted(changed & {name for node in tail for name in _reads(node)}))
    return WayOut(f"{key}.{tail[0].lineno}.{tail[0].col_offset}", tail, reads)


@lru_cache(maxsize=1024)
def after(loop: ast.For | ast.While, way: WayOut, place: ast.stmt, always: bool) -> tuple[ast.stmt, ...]:
    """What stands after a loop for one of its ways out; `always`: the loop has no other."""

    def name(of: str, context: ast.expr_context) -> ast.Name:
        return ast.copy_location(ast.Name(of, context), place)

    value = name(result(way.key), ast.Load())
    made: list[ast.stmt]
    if way.tail:
        targets = ast.copy_location(ast.Tuple([name(n, ast.Store()) for n in way.reads], ast.Store()), place)
        made = [ast.copy_location(ast.Assign([targets], value), place), *way.tail]
    else:
        made = [ast.copy_location(ast.Return(value), place)]
    if always:
        return tuple(made)
    return (ast.copy_location(ast.If(name(returned(way.key), ast.Load()), made, []), loop),)


def always_returns(statements: Sequence[ast.stmt]) -> bool:
    """Whether every way through `statements` ends in a `return`, as far as syntax says."""
    last = statements[-1]
    if leaves_the_turn(statements):
        return False
    return isinstance(last, ast.Return) or (
        isinstance(last, ast.If) and bool(last.orelse) and always_returns(last.body) and always_returns(last.orelse)
    )


@lru_cache(maxsize=4096)
def stores(node: ast.stmt) -> bool:
    """Whether a statement may write a region or end its use, as far as syntax says."""
    return any(isinstance(n, ast.Attribute) and n.attr in ("store", "release") for n in walk(node))
