"""The dialect has everything that Tile IR has, as written down in `tile_ir`, and nothing else."""

from __future__ import annotations

import pytest
import tile_ir

from freehold.backend.bytecode import tables
from freehold.dialects.cuda_tile import ENUMS, OPS, TYPES, CudaTile, TileOp
from freehold.dialects.cuda_tile.types import ELEMENT_BITS, ELEMENT_SINCE, element_name


def test_operations_opcodes_and_versions() -> None:
    assert {op.short_name(): (op.opcode, str(op.since)) for op in OPS} == tile_ir.OPERATIONS


def test_fields_that_came_later() -> None:
    found = {op.short_name(): {name: str(at) for name, at in op.field_since.items()} for op in OPS if op.field_since}
    assert found == tile_ir.FIELDS


def test_later_fields_exist() -> None:
    for op in OPS:
        definition = op.get_irdl_definition()
        names = {*definition.properties, *(n for n, _ in definition.operands), *(n for n, _ in definition.results)}
        assert set(op.field_since) <= names, op.name


def test_enumerations_and_their_values() -> None:
    found = {enum.name.removeprefix("cuda_tile."): [member.value for member in enum.enum_type] for enum in ENUMS}
    assert found == tile_ir.ENUMERATIONS


@pytest.mark.parametrize("name", tile_ir.ENUMERATIONS)
def test_members_by_value_and_version(name: str) -> None:
    (enum,) = (enum for enum in ENUMS if enum.name == f"cuda_tile.{name}")
    for value, member in enumerate(tile_ir.ENUMERATIONS[name]):
        attr = enum.from_wire(value)
        assert attr is enum.of(member)
        assert attr.wire == value
        assert str(attr.keyword_since) == tile_ir.LATER_MEMBERS.get((name, member), "13.1")
    with pytest.raises(ValueError, match="has no value"):
        enum.from_wire(len(tile_ir.ENUMERATIONS[name]))


def test_types_and_versions() -> None:
    assert {type_.name.removeprefix("cuda_tile."): str(type_.SINCE) for type_ in TYPES} == tile_ir.TYPES


def test_attributes() -> None:
    """Every attribute of Tile IR is registered, and there is none without a reason."""
    names = [attr.name.removeprefix("cuda_tile.") for attr in CudaTile.attributes]
    assert len(names) == len(set(names))
    assert set(names) == {*tile_ir.TYPES, *tile_ir.ENUMERATIONS, *tile_ir.ATTRIBUTES, *tile_ir.OTHERS}


def test_elements() -> None:
    found = {name: (bits, str(ELEMENT_SINCE[name])) for name, bits in ELEMENT_BITS.items()}
    assert found == tile_ir.ELEMENTS


def test_numbers_in_bytecode() -> None:
    types = {element_name(element): tag for tag, element in tables.ELEMENTS}
    types |= {record.type.name.removeprefix("cuda_tile."): record.tag for record in tables.COMPOSITES}
    assert types == tile_ir.TYPE_TAGS
    assert set(types) == {*tile_ir.TYPES, *tile_ir.ELEMENTS}
    assert [(tag.name, tag.value) for tag in tables.AttributeTag] == [
        (name, number) for number, name in enumerate(tile_ir.ATTRIBUTE_TAGS, 1)
    ]
    assert [(tag.name, tag.value) for tag in tables.DebugTag] == [
        (name, number) for number, name in enumerate(tile_ir.DEBUG_TAGS)
    ]


def test_every_operation_is_documented() -> None:
    for op in OPS:
        assert op.__doc__, op.name
        assert op.__doc__ != TileOp.__doc__, op.name


def test_every_operation_has_text() -> None:
    for op in OPS:
        assert op.FORMAT is not None or "parse" in op.__dict__, op.name


def test_registered_names_are_unique() -> None:
    names = [op.name for op in CudaTile.operations]
    assert len(names) == len(set(names))
