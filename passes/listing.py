"""
A kernel's operations beside the source lines that they came of, as text for a terminal.

Operations stand in the order of the module within their line, in a short form of the IR: types of results only, and of
attributes what fits. One that was inlined from a helper stands at the line of the kernel that calls it, and names its
own place in front.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Final

from xdsl.dialects.builtin import ArrayAttr, IntAttr, IntegerAttr, StringAttr, UnitAttr
from xdsl.ir import Attribute, Operation, SSAValue

from freehold.dialects.cuda_tile.attrs import (
    ComparisonOrderingAttr,
    IntegerOverflowAttr,
    MemoryOrderingSemanticsAttr,
    RoundingModeAttr,
    WireEnumAttr,
)
from freehold.dialects.cuda_tile.dense import DenseElementsAttr
from freehold.dialects.cuda_tile.ops.control_flow import ForOp, IfOp, LoopOp
from freehold.dialects.cuda_tile.ops.misc import AssumeOp
from freehold.dialects.cuda_tile.ops.reduce import ReduceOp, ScanOp
from freehold.dialects.cuda_tile.ops.shape import ConstantOp
from freehold.dialects.cuda_tile.ops.views import LoadViewTkoOp, StoreViewTkoOp
from freehold.dialects.cuda_tile.types import TOKEN, TileType, element_name
from freehold.dialects.location import span_of
from freehold.dialects.names import users_name
from freehold.dialects.ownership import AccessOp, Action, DistributeOp, OrderKind, PartitionOp, PartitionType
from freehold.support.span import SourceMap, Span

WIDTH: Final = 120
_SOURCE: Final = 52
"""Columns for the source, with line numbers."""
_HIDDEN: Final = frozenset(
    {"duties", "operandSegmentSizes", "resultSegmentSizes", "sym_name", "identities", "inbounds"}
)
_USUAL: Final = (
    RoundingModeAttr.of("nearest_even"),
    IntegerOverflowAttr.of("none"),
    MemoryOrderingSemanticsAttr.of("weak"),
    ComparisonOrderingAttr.of("ordered"),
)
"""Values that say nothing where they are not told apart from others."""
_LONGEST: Final = 28
"""Characters of an attribute that are worth a place on a line."""


def listing(kernel: Operation, sources: SourceMap | None = None, width: int = WIDTH) -> list[str]:
    """
    The lines of a kernel (`ownership.kernel` or `cuda_tile.entry`): source left, operations right.

    Text that `sources` does not know (by default: what Python itself shows in tracebacks) is left blank. Operations
    without a place stand at the end.
    """
    sources = sources or SourceMap()
    names = Names()
    found: dict[str, dict[int, list[str]]] = {}
    nowhere: list[str] = []
    names.all(kernel.regions[0].block.args)  # arguments have the first claim on their names
    for op, depth, branch in _operations(kernel, 0):
        text = f"{'  ' * depth}{branch}{short_form(op, names)}"
        span = span_of(op)
        if span is None:
            nowhere.append(text)
            continue
        root = _root(span)
        if root is not span:
            text = f"{'  ' * depth}({span.file.rpartition('/')[2]}:{span.line}) {text.strip()}"
        found.setdefault(root.file, {}).setdefault(root.line, []).append(text)
    lines: list[str] = []
    for file, by_line in found.items():
        if len(found) > 1:
            lines.append(file)
        lines += _beside(by_line, sources.lines(file) or [], width)
    if nowhere:
        lines += ["of no line:", *(f"  {text}" for text in nowhere)]
    return lines


def _operations(op: Operation, depth: int) -> Iterator[tuple[Operation, int, str]]:
    """All operations inside, with the depth of loops and branches, and `else: ` where that begins; bodies of reductions
    are part of these."""
    for number, region in enumerate(op.regions):
        for block in region.blocks:
            branch = "else: " if number else ""
            for inner in block.ops:
                if not inner.operands and not inner.results and not inner.regions and inner is block.last_op:
                    continue  # a terminator that hands nothing on
                yield inner, depth, branch
                branch = ""
                if isinstance(inner, ForOp | IfOp | LoopOp):
                    yield from _operations(inner, depth + 1)
                elif inner.name.startswith("ownership."):
                    yield from _operations(inner, depth)


def _root(span: Span) -> Span:
    """The outermost call, or the span itself where nothing was called."""
    while span.call_site is not None:
        span = span.call_site
    return span


def _beside(by_line: Mapping[int, Sequence[str]], source: Sequence[str], width: int) -> Iterator[str]:
    first, last = min(by_line), max(by_line)
    shown = [source[n - 1] if n <= len(source) else "" for n in range(first, last + 1)]
    indent = min((len(s) - len(s.lstrip()) for s in shown if s.strip()), default=0)
    digits = len(str(last))
    room = _SOURCE - digits - 3
    for number, text in enumerate(shown, first):
        left = _clipped(text[indent:].replace("\t", "    ").rstrip(), room)
        rows = [row for op in by_line.get(number, ()) for row in _wrapped(op, width - _SOURCE - 2)]
        for n, right in enumerate(rows or [""]):
            margin = f"{number:>{digits}} | {left:{room}}" if n == 0 else f"{'':{digits}} | {'':{room}}"
            yield f"{margin}| {right}".rstrip() if right else margin.rstrip()


def _clipped(text: str, width: int) -> str:
    return text if len(text) <= width - 1 else text[: width - 2] + "…"


def _wrapped(text: str, width: int) -> list[str]:
    indent = " " * (len(text) - len(text.lstrip()))
    return wrap(text, width, initial_indent="", subsequent_indent=indent + "    ", drop_whitespace=False) or [""]


# --- Short forms ------------------------------------------------------------------------------------------------------


class Names:
    """Names of values: the user's where there is one, numbered where several values have it; or else a number."""

    def __init__(self) -> None:
        self._names: dict[SSAValue, str] = {}
        self._taken: Counter[str] = Counter()
        self._count = 0

    def of(self, value: SSAValue) -> str:
        """The name of a value, the same each time."""
        name = self._names.get(value)
        if name is None:
            hint = users_name(value)
            if hint is None:
                name = f"%{self._count}"
                self._count += 1
            else:
                earlier = self._taken[hint]
                self._taken[hint] += 1
                name = f"%{hint}_{earlier}" if earlier else f"%{hint}"
            self._names[value] = name
        return name

    def all(self, values: Iterable[SSAValue]) -> str:
        """Names, with commas."""
        return ", ".join(map(self.of, values))


def short_form(op: Operation, names: Names) -> str:
    """An operation on one line, without the bodies of loops and branches."""
    mnemonic = op.name.rpartition(".")[2]
    results = ", ".join(names.of(r) if r.first_use is not None else "_" for r in op.results)
    results = f"{results} = " if results.strip("_, ") else ""
    match op:
        case ForOp():
            carried = _carried(op.block.args[1:], op.initValues, names)
            bounds = f"{names.of(op.lowerBound)} .. {names.of(op.upperBound)} by {names.of(op.step)}"
            return f"{results}for {names.of(op.block.args[0])} in {bounds}{carried}"
        case LoopOp():
            return f"{results}loop{_carried(op.block.args, op.initValues, names)}"
        case PartitionOp():
            type_ = op.result.type
            assert isinstance(type_, PartitionType)
            steps = "" if type_.steps == type_.tile_shape else f" step {_dims(type_.steps)}"
            return f"{results}partition {names.of(op.tensor)} tile {_dims(type_.tile_shape)}{steps}"
        case DistributeOp():
            order = f"{op.order.order} {op.order.size.data}" if op.order.order is OrderKind.GROUPED else op.order.order
            points = names.all(op.body.block.args)
            how = f"{op.blocks.kind} {op.blocks.count}" if op.blocks.count else op.blocks.kind
            return f"distribute {names.all(op.partitions)} over {points} order {order} blocks {how}"
        case ConstantOp():
            return f"{results}constant {_attribute(op.value) or '…'} : {_short_type(op.result.type)}"
        case AssumeOp():
            return f"{results}assume {names.of(op.value)} {_attribute(op.predicate)}"
        case ReduceOp() | ScanOp():
            combiner = " + ".join(o.name.rpartition(".")[2] for o in op.regions[0].block.ops if o.results)
            mnemonic = f"{mnemonic} {combiner}"
        case _:
            pass
    types = list(dict.fromkeys(t for r in op.results if (t := _short_type(r.type))))
    type_text = f" : {', '.join(types)}" if types else ""
    operands = _operands(op, names)
    return f"{results}{mnemonic}{' ' if operands else ''}{operands}{_properties(op)}{type_text}"


def _operands(op: Operation, names: Names) -> str:
    """The operands, with an index in brackets behind what it is an index of."""
    match op:
        case AccessOp():
            return _access(op, names)
        case LoadViewTkoOp():
            return names.of(op.view) + _index(op.index, names) + _after(op.token, names)
        case StoreViewTkoOp():
            return f"{names.of(op.tile)} to {names.of(op.view)}{_index(op.index, names)}{_after(op.token, names)}"
        case _:
            return names.all(op.operands)


def _access(op: AccessOp, names: Names) -> str:
    """What is accessed, behind what is written there; masks stand in the end."""
    token = next((v for v in op.operands if v.type == TOKEN), None)
    rest = [v for n, v in enumerate(op.operands) if n != op.MEMORY and v not in op.places and v is not token]
    written = [rest.pop(0)] if op.ACTION in (Action.WRITE, Action.UPDATE) and rest else []
    place = names.of(op.memory) + _index(op.places, names)
    masks = "".join(f", {names.of(v)}" for v in rest)
    return " to ".join([*map(names.of, written), place]) + masks + _after(token, names)


def _index(index: Sequence[SSAValue], names: Names) -> str:
    return f"[{names.all(index)}]" if index else ""


def _after(token: SSAValue | None, names: Names) -> str:
    return "" if token is None else f" after {names.of(token)}"


def _carried(arguments: Sequence[SSAValue], values: Sequence[SSAValue], names: Names) -> str:
    pairs = [f"{names.of(a)} = {names.of(v)}" for a, v in zip(arguments, values, strict=True)]
    return f" carrying {', '.join(pairs)}" if pairs else ""


def _dims(dims: Sequence[int]) -> str:
    return "x".join(map(str, dims))


def _short_type(type_: Attribute) -> str:
    if not isinstance(type_, TileType):
        return ""
    element = element_name(type_.element_type)
    return f"{_dims(type_.dims)}x{element}" if type_.dims else element


def _properties(op: Operation) -> str:
    shown: list[str] = []
    for name, value in op.properties.items():
        if name in _HIDDEN or value in _USUAL:
            continue
        text = _attribute(value)
        if text is None or len(text) > _LONGEST:
            text = "…"
        if isinstance(value, UnitAttr):
            text = name
        elif not isinstance(value, WireEnumAttr) and len(op.properties) > 1:
            text = f"{name} = {text}"
        shown.append(text)
    return f" {{{', '.join(shown)}}}" if shown else ""


def _attribute(value: Attribute) -> str | None:
    """The text of an attribute, or None for one that is too long for a line."""
    match value:
        case DenseElementsAttr():
            return f"{value.splat_value:g}" if value.is_splat else None
        case WireEnumAttr():
            return str(value.data)
        case StringAttr():
            return value.data
        case IntegerAttr():
            return str(value.value.data)
        case IntAttr():
            return str(value.data)
        case ArrayAttr():
            items = [_attribute(v) for v in value]
            return None if None in items else f"[{', '.join(i or '' for i in items)}]"
        case _:
            return str(value).replace("#cuda_tile.", "").replace("#ownership.", "")
