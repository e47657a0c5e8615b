"""
`tile-translate`: CUDA Tile IR between its forms: text, bytecode, and code for a GPU.

    tile-translate kernel.mlir --to-bytecode --version 13.3 -o kernel.tileirbc
    tile-translate kernel.tileirbc --from-bytecode
    tile-opt kernel.mlir -p ... | tile-translate --to-cubin --arch sm_90 -o kernel.cubin

Reads a file or standard input, writes a file or standard output. What is read may be text or bytecode in every case; a
module is verified before it is translated. The exit status is 0 on success, 1 where the module was refused, 2 where the
command line or the file was wrong.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from freehold.support.diagnostic import Rejected
from freehold.support.span import SourceMap
from freehold.tools import driver, files

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

PROGRAM = "tile-translate"


def argument_parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog=PROGRAM, description="Translate CUDA Tile IR between text, bytecode and GPU code."
    )
    parser.add_argument("file", nargs="?", default="-", help="the file to read; standard input if `-` or left out")
    parser.add_argument(
        "-o", "--output", default="-", metavar="FILE", help="the file to write instead of standard output"
    )
    direction = parser.add_mutually_exclusive_group(required=True)
    direction.add_argument("--to-bytecode", action="store_true", help="write bytecode")
    direction.add_argument("--from-bytecode", action="store_true", help="read bytecode, write text")
    direction.add_argument("--to-cubin", action="store_true", help="assemble for the architecture of --arch")
    driver.add_version(parser, "13.x", "the version of the bytecode; without it the lowest that suffices")
    parser.add_argument(
        "--exact-locations", action="store_true", help="refuse locations of which bytecode keeps only a part"
    )
    parser.add_argument("--arch", metavar="sm_XX", help="the architecture to assemble for")
    parser.add_argument("--opt-level", type=int, choices=range(4), default=3, help="of the assembler; 3 if left out")
    parser.add_argument("--no-line-info", action="store_true", help="leave source lines out of the GPU code")
    parser.add_argument("--time-limit", type=float, default=300.0, metavar="SECONDS", help="for the assembler")
    parser.add_argument("--no-verify", action="store_true", help="do not check the module that was read")
    parser.add_argument("--print-debuginfo", action="store_true", help="print locations")
    driver.add_arguments(parser)
    return parser


@driver.command(PROGRAM)
def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns its exit status."""
    parser = argument_parser()
    arguments = parser.parse_args(argv)
    if arguments.to_cubin and arguments.arch is None:
        parser.error("--to-cubin needs --arch")
    arguments.version = files.version_of(arguments.version, PROGRAM)
    as_it_is = arguments.from_bytecode or arguments.split_input_file
    data, file = files.read_source(arguments.file, PROGRAM, split=as_it_is)
    results, refused = driver.Driver(file, arguments).over(data, lambda chunk: _translated(chunk, file, arguments))
    if results or not refused:
        files.write(arguments.output, b"// -----\n".join(results), PROGRAM)
    return int(refused)


def _translated(chunk: bytes, file: str, arguments: argparse.Namespace) -> bytes:
    sources = SourceMap()
    try:
        return translate(chunk, file, arguments, sources)
    except Rejected as rejected:
        rejected.sources = rejected.sources or sources
        raise


def translate(data: bytes, file: str, arguments: argparse.Namespace, sources: SourceMap) -> bytes:
    """What the command writes for what it has read. Raises `Rejected`."""
    from freehold.backend.bytecode.writer import write_bytecode
    from freehold.tools.processing import verify

    module = files.read_module(data, file, PROGRAM, sources, must_be_bytecode=arguments.from_bytecode)
    if not arguments.no_verify:
        verify(module)
    if arguments.from_bytecode:
        from freehold.dialects.cuda_tile.text import print_module

        return print_module(module, locations=arguments.print_debuginfo).encode()
    bytecode = write_bytecode(module, arguments.version, exact_locations=arguments.exact_locations)
    if arguments.to_bytecode:
        return bytecode
    from freehold.backend.assembler import AssembleOptions, assemble

    options = AssembleOptions(
        opt_level=arguments.opt_level, line_info=not arguments.no_line_info, time_limit=arguments.time_limit
    )
    return assemble(bytecode, arguments.arch, options, kernel=_kernel(module))


def _kernel(module: ModuleOp) -> str | None:
    """The name of the module's kernel, where it has but one."""
    from freehold.dialects.cuda_tile.ops.module import EntryOp

    names = [op.sym_name.data for op in module.walk() if isinstance(op, EntryOp)]
    return names[0] if len(names) == 1 else None


if __name__ == "__main__":
    sys.exit(main())
