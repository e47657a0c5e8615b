"""Compiled kernels: GPU code with its contract, and what a launch makes of them once."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, Final

from freehold.runtime.gpu import kernels
from freehold.runtime.variants.entry import ParameterLayout
from freehold.runtime.variants.evaluation import Evaluator
from freehold.runtime.variants.hints import of
from freehold.support.contract import LaunchContract
from freehold.support.locks import mutex

if TYPE_CHECKING:
    from freehold.runtime.variants.build import Options

BLOCKS_THAT_WAIT: Final = 64
"""Blocks of a multiprocessor up to which each waits by itself for the kernels in front. Measured on an H200: kernels of
10**6 short blocks took an eighth longer with the wait."""


class Once:
    """Values by key, each made by one thread while others that want it wait; what fails is made again."""

    def __init__(self) -> None:
        self._values: dict[Hashable, Any] = {}
        self._making: dict[Hashable, Any] = {}
        self._lock = mutex()

    def known(self, key: Hashable) -> Any:
        """The value of a key, or None where it was not made."""
        return self._values.get(key)

    def get(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """The value of a key, made if there is none yet. Raises what `make` raises."""
        found = self._values.get(key)
        if found is not None:
            return found
        with self._lock:
            own = self._making.setdefault(key, mutex())
        with own:
            found = self._values.get(key)
            if found is None:
                found = self._values[key] = make()
        with self._lock:
            self._making.pop(key, None)
        return found


class Compiled:
    """A kernel compiled for arguments of one kind and one architecture."""

    def __init__(
        self,
        name: str,
        contract: LaunchContract,
        arch: str,
        cubin: bytes,
        options: Options,
        alone: Callable[[], Compiled] | None = None,
    ):
        self.name = name
        self.contract = contract
        """What a launch must respect."""
        self.arch = arch
        """The architecture, such as `sm_90`."""
        self.cubin = cubin
        """GPU code, an ELF file."""
        hints = of(options.hints, arch)
        self.occupancy = hints.get("occupancy", 1)
        self.overlaps = options.waits(arch)
        self.early = options.overlap or ()
        """What it may read while the kernels in front of it run, by name."""
        self.ctas = hints.get("num_cta_in_cga", 1)
        self.gains = hints.get("begin_early")
        """Whether a hint says that its launches gain by beginning early; None: their size decides."""
        self._alone = alone
        """Compiles it without waiting for the kernels in front of it."""
        self._once = Once()

    def of_points(self, count: int, multiprocessors: int) -> Compiled:
        """
        The code for so many points: where there are many blocks, that which does not wait by itself for the kernels in
        front of it. To begin early saves a launch some microseconds, and the wait delays each of its blocks.
        """
        many = not self.contract.persistent and count > BLOCKS_THAT_WAIT * multiprocessors
        return self._alone() if many and self._alone is not None else self

    def __repr__(self) -> str:
        return f"<kernel {self.name} for {self.arch}, {len(self.cubin)} bytes>"

    @property
    def evaluator(self) -> Any:
        """The contract as a function (`runtime.variants.evaluation`)."""
        return self._once.get("evaluator", lambda: Evaluator(self.contract))

    @property
    def layout(self) -> ParameterLayout:
        """Where the parameters of a launch lie in memory (`runtime.variants.entry`)."""
        return self._once.get("layout", lambda: ParameterLayout(self.contract))

    def loaded(self, device: int) -> Any:
        """It, loaded for a GPU. Raises `Rejected` (O241)."""
        return self._once.get(device, lambda: self._load(device))

    def at_once(self, device: int) -> int:
        """How many of its tile blocks a GPU is meant to run at once: each is a multiprocessor's, or a cluster's."""
        found = self.loaded(device)
        return self._once.get(("at once", device), lambda: kernels.at_once(found, device, self.occupancy, self.ctas))

    def _load(self, device: int) -> Any:
        kernel = kernels.load(self.cubin, self.contract.symbol, device)
        kernels.allow_clusters(kernel, device, self.ctas)
        return kernel

    @property
    def waits(self) -> bool:
        """Whether its code waits by itself for the kernels in front of it. That of a package does not."""
        from freehold.backend.cubin import waits_for_grids

        return self.overlaps and self._once.get("waits", lambda: waits_for_grids(self.cubin))

    @property
    def begins_anywhere(self) -> bool:
        """Whether it may begin early in any graph: it loads nothing before it has waited."""
        return not self.early and self.waits

    @property
    def fills(self) -> bool:
        """Whether a block takes more than half of a multiprocessor's registers, so that it has one for itself."""
        from freehold.backend.cubin import fills_a_multiprocessor

        return self._once.get("fills", lambda: fills_a_multiprocessor(self.cubin))
