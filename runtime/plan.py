"""
Plans: everything about a launch that depends on what arguments look like, found out once.

A plan is for one variant of a kernel and certain extents and strides: the grid, the entry point's integers, the bytes
that each array spans. What is left for each launch are addresses, scalars, and whether arrays overlap. Where the grid
or those integers depend on scalars, a plan is for certain values of these, and knows the plans for others (`fits`).
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from freehold.runtime import native
from freehold.runtime.arguments import ArrayView
from freehold.runtime.evaluation import Geometry
from freehold.runtime.overlap import overlap
from freehold.runtime.storage import Outside, foreign_space
from freehold.runtime.timeline import timelines
from freehold.support.contract import LaunchContract, ScalarParameter, TensorParameter

if TYPE_CHECKING:
    from freehold.runtime.compiled import Compiled

Enqueue = Callable[..., None]
"""
`enqueue(plan, handle, *values)`: on a stream's handle, with an address or a scalar for each of the kernel's run-time
arguments. Raises `Mismatch`, `TypeError`, `OverflowError` or `struct.error` for values that cannot be passed; nothing
was launched then.
"""

MOST_FITS: Final = 256
"""Values of scalars for which a plan knows the geometry; past that it forgets all and begins anew."""

Fill = Callable[..., None]
"""`fill(memory, *values)`: packs the same values, as `enqueue` would."""


class Mismatch(Exception):
    """The arguments of a launch are not what the plan is for, or overlap. The thorough way finds out what it is."""


class Plan:
    """One launch without its addresses."""

    __slots__ = (
        "admits", "blocks", "checked", "compiled", "configs", "contract", "device", "enqueue", "extents", "family",
        "fill", "fits", "functions", "integers", "kernel",
        "layout", "layouts", "loaded", "missed", "name", "outside", "packed", "quick", "sizes",
        "timelines", "values", "writes",
    )  # fmt: skip

    def __init__(
        self, compiled: Compiled, views: Sequence[ArrayView], values: Sequence[Any], geometry: Geometry, device: int
    ):

        self.compiled = compiled
        self.name: str = compiled.name
        self.device = device
        self.family = family_of(views)
        """The library whose current stream is used."""
        self.sizes = tuple(v.size for v in views)
        self.layouts = tuple((v.shape, v.strides, v.dtype.itemsize) for v in views)
        self.checked: dict[tuple[int, ...], bool] = {}
        """Whether arrays at these distances overlap, where the spans of their bytes do."""
        self.missed = 0
        """How often it was found by a key and not by a guard (`runtime.readers`)."""
        self.timelines = timelines[device]
        self.outside = foreign_space(device)
        """Of all memory of other libraries on the GPU."""
        tensors = [p for p in compiled.contract.parameters if isinstance(p, TensorParameter)]
        self.writes = tuple(p.mode != "ref" for p in tensors)
        """By array: whether it is more than read."""
        self.loaded = compiled.loaded(device)
        self.kernel = int(self.loaded.handle)
        self.contract = compiled.contract
        self.layout = compiled.layout
        self._for(geometry)
        evaluator = compiled.evaluator
        self.extents: tuple[int, ...] = evaluator.extents([v.shape for v in views])
        """The values of the contract's symbols of extents."""
        self.admits: Callable[[Sequence[int], Sequence[Any]], bool] | None = evaluator.admits
        """Whether the checks that depend on scalars hold (`runtime.evaluation`)."""
        self.enqueue: Enqueue = compiled.enqueue
        self.fill: Fill = compiled.fill
        self.functions = compiled.functions
        self.values = native.values(self) if self.functions.native else None
        """Launches without Python, where that goes (`runtime.native`)."""
        self.quick: tuple[Any, ...] | None = None
        """What reads arguments like those that it was made for, once that was made (`runtime.readers`)."""
        self.fits: dict[tuple[Any, ...], Plan] = {tuple(values[n] for n in evaluator.varies): self}
        """The plans for the same arrays, by the values of the scalars that the geometry depends on."""

    def _for(self, geometry: Geometry) -> None:
        """What depends on the geometry."""
        from freehold.runtime import driver

        self.integers = geometry.integers
        self.blocks = geometry.points
        compiled = self.compiled
        if compiled.contract.persistent:
            most = driver.multiprocessors(self.device) * compiled.occupancy // compiled.ctas
            most = compiled.contract.blocks or max(1, most)
            self.blocks = min(self.blocks, most)
        self.configs: dict[int, Any] = {}
        """Launch configurations, by the handle of their stream."""
        self.packed: list[tuple[bytearray, int, Any]] = []
        """Memory for the parameters of a launch that is not in use by one: bytes, the address of their addresses, and
        what keeps that alive. What the plan knows is in there."""

    def fit(self, *scalars: Any) -> Plan:
        """The plan for the same arrays and other values of the scalars that the geometry depends on. Raises `Mismatch`
        where there is no launch for these."""
        evaluator = self.compiled.evaluator
        shapes = [shape for shape, _, _ in self.layouts]
        strides = [[s // size for s in strides] for _, strides, size in self.layouts]
        geometry = evaluator.evaluate(shapes, strides, dict(zip(evaluator.varies, scalars, strict=True)))
        if geometry is None:
            raise Mismatch
        found = copy(self)
        found._for(geometry)
        if len(self.fits) >= MOST_FITS:
            self.fits.clear()
        self.fits[scalars] = found
        return found

    def config(self, handle: int) -> Any:
        """The launch configuration for a stream."""
        from freehold.runtime import driver

        found = self.configs[handle] = driver.launch_config(self.blocks, handle)
        return found

    def leases(self, *pointers: int) -> tuple[list[Outside], list[Outside]]:
        """Other libraries' arrays at these addresses, as the ledger knows them: those that are read, and the others."""
        found: tuple[list[Outside], list[Outside]] = ([], [])
        for pointer, size, written in zip(pointers, self.sizes, self.writes, strict=True):
            found[written].append(Outside(self.device, pointer, pointer + size))
        return found

    def parameters(self) -> tuple[bytearray, int, Any]:
        """More memory for parameters."""
        from freehold.runtime import driver

        return driver.parameter_block(self.layout.filled(self.integers), self.layout.offsets)

    def verify_disjoint(self, first: int, second: int, p: int, q: int) -> None:
        """Raises `Mismatch` if two arrays at these addresses, whose spans overlap, share a byte."""
        key = (first, second, q - p)
        shared = self.checked.get(key)
        if shared is None:
            (a, b, c), (d, e, f) = self.layouts[first], self.layouts[second]
            if len(self.checked) > 256:
                self.checked.clear()
            shared = self.checked[key] = overlap((0, a, b, c), (q - p, d, e, f))
        if shared:
            raise Mismatch


def family_of(views: Sequence[ArrayView]) -> str:
    """The library whose current stream a launch uses: torch's before CuPy's; empty for the default stream."""
    families = {v.family for v in views}
    return "torch" if "torch" in families else "cupy" if "cupy" in families else ""


class Layout:
    """
    Where the parameters of a contract's entry point lie in memory, eight bytes each: what a launch brings, in front,
    and behind it the extents and strides that a plan knows.
    """

    def __init__(self, contract: LaunchContract):
        self.given: Final = [n for n, e in enumerate(contract.entry) if e.kind in ("pointer", "scalar", "failures")]
        """The parameters that each launch brings, of the entry point's."""
        known = [n for n, e in enumerate(contract.entry) if e.kind in ("extent", "stride")]
        places = {n: 8 * place for place, n in enumerate([*self.given, *known])}
        self.offsets: Final = tuple(places[n] for n in range(len(contract.entry)))
        """By parameter of the entry point, in bytes."""

    def filled(self, integers: Sequence[int]) -> bytearray:
        """Memory with the integers that a plan knows."""
        data = bytearray(8 * max(1, len(self.offsets)))
        for place, value in enumerate(integers, len(self.given)):
            struct.pack_into("=i", data, 8 * place, value)
        return data


class Functions(NamedTuple):
    """What is written out for a contract."""

    enqueue: Enqueue
    fill: Fill
    body: tuple[str, ...]
    """The lines of `enqueue`: what reads addresses has them for its own. They work on `plan`, `handle`, `v0`, ..."""
    scope: dict[str, Any]
    """The globals that the lines need."""
    native: bool
    """Whether `plan.values` comes before the lines."""


def make_enqueue(contract: LaunchContract, layout: Layout, asks: bool, varies: Sequence[int] = ()) -> Functions:
    """
    A function that checks what is left to check for one launch and enqueues it on a stream, and one that only packs.

    They are written out for the contract: the pairs of arrays that must not overlap, and how addresses and scalars are
    packed. Extents and strides lie in the plan's memory already. `asks` says that checks depend on scalars, `varies` on
    which scalars, by position, the geometry depends. The native module comes first, where it takes such launches; it
    does nothing where anything is unusual.
    """
    from freehold.runtime import driver

    tensors = [n for n, p in enumerate(contract.parameters) if isinstance(p, TensorParameter)]
    given = ", ".join(f"v{n}" for n in range(len(contract.parameters)))
    lines: list[str] = []
    lines.append(f"    {''.join(f'n{n}, ' for n in tensors)} = plan.sizes")
    for i, n in enumerate(tensors):
        for j, m in enumerate(tensors[i + 1 :], i + 1):
            if {_mode(contract, n), _mode(contract, m)} != {"ref"}:
                lines.append(f"    if -n{n} < v{n} - v{m} < n{m}:")
                lines.append(f"        plan.verify_disjoint({i}, {j}, v{n}, v{m})")
    if asks:
        lines.append(f"    if not plan.admits(plan.extents, ({given}, )):")
        lines.append("        raise mismatch")
    own = "plan"  # which the lines may not assign: a reader has it for a global
    if varies:
        own, scalars = "own", ", ".join(f"v{n}" for n in varies)
        lines.append(f"    own = plan.fits.get(({scalars}, )) or plan.fit({scalars})")
    scope: dict[str, Any] = {"failed": driver.launch_failed, "mismatch": Mismatch, "thread": native.thread}
    # A reader has the lines among its own, whose `current` is a library's current stream.
    scope["launch"], scope["gpu"] = driver.parts()
    form, values = "=", list[str]()
    for entry in (contract.entry[n] for n in layout.given):
        if entry.kind == "failures":
            from freehold.runtime import failures

            scope["enter"] = failures.enter
            form += "Q"
            values.append("enter(plan, handle)")
            continue
        parameter = contract.parameters[entry.argument]
        if isinstance(parameter, TensorParameter):
            form += "Q"
            values.append(f"v{entry.argument}")
            continue
        code = _CODES.get(parameter.dtype)
        if code is None:  # its bits
            code = _CODES[f"u{8 * numpy_dtype(parameter.dtype).itemsize}"]
            scope[f"bits{entry.argument}"] = scalar_type(parameter.dtype)
            values.append(f"int(bits{entry.argument}(v{entry.argument}))")
        else:
            values.append(f"v{entry.argument}")
        form += f"{code}{8 - struct.calcsize(f'={code}')}x"
    scope["pack"] = struct.Struct(form).pack_into
    lines += [
        f"    config = {own}.configs.get(handle) or {own}.config(handle)",
        "    try:",
        f"        block = {own}.packed.pop()",
        "    except IndexError:",
        f"        block = {own}.parameters()",
        f"    pack(block[0], 0, {', '.join(values)})",
    ]
    if driver.device_count() == 1:
        lines.append("    error = thread.new or launch(config, plan.kernel, block[1], 0)[0]")
    else:
        lines.append("    elsewhere = thread.new or gpu()[1] != plan.device")
        lines.append("    error = elsewhere or launch(config, plan.kernel, block[1], 0)[0]")
    lines += [
        "    if error:",  # no context, or another GPU's, is current in this thread; or it is a real one
        "        failed(error, plan.device, config, plan.kernel, block[1])",
        f"    {own}.packed.append(block)",  # the driver has copied what is in it
    ]
    fill = [f"def fill(data, {given}):", f"    pack(data, 0, {', '.join(values)})"]
    if "enter" in scope:  # each launch has words of its own
        fill[1:] = ["    raise mismatch"]
    head = [f"def enqueue(plan, handle, {given}):"]
    plain = native.takes(contract, layout) and not asks and not varies
    if plain:
        head += [f"    if plan.values.values(handle, {given}):", "        return"]
    exec("\n".join([*head, *lines, *fill]), scope)
    return Functions(scope["enqueue"], scope["fill"], tuple(lines), scope, plain)


def rounded(contract: LaunchContract, values: Sequence[Any]) -> list[Any]:
    """Values with numbers that are too large for a float's dtype made infinite, as NumPy rounds them."""
    return [
        numpy_dtype(p.dtype).type(v) if isinstance(p, ScalarParameter) and p.dtype in ("f16", "f32") else v
        for p, v in zip(contract.parameters, values, strict=True)
    ]


_CODES: Final[Mapping[str, str]] = {**native.CODES, "f16": "e"}
"""How `struct` calls the dtypes that it can pack."""


def _mode(contract: LaunchContract, position: int) -> str:
    parameter = contract.parameters[position]
    return parameter.mode if isinstance(parameter, TensorParameter) else ""


_NUMPY_NAMES: Final[Mapping[str, str]] = {
    "bool_": "bool_", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
    "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64", "f16": "float16", "f32": "float32",
    "f64": "float64",
}  # fmt: skip
_NARROW: Final[Mapping[str, str]] = {
    "bf16": "bfloat16", "f8e4m3fn": "float8_e4m3fn", "f8e5m2": "float8_e5m2", "f8e8m0fnu": "float8_e8m0fnu",
}  # fmt: skip


def scalar_type(dtype: str) -> Callable[[Any], Any]:
    """What makes a NumPy scalar of a dtype from a value, in a form that a launch can pass."""
    import numpy

    if dtype in _NUMPY_NAMES:
        return getattr(numpy, _NUMPY_NAMES[dtype])
    import ml_dtypes

    narrow: Any = getattr(ml_dtypes, _NARROW[dtype])
    bits: Any = numpy.uint16 if dtype == "bf16" else numpy.uint8
    # cuda.core passes NumPy's own scalars; the others travel as their bits.
    return lambda value: numpy.asarray(value, narrow).view(bits)[()]


def numpy_dtype(dtype: str) -> Any:
    """NumPy's dtype, or ml_dtypes', of the name of one of ours."""
    import numpy

    if dtype in _NUMPY_NAMES:
        return numpy.dtype(_NUMPY_NAMES[dtype])
    import ml_dtypes

    return numpy.dtype(getattr(ml_dtypes, _NARROW[dtype]))
