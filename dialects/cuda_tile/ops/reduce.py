"""Reductions and scans (specification, section "Core")."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, cast

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, IntegerType, i1, i32
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.irdl import prop_def, region_def, traits_def, var_operand_def, var_result_def
from xdsl.traits import RecursiveMemoryEffect

from freehold.dialects.cuda_tile.constraints import ANY_TILE
from freehold.dialects.cuda_tile.float_bits import FloatBitsAttr, exact_float
from freehold.dialects.cuda_tile.op import TileOp, tile_op
from freehold.dialects.cuda_tile.ops.control_flow import YieldOp, has_no_memory_effect
from freehold.dialects.cuda_tile.types import TileType, tile

if TYPE_CHECKING:
    from xdsl.parser import Parser
    from xdsl.printer import Printer

GROUP: Final = "Core"


def identity_type(identity: Attribute) -> Attribute | None:
    """The element type of an identity value, or None where it is no number."""
    if isinstance(identity, IntegerAttr):
        return cast("IntegerAttr[IntegerType]", identity).type
    return identity.type if isinstance(identity, FloatBitsAttr) else None


def _exact(identities: Sequence[Attribute]) -> ArrayAttr[Attribute]:
    return ArrayAttr([exact_float(identity) for identity in identities])


class Aggregate(TileOp, ABC):
    """Base of `reduce` and `scan`: a combiner applied along one dimension of one or more tiles together.

    The body takes the left and right element of each operand in turn and yields the combined elements. It must be
    associative, and commutative, and free of memory effects; the order of application is not specified. An identity is
    neutral for it, and may be applied any number of times. It is an integer, or a float as its bits; xDSL's float
    attributes become that.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        identities = self.properties.get("identities")
        if isinstance(identities, ArrayAttr):
            self.properties["identities"] = _exact(cast("ArrayAttr[Attribute]", identities).data)

    def expected_results(self, types: Sequence[TileType], dim: int) -> list[TileType]:
        """The result types for the operand types."""
        raise NotImplementedError

    @property
    def dimension(self) -> int:
        """The dimension along which elements are combined."""
        return cast("IntegerAttr[IntegerType]", self.properties["dim"]).value.data

    def verify_(self) -> None:
        """Operands, identities, results and body fit each other."""
        types = [cast(TileType, operand.type) for operand in self.operands]
        if not types:
            raise self.fail("at least one operand is needed")
        if any(type_.dims != types[0].dims for type_ in types):
            raise self.fail(f"operands must have one shape, got {', '.join(map(str, types))}")
        rank, dim = types[0].rank, self.dimension
        if not 0 <= dim < rank:
            raise self.fail(f"dim must be a dimension of {types[0]}, got {dim}")
        self._verify_identities(types)
        expected = self.expected_results(types, dim)
        results = [result.type for result in self.results]
        if results != expected:
            raise self.fail(f"results must be {', '.join(map(str, expected))}, got {', '.join(map(str, results))}")
        self._verify_body(types)

    def _verify_identities(self, types: Sequence[TileType]) -> None:
        identities = cast("ArrayAttr[Attribute]", self.properties["identities"]).data
        if len(identities) != len(types):
            raise self.fail(f"{len(types)} operands need as many identities, got {len(identities)}")
        for index, (identity, type_) in enumerate(zip(identities, types, strict=True)):
            if identity_type(identity) != type_.element_type:
                raise self.fail(f"identity {index} must be of {type_.element_type}, got {identity}")

    def _verify_body(self, types: Sequence[TileType]) -> None:
        block = self.regions[0].block
        scalars = [tile((), type_.element_type) for type_ in types]
        pairs = [scalar for scalar in scalars for _ in range(2)]
        if list(block.arg_types) != pairs:
            raise self.fail(
                f"the body must take {', '.join(map(str, pairs))}, got {', '.join(map(str, block.arg_types))}"
            )
        for op in block.ops:
            if not has_no_memory_effect(op):
                raise self.fail(f"the body must be free of memory effects, but holds {op.name}")
        last = block.last_op
        if not isinstance(last, YieldOp):
            raise self.fail("the body must end in cuda_tile.yield")
        if [operand.type for operand in last.operands] != scalars:
            raise self.fail(f"the body must yield {', '.join(map(str, scalars))}")


def _body(types: Sequence[TileType]) -> Region:
    return Region(Block(arg_types=[tile((), type_.element_type) for type_ in types for _ in range(2)]))


@tile_op(88, group=GROUP)
class ReduceOp(Aggregate):
    """Combines the elements along `dim` into one; the results lose that dimension."""

    name = "cuda_tile.reduce"
    dim = prop_def(IntegerAttr.constr(i32))
    identities = prop_def(ArrayAttr)
    operands_ = var_operand_def(ANY_TILE)
    results_ = var_result_def(ANY_TILE)
    body = region_def("single_block")
    traits = traits_def(RecursiveMemoryEffect())

    def __init__(
        self, operands: Sequence[SSAValue], dim: int, identities: Sequence[Attribute], body: Region | None = None
    ) -> None:
        types = [cast(TileType, operand.type) for operand in operands]
        self._init(
            tuple(operands),
            self.expected_results(types, dim),
            {"dim": IntegerAttr(dim, i32), "identities": _exact(identities)},
            (body or _body(types),),
        )

    @property
    def block(self) -> Block:
        """The block of the combiner."""
        return self.body.block

    def expected_results(self, types: Sequence[TileType], dim: int) -> list[TileType]:
        """The operands without the dimension."""
        return [tile(type_.dims[:dim] + type_.dims[dim + 1 :], type_.element_type) for type_ in types]

    @classmethod
    def parse(cls, parser: Parser) -> ReduceOp:
        """Read `%x dim=0 identities=[0 : i32] : T -> R (%a: S, %b: S) {...}`."""
        from freehold.dialects.cuda_tile.text_ops import parse_aggregate

        return parse_aggregate(cls, parser)

    def print(self, printer: Printer) -> None:
        """Write `%x dim=0 identities=[0 : i32] : T -> R (%a: S, %b: S) {...}`."""
        from freehold.dialects.cuda_tile.text_ops import print_aggregate

        print_aggregate(self, printer)


@tile_op(94, group=GROUP)
class ScanOp(Aggregate):
    """The inclusive running combination along `dim`, from the high end where `reverse` is true."""

    name = "cuda_tile.scan"
    dim = prop_def(IntegerAttr.constr(i32))
    reverse = prop_def(IntegerAttr.constr(i1))
    identities = prop_def(ArrayAttr)
    operands_ = var_operand_def(ANY_TILE)
    results_ = var_result_def(ANY_TILE)
    body = region_def("single_block")
    traits = traits_def(RecursiveMemoryEffect())

    def __init__(
        self,
        operands: Sequence[SSAValue],
        dim: int,
        identities: Sequence[Attribute],
        reverse: bool = False,
        body: Region | None = None,
    ) -> None:
        types = [cast(TileType, operand.type) for operand in operands]
        self._init(
            tuple(operands),
            types,
            {
                "dim": IntegerAttr(dim, i32),
                "reverse": IntegerAttr(int(reverse), i1),
                "identities": _exact(identities),
            },
            (body or _body(types),),
        )

    @property
    def block(self) -> Block:
        """The block of the combiner."""
        return self.body.block

    @property
    def is_reverse(self) -> bool:
        """Whether the scan runs from the high end."""
        return bool(cast("IntegerAttr[IntegerType]", self.reverse).value.data)

    def expected_results(self, types: Sequence[TileType], dim: int) -> list[TileType]:
        """The operands' types."""
        return list(types)

    @classmethod
    def parse(cls, parser: Parser) -> ScanOp:
        """Read `%x dim=0 reverse=false identities=[0 : i32] : T -> T (%a: S, %b: S) {...}`."""
        from freehold.dialects.cuda_tile.text_ops import parse_aggregate

        return parse_aggregate(cls, parser)

    def print(self, printer: Printer) -> None:
        """Write `%x dim=0 reverse=false identities=[0 : i32] : T -> T (%a: S, %b: S) {...}`."""
        from freehold.dialects.cuda_tile.text_ops import print_aggregate

        print_aggregate(self, printer)
