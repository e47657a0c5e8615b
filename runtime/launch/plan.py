"""
Plans: everything about a launch that depends on what arguments look like, found out once.

A plan is for one variant of a kernel and certain extents and strides: the grid, the entry point's integers, the bytes
that each array spans. What is left for each launch are addresses, scalars, and whether arrays overlap. Where the grid
or those integers depend on scalars, a plan is for certain values of these, and knows the plans for others (`fits`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from itertools import combinations
from math import prod
from struct import error as StructError
from typing import Any, Final

from freehold.runtime.base import native
from freehold.runtime.gpu import captures, checked, driver, kernels
from freehold.runtime.memory.arguments import ArrayView
from freehold.runtime.memory.ledger import Busy, Refusal
from freehold.runtime.memory.overlap import overlap
from freehold.runtime.variants.compiled import Compiled
from freehold.runtime.variants.entry import Mismatch
from freehold.runtime.variants.evaluation import Evaluator, Geometry

MOST_FITS: Final = 256
"""Values of scalars for which a plan knows the geometry; past that it forgets all and begins anew."""

MOST_EARLY: Final = 30 * 10**6
"""Bytes of all arrays' elements up to which a launch whose blocks fill a multiprocessor each begins early in a graph of
others. On an H200 products with up to so many took 3 to 10 % less time, and of those with more some took up to a
quarter more."""

WRONG: Final = (
    Busy,
    Mismatch,
    Refusal,
    AttributeError,
    RuntimeError,
    TypeError,
    ValueError,
    OverflowError,
    StructError,
)
"""What comes of reading or passing something that is no good. The driver's errors are `Rejected`."""


class Arrays:
    """What a plan knows of arrays and scalars, wherever it runs."""

    __slots__ = ("_apart", "_disjoint", "_tensors", "admits", "evaluator", "extents", "layouts", "sizes", "writes")

    def __init__(self, evaluator: Evaluator, views: Sequence[ArrayView]):
        self.evaluator: Final = evaluator
        self.sizes: Final = tuple(v.size for v in views)
        self.layouts: Final = tuple((v.shape, v.strides, v.dtype.itemsize) for v in views)
        """Extents, strides in bytes, and the size of an element."""
        self.writes: Final = tuple(p.mode != "ref" for _, p in evaluator.tensors)
        """By array: whether it is more than read."""
        self.extents: tuple[int, ...] = evaluator.extents([v.shape for v in views])
        """The values of the contract's symbols of extents."""
        self.admits: Callable[[Sequence[int], Sequence[Any]], bool] | None = evaluator.admits
        """Whether the checks that depend on scalars hold (`runtime.variants.evaluation`)."""
        self._tensors = [n for n, _ in evaluator.tensors]
        self._apart = [(i, j) for i, j in combinations(range(len(views)), 2) if self.writes[i] or self.writes[j]]
        self._disjoint: dict[tuple[int, ...], bool] = {}
        """Whether arrays at these distances overlap, where the spans of their bytes do."""

    def verify(self, values: Sequence[Any]) -> None:
        """Raises `Mismatch` if arrays at these addresses share a byte, or the scalars among the values do not fit."""
        pointers = [values[n] for n in self._tensors]
        for i, j in self._apart:
            if -self.sizes[i] < pointers[i] - pointers[j] < self.sizes[j]:
                self._verify_disjoint(i, j, pointers[j] - pointers[i])
        if self.admits is not None and not self.admits(self.extents, values):
            raise Mismatch

    def geometry(self, scalars: Sequence[Any]) -> Geometry:
        """What a launch is with other scalars where it depends on them. Raises `Mismatch` where there is none."""
        shapes = [shape for shape, _, _ in self.layouts]
        strides = [tuple([s // size for s in strides]) for _, strides, size in self.layouts]
        evaluator = self.evaluator
        values = dict(zip(evaluator.varies, scalars, strict=True))
        found = evaluator.evaluate(shapes, strides, values)
        if found is None or (evaluator.judge and evaluator.judge(found, shapes, strides, values, None)):
            raise Mismatch
        return found

    def _verify_disjoint(self, first: int, second: int, distance: int) -> None:
        key = (first, second, distance)
        shared = self._disjoint.get(key)
        if shared is None:
            if len(self._disjoint) > 256:
                self._disjoint.clear()
            one, other = self.layouts[first], self.layouts[second]
            shared = self._disjoint[key] = overlap((0, *one), (distance, *other))
        if shared:
            raise Mismatch


class Plan(Arrays):
    """One launch on a GPU without its addresses."""

    __slots__ = (
        "_several", "begins", "blocks", "compiled", "configs", "contract", "device", "family", "fits",
        "integers", "kernel", "layout", "loaded", "name", "packed", "shape",
    )  # fmt: skip

    def __init__(
        self, compiled: Compiled, views: Sequence[ArrayView], values: Sequence[Any], geometry: Geometry, device: int
    ):
        super().__init__(compiled.evaluator, views)
        self.compiled = compiled
        self.name: str = compiled.name
        self.device = device
        self.family = family_of(views)
        """The library whose current stream is used."""
        self.loaded = compiled.loaded(device)
        self.kernel = int(self.loaded.handle)
        self.contract = compiled.contract
        self.layout = compiled.layout
        self._several = driver.device_count() != 1
        self._for(geometry)
        self.fits: dict[tuple[Any, ...], Plan] = {tuple(values[n] for n in self.evaluator.varies): self}
        """The plans for the same arrays, by the values of the scalars that the geometry depends on."""

    def _for(self, geometry: Geometry) -> None:
        """What depends on the geometry."""
        self.integers = geometry.integers
        self.blocks = geometry.points
        self.shape = geometry.shape
        """Of foreign code (`Geometry.shape`); empty for tile blocks."""
        if self.shape:
            kernels.allow_shared(self.loaded, self.shape[-1], self.device)
        compiled = self.compiled
        if compiled.contract.persistent:
            self.blocks = min(self.blocks, compiled.contract.blocks or compiled.at_once(self.device))
        self.begins = compiled.begins_anywhere and self._gains()
        """Whether it begins early in graphs of others."""
        self.configs: dict[int, Any] = {}
        """Launch configurations, by the handle of their stream."""
        self.packed: list[tuple[bytearray, int, Any]] = []
        """Memory for the parameters of a launch that is not in use by one: bytes, the address of their addresses, and
        what keeps that alive. What the plan knows is in there."""

    def _gains(self) -> bool:
        """
        Whether it was found to take less time where it begins early, whatever is in front of it: with little to read,
        or light blocks, of which a multiprocessor has one. More of them would crowd those that still run. What a hint
        says of it counts instead.
        """
        if self.compiled.gains is not None:
            return bool(self.compiled.gains)
        if self.compiled.fills:
            return sum(prod(shape) * size for shape, _, size in self.layouts) <= MOST_EARLY
        return self.blocks * self.compiled.ctas <= driver.multiprocessors(self.device)

    def fit(self, scalars: tuple[Any, ...]) -> Plan:
        """The plan for the same arrays and other values of the scalars that the geometry depends on. Raises `Mismatch`
        where there is no launch for these."""
        found = copy(self)
        found._for(self.geometry(scalars))
        if len(self.fits) >= MOST_FITS:
            self.fits.clear()
        self.fits[scalars] = found
        return found

    def enqueue(self, handle: int, *values: Any, apart: bool | None = None) -> None:
        """
        Enqueues a launch on a stream's handle, with an address or a scalar for each of the kernel's run-time arguments.

        Where a graph is captured, it may begin while the kernel in front of it ends. What a graph of ours knows is
        whether all that it reads before it has waited is `apart` from what may be written then.

        Raises `Mismatch`, `TypeError`, `OverflowError` or `struct.error` for values that do not fit or cannot be
        passed; nothing was launched then. Raises `Rejected` for the driver's errors.
        """
        self.verify(values)
        plan, varies = self, self.evaluator.varies
        if varies:
            scalars = tuple([values[n] for n in varies])
            plan = self.fits.get(scalars) or self.fit(scalars)
        launch, current = driver.parts()
        elsewhere = native.thread.new or (self._several and current()[1] != self.device)
        begins = plan.begins if apart is None else apart and self.compiled.waits
        if begins and not elsewhere and captures.follows_a_kernel(handle):
            config = kernels.launch_config(plan.blocks, handle, plan.shape, early=True)
        elif (config := plan.configs.get(handle)) is None:
            config = plan.configs[handle] = kernels.launch_config(plan.blocks, handle, plan.shape)
        try:
            block = plan.packed.pop()
        except IndexError:
            block = driver.parameter_block(self.layout.filled(plan.integers), self.layout.offsets)
        checks = self.contract.kernel_checks
        room = (lambda: checked.enter(self.device, handle, self.name, checks)) if checks else None
        self.layout.pack(block[0], values, room)
        error = elsewhere or launch(config, self.kernel, block[1], 0)[0]
        if error:  # no context, or another GPU's, is current in this thread; or it is a real one
            driver.launch_failed(error, self.device, config, self.kernel, block[1])
        plan.packed.append(block)  # the driver has copied what is in it


def family_of(views: Sequence[ArrayView]) -> str:
    """The library whose current stream a launch uses: torch's before CuPy's; empty for the default stream."""
    families = {v.family for v in views}
    return "torch" if "torch" in families else "cupy" if "cupy" in families else ""
