"""
Calls matched with signatures: every argument read and checked, and what the kernel is specialised to.

This is the thorough way, taken when a kernel first meets arguments of some kind and when something is wrong; it finds
all errors of a call. `freehold.runtime.launch.launch` remembers its outcome for arguments that look the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

from freehold.frontend.schedule import Choice, Grid, OpenPartition, PartitionSpec
from freehold.frontend.signature import (
    ConstSpec,
    KernelSignature,
    Parameter,
    ScalarSpec,
    Specialisation,
    TensorSpec,
)
from freehold.frontend.syntax.text import primary
from freehold.runtime.base.call_site import CallSite
from freehold.runtime.errors.refusing import errors
from freehold.runtime.launch.partition import Partition
from freehold.runtime.memory.arguments import ArrayView, UnknownDType, Unreadable, view
from freehold.runtime.memory.overlap import overlap, repeated
from freehold.runtime.memory.scalars import held_instead, plain_number, scalar_dtype
from freehold.runtime.memory.views import is_contiguous
from freehold.support import dtypes
from freehold.support.diagnostic import Rejected
from freehold.support.lazy import Lazy
from freehold.support.span import Span
from freehold.support.terms import Term, const, parse, solved

if TYPE_CHECKING:
    from freehold.runtime.launch import advice
    from freehold.support.diagnostic import Error
    from freehold.support.report import Argument
else:
    advice = Lazy("freehold.runtime.launch.advice")

LARGEST: Final = 2**31 - 1


class Bound:
    """The arguments of one call, checked."""

    __slots__ = ("device", "run_time", "specialisation", "views")

    def __init__(self, run_time: tuple[Any, ...], views: tuple[ArrayView, ...], specialisation: Specialisation):
        self.run_time = run_time
        """What is passed when it runs, for each parameter but the compile-time ones: an array's view, or a scalar."""
        self.views = views
        """Of the tensors alone, in order."""
        self.device = views[0].device
        self.specialisation = specialisation

    @property
    def values(self) -> tuple[Any, ...]:
        """What a plan takes: addresses and scalars."""
        return tuple(v.pointer if isinstance(v, ArrayView) else v for v in self.run_time)


class Call:
    """One call that is being checked: collects errors and knows where its arguments stand."""

    def __init__(self, signature: KernelSignature, site: CallSite, schedule: bool = True):
        self.signature = signature
        self.site = site
        self.schedule = schedule
        """Whether the arguments have to say how the launch is cut."""
        self.errors: list[Error] = []
        written = signature.texts or [p.name for p in signature.parameters]
        self.positions: Mapping[str, int] = {p.name: written.index(p.written) for p in signature.parameters}

    def place(self, parameter: Parameter) -> Span | Argument:
        """Where the argument for a parameter is written."""
        return self.site.argument(self.positions[parameter.name], parameter.written, self.signature.kernel)

    def span(self, parameter: Parameter) -> Span | None:
        """The same, if it has source text."""
        place = self.place(parameter)
        return place if isinstance(place, Span) else None

    def text(self, parameter: Parameter) -> str:
        """An argument as the caller wrote it, or else the parameter's name."""
        return self.site.text(self.positions[parameter.name], parameter.written) or parameter.name

    def finish(self) -> None:
        """Raises `Rejected` if anything was found."""
        if self.errors:
            raise Rejected(self.errors)


def bind(
    signature: KernelSignature, arguments: tuple[Any, ...], site: CallSite, hints: Any = (), *, schedule: bool = True
) -> Bound:
    """
    Checks all arguments of a call. Raises `Rejected` with everything that is wrong.

    `hints` were chosen with them. Without a `schedule`, partitions and compile-time values may be left open.
    """
    schedule = schedule and signature.cut
    call = Call(signature, site, schedule)
    tensors: list[tuple[Parameter, ArrayView, PartitionSpec | None]] = []
    specs: list[TensorSpec | ScalarSpec | ConstSpec | None] = []
    values: list[Any] = []
    for parameter, argument in zip(signature.parameters, arguments, strict=True):
        partition = argument if isinstance(argument, Partition) else None
        value = argument if partition is None else partition.array
        if partition is not None and parameter.is_tensor and not signature.cut:
            call.errors.append(errors.PartitionGiven(call.place(parameter), parameter.name, signature.kernel))
            continue
        if not parameter.is_tensor:
            if parameter.mode == "scalar":
                values.append(plain_number(scalar_dtype(parameter), argument))
                specs.append(_scalar(call, parameter, argument, values[-1]))
            else:
                specs.append(_constant(call, parameter, argument))
            continue
        given = None if partition is None else partition.spec
        spec = None if isinstance(given, OpenPartition) else given
        found = _tensor(call, parameter, value, spec)
        specs.append(None if found is None else found.spec(spec))
        if found is not None:
            values.append(found)
            tensors.append((parameter, found, spec))
    grid = next((s.value for s in specs if isinstance(s, ConstSpec) and isinstance(s.value, Grid)), None)
    written = [p for p in signature.parameters if p.mode in ("mut", "out")]
    cut = any(isinstance(a, Partition) and not isinstance(a.spec, OpenPartition) for a in arguments)
    if schedule and not written and grid is None and not cut:
        error = errors.NothingPartitioned(site.span, signature.kernel)
        shared = [p for p in signature.parameters if p.is_tensor and p.mode != "ref"]
        if not shared and (result := signature.returns) is not None:
            name = next(n for n in ("y", "out", "result", "output") if all(p.name != n for p in signature.parameters))
            error.add(error.Result(name, result))
        elif not shared:
            for parameter in [p for p in signature.parameters if p.is_tensor][:1]:
                error.add(error.Declare(parameter.name, parameter.annotation.replace("Ref", "Out", 1)))
        elif tensors:  # what is read, or else what is updated: its tiles are the work
            parameter, found, _ = next((t for t in tensors if t[0].mode == "ref"), tensors[0])
            error.add(error.Partition(call.text(parameter), advice.suggested_tile(found.shape)))
        call.errors.append(error)
    call.finish()
    constants = {
        p.name: s.value
        for p, s in zip(signature.parameters, specs, strict=True)
        if isinstance(s, ConstSpec) and type(s.value) is int
    }
    _together(call, [(p.given(constants), view, spec) for p, view, spec in tensors], grid)
    call.finish()
    kept = [s for s in specs if s is not None]
    return Bound(tuple(values), tuple(v for _, v, _ in tensors), Specialisation(tuple(kept), hints))


# --- One argument -----------------------------------------------------------------------------------------------------


def _tensor(call: Call, parameter: Parameter, value: object, partition: PartitionSpec | None) -> ArrayView | None:
    """One array, or None where anything about it is wrong."""
    name, kernel, annotation = parameter.name, call.signature.kernel, parameter.annotation
    before = len(call.errors)
    add = call.errors.append
    try:
        found = view(value)
    except UnknownDType as e:
        known = ", ".join(d.name for d in dtypes.ALL if d.storage_bits)
        error = errors.DTypeUnknown(call.place(parameter), name, kernel, e.name, known)
        text = _array_text(call, parameter, partition)
        if (packed := dtypes.from_name(e.name)) is not None and packed.bits == 4:
            error.add(error.AsBytes(packed.name))
        elif "complex" in e.name and text:
            error.add(error.AsParts(advice.as_parts(text, value, e.name)))
        elif text and parameter.mode == "ref" and (edit := advice.as_known(text, parameter, value)):
            error.add(error.AsDType(edit))
        add(error)
        return None
    except Unreadable as e:
        text = _array_text(call, parameter, partition)
        add(advice.no_array(call.place(parameter), kernel, parameter, value, e.why, text))
        return None
    shape, contiguous = found.shape, is_contiguous(found.shape, found.strides, found.dtype.itemsize)
    if parameter.dtype is not None and found.dtype != parameter.dtype:
        add(errors.WrongDType(call.place(parameter), name, kernel, found.dtype.name, parameter.dtype.name, annotation))
    of_its_rank = parameter.dims is None or len(shape) == len(parameter.dims)
    if parameter.dims is not None and not of_its_rank:
        wanted = len(parameter.dims)
        error = errors.WrongRank(call.place(parameter), name, kernel, len(shape), wanted, annotation, shape)
        text = _array_text(call, parameter, partition)
        if text and wanted:
            if wanted == 1 and (parameter.mode == "ref" or contiguous):  # what is written into a copy is lost
                error.add(error.Reshape(primary(text), "-1"))
            elif len(shape) == 1:
                error.add(error.Reshape(primary(text), ", ".join(["1"] * (wanted - 1) + ["-1"])))
        add(error)
    if 0 in shape:
        add(errors.EmptyTensor(call.place(parameter), name, kernel, shape, shape.index(0)))
        return None
    if any(s % found.dtype.itemsize for s in found.strides) or found.pointer % found.dtype.itemsize:
        add(errors.StridesNotWhole(call.place(parameter), name, kernel, found.strides, found.dtype.itemsize))
        return None
    strides = found.element_strides
    for axis, (extent, stride) in enumerate(zip(shape, strides, strict=True)):
        if stride < 0 or (stride == 0 and parameter.mode != "ref"):
            error = errors.StrideNotPositive(call.place(parameter), name, kernel, stride, axis, strides)
            text = _array_text(call, parameter, partition)
            known = parameter.mode == "ref" and text and found.family in ("numpy", "cupy")
            add(error.add(error.CopyAs(f"{found.family}.ascontiguousarray({text})") if known else error.Copy()))
            return None
        if extent > LARGEST:
            add(errors.TooLarge(call.place(parameter), name, kernel, "extent", extent, axis))
        elif stride > LARGEST:
            add(errors.TooLarge(call.place(parameter), name, kernel, "stride", stride, axis))
    if of_its_rank and ((parameter.mode in ("mut", "out") and call.signature.cut) or partition is not None):
        _partitioned(call, parameter, shape, partition)
    if parameter.mode != "ref":
        _writable(call, parameter, found)
    return found if len(call.errors) == before else None


def _array_text(call: Call, parameter: Parameter, partition: PartitionSpec | None) -> str:
    """An array as the caller wrote it; empty where it is in a partition that is made elsewhere."""
    return advice.array_text(call.text(parameter), partition is not None)


def _partitioned(call: Call, parameter: Parameter, shape: tuple[int, ...], partition: PartitionSpec | None) -> None:
    """The partition of an array that is split into regions."""
    name, kernel = parameter.name, call.signature.kernel
    if partition is None and not call.schedule:
        return
    if partition is None:
        tile = advice.suggested_tile(shape)
        call.errors.append(
            errors.PartitionMissing(
                call.place(parameter), name, kernel, parameter.annotation, call.text(parameter), tile
            )
        )
    elif len(partition.tile) != len(shape):
        error = errors.PartitionRank(call.place(parameter), name, partition.tile, len(shape), shape)
        call.errors.append(error.add(error.Extents(advice.suggested_tile(shape))))


def _writable(call: Call, parameter: Parameter, found: ArrayView) -> None:
    """What is asked of an array that is written."""
    name, kernel = parameter.name, call.signature.kernel
    shape, strides = found.shape, found.element_strides
    if found.read_only is not None:
        why, remedy = found.read_only
        remedy = remedy.format(kernel=kernel, name=name)
        call.errors.append(errors.ReadOnlyOutput(call.place(parameter), name, kernel, why, remedy))
    difference = repeated(shape, strides)
    if difference is not None:
        if difference:
            first = tuple(max(0, -d) for d in difference)
            second = tuple(max(0, d) for d in difference)
            witness = f"elements {_index(first)} and {_index(second)} are the same memory"
        else:
            witness = "that its elements are separate could not be shown"
        call.errors.append(errors.OutputOverlapsItself(call.place(parameter), name, kernel, shape, strides, witness))


def _index(index: tuple[int, ...]) -> str:
    return f"[{', '.join(map(str, index))}]"


def _scalar(call: Call, parameter: Parameter, value: Any, number: float | None) -> ScalarSpec | None:
    """A scalar, given the number that it is."""
    dtype = scalar_dtype(parameter)
    if number is not None:
        return ScalarSpec(dtype)
    if dtype.kind == "bool":
        wanted = "`True` or `False`"
    elif dtype.kind == "int":
        low, high = dtypes.bounds(dtype)
        wanted = f"an integer from {low} to {high}"
    else:
        holds = held_instead(dtype, value)
        wanted = "a number" if holds is None else f"a number that `{dtype}` holds ({holds})"
    _wrong_value(call, parameter, value, wanted)
    return None


def _constant(call: Call, parameter: Parameter, value: Any) -> ConstSpec | None:
    """A compile-time argument."""
    if isinstance(value, Choice) and not call.schedule and call.signature.cut:
        return ConstSpec(value)
    extent = value is not None and type(value) is not int and call.signature.is_extent(parameter)
    if _is_constant(parameter, value) and not extent:
        return ConstSpec(value)
    if extent and not isinstance(value, Choice):
        _wrong_value(call, parameter, value, "an integer, as it is an extent")
        return None
    kind = parameter.type
    if kind is None and not isinstance(value, Partition | Choice):
        wanted = "something that can be hashed, such as a number or a tuple"
    else:
        wanted = f"an `{kind.__name__}`" if kind is int else f"a `{kind.__name__ if kind else 'constant'}`"
    _wrong_value(call, parameter, value, wanted)
    return None


def _is_constant(parameter: Parameter, value: Any) -> bool:
    """Whether a value is taken for a compile-time parameter."""
    kind = parameter.type
    try:
        hash(value)
    except TypeError:
        return False
    exact = type(value) is kind or kind is None or (kind not in (int, bool, float) and isinstance(value, kind))
    return exact and not isinstance(value, Partition | Choice)


def _wrong_value(call: Call, parameter: Parameter, value: Any, expected: str) -> None:
    """Adds the error for what is no scalar or constant as it is `expected`."""
    given = "a partition" if isinstance(value, Partition) else advice.described(value)
    kernel, annotation = call.signature.kernel, parameter.annotation
    extent = call.signature.is_extent(parameter)

    def taken(made: Any) -> bool:
        if parameter.mode == "scalar":
            return plain_number(scalar_dtype(parameter), made) is not None
        return _is_constant(parameter, made) and not (type(made) is float and extent)

    place = call.place(parameter)
    if not isinstance(place, Span) and value is parameter.default:
        place = parameter.span or place
    error = errors.WrongScalar(place, parameter.name, kernel, expected, given, annotation)
    if (edit := advice.converted(value, call.text(parameter), taken)) is not None:
        error.add(error.Convert(edit))
    elif advice.has_elements(value):
        error.add(error.AsTensor(parameter.name))
    call.errors.append(error)


# --- All arguments together -------------------------------------------------------------------------------------------


def _together(
    call: Call, tensors: Sequence[tuple[Parameter, ArrayView, PartitionSpec | None]], grid: Grid | None
) -> None:
    kernel = call.signature.kernel
    first, first_view, _ = tensors[0]
    for parameter, found, _ in tensors[1:]:
        if found.device != first_view.device:
            call.errors.append(
                errors.HostAndDevice(
                    call.place(parameter), kernel, parameter.name, found.place, first.name, first_view.place
                )
            )
    if grid is None:  # or else the launch's points are those of no partition
        _schedules(call, [(p, v, s) for p, v, s in tensors if s is not None], {p.name: v for p, v, _ in tensors})
    call.errors += contract_errors(call, [p for p, _, _ in tensors], [v.shape for _, v, _ in tensors])
    # What is moved or freed is refused when it is leased; its memory may be another array's by now.
    there = [(p, v) for p, v, _ in tensors if not _is_lost(v)]
    for (p, v), (q, w) in combinations(there, 2):
        if (p.mode != "ref" or q.mode != "ref") and v.device == w.device and shares_memory(v, w):
            call.errors.append(overlap_error(call, (p, v), (q, w)))


def _schedules(
    call: Call, partitions: Sequence[tuple[Parameter, ArrayView, PartitionSpec]], views: Mapping[str, ArrayView]
) -> None:
    if not partitions:
        return
    kernel = call.signature.kernel
    domains = [_domain(found, spec, views) for _, found, spec in partitions]
    leader = max(range(len(domains)), key=lambda n: len(domains[n]))
    (first, first_view, first_spec), grid = partitions[leader], domains[leader]
    for n, (parameter, found, spec) in enumerate(partitions):
        if (spec.order, spec.blocks, spec.count) != (first_spec.order, first_spec.blocks, first_spec.count):
            schedules = [f"order {s.order} and blocks {s.count or s.blocks.name}" for s in (spec, first_spec)]
            call.errors.append(
                errors.SchedulesDiffer(
                    call.place(parameter), kernel, parameter.name, schedules[0], first.name, schedules[1]
                )
            )
        elif n != leader and not _agree(parameter, domains[n], grid) and not call.signature.takes_windows():
            error = errors.GridsDiffer(
                call.place(parameter),
                kernel,
                parameter.name,
                str(found.shape),
                str(spec.tile),
                _regions(domains[n]),
                first.name,
                str(first_view.shape),
                str(first_spec.tile),
                _regions(grid),
            )
            own, text = len(domains[n]), advice.array_text(call.text(parameter), True)
            plain = first_spec.plain and spec.plain
            if own == len(grid) and plain and found.shape == first_view.shape and text:
                tile = first_spec.tile
                error.add(error.SameTile(text, str(tile[0]) if len(tile) == 1 else str(tile)))
            if own < len(grid) and domains[n] == grid[:own] and plain:
                rest = (1 << (extent - 1).bit_length() for extent in first_view.shape[own:])
                error.add(error.OneTile(str((*first_spec.tile[:own], *rest))))
            elif parameter.of is not None and parameter.of == first.of and found.shape != first_view.shape:
                error.add(error.OneShape(kernel, parameter.of))
            if parameter.mode in ("mut", "out") and found.shape and all(extent == 1 for extent in domains[n]):
                error.add(error.AddUp(", ".join("0" * len(found.shape))))
            call.errors.append(error)


def _is_lost(found: ArrayView) -> bool:
    """Whether an array is a tensor of ours whose memory it has no right to any more."""
    owner: Any = found.owner
    return found.family == "freehold" and bool(owner.storage.lost_to(owner))


def _agree(parameter: Parameter, own: tuple[int, ...], domain: tuple[int, ...]) -> bool:
    """Whether a partition's points are the leading coordinates of a launch's. Several points may read one place, but
    not write it."""
    shared = parameter.mode not in ("mut", "out")
    return own == domain[: len(own)] and (shared or all(extent == 1 for extent in domain[len(own) :]))


def _domain(found: ArrayView, spec: PartitionSpec, views: Mapping[str, ArrayView]) -> tuple[int, ...]:
    """The extents of the domain that a partition asks for."""
    groups = None
    if spec.groups is not None:
        offsets = views.get(spec.groups.by)
        groups = const(offsets.shape[0] - 1 if offsets is not None and offsets.shape else 1)
    try:
        return tuple(t.evaluate({}) for t in spec.domain([const(extent) for extent in found.shape], groups))
    except ZeroDivisionError:
        return (0,) * len(spec.point_map.domain)


def _regions(grid: tuple[int, ...]) -> str:
    if grid == (1,):
        return "1 region"
    return f"{_times(grid)} regions" if grid else "one block owns all regions"


def _times(grid: tuple[int, ...]) -> str:
    return " x ".join(map(str, grid))


def shares_memory(first: ArrayView, second: ArrayView) -> bool:
    """Whether two arrays share a byte, or may."""
    return overlap(
        (first.pointer, first.shape, first.strides, first.dtype.itemsize),
        (second.pointer, second.shape, second.strides, second.dtype.itemsize),
    )


def overlap_error(call: Call, first: tuple[Parameter, ArrayView], second: tuple[Parameter, ArrayView]) -> Error:
    """The error for two arguments that share memory; the one that is written is the culprit."""
    if second[0].mode != "ref":
        first, second = second, first
    (parameter, found), (other, other_view) = first, second
    start = max(found.pointer, other_view.pointer)
    end = min(found.pointer + found.size, other_view.pointer + other_view.size)
    low, high = start - found.pointer, end - found.pointer
    shared = f"they share bytes among {low} .. {high} of `{parameter.name}` and among "
    shared += f"{start - other_view.pointer} .. {end - other_view.pointer} of `{other.name}`"
    error = errors.ArgumentsOverlap(call.place(parameter), parameter.name, other.name, call.signature.kernel, shared)
    if (span := call.span(other)) is not None:
        error.add(error.Other(span, "shared" if other.mode == "ref" else "exclusive"))
    if (span := parameter.span) is not None:
        error.add(error.Declared(span))
    return error


def contract_errors(call: Call, parameters: Sequence[Parameter], shapes: Sequence[tuple[int, ...]]) -> Iterator[Error]:
    """Where extents break what the signature says about them."""
    kernel = call.signature.kernel
    dims: list[tuple[Parameter, tuple[int, ...], int, Term]] = []
    given = sorted(zip(parameters, shapes, strict=True), key=lambda each: each[0].dims is not None)
    for parameter, shape in given:  # what is not declared says itself what its extents are, and comes first
        texts = parameter.dims or [f"{parameter.name}.shape[{axis}]" for axis in range(len(shape))]
        dims += [(parameter, shape, axis, parse(text)) for axis, text in enumerate(texts)]
    bound: dict[str, tuple[Parameter, tuple[int, ...], int]] = {}
    values: dict[str, int] = {}
    for name, found in solved([term for _, _, _, term in dims]).items():
        array, extents, along, _ = dims[found.at]
        bound[name] = array, extents, along
        values[name] = found.of(extents[along], values)
    for parameter, shape, axis, term in dims:
        expected = _extent(term, values)
        if expected is None:
            unknown = min(term.symbols() - values.keys())
            yield errors.DimensionUnbound(parameter.span or call.place(parameter), kernel, unknown, str(term))
            continue
        if expected == shape[axis]:
            continue
        used = sorted(term.symbols())
        given = [
            f"`{n}` is {values[n]} by `{bound[n][0].name}`, whose shape is {bound[n][1]}" for n in used if n in bound
        ]
        origin = " and ".join(given) or f"`{parameter.annotation}` says so"
        if any(bound.get(n) == (parameter, shape, axis) for n in used):  # it is what says what the name is
            origin = (
                f"`{term}` is {shape[axis]} for no whole number `{used[-1]}`, and {expected} for {values[used[-1]]}"
            )
        error = errors.DimensionMismatch(
            call.place(parameter), kernel, str(term), expected, parameter.name, axis, shape[axis], shape, origin
        )
        if parameter.span is not None:
            error.add(error.Declared(parameter.span))
        wanted = [_extent(t, values) for p, _, _, t in dims if p is parameter]
        if len(shape) == 2 and parameter.mode == "ref" and wanted == [*reversed(shape)]:
            error.add(error.Transposed(call.text(parameter)))
        if parameter.of is not None and any(n in bound and bound[n][0].of == parameter.of for n in used):
            error.add(error.OneShape(kernel, parameter.of))
        yield error


def _extent(term: Term, values: Mapping[str, int]) -> int | None:
    """The extent that a signature asks for, which is 0 where it divides by zero; None where a name is not known."""
    try:
        return term.evaluate(values) if term.symbols() <= values.keys() else None
    except ZeroDivisionError:
        return 0
