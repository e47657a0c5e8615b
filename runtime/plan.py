"""
Plans: everything about a launch that depends on what arguments look like, found out once.

A plan is for one variant of a kernel and certain extents and strides: the grid, the entry point's integers, the bytes
that each array spans. What is left for each launch are addresses, scalars, and whether arrays overlap.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from freehold.runtime.arguments import ArrayView
from freehold.runtime.binding import RANGES
from freehold.runtime.evaluation import Geometry
from freehold.runtime.overlap import overlap
from freehold.support.contract import LaunchContract, ScalarParameter, TensorParameter

if TYPE_CHECKING:
    from freehold.runtime.kernel import Compiled

Enqueue = Callable[..., None]
"""`enqueue(plan, stream, *values)`, with an address or a scalar for each of the kernel's run-time arguments."""


class Mismatch(Exception):
    """The arguments of a launch are not what the plan is for, or overlap. The thorough way finds out what it is."""


class Plan:
    """One launch without its addresses."""

    __slots__ = (
        "checked", "config", "device", "enqueue", "family", "integers", "kernel", "layouts", "name", "sizes", "streams",
    )  # fmt: skip

    def __init__(self, compiled: Compiled, views: Sequence[ArrayView], geometry: Geometry, device: int):
        from freehold.runtime import driver

        self.name: str = compiled.name
        self.device = device
        self.family = family_of(views)
        """The library whose current stream is used."""
        i32 = scalar_type("i32")
        self.integers = tuple(i32(i) for i in geometry.integers)
        self.sizes = tuple(v.size for v in views)
        self.layouts = tuple((v.shape, v.strides, v.dtype.itemsize) for v in views)
        self.checked: dict[tuple[int, ...], bool] = {}
        """Whether arrays at these distances overlap, where the spans of their bytes do."""
        blocks = geometry.points
        if compiled.contract.persistent:
            blocks = min(blocks, max(1, driver.multiprocessors(device) * compiled.occupancy // compiled.ctas))
        self.config = driver.config(blocks)
        self.streams = driver.streams[device]
        self.kernel = compiled.loaded(device)
        self.enqueue: Enqueue = compiled.enqueue

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


def make_enqueue(contract: LaunchContract) -> Enqueue:
    """
    A function that checks what is left to check for one launch and enqueues it on a stream.

    It is written out for the contract: the pairs of arrays that must not overlap, the order of the entry point's
    parameters, the types of scalars. Raises `Mismatch` before anything is launched.
    """
    from freehold.runtime import driver

    tensors = [n for n, p in enumerate(contract.parameters) if isinstance(p, TensorParameter)]
    lines = [f"def enqueue(plan, stream, {', '.join(f'v{n}' for n in range(len(contract.parameters)))}):"]
    lines.append(f"    {''.join(f'n{n}, ' for n in tensors)} = plan.sizes")
    for i, n in enumerate(tensors):
        for j, m in enumerate(tensors[i + 1 :], i + 1):
            if {_mode(contract, n), _mode(contract, m)} != {"ref"}:
                lines.append(f"    if v{n} < v{m} + n{m} and v{m} < v{n} + n{n}:")
                lines.append(f"        plan.verify_disjoint({i}, {j}, v{n}, v{m})")
    launch, current = driver.parts()
    scope: dict[str, Any] = {
        "launch": launch, "current": current, "launch_on": driver.launch_on, "failed": driver.failed,
        "Mismatch": Mismatch,
    }  # fmt: skip
    arguments: list[str] = []
    integers = [e for e in contract.entry if e.kind in ("extent", "stride")]
    if integers:
        lines.append(f"    {''.join(f'i{n}, ' for n in range(len(integers)))} = plan.integers")
    count = 0
    for entry in contract.entry:
        if entry.kind == "pointer":
            arguments.append(f"v{entry.argument}")
        elif entry.kind == "scalar":
            parameter = contract.parameters[entry.argument]
            assert isinstance(parameter, ScalarParameter)
            if parameter.dtype in RANGES:
                low, high = RANGES[parameter.dtype]
                lines.append(f"    if not {low} <= v{entry.argument} <= {high}:")
                lines.append("        raise Mismatch")
            scope[f"t{entry.argument}"] = scalar_type(parameter.dtype)
            arguments.append(f"t{entry.argument}(v{entry.argument})")
        else:
            arguments.append(f"i{count}")
            count += 1
    passed = "".join(f", {a}" for a in arguments)
    lines += [
        "    device = current()[1]",
        "    if device is None or int(device) != plan.device:",
        f"        return launch_on(plan.device, stream, plan.config, plan.kernel{passed})",
        "    try:",
        f"        launch(stream, plan.config, plan.kernel{passed})",
        "    except Exception as e:",
        "        failed('a launch', e)",
    ]
    exec("\n".join(lines), scope)
    return scope["enqueue"]


def _mode(contract: LaunchContract, position: int) -> str:
    parameter = contract.parameters[position]
    return parameter.mode if isinstance(parameter, TensorParameter) else ""


_NUMPY_NAMES: Final[Mapping[str, str]] = {
    "bool_": "bool_", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
    "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64", "f16": "float16", "f32": "float32",
    "f64": "float64",
}  # fmt: skip
_NARROW: Final[Mapping[str, str]] = {"bf16": "bfloat16", "f8e4m3fn": "float8_e4m3fn", "f8e5m2": "float8_e5m2"}


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
