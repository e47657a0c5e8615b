"""Runs a module that no Python kernel stands behind on a GPU: what `tile-run --gpu` does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from freehold.backend.assembler import assemble
from freehold.backend.bytecode.writer import write_bytecode
from freehold.dialects.cuda_tile.ops.module import EntryOp
from freehold.dialects.cuda_tile.types import TileType
from freehold.runtime import driver
from freehold.runtime.interpreter.arguments import scalar
from freehold.runtime.interpreter.compile import reject
from freehold.runtime.interpreter.elements import element_of
from freehold.runtime.interpreter.errors import UnfitArgument
from freehold.runtime.interpreter.launch import entry_call, find
from freehold.support.contract import TensorParameter
from freehold.support.diagnostic import Argument

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp


def launch_kernel(
    module: ModuleOp, arguments: Sequence[object], *, symbol: str | None = None, blocks: int | None = None
) -> set[int]:
    """Verifies, compiles and launches an ownership kernel on NumPy arrays; returns the numbers of those it writes.

    `symbol` names the kernel where there are several; `blocks` is the number of tile blocks of a persistent one. Raises
    `Rejected` where the module is refused, an argument does not fit, or there is no GPU.
    """
    from xdsl.dialects.builtin import ModuleOp

    from freehold.passes.launch_contract import contract, kernel_of
    from freehold.passes.lowering import translate
    from freehold.passes.pipeline import verify

    driver.require_gpu("leave `--gpu` out: the interpreter runs the module")
    chosen = ModuleOp([find(module, "ownership.kernel", symbol, "kernels").clone()])
    verify(chosen)
    found = contract(chosen)
    if blocks is not None and not found.persistent:
        error = UnfitArgument(Argument("blocks", found.symbol), "the kernel has one tile block a region")
        reject(error.add(error.Give("no number of blocks")))
    call = entry_call(found, arguments, signed=kernel_of(chosen).dtypes is not None)
    size = call.points
    if found.persistent:
        size = min(size, blocks or found.blocks or driver.multiprocessors(driver.current_device()))
    launch_entry(translate(chosen), call.values, (size, 1, 1))
    call.raise_failure(found)
    return {n for n, p in enumerate(found.parameters) if isinstance(p, TensorParameter) and p.mode != "ref"}


def launch_entry(
    module: ModuleOp, arguments: Sequence[object], grid: tuple[int, int, int], *, symbol: str | None = None
) -> None:
    """Compiles and launches an entry of a `cuda_tile` module: NumPy arrays, which are written in place, for pointers.

    `symbol` names the entry where there are several. Raises `Rejected`.
    """
    driver.require_gpu("leave `--gpu` out: the interpreter runs the module")
    device = driver.current_device()
    entry = find(module, "cuda_tile.entry", symbol, "entries")
    assert isinstance(entry, EntryOp)
    name = entry.sym_name.data
    kernel = driver.load(assemble(write_bytecode(module), driver.architecture(device), kernel=name), name, device)
    passed: list[Any] = []
    copies: list[tuple[Any, np.ndarray[Any, Any], np.ndarray[Any, Any]]] = []
    if len(arguments) != len(entry.block.args):
        what = f"{len(arguments)} arguments for {len(entry.block.args)} parameters"
        reject(UnfitArgument(Argument(name, name), what))
    for argument, value in zip(entry.block.args, arguments, strict=True):
        if isinstance(value, np.ndarray):
            given = cast("np.ndarray[Any, Any]", value)
            host: np.ndarray[Any, Any] = np.ascontiguousarray(given)
            buffer = driver.allocate(host.nbytes, device)
            driver.copy_to_device(int(buffer.handle), host.ctypes.data, host.nbytes, device)
            passed.append(int(buffer.handle))
            copies.append((buffer, host, given))
        else:
            assert isinstance(argument.type, TileType)
            number = scalar(name, argument.name_hint or "argument", value, element_of(argument.type.element_type))
            # What NumPy itself has no scalar for travels as its bits.
            passed.append(number if number.dtype.isbuiltin == 1 else number.view(f"u{number.dtype.itemsize}"))
    stream = driver.stream(0, device)
    driver.launch_on(device, stream, driver.config(*grid), kernel, *passed)
    driver.wait(stream, f"kernel `{name}`")
    for buffer, host, value in copies:
        result = np.empty_like(host)
        driver.copy_to_host(result.ctypes.data, int(buffer.handle), host.nbytes, device)
        if value.flags.writeable:
            value[...] = result
        buffer.close()
