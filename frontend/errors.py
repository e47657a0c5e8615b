"""Errors about a kernel's source (O0xx): what of Python a kernel may use, and how tiles may be combined."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from freehold.support.diagnostic import Error, Help, Label, Note

# --- The function and its signature ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class NoSource(Error):
    """
    A kernel is compiled from its source text, and this one's text cannot be found.

    Python keeps no text of functions. It is found again by the file and line that the function remembers: in files,
    in notebooks, in Python's and IPython's shells. It is lost for code run with `exec` or `python -c` from a string,
    where the file was changed or removed after it was imported, or where only `.pyc` files are installed.
    """

    code: ClassVar[str] = "O001"
    title: ClassVar[str] = "the source of kernel `{name}` cannot be found"
    notes: ClassVar[tuple[str, ...]] = ("Python says it was defined in `{file}`, line {line}, and {why}",)
    helps: ClassVar[tuple[str, ...]] = (
        "define the kernel in a file or a notebook cell",
        "or, for generated code, register its text under the name it is compiled with: "
        "`freehold.register_source(name, text); exec(compile(text, name, 'exec'))`",
    )
    name: str
    file: str
    line: int
    why: str


@dataclass(frozen=True)
class Unsupported(Error):
    """
    A kernel is written in a part of Python, and this is not in it.

    What is not listed in docs/language.md is refused by name, with what to write instead; nothing is skipped or
    given another meaning. All uses in a kernel are reported at once.
    """

    code: ClassVar[str] = "O002"
    title: ClassVar[str] = "{what} cannot be used in a kernel"
    label: ClassVar[str] = "{why}"
    what: str
    why: str

    @dataclass(frozen=True)
    class Instead(Help):
        text: ClassVar[str] = "{edit}"
        edit: str


@dataclass(frozen=True)
class AnnotationMissing(Error):
    """
    Every parameter of a kernel says by its annotation what it is.

    `Ref`, `Mut` and `Out` are tensors that the kernel reads, updates or writes; a dtype such as `f32` is a scalar;
    `Const[int]` is a value known when the kernel is compiled. The annotation is what the proofs rest on, so there is
    no default.
    """

    code: ClassVar[str] = "O003"
    title: ClassVar[str] = "parameter `{name}` has no annotation"
    label: ClassVar[str] = "what `{name}` is must be declared"
    helps: ClassVar[tuple[str, ...]] = (
        "a tensor that is read: `{name}: Ref`; updated: `{name}: Mut`; written: `{name}: Out`",
        "a scalar: `{name}: f32`; a value known at compile time: `{name}: Const[int]`",
    )
    name: str


@dataclass(frozen=True)
class AnnotationUnknown(Error):
    """
    The annotation of a kernel's parameter is none of those that Freehold knows.

    A kernel's parameter is a tensor (`Ref`, `Mut`, `Out`), a scalar (a dtype such as `f32`, or `int`, `float`,
    `bool`), or a compile-time value (`Const[T]`).
    """

    code: ClassVar[str] = "O004"
    title: ClassVar[str] = "parameter `{name}` is annotated with `{annotation}`, which no kernel's parameter can be"
    label: ClassVar[str] = "not a tensor, a scalar or a `Const`"
    helps: ClassVar[tuple[str, ...]] = (
        "an array is a `Ref` (read), a `Mut` (updated) or an `Out` (written): `{name}: Ref`",
        "a value known at compile time is a `Const`: `{name}: Const[int]`",
    )
    name: str
    annotation: str


@dataclass(frozen=True)
class AnnotationUnreadable(Error):
    """
    The annotation of a kernel's parameter is text (because of `from __future__ import annotations`, or of quotes),
    and evaluating it where the kernel is defined failed.

    Names in such an annotation must be global, or be used in the kernel's body, too: Python keeps no others of an
    enclosing function.
    """

    code: ClassVar[str] = "O005"
    title: ClassVar[str] = "the annotation `{annotation}` of parameter `{name}` cannot be evaluated"
    label: ClassVar[str] = "{why}"
    helps: ClassVar[tuple[str, ...]] = ("import the names in `{annotation}` at the top of the file",)
    name: str
    annotation: str
    why: str


@dataclass(frozen=True)
class DimensionUnknown(Error):
    """
    A dimension in an annotation is a positive number, a name, or an expression of names.

    `Ref["B", "H // G", 64]`: names are equal extents wherever they stand. Expressions use `+ - * // %`, `min`, `max`
    and `ceildiv`. A dtype, if there is one, stands first.
    """

    code: ClassVar[str] = "O006"
    title: ClassVar[str] = "{dimension} is no dimension of `{name}`"
    label: ClassVar[str] = "dimensions are positive numbers, names, or expressions of names"
    helps: ClassVar[tuple[str, ...]] = ('name the axes: `{name}: Ref["M", "K"]`',)
    name: str
    dimension: str


@dataclass(frozen=True)
class VariadicParameter(Error):
    """A kernel has a fixed number of parameters: each has its own mode and its own proofs."""

    code: ClassVar[str] = "O007"
    title: ClassVar[str] = "a kernel cannot take `{star}{name}`"
    label: ClassVar[str] = "the number of a kernel's parameters is fixed"
    helps: ClassVar[tuple[str, ...]] = ("write the parameters out: `{name}_0: Ref, {name}_1: Ref`",)
    name: str
    star: str


@dataclass(frozen=True)
class TensorDefault(Error):
    """A tensor is given by every call: a default would be shared by launches that know nothing of each other."""

    code: ClassVar[str] = "O008"
    title: ClassVar[str] = "tensor parameter `{name}` has a default"
    label: ClassVar[str] = "every call gives its own tensor"
    helps: ClassVar[tuple[str, ...]] = ("remove the default of `{name}`",)
    name: str


@dataclass(frozen=True)
class NoSuchScalar(Error):
    """Some dtypes exist in tiles only (`tf32`): they cannot be passed to a kernel or lie in memory."""

    code: ClassVar[str] = "O009"
    title: ClassVar[str] = "parameter `{name}` cannot have dtype `{dtype}`: it exists in tiles only"
    label: ClassVar[str] = "`{dtype}` has no form in memory"
    helps: ClassVar[tuple[str, ...]] = ("pass f32 and convert in the kernel: `{name}: f32`, then `.astype({dtype})`",)
    name: str
    dtype: str


# --- Names -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class UndefinedName(Error):
    """A name in a kernel is a parameter, a variable assigned before, a name of the file, or a builtin of Python."""

    code: ClassVar[str] = "O010"
    title: ClassVar[str] = "`{name}` is not defined"
    label: ClassVar[str] = "no variable, parameter or global has this name"
    name: str

    @dataclass(frozen=True)
    class DidYouMean(Help):
        text: ClassVar[str] = "write `{other}`"
        other: str

    @dataclass(frozen=True)
    class Import(Help):
        text: ClassVar[str] = "import it: `from freehold import {other}`"
        other: str


@dataclass(frozen=True)
class Unbound(Error):
    """
    A variable is used where, on some way through the kernel, it has not been assigned, or not with one type.

    A loop may run no turn at all, and only one branch of an `if` is taken; what is used afterwards must exist, with
    one dtype and shape, on every way.
    """

    code: ClassVar[str] = "O011"
    title: ClassVar[str] = "`{name}` may not be {state} here"
    label: ClassVar[str] = "{why}"
    helps: ClassVar[tuple[str, ...]] = ("assign `{name}` before the {construct}",)
    name: str
    state: str
    why: str
    construct: str

    @dataclass(frozen=True)
    class AssignedHere(Label):
        text: ClassVar[str] = "{what}"
        what: str


@dataclass(frozen=True)
class NoAttribute(Error):
    """Tiles, tensors and modules have the attributes that docs/language.md lists; others are refused by name."""

    code: ClassVar[str] = "O012"
    title: ClassVar[str] = "{what} has no attribute `{attribute}`"
    label: ClassVar[str] = "it has {known}"
    what: str
    attribute: str
    known: str

    @dataclass(frozen=True)
    class Instead(Help):
        text: ClassVar[str] = "{edit}"
        edit: str


@dataclass(frozen=True)
class WrongArguments(Error):
    """The arguments of a call do not fit what is called: too many, too few, an unknown keyword, a wrong kind."""

    code: ClassVar[str] = "O013"
    title: ClassVar[str] = "`{function}` {problem}"
    label: ClassVar[str] = "called as `{signature}`"
    function: str
    problem: str
    signature: str

    @dataclass(frozen=True)
    class Instead(Help):
        text: ClassVar[str] = "{edit}"
        edit: str


@dataclass(frozen=True)
class NotCallable(Error):
    """
    Only functions of the language, and Python functions whose source can be compiled, are called in a kernel.

    Functions of NumPy, torch or Python's library run on the host and cannot take tiles.
    """

    code: ClassVar[str] = "O014"
    title: ClassVar[str] = "`{name}` cannot be called in a kernel"
    label: ClassVar[str] = "{why}"
    name: str
    why: str

    @dataclass(frozen=True)
    class Instead(Help):
        text: ClassVar[str] = "{edit}"
        edit: str


@dataclass(frozen=True)
class Recursion(Error):
    """Helper functions are inlined, so none may call itself, directly or through others."""

    code: ClassVar[str] = "O015"
    title: ClassVar[str] = "`{name}` calls itself"
    label: ClassVar[str] = "this call is inlined, and would be without end"
    helps: ClassVar[tuple[str, ...]] = ("write the recursion as a loop: `for` or `while`",)
    name: str


@dataclass(frozen=True)
class OutsideKernel(Error):
    """The functions of the language describe work on a GPU; they mean something in a kernel's source only."""

    code: ClassVar[str] = "O016"
    title: ClassVar[str] = "`freehold.{name}` was called outside a kernel"
    notes: ClassVar[tuple[str, ...]] = ("it has a meaning only in a function decorated with `@freehold.kernel`, "
                                        "or in a helper that such a function calls",)  # fmt: skip
    helps: ClassVar[tuple[str, ...]] = ("decorate the function that calls it: `@freehold.kernel`",)
    name: str


# --- Types -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class WrongOperands(Error):
    """An operator or function was given operands that it has no meaning for."""

    code: ClassVar[str] = "O017"
    title: ClassVar[str] = "`{operator}` has no meaning for {operands}"
    label: ClassVar[str] = "{why}"
    operator: str
    operands: str
    why: str

    @dataclass(frozen=True)
    class Instead(Help):
        text: ClassVar[str] = "{edit}"
        edit: str


@dataclass(frozen=True)
class NoBroadcast(Error):
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

    @dataclass(frozen=True)
    class Instead(Help):
        text: ClassVar[str] = "{edit}"
        edit: str


@dataclass(frozen=True)
class NoPromotion(Error):
    """
    Two dtypes are combined in the smallest dtype that holds all values of both; some pairs have none.

    Integers of different signedness, f16 with bf16, and 8-bit floats are converted by hand, because every automatic
    choice loses something.
    """

    code: ClassVar[str] = "O019"
    title: ClassVar[str] = "`{left}` and `{right}` have no common dtype"
    label: ClassVar[str] = "{why}"
    helps: ClassVar[tuple[str, ...]] = ("convert one of them: `.astype({target})`",)
    left: str
    right: str
    why: str
    target: str


@dataclass(frozen=True)
class IntegerDivision(Error):
    """`/` on integers would need a float dtype, and none is the right one for all; `//` divides and rounds down."""

    code: ClassVar[str] = "O020"
    title: ClassVar[str] = "`/` divides {left} by {right}"
    label: ClassVar[str] = "the dtype of the quotient is not determined"
    helps: ClassVar[tuple[str, ...]] = (
        "divide and round down: `{edit}`",
        "or convert first: `{a}.astype(f32) / {b}`",
    )
    left: str
    right: str
    edit: str
    a: str
    b: str


@dataclass(frozen=True)
class NotConstant(Error):
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

    @dataclass(frozen=True)
    class MakeConst(Help):
        text: ClassVar[str] = "make the parameter a compile-time one: `{name}: Const[{type}]`"
        name: str
        type: str

    @dataclass(frozen=True)
    class Instead(Help):
        text: ClassVar[str] = "{edit}"
        edit: str


@dataclass(frozen=True)
class BadShape(Error):
    """The extents of a tile are powers of two, at least 1, and no tile has more than 16777216 elements."""

    code: ClassVar[str] = "O022"
    title: ClassVar[str] = "{shape} is no shape of a tile"
    label: ClassVar[str] = "{why}"
    shape: str
    why: str

    @dataclass(frozen=True)
    class Instead(Help):
        text: ClassVar[str] = "{edit}"
        edit: str


@dataclass(frozen=True)
class WrongRank(Error):
    """An index, a shape or a permutation has one entry for each axis of what it is applied to."""

    code: ClassVar[str] = "O023"
    title: ClassVar[str] = "{what} has {given}, and `{of}` has {rank}"
    label: ClassVar[str] = "one entry an axis is needed"
    what: str
    given: str
    of: str
    rank: str

    @dataclass(frozen=True)
    class Instead(Help):
        text: ClassVar[str] = "{edit}"
        edit: str


@dataclass(frozen=True)
class ConditionNotScalar(Error):
    """A tile block takes one way through `if`, `while` and `and`, so their conditions are single truth values."""

    code: ClassVar[str] = "O024"
    title: ClassVar[str] = "{what} cannot decide {construct}"
    label: ClassVar[str] = "one truth value is needed"
    what: str
    construct: str

    @dataclass(frozen=True)
    class Instead(Help):
        text: ClassVar[str] = "{edit}"
        edit: str


@dataclass(frozen=True)
class TypeChanges(Error):
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

    @dataclass(frozen=True)
    class Enters(Label):
        text: ClassVar[str] = "`{name}` enters this loop as {before}"
        name: str
        before: str

    @dataclass(frozen=True)
    class Instead(Help):
        text: ClassVar[str] = "{edit}"
        edit: str


@dataclass(frozen=True)
class MmaTypes(Error):
    """
    Tensor cores multiply certain dtypes, into certain accumulators.

    bf16, f32 and tf32 accumulate in f32; f16 and 8-bit floats in f16 or f32; f64 in f64; i8 and u8 in i32.
    """

    code: ClassVar[str] = "O026"
    title: ClassVar[str] = "`mma` cannot multiply `{a}` by `{b}` into `{acc}`"
    label: ClassVar[str] = "{why}"
    a: str
    b: str
    acc: str
    why: str

    @dataclass(frozen=True)
    class Instead(Help):
        text: ClassVar[str] = "{edit}"
        edit: str


@dataclass(frozen=True)
class MmaShapes(Error):
    """`mma(a, b, acc)` takes `(M, K)`, `(K, N)` and `(M, N)`, or each with one and the same batch axis before."""

    code: ClassVar[str] = "O027"
    title: ClassVar[str] = "`mma` cannot multiply {a} by {b} into {acc}"
    label: ClassVar[str] = "{why}"
    a: str
    b: str
    acc: str
    why: str

    @dataclass(frozen=True)
    class Instead(Help):
        text: ClassVar[str] = "{edit}"
        edit: str


@dataclass(frozen=True)
class StoreShape(Error):
    """A store writes a whole region, so the tile has the region's shape or one that broadcasts to it."""

    code: ClassVar[str] = "O028"
    title: ClassVar[str] = "a tile of shape {tile} cannot be stored in a region of `{name}`, which is {region}"
    label: ClassVar[str] = "this tile is {tile}"
    tile: str
    name: str
    region: str

    @dataclass(frozen=True)
    class Instead(Help):
        text: ClassVar[str] = "{edit}"
        edit: str


@dataclass(frozen=True)
class NoAxis(Error):
    """Axes count from 0, or from -1 backwards from the last."""

    code: ClassVar[str] = "O029"
    title: ClassVar[str] = "{what} has no axis {axis}"
    label: ClassVar[str] = "{axes}"
    what: str
    axis: int
    axes: str


@dataclass(frozen=True)
class StaticAssertion(Error):
    """A `static_assert` in the kernel, or an `assert` whose condition is known at compile time, does not hold."""

    code: ClassVar[str] = "O030"
    title: ClassVar[str] = "{message}"
    label: ClassVar[str] = "this does not hold in this variant of the kernel"
    message: str

    @dataclass(frozen=True)
    class Values(Note):
        text: ClassVar[str] = "in this variant {values}"
        values: str


@dataclass(frozen=True)
class DoesNotFit(Error):
    """A constant is outside the range of the dtype it is used as."""

    code: ClassVar[str] = "O031"
    title: ClassVar[str] = "{value} does not fit in `{dtype}`"
    label: ClassVar[str] = "`{dtype}` holds {low} to {high}"
    value: str
    dtype: str
    low: int
    high: int

    @dataclass(frozen=True)
    class Instead(Help):
        text: ClassVar[str] = "{edit}"
        edit: str


@dataclass(frozen=True)
class ReturnsValue(Error):
    """A kernel returns nothing: its results are what it stores."""

    code: ClassVar[str] = "O032"
    title: ClassVar[str] = "kernel `{name}` returns a value"
    label: ClassVar[str] = "a kernel's results are what it stores"
    helps: ClassVar[tuple[str, ...]] = ("store it: `{edit}`",)
    name: str
    edit: str


@dataclass(frozen=True)
class TensorAsValue(Error):
    """A tensor lies in memory; only a tile that was loaded from it can be computed with."""

    code: ClassVar[str] = "O033"
    title: ClassVar[str] = "tensor `{name}` is used as a value"
    label: ClassVar[str] = "only tiles are computed with"
    helps: ClassVar[tuple[str, ...]] = ("load a tile first: `{edit}`",)
    name: str
    edit: str


@dataclass(frozen=True)
class HostValue(Error):
    """
    A kernel sees host values that never change: numbers, strings, tuples, dtypes, enums, frozen dataclasses,
    functions and modules. Arrays and other objects are given as arguments.
    """

    code: ClassVar[str] = "O034"
    title: ClassVar[str] = "`{name}`, {what}, cannot be used in a kernel"
    label: ClassVar[str] = "its value could change, or lies in host memory"
    name: str
    what: str

    @dataclass(frozen=True)
    class Instead(Help):
        text: ClassVar[str] = "{edit}"
        edit: str


@dataclass(frozen=True)
class NotIterable(Error):
    """A `for` runs over `tiles(...)`, `range(...)`, `static_range(...)` or a tuple."""

    code: ClassVar[str] = "O035"
    title: ClassVar[str] = "a `for` cannot run over {what}"
    label: ClassVar[str] = "neither `tiles(...)`, nor `range(...)`, nor a tuple"
    what: str

    @dataclass(frozen=True)
    class Instead(Help):
        text: ClassVar[str] = "{edit}"
        edit: str


@dataclass(frozen=True)
class Unpacking(Error):
    """An assignment to several names takes a tuple of as many values."""

    code: ClassVar[str] = "O036"
    title: ClassVar[str] = "{what} cannot be unpacked into {names} names"
    label: ClassVar[str] = "{names} values are needed"
    what: str
    names: int

    @dataclass(frozen=True)
    class Instead(Help):
        text: ClassVar[str] = "{edit}"
        edit: str


@dataclass(frozen=True)
class TooLong(Error):
    """
    A loop over static values is unrolled, and helper functions are inlined: the kernel would have too many operations.

    The limits are 1000 turns of one loop, and 64 calls within each other.
    """

    code: ClassVar[str] = "O037"
    title: ClassVar[str] = "{what}"
    label: ClassVar[str] = "{why}"
    what: str
    why: str

    @dataclass(frozen=True)
    class Instead(Help):
        text: ClassVar[str] = "{edit}"
        edit: str


@dataclass(frozen=True)
class NoPartition(Error):
    """
    A kernel writes the regions of a partition of its outputs, and that partition is also what makes its grid.

    At least one argument is partitioned, every `Mut` and `Out` is, and no `Ref` is.
    """

    code: ClassVar[str] = "O038"
    title: ClassVar[str] = "{what}"
    label: ClassVar[str] = "{why}"
    what: str
    why: str

    @dataclass(frozen=True)
    class Instead(Help):
        text: ClassVar[str] = "{edit}"
        edit: str


@dataclass(frozen=True)
class DimensionsDisagree(Error):
    """An argument has another number of axes, or another dtype, than its annotation declares."""

    code: ClassVar[str] = "O039"
    title: ClassVar[str] = "`{name}` is declared as `{annotation}`, and is given {given}"
    label: ClassVar[str] = "declared here"
    name: str
    annotation: str
    given: str


@dataclass(frozen=True)
class ControlFlow(Error):
    """`return`, `break` and `continue` stand where the kernel's control flow can be written as nested blocks."""

    code: ClassVar[str] = "O040"
    title: ClassVar[str] = "{what} cannot stand {where}"
    label: ClassVar[str] = "{why}"
    what: str
    where: str
    why: str

    @dataclass(frozen=True)
    class Instead(Help):
        text: ClassVar[str] = "{edit}"
        edit: str


@dataclass(frozen=True)
class ArithmeticFails(Error):
    """Arithmetic on compile-time values was carried out while compiling, and Python refused it."""

    code: ClassVar[str] = "O041"
    title: ClassVar[str] = "{what}"
    label: ClassVar[str] = "computed at compile time"
    what: str


@dataclass(frozen=True)
class WrongValue(Error):
    """Something stands where only a value of another kind can: a text for a dtype, a float for an index."""

    code: ClassVar[str] = "O042"
    title: ClassVar[str] = "{what} cannot be {role}"
    label: ClassVar[str] = "{why}"
    what: str
    role: str
    why: str

    @dataclass(frozen=True)
    class Instead(Help):
        text: ClassVar[str] = "{edit}"
        edit: str
