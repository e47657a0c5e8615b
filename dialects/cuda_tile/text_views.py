"""Text of the operations on views, whose operand lists carry one type for all indices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar, cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerType
from xdsl.ir import Attribute, SSAValue
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer

from freehold.dialects.cuda_tile.attrs import (
    REDUCE_ADD,
    AtomicRMWModeAttr,
    MemoryOrderingSemanticsAttr,
    MemoryScopeAttr,
    MultimemReductionKindAttr,
    OptimizationHintsAttr,
    PtrAttrAttr,
)
from freehold.dialects.cuda_tile.op import SEGMENTS, TileOp, segments
from freehold.dialects.cuda_tile.ops.atomics import AtomicRedViewTkoOp, Multimem, MultimemLoadReduceViewTkoOp
from freehold.dialects.cuda_tile.ops.views import (
    GetIndexSpaceShapeOp,
    GetTensorShapeOp,
    LoadViewTkoOp,
    MakeTensorViewOp,
    StoreViewTkoOp,
    bools,
)
from freehold.dialects.cuda_tile.text_format import parse_optional_hints
from freehold.dialects.cuda_tile.text_types import parse_short_type, parse_types, print_short_type, print_types
from freehold.dialects.cuda_tile.types import DYNAMIC, TOKEN, PointerType, TensorViewType, TileType, TileViewType, tile

ShapeOpT = TypeVar("ShapeOpT", GetTensorShapeOp, GetIndexSpaceShapeOp)
MultimemT = TypeVar("MultimemT", bound=Multimem)

_PRINTED = frozenset(
    ("memory_ordering_semantics", "memory_scope", "optimization_hints", "inbounds", "mode", "reduction", SEGMENTS)
)


def parse_make_tensor_view(cls: type[MakeTensorViewOp], parser: Parser) -> MakeTensorViewOp:
    """Read `%p, shape = [%n, 16], strides = [16, 1] : tile<i32> -> tensor_view<...>`."""

    def entry() -> int | UnresolvedOperand:
        number = parser.parse_optional_integer()
        return parser.parse_unresolved_operand() if number is None else number

    def entries(keyword: str) -> list[int | UnresolvedOperand]:
        parser.parse_punctuation(",")
        parser.parse_keyword(keyword)
        parser.parse_punctuation("=")
        return parser.parse_comma_separated_list(parser.Delimiter.SQUARE, entry)

    base = parser.parse_unresolved_operand()
    position = parser.pos
    lists = {"shape": entries("shape"), "strides": entries("strides")}
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    types = parse_types(parser)
    result = types.pop()
    if parser.parse_optional_punctuation("->"):
        types.append(result)
        result = parse_short_type(parser)
    if not isinstance(result, TensorViewType):
        parser.raise_error("expected a tensor_view type")
    for name, expected in (("shape", result.shape.data), ("strides", result.strides.data)):
        given = tuple(item if isinstance(item, int) else DYNAMIC for item in lists[name])
        if given != expected:
            parser.raise_error(f"the {name} given does not match {result}", position)
    base_type: Attribute = tile((), PointerType(result.element_type, result.ptr_attr))
    if types and isinstance(types[0], TileType) and isinstance(types[0].element_type, PointerType):
        base_type = types.pop(0)
    dynamic = [[item for item in lists[name] if not isinstance(item, int)] for name in ("shape", "strides")]
    count = len(dynamic[0]) + len(dynamic[1])
    if count and len(types) != 1:
        parser.raise_error("dynamic extents and strides need one type")
    operands = [parser.resolve_operand(base, base_type)]
    operands += [parser.resolve_operand(item, types[0]) for items in dynamic for item in items]
    return cls.create(
        operands=operands,
        result_types=(result,),
        properties={SEGMENTS: segments(1, len(dynamic[0]), len(dynamic[1]))},
        attributes=attributes,
    )


def print_make_tensor_view(op: MakeTensorViewOp, printer: Printer) -> None:
    """Write `%p, shape = [%n, 16], strides = [16, 1] : tile<i32> -> tensor_view<...>`."""
    type_ = cast(TensorViewType, op.result.type)
    printer.print_string(" ")
    printer.print_ssa_value(op.base)
    for name, entries, operands in (
        ("shape", type_.shape.data, op.dynamicShape),
        ("strides", type_.strides.data, op.dynamicStrides),
    ):
        printer.print_string(f", {name} = [")
        dynamic = iter(operands)
        for index, entry in enumerate(entries):
            printer.print_string(", " if index else "")
            if entry == DYNAMIC:
                printer.print_ssa_value(next(dynamic))
            else:
                printer.print_string(str(entry))
        printer.print_string("]")
    printer.print_op_attributes(op.attributes)
    types = [op.base.type] if isinstance(type_.ptr_attr, PtrAttrAttr) else []
    types += [operand.type for operand in (*op.dynamicShape, *op.dynamicStrides)][:1]
    printer.print_string(" : ")
    if types:
        print_types(types, printer)
        printer.print_string(" -> ")
    print_short_type(type_, printer)


def parse_get_shape(cls: type[ShapeOpT], parser: Parser) -> ShapeOpT:
    """Read `%v : V -> T`."""
    source = parser.parse_unresolved_operand()
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    type_ = parse_short_type(parser)
    parser.parse_punctuation("->")
    result = parse_short_type(parser)
    if isinstance(type_, TensorViewType):
        rank = type_.rank
    elif isinstance(type_, TileViewType):
        rank = type_.index_rank
    else:
        parser.raise_error("expected the type of a view")
    return cls.create(
        operands=(parser.resolve_operand(source, type_),), result_types=(result,) * rank, attributes=attributes
    )


def print_get_shape(op: GetTensorShapeOp | GetIndexSpaceShapeOp, printer: Printer) -> None:
    """Write `%v : V -> T`. A view of rank 0, which has no result to show, is written with i32."""
    printer.print_string(" ")
    printer.print_ssa_value(op.src)
    printer.print_op_attributes(op.attributes)
    printer.print_string(" : ")
    print_short_type(op.src.type, printer)
    printer.print_string(" -> ")
    print_short_type(op.results[0].type if op.results else tile((), IntegerType(32)), printer)


def _parse_ordering(parser: Parser) -> dict[str, Attribute]:
    properties: dict[str, Attribute] = {"memory_ordering_semantics": MemoryOrderingSemanticsAttr.parse_keyword(parser)}
    if (scope := MemoryScopeAttr.parse_optional_keyword(parser)) is not None:
        properties["memory_scope"] = scope
    return properties


def _parse_indices(parser: Parser) -> list[UnresolvedOperand]:
    return parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_unresolved_operand)


def _parse_clauses(
    parser: Parser, properties: dict[str, Attribute], count: int
) -> tuple[UnresolvedOperand | None, dict[str, Attribute]]:
    """Read `token = %t optimization_hints = <...> inbounds = [true] attributes {...}`, each optional."""
    token: UnresolvedOperand | None = None
    if parser.parse_optional_keyword("token"):
        parser.parse_punctuation("=")
        token = parser.parse_unresolved_operand()
    if (hints := parse_optional_hints(parser)) is not None:
        properties["optimization_hints"] = hints
    promises: Sequence[bool] = (False,) * count
    if parser.parse_optional_keyword("inbounds"):
        parser.parse_punctuation("=")
        promises = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_boolean)
    properties["inbounds"] = bools(*promises)
    given = parser.parse_optional_attr_dict_with_keyword()
    attributes = dict(given.data) if given is not None else {}
    for name in ("inbounds", "reduction"):
        if name in attributes:
            properties[name] = attributes.pop(name)
    return token, attributes


def _resolve_indices(
    parser: Parser, indices: Sequence[UnresolvedOperand], types: Sequence[Attribute]
) -> list[SSAValue]:
    """Resolve indices against one type for all, or one each."""
    if len(types) == 1 and len(indices) != 1:
        types = list(types) * len(indices)
    if len(types) != len(indices):
        parser.raise_error(f"{len(indices)} indices need one type for all or one each, got {len(types)}")
    return [parser.resolve_operand(index, type_) for index, type_ in zip(indices, types, strict=True)]


def _resolve_token(parser: Parser, token: UnresolvedOperand | None) -> list[SSAValue]:
    return [] if token is None else [parser.resolve_operand(token, TOKEN)]


def _print_ordering(op: TileOp, printer: Printer) -> None:
    for name in ("memory_ordering_semantics", "memory_scope"):
        attr = op.properties.get(name)
        if isinstance(attr, MemoryOrderingSemanticsAttr | MemoryScopeAttr):
            printer.print_string(f" {attr.data.value}")
    printer.print_string(" ")


def _print_indexed(view: SSAValue, indices: Sequence[SSAValue], printer: Printer) -> None:
    printer.print_ssa_value(view)
    with printer.in_square_brackets():
        printer.print_list(indices, printer.print_operand)


def _print_clauses(op: TileOp, token: SSAValue | None, printer: Printer) -> None:
    if token is not None:
        printer.print_string(" token = ")
        printer.print_ssa_value(token)
    hints = op.properties.get("optimization_hints")
    if isinstance(hints, OptimizationHintsAttr):
        printer.print_string(" optimization_hints = ")
        hints.print_parameters(printer)
    inbounds = op.properties.get("inbounds")
    if isinstance(inbounds, DenseArrayBase):
        promises = [bool(value) for value in cast("DenseArrayBase[IntegerType]", inbounds).get_values()]
        if any(promises):
            printer.print_string(f" inbounds = [{', '.join('true' if value else 'false' for value in promises)}]")
    extra = {name: attr for name, attr in op.attributes.items() if name not in _PRINTED}
    reduction = op.properties.get("reduction")
    if isinstance(reduction, MultimemReductionKindAttr) and reduction != REDUCE_ADD:
        extra["reduction"] = reduction
    printer.print_op_attributes(extra, print_keyword=True)
    printer.print_string(" : ")


def _index_types(indices: Sequence[SSAValue]) -> list[Attribute]:
    types = [index.type for index in indices]
    return types[:1] if all(type_ == types[0] for type_ in types) else types


def parse_load_view(cls: type[LoadViewTkoOp], parser: Parser) -> LoadViewTkoOp:
    """Read `weak %v[%i] token = %t inbounds = [true] : V, I -> T, token`."""
    properties = _parse_ordering(parser)
    view = parser.parse_unresolved_operand()
    indices = _parse_indices(parser)
    token, attributes = _parse_clauses(parser, properties, len(indices))
    parser.parse_punctuation(":")
    view_type, *index_types = parse_types(parser)
    parser.parse_punctuation("->")
    results = parse_types(parser)
    properties[SEGMENTS] = segments(1, len(indices), int(token is not None))
    operands = [parser.resolve_operand(view, view_type), *_resolve_indices(parser, indices, index_types)]
    return cls.create(
        operands=operands + _resolve_token(parser, token),
        result_types=results,
        properties=properties,
        attributes=attributes,
    )


def print_load_view(op: LoadViewTkoOp, printer: Printer) -> None:
    """Write `weak %v[%i] token = %t inbounds = [true] : V, I -> T, token`."""
    _print_ordering(op, printer)
    _print_indexed(op.view, op.index, printer)
    _print_clauses(op, op.token, printer)
    print_types([op.view.type, *_index_types(op.index)], printer)
    printer.print_string(" -> ")
    print_types(op.result_types, printer)


def parse_store_view(cls: type[StoreViewTkoOp], parser: Parser) -> StoreViewTkoOp:
    """Read `weak %x, %v[%i] token = %t : T, V, I -> token`."""
    properties = _parse_ordering(parser)
    value = parser.parse_unresolved_operand()
    parser.parse_punctuation(",")
    view = parser.parse_unresolved_operand()
    indices = _parse_indices(parser)
    token, attributes = _parse_clauses(parser, properties, len(indices))
    parser.parse_punctuation(":")
    types = parse_types(parser)
    if len(types) < 2:
        parser.raise_error("expected the types of the tile, the view and the indices")
    parser.parse_punctuation("->")
    results = parse_types(parser)
    properties[SEGMENTS] = segments(1, 1, len(indices), int(token is not None))
    operands = [parser.resolve_operand(value, types[0]), parser.resolve_operand(view, types[1])]
    operands += _resolve_indices(parser, indices, types[2:])
    return cls.create(
        operands=operands + _resolve_token(parser, token),
        result_types=results,
        properties=properties,
        attributes=attributes,
    )


def print_store_view(op: StoreViewTkoOp, printer: Printer) -> None:
    """Write `weak %x, %v[%i] token = %t : T, V, I -> token`."""
    _print_ordering(op, printer)
    printer.print_ssa_value(op.tile)
    printer.print_string(", ")
    _print_indexed(op.view, op.index, printer)
    _print_clauses(op, op.token, printer)
    print_types([op.tile.type, op.view.type, *_index_types(op.index)], printer)
    printer.print_string(" -> ")
    print_types(op.result_types, printer)


def parse_atomic_red_view(cls: type[AtomicRedViewTkoOp], parser: Parser) -> AtomicRedViewTkoOp:
    """Read `relaxed device %v[%i], addf, %x token = %t : T, V, I -> token`."""
    properties = _parse_ordering(parser)
    view = parser.parse_unresolved_operand()
    indices = _parse_indices(parser)
    parser.parse_punctuation(",")
    properties["mode"] = AtomicRMWModeAttr.parse_keyword(parser)
    parser.parse_punctuation(",")
    value = parser.parse_unresolved_operand()
    token, attributes = _parse_clauses(parser, properties, len(indices))
    parser.parse_punctuation(":")
    types = parse_types(parser)
    if len(types) < 2:
        parser.raise_error("expected the types of the tile, the view and the indices")
    parser.parse_punctuation("->")
    results = parse_types(parser)
    properties[SEGMENTS] = segments(1, len(indices), 1, int(token is not None))
    operands = [parser.resolve_operand(view, types[1]), *_resolve_indices(parser, indices, types[2:])]
    operands.append(parser.resolve_operand(value, types[0]))
    return cls.create(
        operands=operands + _resolve_token(parser, token),
        result_types=results,
        properties=properties,
        attributes=attributes,
    )


def print_atomic_red_view(op: AtomicRedViewTkoOp, printer: Printer) -> None:
    """Write `relaxed device %v[%i], addf, %x token = %t : T, V, I -> token`."""
    _print_ordering(op, printer)
    _print_indexed(op.view, op.index, printer)
    printer.print_string(f", {op.mode.data.value}, ")
    printer.print_ssa_value(op.value)
    _print_clauses(op, op.token, printer)
    print_types([op.value.type, op.view.type, *_index_types(op.index)], printer)
    printer.print_string(" -> ")
    print_types(op.result_types, printer)


def parse_multimem(cls: type[MultimemT], parser: Parser) -> MultimemT:
    """Read `weak %v, %x[%i] token = %t attributes {reduction = ...} : V, T, I, token -> token`."""
    properties = _parse_ordering(parser)
    loads = issubclass(cls, MultimemLoadReduceViewTkoOp)
    places = [parser.parse_unresolved_operand()]
    if not loads:
        parser.parse_punctuation(",")
        places.append(parser.parse_unresolved_operand())
    indices = _parse_indices(parser)
    token, attributes = _parse_clauses(parser, properties, len(indices))
    parser.parse_punctuation(":")
    types = parse_types(parser)
    parser.parse_punctuation("->")
    results = parse_types(parser)
    if token is not None and types[-1] == TOKEN:
        types.pop()
    if len(types) < len(places):
        parser.raise_error("expected the types of the view, the tile and the indices")
    operands = [parser.resolve_operand(value, type_) for value, type_ in zip(places, types, strict=False)]
    operands += _resolve_indices(parser, indices, types[len(places) :])
    properties[SEGMENTS] = segments(*(1,) * len(places), len(indices), int(token is not None))
    return cls.create(
        operands=operands + _resolve_token(parser, token),
        result_types=results,
        properties=properties,
        attributes=attributes,
    )


def print_multimem(op: Multimem, printer: Printer) -> None:
    """Write `weak %v, %x[%i] token = %t attributes {reduction = ...} : V, T, I, token -> token`."""
    loads = isinstance(op, MultimemLoadReduceViewTkoOp)
    sizes = cast("DenseArrayBase[IntegerType]", op.properties[SEGMENTS]).get_values()
    operands = tuple(op.operands)
    places = operands[: 1 if loads else 2]
    indices = operands[len(places) : len(places) + sizes[len(places)]]
    token = operands[-1] if sizes[-1] else None
    _print_ordering(op, printer)
    if not loads:
        printer.print_ssa_value(places[0])
        printer.print_string(", ")
    _print_indexed(places[-1], indices, printer)
    _print_clauses(op, token, printer)
    types = [*(place.type for place in places), *_index_types(indices)]
    print_types(types if token is None else [*types, TOKEN], printer)
    printer.print_string(" -> ")
    print_types(op.result_types, printer)
