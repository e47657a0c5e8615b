"""
Plans: everything about a launch that depends on what arguments look like, found out once.

A plan is for one variant of a kernel and certain extents and strides: the grid, the entry point's integers, the bytes
that each array spans. What is left for each launch are addresses, scalars, and whether arrays overlap. Where the grid
or those integers depend on scalars, a plan is for certain values of these, and knows the plans for others (`fits`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from typing import Any, Final

from freehold.runtime.gpu import driver
from freehold.runtime.gpu.timeline import timelines
from freehold.runtime.launch import launcher
from freehold.runtime.memory.arguments import ArrayView
from freehold.runtime.memory.numpy_types import numpy_dtype
from freehold.runtime.memory.overlap import overlap
from freehold.runtime.memory.storage import Outside, foreign_space
from freehold.runtime.variants.compiled import Compiled
from freehold.runtime.variants.entry import Enqueue, Fill, Mismatch
from freehold.runtime.variants.evaluation import Geometry
from freehold.support.contract import LaunchContract, ScalarParameter, TensorParameter

MOST_FITS: Final = 256
"""Values of scalars for which a plan knows the geometry; past that it forgets all and begins anew."""


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
        """How often it was found by a key and not by a guard (`runtime.launch.readers`)."""
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
        """Whether the checks that depend on scalars hold (`runtime.variants.evaluation`)."""
        self.enqueue: Enqueue = compiled.enqueue
        self.fill: Fill = compiled.fill
        self.functions = compiled.functions
        self.values = launcher.values(self) if self.functions.native else None
        """Launches without Python, where that goes (`runtime.base.native`)."""
        self.quick: tuple[Any, ...] | None = None
        """What reads arguments like those that it was made for, once that was made (`runtime.launch.readers`)."""
        self.fits: dict[tuple[Any, ...], Plan] = {tuple(values[n] for n in evaluator.varies): self}
        """The plans for the same arrays, by the values of the scalars that the geometry depends on."""

    def _for(self, geometry: Geometry) -> None:
        """What depends on the geometry."""
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


def rounded(contract: LaunchContract, values: Sequence[Any]) -> list[Any]:
    """Values with numbers that are too large for a float's dtype made infinite, as NumPy rounds them."""
    return [
        numpy_dtype(p.dtype).type(v) if isinstance(p, ScalarParameter) and p.dtype in ("f16", "f32") else v
        for p, v in zip(contract.parameters, values, strict=True)
    ]
