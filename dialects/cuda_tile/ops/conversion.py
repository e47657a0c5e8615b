"""Conversions between element types (specification, section "Conversions")."""

from __future__ import annotations

from abc import ABC
from typing import ClassVar, Final, cast

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from freehold.dialects.cuda_tile.attrs import (
    NEAREST_EVEN,
    NEAREST_INT_TO_ZERO,
    NO_OVERFLOW_FLAG,
    IntegerOverflowAttr,
    RoundingModeAttr,
    SignednessAttr,
)
from freehold.dialects.cuda_tile.constraints import (
    ANY_FLOAT_TILE,
    I64_TILE,
    INT_TILE,
    NUMBER_TILE,
    POINTER_TILE,
    TileOf,
)
from freehold.dialects.cuda_tile.op import TileOp, tile_op
from freehold.dialects.cuda_tile.types import ELEMENT_BITS, INTS, TileType, element_name, tile
from freehold.dialects.cuda_tile.version import V13_4

GROUP: Final = "Conversions"
_WIDE_INT_TILE: Final = TileOf(INTS | {"i4"})

_IEEE: Final = frozenset({"nearest_even", "zero", "negative_inf", "positive_inf"})
_WIDEN: Final = _IEEE | {"nearest_away"}
_NEAREST_OR_ZERO: Final = frozenset({"nearest_even", "zero"})
_NARROW_TARGETS: Final = frozenset({"f8E4M3FN", "f8E5M2", "f4E2M1FN", "fnv8E5M3FNU"})


def ftof_roundings(source: str, target: str) -> frozenset[str]:
    """The rounding modes `ftof` takes from one float type to another, by name; empty for equal types."""
    if source == target:
        return frozenset()
    if target == "f8E8M0FNU":
        return frozenset({"zero", "positive_inf"})
    if target in _NARROW_TARGETS:
        return frozenset({"nearest_even"})
    if source == "f64":
        return _IEEE if target == "f32" else _NEAREST_OR_ZERO
    if (source, target) == ("f32", "tf32"):
        return _NEAREST_OR_ZERO | {"nearest_away"}
    if source == "f8E8M0FNU":
        return _WIDEN if target == "f64" else _NEAREST_OR_ZERO
    if source == "fnv8E5M3FNU" and target == "f16":
        return _NEAREST_OR_ZERO
    if target in ("f16", "bf16") and source in ("f16", "bf16", "f32", "tf32"):
        return _NEAREST_OR_ZERO
    return _WIDEN


class Conversion(TileOp, ABC):
    """Base of the conversions: element by element, so the shapes agree."""

    traits = traits_def(Pure())

    def __init__(self, source: SSAValue, element: Attribute, properties: dict[str, Attribute] | None = None) -> None:
        self._init((source,), (tile(cast(TileType, source.type).dims, element),), properties)

    def verify_(self) -> None:
        """Operand and result have one shape."""
        source, result = cast(TileType, self.operands[0].type), cast(TileType, self.results[0].type)
        if source.dims != result.dims:
            raise self.fail(f"source and result must have the same shape, got {source} and {result}")
        self.verify_elements(source.element_type, result.element_type)

    def verify_elements(self, source: Attribute, target: Attribute) -> None:
        """Check one element type against the other; every pair is fine unless a conversion says otherwise."""


@tile_op(9, group=GROUP)
class BitcastOp(Conversion):
    """The same bits read as another number type of the same width; i1, tf32 and f4E2M1FN only as themselves."""

    name = "cuda_tile.bitcast"
    source = operand_def(NUMBER_TILE)
    result = result_def(NUMBER_TILE)
    FORMAT: ClassVar[str | None] = "$source attr-dict `:` custom<Ty>(type($source)) `->` custom<Ty>(type($result))"

    def verify_elements(self, source: Attribute, target: Attribute) -> None:
        """The widths agree."""
        from_bits, to_bits = ELEMENT_BITS[element_name(source)], ELEMENT_BITS[element_name(target)]
        if from_bits != to_bits:
            raise self.fail(f"element widths must be equal, got {source} ({from_bits} bits) and {target} ({to_bits})")


@tile_op(37, group=GROUP)
class ExtIOp(Conversion):
    """Each element widened, by copies of its sign bit (`signed`) or by zeros (`unsigned`)."""

    name = "cuda_tile.exti"
    signedness = prop_def(SignednessAttr)
    from_ = operand_def(_WIDE_INT_TILE)
    to = result_def(_WIDE_INT_TILE)
    FORMAT: ClassVar[str | None] = (
        "$from_ custom<Key>($signedness) attr-dict `:` custom<Ty>(type($from_)) `->` custom<Ty>(type($to))"
    )

    def __init__(self, source: SSAValue, element: Attribute, signedness: SignednessAttr) -> None:
        super().__init__(source, element, {"signedness": signedness})

    def verify_elements(self, source: Attribute, target: Attribute) -> None:
        """The result is strictly wider."""
        if ELEMENT_BITS[element_name(target)] <= ELEMENT_BITS[element_name(source)]:
            raise self.fail(f"the result must be wider than the source, got {source} to {target}")


@tile_op(107, group=GROUP)
class TruncIOp(Conversion):
    """The lower bits of each element, unless a promise is made that no value is lost."""

    name = "cuda_tile.trunci"
    overflow = prop_def(IntegerOverflowAttr, default_value=NO_OVERFLOW_FLAG)
    from_ = operand_def(_WIDE_INT_TILE)
    to = result_def(_WIDE_INT_TILE)
    FORMAT: ClassVar[str | None] = (
        "$from_ custom<Overflow>($overflow) attr-dict `:` custom<Ty>(type($from_)) `->` custom<Ty>(type($to))"
    )

    def __init__(self, source: SSAValue, element: Attribute, overflow: IntegerOverflowAttr = NO_OVERFLOW_FLAG) -> None:
        super().__init__(source, element, {"overflow": overflow})

    def verify_elements(self, source: Attribute, target: Attribute) -> None:
        """The result is strictly narrower."""
        if ELEMENT_BITS[element_name(target)] >= ELEMENT_BITS[element_name(source)]:
            raise self.fail(f"the result must be narrower than the source, got {source} to {target}")


@tile_op(42, group=GROUP)
class FToFOp(Conversion):
    """Each float converted to another float type, rounded as asked. Which roundings a pair of types takes varies."""

    name = "cuda_tile.ftof"
    rounding_mode = prop_def(RoundingModeAttr, default_value=NEAREST_EVEN)
    from_ = operand_def(ANY_FLOAT_TILE)
    to = result_def(ANY_FLOAT_TILE)
    FORMAT: ClassVar[str | None] = (
        "$from_ custom<Round>($rounding_mode) attr-dict `:` custom<Ty>(type($from_)) `->` custom<Ty>(type($to))"
    )

    def __init__(self, source: SSAValue, element: Attribute, rounding_mode: RoundingModeAttr = NEAREST_EVEN) -> None:
        super().__init__(source, element, {"rounding_mode": rounding_mode})

    def verify_elements(self, source: Attribute, target: Attribute) -> None:
        """The types differ and take the rounding."""
        from_name, to_name = element_name(source), element_name(target)
        if from_name == to_name:
            raise self.fail(f"source and result element types must differ, got {from_name} for both")
        allowed = ftof_roundings(from_name, to_name)
        mode = self.rounding_mode.data.value
        if mode not in allowed:
            raise self.fail(f"{from_name} to {to_name} rounds by {', '.join(sorted(allowed))}, not by {mode}")


@tile_op(43, group=GROUP, field_since={"saturating": V13_4})
class FToIOp(Conversion):
    """Each float converted to an integer, towards zero.

    Values out of range and NaN are undefined unless `saturating` is set, which clamps them and makes NaN zero.
    """

    name = "cuda_tile.ftoi"
    signedness = prop_def(SignednessAttr)
    rounding_mode = prop_def(RoundingModeAttr, default_value=NEAREST_INT_TO_ZERO)
    saturating = opt_prop_def(UnitAttr)
    from_ = operand_def(ANY_FLOAT_TILE)
    to = result_def(INT_TILE)
    FORMAT: ClassVar[str | None] = (
        "$from_ custom<Key>($signedness) custom<Round>($rounding_mode) custom<Flag>($saturating) attr-dict `:`"
        " custom<Ty>(type($from_)) `->` custom<Ty>(type($to))"
    )

    def __init__(
        self, source: SSAValue, element: Attribute, signedness: SignednessAttr, saturating: bool = False
    ) -> None:
        properties: dict[str, Attribute] = {"signedness": signedness, "rounding_mode": NEAREST_INT_TO_ZERO}
        if saturating:
            properties["saturating"] = UnitAttr()
        self._init((source,), (tile(cast(TileType, source.type).dims, element),), properties)

    def verify_elements(self, source: Attribute, target: Attribute) -> None:
        """There is one rounding."""
        if self.rounding_mode.data.value != "nearest_int_to_zero":
            raise self.fail(f"rounding must be nearest_int_to_zero, got {self.rounding_mode.data.value}")


@tile_op(59, group=GROUP)
class IToFOp(Conversion):
    """Each integer, read as signed or unsigned, converted to a float, rounded to nearest even."""

    name = "cuda_tile.itof"
    signedness = prop_def(SignednessAttr)
    rounding_mode = prop_def(RoundingModeAttr, default_value=NEAREST_EVEN)
    from_ = operand_def(INT_TILE)
    to = result_def(ANY_FLOAT_TILE)
    FORMAT: ClassVar[str | None] = (
        "$from_ custom<Key>($signedness) custom<Round>($rounding_mode) attr-dict `:` custom<Ty>(type($from_)) `->`"
        " custom<Ty>(type($to))"
    )

    def __init__(self, source: SSAValue, element: Attribute, signedness: SignednessAttr) -> None:
        self._init(
            (source,),
            (tile(cast(TileType, source.type).dims, element),),
            {"signedness": signedness, "rounding_mode": NEAREST_EVEN},
        )

    def verify_elements(self, source: Attribute, target: Attribute) -> None:
        """There is one rounding, and E8M0 holds no integers but powers of two."""
        if self.rounding_mode.data.value != "nearest_even":
            raise self.fail(f"rounding must be nearest_even, got {self.rounding_mode.data.value}")
        if element_name(target) == "f8E8M0FNU":
            raise self.fail("integers do not convert to f8E8M0FNU")


@tile_op(51, group=GROUP)
class IntToPtrOp(Conversion):
    """Each i64 taken as an address."""

    name = "cuda_tile.int_to_ptr"
    source = operand_def(I64_TILE)
    result = result_def(POINTER_TILE)
    FORMAT: ClassVar[str | None] = "$source attr-dict `:` custom<Ty>(type($source)) `->` custom<Ty>(type($result))"


@tile_op(86, group=GROUP)
class PtrToIntOp(Conversion):
    """Each address as an i64."""

    name = "cuda_tile.ptr_to_int"
    source = operand_def(POINTER_TILE)
    result = result_def(I64_TILE)
    FORMAT: ClassVar[str | None] = "$source attr-dict `:` custom<Ty>(type($source)) `->` custom<Ty>(type($result))"


@tile_op(87, group=GROUP)
class PtrToPtrOp(Conversion):
    """Each address taken as that of elements of another type; a `ptr_attr` may be dropped."""

    name = "cuda_tile.ptr_to_ptr"
    source = operand_def(POINTER_TILE)
    result = result_def(POINTER_TILE)
    FORMAT: ClassVar[str | None] = "$source attr-dict `:` custom<Ty>(type($source)) `->` custom<Ty>(type($result))"
