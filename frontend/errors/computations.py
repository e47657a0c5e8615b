"""What a kernel computes: dtypes and shapes, conditions and loops, values known at compile time."""

from __future__ import annotations

from typing import ClassVar

from freehold.support.diagnostic import Correctable, Error, Help, Label, Note


class WrongOperands(Correctable):
    """An operator or function was given operands that it has no meaning for."""

    code: ClassVar[str] = "O017"
    title: ClassVar[str] = "`{operator}` has no meaning for {operands}"
    label: ClassVar[str] = "{why}"
    operator: str
    operands: str
    why: str


class NoBroadcast(Correctable):
    """
    Two tiles are combined element by element when their shapes agree, or can be stretched to agree.

    As in NumPy, shapes are compared from the last axis; extents agree where they are equal or one of them is 1, and
    a missing axis counts as 1.
    """

    code: ClassVar[str] = "O018"
    title: ClassVar[str] = "shapes {left} and {right} cannot be combined"
    label: ClassVar[str] = "extents {a} and {b} differ, and neither is 1"
    left: str
    right: str
    a: int
    b: int


class NoPromotion(Error):
    """
    Two dtypes are combined in the smallest dtype that holds all values of both; some pairs have none.

    Integers of different signedness, f16 with bf16, and 8-bit floats are converted by hand, because every automatic
    choice loses something.
    """

    code: ClassVar[str] = "O019"
    title: ClassVar[str] = "`{left}` and `{right}` have no common dtype"
    label: ClassVar[str] = "{why}"
    left: str
    right: str
    why: str

    class Convert(Help):
        text: ClassVar[str] = "convert one of them: `{edit}`"
        edit: str


class IntegerDivision(Error):
    """`/` on integers would need a float dtype, and none is the right one for all; `//` divides and rounds down."""

    code: ClassVar[str] = "O020"
    title: ClassVar[str] = "`/` divides {left} by {right}"
    label: ClassVar[str] = "the dtype of the quotient is not determined"
    left: str
    right: str

    class Convert(Help):
        text: ClassVar[str] = "to keep fractions, convert first: `{edit}`"
        edit: str

    class RoundDown(Help):
        text: ClassVar[str] = "to round down: `{edit}`"
        edit: str


class NotConstant(Correctable):
    """
    Shapes, axes, dtypes and the like must be known when the kernel is compiled.

    Constants, `Const` parameters, tile shapes and host values that are none of the kernel's arguments are known;
    extents of tensors, scalars and tiles are not.
    """

    code: ClassVar[str] = "O021"
    title: ClassVar[str] = "{what} must be known at compile time"
    label: ClassVar[str] = "{why}"
    what: str
    why: str

    class MakeConst(Help):
        text: ClassVar[str] = "make the parameter a compile-time one: `{name}: Const[{type}]`"
        name: str
        type: str


class BadShape(Correctable):
    """The extents of a tile are powers of two, at least 1, and no tile has more than 16777216 elements."""

    code: ClassVar[str] = "O022"
    title: ClassVar[str] = "{shape} is no shape of a tile"
    label: ClassVar[str] = "{why}"
    shape: str
    why: str


class WrongRank(Correctable):
    """An index, a shape or a permutation has one entry for each axis of what it is applied to."""

    code: ClassVar[str] = "O023"
    title: ClassVar[str] = "{what} has {given}, and `{of}` has {rank}"
    label: ClassVar[str] = "one entry an axis is needed"
    what: str
    given: str
    of: str
    rank: str


class ConditionNotScalar(Correctable):
    """A tile block takes one way through `if`, `while` and `and`, so their conditions are single truth values."""

    code: ClassVar[str] = "O024"
    title: ClassVar[str] = "{what} cannot decide {construct}"
    label: ClassVar[str] = "one truth value is needed"
    what: str
    construct: str


class TypeChanges(Correctable):
    """
    A variable that a loop carries from turn to turn has one type, that with which it enters the loop.

    A Python number enters as `i32` or `f32`.
    """

    code: ClassVar[str] = "O025"
    title: ClassVar[str] = "`{name}` changes its type in the loop: {before} before, {after} after a turn"
    label: ClassVar[str] = "here it becomes {after}"
    name: str
    before: str
    after: str

    class Enters(Label):
        text: ClassVar[str] = "`{name}` enters this loop as {before}"
        name: str
        before: str


class MmaTypes(Correctable):
    """
    Tensor cores multiply certain dtypes, into certain accumulators.

    bf16, f32 and tf32 accumulate in f32; f16 and 8-bit floats in f16 or f32; f64 in f64; i8 and u8 in i32. `mma_scaled`
    multiplies 8-bit floats and f4e2m1fn, into f32.
    """

    code: ClassVar[str] = "O026"
    title: ClassVar[str] = "`{function}` cannot multiply `{a}` by `{b}` into `{acc}`"
    label: ClassVar[str] = "{why}"
    a: str
    b: str
    acc: str
    why: str
    function: str = "mma"


class MmaShapes(Correctable):
    """`mma(a, b, acc)` takes `(M, K)`, `(K, N)` and `(M, N)`, or each with one and the same batch axis before."""

    code: ClassVar[str] = "O027"
    title: ClassVar[str] = "`{function}` cannot multiply {a} by {b} into {acc}"
    label: ClassVar[str] = "{why}"
    a: str
    b: str
    acc: str
    why: str
    function: str = "mma"


class MmaScales(Correctable):
    """
    `mma_scaled` takes a tile of scales for each operand: one scale for some consecutive elements along the inner axis.

    8-bit floats are scaled by f8e8m0fnu, 32 elements at a time; f4e2m1fn by f8e8m0fnu or f8e5m3fnu, 16 or 32 elements
    at a time, or by f8e4m3fn, 16 at a time. With `a` of shape `(M, K)` and blocks of 32, its scales are `(M, K // 32)`;
    those of `b`, which is `(K, N)`, are `(K // 32, N)`. Both operands are scaled by one dtype, in blocks of one size.
    """

    code: ClassVar[str] = "O043"
    title: ClassVar[str] = "`mma_scaled` cannot scale `{operand}`, {tile}, by {scale}"
    label: ClassVar[str] = "{why}"
    operand: str
    tile: str
    scale: str
    why: str


class StoreShape(Correctable):
    """A store writes a whole region, so the tile has the region's shape or one that broadcasts to it."""

    code: ClassVar[str] = "O028"
    title: ClassVar[str] = "a tile of shape {tile} cannot be stored in a region of `{name}`, which is {region}"
    label: ClassVar[str] = "this tile is {tile}"
    tile: str
    name: str
    region: str


class NoAxis(Error):
    """Axes count from 0, or from -1 backwards from the last."""

    code: ClassVar[str] = "O029"
    title: ClassVar[str] = "{what} has no axis {axis}"
    label: ClassVar[str] = "{axes}"
    what: str
    axis: int
    axes: str


class StaticAssertion(Error):
    """
    A `static_assert` in the kernel, or an `assert` whose condition is known at compile time, does not hold; or a
    `raise` is reached as the kernel is compiled.
    """

    code: ClassVar[str] = "O030"
    title: ClassVar[str] = "{message}"
    label: ClassVar[str] = "{what} in this variant of the kernel"
    message: str
    what: str = "this does not hold"

    class Values(Note):
        text: ClassVar[str] = "in this variant {values}"
        values: str


class DoesNotFit(Correctable):
    """A constant is outside the range of the dtype it is used as."""

    code: ClassVar[str] = "O031"
    title: ClassVar[str] = "{value} does not fit in `{dtype}`"
    label: ClassVar[str] = "`{dtype}` holds {held}"
    value: str
    dtype: str
    held: str


class TensorAsValue(Correctable):
    """A tensor lies in memory; only a tile that was loaded from it can be computed with."""

    code: ClassVar[str] = "O033"
    title: ClassVar[str] = "tensor `{name}` is used as a value"
    label: ClassVar[str] = "only tiles are computed with"
    name: str

    class LoadFirst(Help):
        text: ClassVar[str] = "load a tile first: `{edit}`"
        edit: str


class NotIterable(Correctable):
    """A `for` runs over `tiles(...)`, `range(...)`, `static_range(...)` or a tuple."""

    code: ClassVar[str] = "O035"
    title: ClassVar[str] = "a `for` cannot run over {what}"
    label: ClassVar[str] = "neither `tiles(...)`, nor `range(...)`, nor a tuple"
    what: str


class Unpacking(Correctable):
    """An assignment to several names takes a tuple of as many values."""

    code: ClassVar[str] = "O036"
    title: ClassVar[str] = "{what} cannot be unpacked into {names}"
    label: ClassVar[str] = "{needed}"
    what: str
    names: str
    """`2 names`, `one name`."""
    needed: str
    """`2 values are needed`."""


class TooLong(Correctable):
    """
    A loop over static values is unrolled, and helper functions are inlined: the kernel would have too many operations.

    The limits are 1000 turns of one loop, and 64 calls within each other.
    """

    code: ClassVar[str] = "O037"
    title: ClassVar[str] = "{what}"
    label: ClassVar[str] = "{why}"
    what: str
    why: str


class ControlFlow(Correctable):
    """`return`, `break` and `continue` stand where the kernel's control flow can be written as nested blocks."""

    code: ClassVar[str] = "O040"
    title: ClassVar[str] = "{what} cannot stand {where}"
    label: ClassVar[str] = "{why}"
    what: str
    where: str
    why: str


class ArithmeticFails(Correctable):
    """Arithmetic on compile-time values was carried out while compiling, and Python refused it."""

    code: ClassVar[str] = "O041"
    title: ClassVar[str] = "{what}"
    label: ClassVar[str] = "computed at compile time"
    what: str


class WrongValue(Correctable):
    """Something stands where only a value of another kind can: a text for a dtype, a float for an index."""

    code: ClassVar[str] = "O042"
    title: ClassVar[str] = "{what} cannot be {role}"
    label: ClassVar[str] = "{why}"
    what: str
    role: str
    why: str
