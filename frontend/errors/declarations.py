"""What a kernel declares and names: its source, its parameters, its variables, what it calls."""

from __future__ import annotations

from typing import ClassVar

from freehold.support import dtypes
from freehold.support.diagnostic import Correctable, Error, Help, Label


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
    name: str
    file: str
    line: int
    why: str

    class Define(Help):
        """Code that nobody keeps the text of."""

        text: ClassVar[str] = "define the kernel in a file or a notebook cell"

    class Register(Help):
        """Code that a program writes."""

        text: ClassVar[str] = (
            "or, for generated code, register its text under the name it is compiled with: "
            "`freehold.register_source(name, text); exec(compile(text, name, 'exec'))`"
        )

    class ImportAgain(Help):
        """A file that was edited."""

        text: ClassVar[str] = "import its module again (`importlib.reload`), or start Python anew"

    class UseDef(Help):
        """A lambda, or an `async` function."""

        text: ClassVar[str] = "define the kernel with `def`"


class Unsupported(Correctable):
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
    helps: ClassVar[tuple[str, ...]] = ("{tensor}", "{value}")
    name: str

    @property
    def tensor(self) -> str:
        """How a tensor is declared."""
        if self.name == "self":
            return "a kernel is no method: define it outside the class"
        return f"a tensor that is read: `{self.name}: Ref`; updated: `{self.name}: Mut`; written: `{self.name}: Out`"

    @property
    def value(self) -> str:
        """How a number is declared."""
        if self.name == "self":
            return "what it needs of the object are arguments: scalars, and `Const` parameters"
        return f"a scalar: `{self.name}: f32`; a value known at compile time: `{self.name}: Const[int]`"


class AnnotationUnknown(Correctable):
    """
    The annotation of a kernel's parameter is none of those that Freehold knows.

    A kernel's parameter is a tensor (`Ref`, `Mut`, `Out`), a scalar (a dtype such as `f32`, or `int`, `float`,
    `bool`), or a compile-time value (`Const[T]`).
    """

    code: ClassVar[str] = "O004"
    title: ClassVar[str] = "parameter `{name}` is annotated with `{annotation}`, which no kernel's parameter can be"
    label: ClassVar[str] = "not a tensor, a scalar or a `Const`"
    name: str
    annotation: str


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
    helps: ClassVar[tuple[str, ...]] = ("{edit}",)
    name: str
    annotation: str
    why: str

    @property
    def edit(self) -> str:
        """What to do about it."""
        if (dtype := dtypes.from_name(self.annotation.partition("[")[0])) is not None:  # `float32[:]` of Numba
            rank = self.annotation.count(",") + 1 if "[" in self.annotation else 0
            axes = [f'"{axis}"' for axis in "NMKLPQRS"[:rank][::-1]]
            tensor = f"Ref[{', '.join([str(dtype), *axes])}]"
            return f"write what Freehold has for it: `{self.name}: {tensor if axes else dtype}`"
        if "not defined" in self.why:
            return f"import the names in `{self.annotation}` at the top of the file"
        return f"write an annotation that Python can evaluate, such as `{self.name}: Ref`"


class DimensionUnknown(Correctable):
    """
    A dimension in an annotation is a positive number, a name, or an expression of names.

    `Ref["B", "H // G", 64]`: names are equal extents wherever they stand. Expressions use `+ - * // %`, `min`, `max`
    and `ceildiv`. A dtype, if there is one, stands first, and is an object: `Ref[f32, "N"]`. A text that names one
    is refused, and not taken for the name of a dimension.
    """

    code: ClassVar[str] = "O006"
    title: ClassVar[str] = "`{dimension}` is no dimension of `{name}`"
    label: ClassVar[str] = "{why}"
    name: str
    dimension: str
    why: str = "dimensions are positive numbers, names, or expressions of names"


class VariadicParameter(Error):
    """A kernel has a fixed number of parameters: each has its own mode and its own proofs."""

    code: ClassVar[str] = "O007"
    title: ClassVar[str] = "a kernel cannot take `{star}{name}`"
    label: ClassVar[str] = "the number of a kernel's parameters is fixed"
    helps: ClassVar[tuple[str, ...]] = ("write the parameters out: `{name}_0: Ref, {name}_1: Ref`",)
    name: str
    star: str


class TensorDefault(Error):
    """
    A tensor is given by every call: a default would be shared by launches that know nothing of each other.

    One that a call may leave out says so, `bias: Ref["N"] | None = None`: None is the only default of a tensor. The
    kernel asks for it, `if bias is not None:`, which is decided when it is compiled.
    """

    code: ClassVar[str] = "O008"
    title: ClassVar[str] = "tensor parameter `{name}` has a default"
    label: ClassVar[str] = "every call gives its own tensor"
    helps: ClassVar[tuple[str, ...]] = ("{edit}",)
    name: str
    annotation: str
    none: bool = True

    @property
    def edit(self) -> str:
        """How it is declared."""
        if self.none:
            return f"say that it may be None: `{self.name}: {self.annotation} | None = None`"
        return f"declare it without a default: `{self.name}: {self.annotation}`"


class TensorAbsent(Error):
    """
    An optional tensor is used where a call gives None for it.

    A parameter `bias: Ref["N"] | None` is None in launches that leave it out, and the kernel is compiled for these as a
    variant of its own. There it has no elements, no shape and no place, so what is done with it stands under
    `if bias is not None:`, or in `a if bias is not None else b`. Both are decided when the kernel is compiled: what is
    not taken leaves no code behind.
    """

    code: ClassVar[str] = "O044"
    title: ClassVar[str] = "`{name}` is used where a launch gives no tensor for it"
    label: ClassVar[str] = "`{name}` is `None` in this launch"
    name: str

    class Declared(Label):
        """The parameter."""

        text: ClassVar[str] = "may be `None`"

    class Guard(Help):
        """The statement, under a condition."""

        text: ClassVar[str] = "do so where there is one: `{edit}`"
        edit: str

    class Choose(Help):
        """A value for launches without it."""

        text: ClassVar[str] = "say what it is without `{name}`: `{expression} if {name} is not None else ...`"
        expression: str


class NoSuchScalar(Error):
    """
    Some dtypes exist in tiles only: they cannot be passed to a kernel or lie in memory.

    `tf32` is made of f32. Elements of 4 bits, and f8e5m3fnu, come from bytes: `unpack` and `pack`.
    """

    code: ClassVar[str] = "O009"
    title: ClassVar[str] = "parameter `{name}` cannot have dtype `{dtype}`: it exists in tiles only"
    label: ClassVar[str] = "`{dtype}` has no form in memory"
    helps: ClassVar[tuple[str, ...]] = ("{edit}",)
    name: str
    dtype: str
    tensor: bool = False

    @property
    def edit(self) -> str:
        """What to declare instead."""
        if self.dtype == "tf32":
            return f"pass f32 and convert in the kernel: `{self.name}: f32`, then `.astype(tf32)`"
        if not self.tensor:
            return f"pass another dtype and convert a tile: `{self.name}: f32`, then `.astype({self.dtype})`"
        return f"pass bytes, `u8`, and make elements of a tile of them: `fh.unpack(t, {self.dtype})`"


class UndefinedName(Correctable):
    """A name in a kernel is a parameter, a variable assigned before, a name of the file, or a builtin of Python."""

    code: ClassVar[str] = "O010"
    title: ClassVar[str] = "`{name}` is not defined"
    label: ClassVar[str] = "no variable, parameter or global has this name"
    name: str

    class DidYouMean(Help):
        text: ClassVar[str] = "write `{other}`"
        other: str

    class Import(Help):
        text: ClassVar[str] = "import it: `from freehold import {other}`"
        other: str

    class ImportAll(Help):
        text: ClassVar[str] = "import it at the top of the file: `import freehold as fh`"


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

    class AssignedHere(Label):
        text: ClassVar[str] = "{what}"
        what: str


class OutputRebound(Correctable):
    """
    The name of a tensor that a kernel writes is given to a tile, and nothing is stored to the tensor.

    `y = tile` makes `y` another name of a tile, as in any Python function, and leaves the tensor as it was. What a
    block has computed is put into its region by a store, `y.store(tile)`. What was read of a `Mut` may go on under its
    name, `y = y.load()`, where something is made of it.
    """

    code: ClassVar[str] = "O046"
    title: ClassVar[str] = "the {kind} `{name}` is never stored: its name is given to {what}"
    label: ClassVar[str] = "from here on `{name}` is {what}"
    kind: str
    """`output` or `tensor`."""
    name: str
    what: str


class OnlyRead(Error):
    """
    A kernel reads a `Mut` and never stores to it.

    A `Mut` is lent to the launch exclusively: nothing else may use the array until the kernel has run, and no other
    argument may overlap it. A `Ref` may be read by many, and where the launch gives it a partition, it has `load()`,
    `index` and `tile`, too. This is a warning: often a store was forgotten, or went to a variable.
    """

    code: ClassVar[str] = "O047"
    severity: ClassVar[str] = "warning"
    title: ClassVar[str] = "`{name}` is a `Mut`, and nothing is stored to it"
    label: ClassVar[str] = "declared to be written"
    name: str

    class Load(Label):
        """Where it is read."""

        text: ClassVar[str] = "`{name}` is read here"

    class Store(Help):
        """The store, where it was forgotten."""

        text: ClassVar[str] = "store what was computed: `{name}.store(tile)`"

    class DeclareRef(Help):
        """The mode that is enough."""

        text: ClassVar[str] = "or, where it is only read, declare it so: `{name}: {annotation}`"
        annotation: str


class NoAttribute(Correctable):
    """Tiles, tensors and modules have the attributes that docs/language.md lists; others are refused by name."""

    code: ClassVar[str] = "O012"
    title: ClassVar[str] = "{what} has no attribute `{attribute}`"
    label: ClassVar[str] = "it has {known}"
    what: str
    attribute: str
    known: str


class WrongArguments(Correctable):
    """The arguments of a call do not fit what is called: too many, too few, an unknown keyword, a wrong kind."""

    code: ClassVar[str] = "O013"
    title: ClassVar[str] = "`{function}` {problem}"
    label: ClassVar[str] = "called as `{signature}`"
    function: str
    problem: str
    signature: str


class NotCallable(Correctable):
    """
    Only functions of the language, and Python functions whose source can be compiled, are called in a kernel.

    Functions of NumPy, torch or Python's library run on the host and cannot take tiles.
    """

    code: ClassVar[str] = "O014"
    title: ClassVar[str] = "`{name}` cannot be called in a kernel"
    label: ClassVar[str] = "{why}"
    name: str
    why: str


class Recursion(Error):
    """Helper functions are inlined, so none may call itself, directly or through others."""

    code: ClassVar[str] = "O015"
    title: ClassVar[str] = "`{name}` calls itself"
    label: ClassVar[str] = "this call is inlined, and would be without end"
    helps: ClassVar[tuple[str, ...]] = ("write the recursion as a loop: `for` or `while`",)
    name: str


class OutsideKernel(Error):
    """The functions of the language describe work on a GPU; they mean something in a kernel's source only."""

    code: ClassVar[str] = "O016"
    title: ClassVar[str] = "`freehold.{name}` was called outside a kernel"
    notes: ClassVar[tuple[str, ...]] = ("it has a meaning only in a function decorated with `@freehold.kernel`, "
                                        "or in a helper that such a function calls",)  # fmt: skip
    helps: ClassVar[tuple[str, ...]] = ("decorate the function that calls it: `@freehold.kernel`",)
    name: str


class HostValue(Correctable):
    """
    A kernel sees host values that never change: numbers, strings, tuples, dtypes, enums, frozen dataclasses,
    functions and modules. Arrays and other objects are given as arguments.
    """

    code: ClassVar[str] = "O034"
    title: ClassVar[str] = "`{name}`, {what}, cannot be used in a kernel"
    label: ClassVar[str] = "its value could change, or lies in host memory"
    name: str
    what: str


class NoPartition(Correctable):
    """
    A kernel writes the regions of a partition of its outputs, and that partition is also what makes its grid.

    At least one argument is partitioned, and every `Mut` and `Out` is. A `Ref` and an `Acc` may be.
    """

    code: ClassVar[str] = "O038"
    title: ClassVar[str] = "{what}"
    label: ClassVar[str] = "{why}"
    what: str
    why: str


class DimensionsDisagree(Error):
    """An argument has another number of axes, or another dtype, than its annotation declares."""

    code: ClassVar[str] = "O039"
    title: ClassVar[str] = "`{name}` is declared as `{annotation}`, and is given {given}"
    label: ClassVar[str] = "declared here"
    name: str
    annotation: str
    given: str


class ReturnsValue(Error):
    """A kernel returns nothing: its results are what it stores."""

    code: ClassVar[str] = "O032"
    title: ClassVar[str] = "kernel `{name}` returns a value"
    label: ClassVar[str] = "a kernel's results are what it stores"
    name: str

    class Store(Help):
        text: ClassVar[str] = "store it: `{edit}`"
        edit: str
