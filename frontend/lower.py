"""
From a kernel function to ownership IR: `lower(function, specialisation)`.

The kernel's signature becomes borrows and partitions, its body what each point of the partitions' index space does.
Every operation carries the place of the source it stands for. All mistakes of a kernel are reported at once.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Final, cast

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.ir import Attribute, Block, Region

from freehold.dialects.cuda_tile.attrs import OptimizationHintsAttr
from freehold.dialects.ownership import (
    Access,
    AccumulatorOp,
    BlocksAttr,
    BlocksKind,
    BorrowOp,
    DistributeOp,
    EndOp,
    ExposeOp,
    KernelOp,
    LayoutAttr,
    OrderAttr,
    OrderKind,
    PartitionOp,
    PartitionType,
    RegionOp,
    ReturnOp,
    TensorType,
)
from freehold.frontend import calls, conditions, errors, expressions, loops, statements, texts, unsafe
from freehold.frontend.context import Context, Frame, Host, hint
from freehold.frontend.memory import storage
from freehold.frontend.schedule import PartitionSpec
from freehold.frontend.signature import ConstSpec, Parameter, ScalarSpec, Specialisation, TensorSpec
from freehold.frontend.source import KernelFunction
from freehold.frontend.types import tile_type
from freehold.frontend.values import INDEX_DTYPE, RegionValue, TensorValue, TileValue, of_host
from freehold.support.diagnostic import Argument, Rejected
from freehold.support.span import Span

DISPATCH: Final = cast(
    "dict[type[ast.AST], Callable[[Context, ast.AST], object]]",
    {
        ast.Name: expressions.name,
        ast.Constant: expressions.constant,
        ast.Tuple: expressions.tuple_,
        ast.Attribute: expressions.attribute,
        ast.Subscript: expressions.subscript,
        ast.BinOp: conditions.binary,
        ast.UnaryOp: conditions.unary,
        ast.BoolOp: conditions.boolean,
        ast.IfExp: conditions.ternary,
        ast.Compare: conditions.compare,
        ast.Lambda: expressions.lambda_,
        ast.JoinedStr: texts.joined,
        ast.Call: calls.call,
        ast.Assign: statements.assign_,
        ast.AnnAssign: statements.annotated,
        ast.AugAssign: statements.augmented,
        ast.For: loops.for_,
        ast.While: loops.while_,
        ast.Return: statements.return_,
        ast.Break: statements.break_,
        ast.Continue: statements.continue_,
        ast.Expr: statements.expression,
        ast.Pass: statements.pass_,
        ast.Assert: statements.assert_,
        ast.With: unsafe.with_,
        ast.FunctionDef: statements.function,
    },
)
"""What lowers each kind of node. An `if` is not among them: it needs the statements that follow."""


def lower(function: KernelFunction, specialisation: Specialisation, hints: Mapping[str, int] | None = None) -> ModuleOp:
    """
    The ownership module of one variant of a kernel: a `builtin.module` with one `ownership.kernel`.

    `specialisation` has one entry for each parameter, in order. `hints` are those of an entry point
    (`occupancy`, `num_cta_in_cga`, `num_worker_warps`). Raises `Rejected` with every mistake of the kernel.
    """
    source = function.source
    c = Context(function.name, DISPATCH)
    c.frame = Frame(source, Host(function.function), source.tree, function.name)
    c.here = source.tree
    calls.is_clean(c, c.frame)
    body = c.block
    module = _Kernel(c, function, specialisation).write(body, hints)
    if c.errors or module is None:
        raise Rejected(c.errors, kernel=function.name)
    return module


class _Kernel:
    """One kernel being written: its parameters first, then its body."""

    def __init__(self, c: Context, function: KernelFunction, specialisation: Specialisation):
        self.c = c
        self.function = function
        self.parameters = list(zip(function.signature.parameters, specialisation.specs, strict=True))
        self.constants = {
            p.name: spec.value for p, spec in self.parameters if isinstance(spec, ConstSpec) and type(spec.value) is int
        }
        arguments = function.source.arguments
        self.nodes = {a.arg: a for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}

    def write(self, body: Block, hints: Mapping[str, int] | None) -> ModuleOp | None:
        """The module, or None after reporting why there is none."""
        c = self.c
        tensors: list[TensorValue] = []
        for parameter, spec in self.parameters:
            with c.at(self.nodes[parameter.name]):
                if isinstance(spec, TensorSpec):
                    tensor = self._tensor(parameter, spec, body)
                    if tensor is not None:
                        tensors.append(tensor)
                elif isinstance(spec, ScalarSpec):
                    argument = body.insert_arg(tile_type((), spec.dtype), len(body.args), c.location())
                    hint(argument, parameter.name)
                    c.frame.variables[parameter.name] = TileValue(argument, spec.dtype, ())
                else:
                    c.frame.variables[parameter.name] = of_host(spec.value)
        if c.errors:
            for parameter, _ in self.parameters:  # go on, for the errors of the body
                c.frame.variables.setdefault(parameter.name, expressions.POISON)
        partitioned = [t for t in tensors if t.parameter.mode in ("mut", "out")]
        if not partitioned:
            self._no_output()
        point = self._point(partitioned)
        with c.into(point):
            code = cast(ast.FunctionDef, self.function.source.tree).body
            statements.statements(c, code)
            with c.at(code[-1]):
                c.add(EndOp())
        if c.errors:
            return None
        order, blocks = self._schedule(partitioned)
        c.add(DistributeOp([t.handle for t in partitioned], Region(point), order, blocks))
        c.add(ReturnOp())
        attribute = None
        if hints:
            values: dict[str, Attribute] = {name: IntegerAttr(value, i64) for name, value in hints.items()}
            attribute = OptimizationHintsAttr({"default": DictionaryAttr(values)})
        kernel = KernelOp(self.function.name, Region(body), attribute, self._dtypes())
        kernel.location = c.location()
        return ModuleOp([kernel])

    def _dtypes(self) -> ArrayAttr[StringAttr] | None:
        """What the types of arguments do not say: needed where there are integers or truth values among them."""
        dtypes = [spec.dtype for _, spec in self.parameters if not isinstance(spec, ConstSpec)]
        if all(dtype.is_float for dtype in dtypes):
            return None
        return ArrayAttr([StringAttr(dtype.name) for dtype in dtypes])

    def _place(self, parameter: Parameter) -> Span | Argument:
        return parameter.span or Argument(parameter.name, self.function.name)

    def _dims(self, parameter: Parameter, spec: TensorSpec) -> tuple[str, ...]:
        if parameter.dims is None:
            return tuple(f"{parameter.name}.shape[{i}]" for i in range(spec.rank))
        return parameter.given(self.constants).dims or ()

    def _tensor(self, parameter: Parameter, spec: TensorSpec, body: Block) -> TensorValue | None:
        c = self.c
        given = f"an array of {spec.dtype} with {spec.rank} {'axis' if spec.rank == 1 else 'axes'}"
        wrong_rank = parameter.dims is not None and len(parameter.dims) != spec.rank
        if wrong_rank or (parameter.dtype is not None and parameter.dtype is not spec.dtype):
            c.error(
                errors.DimensionsDisagree(
                    self._place(parameter), name=parameter.name, annotation=parameter.annotation, given=given
                )
            )
            return None
        dims = self._dims(parameter, spec)
        strides = spec.strides or (0,) * (spec.rank - 1) + (1,) * (spec.rank > 0)
        ones = (1,) * spec.rank
        layout = LayoutAttr.of(spec.align, strides, spec.stride_divs or ones, spec.extent_divs or ones)
        type_ = TensorType.of(dims, storage(spec.dtype), layout)
        argument = body.insert_arg(type_, len(body.args), c.location())
        hint(argument, parameter.name)
        if parameter.mode == "acc":
            handle = c.add(AccumulatorOp(argument)).result  # pyright: ignore[reportArgumentType] -- as below
        elif parameter.mode == "raw":
            handle = c.add(ExposeOp(argument)).result  # pyright: ignore[reportArgumentType] -- as below
        elif parameter.mode == "ref":
            if spec.partition is not None:
                self._reject_partition(
                    parameter,
                    f"`{parameter.name}` is a `Ref`, and is given a partition",
                    "a tensor that is read is not split",
                    f"pass the array itself, or declare it written: `{parameter.name}: Out`",
                )
            handle = c.add(BorrowOp(argument)).result  # pyright: ignore[reportArgumentType] -- its type is a tensor's
        elif spec.partition is None:
            mode = "Mut" if parameter.mode == "mut" else "Out"
            self._reject_partition(
                parameter,
                f"`{parameter.name}` is a{'n' * (mode == 'Out')} `{mode}`, and is not partitioned",
                "which block writes which part is not said",
                f"partition it: `fh.partition({parameter.name}, ({', '.join(['128'] * spec.rank)},))`"
                if spec.rank == 1
                else f"partition it: `fh.partition({parameter.name}, ({', '.join(['128'] * spec.rank)}))`",
            )
            return None
        else:
            partition = spec.partition
            access = Access.MUT if parameter.mode == "mut" else Access.OUT
            made = PartitionType.of(access, partition.tile, type_, partition.step)
            handle = c.add(PartitionOp(argument, made)).result
        tensor = TensorValue(parameter, spec, argument, handle)
        c.frame.variables[parameter.name] = tensor
        return tensor

    def _reject_partition(self, parameter: Parameter, what: str, why: str, edit: str) -> None:
        error = errors.NoPartition(self._place(parameter), what=what, why=why)
        self.c.error(error.add(error.Instead(edit)))

    def _no_output(self) -> None:
        c = self.c
        if any(p.mode in ("mut", "out") for p, _ in self.parameters):
            return  # reported for the parameter
        error = errors.NoPartition(
            self.function.source.header,
            what=f"kernel `{self.function.name}` writes nothing",
            why="the parts of what a kernel writes are its blocks",
        )
        c.error(error.add(error.Instead("declare the tensor that is written as `Out` or `Mut`")))

    def _schedule(self, partitioned: list[TensorValue]) -> tuple[OrderAttr, BlocksAttr]:
        """The order and the blocks of the partitions, which share them."""
        spec = cast(PartitionSpec, partitioned[0].spec.partition)
        return OrderAttr(OrderKind(spec.order.kind), spec.order.size), BlocksAttr(BlocksKind(spec.blocks.value))

    def _point(self, partitioned: list[TensorValue]) -> Block:
        """The block of what one point of the partitions' index space does; it begins with taking its regions."""
        c = self.c
        if not partitioned:
            return Block()
        specs = [cast(PartitionSpec, t.spec.partition) for t in partitioned]
        first = specs[0]
        for tensor, spec in zip(partitioned[1:], specs[1:], strict=True):
            leader = partitioned[0].name
            if len(spec.tile) != len(first.tile):
                what = f"`{tensor.name}` has {len(spec.tile)} axes, and `{leader}` has {len(first.tile)}"
                self._reject_partition(
                    tensor.parameter, what, "all partitions of a launch have the same axes",
                    f"give both as many axes: `{tensor.name}[None]` on the host adds one",
                )  # fmt: skip
                return Block()
            if (spec.order, spec.blocks) != (first.order, first.blocks):
                what = f"the partitions of `{tensor.name}` and `{leader}` differ in their order or blocks"
                self._reject_partition(
                    tensor.parameter, what, "one schedule serves the whole launch",
                    f"give both the same: `order=fh.{first.order}, blocks=fh.{first.blocks.name}`",
                )  # fmt: skip
                return Block()
        if first.order.kind == "grouped" and len(first.tile) < 2:
            self._reject_partition(
                partitioned[0].parameter,
                f"`{partitioned[0].name}` has one axis, and a grouped order needs two",
                "bands of rows are walked column by column",
                "leave out `order=`",
            )
            return Block()
        index = tile_type((), INDEX_DTYPE)
        point = Block(arg_types=[index] * len(first.tile))
        c.here = self.function.source.tree
        coordinates = tuple(TileValue(a, INDEX_DTYPE, ()) for a in point.args)
        for argument in point.args:
            argument.location = c.location()
        with c.into(point):
            for tensor in partitioned:
                with c.at(self.nodes[tensor.name]):
                    region = c.add(RegionOp(tensor.handle, point.args))
                    tensor.region = RegionValue(tensor, region.result, coordinates)
        return point
