"""What lowering carries along: the block being written, the function being read, the errors found so far."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from types import FunctionType
from typing import TYPE_CHECKING, Final, cast

from xdsl.ir import Attribute, Operation

from freehold.dialects.cuda_tile.dense import DenseElementsAttr
from freehold.dialects.cuda_tile.ops.conversion import TruncIOp
from freehold.dialects.cuda_tile.ops.shape import ConstantOp
from freehold.frontend import errors
from freehold.frontend.intrinsics import Intrinsic
from freehold.frontend.syntax import core
from freehold.frontend.syntax.text import number_in, primary
from freehold.frontend.typed import Block, Do, Place, Typed, Var, hint
from freehold.frontend.types import ELEMENTS, NARROW_INTS, tile_type
from freehold.frontend.values import POISON, Frame, Poison, TileValue, Unbound, Value
from freehold.support import dtypes
from freehold.support.diagnostic import Error
from freehold.support.dtypes import DType
from freehold.support.span import Span

if TYPE_CHECKING:
    from freehold.frontend.fingerprint import Read
    from freehold.frontend.kinds import Found


class Flow(Enum):
    """How a list of statements ends."""

    FALLS = auto()
    """The next statement follows, on some way at least."""
    LEAVES = auto()
    """Every way has left the loop's turn, by operations already written."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What the text of a kernel means. It stands above all that asks for it, so that is handed it with the context."""

    nodes: Mapping[type[core.Node], Callable[..., object]]
    """What lowers each kind of node."""
    statements: Callable[[Context, Sequence[core.Stmt]], Flow]
    inline: Callable[[Context, FunctionType, tuple[Value, ...], core.Expr], Value]
    apply: Callable[[Context, Value, Sequence[Value], core.Call, core.Expr], Value]
    methods: Mapping[str, Mapping[str, Intrinsic]]
    """The methods that the language declares: of tiles, regions, places in accumulators, and tensors by their mode."""


class Context:
    """The state of one lowering."""

    def __init__(
        self,
        kernel: str,
        rules: Rules,
    ):
        self.kernel = kernel
        self.methods: Final = rules.methods
        self._rules: Final = rules
        self.errors: list[Error] = []
        self.block = Block()
        """Where operations are appended."""
        self.body: Final = self.block
        """The block of the kernel itself: what comes before its points are handed out."""
        self.top = self.block
        """Where the statements are written that every point runs."""
        self.stored: set[str] = set()
        """The parameters that something is stored to."""
        self.rebound: dict[str, Error] = {}
        """Of tensors whose name is given to a tile: what is wrong with it if nothing is stored to them."""
        self.renamed: set[str] = set()
        """The names of tensors that are written, and are given to tiles."""
        self.scalars: dict[Var, DType] = {}
        """The dtypes of the numbers that the kernel is given."""
        self.frame: Frame = None  # type: ignore[assignment] # pyright: ignore[reportAttributeAccessIssue] -- set before anything is lowered
        self.here: core.Node = None  # type: ignore[assignment] # pyright: ignore[reportAttributeAccessIssue] -- as above
        """The node whose operations are being written."""
        self.breakpoints: list[Span] = []
        """Where `breakpoint()` is called."""
        self.reads: list[Read] = []
        """The functions and attributes of modules that the kernel is made of."""
        self.stepping = False
        """Whether every statement is a place to stop. Otherwise there is none."""
        self.folding = False
        """Whether the operations are those of a fold's function, which is applied in no order."""
        self.found: list[Found] = []
        """The loops that have been met in the body that is being typed, with what was found out about them."""
        self.expected: Sequence[Found] = ()
        """Those that were met when it was typed before."""

    # --- Places ------------------------------------------------------------------------------------------------------

    def span(self, node: core.Node) -> Span:
        """Where `node` stands, with the calls it was inlined through."""
        return self.frame.span(node.place)

    @property
    def place(self) -> Place:
        """Where the current node stands."""
        return self.frame, self.here.place

    def text(self, node: core.Node) -> str:
        """The user's text of an expression."""
        return self.frame.source.text(node.place)

    def primary(self, node: core.Expr) -> str:
        """The user's text of an expression, so that `.name` or `[...]` can follow."""
        ours = isinstance(node, core.Name) and core.is_hidden(node.id)
        return f"({self.text(node)})" if ours or isinstance(node, core.Constant) else primary(self.text(node))

    # --- Writing -----------------------------------------------------------------------------------------------------

    def add(self, make: Callable[..., Operation], *args: object, **data: object) -> Do:
        """Appends an operation that stands for the current node. Tiles go where it has operands, blocks for regions."""
        do = Do(make, tuple(map(_part, args)), data, self.place)
        self.block.add(do)
        return do

    def tile(
        self, dtype: DType, shape: tuple[int, ...], make: Callable[..., Operation], *args: object, **data: object
    ) -> TileValue:
        """Appends an operation that makes a tile of a dtype and shape, and that tile."""
        do = self.add(make, *args, **data)
        made = Var(do)
        do.results.append(made)
        return TileValue(made, dtype, shape)

    def tiles(
        self, kinds: Iterable[tuple[DType, tuple[int, ...]]], make: Callable[..., Operation], *args: object
    ) -> list[TileValue]:
        """Appends an operation that makes tiles of some dtypes and shapes, and those."""
        do = self.add(make, *args)
        made = [TileValue(Var(do), dtype, shape) for dtype, shape in kinds]
        do.results += [tile.var for tile in made]
        return made

    def handle(self, type_: Attribute, make: Callable[..., Operation], *args: object, **data: object) -> Typed:
        """Appends an operation that makes something that is owned, of a type, and that."""
        do = self.add(make, *args, **data)
        made = Typed(do, type_)
        do.results.append(made)
        return made

    def argument(self, block: Block, dtype: DType, shape: tuple[int, ...], name: str | None = None) -> TileValue:
        """A tile that a block is given."""
        return TileValue(block.argument(tile_type(shape, dtype), self.place, name), dtype, shape)

    def constant(
        self, value: bool | float, dtype: DType, shape: tuple[int, ...] = (), node: core.Node | None = None
    ) -> TileValue:
        """A tile filled with a number, which stands at `node`. Reports O031 where the number does not fit."""
        wide = NARROW_INTS.get(dtype, dtype)  # of which there are literals
        number = self.fitting(value, dtype, node)
        found = self.tile(wide, shape, ConstantOp, DenseElementsAttr.splat(tile_type(shape, wide), number))
        return found if wide is dtype else self.tile(dtype, shape, TruncIOp, found, ELEMENTS[dtype])

    def fitting(self, value: bool | float, dtype: DType, node: core.Node | None = None) -> bool | float:
        """A number as a literal of a dtype has it. Reports O031 at `node` where it does not fit."""
        if (held := dtypes.held(dtype, value)) is not None:
            self.does_not_fit(_shown(value), value, dtype, held, node or self.here)
            return 1.0 if dtype.is_float else 0
        if dtype.is_float:
            return float(value)
        number = int(value)
        if not dtype.signed and number > dtypes.bounds(dtype)[1] >> 1 and dtype.bits > 4:
            number -= 1 << dtype.bits  # the literal is read as signed, the bits are the same
        return number

    def does_not_fit(self, shown: str, value: float, dtype: DType, held: str, node: core.Node) -> Poison:
        """Reports a number that a dtype does not hold."""
        text = self.text(node)
        is_literal = number_in(text) is not None
        error = errors.DoesNotFit(self.span(node), value=text if is_literal else shown, dtype=str(dtype), held=held)
        wider = next((d for d in _WIDER[dtype.kind] if d.bits > dtype.bits and dtypes.held(d, value) is None), None)
        if wider is not None:
            error.add(error.Instead(f"compute in a wider dtype: `.astype({wider})`"))
        if dtype in dtypes.WITH_INFINITY:
            infinity = "float('inf')" if value > 0 else "float('-inf')"
            error.add(error.Instead(f"for infinity, write `{infinity}`", at=self.span(node) if is_literal else None))
        return self.error(error)

    def into(self, block: Block) -> _Into:
        """Appends to another block."""
        return _Into(self, block)

    # --- Reading -----------------------------------------------------------------------------------------------------

    def lower(self, node: core.Expr) -> Value:
        """The value of an expression."""
        outer, self.here = self.here, node
        try:
            value: Value = self._rules.nodes[type(node)](self, node)  # pyright: ignore[reportAssignmentType] -- handlers of expressions return values
        finally:
            self.here = outer
        # What is made of a mistake is left out of the kernel without a word, so somebody must have had one for it.
        assert value is not POISON or self.errors, f"nothing is said of {type(node).__name__} in {self.span(node)}"
        return value

    def statement(self, node: core.Stmt) -> Flow:
        """Writes a statement."""
        outer, self.here = self.here, node
        try:
            return self._rules.nodes[type(node)](self, node)  # pyright: ignore[reportReturnType] -- handlers of statements return how they end
        finally:
            self.here = outer

    def statements(self, nodes: Sequence[core.Stmt]) -> Flow:
        """Writes statements one after the other."""
        return self._rules.statements(self, nodes)

    def inline(self, function: FunctionType, args: tuple[Value, ...], node: core.Expr) -> Value:
        """A call of a host function that `node` stands for: a property, or an operator."""
        return self._rules.inline(self, function, args, node)

    def apply(self, function: Value, args: Sequence[Value], node: core.Call, place: core.Expr) -> Value:
        """Calls a function of the user's with values, as `reduce` does."""
        return self._rules.apply(self, function, args, node, place)

    def at(self, node: core.Node) -> _At:
        """Makes `node` the current one."""
        return _At(self, node)

    # --- Names -------------------------------------------------------------------------------------------------------

    def bind(self, name: str, value: Value) -> None:
        """Assigns a variable. The first name that a computed value gets is its name in the IR, too."""
        if isinstance(value, TileValue) and value.var.name_hint is None and not core.is_hidden(name):
            hint(value.var, name)
        self.frame.variables[name] = value

    # --- Errors ------------------------------------------------------------------------------------------------------

    def error(self, error: Error) -> Poison:
        """Records an error; what is to be used in place of the value that has none."""
        self.errors.append(error)
        return POISON

    def unbound(self, name: str, value: Unbound, node: core.Node) -> Poison:
        """Reports the use of a variable that does not exist on every way."""
        error = errors.Unbound(self.span(node), name=name, state=value.state, why=value.why, construct=value.construct)
        error.add(*(error.AssignedHere(span, what) for span, what in value.places))
        return self.error(error)


class _Into:
    """Another block, as long as it is open. A generator would take three times as long."""

    __slots__ = ("block", "c", "outer")

    def __init__(self, c: Context, block: Block):
        self.c = c
        self.block = block

    def __enter__(self) -> Block:
        self.outer, self.c.block = self.c.block, self.block
        return self.block

    def __exit__(self, *_: object) -> None:
        self.c.block = self.outer


class _At:
    """Another current node, as long as it is open."""

    __slots__ = ("c", "node", "outer")

    def __init__(self, c: Context, node: core.Node):
        self.c = c
        self.node = node

    def __enter__(self) -> None:
        self.outer, self.c.here = self.c.here, self.node

    def __exit__(self, *_: object) -> None:
        self.c.here = self.outer


_SEVERAL: Final = (list, tuple)


def _part(arg: object) -> object:
    """What a tile is in the typed core; in a list or tuple, too."""
    if isinstance(arg, TileValue):
        return arg.var
    if isinstance(arg, _SEVERAL):
        items = cast("list[object] | tuple[object, ...]", arg)
        return [_part(item) for item in items] if items and isinstance(items[0], TileValue | Var) else items
    return arg


def _shown(value: float) -> str:
    """A number in an error; Python refuses to write out integers of thousands of digits."""
    return f"an integer of {value.bit_length()} bits" if isinstance(value, int) and abs(value) >> 72 else str(value)


_WIDER: Final = {
    "bool": (),
    "int": (dtypes.i32, dtypes.i64, dtypes.u64),
    "float": (dtypes.f32, dtypes.f64),
}
"""What to compute in where numbers of a kind do not fit."""
