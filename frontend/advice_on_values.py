"""Edits for values that are of another type, shape or place than they must be: where they begin, and what they are."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from freehold.frontend.advice import Advice, at_same_place, in_place, line, primary
from freehold.frontend.context import Context
from freehold.frontend.types import NoCommonDType, promote
from freehold.frontend.values import TensorValue, TileValue
from freehold.support.dtypes import DType
from freehold.support.span import Span


def _beginning(c: Context, name: str, before: ast.AST) -> ast.expr | None:
    """What a variable is assigned last ahead of a place."""
    last = getattr(before, "lineno", 0)
    found = [
        n.value
        for n in ast.walk(c.frame.tree)
        if isinstance(n, ast.Assign) and n.lineno < last
        and [t.id for t in n.targets if isinstance(t, ast.Name)] == [name]
    ]  # fmt: skip
    return max(found, key=lambda value: value.lineno, default=None)


def _begun_in(c: Context, value: ast.expr, dtype: DType) -> str:
    """The same value in another dtype."""
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in ("zeros", "ones"):
        return f"{c.text(value.func)}({line(c, value.args[0])}, fh.{dtype})" if value.args else line(c, value)
    return f"{c.primary(value)}.astype(fh.{dtype})"


def of_accumulator(c: Context, place: ast.AST, shape: tuple[int, ...], dtype: DType) -> Advice:
    """What an accumulator begins with, in the dtype that products are summed in."""
    value = _beginning(c, place.id, place) if isinstance(place, ast.Name) else None
    edit = f"fh.zeros({shape}, fh.{dtype})" if value is None else _begun_in(c, value, dtype)
    return Advice(f"accumulate in `{dtype}`: `{edit}`", value)


def of_carried(c: Context, name: str | None, loop: ast.AST, before: DType, after: TileValue) -> Advice:
    """A variable that a loop gives another dtype: it begins in the wider one, so that no turn rounds it."""
    try:
        widens = promote(before, after.dtype) is after.dtype
    except NoCommonDType:
        widens = False
    value = _beginning(c, name, loop) if name is not None and widens else None
    if value is not None:
        return Advice(f"begin in `{after.dtype}`: `{_begun_in(c, value, after.dtype)}`", value)
    if widens:
        return Advice(f"begin in `{after.dtype}`, so that no turn rounds it")
    return Advice(f"convert before it is carried on: `.astype({before})`")


def of_growth(c: Context, loop: ast.AST) -> Advice:
    """A tuple that a loop makes longer: how often it runs is known when the kernel is compiled."""
    if isinstance(loop, ast.For) and isinstance(loop.iter, ast.Call) and c.text(loop.iter.func) == "range":
        given = ", ".join(line(c, a) for a in loop.iter.args)
        return Advice(f"write the turns out: `fh.static_range({given})`", loop.iter)
    return Advice("give the new value a name of its own")


def of_choice(c: Context, node: ast.AST) -> Advice | None:
    """A choice by a tile of truth values: what an `if` assigns to one variable, or a conditional expression."""
    if isinstance(node, ast.IfExp):
        edit = f"fh.where({line(c, node.test)}, {line(c, node.body)}, {line(c, node.orelse)})"
        return Advice(f"`{in_place(c, node, edit)}`", node)
    inner = [n for p in ast.walk(c.frame.tree) if isinstance(p, ast.If) for n in p.orelse]  # an `elif`, perhaps
    if not isinstance(node, ast.If) or any(n is node for n in inner):
        return None
    ways = [_assigned(body) for body in (node.body, node.orelse) if body]
    known = [way for way in ways if way is not None]
    if len(known) < len(ways) or len({name for name, _ in known}) != 1:
        return None
    name, new = known[0]
    old = line(c, known[1][1]) if len(known) == 2 else name
    return Advice(f"`{name} = fh.where({line(c, node.test)}, {line(c, new)}, {old})`", node)


def _assigned(body: list[ast.stmt]) -> tuple[str, ast.expr] | None:
    """The variable and the value, where statements are one assignment."""
    match body:
        case [ast.Assign(targets=[ast.Name(id=name)], value=value)]:
            return name, value
        case _:
            return None


def truth_of(c: Context, node: ast.expr) -> str:
    """An operand of `and`, `or` and `not` as one of `&`, `|` and `~`, which combine bits."""
    known = c.frame.variables.get(node.id) if isinstance(node, ast.Name) else None
    if isinstance(known, TileValue) and known.dtype.kind == "bool":
        return line(c, node)
    return f"({line(c, node)})" if isinstance(node, ast.Compare | ast.BoolOp) else f"({primary(line(c, node))} != 0)"


def of_assignment(c: Context, tile: TileValue, target: ast.Subscript, here: ast.Assign) -> Advice | None:
    """A tile in which some elements are others, instead of an assignment to them."""
    if not isinstance(target.value, ast.Name):
        return None
    name, part, new = target.value.id, target.slice, line(c, here.value)
    known = c.frame.variables.get(part.id) if isinstance(part, ast.Name) else None
    if isinstance(part, ast.Compare) or (isinstance(known, TileValue) and known.dtype.kind == "bool"):
        return Advice(f"make a new tile: `{name} = fh.where({line(c, part)}, {new}, {name})`", here)
    if len(tile.shape) != 1 or isinstance(part, ast.Slice | ast.Tuple):
        return None
    return Advice(f"make a new tile: `{name} = {name}.insert({line(c, part)}, {new})`", here)


def of_promotion(c: Context, node: ast.AST, left: DType, target: DType) -> Advice:
    """An operand in a dtype that both operands meet in."""
    if not isinstance(node, ast.BinOp):
        return Advice(f".astype({target})")
    operand = node.left if left is not target else node.right
    return Advice(f"{c.primary(operand)}.astype(fh.{target})", operand)


def annotated(c: Context, name: str) -> Span | None:
    """Where a parameter of the kernel stands with its annotation."""
    given = c.frame.source.arguments
    return next((c.span(a) for a in (*given.args, *given.kwonlyargs) if a.arg == name), None)


def of_shape(c: Context, node: ast.expr) -> Advice | None:
    """The shape of a tile instead of its tensor's, which is known at launch only."""
    value = _beginning(c, node.id, node) if isinstance(node, ast.Name) else node
    if isinstance(value, ast.Subscript):
        return None
    if not isinstance(value, ast.Attribute) or value.attr != "shape" or not isinstance(value.value, ast.Name):
        return Advice("take tiles of a fixed extent, and loop over them; or a parameter that is `Const[int]`")
    tensor = c.frame.variables.get(value.value.id)
    if isinstance(tensor, TensorValue) and tensor.region is not None:
        return Advice(f"a block's tile of it has the shape `{value.value.id}.tile`", node)
    return Advice(f"that is the whole of `{value.value.id}`: take tiles of a fixed extent, and loop over them")


def is_all(target: ast.Subscript | ast.Attribute) -> bool:
    """Whether a subscript takes all there is."""
    if not isinstance(target, ast.Subscript):
        return False
    parts = target.slice.elts if isinstance(target.slice, ast.Tuple) else [target.slice]
    return all(ast.unparse(part) in (":", "...") for part in parts)


def _named(c: Context, tensor: str) -> Iterator[list[str]]:
    """Names that are given to the coordinates of a block's region."""
    for n in ast.walk(c.frame.tree):
        if (
            isinstance(n, ast.Assign)
            and ast.unparse(n.value) == f"{tensor}.index"
            and isinstance(n.targets[0], ast.Tuple)
        ):
            yield [ast.unparse(t) for t in n.targets[0].elts]


def is_index(c: Context, node: ast.expr, tensor: str) -> bool:
    """Whether an index is that of a block's region of a tensor, all of it."""
    given = [ast.unparse(e) for e in node.elts] if isinstance(node, ast.Tuple) else []
    return ast.unparse(node) == f"{tensor}.index" or (bool(given) and given in list(_named(c, tensor)))


def of_rank(c: Context, node: ast.expr, tensor: TensorValue, what: str, rank: int) -> Advice:
    """An index or a shape with an entry for each axis; an edit where a coordinate stands for all of a block's."""
    axes = f"{rank} {'axis' if rank == 1 else 'axes'}"
    like = at_same_place(c, tensor)
    if what == "the index" and like is not None:
        first = {f"{like}.index[0]", *(names[0] for names in _named(c, like))}
        if ast.unparse(node) in first:
            return Advice(f"name all of this block's coordinates: `{like}.index`", node)
    return Advice(f"write {'an index' if what == 'the index' else 'a shape'} of {axes}, with an entry for each")
