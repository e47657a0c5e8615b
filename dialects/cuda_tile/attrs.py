"""The attributes of the `cuda_tile` dialect: enumerations, assumption predicates, hints and dense literals.

Every enumeration member stands at its wire value: the first member is 0. `VALUE_SINCE` names members that came later
than the enumeration.
"""

from __future__ import annotations

import math
from abc import ABC
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, ClassVar, Final, Generic, Self, cast

from typing_extensions import TypeVar
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntAttr, NoneAttr
from xdsl.ir import Attribute, Data
from xdsl.irdl import irdl_attr_definition
from xdsl.utils.exceptions import VerifyException

from freehold.dialects.classes import PlainAttribute, array, whole
from freehold.dialects.cuda_tile.version import V13_1, V13_3, V13_4, V13_5, Version

if TYPE_CHECKING:
    from xdsl.parser import AttrParser
    from xdsl.printer import Printer


class WireEnum(StrEnum):
    """An enumeration whose members are spelled as in text and numbered from 0 in the order they are declared."""

    @property
    def wire(self) -> int:
        """The value in bytecode."""
        return _positions(type(self))[self]


@cache
def _positions(enum_type: type[WireEnum]) -> dict[WireEnum, int]:
    return {member: position for position, member in enumerate(enum_type)}


E_co = TypeVar("E_co", bound=WireEnum, covariant=True)


class WireEnumAttr(Data[E_co], ABC, Generic[E_co]):
    """Base of the enumeration attributes. Text form: `#cuda_tile.rounding<zero>`."""

    enum_type: ClassVar[type[WireEnum]]
    SINCE: ClassVar[Version] = V13_1
    VALUE_SINCE: ClassVar[Mapping[str, Version]] = {}

    @property
    def wire(self) -> int:
        """The value in bytecode."""
        return self.data.wire

    @classmethod
    def from_wire(cls, value: int) -> Self:
        """The attribute of a wire value. Raises `ValueError` where the enumeration has no such value."""
        members = _members(cls)
        if not 0 <= value < len(members):
            raise ValueError(f"{cls.name.removeprefix('cuda_tile.')} has no value {value}")
        return cast(Self, members[value])

    @classmethod
    def of(cls, keyword: str) -> Self:
        """The attribute of a keyword as in text; one object a keyword."""
        return cast(Self, _enum_attr(cls, keyword))

    @property
    def keyword_since(self) -> Version:
        """The version this value came in with."""
        return self.VALUE_SINCE.get(self.data.value, self.SINCE)

    @classmethod
    def parse_keyword(cls, parser: AttrParser) -> Self:
        """Read a bare member keyword."""
        keyword = cls.parse_optional_keyword(parser)
        if keyword is None:
            names = ", ".join(member.value for member in cls.enum_type)
            parser.raise_error(f"expected one of {names}")
        return keyword

    @classmethod
    def parse_optional_keyword(cls, parser: AttrParser) -> Self | None:
        """Read a bare member keyword if one stands here."""
        keyword = parser.parse_optional_keyword_in([member.value for member in cls.enum_type])
        return None if keyword is None else cls.of(keyword)

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> E_co:
        """Read `<keyword>`."""
        with parser.in_angle_brackets():
            return cls.parse_keyword(parser).data

    def print_parameter(self, printer: Printer) -> None:
        """Write `<keyword>`."""
        printer.print_string(f"<{self.data.value}>")


@cache
def _enum_attr(cls: type[WireEnumAttr[WireEnum]], keyword: str) -> WireEnumAttr[WireEnum]:
    return cls(cls.enum_type(keyword))


@cache
def _members(cls: type[WireEnumAttr[WireEnum]]) -> tuple[WireEnumAttr[WireEnum], ...]:
    """The attributes of an enumeration, by their wire values."""
    return tuple(cls.of(member.value) for member in cls.enum_type)


class Signedness(WireEnum):
    """How the bits of an integer are read."""

    UNSIGNED = "unsigned"
    SIGNED = "signed"


@irdl_attr_definition
class SignednessAttr(WireEnumAttr[Signedness]):
    """`signed` or `unsigned`: how an operation reads its integers."""

    name = "cuda_tile.signedness"
    enum_type: ClassVar = Signedness


class IntegerOverflow(WireEnum):
    """What an integer operation promises about overflow."""

    NONE = "none"
    NO_SIGNED_WRAP = "no_signed_wrap"
    NO_UNSIGNED_WRAP = "no_unsigned_wrap"
    NO_WRAP = "no_wrap"


@irdl_attr_definition
class IntegerOverflowAttr(WireEnumAttr[IntegerOverflow]):
    """`overflow<none>` wraps; the others promise that no such overflow happens, and a broken promise is undefined."""

    name = "cuda_tile.overflow"
    enum_type: ClassVar = IntegerOverflow


class RoundingMode(WireEnum):
    """How an inexact result is rounded, or how exact an approximation is."""

    NEAREST_EVEN = "nearest_even"
    ZERO = "zero"
    NEGATIVE_INF = "negative_inf"
    POSITIVE_INF = "positive_inf"
    APPROX = "approx"
    FULL = "full"
    NEAREST_INT_TO_ZERO = "nearest_int_to_zero"
    NEAREST_AWAY = "nearest_away"


@irdl_attr_definition
class RoundingModeAttr(WireEnumAttr[RoundingMode]):
    """`rounding<nearest_even>` and its kin. `nearest_away` came with 13.4."""

    name = "cuda_tile.rounding"
    enum_type: ClassVar = RoundingMode
    VALUE_SINCE: ClassVar[Mapping[str, Version]] = {"nearest_away": V13_4}


class ComparisonOrdering(WireEnum):
    """What a floating-point comparison says of NaN."""

    UNORDERED = "unordered"
    ORDERED = "ordered"


@irdl_attr_definition
class ComparisonOrderingAttr(WireEnumAttr[ComparisonOrdering]):
    """`ordered` comparisons are false on NaN, `unordered` ones are true."""

    name = "cuda_tile.comparison_ordering"
    enum_type: ClassVar = ComparisonOrdering


class ComparisonPredicate(WireEnum):
    """The relation a comparison tests."""

    EQUAL = "equal"
    NOT_EQUAL = "not_equal"
    LESS_THAN = "less_than"
    LESS_THAN_OR_EQUAL = "less_than_or_equal"
    GREATER_THAN = "greater_than"
    GREATER_THAN_OR_EQUAL = "greater_than_or_equal"


@irdl_attr_definition
class ComparisonPredicateAttr(WireEnumAttr[ComparisonPredicate]):
    """The relation a comparison tests."""

    name = "cuda_tile.comparison_predicate"
    enum_type: ClassVar = ComparisonPredicate


class AtomicRMWMode(WireEnum):
    """What an atomic update does with the old value and its argument."""

    AND = "and"
    OR = "or"
    XOR = "xor"
    ADD = "add"
    ADDF = "addf"
    MAX = "max"
    MIN = "min"
    UMAX = "umax"
    UMIN = "umin"
    XCHG = "xchg"


@irdl_attr_definition
class AtomicRMWModeAttr(WireEnumAttr[AtomicRMWMode]):
    """What an atomic update does with the old value and its argument."""

    name = "cuda_tile.atomic_rmw_mode"
    enum_type: ClassVar = AtomicRMWMode


class MemoryScope(WireEnum):
    """Who takes part in an ordered access."""

    TL_BLK = "tl_blk"
    DEVICE = "device"
    SYS = "sys"


@irdl_attr_definition
class MemoryScopeAttr(WireEnumAttr[MemoryScope]):
    """Who takes part in an ordered access: the tile block, the device, or the system."""

    name = "cuda_tile.memory_scope"
    enum_type: ClassVar = MemoryScope


class MemoryOrderingSemantics(WireEnum):
    """How strongly an access is ordered."""

    WEAK = "weak"
    RELAXED = "relaxed"
    ACQUIRE = "acquire"
    RELEASE = "release"
    ACQ_REL = "acq_rel"


@irdl_attr_definition
class MemoryOrderingSemanticsAttr(WireEnumAttr[MemoryOrderingSemantics]):
    """How strongly an access is ordered. `weak` accesses must not race; the others name a scope."""

    name = "cuda_tile.memory_ordering_semantics"
    enum_type: ClassVar = MemoryOrderingSemantics


class PaddingValue(WireEnum):
    """What a load yields beyond the edge of a tensor."""

    ZERO = "zero"
    NEG_ZERO = "neg_zero"
    NAN = "nan"
    POS_INF = "pos_inf"
    NEG_INF = "neg_inf"


@irdl_attr_definition
class PaddingValueAttr(WireEnumAttr[PaddingValue]):
    """What a load yields beyond the edge of a tensor. All but `zero` need floating-point elements."""

    name = "cuda_tile.padding_value"
    enum_type: ClassVar = PaddingValue


PADDING_NUMBERS: Final[Mapping[str, float]] = {
    "zero": 0, "neg_zero": -0.0, "nan": math.nan, "pos_inf": math.inf, "neg_inf": -math.inf,
}  # fmt: skip
"""What padding values are, by their names; zero is of integers, too."""


class SymbolVisibility(WireEnum):
    """Whether a global is seen outside its module."""

    PUBLIC = "public"
    PRIVATE = "private"


@irdl_attr_definition
class SymbolVisibilityAttr(WireEnumAttr[SymbolVisibility]):
    """Whether a global is seen outside its module. `private` came with 13.3."""

    name = "cuda_tile.symbol_visibility"
    enum_type: ClassVar = SymbolVisibility
    VALUE_SINCE: ClassVar[Mapping[str, Version]] = {"private": V13_3}


class PtrKind(WireEnum):
    """What kind of address a pointer holds."""

    NONE = "none"
    UNICAST = "unicast"
    MULTICAST = "multicast"


@irdl_attr_definition
class PtrAttrAttr(WireEnumAttr[PtrKind]):
    """`ptr_attr<multicast>`: what kind of address a pointer holds. `none` is 13.4, the others 13.5."""

    name = "cuda_tile.ptr_attr"
    enum_type: ClassVar = PtrKind
    SINCE: ClassVar[Version] = V13_4
    VALUE_SINCE: ClassVar[Mapping[str, Version]] = {"unicast": V13_5, "multicast": V13_5}


class MultimemReductionKind(WireEnum):
    """How the copies of an element on several devices are combined."""

    ADD = "add"
    MIN = "min"
    MAX = "max"
    AND = "and"
    OR = "or"
    XOR = "xor"
    UMIN = "umin"
    UMAX = "umax"


@irdl_attr_definition
class MultimemReductionKindAttr(WireEnumAttr[MultimemReductionKind]):
    """How the copies of an element on several devices are combined. Since 13.5."""

    name = "cuda_tile.multimem_reduction_kind"
    enum_type: ClassVar = MultimemReductionKind
    SINCE: ClassVar[Version] = V13_5


ENUMS: Final = (
    SignednessAttr,
    IntegerOverflowAttr,
    RoundingModeAttr,
    ComparisonOrderingAttr,
    ComparisonPredicateAttr,
    AtomicRMWModeAttr,
    MemoryScopeAttr,
    MemoryOrderingSemanticsAttr,
    PaddingValueAttr,
    SymbolVisibilityAttr,
    PtrAttrAttr,
    MultimemReductionKindAttr,
)

UNNAMED: Final = (AtomicRMWModeAttr, MemoryScopeAttr, MemoryOrderingSemanticsAttr)
"""The enumerations without a spelling of their own as attributes: MLIR's generic form has their numbers."""

SIGNED: Final = SignednessAttr.of("signed")
UNSIGNED: Final = SignednessAttr.of("unsigned")
NO_OVERFLOW_FLAG: Final = IntegerOverflowAttr.of("none")
NEAREST_EVEN: Final = RoundingModeAttr.of("nearest_even")
ROUND_ZERO: Final = RoundingModeAttr.of("zero")
FULL: Final = RoundingModeAttr.of("full")
NEAREST_INT_TO_ZERO: Final = RoundingModeAttr.of("nearest_int_to_zero")
ORDERED: Final = ComparisonOrderingAttr.of("ordered")
UNORDERED: Final = ComparisonOrderingAttr.of("unordered")
WEAK: Final = MemoryOrderingSemanticsAttr.of("weak")
RELAXED: Final = MemoryOrderingSemanticsAttr.of("relaxed")
DEVICE: Final = MemoryScopeAttr.of("device")
PUBLIC: Final = SymbolVisibilityAttr.of("public")
REDUCE_ADD: Final = MultimemReductionKindAttr.of("add")


class AssumePredicateAttr(PlainAttribute, ABC):
    """Base of what `assume` may promise of a value. A false promise makes the behaviour undefined."""


@irdl_attr_definition
class DivByAttr(AssumePredicateAttr):
    """`div_by<16>`: every element is divisible by a power of two; of a pointer, its byte address is.

    `div_by<4, every 2 along 0>`: the first element of each group of 2 along dimension 0 is, and inside a group elements
    follow one another (integers by one, pointers by the size of the pointee).
    """

    name = "cuda_tile.div_by"
    divisor: IntAttr
    every: IntAttr | NoneAttr
    along: IntAttr | NoneAttr

    def __init__(
        self, divisor: int | IntAttr, every: int | Attribute | None = None, along: int | Attribute | None = None
    ):
        super().__init__(whole(divisor) if isinstance(divisor, int) else divisor, _opt_int(every), _opt_int(along))

    def verify(self) -> None:
        """The divisor is a power of two up to 2^62; `every` and `along` come together."""
        divisor = self.divisor.data
        if divisor <= 0 or divisor & (divisor - 1) or divisor > 1 << 62:
            raise VerifyException(f"{self.name}: the divisor must be a power of two from 1 to 2^62, got {divisor}")
        if isinstance(self.every, IntAttr) != isinstance(self.along, IntAttr):
            raise VerifyException(f"{self.name}: every and along are given together or not at all")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Read `<4, every 2 along 0>`."""
        from freehold.dialects.cuda_tile.text_types import parse_div_by

        return parse_div_by(parser)

    def print_parameters(self, printer: Printer) -> None:
        """Write `<4, every 2 along 0>`."""
        text = f"<{self.divisor.data}"
        if isinstance(self.every, IntAttr) and isinstance(self.along, IntAttr):
            text += f", every {self.every.data} along {self.along.data}"
        printer.print_string(text + ">")


@irdl_attr_definition
class SameElementsAttr(AssumePredicateAttr):
    """`same_elements<[2, 4]>`: along each dimension, that many consecutive elements are equal."""

    name = "cuda_tile.same_elements"
    values: ArrayAttr[IntAttr]

    def __init__(self, values: Sequence[int] | ArrayAttr[IntAttr]):
        super().__init__(values if isinstance(values, ArrayAttr) else array([whole(value) for value in values]))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Read `<[2, 4]>`."""
        with parser.in_angle_brackets():
            values = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
        return (ArrayAttr([IntAttr(value) for value in values]),)

    def print_parameters(self, printer: Printer) -> None:
        """Write `<[2, 4]>`."""
        printer.print_string(f"<[{', '.join(str(value.data) for value in self.values)}]>")


@irdl_attr_definition
class BoundedAttr(AssumePredicateAttr):
    """`bounded<0, ?>`: every element lies between two signed bounds, both included; `?` leaves a side open."""

    name = "cuda_tile.bounded"
    lower: IntAttr | NoneAttr
    upper: IntAttr | NoneAttr

    def __init__(self, lower: int | Attribute | None = None, upper: int | Attribute | None = None):
        super().__init__(_opt_int(lower), _opt_int(upper))

    def verify(self) -> None:
        """The lower bound is not above the upper one."""
        if isinstance(self.lower, IntAttr) and isinstance(self.upper, IntAttr) and self.lower.data > self.upper.data:
            raise VerifyException(
                f"{self.name}: the lower bound {self.lower.data} is above the upper bound {self.upper.data}"
            )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Read `<0, ?>`."""
        from freehold.dialects.cuda_tile.text_types import parse_bounded

        return parse_bounded(parser)

    def print_parameters(self, printer: Printer) -> None:
        """Write `<0, ?>`."""
        lower, upper = (bound.data if isinstance(bound, IntAttr) else "?" for bound in (self.lower, self.upper))
        printer.print_string(f"<{lower}, {upper}>")


_NONE: Final = NoneAttr()


def _opt_int(value: int | Attribute | None) -> Attribute:
    if value is None:
        return _NONE
    return whole(value) if isinstance(value, int) else value


@irdl_attr_definition
class OptimizationHintsAttr(PlainAttribute):
    """`<default = {occupancy = 2}, sm_100 = {num_cta_in_cga = 2}>`: hints by architecture, then by name.

    `default` stands for every architecture without an entry of its own for that name. Hints never change results.
    """

    name = "cuda_tile.optimization_hints"
    hints: DictionaryAttr
    SINCE: ClassVar[Version] = V13_1

    def __init__(self, hints: DictionaryAttr | Mapping[str, Attribute]):
        super().__init__(hints if isinstance(hints, DictionaryAttr) else DictionaryAttr(dict(hints)))

    def verify(self) -> None:
        """Every architecture maps to a dictionary."""
        for arch, values in self.hints.data.items():
            if not isinstance(values, DictionaryAttr):
                raise VerifyException(f"{self.name}: the hints for {arch} must be a dictionary, got {values}")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Read `<sm_100 = {num_cta_in_cga = 2}>`."""
        from freehold.dialects.cuda_tile.text_types import parse_hints

        return parse_hints(parser)

    def print_parameters(self, printer: Printer) -> None:
        """Write `<sm_100 = {num_cta_in_cga = 2}>`, sorted by name."""
        from freehold.dialects.cuda_tile.text_types import print_hints

        print_hints(self, printer)
