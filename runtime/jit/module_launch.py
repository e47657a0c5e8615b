"""Runs a module that no Python kernel stands behind on a GPU: what `tile-run --gpu` does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr

from freehold.backend.assembler import assemble
from freehold.backend.bytecode.writer import write_bytecode
from freehold.dialects.cuda_tile.ops.module import EntryOp
from freehold.dialects.cuda_tile.types import TileType
from freehold.dialects.names import users_name
from freehold.runtime.gpu import driver, kernels, transfers
from freehold.runtime.interpreter.arguments import scalar
from freehold.runtime.interpreter.compile import reject
from freehold.runtime.interpreter.elements import element_of
from freehold.runtime.interpreter.errors import UnfitArgument
from freehold.runtime.interpreter.launch import entry_call, find
from freehold.support.contract import LaunchContract, TensorParameter
from freehold.support.report import Argument

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp


_INSTEAD: Final = "leave `--gpu` out: the interpreter runs the module"


@dataclass(frozen=True)
class LoadedEntry:
    """An entry point on a GPU."""

    entry: EntryOp
    kernel: Any
    """What the driver loaded."""
    device: int

    @cached_property
    def at_once(self) -> int:
        """How many of its tile blocks, or clusters, the GPU is meant to run at once."""
        hints = _hints(self.entry, driver.architecture(self.device))
        return kernels.at_once(self.kernel, self.device, hints.get("occupancy", 1), hints.get("num_cta_in_cga", 1))

    def launch(self, arguments: Sequence[object], grid: tuple[int, int, int]) -> None:
        """
        Launches it, with so many tile blocks along each axis, and waits for it. NumPy arrays are passed for pointers,
        and written in place. Raises `Rejected` where an argument does not fit.
        """
        device, name, parameters = self.device, self.entry.sym_name.data, self.entry.block.args
        passed: list[Any] = []
        copies: list[tuple[Any, np.ndarray[Any, Any], np.ndarray[Any, Any]]] = []
        if len(arguments) != len(parameters):
            what = f"{len(arguments)} arguments for {len(parameters)} parameters"
            reject(UnfitArgument(Argument(name, name), what))
        for argument, value in zip(parameters, arguments, strict=True):
            if isinstance(value, np.ndarray):
                given = cast("np.ndarray[Any, Any]", value)
                host: np.ndarray[Any, Any] = np.ascontiguousarray(given)
                buffer = transfers.allocate(host.nbytes, device)
                transfers.copy_to_device(int(buffer.handle), host.ctypes.data, host.nbytes, device)
                passed.append(int(buffer.handle))
                copies.append((buffer, host, given))
            else:
                assert isinstance(argument.type, TileType)
                number = scalar(name, users_name(argument) or "argument", value, element_of(argument.type.element_type))
                # What NumPy itself has no scalar for travels as its bits.
                passed.append(number if number.dtype.isbuiltin == 1 else number.view(f"u{number.dtype.itemsize}"))
        stream = driver.stream(0, device)
        kernels.launch_on(device, stream, kernels.config(*grid), self.kernel, *passed)
        driver.wait(stream, f"kernel `{name}`")
        for buffer, host, value in copies:
            result = np.empty_like(host)
            transfers.copy_to_host(result.ctypes.data, int(buffer.handle), host.nbytes, device)
            if value.flags.writeable:
                value[...] = result
            buffer.close()


@dataclass(frozen=True)
class LoadedKernel:
    """An ownership kernel on a GPU."""

    module: ModuleOp
    """The verified kernel."""
    contract: LaunchContract
    signed: bool
    """Whether the kernel says which integers have a sign."""

    @cached_property
    def entry(self) -> LoadedEntry:
        """Its entry point, compiled when it is asked for first: by a launch whose arguments fit."""
        from freehold.passes.lowering import translate

        return load_entry(translate(self.module))

    @property
    def written(self) -> set[int]:
        """The numbers of the arguments that it writes."""
        parameters = enumerate(self.contract.parameters)
        return {n for n, p in parameters if isinstance(p, TensorParameter) and p.mode != "ref"}

    def launch(self, arguments: Sequence[object], blocks: int | None = None) -> None:
        """Launches it on NumPy arrays and numbers; `blocks` is the number of tile blocks of a persistent one.

        Raises `Rejected` where an argument does not fit, or a check fails, be it at launch or in the kernel.
        """
        found = self.contract
        if blocks is not None and not found.persistent:
            error = UnfitArgument(Argument("blocks", found.symbol), "the kernel has one tile block a region")
            reject(error.add(error.Give("no number of blocks")))
        call = entry_call(found, arguments, signed=self.signed)
        size = call.points
        if found.persistent:
            size = min(size, blocks or found.blocks or self.entry.at_once)
        self.entry.launch(call.values, (size, 1, 1))
        call.raise_failure(found)


def load_kernel(module: ModuleOp, symbol: str | None = None) -> LoadedKernel:
    """Verifies an ownership kernel; `symbol` names it where there are several.

    Raises `Rejected` where the module is refused, or there is no GPU.
    """
    from xdsl.dialects.builtin import ModuleOp

    from freehold.passes.launch_contract import contract, kernel_of
    from freehold.passes.pipeline import verify

    driver.require_gpu(_INSTEAD)
    chosen = ModuleOp([find(module, "ownership.kernel", symbol, "kernels").clone()])
    verify(chosen)
    return LoadedKernel(chosen, contract(chosen), kernel_of(chosen).dtypes is not None)


def load_entry(module: ModuleOp, symbol: str | None = None) -> LoadedEntry:
    """Compiles an entry of a `cuda_tile` module; `symbol` names it where there are several. Raises `Rejected`."""
    driver.require_gpu(_INSTEAD)
    device = driver.current_device()
    entry = find(module, "cuda_tile.entry", symbol, "entries")
    assert isinstance(entry, EntryOp)
    name, arch = entry.sym_name.data, driver.architecture(device)
    kernel = kernels.load(assemble(write_bytecode(module), arch, kernel=name), name, device)
    kernels.allow_clusters(kernel, device, _hints(entry, arch).get("num_cta_in_cga", 1))
    return LoadedEntry(entry, kernel, device)


def _hints(entry: EntryOp, arch: str) -> dict[str, int]:
    """What an entry asks for on an architecture, by the names of Tile IR."""
    found: dict[str, int] = {}
    if entry.optimization_hints is None:
        return found
    for name in ("default", arch):
        of = entry.optimization_hints.hints.data.get(name)
        if isinstance(of, DictionaryAttr):
            found |= {hint: value.value.data for hint, value in of.data.items() if isinstance(value, IntegerAttr)}
    return found
