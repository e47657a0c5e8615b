"""Modules, kernels and globals (specification, section "Core")."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Final, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    FunctionType,
    IntegerAttr,
    IntegerType,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region
from xdsl.irdl import opt_prop_def, prop_def, region_def, result_def, traits_def
from xdsl.traits import IsolatedFromAbove, NoTerminator, Pure, SymbolOpInterface, SymbolTable

from freehold.dialects.classes import function_type, walk
from freehold.dialects.cuda_tile.attrs import PUBLIC, OptimizationHintsAttr, SymbolVisibilityAttr
from freehold.dialects.cuda_tile.constraints import SCALAR_I32, SCALAR_POINTER
from freehold.dialects.cuda_tile.debug import own_scope, wrong_scope
from freehold.dialects.cuda_tile.dense import DenseElementsAttr
from freehold.dialects.cuda_tile.op import TileOp, tile_op
from freehold.dialects.cuda_tile.types import PointerType, TileType, element_name, tile
from freehold.dialects.cuda_tile.version import V13_3

if TYPE_CHECKING:
    from xdsl.parser import Parser
    from xdsl.printer import Printer

GROUP: Final = "Core"
I32_SCALAR: Final = tile((), i32)


@tile_op(75, group=GROUP, field_since={"producer": V13_3})
class TileModuleOp(TileOp):
    """A translation unit: globals and kernels. `producer` says which compiler made it."""

    name = "cuda_tile.module"
    sym_name = prop_def(StringAttr)
    producer = opt_prop_def(StringAttr)
    body = region_def("single_block")
    traits = traits_def(IsolatedFromAbove(), NoTerminator(), SymbolTable(), SymbolOpInterface())

    def __init__(self, name: str, ops: Sequence[Operation] = (), producer: str | None = None) -> None:
        properties: dict[str, Attribute] = {"sym_name": StringAttr(name)}
        if producer is not None:
            properties["producer"] = StringAttr(producer)
        self._init((), (), properties, (Region(Block(ops)),))

    @property
    def block(self) -> Block:
        """The block that holds the module's symbols."""
        return self.body.block

    def verify_(self) -> None:
        """Only globals and kernels stand in a module."""
        for op in self.body.ops:
            if not isinstance(op, EntryOp | GlobalOp):
                raise self.fail(f"only entry and global may stand in a module, got {op.name}")

    @classmethod
    def parse(cls, parser: Parser) -> TileModuleOp:
        """Read `@name attributes {...} {...}`."""
        from freehold.dialects.cuda_tile.text_ops import parse_module

        return parse_module(cls, parser)

    def print(self, printer: Printer) -> None:
        """Write `@name attributes {...} {...}`."""
        from freehold.dialects.cuda_tile.text_ops import print_module

        print_module(self, printer)


ModuleOp = TileModuleOp


@tile_op(22, group=GROUP)
class EntryOp(TileOp):
    """A kernel: run once for each tile block of the grid. Its arguments are scalars, numbers or pointers.

    In bytecode it stands in the function table, not among the operations.
    """

    name = "cuda_tile.entry"
    sym_name = prop_def(StringAttr)
    function_type = prop_def(FunctionType)
    arg_attrs = opt_prop_def(ArrayAttr)
    res_attrs = opt_prop_def(ArrayAttr)
    optimization_hints = opt_prop_def(OptimizationHintsAttr)
    body = region_def("single_block")
    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface())

    def __init__(
        self,
        name: str,
        argument_types: Sequence[Attribute],
        body: Region | None = None,
        optimization_hints: OptimizationHintsAttr | None = None,
    ) -> None:
        properties: dict[str, Attribute] = {
            "sym_name": StringAttr(name),
            "function_type": function_type(argument_types, ()),
        }
        if optimization_hints is not None:
            properties["optimization_hints"] = optimization_hints
        self._init((), (), properties, (body or Region(Block(arg_types=argument_types)),))

    @property
    def block(self) -> Block:
        """The block of the body, whose arguments are the kernel's."""
        return self.body.block

    def verify_(self) -> None:
        """Arguments are scalars and those of the body; nothing is returned; the body ends in `return`."""
        from freehold.dialects.cuda_tile.ops.control_flow import ReturnOp

        if self.function_type.outputs.data:
            raise self.fail("a kernel returns nothing")
        for index, type_ in enumerate(self.function_type.inputs.data):
            if not isinstance(type_, TileType) or type_.rank:
                raise self.fail(f"argument {index} must be a rank-0 tile of a number or a pointer, got {type_}")
            if element_name(type_.element_type) == "i4":
                raise self.fail(f"argument {index} must not be of i4")
        block = self.body.block
        if tuple(block.arg_types) != tuple(self.function_type.inputs.data):
            raise self.fail("the body's arguments must be those of the function type")
        if self.arg_attrs is not None and len(self.arg_attrs.data) != len(block.args):
            raise self.fail(f"{len(block.args)} arguments but {len(self.arg_attrs.data)} argument attributes")
        if not isinstance(block.last_op, ReturnOp):
            raise self.fail("the body must end in cuda_tile.return")
        if (wrong := wrong_scope(self, self.sym_name.data, walk(self))) is not None:
            raise self.fail(f"debug information does not fit: {wrong}")

    @classmethod
    def parse(cls, parser: Parser) -> EntryOp:
        """Read `@name(%a: T) optimization_hints=<...> {...}`."""
        from freehold.dialects.cuda_tile.text_ops import parse_entry

        return parse_entry(cls, parser)

    def print(self, printer: Printer) -> None:
        """Write `@name(%a: T) optimization_hints=<...> {...}`."""
        from freehold.dialects.cuda_tile.text_ops import print_entry

        print_entry(self, printer)


@tile_op(49, group=GROUP, field_since={"constant": V13_3, "symbol_visibility": V13_3})
class GlobalOp(TileOp):
    """An array in device memory with an initial value: a rank-1 tile of numbers.

    `alignment` is in bytes, 0 where it does not matter. In bytecode it stands in the global section.
    """

    name = "cuda_tile.global"
    sym_name = prop_def(StringAttr)
    value = prop_def(DenseElementsAttr)
    alignment = prop_def(IntegerAttr.constr(i64), default_value=IntegerAttr(0, i64))
    constant = opt_prop_def(UnitAttr)
    symbol_visibility = prop_def(SymbolVisibilityAttr, default_value=PUBLIC)
    traits = traits_def(SymbolOpInterface())

    def __init__(
        self,
        name: str,
        value: DenseElementsAttr,
        alignment: int = 0,
        constant: bool = False,
        visibility: SymbolVisibilityAttr = PUBLIC,
    ) -> None:
        properties: dict[str, Attribute] = {
            "sym_name": StringAttr(name),
            "value": value,
            "alignment": IntegerAttr(alignment, i64),
            "symbol_visibility": visibility,
        }
        if constant:
            properties["constant"] = UnitAttr()
        self._init((), (), properties)

    def verify_(self) -> None:
        """The value is a vector and the alignment is not negative."""
        if own_scope(self.location) is not None:
            raise self.fail("debug information does not fit: a global has no scope")
        if self.value.type.rank != 1:
            raise self.fail(f"the value must have rank 1, got {self.value.type}")
        if cast("IntegerAttr[IntegerType]", self.alignment).value.data < 0:
            raise self.fail("the alignment must not be negative")

    @classmethod
    def parse(cls, parser: Parser) -> GlobalOp:
        """Read `private constant @g alignment = 16 <f32: 1.0> : tile<4xf32>`."""
        from freehold.dialects.cuda_tile.text_ops import parse_global

        return parse_global(cls, parser)

    def print(self, printer: Printer) -> None:
        """Write `private constant @g alignment = 16 <f32: 1.0> : tile<4xf32>`."""
        from freehold.dialects.cuda_tile.text_ops import print_global

        print_global(self, printer)


@tile_op(44, group=GROUP)
class GetGlobalOp(TileOp):
    """The address of a global of this module."""

    name = "cuda_tile.get_global"
    global_name = prop_def(SymbolRefAttr, prop_name="name")
    result = result_def(SCALAR_POINTER)
    traits = traits_def(Pure())
    FORMAT: ClassVar[str | None] = "custom<Sym>($name) attr-dict `:` custom<Ty>(type($result))"

    def __init__(self, name: str, pointer: PointerType) -> None:
        self._init((), (tile((), pointer),), {"name": SymbolRefAttr(name)})

    def verify_(self) -> None:
        """The symbol is a global of this module whose elements are the pointee."""
        symbol = self.global_name.root_reference.data
        parent = self.parent_op()
        while parent is not None and not isinstance(parent, TileModuleOp):
            parent = parent.parent_op()
        if parent is None:
            return
        for op in parent.body.ops:
            if isinstance(op, GlobalOp) and op.sym_name.data == symbol:
                pointee = cast(PointerType, self.result.type.element_type).pointee
                if pointee != op.value.type.element_type:
                    raise self.fail(f"@{symbol} has elements of {op.value.type.element_type}, not {pointee}")
                return
        raise self.fail(f"@{symbol} is not a global of this module")


class GridQuery(TileOp):
    """Base of the operations that ask about the grid: three i32 scalars, for x, y and z."""

    traits = traits_def(Pure())

    def __init__(self) -> None:
        self._init((), (I32_SCALAR, I32_SCALAR, I32_SCALAR))


@tile_op(48, group=GROUP)
class GetTileBlockIdOp(GridQuery):
    """The coordinates of this tile block in the grid, each from 0 to the grid's extent."""

    name = "cuda_tile.get_tile_block_id"
    blockId_x = result_def(SCALAR_I32)
    blockId_y = result_def(SCALAR_I32)
    blockId_z = result_def(SCALAR_I32)
    FORMAT: ClassVar[str | None] = "attr-dict `:` custom<Ty3>(type($blockId_x), type($blockId_y), type($blockId_z))"


@tile_op(46, group=GROUP)
class GetNumTileBlocksOp(GridQuery):
    """The extents of the grid in tile blocks, each at most 2^24 - 1."""

    name = "cuda_tile.get_num_tile_blocks"
    gridSize_x = result_def(SCALAR_I32)
    gridSize_y = result_def(SCALAR_I32)
    gridSize_z = result_def(SCALAR_I32)
    FORMAT: ClassVar[str | None] = "attr-dict `:` custom<Ty3>(type($gridSize_x), type($gridSize_y), type($gridSize_z))"
