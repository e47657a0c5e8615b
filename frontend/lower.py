"""
From a kernel function to ownership IR: `lower(function, specialisation)`.

The kernel's signature becomes borrows and partitions, its body what each point of the partitions' index space does.
Every operation carries the place of the source it stands for. All mistakes of a kernel are reported at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, cast

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.ir import Attribute

from freehold.dialects.cuda_tile.attrs import OptimizationHintsAttr
from freehold.dialects.ownership import (
    Access,
    AccType,
    AccumulatorOp,
    ExposeOp,
    KernelOp,
    LayoutAttr,
    PartitionOp,
    PartitionType,
    RawType,
    RefType,
    ReturnOp,
    TensorType,
    tensor_type,
)
from freehold.frontend import (
    calls,
    comprehensions,
    conditions,
    emit,
    errors,
    expressions,
    loops,
    patterns,
    statements,
    texts,
    unsafe,
)
from freehold.frontend.context import Context, Rules
from freehold.frontend.domains import Domain
from freehold.frontend.intrinsics import methods_of
from freehold.frontend.language import Acc, Mut, Out, Raw, Ref, Region, Tile
from freehold.frontend.language.tensors import Place
from freehold.frontend.memory import borrow, storage
from freehold.frontend.schedule import Grid, PartitionSpec
from freehold.frontend.signature import ConstSpec, Parameter, ScalarSpec, Specialisation, TensorSpec
from freehold.frontend.source import KernelFunction
from freehold.frontend.syntax import core
from freehold.frontend.typed import Block, Do, Typed
from freehold.frontend.values import (
    INDEX_DTYPE,
    Absent,
    Frame,
    GridValue,
    Host,
    TensorValue,
    TileValue,
    TupleValue,
    of_host,
)
from freehold.support import dtypes
from freehold.support.diagnostic import Rejected
from freehold.support.report import Argument
from freehold.support.span import Span

if TYPE_CHECKING:
    from freehold.frontend.fingerprint import Read

DISPATCH: Final = cast(
    "dict[type[core.Node], Callable[[Context, core.Node], object]]",
    {
        core.Name: expressions.name,
        core.Constant: expressions.constant,
        core.Anything: expressions.anything,
        core.Refused: expressions.refused,
        core.Tuple: expressions.tuple_,
        core.Slice: expressions.slice_,
        core.Attribute: expressions.attribute,
        core.Subscript: expressions.subscript,
        core.Lambda: expressions.lambda_,
        core.Let: expressions.let,
        core.BinOp: conditions.binary,
        core.UnaryOp: conditions.unary,
        core.BoolOp: conditions.boolean,
        core.IfExp: conditions.ternary,
        core.Compare: conditions.compare,
        core.Each: comprehensions.each,
        core.Only: comprehensions.only,
        core.Fits: patterns.fits,
        core.Positional: patterns.positional,
        core.Text: texts.joined,
        core.Call: calls.call,
        core.Assign: statements.assign_,
        core.If: statements.if_,
        core.For: loops.for_,
        core.While: loops.while_,
        core.Break: statements.leave_loop,
        core.Continue: statements.leave_loop,
        core.Evaluate: statements.expression,
        core.Pass: statements.pass_,
        core.Assert: statements.assert_,
        core.Raise: statements.raise_,
        core.With: unsafe.with_,
        core.Define: statements.function,
        core.RefusedStatement: statements.refused,
    },
)
"""What types each kind of node."""


METHODS: Final = {
    "tile": methods_of(Tile),
    "region": methods_of(Region),
    "place": methods_of(Place),
    **{kind.__freehold_mode__: methods_of(kind) for kind in (Ref, Mut, Out, Acc, Raw)},
}
"""The methods that kernels may call: those that the language declares."""

RULES: Final = Rules(DISPATCH, statements.statements, calls.inline, calls.apply, METHODS)

Hints = Mapping[str, Mapping[str, int]]
"""The hints of an entry point, by architecture; those of others are `default`."""


def lower(
    function: KernelFunction,
    specialisation: Specialisation,
    hints: Hints | None = None,
    *,
    left_out: list[Span] | None = None,
    reads: list[Read] | None = None,
) -> ModuleOp:
    """
    The ownership module of one variant of a kernel: a `builtin.module` with one `ownership.kernel`.

    `specialisation` has one entry for each parameter, in order. `hints` are those of an entry point
    (`occupancy`, `num_cta_in_cga`, `num_worker_warps_per_cta`). Where the kernel has a `breakpoint()`, a debugger may
    stop at every statement; but if `left_out` is a list, nowhere, and the places of breakpoints are added to it. What
    was read of the host is added to `reads`.

    Raises `Rejected` with every mistake of the kernel.
    """
    module, c = _lowered(function, specialisation, hints, stepping=False)
    if reads is not None:
        reads += c.reads
    if left_out is not None:
        left_out += c.breakpoints
    elif c.breakpoints and not c.errors:
        module, c = _lowered(function, specialisation, hints, stepping=True)
    if c.errors or module is None:
        raise Rejected(c.errors, kernel=function.name)
    return module


def _lowered(
    function: KernelFunction, specialisation: Specialisation, hints: Hints | None, *, stepping: bool
) -> tuple[ModuleOp | None, Context]:
    """The module, if there is one, and what was found out about it. With `stepping`, a debugger may stop anywhere."""
    source = function.source
    c = Context(function.name, RULES)
    c.stepping = stepping
    c.frame = Frame(source, Host(function.function), source.core, function.name)
    c.here = source.core
    calls.is_clean(c, c.frame)
    return _Kernel(c, function, specialisation).write(c.block, hints), c


class _Kernel:
    """One kernel being written: its parameters first, then its body."""

    def __init__(self, c: Context, function: KernelFunction, specialisation: Specialisation):
        self.c = c
        self.function = function
        self.parameters = list(zip(function.signature.parameters, specialisation.specs, strict=True))
        self.constants = {
            p.name: spec.value for p, spec in self.parameters if isinstance(spec, ConstSpec) and type(spec.value) is int
        }
        for parameter, spec in self.parameters:
            if isinstance(spec, TensorSpec) and spec.partition is not None and parameter.dims is not None:
                known = zip(parameter.dims, spec.partition.extents, strict=False)
                self.constants |= {d: extent for d, extent in known if extent and d.isidentifier()}
        self.nodes = {p.name: p for p in function.source.core.parameters}

    def write(self, body: Block, hints: Hints | None) -> ModuleOp | None:
        """The module, or None after reporting why there is none."""
        c = self.c
        tensors: list[TensorValue] = []
        for parameter, spec in self.parameters:
            with c.at(self.nodes[parameter.written]):
                if isinstance(spec, TensorSpec):
                    tensor = self._tensor(parameter, spec, body)
                    if tensor is not None:
                        tensors.append(tensor)
                elif isinstance(spec, ScalarSpec):
                    number = c.frame.variables[parameter.name] = c.argument(body, spec.dtype, (), parameter.name)
                    c.scalars[number.var] = spec.dtype
                else:
                    absent = parameter.optional and spec.value is None
                    known = Absent(None, parameter.name) if absent else of_host(spec.value)
                    c.frame.variables[parameter.name] = known
        for tensor in tensors:
            self._grouped(tensor)
        self._tuples()
        if c.errors:
            for parameter, _ in self.parameters:  # go on, for the errors of the body
                c.frame.variables.setdefault(parameter.written, expressions.POISON)
        placed = [t for t in tensors if t.spec.partition is not None]
        grids = [(p, s.value) for p, s in self.parameters if isinstance(s, ConstSpec) and isinstance(s.value, Grid)]
        written = grids and any(p.is_tensor and p.mode != "ref" for p, _ in self.parameters)
        if not placed and not written:
            self._no_output()
        code = c.here = self.function.source.core
        domain = Domain(c, placed, self.nodes, grids)
        for parameter, _ in grids:
            index = tuple(TileValue(a, INDEX_DTYPE, ()) for a in domain.block.args)
            c.frame.variables[parameter.name] = GridValue(parameter.name, index) if domain.fits else expressions.POISON
        domain.begin()
        with c.into(domain.work) as c.top:
            statements.statements(c, code.body)
        domain.finish(core.Pass(code.end))
        rebound = [error for name, error in c.rebound.items() if name not in c.stored]
        places = [error.place for error in rebound]
        c.errors = [*rebound, *(error for error in c.errors if error.place not in places)]
        if c.errors:
            return None
        with c.at(self.nodes[grids[0][0].written] if grids else c.here):
            domain.distribute()
        c.add(ReturnOp)
        attribute = None
        if hints:
            values: dict[str, dict[str, Attribute]] = {
                arch: {name: IntegerAttr(value, i64) for name, value in found.items()} for arch, found in hints.items()
            }
            attribute = OptimizationHintsAttr({arch: DictionaryAttr(found) for arch, found in values.items()})
        return emit.module(Do(KernelOp, (self.function.name, body, attribute, self._dtypes()), {}, c.place))

    def _tuples(self) -> None:
        """Puts the tensors of a tuple into one: they have no names of their own in the text."""
        there = {p.written for p, _ in self.parameters}
        names: dict[str, list[str]] = {name: [] for name in self.function.signature.texts if name not in there}
        for parameter, _ in self.parameters:
            if parameter.of is not None:
                names.setdefault(parameter.of, []).append(parameter.name)
        variables = self.c.frame.variables
        for name, items in names.items():
            found = [variables.pop(item) for item in items if item in variables]
            if len(found) == len(items):
                variables[name] = TupleValue(tuple(found))

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
        argument = body.argument(type_, c.place, parameter.name)
        handle = self._handle(parameter, spec, argument)
        if handle is None:
            return None
        tensor = TensorValue(parameter, spec, argument, handle)
        c.frame.variables[parameter.name] = tensor
        return tensor

    def _handle(self, parameter: Parameter, spec: TensorSpec, argument: Typed) -> Typed | None:
        """What the kernel reaches a tensor by; None after reporting that it is not partitioned."""
        c, partition, type_ = self.c, spec.partition, tensor_type(argument)
        match parameter.mode:
            case "acc":
                return c.handle(AccType(type_), AccumulatorOp, argument)
            case "raw":
                return c.handle(RawType(type_), ExposeOp, argument)
            case "ref":
                self._check_read(parameter, partition)
                return borrow(c, argument)
            case _ if partition is None:
                self._not_partitioned(parameter, spec.rank)
                return None
            case _ if partition.groups is None:
                made = self._partitioned(parameter, partition, type_)
                return c.handle(made, PartitionOp, argument, made)
            case _:  # made when its offsets have been, too
                return argument

    def _partitioned(self, parameter: Parameter, partition: PartitionSpec, type_: TensorType) -> PartitionType:
        """The type of what is written by regions."""
        whole, part = (Access.MUT, Access.PARTIAL_MUT) if parameter.mode == "mut" else (Access.OUT, Access.PARTIAL)
        access = part if partition.partial else whole
        axis = None if partition.groups is None else partition.groups.axis
        return PartitionType.of(access, partition.tile, type_, partition.step, axis)

    def _check_read(self, parameter: Parameter, partition: PartitionSpec | None) -> None:
        """Reports a partition of a `Ref` that says what only those of outputs can."""
        if partition is not None and partition.groups is not None:
            self._reject_partition(
                parameter,
                f"`{parameter.name}` is a `Ref`, and its partition has groups",
                "a block writes a region of a group, and reads what it likes",
                f"pass the array itself, and load what belongs to a region: "
                f"`{parameter.name}.load_from((y.start[0], ...), shape)`",
            )
        elif partition is not None and partition.step != partition.tile:
            self._reject_partition(
                parameter,
                f"`{parameter.name}` is a `Ref`, and its partition has a step of its own",
                "what is read is loaded in whole tiles",
                f"leave out `step=`, or load from any element: `{parameter.name}.load_from(...)`",
            )

    def _not_partitioned(self, parameter: Parameter, rank: int) -> None:
        mode = "a `Mut`" if parameter.mode == "mut" else "an `Out`"
        tile = ", ".join(["128"] * rank) + "," * (rank == 1)
        self._reject_partition(
            parameter,
            f"`{parameter.name}` is {mode}, and is not partitioned",
            "which block writes which part is not said",
            f"partition it: `fh.partition({parameter.name}, ({tile}))`",
        )

    def _grouped(self, tensor: TensorValue) -> None:
        """Partitions a tensor into groups, by the offsets that are another parameter."""
        c, partition = self.c, tensor.spec.partition
        if partition is None or partition.groups is None or tensor.parameter.mode not in ("mut", "out"):
            return
        groups, parameter = partition.groups, tensor.parameter
        offsets = c.frame.variables.get(groups.by)
        fits = (
            isinstance(offsets, TensorValue)
            and isinstance(offsets.handle.type, RefType)
            and (offsets.spec.dtype, offsets.spec.rank) == (dtypes.i32, 1)
        )
        if not fits or not isinstance(offsets, TensorValue):
            self._reject_partition(
                parameter,
                f"the groups of `{parameter.name}` are bounded by `{groups.by}`, which holds no offsets",
                "offsets are a parameter of the kernel: a `Ref` of `i32` with one axis",
                f'declare them, `{groups.by}: Ref[i32, "E + 1"]`, and name them: `fh.ragged(..., by="{groups.by}")`',
            )
            c.frame.variables[parameter.name] = expressions.POISON
            return
        made = self._partitioned(parameter, partition, tensor_type(tensor.argument))
        with c.at(self.nodes[parameter.written]):
            tensor.handle = c.handle(made, PartitionOp, tensor.argument, made, offsets.handle)

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
