"""What is given for a parameter, and the memory behind it (O201 to O217)."""

from __future__ import annotations

from typing import ClassVar

from freehold.runtime.errors.shared import NOTHING_LAUNCHED
from freehold.support.diagnostic import Error, Help, Label, Note

# --- Memory -----------------------------------------------------------------------------------------------------------


class ArgumentsOverlap(Error):
    """
    An output of a kernel shares memory with another argument of the same launch.

    A kernel is proved free of races for arguments that are separate memory: blocks that read one while others write
    the other would race. Two arguments may share memory only where both are `Ref`. Views that interleave without
    sharing an element, such as the halves of the columns of a matrix, are separate.
    """

    code: ClassVar[str] = "O201"
    title: ClassVar[str] = "argument `{name}` overlaps argument `{other}` in this launch of `{kernel}`"
    label: ClassVar[str] = "lent to exclusive `{name}`"
    notes: ClassVar[tuple[str, ...]] = ("{shared}", NOTHING_LAUNCHED)
    helps: ClassVar[tuple[str, ...]] = ("give `{name}` its own storage, for example a copy",)
    name: str
    other: str
    kernel: str
    shared: str
    """Which bytes are shared, as a sentence."""

    class Other(Label):
        text: ClassVar[str] = "lent to {mode} `{other}`"
        mode: str

    class Declared(Label):
        text: ClassVar[str] = "exclusive access is required here"


class EmptyTensor(Error):
    """
    A tensor has an axis without elements, and what the launch writes has some.

    Views of memory have at least one element, so a kernel cannot read such a tensor. Where all that a launch writes is
    empty, it has no tile blocks, and does nothing.
    """

    code: ClassVar[str] = "O202"
    title: ClassVar[str] = "argument `{name}` of `{kernel}` is empty: its shape is {shape}"
    label: ClassVar[str] = "has no elements along axis {axis}"
    notes: ClassVar[tuple[str, ...]] = (NOTHING_LAUNCHED,)
    helps: ClassVar[tuple[str, ...]] = ("skip the launch where `{name}` is empty, and write what its output is then",)
    name: str
    kernel: str
    shape: tuple[int, ...]
    axis: int


class StrideNotPositive(Error):
    """
    A tensor runs backwards (a negative stride), or repeats its elements along an axis (stride 0) and is written.

    Kernels see memory through views, and no view runs backwards. What repeats its elements, as `x.expand(...)` and
    `np.broadcast_to` do, may be a `Ref`: it is read as if it had them all. Written, two elements would be one place in
    memory, and the tile blocks that own them would meet there.
    """

    code: ClassVar[str] = "O203"
    title: ClassVar[str] = "argument `{name}` of `{kernel}` has stride {stride} along axis {axis}"
    label: ClassVar[str] = "strides are {strides}, in elements"
    notes: ClassVar[tuple[str, ...]] = ("{reason}", NOTHING_LAUNCHED)
    name: str
    kernel: str
    stride: int
    axis: int
    strides: tuple[int, ...]

    @property
    def reason(self) -> str:
        """Why it is refused."""
        repeats = "elements that repeat are one place, which several blocks would write"
        return "no view runs backwards" if self.stride else repeats

    class Copy(Help):
        text: ClassVar[str] = "pass a contiguous copy"

    class CopyAs(Help):
        """Of an array that is read."""

        text: ClassVar[str] = "pass a contiguous copy: `{edit}`"
        edit: str


class OutputOverlapsItself(Error):
    """
    Different elements of an output are the same memory, as in a sliding window made with `as_strided` or `unfold`.

    Two tile blocks that write different elements would then write the same address.
    """

    code: ClassVar[str] = "O204"
    title: ClassVar[str] = "elements of output `{name}` of `{kernel}` share memory"
    label: ClassVar[str] = "shape {shape} with strides {strides}"
    notes: ClassVar[tuple[str, ...]] = ("{witness}", NOTHING_LAUNCHED)
    helps: ClassVar[tuple[str, ...]] = ("write to a contiguous array and combine afterwards",)
    name: str
    kernel: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    witness: str
    """Two elements at one address, or that none were ruled out, as a sentence."""


class TooLarge(Error):
    """
    An extent or a stride does not fit in 31 bits.

    Coordinates in kernels are 32-bit integers, and every proof about them assumes extents and strides (in elements)
    of at most 2147483647.
    """

    code: ClassVar[str] = "O205"
    title: ClassVar[str] = "argument `{name}` of `{kernel}` is too large: {what} {value} along axis {axis}"
    label: ClassVar[str] = "the most is 2147483647"
    notes: ClassVar[tuple[str, ...]] = (NOTHING_LAUNCHED,)
    helps: ClassVar[tuple[str, ...]] = ("split the array and launch once a part",)
    name: str
    kernel: str
    what: str
    """`extent` or `stride`."""
    value: int
    axis: int


class ReadOnlyOutput(Error):
    """
    An argument that the kernel writes may not be written: a read-only NumPy array, an immutable JAX array, a torch
    tensor that autograd watches.
    """

    code: ClassVar[str] = "O206"
    title: ClassVar[str] = "argument `{name}` of `{kernel}` is written, but {why}"
    label: ClassVar[str] = "{why}"
    notes: ClassVar[tuple[str, ...]] = (NOTHING_LAUNCHED,)
    helps: ClassVar[tuple[str, ...]] = ("{remedy}",)
    name: str
    kernel: str
    why: str
    remedy: str


# --- What is given for a parameter ------------------------------------------------------------------------------------


class ArgumentCount(Error):
    """A call of a kernel leaves out an argument, gives one twice, or gives one that there is no parameter for."""

    code: ClassVar[str] = "O210"
    title: ClassVar[str] = "`{kernel}` {problem}"
    notes: ClassVar[tuple[str, ...]] = ("its parameters are {parameters}",)
    kernel: str
    problem: str
    parameters: str

    class DidYouMean(Help):
        text: ClassVar[str] = "write `{name}=`"
        name: str

    class LeaveOut(Help):
        """The call without what there is no parameter for, or what is given already."""

        text: ClassVar[str] = "leave out {what}: `{call}`"
        what: str
        call: str

    class Give(Help):
        """The call with what is missing."""

        text: ClassVar[str] = "give {what}, as in `{call}`"
        what: str
        call: str

    class OutputsToo(Help):
        """For outputs that the caller expects to be made."""

        text: ClassVar[str] = "what is written is an argument, too, and made by the caller: `{call}.sync()`"
        call: str

    class OnStream(Help):
        text: ClassVar[str] = "a call runs nothing: say where it runs, with `.on(stream)` behind it"

    class PartitionIsGrid(Help):
        text: ClassVar[str] = "leave it out: there is a tile block for each tile of `fh.partition({name}, tile)`"
        name: str

    class AsHint(Help):
        text: ClassVar[str] = "hints stand at the kernel: `{kernel}.with_hints({name}={value})`"
        kernel: str
        name: str
        value: str


class NotATuple(Error):
    """
    Something else than a tuple or a list of arrays was given for a tuple of tensors.

    A kernel is compiled for each number of tensors. None at all are an empty tuple.
    """

    code: ClassVar[str] = "O218"
    title: ClassVar[str] = "argument `{name}` of `{kernel}` is no tuple of arrays: {given}"
    label: ClassVar[str] = "{given} given for `{name}: {annotation}`"
    notes: ClassVar[tuple[str, ...]] = (NOTHING_LAUNCHED,)
    name: str
    kernel: str
    given: str
    annotation: str

    class Tuple(Help):
        """What to write instead."""

        text: ClassVar[str] = "give arrays in a tuple: `{edit}`"
        edit: str


class NotAnArray(Error):
    """
    Something that is no array was given for a tensor.

    Arrays of NumPy, torch, CuPy, JAX and Freehold are understood, and whatever has `__dlpack__` or
    `__cuda_array_interface__`. A kernel writes in place, so lists and scalars are not converted.
    """

    code: ClassVar[str] = "O211"
    title: ClassVar[str] = "argument `{name}` of `{kernel}` is no array: {given}"
    label: ClassVar[str] = "{given} given for `{name}: {annotation}`"
    notes: ClassVar[tuple[str, ...]] = (NOTHING_LAUNCHED,)
    name: str
    kernel: str
    given: str
    annotation: str

    class Because(Note):
        text: ClassVar[str] = "{why}"
        why: str

    class MakeArray(Help):
        text: ClassVar[str] = "make an array of it first: `numpy.array({argument}, {dtype})`"
        argument: str
        dtype: str

    class Traced(Help):
        """For what stands for an array while JAX traces a function."""

        text: ClassVar[str] = (
            "JAX traces here, and there are no elements yet: call a function of JAX arrays, "
            "`{kernel}.as_jax({{output: tile}})`"
        )
        kernel: str

    class LeftOut(Help):
        """For None."""

        text: ClassVar[str] = "a tensor that a call may leave out is declared `{name}: {annotation} | None = None`"
        name: str
        annotation: str

    class Number(Help):
        """For a number."""

        text: ClassVar[str] = "a number is declared by its dtype: `{name}: {dtype}`"
        name: str
        dtype: str

    class AsArray(Help):
        """For what NumPy reads as an array."""

        text: ClassVar[str] = "pass the array that it holds: `numpy.asarray({argument})`"
        argument: str


class WrongRank(Error):
    """An array has more or fewer axes than the parameter's annotation."""

    code: ClassVar[str] = "O212"
    title: ClassVar[str] = "argument `{name}` of `{kernel}` has {given} axes where `{annotation}` has {expected}"
    label: ClassVar[str] = "its shape is {shape}"
    notes: ClassVar[tuple[str, ...]] = (NOTHING_LAUNCHED,)
    name: str
    kernel: str
    given: int
    expected: int
    annotation: str
    shape: tuple[int, ...]

    class Reshape(Help):
        text: ClassVar[str] = "give it another shape: `{argument}.reshape({shape})`"
        argument: str
        shape: str


class WrongDType(Error):
    """An array's elements have another type than the parameter's annotation fixes. Nothing is converted silently."""

    code: ClassVar[str] = "O213"
    title: ClassVar[str] = "argument `{name}` of `{kernel}` is {given} where `{annotation}` wants {expected}"
    label: ClassVar[str] = "an array of {given}"
    notes: ClassVar[tuple[str, ...]] = (NOTHING_LAUNCHED,)
    helps: ClassVar[tuple[str, ...]] = (
        "convert the array to {expected} first",
        "or let the kernel take any dtype: drop `{expected}` from `{annotation}`",
    )
    name: str
    kernel: str
    given: str
    expected: str
    annotation: str


class DTypeUnknown(Error):
    """
    An array has elements that kernels cannot hold: complex numbers, strings, records, dates, big-endian numbers.

    Elements of 4 bits are in memory two a byte: such tensors are passed as bytes, and unpacked in the kernel. NumPy's
    arrays of them hold one a byte.
    """

    code: ClassVar[str] = "O214"
    title: ClassVar[str] = "argument `{name}` of `{kernel}` has elements of type {given}, which kernels do not have"
    label: ClassVar[str] = "an array of {given}"
    notes: ClassVar[tuple[str, ...]] = ("kernels have {known}", NOTHING_LAUNCHED)
    name: str
    kernel: str
    given: str
    known: str

    class AsBytes(Help):
        """For elements of 4 bits."""

        text: ClassVar[str] = (
            "pass bytes of two elements, as `uint8`, and write `fh.unpack(t, fh.{dtype})` in the kernel"
        )
        dtype: str

    class AsDType(Help):
        """For what may be converted to a dtype that kernels have."""

        text: ClassVar[str] = "convert it: `{edit}`"
        edit: str

    class AsParts(Help):
        """For complex numbers."""

        text: ClassVar[str] = "pass real and imaginary parts, along an axis of two behind the others: `{parts}`"
        parts: str


class WrongScalar(Error):
    """A scalar or a compile-time argument has a value that does not fit its annotation."""

    code: ClassVar[str] = "O215"
    title: ClassVar[str] = "argument `{name}` of `{kernel}` must be {expected}, not {given}"
    label: ClassVar[str] = "{given} given for `{name}: {annotation}`"
    notes: ClassVar[tuple[str, ...]] = (NOTHING_LAUNCHED,)
    name: str
    kernel: str
    expected: str
    given: str
    annotation: str

    class Convert(Help):
        text: ClassVar[str] = "convert it: `{edit}`"
        edit: str

    class AsTensor(Help):
        """For an array of several elements."""

        text: ClassVar[str] = "an array is declared as a tensor: `{name}: Ref`"
        name: str


class HostAndDevice(Error):
    """
    Some arguments are in the host's memory and others on a GPU.

    Arrays on the host run on the interpreter, arrays on a GPU on that GPU. Nothing is copied silently.
    """

    code: ClassVar[str] = "O216"
    title: ClassVar[str] = "arguments of `{kernel}` are in different places: `{name}` is on {place_of_name}"
    label: ClassVar[str] = "on {place_of_name}"
    notes: ClassVar[tuple[str, ...]] = ("`{other}` is on {place_of_other}", NOTHING_LAUNCHED)
    helps: ClassVar[tuple[str, ...]] = ("move both to the same device",)
    kernel: str
    name: str
    place_of_name: str
    other: str
    place_of_other: str


class StridesNotWhole(Error):
    """The distance between an array's elements is no multiple of their size, as in a field of packed records."""

    code: ClassVar[str] = "O217"
    title: ClassVar[str] = "argument `{name}` of `{kernel}` has elements that do not lie in steps of their size"
    label: ClassVar[str] = "strides of {strides} bytes for elements of {itemsize}"
    notes: ClassVar[tuple[str, ...]] = (NOTHING_LAUNCHED,)
    helps: ClassVar[tuple[str, ...]] = ("pass a contiguous copy",)
    name: str
    kernel: str
    strides: tuple[int, ...]
    itemsize: int
