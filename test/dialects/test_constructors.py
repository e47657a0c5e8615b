"""Operations made in Python are those that text says: each one in lit's files, made anew of its own parts."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, cast

from xdsl.dialects.builtin import DenseArrayBase, UnitAttr
from xdsl.ir import SSAValue

from freehold.dialects.cuda_tile import OPS, TileOp
from freehold.tools.context import make_context
from freehold.tools.located_parser import parse_module

FOLDER = Path(__file__).parents[1] / "lit" / "dialects" / "cuda_tile"
FILES = sorted(path for path in FOLDER.glob("*.mlir") if not path.stem.endswith("_invalid"))
WITHOUT = {"module", "entry", "global", "for", "if", "loop", "reduce", "scan"}
"""What holds others."""

PARTS: Final[dict[str, Callable[[Any], Any]]] = {
    "ordering": lambda op: op.properties.get("comparison_ordering") or op.memory_ordering_semantics,
    "scope": lambda op: op.memory_scope,
    "source": lambda op: op.operands[0],
    "element": lambda op: op.results[0].type.element_type,
    "values": lambda op: op.operands,
    "hints": lambda op: op.optimization_hints,
    "dims": lambda op: op.results[0].type.dims,
    "type_": lambda op: op.results[0].type,
    "pointer": lambda op: op.results[0].type.element_type,
    "predicate": lambda op: op.properties.get("comparison_predicate") or op.predicate,
    "padding": lambda op: op.paddingValue,
    "is_global": lambda op: op.properties.get("global"),
    "name": lambda op: op.global_name.root_reference,
    "text": lambda op: op.properties["str"],
    "dynamic_shape": lambda op: op.dynamicShape,
    "dynamic_strides": lambda op: op.dynamicStrides,
    "properties": lambda op: dict(op.properties),
}
"""Arguments of constructors that are called otherwise than what they become."""


def plain(given: Any, annotation: str) -> Any:
    """What a constructor takes for a part of an operation."""
    if annotation == "bool":
        return given is not None and (isinstance(given, UnitAttr) or bool(given.value.data))
    if given is None:
        return None
    if annotation == "int":
        return given.value.data
    if annotation == "str":
        return given.data
    if annotation == "Sequence[int]" and isinstance(given, DenseArrayBase):
        return tuple(given.get_values())
    if annotation == "Sequence[bool] | None":
        return tuple(map(bool, given.get_values()))
    return cast(Any, given).type if annotation == "TileType" and isinstance(given, SSAValue) else given


def again(op: TileOp) -> TileOp:
    """The same operation, by its class's constructor."""
    given = dict[str, Any]()
    for name, parameter in inspect.signature(type(op)).parameters.items():
        part = PARTS[name](op) if name in PARTS else getattr(op, name)
        given[name] = plain(part, str(parameter.annotation))
    return type(op)(**given)


def read(path: Path) -> list[TileOp]:
    module = parse_module(make_context(), path.read_text(encoding="utf-8"), path.name)
    return [op for op in module.walk() if isinstance(op, TileOp)]


def test_made_of_their_parts() -> None:
    seen: set[str] = set()
    for op in [op for path in FILES for op in read(path)]:
        seen.add(op.name)
        if op.short_name() not in WITHOUT:
            made = again(op)
            assert made.properties == op.properties, op
            assert [r.type for r in made.results] == [r.type for r in op.results], op
            assert tuple(made.operands) == tuple(op.operands), op
            made.erase()
    assert {op.name for op in OPS} <= seen
