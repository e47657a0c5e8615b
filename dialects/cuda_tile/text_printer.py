"""Printing: xDSL's printer, quicker, and with the forms of NVIDIA's tools."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, field
from io import StringIO
from typing import Any, Final, NamedTuple, cast

from xdsl.dialects.builtin import ArrayAttr, FusedLoc, IntegerAttr, LocationAttr, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import VarResultDef
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove

from freehold.dialects.cuda_tile.attrs import UNNAMED
from freehold.dialects.cuda_tile.debug import DebugAttr
from freehold.dialects.cuda_tile.dense import DenseElementsAttr
from freehold.dialects.cuda_tile.op import TileOp
from freehold.dialects.cuda_tile.text_dense import print_builtin_dense
from freehold.dialects.cuda_tile.text_names import suggested_name
from freehold.dialects.cuda_tile.version import VERSIONS, Version

_MOST_FORMS: Final = 4096
"""How many forms are kept; each constant has one of its own."""


class _Form(NamedTuple):
    """The text of operations that differ in their operands alone, from the operation's name to its end."""

    texts: tuple[str, ...]
    """What stands before each operand, and behind the last."""
    order: tuple[int, ...]
    """Which operand follows on each of those."""
    of: tuple[object, ...]
    """What the form is found by the identities of: nothing else may come to have them."""


@dataclass(eq=False, repr=False)
class TilePrinter(Printer):
    """Prints operations inside a `cuda_tile.module` as NVIDIA's tools do: groups of results as `%x:2`.

    Most operations differ from others in their operands alone: the text around these is kept, and printed again.

    Operations have the names of `version`. `elide` leaves out the dialect's name there, and calls values without a name
    what NVIDIA's tools call them. With `aliases` each location and scope stands in a line of its own after all else,
    and its alias where it is used.
    """

    elide: bool = False
    version: Version = VERSIONS[-1]
    aliases: bool = False
    definitions: list[str] = field(default_factory=list, init=False)
    """The lines of aliases, each after those that it uses."""
    _names: dict[Attribute, str] = field(default_factory=dict, init=False)
    """The aliases so far."""
    _counts: dict[str, int] = field(default_factory=dict, init=False)
    _whole: Attribute | None = field(default=None, init=False)
    """What is being printed to stand behind its alias."""
    _forms: dict[tuple[object, ...], _Form] = field(default_factory=dict, init=False)
    _written: list[tuple[int, SSAValue]] | None = field(default=None, init=False)
    """While a form is found: where in the text names of values stand."""
    _of: TileOp | None = field(default=None, init=False)
    """The operation of this dialect whose generic form is printed."""

    def print_string(self, text: str, *, indent: int | None = None) -> None:
        """Write text; new lines in it are indented."""
        if "\n" in text or self.stream is None:
            super().print_string(text, indent=indent)
        else:
            self.stream.write(text)

    def print_ssa_value(self, value: SSAValue) -> str:
        """Write the name of a value, which gets one if it has none yet; returns it."""
        name = self._ssa_values.get(value) or self._named(value)
        if self._written is not None:
            self._written.append((cast("StringIO", self.stream).tell(), value))
        self.print_string(f"%{name}")
        return name

    def _named(self, value: SSAValue) -> str:
        hint = value.name_hint
        if hint is None and self.elide:
            hint = suggested_name(value)
        if hint is None:
            name = self._get_new_valid_name_id()
        else:
            count = self.ssa_names.get(hint, 0)
            self.ssa_names[hint] = count + 1
            name = f"{hint}_{count}" if count else hint
        self._ssa_values[value] = name
        return name

    def print_op(self, op: Operation) -> None:
        """Write one operation and what is inside it."""
        if not isinstance(op, TileOp) or (self.print_generic_format and op.RENAMED is None):
            super().print_op(op)
            return
        self._print_results(op)
        name = op.name if op.RENAMED is None else op.name_in(self.version)
        if self.print_generic_format:
            self.print_string(f'"{name}"')
            self.print_op_with_default_format(op)
            return
        elided = self.elide and isinstance(op.parent_op(), TileOp)
        self.print_string(name.removeprefix("cuda_tile.") if elided else name)
        if op.regions or op.attributes or self.stream is None:
            scope = op.has_trait(IsolatedFromAbove)
            if scope:
                self.enter_scope()
            op.print(self)
            self._print_location(op)
            if scope:
                self.exit_scope()
            return
        bare: Any = op  # whose own fields are read: each property of xDSL's takes a call
        operands: tuple[SSAValue, ...] = bare._operands
        values = (*bare._operands, *bare.results)
        parts = (op.__class__, *op.properties.values(), *[value._type for value in values])
        key = (len(operands), *op.properties, *map(id, parts))
        form = self._forms.get(key)
        if form is None:
            self._print_first(op, key, parts)
        else:
            names, write = self._ssa_values, self.stream.write
            write(form.texts[0])
            for index, text in zip(form.order, form.texts[1:], strict=True):
                value = operands[index]
                write(f"%{names.get(value) or self._named(value)}{text}")
        self._print_location(op)

    def _print_first(self, op: TileOp, key: tuple[object, ...], parts: tuple[object, ...]) -> None:
        """Write an operation, and keep the text around its operands where each of these is another value."""
        stream, text = self.stream, StringIO()
        self.stream, self._written = text, []
        op.print(self)
        written, whole = self._written, text.getvalue()
        self.stream, self._written = stream, None
        self.print_string(whole)
        operands = list(op.operands)
        if "\n" in whole or len(set(operands)) < len(operands) or not {value for _, value in written} <= set(operands):
            return
        texts, end = list[str](), 0
        for begin, value in written:
            texts.append(whole[end:begin])
            end = begin + 1 + len(self._ssa_values[value])
        self.keep(key, _Form((*texts, whole[end:]), tuple(operands.index(value) for _, value in written), parts))

    def keep(self, key: tuple[object, ...], form: _Form) -> None:
        """Let operations be printed by a form."""
        if len(self._forms) >= _MOST_FORMS:
            self._forms.clear()
        self._forms[key] = form

    def _print_location(self, op: Operation) -> None:
        if self.print_debuginfo:
            self.print_string(" ")
            self.print_attribute(op.location)

    def print_attribute(self, attribute: Attribute) -> None:
        """Write an attribute: literals in generic form as MLIR has them, positions in a scope as NVIDIA's tools do."""
        if self.aliases and attribute is not self._whole:
            if isinstance(attribute, DebugAttr):
                self.print_string(self._alias(attribute))
                return
            if isinstance(attribute, LocationAttr) and not self.printing_location:
                self.print_string(f"loc({self._alias(attribute)})")
                return
        if isinstance(attribute, FusedLoc) and isinstance(attribute.metadata, DebugAttr):
            parts = cast("ArrayAttr[Attribute]", attribute.locations).data
            if len(parts) == 1:
                self._print_scoped(parts[0], attribute.metadata, alone=attribute is self._whole)
                return
        if self.print_generic_format and isinstance(attribute, DenseElementsAttr):
            print_builtin_dense(attribute, self)
            return
        super().print_attribute(attribute)

    def _alias(self, attribute: Attribute) -> str:
        name = self._names.get(attribute)
        if name is None:
            kept = self.stream, self._whole, self.printing_location
            self.stream, self._whole, self.printing_location = StringIO(), attribute, False
            self.print_attribute(attribute)
            text = self.stream.getvalue()
            self.stream, self._whole, self.printing_location = kept
            kind = attribute.name.removeprefix("cuda_tile.") if isinstance(attribute, DebugAttr) else "loc"
            number = self._counts[kind] = self._counts.get(kind, -1) + 1
            name = self._names[attribute] = f"#{kind}{number or ''}"
            self.definitions.append(f"{name} = {text}\n")
        return name

    def _print_scoped(self, position: Attribute, scope: DebugAttr, *, alone: bool) -> None:
        """Write a position in a scope; what an alias stands for is it alone, without `loc(..)` around it."""
        with nullcontext() if alone else self.in_location():
            self.print_string("#cuda_tile.di_loc<")
            if self.aliases:
                self.print_string(self._alias(position))
            else:
                self.printing_location = False
                self.print_attribute(position)
                self.printing_location = not alone
            self.print_string(" in ")
            self.print_attribute(scope)
            self.print_string(">")

    def print_op_with_default_format(self, op: Operation) -> None:
        """Write the generic form, without properties that say what older versions mean by leaving them out."""
        self._of = op if isinstance(op, TileOp) else None
        super().print_op_with_default_format(op)

    def _print_op_properties(self, properties: dict[str, Attribute]) -> None:
        if (op := self._of) is not None:
            unsaid = op.unsaid_properties()
            properties = {
                name: IntegerAttr(value.wire, i32) if isinstance(value, UNNAMED) else value
                for name, value in properties.items()
                if name not in unsaid
            }
        super()._print_op_properties(properties)

    def _print_results(self, op: Operation) -> None:
        if not op.results:
            return
        definitions = op.get_irdl_definition().results if self.elide and isinstance(op, TileOp) else []
        if len(op.results) < 2 or len(definitions) != 1 or not isinstance(definitions[0][1], VarResultDef):
            super()._print_results(op)
            return
        name = self.print_ssa_value(op.results[0])
        self.print_string(f":{len(op.results)} = ")
        for index, result in enumerate(op.results):
            self._ssa_values[result] = f"{name}#{index}"
