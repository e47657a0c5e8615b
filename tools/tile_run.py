"""
`tile-run`: runs a module, on the interpreter or on a GPU.

    tile-run saxpy.mlir --arg arange:f32[100] --arg rand:f32[100]:1 --arg 2.0
    tile-run gemm.mlir --arg zeros:f32[64,64] --arg a.npy --arg b.npy --checked --order 7 --save 0=c.npy
    tile-run kernel.tileirbc --arg zeros:i32[8] --grid 2
    tile-run grouped.tileirbc --arg '[a.npy, b.npy]' --arg 2 --arg zeros:f32[64]

Reads text or bytecode from a file or standard input: one kernel in the ownership dialect, whose arguments are arrays
and scalars, or one entry in `cuda_tile`, whose arguments are those of the entry: an array for each pointer, or for one
to 64-bit integers a table `[..]` of the addresses of arrays, and of numbers. Prints the arrays that the kernel may
write. The exit status is 0 on success, 1 where the module was refused or a run went wrong, 2 where the command line or
a file was wrong.
"""

from __future__ import annotations

import argparse
import re
import sys
import warnings
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from typing import TYPE_CHECKING, Any, cast

from freehold.support.diagnostic import Rejected
from freehold.support.report import Argument
from freehold.support.span import SourceMap
from freehold.tools import driver, files
from freehold.tools.errors import NoInput

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

PROGRAM = "tile-run"
_FILLED = re.compile(r"(zeros|ones|arange|rand):(\w+)\[([0-9, ]*)\](?::(-?[0-9]+))?")

_DIVIDER = re.compile(r",(?![^\[]*\])")
"""A comma between the items of a table, and none within the extents of an array."""


def argument_parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(prog=PROGRAM, description="Run a module on the interpreter, or on a GPU.")
    parser.add_argument("file", nargs="?", default="-", help="text or bytecode; standard input if `-` or left out")
    parser.add_argument(
        "-a",
        "--arg",
        action="append",
        default=[],
        metavar="VALUE",
        help="an argument, in the kernel's order: zeros:f32[4,8], ones:.., arange:.., rand:f32[8]:SEED, FILE.npy, 2.5; "
        "[FILE.npy, 2, ..] is a table of addresses and numbers",
    )
    parser.add_argument("--symbol", metavar="NAME", help="the kernel, where the module has several")
    parser.add_argument(
        "--grid", default="1", metavar="X[,Y[,Z]]", help="the grid of a cuda_tile entry; one tile block if left out"
    )
    parser.add_argument("--blocks", type=int, metavar="N", help="the tile blocks of a persistent ownership kernel")
    parser.add_argument(
        "--order",
        help="of blocks, on the interpreter: increasing (if left out), decreasing, or the seed of a random order",
    )
    modes = parser.add_mutually_exclusive_group()
    modes.add_argument(
        "--checked", action="store_true", help="find races, uninitialised reads and undefined results, too"
    )
    modes.add_argument(
        "--adversarial", action="store_true", help="let blocks take turns at their accesses, by the seed --order is"
    )
    parser.add_argument("--gpu", action="store_true", help="run on a GPU instead")
    parser.add_argument("--print", default="written", choices=("written", "all", "none"), help="the arrays to print")
    parser.add_argument(
        "--save", action="append", default=[], metavar="N=FILE", help="write argument N, from 0, as FILE in .npy form"
    )
    driver.add_version(parser)
    driver.add_arguments(parser)
    return parser


@driver.command(PROGRAM)
def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns its exit status."""
    parser = argument_parser()
    options = parser.parse_args(argv)
    grid = _numbers(options.grid)
    if not 1 <= len(grid) <= 3 or min(grid) < 1:
        parser.error("--grid takes one to three positive numbers")
    order = _order(options.order or "increasing")
    if order is None:
        parser.error("--order takes increasing, decreasing or a number")
    if options.blocks is not None and options.blocks < 1:
        parser.error("--blocks takes a positive number")
    own = {"--order": options.order is not None, "--checked": options.checked, "--adversarial": options.adversarial}
    for option, given in own.items():
        if options.gpu and given:
            parser.error(f"{option} is the interpreter's: leave it out, or leave out --gpu")
    data, file = files.read_source(options.file, PROGRAM, split=options.split_input_file)
    _arguments(options)  # mistakes of the command line are told before anything runs
    going = driver.Driver(file, options)
    saved: list[tuple[str, Any]] = []

    def work(chunk: bytes) -> bytes:
        arguments, saves = _arguments(options)
        _ran(chunk, file, arguments, (*grid, 1, 1)[:3], order, options, going)
        saved.extend((name, arguments[number]) for number, name in saves)
        return b""

    results, refused = going.over(data, work)
    if results := b"".join(results):
        files.write("-", results, PROGRAM)
    for name, array in saved:
        _write_array(name, array)
    return int(refused)


def _arguments(options: argparse.Namespace) -> tuple[list[Any], list[tuple[int, str]]]:
    """The arguments of a run, new for each, and which of them are to be saved as what. Raises `Rejected`."""
    arguments = [_argument(n, text) for n, text in enumerate(options.arg)]
    return arguments, [_save(text, len(arguments)) for text in options.save]


def _ran(
    chunk: bytes,
    file: str,
    arguments: list[Any],
    grid: tuple[int, ...],
    order: str | int | None,
    options: argparse.Namespace,
    going: driver.Driver,
) -> None:
    """Runs one module, and prints what it may have written. Raises `Rejected`."""
    from freehold.tools.processing import verify

    sources = SourceMap()
    try:
        module = files.read_module(chunk, file, PROGRAM, sources)
        verify(module)
        _name_elements(module, arguments, options.symbol)
        with warnings.catch_warnings() if going.said is None else nullcontext():
            if going.said is None:
                warnings.showwarning = _warn
            written = _run(module, arguments, grid, order, options)
    except Rejected as rejected:
        rejected.sources = rejected.sources or sources
        raise
    _show(arguments, written, options.print)


def _warn(message: Warning | str, *where: object) -> None:
    """Shows a warning of the interpreter's, which is a rendered diagnostic, as errors are shown."""
    del where
    sys.stdout.flush()
    print(message, file=sys.stderr, flush=True)


def _name_elements(module: ModuleOp, arguments: list[Any], symbol: str | None) -> None:
    """Gives arrays of plain bytes the elements of their parameters: `.npy` files cannot name bf16 or small floats."""
    import numpy as np

    from freehold.dialects.cuda_tile.types import PointerType, TileType
    from freehold.dialects.ownership import TensorType
    from freehold.runtime.interpreter.access import text
    from freehold.runtime.interpreter.elements import element_of

    kernels = [op for op in module.walk() if op.name in ("ownership.kernel", "cuda_tile.entry")]
    kernels = [op for op in kernels if symbol in (None, text(op, "sym_name"))]
    if len(kernels) != 1:
        return  # refused where it is run
    for n, (parameter, value) in enumerate(zip(kernels[0].regions[0].block.args, arguments, strict=False)):
        if isinstance(value, np.ndarray) and cast("Any", value).dtype.type is np.void:
            match parameter.type:
                case TensorType():
                    element = element_of(parameter.type.element)
                case TileType(element_type=PointerType() as pointer):
                    element = element_of(pointer.pointee)
                case _:
                    continue
            found = cast("np.ndarray[Any, Any]", value)
            if found.dtype.names is None and found.dtype.itemsize == element.dtype.itemsize:
                arguments[n] = found.view(element.dtype)


def _write_array(name: str, array: Any) -> None:
    import numpy as np

    files.written(name, lambda: np.save(name, array), "--save", PROGRAM)


def _numbers(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        return []


def _order(text: str) -> str | int | None:
    if text in ("increasing", "decreasing"):
        return text
    return int(text) if text.isdecimal() else None


def _argument(number: int, text: str) -> Any:
    """The array or number that an argument of the command line spells. Raises `Rejected` (O530)."""
    import numpy as np

    from freehold.runtime.interpreter.errors import UnfitArgument
    from freehold.runtime.interpreter.values import filled

    match = _FILLED.fullmatch(text)
    if text.startswith("[") and text.endswith("]"):
        return [_argument(number, each.strip()) for each in _DIVIDER.split(text[1:-1]) if each.strip()]
    if match is not None:
        kind, element, shape, seed = match.groups()
        dims = tuple(int(n) for n in shape.replace(" ", "").split(",") if n)
        try:
            made = filled(kind, element, dims, int(seed or 0))
        except (MemoryError, ValueError):  # NumPy says the latter of extents beyond all addresses
            error = UnfitArgument(Argument(f"--arg {number}", PROGRAM), f"there is no memory for `{text}`")
            raise Rejected([error]) from None
        if made is not None:
            return made
    elif text.endswith(".npy"):
        try:
            return np.load(text, allow_pickle=False)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            raise Rejected([NoInput(Argument(f"--arg {number}", PROGRAM), text, reason)]) from error
    else:
        for read in (int, float):
            with suppress(ValueError):
                return read(text)
        if text in ("true", "false"):
            return text == "true"
    error = UnfitArgument(Argument(f"--arg {number}", PROGRAM), f"`{text}` is neither a number nor an array")
    raise Rejected([error.add(error.Give("2.5, x.npy, zeros:f32[4,8], ones:i32[3], arange:f32[9] or rand:bf16[8]:7"))])


def _save(text: str, count: int) -> tuple[int, str]:
    from freehold.runtime.interpreter.errors import UnfitArgument

    number, equals, name = text.partition("=")
    if not equals or not number.isdecimal() or int(number) >= count or not name.endswith(".npy"):
        error = UnfitArgument(Argument("--save", PROGRAM), f"`{text}` names no argument and .npy file")
        raise Rejected([error.add(error.Give("the number of an argument and a file: 0=out.npy"))])
    return int(number), name


def _run(
    module: ModuleOp, arguments: list[Any], grid: tuple[int, ...], order: str | int | None, options: argparse.Namespace
) -> set[int]:
    """Runs the module; returns the numbers of the arguments that it may have written."""
    from freehold.runtime.interpreter.launch import Entry, Kernel

    is_ownership = any(op.name == "ownership.kernel" for op in module.walk())
    arrays = {n for n, value in enumerate(arguments) if isinstance(value, list) or hasattr(value, "shape")}
    if options.gpu:
        from freehold.runtime.interpreter.errors import UnfitArgument
        from freehold.runtime.jit.module_launch import load_entry, load_kernel

        if is_ownership:
            loaded = load_kernel(module, options.symbol)
            loaded.launch(arguments, options.blocks)
            return loaded.written
        if options.blocks is not None:
            error = UnfitArgument(Argument("--blocks", PROGRAM), "a cuda_tile entry has the grid that it is given")
            raise Rejected([error.add(error.Give("--grid instead"))])
        load_entry(module, options.symbol).launch(arguments, cast("tuple[int, int, int]", grid))
        return arrays
    write: Callable[[str], None] = _write
    if is_ownership:
        kernel = Kernel.of(module, options.symbol, checked=options.checked, adversarial=options.adversarial)
        kernel.run(arguments, blocks=options.blocks, order=order, write=write)
        return set(kernel.stores)
    entry = Entry.of(module, options.symbol, checked=options.checked, adversarial=options.adversarial)
    entry.run(arguments, cast("tuple[int, int, int]", grid), order=order, write=write)
    return arrays


def _write(text: str) -> None:
    sys.stdout.write(text)


def _show(arguments: list[Any], written: set[int], which: str) -> None:
    import numpy as np

    named = [(str(n), n, value) for n, value in enumerate(arguments)]
    for n, table in enumerate(arguments):
        if isinstance(table, list):
            named += [(f"{n}[{at}]", n, each) for at, each in enumerate(cast("list[Any]", table))]
    for name, number, value in named:
        if isinstance(value, np.ndarray) and which != "none" and (which == "all" or number in written):
            found = cast("np.ndarray[Any, Any]", value)
            shape = ", ".join(map(str, found.shape))
            shown = found if found.dtype.isbuiltin == 1 else found.astype(np.float32)
            print(f"argument {name}: {found.dtype}[{shape}]")
            print(np.array2string(shown, separator=", "))


if __name__ == "__main__":
    sys.exit(main())
