"""Classes that answer quickly what compilers ask all the time.

xDSL's attributes and operations are abstract classes, and Python asks an abstract class whether somebody has registered
the instance's class with it: that takes as long as a call in Python. Nobody registers anything with ours, so
`isinstance` asks no more than their bases. And where a field of an operation lies among its operands xDSL finds out by
four calls each time; here the field's property knows.
"""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from operator import attrgetter
from struct import pack, unpack
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    ArrayAttr,
    ArrayOfConstraint,
    BytesAttr,
    DenseArrayBase,
    FunctionType,
    IntAttr,
    IntegerType,
    ModuleOp,
    StringAttr,
    i32,
)
from xdsl.ir import Attribute, Block, Operation, OpResult, ParametrizedAttribute, Region, SSAValue, SSAValues, Use
from xdsl.irdl import AnyAttr, AnyOf, BaseAttr, IRDLOperation, RangeOf
from xdsl.irdl.operations import (
    BeforeVariadicSingleAccessor,
    OptionalAttrAccessor,
    SameOptionalAccessor,
    SingleAttrAccessor,
    UniqueVariadicAccessor,
    VariadicAttrAccessor,
    VarIRConstruct,
)
from xdsl.traits import OpTrait


class Plain(ABCMeta):
    """The metaclass of such classes, and of those derived from them."""

    if not TYPE_CHECKING:  # checkers believe that a class which answers by itself may answer anything
        __instancecheck__ = type.__instancecheck__

        def __setattr__(cls, name: str, value: object) -> None:
            """IRDL sets the fields of an operation's class one by one: those that have a quicker property get that."""
            super().__setattr__(name, _quick(value) or value)


def _quick(accessor: object) -> property | None:
    """A property that finds what IRDL's accessor finds; None for one that it has no quicker way for."""
    match accessor:
        case BeforeVariadicSingleAccessor(VarIRConstruct.OPERAND, n):
            return property(lambda op: nth(op._operands, n))
        case BeforeVariadicSingleAccessor(VarIRConstruct.RESULT, n):
            return property(lambda op: nth(op.results, n))
        case BeforeVariadicSingleAccessor(VarIRConstruct.REGION, n):
            return property(lambda op: op.regions[n])
        case SameOptionalAccessor(VarIRConstruct.OPERAND, n, fields):
            return property(lambda op: nth(op._operands, n) if len(op._operands) == fields else None)
        case SameOptionalAccessor(VarIRConstruct.RESULT, n, fields):
            return property(lambda op: nth(op.results, n) if len(op.results) == fields else None)
        case UniqueVariadicAccessor(VarIRConstruct.OPERAND, 0, 1):
            return property(lambda op: op._operands)
        case UniqueVariadicAccessor(VarIRConstruct.OPERAND, n, fields):
            return property(lambda op: op._operands[n : n + len(op._operands) - fields + 1])
        case SingleAttrAccessor(VarIRConstruct.OPERAND, n, option) if option.as_property:
            return property(lambda op: nth(op._operands, _bounds(op, n)[0]))
        case VariadicAttrAccessor(VarIRConstruct.OPERAND, n, option) if option.as_property:
            return property(lambda op: op._operands[slice(*_bounds(op, n))])
        case OptionalAttrAccessor(VarIRConstruct.OPERAND, n, option) if option.as_property:
            return property(lambda op: _optional(op, n))
        case _:
            return None


def _bounds(op: Any, field: int) -> tuple[int, int]:
    """Where the operands of a field begin and end, of an operation that says how many operands its fields have."""
    found = op.properties["operandSegmentSizes"]
    if found.elt_type is i32:
        return _between(found.data.data, field)
    sizes = found.get_values()
    start = sum(sizes[:field])
    return start, start + sizes[field]


@lru_cache(maxsize=4096)
def _between(data: bytes, field: int) -> tuple[int, int]:
    sizes = unpack(f"<{len(data) // 4}i", data)
    start = sum(sizes[:field])
    return start, start + sizes[field]


def _values(array: Any) -> tuple[Attribute, ...]:
    return array.data


def _optional(op: Any, field: int) -> Any:
    start, stop = _bounds(op, field)
    return None if start == stop else nth(op._operands, start)


nth: Final = tuple[Any, ...].__getitem__
"""Of the values of an operation: their own way asks what kind of index it is."""


class PlainOp(IRDLOperation, metaclass=Plain):
    """The base of operations. They are looked up by identity, as all of xDSL's, for which those take a call."""

    __hash__ = object.__hash__


put: Final = object.__setattr__
"""Sets a field of a frozen object. That has a dictionary only once somebody asks for it, and is slower with it."""


class PlainAttribute(ParametrizedAttribute, metaclass=Plain):
    """The base of attributes with parameters. What IRDL says of those is checked, and quickly where they are right."""

    def __init__(self, *parameters: Attribute):
        right = True
        for (name, kind, fits), value in zip(_rights(type(self)), parameters, strict=True):
            put(self, name, value)
            right = right and (type(value) is kind or fits(value))
        if not right:
            self.get_irdl_definition().verify(self)  # says what is wrong
        self.__post_init__()

    @classmethod
    def new(cls, params: Sequence[Attribute]) -> Self:
        """An attribute of parameters in the order of the class, whatever its constructor takes."""
        made = cls.__new__(cls)
        PlainAttribute.__init__(made, *params)
        return made

    def __post_init__(self) -> None:
        self.verify()

    def __init_subclass__(cls) -> None:
        """Every class has this hash, not that of a data class, which asks all parameters each time."""
        super().__init_subclass__()
        cls.__hash__ = PlainAttribute.__hash__

    def __hash__(self) -> int:
        found = getattr(self, "_hash", None)
        if found is None:
            found = hash(tuple([getattr(self, name) for name, *_ in _rights(type(self))]))
            put(self, "_hash", found)
        return found

    def __getstate__(self) -> dict[str, Any]:
        """Without what is kept for this process alone."""
        return {name: value for name, value in vars(self).items() if name[0] != "_"}


def string(text: str) -> StringAttr:
    """The attribute of a text. xDSL's constructor asks abstract classes about it, which takes several times as long."""
    return holding(StringAttr, text)


def array(values: Iterable[AttributeT]) -> ArrayAttr[AttributeT]:
    """The attribute of several: likewise."""
    return holding(ArrayAttr, tuple(values))


AttributeT = TypeVar("AttributeT", bound=Attribute)


def whole(value: int) -> IntAttr:
    """The attribute of a whole number: likewise."""
    return holding(IntAttr, value)


def octets(data: bytes) -> BytesAttr:
    """The attribute of bytes: likewise."""
    return holding(BytesAttr, data)


def packed(element: IntegerType, data: bytes) -> DenseArrayBase[IntegerType]:
    """The attribute of several integers of one type, as it keeps them: likewise."""
    made: Any = object.__new__(DenseArrayBase)
    put(made, "elt_type", element)
    put(made, "data", octets(data))
    return made


def numbers(values: Sequence[int]) -> DenseArrayBase[IntegerType]:
    """The attribute of several integers of 32 bits: likewise."""
    return packed(i32, pack(f"<{len(values)}i", *values))


def function_type(inputs: Iterable[Attribute], outputs: Iterable[Attribute]) -> FunctionType:
    """The type of a function: likewise."""
    made = object.__new__(FunctionType)
    put(made, "inputs", array(inputs))
    put(made, "outputs", array(outputs))
    return made


def holding(kind: type[Any], value: object) -> Any:
    """The attribute of a class that holds just this, which its class would find right."""
    made = object.__new__(kind)
    put(made, "data", value)
    return made


_Right = Callable[[Any], bool]


@cache
def _rights(kind: type[ParametrizedAttribute]) -> tuple[tuple[str, type[Attribute] | None, _Right], ...]:
    """For each parameter of a class the class whose values are right, if there is one, and whether any other value is;
    False where only IRDL's definition knows."""
    return tuple(
        (name, constraint.attr if isinstance(constraint, BaseAttr) else None, _right(constraint))
        for name, constraint in ((name, found.constr) for name, found in kind.get_irdl_definition().parameters)
    )


def _right(constraint: object) -> _Right:
    match constraint:
        case AnyAttr():
            return lambda value: True
        case BaseAttr(kind):
            return lambda value: isinstance(value, kind)
        case AnyOf(choices) if all(isinstance(choice, BaseAttr) for choice in choices):
            kinds = frozenset(choice.attr for choice in choices if isinstance(choice, BaseAttr))
            return lambda value: type(value) in kinds
        case ArrayOfConstraint(RangeOf(BaseAttr(kind))):
            return lambda value: isinstance(value, ArrayAttr) and all(isinstance(v, kind) for v in _values(value))
        case _:
            return lambda value: False


type_of: Final[Callable[[SSAValue], Attribute]] = attrgetter("_type")
"""The type of a value, by a function that is none in Python."""

operands_of: Final[Callable[[Operation], SSAValues]] = attrgetter("_operands")
"""The operands of an operation, as they are: xDSL's own are a view, made for each question, that can be written to."""


def ops_of(block: Block) -> list[Operation]:
    """The operations of a block, in order, as they are now. xDSL's own iterator makes two calls for each."""
    found: list[Operation] = []
    op: Any = block.first_op
    while op is not None:
        found.append(op)
        op = op._next_op
    return found


def walk(root: Operation) -> list[Operation]:
    """
    An operation and all inside it, outside in and in program order, as it is now, however deep that is.

    xDSL's own walk goes through three generators for each level of nesting.
    """
    found: list[Operation] = [root]
    waiting = _inside(root)
    while waiting:
        op: Any = waiting.pop()
        while op is not None:
            found.append(op)
            following = op._next_op
            if op.regions:
                waiting.append(following)
                waiting += _inside(op)
                break
            op = following
    return found


class Kinds(dict[type[Operation], bool]):
    """Whether operations are of some classes: `kinds[type(op)]`. Each class is asked once; an instance check asks each
    time, and of abstract classes it takes ten times as long."""

    def __init__(self, *kinds: type[Operation]):
        super().__init__()
        self.kinds = kinds

    def __missing__(self, kind: type[Operation]) -> bool:
        found = self[kind] = issubclass(kind, self.kinds)
        return found


OpT = TypeVar("OpT", bound=Operation)


def of_kind(root: Operation, *kinds: type[OpT]) -> list[OpT]:
    """Of an operation and all inside it those of some classes, in the order of `walk`."""
    known = _known(kinds)
    found: list[Any] = [op for op in walk(root) if known[type(op)]]
    return found


@cache
def _known(kinds: tuple[type[Operation], ...]) -> Kinds:
    return Kinds(*kinds)


def _inside(op: Operation) -> list[Operation | None]:
    """The first operations of the blocks inside an operation, the last block's first."""
    return [*map(_first_op, blocks_in(op))][::-1]


_first_op: Final[Callable[[Block], Operation | None]] = attrgetter("_first_op")


def blocks_in(op: Operation) -> list[Block]:
    """The blocks of an operation's regions, in order."""
    found: list[Block] = []
    for region in op.regions:
        block: Any = region
        block = block._first_block
        while block is not None:
            found.append(block)
            block = block._next_block
    return found


def region_of(block: Block) -> Region:
    """A new region of one block, which is new, too: nobody has to ask what is around them."""
    made: Any = Region()
    made._first_block = made._last_block = block
    block.parent = made
    return made


def build(
    op: Operation,
    operands: Sequence[SSAValue],
    result_types: Sequence[Attribute],
    properties: dict[str, Attribute],
    regions: Sequence[Region] = (),
) -> None:
    """
    Initialises an operation without IRDL's general, and much slower, handling of arguments.

    What a field may be is found out by verification. Whoever calls this gives every property that has a default.
    """
    made: Any = op
    made._operands = values = SSAValues(operands)
    uses: list[Use] = []
    value: Any
    for value in values:  # its operands were none before, so that there is nothing to take back first
        following = value.first_use
        use = value.first_use = Use(op, len(uses), None, following)
        if following is not None:
            following._prev_use = use
        uses.append(use)
    made._operand_uses = tuple(uses)
    if len(result_types) == 1:  # as most have
        op.results = SSAValues((OpResult(result_types[0], op, 0),))
    else:
        op.results = SSAValues([OpResult(type_, op, index) for index, type_ in enumerate(result_types)])
    op.properties = properties
    op.attributes = {}
    op.location = UNKNOWN_LOC
    op.regions = ()
    for region in regions:
        op.add_region(region)


def module_of(*ops: Operation) -> ModuleOp:
    """A module without a name that holds these new operations."""
    made = ModuleOp.__new__(ModuleOp)
    block = Block()
    append(block, ops)
    build(made, (), (), {}, [region_of(block)])
    return made


def set_hint(value: SSAValue, hint: str | None) -> None:
    """Calls a value so in text. What is a name is asked once for each."""
    named: Any = value
    named._name = _valid(hint)


_valid: Final = lru_cache(maxsize=4096)(SSAValue.extract_valid_name)


def replace_uses(old: SSAValue, new: SSAValue) -> None:
    """Has a value used instead of another one. xDSL's own way makes views and slices of operands for each use."""
    before: Any = old
    after: Any = new
    if before is after:
        return
    use, before.first_use = before.first_use, None
    while use is not None:
        following, first = use._next_use, after.first_use
        operands = [*use._operation._operands]
        operands[use._index] = after
        use._operation._operands = SSAValues(operands)
        use._prev_use, use._next_use, after.first_use = None, first, use
        if first is not None:
            first._prev_use = use
        use = following
    if after._name is None:
        after._name = before._name


def insert_before(op: Operation, anchor: Operation) -> None:
    """Puts an operation that stands nowhere in front of another one. That is not inside it: xDSL asks all around it."""
    after: Any = anchor
    _insert(op, after.parent, after._prev_op, after)


def insert_after(op: Operation, anchor: Operation) -> None:
    """Puts an operation that stands nowhere behind another one: likewise."""
    before: Any = anchor
    _insert(op, before.parent, before, before._next_op)


def _insert(op: Any, block: Any, before: Any, after: Any) -> None:
    """Puts an operation between neighbours of a block, of which one may be missing."""
    assert op.parent is None
    op.parent, op._prev_op, op._next_op = block, before, after
    if before is None:
        block._first_op = op
    else:
        before._next_op = op
    if after is None:
        block._last_op = op
    else:
        after._prev_op = op


def drop_arguments(block: Block, count: int) -> None:
    """Takes away the first arguments of a block, which nobody uses."""
    inside: Any = block
    if any(argument.first_use is not None for argument in inside._args[:count]):
        raise ValueError("an argument is taken away, and it is used")
    inside._args = inside._args[count:]
    for index, argument in enumerate(inside._args):
        argument.index = index


@cache
def has_trait(kind: type[Operation], trait: type[OpTrait], unregistered: bool = False) -> bool:
    """Whether operations of a class have a trait, which each class is asked once."""
    return kind.has_trait(trait, value_if_unregistered=unregistered)


def detach(op: Operation) -> None:
    """Takes an operation out of its block."""
    taken: Any = op
    block, before, after = taken.parent, taken._prev_op, taken._next_op
    taken.parent = taken._prev_op = taken._next_op = None
    if before is None:
        block._first_op = after
    else:
        before._next_op = after
    if after is None:
        block._last_op = before
    else:
        after._prev_op = before


def erase(op: Operation) -> None:
    """Takes an operation out of its block for good. Nobody uses its results: xDSL makes something to stand for each."""
    gone: Any = op
    for result in gone.results:
        if result.first_use is not None:
            raise ValueError(f"`{op.name}` is erased, and its results are used")
    detach(op)
    if gone.regions:
        op.drop_all_references()
        return
    for value, use in zip(gone._operands, gone._operand_uses, strict=True):
        value.remove_use(use)
    gone._operand_uses = ()


def append(block: Block, ops: Sequence[Operation]) -> None:
    """Adds new operations to a new block, which without the questions of xDSL: is it elsewhere, is this in it?"""
    if not ops:
        return
    inside: Any = block
    previous: Any = None
    for op in ops:
        made: Any = op
        made.parent = block
        if previous is not None:
            made._prev_op = previous
            previous._next_op = made
        previous = made
    inside._first_op, inside._last_op = ops[0], ops[-1]
