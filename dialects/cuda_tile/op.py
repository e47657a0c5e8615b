"""The base of every `cuda_tile` operation, and how one is declared.

An operation is an IRDL definition plus what the bytecode needs to know of it: `opcode`, `since`, `field_since`. The
order of properties, operands and results in the class is that on the wire, so readers and writers need no second table.

The assembly format is the class constant `FORMAT`, in xDSL's format language. It is compiled the first time an
operation is parsed or printed: a compiler that never touches text never pays for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeVar, cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerType
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import irdl_op_definition, traits_def
from xdsl.traits import OpTrait
from xdsl.utils.exceptions import VerifyException

from freehold.dialects.classes import PlainOp, build, numbers
from freehold.dialects.cuda_tile.effects import Folds
from freehold.dialects.cuda_tile.version import V13_1, Version

if TYPE_CHECKING:
    from typing import Self

    from xdsl.irdl.declarative_assembly_format import FormatProgram
    from xdsl.parser import Parser
    from xdsl.printer import Printer

_PROGRAMS: Final[dict[type[Any], Any]] = {}
"""Compiled assembly formats by class. A pure cache: the format is a constant of the class."""

SEGMENTS: Final = "operandSegmentSizes"


class TileOp(PlainOp):
    """Base of every `cuda_tile` operation.

    `opcode` is the number on the wire, `since` the version that introduced the operation, `field_since` the version of
    each field that came later than the operation, `group` its section in the specification.
    """

    if TYPE_CHECKING:
        opcode: ClassVar[int]
        since: ClassVar[Version]
        field_since: ClassVar[Mapping[str, Version]]
        group: ClassVar[str]

    RENAMED: ClassVar[tuple[str, Version] | None] = None
    """The name that text had for the operation, and the version since which it has another."""
    FORMAT: ClassVar[str | None] = None
    traits = traits_def(Folds())

    def _init(
        self,
        operands: Sequence[SSAValue],
        result_types: Sequence[Attribute],
        properties: dict[str, Attribute] | None = None,
        regions: Sequence[Region] = (),
    ) -> None:
        """Build the operation, without IRDL's handling of arguments."""
        build(self, operands, result_types, {} if properties is None else properties, regions)

    def __post_init__(self) -> None:
        for name, value in _defaults(type(self)):
            self.properties.setdefault(name, value)

    @classmethod
    def short_name(cls) -> str:
        """The mnemonic, without the dialect prefix."""
        return cls.name.removeprefix("cuda_tile.")

    @classmethod
    def name_in(cls, version: Version) -> str:
        """The full name that text of a version has for the operation."""
        return f"cuda_tile.{cls.RENAMED[0]}" if cls.RENAMED is not None and version < cls.RENAMED[1] else cls.name

    @classmethod
    def missing_property(cls, name: str, operand_sizes: Sequence[int]) -> Attribute | None:
        """The value of a property that an older bytecode version leaves out, or None where absence is the value.

        `operand_sizes` are the numbers of operands in each operand field.
        """
        del operand_sizes
        return cls.get_irdl_definition().properties[name].default_value

    def operand_sizes(self) -> tuple[int, ...]:
        """The number of operands in each operand field, where the operation says it; else of all of them."""
        given = self.properties.get(SEGMENTS)
        if isinstance(given, DenseArrayBase):
            return tuple(cast("DenseArrayBase[IntegerType]", given).get_values())
        return (len(self.operands),)

    def unsaid_properties(self) -> frozenset[str]:
        """The properties that came later than the operation, and have the value that their absence means."""
        sizes = self.operand_sizes()
        return frozenset(
            name
            for name in self.field_since
            if name in self.properties and self.properties[name] == self.missing_property(name, sizes)
        )

    def fail(self, rule: str) -> VerifyException:
        """The exception that says which rule this operation breaks; raise it."""
        return VerifyException(f"{self.name}: {rule}")

    @classmethod
    def _program(cls) -> FormatProgram:
        program = _PROGRAMS.get(cls)
        if program is None:
            from freehold.dialects.cuda_tile.text_format import compile_format

            program = _PROGRAMS[cls] = compile_format(cls)
        return cast("FormatProgram", program)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Read the custom assembly form, after the operation's name."""
        return cls._program().parse(parser, cls)

    def print(self, printer: Printer) -> None:
        """Write the custom assembly form, after the operation's name."""
        self._program().print(printer, self)


@cache
def _defaults(cls: type[TileOp]) -> tuple[tuple[str, Attribute], ...]:
    from xdsl.irdl import OptionalDef

    return tuple(
        (name, definition.default_value)
        for name, definition in cls.get_irdl_definition().properties.items()
        if definition.default_value is not None and not isinstance(definition, OptionalDef)
    )


TileOpT = TypeVar("TileOpT", bound=TileOp)

_RIGHT: Final[set[tuple[Any, ...]]] = set()
"""What operations consist of that were found to be as they are declared: that it is so depends on nothing else."""
_MOST_RIGHT: Final = 8192


def _verify_once(cls: type[TileOp], rules: Callable[[Any], None]) -> None:
    """Let an operation be compared with its declaration only if none was yet that consists of the same.

    `rules` are what the class checks beyond it, which may ask what is around the operation: they always are.
    """
    definition = cls.get_irdl_definition()
    traits = tuple(trait for trait in definition.traits if type(trait).verify is not OpTrait.verify)
    plain = not definition.regions and not definition.attributes

    def verify_(self: TileOp) -> None:
        if not plain or self.successors:
            definition.verify(self)
        else:
            # The property `operands` makes a list anew.
            values, operands = self.properties, self._operands  # pyright: ignore[reportPrivateUsage]
            key = (
                cls,
                tuple([value.type for value in operands]),
                tuple([value.type for value in self.results]),
                tuple(values),
                tuple(values.values()),
                len(self.regions),
            )
            if key not in _RIGHT:
                definition.verify(self)
                if len(_RIGHT) >= _MOST_RIGHT:
                    _RIGHT.clear()
                _RIGHT.add(key)
            else:
                for trait in traits:
                    trait.verify(self)
        rules(self)

    cls.verify_ = verify_


def tile_op(
    opcode: int, *, group: str, since: Version = V13_1, field_since: Mapping[str, Version] | None = None
) -> Callable[[type[TileOpT]], type[TileOpT]]:
    """Define an operation: IRDL's definition of the class, and its place in the bytecode."""

    def define(cls: type[TileOpT]) -> type[TileOpT]:
        rules = cls.verify_
        cls = irdl_op_definition(cls)
        _verify_once(cls, rules)
        cls.opcode = opcode
        cls.since = since
        cls.field_since = dict(field_since or {})
        cls.group = group
        return cls

    return define


@lru_cache(maxsize=1024)
def segments(*sizes: int) -> DenseArrayBase[IntegerType]:
    """The property that says how many operands each operand field has."""
    return numbers(sizes)
