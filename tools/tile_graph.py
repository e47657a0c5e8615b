"""
`tile-graph`: control and data flow of a module as a picture.

    tile-graph kernel.mlir -o kernel.svg
    tile-graph kernel.mlir --dot | dot -Tpdf > kernel.pdf
    tile-graph kernel.mlir --entry gemm --no-constants -o gemm.svg

Operations are boxes, those with regions hold their bodies; an operation stands below what it takes values from. Lines
are values, tokens are dashed. The SVG is drawn here and needs nothing; `--dot` writes the same graph for Graphviz. The
exit status is 0 on success, 1 where the module was refused, 2 where the command line or a file was wrong.
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
    from xdsl.ir import Operation

PROGRAM = "tile-graph"


def argument_parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(prog=PROGRAM, description="Draw the control and data flow of a module.")
    parser.add_argument("file", nargs="?", default="-", help="text or bytecode; standard input if `-` or left out")
    parser.add_argument("-o", "--output", default="-", metavar="FILE", help="the file to write")
    parser.add_argument("--dot", action="store_true", help="write text for Graphviz instead of SVG")
    parser.add_argument("--entry", metavar="NAME", help="the kernel or function to draw; all if left out")
    parser.add_argument("--no-constants", action="store_true", help="leave constants out")
    driver.add_version(parser)
    driver.add_arguments(parser)
    return parser


@driver.command(PROGRAM)
def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns its exit status."""
    arguments = argument_parser().parse_args(argv)
    data, file = files.read_source(arguments.file, PROGRAM, split=arguments.split_input_file)
    results, refused = driver.Driver(file, arguments).over(data, lambda chunk: _drawn(chunk, file, arguments))
    if results or not refused:
        files.write(arguments.output, b"\n".join(results), PROGRAM)
    return int(refused)


def _drawn(chunk: bytes, file: str, arguments: argparse.Namespace) -> bytes:
    from freehold.tools.errors import PassFailed
    from freehold.tools.graph_drawing import dot, graph_of, svg
    from freehold.tools.processing import verify

    sources = SourceMap()
    try:
        module = files.read_module(chunk, file, PROGRAM, sources)
        verify(module)
        root: Operation = module
        if arguments.entry is not None:
            named = [
                op for op in module.walk() if getattr(op.properties.get("sym_name"), "data", "") == arguments.entry
            ]
            if not named:
                raise Rejected([PassFailed(None, "--entry", f"there is no `{arguments.entry}`")])
            root = named[0]
    except Rejected as rejected:
        rejected.sources = rejected.sources or sources
        raise
    graph = graph_of(root, constants=not arguments.no_constants)
    return (dot(graph) if arguments.dot else svg(graph)).encode()


if __name__ == "__main__":
    sys.exit(main())
