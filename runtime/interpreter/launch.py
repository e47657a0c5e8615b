"""Runs: a module, its arguments, and the choices that a program may not depend on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from freehold.dialects.cuda_tile.dense import DenseElementsAttr
from freehold.dialects.cuda_tile.types import PointerType, TileType
from freehold.dialects.location import span_of
from freehold.dialects.names import users_name
from freehold.dialects.ownership import (
    Access,
    KernelOp,
    PartitionOp,
    RequireOp,
    Rung,
    TensorType,
    duties_of,
    scalar_symbols,
)
from freehold.runtime.interpreter.access import element, integer, text
from freehold.runtime.interpreter.arguments import (
    Bound,
    Parameter,
    array,
    bind,
    element_of_dtype,
    hold,
    regular,
    scalar,
    value_of,
)
from freehold.runtime.interpreter.breakpoints import Session
from freehold.runtime.interpreter.compile import Compiler, Step, reject
from freehold.runtime.interpreter.elements import Array, Element, by_name, element_of
from freehold.runtime.interpreter.errors import NoMeaning, UnfitArgument
from freehold.runtime.interpreter.machine import Machine, Memory, part_of, show
from freehold.runtime.interpreter.order import Order, arrange
from freehold.runtime.interpreter.ownership import DEFAULT_BLOCKS, Schedule, points_of, written
from freehold.runtime.interpreter.shapes import literal
from freehold.runtime.interpreter.table import EFFECTS, PURE
from freehold.runtime.interpreter.watch import Watch
from freehold.runtime.interpreter.windows import Window
from freehold.support import terms
from freehold.support.contract import FAILURE_SLOTS, FAILURE_WORDS, LaunchContract, ScalarParameter, TensorParameter
from freehold.support.report import Argument

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation, SSAValue

    from freehold.support.span import Span
    from freehold.support.terms import Term


def find(module: Operation, name: str, symbol: str | None, what: str) -> Operation:
    """The one operation of this name and symbol; `what` is the plural of its kind, for errors. Raises `Rejected`."""
    found = [op for op in module.walk() if op.name == name and symbol in (None, text(op, "sym_name"))]
    if len(found) != 1:
        which = "" if symbol is None else f" named @{symbol}"
        reject(NoMeaning(span_of(module), module.name, f"it holds {len(found)} {what}{which} where one is to be run"))
    return found[0]


@dataclass
class Kernel:
    """An ownership kernel, compiled once to be run often."""

    op: KernelOp
    compiler: Compiler
    body: Step
    parameters: tuple[Parameter, ...]
    checks: tuple[tuple[Term, Span | None], ...]
    """What is met on the launch rung: predicates, and where they are owed."""
    stores: frozenset[int]
    """The numbers of the arguments that may be stored to."""
    outputs: frozenset[int]
    """The numbers of the arguments that start uninitialised."""

    @staticmethod
    def of(module: ModuleOp, symbol: str | None = None, *, checked: bool = False, adversarial: bool = False) -> Kernel:
        """Compiles the kernel of an ownership module: the one named, or the only one. Raises `Rejected`."""
        op = find(module, "ownership.kernel", symbol, "kernels")
        assert isinstance(op, KernelOp)
        compiler = Compiler(PURE, EFFECTS, checked=checked, adversarial=adversarial)
        compiler.slots(op.body.block.args)
        parameters: list[Parameter] = []
        symbols = scalar_symbols(op.body.block.args)
        for n, argument in enumerate(op.body.block.args):
            name, type_ = users_name(argument) or f"arg{n}", argument.type
            dtype = op.dtype_names[n] if op.dtypes is not None else ""
            if isinstance(type_, TensorType):
                dims = tuple(type_.extent(axis) for axis in range(type_.rank))
                parameters.append(Parameter(name, element_of(type_.element), dims, dtype))
            else:
                parameters.append(Parameter(name, element(argument), None, dtype, symbols.get(argument, "")))
        arguments = op.body.block.args
        return Kernel(
            op,
            compiler,
            compiler.block(op.body.block),
            tuple(parameters),
            tuple(_launch_checks(op)),
            frozenset(written(arguments)),
            frozenset(n for n, argument in enumerate(arguments) if _starts_uninitialised(argument)),
        )

    def run(
        self,
        arguments: Sequence[object],
        *,
        blocks: int | None = None,
        order: Order = None,
        write: Callable[[str], None] = show,
    ) -> None:
        """Runs it on arrays, which it writes in place, and scalars. `write` takes what the kernel prints.

        In adversarial mode a number for `order` is also the seed of whatever else is left open. Raises `Rejected`:
        O520 and on.
        """
        name = self.op.sym_name.data
        bound = bind(name, self.parameters, arguments)
        for predicate, span in self.checks:
            hold(predicate, bound.symbols, span, name)
        machine = Machine(Memory(), schedule=Schedule(order, blocks), write=write, symbols=dict(bound.symbols))
        machine.session = Session()
        frame = list(self.compiler.template)
        frame[0] = machine
        arrays: list[tuple[Any, Array]] = []
        for n, window in self._windows(name, bound):
            frame[self.compiler.slot(self.op.body.block.args[n])] = window
            if isinstance(window, Window) and self.compiler.checked:
                assert window.array is not None
                arrays.append((part_of(window.name, window.array, n not in self.outputs), window.array))
        if self.compiler.checked:
            machine.memory.add(arrays)
            machine.watch = Watch(tokens=False)
        machine.adversary = self.compiler.adversary(order)
        with np.errstate(all="ignore"):
            self.body(frame)

    def _windows(self, kernel: str, bound: Bound) -> list[tuple[int, object]]:
        """The values of the arguments: a window for each array."""
        stores = self.stores
        values: list[Any] = list(bound.values)
        for n, value in enumerate(values):
            if isinstance(value, np.ndarray):
                _check_array(kernel, self.parameters[n].name, cast(Array, value), n in stores)
                if self.compiler.checked and not regular(cast(Array, value)):
                    values[n] = np.ascontiguousarray(cast(Array, value))
        targets = [values[n] for n in stores]
        result: list[tuple[int, object]] = []
        for n, (parameter, value) in enumerate(zip(self.parameters, values, strict=True)):
            if parameter.dims is None:
                result.append((n, value))
                continue
            constant = n not in stores and not any(np.may_share_memory(value, target) for target in targets)
            found = cast(Array, value)
            window = Window(
                parameter.name, found.ctypes.data, found.shape, found.strides, parameter.element, found, constant
            )
            result.append((n, window))
        return result


def _launch_checks(kernel: KernelOp) -> Iterator[tuple[Term, Span | None]]:
    for op in kernel.walk():
        if isinstance(op, RequireOp):
            yield op.condition, span_of(op)
        for duty in duties_of(op):
            if duty.rung is Rung.LAUNCH and duty.predicate is not None:
                yield duty.predicate, span_of(op)


def _starts_uninitialised(argument: SSAValue) -> bool:
    return any(
        isinstance(use.operation, PartitionOp) and use.operation.result.type.access.data is Access.OUT
        for use in argument.uses
    )


def _check_array(kernel: str, name: str, found: Array, stored: bool) -> None:
    if stored and not regular(found):
        reject(
            UnfitArgument(Argument(name, kernel), f"the strides {found.strides} of an output overlap or run backwards")
        )
    if stored and not found.flags.writeable:
        reject(UnfitArgument(Argument(name, kernel), "a read-only array cannot be an output"))


def run(
    module: ModuleOp,
    arguments: Sequence[object],
    *,
    symbol: str | None = None,
    blocks: int | None = None,
    order: Order = None,
    checked: bool = False,
    adversarial: bool = False,
    write: Callable[[str], None] = show,
) -> None:
    """Runs the kernel of an ownership module on NumPy arrays and scalars, in the order of its parameters.

    Arrays are written in place. `blocks` is the number of tile blocks of a persistent distribution; `order` is the
    order of blocks: `"increasing"`, `"decreasing"`, or a seed, which also mixes the turns of persistent blocks.
    `checked` finds races, uninitialised reads and undefined results; what is outside a tensor is found always.
    `adversarial` lets blocks take turns at accesses. `symbol` names the kernel where there are several. Raises
    `Rejected`.
    """
    kernel = Kernel.of(module, symbol, checked=checked, adversarial=adversarial)
    kernel.run(arguments, blocks=blocks, order=order, write=write)


@dataclass
class Entry:
    """A `cuda_tile` entry, compiled once to be run often."""

    module: Operation
    op: Operation
    compiler: Compiler
    body: Step

    @staticmethod
    def of(
        module: Operation,
        symbol: str | None = None,
        *,
        checked: bool = False,
        adversarial: bool = False,
        turns: int | None = None,
    ) -> Entry:
        """Compiles an entry: the one named, or the only one. Raises `Rejected`.

        `turns` is how many turns of loops its runs may take; behind them `TooManyTurns` is raised.
        """
        op = find(module, "cuda_tile.entry", symbol, "entries")
        compiler = Compiler(PURE, EFFECTS, checked=checked, adversarial=adversarial, turns=turns)
        block = op.regions[0].block
        compiler.slots(block.args)
        return Entry(module, op, compiler, compiler.block(block))

    @property
    def name(self) -> str:
        """The entry's symbol."""
        return text(self.op, "sym_name")

    def run(
        self,
        arguments: Sequence[object],
        grid: tuple[int, int, int] = (1, 1, 1),
        *,
        order: Order = None,
        outputs: frozenset[int] = frozenset(),
        names: Sequence[str] | None = None,
        write: Callable[[str], None] = show,
        only: Sequence[int] | None = None,
        watched: bool = False,
    ) -> None:
        """Runs every block of a grid on arguments in the entry's order: arrays for pointers, numbers for the rest.

        A list for a pointer to 64-bit integers is a table of such words: the addresses of its arrays, and its numbers.
        `outputs` are the numbers of arguments whose arrays start uninitialised. `only` are the blocks that run, in this
        order, where not all do. `watched` looks for races and for accesses without order, as checked mode does, and for
        nothing else. Raises `Rejected`: O520 and on.
        """
        block = self.op.regions[0].block
        if len(arguments) != len(block.args):
            what = f"{len(arguments)} arguments for {len(block.args)} parameters"
            reject(UnfitArgument(Argument(self.name, self.name), what))
        machine = Machine(Memory(), write=write)
        frame = list(self.compiler.template)
        frame[0] = machine
        arrays: list[tuple[Any, Array]] = []
        for n, (argument, value) in enumerate(zip(block.args, arguments, strict=True)):
            name = names[n] if names is not None else users_name(argument) or f"arg{n}"
            frame[self.compiler.slot(argument)] = self._value(name, argument.type, value, n in outputs, arrays)
        machine.memory.add(arrays)
        self._add_globals(machine)
        if self.compiler.checked or watched:
            casts = any(op.name in ("cuda_tile.ptr_to_ptr", "cuda_tile.int_to_ptr") for op in self.op.walk())
            machine.watch = Watch(tokens=True, any_size=casts)
        machine.grid = (np.int32(grid[0]), np.int32(grid[1]), np.int32(grid[2]))

        def under_way(number: int) -> Callable[[], None]:
            """A block with a frame and a machine of its own."""

            def work() -> None:
                place, label = _block_at(number, grid)
                own = list(frame)
                own[0] = block = machine.of_block(number, label)
                block.block = place
                self.body(own)

            return work

        machine.adversary = self.compiler.adversary(order)
        if machine.adversary is not None:
            machine.adversary.run(under_way(number) for number in arrange(prod(grid), order))
            return
        with np.errstate(all="ignore"):
            for number in arrange(prod(grid), order) if only is None else only:
                machine.block, label = _block_at(number, grid)
                machine.begin(number, label)
                self.body(frame)

    def _value(self, name: str, type_: object, value: object, output: bool, arrays: list[tuple[Any, Array]]) -> object:
        """The scalar of an argument; of arrays, which are added to `arrays`, the address."""
        assert isinstance(type_, TileType)
        if not isinstance(type_.element_type, PointerType):
            return scalar(self.name, name, value, element_of(type_.element_type))
        pointee = element_of(type_.element_type.pointee)
        given: object = value
        if isinstance(value, list) and pointee.bits == 64:
            given = self._table(name, cast("list[object]", value), arrays).view(pointee.dtype)
        found = array(self.name, name, given, pointee, None)
        self._add(name, found, output, arrays)
        return np.int64(found.ctypes.data)

    def _table(self, name: str, words: list[object], arrays: list[tuple[Any, Array]]) -> Array:
        """A table of 64-bit words: the addresses of its arrays, and its numbers."""
        numbers: list[int] = []
        for n, word in enumerate(words):
            if isinstance(word, np.ndarray):
                found = cast(Array, word)
                self._add(f"{name}[{n}]", found, False, arrays)
                numbers.append(found.ctypes.data)
            else:
                numbers.append(int(scalar(self.name, f"{name}[{n}]", word, by_name("i64"))))
        return np.array(numbers, np.int64)

    def _add(self, name: str, found: Array, output: bool, arrays: list[tuple[Any, Array]]) -> None:
        """Makes an array memory that may be accessed. One without elements is none."""
        if any(stride < 0 for stride, extent in zip(found.strides, found.shape, strict=True) if extent > 1):
            reject(UnfitArgument(Argument(name, self.name), f"the strides {found.strides} run backwards"))
        if found.size:
            arrays.append((part_of(name, found, not output), found))

    def _add_globals(self, machine: Machine) -> None:
        for op in self.module.walk():
            if op.name == "cuda_tile.global":
                value = literal(cast(DenseElementsAttr, op.properties["value"]))
                e: Element = element_of(cast(DenseElementsAttr, op.properties["value"]).type.element_type)
                data = np.ascontiguousarray(value).view(np.uint8)
                if e.bits == 4:
                    data = (data[0::2] & np.uint8(15)) | (data[1::2] << np.uint8(4))
                alignment = max(integer(op, "alignment"), 16)
                buffer = machine.memory.allocate(
                    f"@{text(op, 'sym_name')}", data.size, alignment, e.memory_bytes, initialised=True
                )
                buffer.data[: data.size] = data
                machine.globals[text(op, "sym_name")] = buffer.start


def _block_at(number: int, grid: tuple[int, int, int]) -> tuple[tuple[Any, Any, Any], str]:
    """The coordinates of a block of a grid, and what it is called in messages."""
    rest, x = divmod(number, grid[0])
    z, y = divmod(rest, grid[1])
    return (np.int32(x), np.int32(y), np.int32(z)), str(x) if grid[1] == grid[2] == 1 else f"({x}, {y}, {z})"


def run_tile(
    module: Operation,
    arguments: Sequence[object],
    grid: tuple[int, int, int] = (1, 1, 1),
    *,
    symbol: str | None = None,
    order: Order = None,
    checked: bool = False,
    adversarial: bool = False,
    write: Callable[[str], None] = show,
) -> None:
    """Runs an entry of a `cuda_tile` module: arrays for its pointers, which are written in place, numbers for the rest.

    A list is a table of 64-bit words: the addresses of its arrays, and its numbers. `symbol` names the entry where
    there are several. `order` is the order of blocks. Raises `Rejected`.
    """
    entry = Entry.of(module, symbol, checked=checked, adversarial=adversarial)
    entry.run(arguments, grid, order=order, write=write)


@dataclass(frozen=True, slots=True)
class EntryCall:
    """A call of a lowered kernel, worked out from its contract."""

    values: tuple[Any, ...]
    """The entry's arguments: arrays for pointers, numbers for the rest."""
    names: tuple[str, ...]
    outputs: frozenset[int]
    """The numbers of arguments whose arrays start uninitialised."""
    points: int
    """How many regions the grid has."""
    grid: tuple[int, int, int]
    """Its tile blocks along x, y and z, where each has a region of its own."""

    def raise_failure(self, contract: LaunchContract) -> None:
        """Raises `Rejected` (O233 to O235) if the kernel has written down that a check of it failed."""
        words = self.values[-1] if contract.kernel_checks else [0]
        if words[0] > 0:
            from freehold.runtime.errors.kernel_checks import failure_in

            numbers = [int(word) for word in words[::FAILURE_SLOTS]]
            reject(failure_in(contract.symbol, contract.kernel_checks, numbers))


def entry_call(contract: LaunchContract, arguments: Sequence[object], *, signed: bool = False) -> EntryCall:
    """The entry's arguments for the kernel's. Raises `Rejected` where they do not fit or a launch check fails.

    With `signed`, integers must have the contract's sign, which it has of kernels that say it (`KernelOp.dtypes`).
    """
    parameters = tuple(
        Parameter(
            p.name,
            element_of_dtype(p.dtype),
            tuple(terms.parse(d) for d in p.dims) if isinstance(p, TensorParameter) else None,
            p.dtype if signed else "",
            p.symbol if isinstance(p, ScalarParameter) else "",
        )
        for p in contract.parameters
    )
    bound = bind(contract.symbol, parameters, arguments)
    for p, value in zip(contract.parameters, bound.values, strict=True):
        if isinstance(p, TensorParameter):
            _check_array(contract.symbol, p.name, value, p.mode != "ref")
            _check_strides(contract.symbol, p, value)
    for check in contract.checks:
        hold(terms.parse(check.predicate), bound.symbols, check.span, contract.symbol)
    values: list[Any] = []
    names: list[str] = []
    outputs: set[int] = set()
    for entry in contract.entry:
        parameter = contract.parameters[entry.argument] if entry.argument >= 0 else None
        names.append(parameter.name if parameter is not None else entry.term or entry.kind)
        value = bound.values[entry.argument]
        match entry.kind:
            case "pointer":
                if isinstance(parameter, TensorParameter) and parameter.mode == "out":
                    outputs.add(len(values))
            case "extent":
                value = value_of(terms.parse(entry.term), bound.symbols)
            case "stride":
                value = value.strides[entry.axis] // value.dtype.itemsize * entry.scale
            case "scalar":
                pass
            case "failures":
                value = np.zeros(FAILURE_SLOTS * FAILURE_WORDS, np.int64)
        values.append(value)
    grid = [value_of(terms.parse(t), bound.symbols) or 0 for t in contract.grid]
    points = points_of(grid, None, persistent=contract.persistent)
    x, y, z = grid if contract.foreign is not None else (points, 1, 1)
    return EntryCall(tuple(values), tuple(names), frozenset(outputs), points, (x, y, z))


class Lowered:
    """A lowered kernel with its launch contract, compiled once to be run often."""

    def __init__(
        self, module: Operation, contract: LaunchContract, *, checked: bool = False, adversarial: bool = False
    ):
        self.contract = contract
        self.entry = Entry.of(module, contract.symbol, checked=checked, adversarial=adversarial)

    def run(
        self,
        arguments: Sequence[object],
        *,
        blocks: int | None = None,
        order: Order = None,
        write: Callable[[str], None] = show,
    ) -> None:
        """Runs it as the contract says, on the arguments of the kernel that it was lowered from.

        `blocks` is the number of tile blocks of a persistent kernel. Raises `Rejected`.
        """
        contract = self.contract
        call = entry_call(contract, arguments)
        size = min(call.points, blocks or contract.blocks or DEFAULT_BLOCKS) if contract.persistent else call.points
        grid = call.grid if contract.foreign is not None else (size, 1, 1)
        self.entry.run(call.values, grid, order=order, outputs=call.outputs, names=call.names, write=write)
        call.raise_failure(contract)


def run_entry(
    module: Operation,
    contract: LaunchContract,
    arguments: Sequence[object],
    *,
    blocks: int | None = None,
    order: Order = None,
    checked: bool = False,
    adversarial: bool = False,
    write: Callable[[str], None] = show,
) -> None:
    """`Lowered.run`, once."""
    kernel = Lowered(module, contract, checked=checked, adversarial=adversarial)
    kernel.run(arguments, blocks=blocks, order=order, write=write)


def _check_strides(kernel: str, p: TensorParameter, found: Array) -> None:
    """Static strides are in the code, so the array must have them."""
    for axis, wanted in enumerate(p.strides):
        stride = found.strides[axis] // found.dtype.itemsize
        if wanted and found.shape[axis] > 1 and stride != wanted:
            error = UnfitArgument(Argument(p.name, kernel), f"a stride of {stride} along axis {axis}")
            reject(error.add(error.Give(f"an array with a stride of {wanted} elements there")))
