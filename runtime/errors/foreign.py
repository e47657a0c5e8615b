"""Kernels that others made: declared, audited, launched (O282 to O289, O294 to O298)."""

from __future__ import annotations

from typing import ClassVar

from freehold.support.diagnostic import Error, Help, Label, Note
from freehold.support.span import Span


class EntryMissing(Error):
    """
    Foreign code has no kernel of the name that was declared.

    A compiler of C++ writes the types of a function's parameters into its name, unless the function is `extern "C"`.
    """

    code: ClassVar[str] = "O282"
    title: ClassVar[str] = "the code of `{kernel}`, {kind}, has no kernel `{entry}`"
    notes: ClassVar[tuple[str, ...]] = ("it has {there}",)
    kernel: str
    kind: str
    entry: str
    there: str

    class Meant(Help):
        """One of a name like it."""

        text: ClassVar[str] = 'name that: `entry="{name}"`'
        name: str

    class Unmangled(Help):
        """For a name that holds the types of parameters."""

        text: ClassVar[str] = 'keep its name as it is: `extern "C" __global__ void {name}(...)`'
        name: str


class ParametersDiffer(Error):
    """
    Foreign code takes other parameters than its declaration passes: more or fewer of them, or of another size.

    A cubin says how many bytes each parameter of a kernel has, and PTX what they are. What a launch passes follows from
    the declaration: by default the arguments as they are, arrays by their addresses.
    """

    code: ClassVar[str] = "O283"
    title: ClassVar[str] = "`{entry}` takes {taken}, and {passed} would be passed"
    notes: ClassVar[tuple[str, ...]] = ("`{kernel}` passes {shown}",)
    helps: ClassVar[tuple[str, ...]] = (
        'declare the parameters as the code has them, or say what is passed: `passes=["x", ("x.shape[0]", fh.i64)]`',
    )
    kernel: str
    entry: str
    taken: str
    passed: str
    shown: str


class StandInMissing(Error):
    """
    A foreign kernel is to run where its code cannot: on arrays in the host's memory, or on the interpreter.

    PTX, cubins and CUDA C++ are for a GPU. A function of NumPy arrays that does the same stands in for them on the
    host, and in checked mode what they did on a GPU is compared with it. Tile IR needs none: the interpreter runs it.
    """

    code: ClassVar[str] = "O284"
    title: ClassVar[str] = "`{kernel}` has no stand-in to run on {where}: its code is {kind}"
    helps: ClassVar[tuple[str, ...]] = ("{remedy}",)
    kernel: str
    where: str
    kind: str
    remedy: str


class ShapeUnfit(Error):
    """
    A launch of a foreign kernel has a shape that no GPU takes, or passes a number that its type cannot hold.

    A grid has up to 2147483647 blocks along its first axis and 65535 along the others; a block up to 1024 threads,
    1024, 1024 and 64 along its axes; dynamic shared memory is up to 232448 bytes. Each is at least 1, shared memory at
    least 0.
    """

    code: ClassVar[str] = "O285"
    title: ClassVar[str] = "{what} of this launch of `{kernel}` is {value}, and may be {most}"
    notes: ClassVar[tuple[str, ...]] = ("it is declared as `{term}`{shown}",)
    kernel: str
    what: str
    value: int
    most: str
    term: str
    shown: str


class PromiseMissing(Error):
    """
    A foreign kernel is declared without a reason why its declaration is right.

    Freehold cannot read PTX, cubins and CUDA C++. What is declared of them, which arrays are read and which written,
    where, and in bounds, is a promise of the author's. Its reason stands in `explain`, and whoever denies `unsafe`
    refuses it. Of Tile IR the audit finds out for each launch whether it is true, so no reason is needed.
    """

    code: ClassVar[str] = "O286"
    title: ClassVar[str] = (
        "nothing can be proved of `{kernel}`, whose code is {kind}, and no reason is given to trust it"
    )
    helps: ClassVar[tuple[str, ...]] = ('say why it is right: `unsafe="each thread writes the element of its number"`',)
    kernel: str
    kind: str


class PromiseBroken(Error):
    """
    The audit finds that foreign Tile IR does something else in a launch than was declared.

    What it finds has been replayed on the interpreter, or follows from the accesses of the launch: a race, an access
    out of bounds, a write to what is declared as read.
    """

    code: ClassVar[str] = "O287"
    title: ClassVar[str] = "`{kernel}` does not do in this launch what is declared of it: {what}"
    notes: ClassVar[tuple[str, ...]] = ("nothing was launched",)
    kernel: str
    what: str

    class At(Label):
        """Where the code does it."""

        text: ClassVar[str] = "{said}"
        span: Span
        said: str

    class Found(Note):
        """What the audit found."""

        text: ClassVar[str] = "{said}"
        said: str

    class Declare(Help):
        """What would be true."""

        text: ClassVar[str] = "declare what it does: `{name}: {annotation}`"
        name: str
        annotation: str


class PromiseUndecided(Error):
    """
    The audit of foreign Tile IR leaves open whether it does what is declared of it, and no reason is given to trust it.

    Mostly what decides is what an array holds, which no launch knows. What the audit does not decide is refused.
    """

    code: ClassVar[str] = "O288"
    title: ClassVar[str] = "the audit does not decide whether `{kernel}` does in this launch what is declared of it"
    notes: ClassVar[tuple[str, ...]] = ("{what}: {why}",)
    helps: ClassVar[tuple[str, ...]] = ('say why it is right: `unsafe="the indices are a permutation"`',)
    kernel: str
    what: str
    why: str


class CodeRefused(Error):
    """
    Foreign code does not compile, cannot be linked, or is not what it was said to be.

    CUDA C++ is compiled by NVRTC (`pip install nvidia-cuda-nvrtc`), PTX by nvJitLink (`pip install nvidia-nvjitlink`)
    or, where there is none, by the driver.
    """

    code: ClassVar[str] = "O289"
    title: ClassVar[str] = "the code of `{kernel}`, {kind}, cannot be used: {why}"
    kernel: str
    kind: str
    why: str

    class Said(Note):
        """A line of the compiler's."""

        text: ClassVar[str] = "{line}"
        line: str

    class Install(Help):
        """Where a compiler is missing."""

        text: ClassVar[str] = "install it: `pip install {package}`"
        package: str


class DeclarationUnfit(Error):
    """
    The declaration of a foreign kernel is not understood, or contradicts itself or the code.

    It gives the code once, the name of its entry, a signature with a mode and a shape for each array, and the shape of
    launches as numbers or as functions of extents and integer parameters, which are called once, with symbols, by their
    names.
    """

    code: ClassVar[str] = "O294"
    title: ClassVar[str] = "`{kernel}` cannot be declared so: {what}"
    helps: ClassVar[tuple[str, ...]] = ("{remedy}",)
    kernel: str
    what: str
    remedy: str


class PromiseDenied(Error):
    """
    A foreign kernel rests on a promise of its author, and such are denied.

    `deny_unsafe=True` of `fh.extern` and of `fh.load`, and `FREEHOLD_DENY_UNSAFE=1` in the environment, refuse every
    kernel of which something is trusted and not proved. Tile IR without a reason is audited instead, and not denied.
    """

    code: ClassVar[str] = "O295"
    title: ClassVar[str] = "`{kernel}` rests on a promise, and promises are denied"
    notes: ClassVar[tuple[str, ...]] = ('its author says: "{reason}"',)
    helps: ClassVar[tuple[str, ...]] = (
        "use a kernel of Freehold, or Tile IR, which is audited",
        "or allow it: {allow}",
    )
    kernel: str
    reason: str
    allow: str


class StandInDiffers(Error):
    """
    In checked mode, what a foreign kernel wrote on a GPU differs from what its stand-in computes.

    One of them is wrong, or was not given what it expects. Integers have to be equal, floats agree in their norm.
    """

    code: ClassVar[str] = "O296"
    title: ClassVar[str] = "`{name}` is not what the stand-in of `{kernel}` computes"
    notes: ClassVar[tuple[str, ...]] = (
        "it differs by {difference:.2g} of the norm; up to {limit:.2g} is taken for rounding",
        "{witness}",
    )
    helps: ClassVar[tuple[str, ...]] = (
        "look for the one that is wrong, or allow more: `@{kernel}.reference(tolerance=...)`",
    )
    kernel: str
    name: str
    difference: float
    limit: float
    witness: str


class PartitionGiven(Error):
    """
    An array for a foreign kernel was cut into regions.

    Partitions say which tile block of a Freehold kernel gets which region. A foreign kernel finds its places itself, so
    that a launch lends it the whole array.
    """

    code: ClassVar[str] = "O297"
    title: ClassVar[str] = "`{name}` is given to `{kernel}` as a partition, and foreign kernels take whole arrays"
    helps: ClassVar[tuple[str, ...]] = ("give the array itself: leave `fh.partition` out",)
    name: str
    kernel: str


class LayoutUnfit(Error):
    """
    An array lies in memory otherwise than a foreign kernel relies on.

    Code that is passed an address, and no strides, takes the array for contiguous; some code relies on addresses that
    are multiples of up to 16 bytes, too.
    """

    code: ClassVar[str] = "O298"
    title: ClassVar[str] = "`{kernel}` cannot use `{name}` as it lies in memory: {problem}"
    helps: ClassVar[tuple[str, ...]] = ("{remedy}",)
    kernel: str
    name: str
    problem: str
    remedy: str
