"""Kernels: what every tile block of a launch runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, cast

from xdsl.dialects.builtin import ArrayAttr, StringAttr, SymbolNameConstraint
from xdsl.ir import Attribute, Operation, Region
from xdsl.irdl import irdl_op_definition, opt_prop_def, prop_def, region_def, traits_def
from xdsl.traits import (
    IsolatedFromAbove,
    IsTerminator,
    NoMemoryEffect,
    SingleBlockImplicitTerminator,
    SymbolOpInterface,
)
from xdsl.utils.exceptions import VerifyException

from freehold.dialects.classes import blocks_in, build, ops_of, string
from freehold.dialects.cuda_tile import OptimizationHintsAttr, TileType
from freehold.dialects.cuda_tile.types import element_name
from freehold.dialects.ownership.duties import Duty, Owed, OwingOp
from freehold.dialects.ownership.format import FormattedOp
from freehold.dialects.ownership.ops.common import ensure_terminator, parsed_duties, print_duties
from freehold.dialects.ownership.types import TensorType
from freehold.support.dtypes import BY_NAME, DType

if TYPE_CHECKING:
    from xdsl.parser import Parser
    from xdsl.printer import Printer


@irdl_op_definition
class ReturnOp(FormattedOp):
    """Ends a kernel."""

    name = "ownership.return"

    FORMAT: ClassVar[str] = "attr-dict"
    traits = traits_def(IsTerminator(), NoMemoryEffect())


@irdl_op_definition
class KernelOp(OwingOp):
    """A kernel: what every tile block of a launch runs.

    `ownership.kernel @saxpy(%y: !ownership.tensor<[N], f32>, %a: !cuda_tile.tile<f32>) { ... }`

    Arguments are tensors and scalars (rank-0 tiles). Distinct tensor arguments are distinct memory unless both are
    only borrowed: the launcher refuses a call in which they overlap. `optimization_hints` goes to the entry.
    Arguments carry the user's names as name hints.

    Integers have no sign in types, and a tensor of `bool_` is one of `i8`. `dtypes ["u32", "bool_"]`, one name for each
    argument, says what arrays are meant, for whoever hands them over; it changes nothing of what the kernel does.
    """

    name = "ownership.kernel"

    sym_name = prop_def(SymbolNameConstraint())
    optimization_hints = opt_prop_def(OptimizationHintsAttr)
    dtypes = opt_prop_def(ArrayAttr[StringAttr])
    body = region_def("single_block")

    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface(), SingleBlockImplicitTerminator(ReturnOp))

    def __post_init__(self) -> None:
        ensure_terminator(self.body, ReturnOp)

    def __init__(
        self,
        name: str,
        body: Region,
        hints: OptimizationHintsAttr | None = None,
        dtypes: ArrayAttr[StringAttr] | None = None,
    ):
        given = {"sym_name": string(name), "optimization_hints": hints, "dtypes": dtypes}
        build(self, (), (), {name: value for name, value in given.items() if value is not None}, [body])
        self.__post_init__()

    @property
    def dtype_names(self) -> tuple[str, ...]:
        """The dtype (`freehold.support.dtypes`) of each argument; empty where the kernel does not say."""
        return () if self.dtypes is None else tuple(name.data for name in self.dtypes)

    @property
    def owed(self) -> Sequence[Owed]:
        return (Duty.LAUNCHABLE, -1), (Duty.UNDERSTOOD, -1)

    def verify_(self) -> None:
        for n, a in enumerate(self.body.block.args):
            scalar = isinstance(a.type, TileType) and not a.type.dims
            if not scalar and not isinstance(a.type, TensorType):
                raise VerifyException(f"{self.name}: argument {n} is neither a tensor nor a scalar")
        if self.dtypes is not None:
            self._verify_dtypes(self.dtype_names)

    def _verify_dtypes(self, names: tuple[str, ...]) -> None:
        arguments = self.body.block.args
        if len(names) != len(arguments):
            raise VerifyException(f"{self.name}: {len(names)} dtypes for {len(arguments)} arguments")
        for n, (name, a) in enumerate(zip(names, arguments, strict=True)):
            type_ = a.type
            element = type_.element if isinstance(type_, TensorType) else cast("TileType", type_).element_type
            dtype = BY_NAME.get(name)
            stored = isinstance(type_, TensorType) and name == "bool_"
            if dtype is None or element_name(element).lower() != ("i8" if stored else _signless(dtype)):
                raise VerifyException(f"{self.name}: argument {n} of {element_name(element)} cannot be {name}")

    @classmethod
    def parse(cls, parser: Parser) -> KernelOp:
        name = parser.parse_symbol_name()
        args = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_argument)
        hints: Attribute | None = None
        if parser.parse_optional_keyword("hints"):
            hints = parser.parse_attribute()
            if not isinstance(hints, OptimizationHintsAttr):
                parser.raise_error("expected optimization hints")
        dtypes: ArrayAttr[StringAttr] | None = None
        if parser.parse_optional_keyword("dtypes"):
            names = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_str_literal)
            dtypes = ArrayAttr([StringAttr(name) for name in names])
        attributes = parser.parse_optional_attr_dict_with_keyword()
        body = parser.parse_region(args)
        op = cls(name.data, body, hints, dtypes)
        parsed_duties(op, attributes)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        printer.print_string("(")
        printer.print_list(self.body.block.args, printer.print_block_argument)
        printer.print_string(")")
        if self.optimization_hints is not None:
            printer.print_string(" hints ")
            printer.print_attribute(self.optimization_hints)
        if self.dtypes is not None:
            printer.print_string(" dtypes ")
            printer.print_attribute(self.dtypes)
        print_duties(self, printer)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False, print_block_terminators=False)


def kernels_of(root: Operation) -> list[KernelOp]:
    """The kernels in an operation, in order, however deep in modules they are. None is looked for inside a kernel."""
    if isinstance(root, KernelOp):
        return [root]
    return [kernel for block in blocks_in(root) for op in ops_of(block) for kernel in kernels_of(op)]


def _signless(dtype: DType) -> str:
    """The name of a dtype's elements in tiles."""
    return f"i{dtype.bits}" if dtype.kind in ("int", "bool") else dtype.name
