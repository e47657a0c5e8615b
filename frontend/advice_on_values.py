"""Edits for values that are of another type, shape or place than they must be: where they begin, and what they are."""

from __future__ import annotations

from collections.abc import Iterator

from freehold.frontend.advice import Advice, at_same_place, in_place, line
from freehold.frontend.context import Context
from freehold.frontend.syntax import core
from freehold.frontend.syntax.text import primary
from freehold.frontend.types import NoCommonDType, promote
from freehold.frontend.values import TensorValue, TileValue
from freehold.support.dtypes import DType
from freehold.support.span import Span


def _beginning(c: Context, name: str, before: core.Node) -> core.Expr | None:
    """What a variable is assigned last ahead of a place."""
    found = [
        n.value
        for n in c.frame.nodes
        if isinstance(n, core.Assign) and n.place[0] < before.place[0]
        and not (isinstance(n.value, core.BinOp) and n.value.augmented)
        and [t.id for t in n.targets if isinstance(t, core.Name)] == [name]
    ]  # fmt: skip
    return max(found, key=lambda value: value.place, default=None)


def _begun_in(c: Context, value: core.Expr, dtype: DType) -> str:
    """The same value in another dtype."""
    if isinstance(value, core.Call) and isinstance(value.func, core.Attribute) and value.func.attr in ("zeros", "ones"):
        return f"{c.text(value.func)}({line(c, value.args[0])}, fh.{dtype})" if value.args else line(c, value)
    return f"{c.primary(value)}.astype(fh.{dtype})"


def of_accumulator(c: Context, place: core.Node, shape: tuple[int, ...], dtype: DType) -> Advice:
    """What an accumulator begins with, in the dtype that products are summed in."""
    value = _beginning(c, place.id, place) if isinstance(place, core.Name) else None
    edit = f"fh.zeros({shape}, fh.{dtype})" if value is None else _begun_in(c, value, dtype)
    return Advice(f"accumulate in `{dtype}`: `{edit}`", value)


def of_carried(c: Context, name: str | None, loop: core.Node, before: DType, after: TileValue) -> Advice:
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


def of_growth(c: Context, loop: core.Node) -> Advice:
    """A tuple that a loop makes longer: how often it runs is known when the kernel is compiled."""
    if isinstance(loop, core.For) and isinstance(loop.iter, core.Call) and c.text(loop.iter.func) == "range":
        given = ", ".join(line(c, a) for a in loop.iter.args)
        return Advice(f"write the turns out: `fh.static_range({given})`", loop.iter)
    return Advice("give the new value a name of its own")


def of_choice(c: Context, node: core.Node) -> Advice | None:
    """A choice by a tile of truth values: what an `if` assigns to one variable, or a conditional expression."""
    if isinstance(node, core.IfExp):
        edit = f"fh.where({line(c, node.test)}, {line(c, node.body)}, {line(c, node.orelse)})"
        return Advice(f"`{in_place(c, node, edit)}`", node)
    first, start, *_ = node.place
    if not isinstance(node, core.If) or c.frame.source.lines[first - 1].encode()[start:].startswith(b"elif"):
        return None
    ways = [_assigned(body) for body in (node.body, node.orelse) if body]
    known = [way for way in ways if way is not None]
    if len(known) < len(ways) or len({name for name, _ in known}) != 1:
        return None
    name, new = known[0]
    old = _given(c, known[1][1]) if len(known) == 2 else name
    return Advice(f"`{name} = fh.where({line(c, node.test)}, {_given(c, new)}, {old})`", node)


def _given(c: Context, value: core.Expr) -> str:
    """What a variable is assigned, `t += 1` written out."""
    if not isinstance(value, core.BinOp) or not value.augmented:
        return line(c, value)
    return f"{c.text(value.left)} {value.op} {primary(line(c, value.right))}"


def _assigned(body: list[core.Stmt]) -> tuple[str, core.Expr] | None:
    """The variable and the value, where statements are one assignment."""
    match body:
        case [core.Assign(targets=[core.Name(id=name)], value=value)]:
            return name, value
        case _:
            return None


def truth_of(c: Context, node: core.Expr) -> str:
    """An operand of `and`, `or` and `not` as one of `&`, `|` and `~`, which combine bits."""
    known = c.frame.variables.get(node.id) if isinstance(node, core.Name) else None
    if isinstance(known, TileValue) and known.dtype.kind == "bool":
        return line(c, node)
    return f"({line(c, node)})" if isinstance(node, core.Compare | core.BoolOp) else f"({primary(line(c, node))} != 0)"


def of_assignment(c: Context, tile: TileValue, target: core.Subscript, value: core.Expr, op: str = "") -> Advice | None:
    """A tile in which some elements are others, instead of an assignment to them, or of `op=` on them."""
    if not isinstance(target.value, core.Name):
        return None
    name, part, new = target.value.id, target.slice, line(c, value)
    known = c.frame.variables.get(part.id) if isinstance(part, core.Name) else None
    chosen = isinstance(part, core.Compare) or (isinstance(known, TileValue) and known.dtype.kind == "bool")
    if op:
        new = f"{name if chosen else line(c, target)} {op} {primary(new)}"
    if chosen:
        return Advice(f"make a new tile: `{name} = fh.where({line(c, part)}, {new}, {name})`")
    if len(tile.shape) != 1 or isinstance(part, core.Slice | core.Tuple):
        return None
    return Advice(f"make a new tile: `{name} = {name}.insert({line(c, part)}, {new})`")


def of_promotion(c: Context, node: core.Node, left: DType, target: DType) -> Advice:
    """An operand in a dtype that both operands meet in."""
    if not isinstance(node, core.BinOp):
        return Advice(f".astype({target})")
    operand = node.left if left is not target else node.right
    return Advice(f"{c.primary(operand)}.astype(fh.{target})", operand)


def annotated(c: Context, name: str) -> Span | None:
    """Where a parameter of the kernel stands with its annotation."""
    return next((c.span(p) for p in c.frame.source.core.parameters if p.name == name), None)


def of_shape(c: Context, node: core.Expr) -> Advice | None:
    """The shape of a tile instead of its tensor's, which is known at launch only."""
    value = _beginning(c, node.id, node) if isinstance(node, core.Name) else node
    if isinstance(value, core.Subscript):
        return None
    if not isinstance(value, core.Attribute) or value.attr != "shape" or not isinstance(value.value, core.Name):
        return Advice("take tiles of a fixed extent, and loop over them; or a parameter that is `Const[int]`")
    tensor = c.frame.variables.get(value.value.id)
    if isinstance(tensor, TensorValue) and tensor.region is not None:
        return Advice(f"a block's tile of it has the shape `{value.value.id}.tile`", node)
    return Advice(f"that is the whole of `{value.value.id}`: take tiles of a fixed extent, and loop over them")


def is_all(target: core.Subscript | core.Attribute) -> bool:
    """Whether a subscript takes all there is."""
    if not isinstance(target, core.Subscript):
        return False
    parts = target.slice.elts if isinstance(target.slice, core.Tuple) else [target.slice]
    return all(
        part.value is ...
        if isinstance(part, core.Constant)
        else isinstance(part, core.Slice) and not core.children(part)
        for part in parts
    )


def _named(c: Context, tensor: str) -> Iterator[list[str]]:
    """Names that are given to the coordinates of a block's region."""
    for n in c.frame.nodes:
        if (
            isinstance(n, core.Assign)
            and line(c, n.value) == f"{tensor}.index"
            and isinstance(n.targets[0], core.Unpack)
        ):
            yield [c.text(t) for t in n.targets[0].targets]


def is_index(c: Context, node: core.Expr, tensor: str) -> bool:
    """Whether an index is that of a block's region of a tensor, all of it."""
    given = [line(c, e) for e in node.elts] if isinstance(node, core.Tuple) else []
    return line(c, node) == f"{tensor}.index" or (bool(given) and given in list(_named(c, tensor)))


def of_rank(c: Context, node: core.Expr, tensor: TensorValue, what: str, rank: int) -> Advice:
    """An index or a shape with an entry for each axis; an edit where a coordinate stands for all of a block's."""
    axes = f"{rank} {'axis' if rank == 1 else 'axes'}"
    like = at_same_place(c, tensor)
    if what == "the index" and like is not None:
        first = {f"{like}.index[0]", *(names[0] for names in _named(c, like))}
        if line(c, node) in first:
            return Advice(f"name all of this block's coordinates: `{like}.index`", node)
    return Advice(f"write {'an index' if what == 'the index' else 'a shape'} of {axes}, with an entry for each")
