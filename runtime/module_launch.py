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
from freehold.runtime.interpreter.elements import element_of
from freehold.runtime.interpreter.launch import entry_call

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp


def launch_kernel(module: ModuleOp, arguments: Sequence[object]) -> None:
    """Verifies, compiles and launches an ownership kernel on NumPy arrays, which it writes in place.

    Raises `Rejected` where the module is refused, an argument does not fit, or there is no GPU.
    """
    driver.require_gpu("leave `--gpu` out: the interpreter runs the module")
    from freehold.passes.launch_contract import contract
    from freehold.passes.pipeline import convert, verify

    verify(module)
    found = contract(module)
    call = entry_call(found, arguments)
    blocks = (
        min(call.points, found.blocks or driver.multiprocessors(driver.current_device()))
        if found.persistent
        else call.points
    )
    launch_entry(convert(module), call.values, blocks)


def launch_entry(module: ModuleOp, arguments: Sequence[object], blocks: int) -> None:
    """Compiles and launches the entry of a `cuda_tile` module: NumPy arrays, which are written in place, for pointers.

    The grid is `blocks` along x. Raises `Rejected`.
    """
    driver.require_gpu("leave `--gpu` out: the interpreter runs the module")
    device = driver.current_device()
    entry = next(op for op in module.walk() if isinstance(op, EntryOp))
    name = entry.sym_name.data
    kernel = driver.load(assemble(write_bytecode(module), driver.architecture(device), kernel=name), name, device)
    passed: list[Any] = []
    copies: list[tuple[Any, np.ndarray[Any, Any], np.ndarray[Any, Any]]] = []
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
    driver.launch_on(device, stream, driver.config(blocks), kernel, *passed)
    driver.wait(stream, f"kernel `{name}`")
    for buffer, host, value in copies:
        result = np.empty_like(host)
        driver.copy_to_host(result.ctypes.data, int(buffer.handle), host.nbytes, device)
        if value.flags.writeable:
            value[...] = result
        buffer.close()
