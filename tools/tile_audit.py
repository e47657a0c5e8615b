"""
`tile-audit`: races, accesses out of bounds and missing tokens in CUDA Tile IR that others made.

    tile-audit add.tileirbc --grid 8 --arg 'a=f32[1000]' --arg 'b=f32[1000]' --arg 'c=f32[1000]:unwritten'
    tile-audit gather.tileirbc --grid 4 --arg 'x=f32[64,8]' --arg 'rows=i32[128]:contents=rows.npy' --arg n=128
    tile-audit kernel.mlir --launch launch.yaml --format sarif -o audit.sarif
    tile-audit --format html -o audit.html --record python train.py --epochs 1

Reads text or bytecode, and the facts of a launch: the grid, and an argument for each that the kernel has, in order. Or
runs a program that launches kernels of cuTile Python, and audits each of its launches, without a GPU, too (with
`--interpret` even where there is one). The exit status is 0 where the kernel is safe in that launch, 1 where something
is wrong, 3 where not all is decided, and 2 where the command line or a file was wrong.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from freehold.support.diagnostic import Rejected
from freehold.support.render import wants_colour
from freehold.support.report import Argument
from freehold.support.span import SourceMap
from freehold.tools import driver, files
from freehold.tools.errors import NoFacts

if TYPE_CHECKING:
    from freehold.audit.facts import Launch
    from freehold.audit.verdict import Audit

PROGRAM = "tile-audit"
STATUS = {"safe": 0, "faulty": 1, "unknown": 3}
FORMATS = ("text", "json", "sarif", "html")
_ARRAY = re.compile(r"(\w+)\[([0-9, ]*)\](.*)", re.DOTALL)


def argument_parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(prog=PROGRAM, description="Audit CUDA Tile IR in a launch.")
    parser.add_argument("file", nargs="?", default="-", help="text or bytecode; standard input if `-` or left out")
    parser.add_argument("--entry", metavar="NAME", help="the kernel, where the module has several")
    parser.add_argument(
        "--split-input-file", action="store_true", help="audit each of the modules between lines `// -----`"
    )
    parser.add_argument("--launch", metavar="FILE", help="the facts of the launch, as .json, .toml or .yaml")
    parser.add_argument("--grid", metavar="X[,Y[,Z]]", help="the grid; one tile block if left out")
    parser.add_argument(
        "-a",
        "--arg",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an argument, in the kernel's order: n=5, x=f32[4,8], and behind an array :strides=8,1 :contents=FILE.npy"
        " :same=OTHER :shift=N :alignment=N :unwritten",
    )
    parser.add_argument(
        "--record",
        nargs=argparse.REMAINDER,
        metavar="PROGRAM",
        help="run a Python program with its arguments (`python train.py`, `train.py`, `python -m train`), and audit"
        " what it launches of cuTile Python; the last option",
    )
    parser.add_argument("--interpret", action="store_true", help="with --record: leave a GPU alone")
    parser.add_argument("--format", choices=FORMATS, default="text", help="of the report")
    parser.add_argument("-o", "--output", default="-", metavar="FILE", help="where to write it")
    driver.add_version(parser)
    return parser


@driver.command(PROGRAM)
def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns its exit status."""
    parser = argument_parser()
    options = parser.parse_args(argv)
    if options.launch is not None and (options.arg or options.grid):
        parser.error("--launch says what --grid and --arg say: give one or the other")
    if options.record is not None:
        return _recorded(parser, options)
    sources = SourceMap()
    data, file = files.read_source(options.file, PROGRAM, split=options.split_input_file)
    launch = _launch(options)
    audits: list[Audit] = []
    refused = False
    for chunk in files.chunks(data, options.split_input_file):
        try:
            audits.append(audit_file(chunk, file, launch, options.entry, sources))
        except Rejected as rejected:
            rejected.sources = rejected.sources or sources
            print(rejected.render(wants_colour(sys.stderr)), file=sys.stderr)
            refused = True
    if options.split_input_file:
        sources.add(file, data.decode(errors="replace"))  # of which each module had its part
    status = _told(audits, file, options, sources) if audits else 2
    return 2 if refused else status


def _told(audits: Sequence[Audit], file: str, options: argparse.Namespace, sources: SourceMap) -> int:
    """Writes the report; returns the exit status, that of the worst audit."""
    files.write(options.output, report(audits, file, options.format, sources), PROGRAM)
    verdicts = {found.verdict for found in audits}
    return next((STATUS[v] for v in ("faulty", "unknown") if v in verdicts), 0)


def _recorded(parser: argparse.ArgumentParser, options: argparse.Namespace) -> int:
    """Runs a program and audits what it launches, each launch of one kind once."""
    if not options.record:
        parser.error("--record takes a program and its arguments")
    from freehold.tools.audit_record import CommandError, run_program

    try:
        found = run_program(options.record, interpret=options.interpret)
    except (OSError, ImportError, CommandError) as error:
        print(f"{PROGRAM}: {error}", file=sys.stderr)
        return 2
    status = _told(found.audits, found.program, options, SourceMap())
    for missed in found.missed:
        print(f"{PROGRAM}: {missed}", file=sys.stderr)
    if found.failed is not None:
        print(f"{PROGRAM}: the program ended in {found.failed}", file=sys.stderr)
    return status or (2 if found.failed is not None else STATUS["unknown"] if found.missed else 0)


def audit_file(data: bytes, file: str, launch: Launch, entry: str | None, sources: SourceMap) -> Audit:
    """The audit of an entry of a file. Raises `Rejected`."""
    from freehold.audit.facts import FactsError
    from freehold.audit.verdict import audit
    from freehold.dialects.cuda_tile.ops.module import EntryOp
    from freehold.tools.tile_opt import verify

    module = files.read_module(data, file, PROGRAM, sources)
    verify(module)
    entries = {op.sym_name.data: op for op in module.walk() if isinstance(op, EntryOp)}
    if not entries:
        reason = f"`{file}` holds no entry of CUDA Tile IR"
        if any(op.name.startswith("ownership.") for op in module.walk()):
            reason += ", but a kernel that has not been lowered: see `tile-opt -p convert-ownership-to-cuda-tile`"
        raise Rejected([NoFacts(Argument("file", PROGRAM), reason)])
    if entry is None and len(entries) == 1:
        (entry,) = entries
    if entry not in entries:
        known = ", ".join(entries) or "none"
        raise Rejected([NoFacts(Argument("--entry", PROGRAM), f"the entries are {known}")])
    try:
        return audit(module, entries[entry], launch)
    except FactsError as error:
        raise Rejected([NoFacts(Argument("--arg", PROGRAM), str(error))]) from None


def _launch(options: argparse.Namespace) -> Launch:
    from freehold.audit.facts import FactsError, launch_from

    try:
        if options.launch is not None:
            return launch_from(_loaded(options.launch))
        arguments = [_argument(text) for text in options.arg]
        return launch_from({"grid": _grid(options.grid or "1"), "arguments": arguments})
    except (FactsError, ValueError) as error:
        raise Rejected([NoFacts(Argument(options.launch or "--arg", PROGRAM), str(error))]) from None


def _grid(text: str) -> list[int]:
    """The extents that `--grid` names. Raises `Rejected`."""
    try:
        return [int(n) for n in text.split(",")]
    except ValueError:
        reason = f"`{text}` is no grid: give one to three numbers, as in `8,4`"
        raise Rejected([NoFacts(Argument("--grid", PROGRAM), reason)]) from None


def _loaded(name: str) -> Any:
    """What a file of facts holds."""
    data, _ = files.read(name, PROGRAM)
    if name.endswith(".toml"):
        import tomllib

        return tomllib.loads(data.decode())
    if name.endswith(".json"):
        return json.loads(data)
    try:
        import yaml  # pyright: ignore[reportMissingModuleSource]
    except ImportError:
        raise ValueError("PyYAML, which reads YAML, is not installed; .json and .toml need nothing") from None
    try:
        return yaml.safe_load(data)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from None


def _argument(text: str) -> dict[str, object]:
    """An argument of the command line as a mapping. Raises `ValueError`."""
    name, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"`{text}` has no `=`")
    if (match := _ARRAY.fullmatch(value)) is None:
        try:
            return {"name": name, "value": int(value)}
        except ValueError:
            return {"name": name, "value": float(value)}
    dtype, shape, rest = match.groups()
    found: dict[str, object] = {"name": name, "dtype": dtype, "shape": _numbers(shape)}
    for part in rest.split(":")[1:]:
        key, _, what = part.partition("=")
        if key == "strides":
            found[key] = _numbers(what)
        elif key in ("shift", "alignment", "address"):
            found[key] = int(what, 0)
        else:
            found[key] = what or True
    return found


def _numbers(text: str) -> list[int]:
    return [int(n) for n in text.replace(" ", "").split(",") if n]


def report(audits: Sequence[Audit], file: str, form: str, sources: SourceMap) -> bytes:
    """What is said of audits of a file, in one of the formats."""
    from freehold.audit import page, sarif, text

    if form == "text":
        colour = wants_colour(sys.stdout)
        return ("\n\n".join(text.text_of(found, sources, colour) for found in audits) + "\n").encode()
    if form == "html":
        return page.page(audits, f"Audit of {file}", sources).encode()
    data = sarif.log(audits, file) if form == "sarif" else [sarif.plain(found) for found in audits]
    return (json.dumps(data, indent=2) + "\n").encode()


if __name__ == "__main__":
    sys.exit(main())
