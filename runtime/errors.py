"""Errors of launches (O2xx): arguments that do not fit a kernel, and GPUs that do not answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from freehold.support.diagnostic import Error, Help, Label, Note

NOTHING_LAUNCHED = "nothing was launched"


# --- Memory ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
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

    @dataclass(frozen=True)
    class Other(Label):
        text: ClassVar[str] = "lent to {mode} `{other}`"
        mode: str

    @dataclass(frozen=True)
    class Declared(Label):
        text: ClassVar[str] = "exclusive access is required here"


@dataclass(frozen=True)
class EmptyTensor(Error):
    """
    A tensor has an axis without elements.

    A kernel has at least one region to work on and views of memory have at least one element, so there is nothing
    that such a launch could mean.
    """

    code: ClassVar[str] = "O202"
    title: ClassVar[str] = "argument `{name}` of `{kernel}` is empty: its shape is {shape}"
    label: ClassVar[str] = "has no elements along axis {axis}"
    notes: ClassVar[tuple[str, ...]] = (NOTHING_LAUNCHED,)
    helps: ClassVar[tuple[str, ...]] = ("skip the launch where `{name}` is empty",)
    name: str
    kernel: str
    shape: tuple[int, ...]
    axis: int


@dataclass(frozen=True)
class StrideNotPositive(Error):
    """
    A tensor repeats its elements along an axis (stride 0) or runs backwards (a negative stride).

    Kernels see memory through views whose strides are positive.
    """

    code: ClassVar[str] = "O203"
    title: ClassVar[str] = "argument `{name}` of `{kernel}` has stride {stride} along axis {axis}"
    label: ClassVar[str] = "strides are {strides}, in elements"
    notes: ClassVar[tuple[str, ...]] = ("kernels need positive strides", NOTHING_LAUNCHED)
    name: str
    kernel: str
    stride: int
    axis: int
    strides: tuple[int, ...]

    @dataclass(frozen=True)
    class Copy(Help):
        text: ClassVar[str] = "pass a contiguous copy"


@dataclass(frozen=True)
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


@dataclass(frozen=True)
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


@dataclass(frozen=True)
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


# --- What is given for a parameter -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class ArgumentCount(Error):
    """A call of a kernel leaves out an argument, gives one twice, or gives one that there is no parameter for."""

    code: ClassVar[str] = "O210"
    title: ClassVar[str] = "`{kernel}` {problem}"
    notes: ClassVar[tuple[str, ...]] = ("its parameters are {parameters}",)
    kernel: str
    problem: str
    parameters: str

    @dataclass(frozen=True)
    class DidYouMean(Help):
        text: ClassVar[str] = "write `{name}=`"
        name: str


@dataclass(frozen=True)
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

    @dataclass(frozen=True)
    class Because(Note):
        text: ClassVar[str] = "{why}"
        why: str

    @dataclass(frozen=True)
    class MakeArray(Help):
        text: ClassVar[str] = "make an array of it first: `numpy.array({argument}, numpy.{dtype})`"
        argument: str
        dtype: str


@dataclass(frozen=True)
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

    @dataclass(frozen=True)
    class Reshape(Help):
        text: ClassVar[str] = "give it another shape: `{argument}.reshape({shape})`"
        argument: str
        shape: str


@dataclass(frozen=True)
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


@dataclass(frozen=True)
class DTypeUnknown(Error):
    """
    An array has elements that kernels cannot hold: complex numbers, strings, records, dates, big-endian numbers.
    """

    code: ClassVar[str] = "O214"
    title: ClassVar[str] = "argument `{name}` of `{kernel}` has elements of type {given}, which kernels do not have"
    label: ClassVar[str] = "an array of {given}"
    notes: ClassVar[tuple[str, ...]] = ("kernels have {known}", NOTHING_LAUNCHED)
    name: str
    kernel: str
    given: str
    known: str


@dataclass(frozen=True)
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

    @dataclass(frozen=True)
    class Convert(Help):
        text: ClassVar[str] = "convert it: `{edit}`"
        edit: str


@dataclass(frozen=True)
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


@dataclass(frozen=True)
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


# --- Partitions ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PartitionMissing(Error):
    """
    An array was given for a `Mut` or `Out` without saying how it is cut into regions.

    The kernel says what happens to one region; the partition, which the caller gives, says which regions there are
    and in which order they are worked on.
    """

    code: ClassVar[str] = "O220"
    title: ClassVar[str] = "argument `{name}` of `{kernel}` is written and needs a partition"
    label: ClassVar[str] = "an array given for `{name}: {annotation}`"
    notes: ClassVar[tuple[str, ...]] = (NOTHING_LAUNCHED,)
    helps: ClassVar[tuple[str, ...]] = ("say how it is cut into regions: `freehold.partition({argument}, {tile})`",)
    name: str
    kernel: str
    annotation: str
    argument: str
    """The argument's source text, or the parameter's name."""
    tile: str
    """A tile of the right rank, as Python text."""


@dataclass(frozen=True)
class PartitionUnwanted(Error):
    """A partition was given for a parameter that is only read. A `Ref` is read anywhere, so it has no regions."""

    code: ClassVar[str] = "O221"
    title: ClassVar[str] = "argument `{name}` of `{kernel}` is only read and takes no partition"
    label: ClassVar[str] = "a partition given for `{name}: {annotation}`"
    notes: ClassVar[tuple[str, ...]] = (NOTHING_LAUNCHED,)
    helps: ClassVar[tuple[str, ...]] = ("pass the array itself{argument}",)
    name: str
    kernel: str
    annotation: str
    argument: str
    """The array's source text, behind a colon, where it is known."""


@dataclass(frozen=True)
class PartitionRank(Error):
    """A partition's tile has another number of axes than the array that it cuts."""

    code: ClassVar[str] = "O222"
    title: ClassVar[str] = "the tile {tile} does not fit the {rank} axes of `{name}`"
    label: ClassVar[str] = "the array's shape is {shape}"
    notes: ClassVar[tuple[str, ...]] = (NOTHING_LAUNCHED,)
    name: str
    tile: tuple[int, ...]
    rank: int
    shape: tuple[int, ...]

    @dataclass(frozen=True)
    class Extents(Help):
        text: ClassVar[str] = "give the tile an extent for each axis: `{tile}`"
        tile: str


@dataclass(frozen=True)
class TileUnfit(Error):
    """
    A partition was described by something other than a tile.

    A tile is an integer or a tuple of integers, each a power of two, as the hardware's tiles are. Array extents need
    not be multiples of it: the regions at the end are partial.
    """

    code: ClassVar[str] = "O223"
    title: ClassVar[str] = "{what} of a partition must be {expected}, not {given}"
    what: str
    """`the tile`, `the step`, `order` or `blocks`."""
    expected: str
    given: str

    @dataclass(frozen=True)
    class Nearest(Help):
        text: ClassVar[str] = "use {tile}"
        tile: str


@dataclass(frozen=True)
class SchedulesDiffer(Error):
    """
    The partitions of one launch are walked in different orders or by different numbers of blocks.

    One tile block works on one region of every output, so all partitions of a launch share one schedule.
    """

    code: ClassVar[str] = "O224"
    title: ClassVar[str] = "`{name}` and `{other}` of `{kernel}` are partitioned for different schedules"
    label: ClassVar[str] = "{schedule}"
    notes: ClassVar[tuple[str, ...]] = ("`{other}` has {schedule_of_other}", NOTHING_LAUNCHED)
    helps: ClassVar[tuple[str, ...]] = ("give both the same `order` and `blocks`",)
    kernel: str
    name: str
    schedule: str
    other: str
    schedule_of_other: str


@dataclass(frozen=True)
class GridsDiffer(Error):
    """
    The partitions of one launch have different numbers of regions.

    One tile block works on one region of every output, so all of them have the same grid of regions.
    """

    code: ClassVar[str] = "O225"
    title: ClassVar[str] = "`{name}` and `{other}` of `{kernel}` are partitioned into different grids"
    label: ClassVar[str] = "{shape} in tiles of {tile}: {grid} regions"
    notes: ClassVar[tuple[str, ...]] = (
        "`{other}` is {shape_of_other} in tiles of {tile_of_other}: {grid_of_other} regions",
        NOTHING_LAUNCHED,
    )
    kernel: str
    name: str
    shape: str
    tile: str
    grid: str
    other: str
    shape_of_other: str
    tile_of_other: str
    grid_of_other: str

    @dataclass(frozen=True)
    class MoreAxes(Help):
        text: ClassVar[str] = "give `{name}` as many axes as `{other}`: `.reshape({shape})`, in tiles of `{tile}`"
        shape: str
        tile: str


@dataclass(frozen=True)
class TooManyRegions(Error):
    """
    A partition has more regions than one launch can have.

    One block a region allows 16777215 regions, persistent blocks 2113929216: block numbers, and the sums that
    persistent blocks make of them, stay 32-bit integers.
    """

    code: ClassVar[str] = "O226"
    title: ClassVar[str] = "this launch of `{kernel}` has {points} regions; {blocks} allow {most}"
    notes: ClassVar[tuple[str, ...]] = (NOTHING_LAUNCHED,)
    helps: ClassVar[tuple[str, ...]] = ("make the tiles larger", "{remedy}")
    kernel: str
    points: int
    most: int
    blocks: str
    remedy: str


@dataclass(frozen=True)
class NothingPartitioned(Error):
    """
    A kernel has no `Mut` and no `Out`, so nothing says how many tile blocks to run, and nothing could come of them.
    """

    code: ClassVar[str] = "O227"
    title: ClassVar[str] = "`{kernel}` writes nothing: it has no `Mut` and no `Out` parameter"
    label: ClassVar[str] = "nothing says how many tile blocks to run"
    kernel: str

    @dataclass(frozen=True)
    class Declare(Help):
        text: ClassVar[str] = "declare what it stores to, and partition the argument: `{name}: {annotation}`"
        name: str
        annotation: str


@dataclass(frozen=True)
class GridGiven(Error):
    """
    A launch was written with a grid in brackets, as in other languages of tiles.

    A kernel has no grid of its own: the partition of its outputs says which regions there are, and each is the work of
    one tile block.
    """

    code: ClassVar[str] = "O228"
    title: ClassVar[str] = "`{kernel}` is launched without a grid"
    label: ClassVar[str] = "the regions of the outputs are the grid"
    helps: ClassVar[tuple[str, ...]] = (
        "leave the brackets out, partition the outputs, and run it: `{kernel}({arguments}).sync()`",
    )
    kernel: str
    arguments: str


# --- The contract ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class DimensionMismatch(Error):
    """
    Two extents that the kernel's signature calls equal differ.

    Names of dimensions are a contract: the launcher checks it once, and the compiler's proofs use it.
    """

    code: ClassVar[str] = "O230"
    title: ClassVar[str] = (
        "dimension `{dimension}` of `{kernel}` is {expected}, but `{name}` has {given} along axis {axis}"
    )
    label: ClassVar[str] = "its shape is {shape}"
    notes: ClassVar[tuple[str, ...]] = ("{origin}", NOTHING_LAUNCHED)
    kernel: str
    dimension: str
    expected: int
    name: str
    axis: int
    given: int
    shape: tuple[int, ...]
    origin: str
    """Where the expected extent comes from, as a sentence."""

    @dataclass(frozen=True)
    class Declared(Label):
        text: ClassVar[str] = "`{name}` is declared here"

    @dataclass(frozen=True)
    class Transposed(Help):
        text: ClassVar[str] = "pass it transposed: `{argument}.T`"
        argument: str


@dataclass(frozen=True)
class DimensionUnbound(Error):
    """
    A dimension is written as an expression of a name that no argument binds.

    A name is bound where it stands alone: `Ref["H"]` binds `H`, `Ref["H // G"]` does not.
    """

    code: ClassVar[str] = "O231"
    title: ClassVar[str] = "nothing says what `{symbol}` is in this launch of `{kernel}`"
    notes: ClassVar[tuple[str, ...]] = ("it is used in `{term}` and stands alone in no parameter's dimensions",)
    helps: ClassVar[tuple[str, ...]] = ("write `{symbol}` alone as a dimension of some parameter",)
    kernel: str
    symbol: str
    term: str


@dataclass(frozen=True)
class LaunchCheckFailed(Error):
    """
    An obligation that the compiler left to the launch does not hold for these arguments.

    The kernel is right for some extents and not for others; the launcher compares them, once, before anything runs.
    """

    code: ClassVar[str] = "O232"
    title: ClassVar[str] = "this launch of `{kernel}` breaks a condition: `{predicate}` is false"
    label: ClassVar[str] = "it ensures that {reason}"
    notes: ClassVar[tuple[str, ...]] = ("{values}", NOTHING_LAUNCHED)
    kernel: str
    predicate: str
    reason: str
    values: str
    """What the symbols are, as a sentence."""

    @dataclass(frozen=True)
    class Launched(Label):
        text: ClassVar[str] = "launched here"

    @dataclass(frozen=True)
    class CountsTiles(Note):
        text: ClassVar[str] = "an index counts tiles of the access's shape, not elements"


# --- GPUs ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class NoGpu(Error):
    """
    A launch needs a GPU and this process has none that it can use: no driver, no device, or cuda-python is missing.

    Arrays in the host's memory run on the interpreter instead, and `kernel.compile(..., arch="sm_90")` needs no GPU.
    """

    code: ClassVar[str] = "O240"
    title: ClassVar[str] = "no NVIDIA GPU can be used here"
    notes: ClassVar[tuple[str, ...]] = ("{reason}",)
    helps: ClassVar[tuple[str, ...]] = ("{remedy}",)
    reason: str
    remedy: str


@dataclass(frozen=True)
class DriverFailed(Error):
    """
    The CUDA driver reported an error.

    A fault in a kernel is reported by whatever call comes next, so it may stem from an earlier launch, also from one
    of another library. After a fault the process cannot use the GPU any more.
    """

    code: ClassVar[str] = "O241"
    title: ClassVar[str] = "{what} failed: {error}"
    notes: ClassVar[tuple[str, ...]] = ("work that was in flight before, from any library, may be the cause",)
    what: str
    """What was tried, in words."""
    error: str
    """The driver's name and text of the error."""


@dataclass(frozen=True)
class HintUnknown(Error):
    """A hint has a name or a value that there is not."""

    code: ClassVar[str] = "O242"
    title: ClassVar[str] = "hint `{hint}={value}` of `{kernel}`: {problem}"
    notes: ClassVar[tuple[str, ...]] = ("hints are {known}",)
    kernel: str
    hint: str
    value: str
    problem: str
    known: str

    @dataclass(frozen=True)
    class DidYouMean(Help):
        text: ClassVar[str] = "write `{name}={value}`"
        name: str


@dataclass(frozen=True)
class AlreadyRun(Error):
    """
    A launch was run a second time. One launch is one piece of work: call the kernel again for another.
    """

    code: ClassVar[str] = "O243"
    title: ClassVar[str] = "this launch of `{kernel}` has been run already"
    helps: ClassVar[tuple[str, ...]] = ("call `{kernel}(...)` again",)
    kernel: str
