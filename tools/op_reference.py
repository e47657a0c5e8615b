"""Writes the reference of the `cuda_tile` dialect from the classes that define it.

`python -m freehold.tools.op_reference` prints it, `--write FILE` writes it. A test holds `docs/reference/cuda_tile.md`
to it.
"""

from __future__ import annotations

import argparse
import inspect
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, cast

from xdsl.ir import Attribute
from xdsl.irdl import (
    AttrSizedOperandSegments,
    BaseAttr,
    EqAttrConstraint,
    OptionalDef,
    RangeLengthConstraint,
    RangeOf,
    VarConstraint,
    VariadicDef,
)
from xdsl.traits import IsTerminator, NoMemoryEffect, Pure

from freehold.dialects.cuda_tile import ENUMS, OPS, TYPES, TileOp
from freehold.dialects.cuda_tile.attrs import (
    BoundedAttr,
    DivByAttr,
    OptimizationHintsAttr,
    SameElementsAttr,
    WireEnumAttr,
)
from freehold.dialects.cuda_tile.types import ELEMENT_BITS, ELEMENT_SINCE
from freehold.dialects.cuda_tile.version import V13_1

GROUPS: Final = (
    "Core",
    "Control Flow",
    "Floating Point",
    "Integer",
    "Bitwise",
    "Conversions",
    "Views",
    "Memory",
    "Atomics",
    "Miscellaneous",
)
"""The sections of the specification, in the order the reference has them."""

INTRODUCTION: Final = """\
# The `cuda_tile` dialect

CUDA Tile IR, bytecode versions 13.1 to 13.5. This page is written by `python -m freehold.tools.op_reference` from the
classes in `dialects/cuda_tile/`, whose docstrings it quotes.

Every operation can also be written in MLIR's generic form. Inside a `cuda_tile.module` the dialect's name may be left
out, of operations and of types. A scalar is a tile of rank 0. An operand or result in brackets may be absent, one with
dots may be there any number of times. *Pure* operations may be moved, merged and removed; operations *without memory
effects* may be merged and removed, but not run where they were not run before. In the forms below, `[...]` may be left
out, and a dictionary of further attributes may stand before the colon.
"""


def _doc(cls: type[Any]) -> str:
    return inspect.cleandoc(cls.__doc__ or "").strip()


def _constraint(constraint: object) -> str:
    if isinstance(constraint, RangeLengthConstraint):
        return _constraint(constraint.constraint)  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
    if isinstance(constraint, RangeOf):
        return _constraint(constraint.constr)  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
    if isinstance(constraint, VarConstraint):
        return f"{_constraint(cast(object, constraint.constraint))} ({constraint.name})"  # pyright: ignore[reportUnknownMemberType]
    if isinstance(constraint, EqAttrConstraint):
        return f"`{_short(constraint.attr)}`"  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
    if isinstance(constraint, BaseAttr):
        return f"`{cast(type[Attribute], constraint.attr).name}`"  # pyright: ignore[reportUnknownMemberType]
    return str(constraint)


def _short(attr: Attribute) -> str:
    return str(attr).replace("!cuda_tile.", "")


def _name(name: str, definition: object) -> str:
    name = name.rstrip("_")
    if isinstance(definition, OptionalDef):
        return f"[`{name}`]"
    return f"`{name}`..." if isinstance(definition, VariadicDef) else f"`{name}`"


def _since(op: type[TileOp], name: str) -> str:
    version = op.field_since.get(name)
    return f" Since {version}." if version is not None else ""


def _property(op: type[TileOp], name: str, definition: Any) -> str:
    kinds: set[type[Attribute]] = definition.constr.get_bases() or set()
    kind = ", ".join(sorted(f"`{base.name}`" for base in kinds)) or str(definition.constr)
    line = f"- {_name(name, definition)}: {kind.replace('`unit`', 'a flag')}."
    if definition.default_value is not None:
        line += f" Default `{_short(definition.default_value)}`."
    return line + _since(op, name)


def _effects(op: type[TileOp]) -> str:
    if op.get_trait(Pure) is not None:
        return "Pure."
    if op.get_trait(NoMemoryEffect) is not None:
        return "Without memory effects."
    return "A terminator." if op.get_trait(IsTerminator) is not None else ""


def _syntax(op: type[TileOp]) -> str:
    """The custom form: the assembly format, or what the hand-written parser says it reads."""
    if op.FORMAT is None:
        match = re.search(r"Read `([^`]*)`", inspect.getdoc(op.parse) or "")
        assert match is not None, f"{op.name}: the docstring of parse must say Read `...`"
        return f"{op.short_name()} {match.group(1)}"
    text = re.sub(r"custom<(\w+)>\(([^()]*(?:\([^()]*\)[^()]*)*)\)", _directive, op.FORMAT)
    text = re.sub(r"`([^`]*)`", r"\1", text).replace("^", "").replace("attr-dict", "")
    text = re.sub(r"[(]([^()]*(?:[(][^()]*[)][^()]*)*)[)][?]", r"[\1]", text)
    text = re.sub(r"type\(\$(\w+)\)", r"type(\1)", text)
    operands = {name for name, _ in op.get_irdl_definition().operands}
    text = re.sub(r"\$(\w+)", lambda match: ("%" if match.group(1) in operands else "") + match.group(1), text)
    text = re.sub(r"\s+", " ", re.sub(r"(\w)_\b", r"\1", text)).replace(" ,", ",").replace("[ ", "[").replace(" ]", "]")
    return f"{op.short_name()} {text}".replace("  ", " ").strip()


def _directive(match: re.Match[str]) -> str:
    kind, argument = match.group(1), match.group(2)
    name = argument.removeprefix("$")
    match kind:
        case "Round":
            return f"[rounding<{name}>]"
        case "Overflow":
            return "[overflow<...>]"
        case "Flag" | "OptKey":
            return f"[{name}]"
        case "NanFtz":
            return "[flush_to_zero] [propagate_nan]"
        case "Hints":
            return "[optimization_hints = <...>]"
        case "Dense":
            return "<element: literal> : type"
        case "Ty3":
            return argument.split(",")[0]
        case "ViewTy":
            return "type($result)"
        case "Sym":
            return "@name"
        case _:
            return argument


def operation(op: type[TileOp]) -> str:
    """The entry of one operation."""
    definition = op.get_irdl_definition()
    facts = [f"Opcode {op.opcode}.", f"Since {op.since}.", _effects(op)]
    lines = [f"### `{op.short_name()}`", "", _doc(op), "", " ".join(fact for fact in facts if fact), ""]
    lines += ["```", _syntax(op), "```", ""]
    hidden = AttrSizedOperandSegments.attribute_name
    properties = [_property(op, name, d) for name, d in definition.properties.items() if name != hidden]
    for title, entries in (
        ("Attributes", properties),
        ("Operands", [_field(op, name, d) for name, d in definition.operands]),
        ("Results", [_field(op, name, d) for name, d in definition.results]),
    ):
        if entries:
            lines += [f"{title}:", "", *entries, ""]
    return "\n".join(lines)


def _field(op: type[TileOp], name: str, definition: Any) -> str:
    return f"- {_name(name, definition)}: {_constraint(definition.constr)}.{_since(op, name)}"


def _enumeration(enum: type[WireEnumAttr[Any]]) -> str:
    lines = [f"### `{enum.name.removeprefix('cuda_tile.')}`", "", _doc(enum), ""]
    for value, member in enumerate(enum.enum_type):
        since = enum.of(member.value).keyword_since
        lines.append(f"- {value}: `{member.value}`" + (f", since {since}" if since != V13_1 else ""))
    return "\n".join([*lines, ""])


def reference() -> str:
    """The whole page."""
    parts = [INTRODUCTION, "## Types\n"]
    elements = [f"| `{name}` | {bits} | {ELEMENT_SINCE[name]} |" for name, bits in ELEMENT_BITS.items()]
    parts += ["| element | bits | since |", "|---|---|---|", *elements, ""]
    for type_ in TYPES:
        name = type_.name.removeprefix("cuda_tile.")
        parts += [f"### `{name}`", "", _doc(type_), "", f"Since {type_.SINCE}.", ""]
    parts += ["## Attributes", ""]
    for attr in (DivByAttr, SameElementsAttr, BoundedAttr, OptimizationHintsAttr):
        parts += [f"### `{attr.name.removeprefix('cuda_tile.')}`", "", _doc(attr), ""]
    parts += [_enumeration(enum) for enum in ENUMS]
    for group in GROUPS:
        parts += [f"## {group}", ""]
        parts += [operation(op) for op in sorted(OPS, key=lambda op: op.name) if op.group == group]
    return "\n".join(parts).rstrip() + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="op_reference", description="Write the reference of the cuda_tile dialect.")
    parser.add_argument("--write", metavar="FILE", type=Path, help="the file to write instead of standard output")
    options = parser.parse_args(arguments)
    if options.write is None:
        sys.stdout.write(reference())
    else:
        options.write.write_text(reference(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
