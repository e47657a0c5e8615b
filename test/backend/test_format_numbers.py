"""
The numbers of the bytecode format and the records of all operations in each version, as one text.

Others write and read this format: a number that changes here is a file that nobody reads. The text is written anew by
`pytest --update-golden`, and read beside the specification.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from freehold.backend.bytecode import tables
from freehold.backend.bytecode.tables import OpRecord, Property, Values, op_of_opcode, op_record
from freehold.dialects.cuda_tile.attrs import ENUMS
from freehold.dialects.cuda_tile.version import VERSIONS

GOLDEN = Path(__file__).with_name("format_numbers.txt")


def of_sections() -> Iterator[str]:
    for kind in (tables.Section, tables.FunctionFlag, tables.AttributeTag, tables.DebugTag):
        yield f"{kind.__name__}: {', '.join(f'{one.name} {one.value}' for one in kind)}"
    yield f"aligned: {', '.join(f'{s.name} {n}' for s, n in tables.ALIGNMENT.items())}"
    yield f"written in the order: {', '.join(s.name for s in tables.SECTION_ORDER)}"
    yield f"preview: {', '.join(f'{name} {number}' for number, name in tables.PREVIEW_OPCODES.items())}"
    yield f"functions: {tables.FUNCTION_TAG}; not in bodies: {', '.join(sorted(tables.NOT_IN_BODIES))}"
    for tag, element in tables.ELEMENTS:
        yield f"{element} {tag}, since {tables.element_since(element)}"
    for one in tables.COMPOSITES:
        option = f", option {one.option.__name__} with flags since {one.flags_since}" if one.option else ""
        parts = " ".join(f"{name}:{part.name}" for name, part in one.parts)
        yield f"{one.type.__name__} {one.tag}, since {one.since}: {parts}{option}"
    for enum in ENUMS:
        yield f"{enum.__name__}: {', '.join(f'{member.value} {member.wire}' for member in enum.enum_type)}"


def told(field: Property | Values) -> str:
    what = f"{field.form.name}" if isinstance(field, Property) else field.arity.name
    if isinstance(field, Property):
        what += f" {field.kind.__name__}" + (f" {field.integer}" if field.integer else "")
        what += " optional" * field.optional
    else:
        what += " counted" * field.counted + (f" {field.type}" if field.type else "")
    return f"{field.name}:{what}" + (f" flag {field.flag}" if field.flag else "") + f" since {field.since}"


def of_record(one: OpRecord) -> Iterator[str]:
    for name in ("properties", "operands", "results"):
        fields: tuple[Property | Values, ...] = getattr(one, name)
        there = [told(f) for f in fields if f.there]
        yield f"{name} {'; '.join(there)}" if there else ""
    yield " ".join(
        w for w in ("counts_results", "has_flags", "segmented", "counts_operands", "bare") if getattr(one, w)
    )
    yield " ".join(w for w in ("newer_results", "many_results") if getattr(one, w))
    yield f"{one.fixed_results} results" if one.fixed_results else ""
    yield f"flags {one.known_flags}" if one.known_flags else ""
    yield (
        f"regions {' '.join('may be empty' if e else 'one block' for e in one.may_be_empty)}"
        if one.may_be_empty
        else ""
    )
    yield f"loose {' '.join(one.loose)}" if one.loose else ""
    yield f"absent {' '.join(p.name for p in one.absent)}" if one.absent else ""


def of_operations() -> Iterator[str]:
    for opcode, op in sorted(op_of_opcode().items()):
        before = ""
        for version in VERSIONS:
            if version < op.since:
                continue
            record = op_record(op, version)
            assert record.opcode == tables.varint(opcode)
            found = ", ".join(part for part in of_record(record) if part)
            if found != before:
                yield f"{op.short_name()} {opcode:#x} in {version}: {found}"
            before = found


def test_numbers_and_records_as_they_were(golden: Callable[[Path, str], None]) -> None:
    golden(GOLDEN, "".join(f"{line}\n" for line in (*of_sections(), *of_operations())))


def test_operations_came_in_the_order_of_their_numbers() -> None:
    """So a reader of one version knows all numbers up to the last one that it has."""
    since = [op.since for _, op in sorted(op_of_opcode().items())]
    assert since == sorted(since)
    assert set(since) == set(VERSIONS)
