"""Kernels away from their source: packages, bound launches, other frameworks' operators (O270 to O279)."""

from __future__ import annotations

from typing import ClassVar

from freehold.support.diagnostic import Error, Help, Note


class VariantMissing(Error):
    """
    A package has no variant of a kernel that fits the arguments of a launch.

    A package holds the variants that it was built for: dtypes, ranks, layouts, partitions and values of `Const`
    parameters. It has no source, so no others can be made from it.
    """

    code: ClassVar[str] = "O270"
    title: ClassVar[str] = "the package has no variant of `{kernel}` for these arguments"
    helps: ClassVar[tuple[str, ...]] = ("build the package with a launch on arguments of this kind, too",)
    kernel: str

    class Asked(Note):
        """What the launch asks for."""

        text: ClassVar[str] = "`{name}` is {given}; the package has {there}"
        name: str
        given: str
        there: str

    class Absent(Note):
        """Optional tensors that are left out, as no launch did that the package was built from."""

        text: ClassVar[str] = "it was built from no launch that gives `None` for {names} and for nothing else"
        names: str

    class Present(Note):
        """Optional tensors that are all given."""

        text: ClassVar[str] = "it was built from no launch that gives all of the tensors that may be `None`"

    class Counted(Note):
        """A tuple of tensors, as no launch gave it with all else that the package was built from."""

        text: ClassVar[str] = "it was built from no launch like this one with {count} in `{name}`"
        name: str
        count: str

    class Together(Note):
        """Each argument fits some variant, but none fits all."""

        text: ClassVar[str] = "each argument fits a variant, but no variant fits all of them"


class ArchitectureMissing(Error):
    """
    A package has no GPU code for an architecture, and it was loaded with `strict`, which forbids to make some.

    Without `strict`, the package's bytecode, which is for all architectures, is assembled when it is first needed.
    """

    code: ClassVar[str] = "O271"
    title: ClassVar[str] = "the package has no code of `{kernel}` for {arch}, and nothing may be compiled"
    notes: ClassVar[tuple[str, ...]] = ("it has code for {there}",)
    helps: ClassVar[tuple[str, ...]] = (
        'build the package for it, too: `archs=[..., "{arch}"]`',
        "or load the package without `strict`: the assembler makes the code when it is first needed",
    )
    kernel: str
    arch: str
    there: str


class NoPackage(Error):
    """
    What should be loaded is no package of kernels, or one of a form that this Freehold does not read.

    A package is a folder or a `.zip` file that `freehold.build` wrote, with a `manifest.json`.
    """

    code: ClassVar[str] = "O272"
    title: ClassVar[str] = "`{path}` cannot be loaded: {reason}"
    path: str
    reason: str

    class Rebuild(Help):
        """For a package of another version."""

        text: ClassVar[str] = "build it again with this Freehold"


class PackageDamaged(Error):
    """
    A file of a package is not what was written: it is missing, or its length or checksum differs.

    Nothing of such a file is used. Checksums find damage; they are no signature, so load only packages that you trust.
    """

    code: ClassVar[str] = "O273"
    title: ClassVar[str] = "`{file}` in the package `{path}` is damaged: {reason}"
    helps: ClassVar[tuple[str, ...]] = ("copy the package again, or build it again",)
    file: str
    path: str
    reason: str


class Unpackable(Error):
    """
    Something given to `freehold.build` cannot be put into a package.

    A package is built of launches, which are not run, and keeps values of `Const` parameters as text that is the same
    in every process: of numbers, strings, dtypes, enumerations, and tuples of them.
    """

    code: ClassVar[str] = "O274"
    title: ClassVar[str] = "{what} cannot be put into a package: {reason}"
    what: str
    reason: str

    class Example(Help):
        """What a package is built of."""

        text: ClassVar[str] = 'give it launches: `freehold.build([{call}], archs=["sm_90"], path="kernels")`'
        call: str


class AddressChanged(Error):
    """
    An array of a bound launch, or of a graph, is not where it was when it was bound or recorded: it was resized, or its
    memory was exchanged.

    Both keep their arrays alive and pass their addresses again and again. `rebind` takes other arrays, or the same ones
    at their new address. A graph is recorded anew.
    """

    code: ClassVar[str] = "O275"
    title: ClassVar[str] = "{array} has changed since it was {done}"
    notes: ClassVar[tuple[str, ...]] = ("{change}", "nothing was launched")
    array: str
    done: str
    change: str

    class Rebind(Help):
        text: ClassVar[str] = "bind it again: `.rebind({name}=...)`"
        name: str

    class Record(Help):
        text: ClassVar[str] = "record the graph anew; to change what is in an array, `graph.update(array, source)`"


class ArchitectureWrong(Error):
    """
    GPU code was given to a GPU that it is not for.

    A cubin is for one architecture. The compiler makes one for the GPU at hand; a cubin that was made elsewhere, or for
    another GPU of the machine, does not run.
    """

    code: ClassVar[str] = "O276"
    title: ClassVar[str] = "{what} failed: its code is not for GPU {device}, which is {arch}"
    notes: ClassVar[tuple[str, ...]] = ("the driver says {error}",)
    helps: ClassVar[tuple[str, ...]] = ('compile it for this GPU: `arch="{arch}"`',)
    what: str
    device: int
    arch: str
    error: str


class OutOfMemory(Error):
    """
    A GPU has not enough memory left.

    Memory that libraries keep for later use (torch's caching allocator, pools) counts as used. Nothing is lost: what
    was allocated before can be used as before.
    """

    code: ClassVar[str] = "O277"
    title: ClassVar[str] = "{what} failed: GPU {device} has not enough memory left"
    helps: ClassVar[tuple[str, ...]] = (
        "drop arrays that are no longer needed, or work on smaller ones",
        "make other libraries give back what they keep for later, such as `torch.cuda.empty_cache()`",
    )
    what: str
    device: int

    class Left(Note):
        """How much there is."""

        text: ClassVar[str] = "{free} of {total} bytes are free"
        free: int
        total: int


class NoOperator(Error):
    """
    A kernel cannot become an operator of another framework in the way that was asked for.

    Frameworks want to know the shape and dtype of each result before anything runs. Those of an `Out` parameter follow
    from its dimensions where each is a number, or made of names that stand alone as dimensions of other arguments.
    """

    code: ClassVar[str] = "O278"
    title: ClassVar[str] = "`{kernel}` cannot become an operator: {reason}"
    helps: ClassVar[tuple[str, ...]] = ("{remedy}",)
    kernel: str
    reason: str
    remedy: str


class NoBackward(Error):
    """
    A gradient is asked for of an operator that was made without a backward function.

    Freehold does not differentiate kernels. `as_torch_op(..., backward=function)` says what the gradients of an
    operator's arguments are, as `torch.library.register_autograd` does. An operator that changes an argument has none:
    let it return what it writes, by `returns=`.
    """

    code: ClassVar[str] = "O279"
    title: ClassVar[str] = "operator `{operator}` has no backward, and a gradient of it is asked for"
    notes: ClassVar[tuple[str, ...]] = ("gradients of {needed} would be wrong without a word",)
    helps: ClassVar[tuple[str, ...]] = (
        'give it one: `{kernel}.as_torch_op("{operator}", ..., {returns}backward=function)`',
        "where no gradient shall go through it, call it under `torch.no_grad()`, or with tensors that were detached",
    )
    operator: str
    kernel: str
    needed: str
    """The arguments whose gradients are asked for, in words."""
    returns: str
