"""Assumptions and printing (specification, section "Miscellaneous")."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from xdsl.dialects.builtin import IntAttr, StringAttr
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    BaseAttr,
    VarConstraint,
    operand_def,
    opt_operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)

from freehold.dialects.cuda_tile.attrs import AssumePredicateAttr, BoundedAttr, DivByAttr, SameElementsAttr
from freehold.dialects.cuda_tile.constraints import ANY_TILE, ANY_TYPE, TOKEN_TYPE
from freehold.dialects.cuda_tile.effects import ReadAndWrite
from freehold.dialects.cuda_tile.op import SEGMENTS, TileOp, segments, tile_op
from freehold.dialects.cuda_tile.types import ELEMENT_BITS, INTS, TOKEN, TensorViewType, TileType, element_name
from freehold.dialects.cuda_tile.version import V13_2
from freehold.support.integers import limits

GROUP: Final = "Miscellaneous"


@tile_op(6, group=GROUP)
class AssumeOp(TileOp):
    """Its operand, of which a predicate is promised to hold. A false promise makes the behaviour undefined."""

    name = "cuda_tile.assume"
    T: ClassVar = VarConstraint("T", ANY_TYPE)
    predicate = prop_def(BaseAttr(AssumePredicateAttr))
    value = operand_def(T)
    result = result_def(T)
    FORMAT: ClassVar[str | None] = "custom<Predicate>($predicate) `,` $value attr-dict `:` custom<Ty>(type($value))"

    def __init__(self, value: SSAValue, predicate: AssumePredicateAttr) -> None:
        self._init((value,), (value.type,), {"predicate": predicate})

    def verify_(self) -> None:
        """The predicate makes sense of the value's type."""
        type_, predicate = self.value.type, self.predicate
        if isinstance(type_, TensorViewType) and isinstance(predicate, DivByAttr):
            if isinstance(predicate.every, IntAttr):
                raise self.fail("div_by on a tensor_view takes no every and along")
            return
        name = element_name(type_.element_type) if isinstance(type_, TileType) else ""
        if not isinstance(type_, TileType) or name not in INTS | {"ptr"}:
            raise self.fail(f"{predicate.name} does not apply to {type_}")
        if isinstance(predicate, DivByAttr):
            self._verify_div_by(predicate, type_)
        elif isinstance(predicate, SameElementsAttr):
            values = [value.data for value in predicate.values.data]
            if len(values) != type_.rank:
                raise self.fail(f"same_elements needs one value a dimension of {type_}, got {len(values)}")
            for dim, (value, extent) in enumerate(zip(values, type_.dims, strict=True)):
                if not 0 <= value <= extent:
                    raise self.fail(f"same_elements in dimension {dim} must be from 0 to {extent}, got {value}")
        elif isinstance(predicate, BoundedAttr):
            if name == "ptr":
                raise self.fail("bounded applies to integers only")
            self._verify_bounded(predicate, name)

    def _verify_div_by(self, predicate: DivByAttr, type_: TileType) -> None:
        if isinstance(predicate.every, IntAttr) and isinstance(predicate.along, IntAttr):
            along, every = predicate.along.data, predicate.every.data
            if not 0 <= along < type_.rank:
                raise self.fail(f"div_by along must be a dimension of {type_}, got {along}")
            if not 0 <= every <= type_.dims[along]:
                raise self.fail(f"div_by every must be from 0 to {type_.dims[along]}, got {every}")

    def _verify_bounded(self, predicate: BoundedAttr, name: str) -> None:
        bits = ELEMENT_BITS[name]
        low, high = limits(bits)
        for bound in (predicate.lower, predicate.upper):
            if isinstance(bound, IntAttr) and not low <= bound.data <= high:
                raise self.fail(f"bounded takes signed values of {name}, {low} to {high}, got {bound.data}")


def conversions(text: str) -> int | None:
    """How many values a printf format takes, or None where a `%` is left alone."""
    count, position = 0, 0
    while (position := text.find("%", position)) >= 0:
        position += 1
        if position < len(text) and text[position] == "%":
            position += 1
            continue
        while position < len(text) and text[position] in "-+ #0123456789.*hlLqjzt":
            position += 1
        if position >= len(text) or not text[position].isalpha():
            return None
        count += 1
    return count


@tile_op(85, group=GROUP, field_since={"result_token": V13_2, "token": V13_2})
class PrintTkoOp(TileOp):
    """Prints a text once a tile block, with tiles in place of its conversions, as C's printf does.

    13.1 knows it as `print`, without a token or a result, and cannot order it.
    """

    name = "cuda_tile.print_tko"
    str_ = prop_def(StringAttr, prop_name="str")
    args = var_operand_def(ANY_TILE)
    token = opt_operand_def(TOKEN_TYPE)
    result_token = result_def(TOKEN_TYPE)
    traits = traits_def(ReadAndWrite())
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    FORMAT: ClassVar[str | None] = (
        "custom<Str>($str) (`,` $args^)? (`token` `` `=` `` $token^)? attr-dict"
        " (`:` custom<Ty>(type($args))^)? `->` custom<Ty>(type($result_token))"
    )

    def __init__(self, text: str, args: Sequence[SSAValue] = (), token: SSAValue | None = None) -> None:
        operands = tuple(args) if token is None else (*args, token)
        self._init(
            operands,
            (TOKEN,),
            {"str": StringAttr(text), SEGMENTS: segments(len(args), int(token is not None))},
        )

    def verify_(self) -> None:
        """There is one operand a conversion."""
        count = conversions(self.str_.data)
        if count is None:
            raise self.fail("a lone % in the format; write %% for a percent sign")
        if count != len(self.args):
            raise self.fail(f"the format has {count} conversions, got {len(self.args)} operands")
