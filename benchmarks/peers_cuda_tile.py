"""NVIDIA's cuda-tile suite on Freehold's tools: `python -m benchmarks.peers --cuda-tile PATH`.

The path is a checkout of NVIDIA/cuda-tile that you have. Each module of its `.mlir` tests (those between lines
`// -----`) is read, verified and printed here as its RUN line says, and what came of it is compared with what the test
expects of NVIDIA's tools: that the module is refused (where an error is expected in it), or accepted and printed so
that its CHECK lines hold. What is accepted goes through the generic form, too, and through bytecode; and where
`FREEHOLD_MLIR_OPT` names NVIDIA's own `cuda-tile-opt`, what we print is read by it, and what it prints by us.
"""

from __future__ import annotations

import contextlib
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from io import StringIO
from pathlib import Path
from typing import Any, Final

from filecheck.error import CheckError
from filecheck.finput import FInput
from filecheck.matcher import Matcher
from filecheck.options import parse_argv_options
from filecheck.parser import Parser
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from freehold.backend.bytecode.reader import read_bytecode
from freehold.backend.bytecode.writer import write_bytecode
from freehold.dialects.cuda_tile.op import TileOp
from freehold.dialects.cuda_tile.ops.module import EntryOp, TileModuleOp
from freehold.dialects.cuda_tile.text import print_module, text_of
from freehold.dialects.cuda_tile.version import V13_3, Version
from freehold.support.diagnostic import Rejected
from freehold.tools.context import make_context
from freehold.tools.located_parser import parse_module
from freehold.tools.mlir_bridge import Upstream, UpstreamError, find, from_mlir, to_mlir
from freehold.tools.pipeline_text import parse_pipeline
from freehold.tools.tile_opt import verify

_REFUSED: Final = re.compile(r"expected-error|CHECK[\w-]*: .*error:")
_TEST_ONLY: Final = re.compile(r"testing\$|#cuda_tile\.test|bytecode_test|test\.\w+_attr|250\.")
_DIVIDER: Final = re.compile(r"^// -----.*$", re.MULTILINE)
_PASSES: Final = {
    "--canonicalize": "canonicalize{fold-integers=false}",
    "fuse-fma": "fuse-fma",
    "loop-split": "loop-split",
    "synthesize-debug-info-scopes": "synthesize-debug-info-scopes",
    "-Werr-hints": "warn-hints{refuse=true}",
}
"""Their passes, and which of ours does the same."""
_OF_FUNCTIONS: Final = re.compile(r"a kernel returns nothing|must be a rank-0 tile of a number")
"""What is wrong with kernels and right with the functions that their tests are written in."""


class FunctionOp(EntryOp):
    """A function of their tests: a kernel that may have results, and arguments of any type."""

    name = "cuda_tile.testing$func"


@dataclass
class Case:
    """A module of a test, and what is expected of it."""

    file: str
    number: int
    text: str
    refused: bool
    checked: bool
    """Whether its CHECK lines are of what `cuda-tile-opt` prints."""
    passes: str = ""
    locations: bool = False
    implicit: bool = True
    version: Version | None = None
    """The version of the bytecode that is made of it, if the test makes any of one version."""
    written: bool = False
    """Whether NVIDIA's tool makes bytecode of it, which refuses locations that it cannot keep."""


@dataclass
class Found:
    """What came of a module."""

    case: Case
    verdict: str
    """`same`, `accepted` where it should be refused, `refused` where not, or `crash`."""
    why: str = ""
    checks: str = ""
    """`hold`, or the CHECK line that does not."""
    trips: dict[str, str] = field(default_factory=dict[str, str])
    """For `generic`, `bytecode`, `read by theirs` and `theirs by us`: empty where the module comes back, else what is
    wrong."""
    printed: str = ""


def cases(checkout: Path) -> Iterator[Case]:
    """The modules of all tests that `cuda-tile-opt` or `cuda-tile-translate` read as text."""
    for path in sorted((checkout / "test").rglob("*.mlir")):
        text = path.read_text()
        runs = [line for line in re.findall(r"// RUN: (.*)", text) if re.search("cuda-tile-|round_trip", line)]
        if not runs or ".tileirbc" in "".join(runs) or ".bc " in "".join(runs):
            continue
        run = next((line for line in runs if "cuda-tile-opt" in line), runs[0])
        passes = next((ours for theirs, ours in _PASSES.items() if theirs in run), "")
        split = "split-input-file" in "".join(runs)
        for number, chunk in enumerate(_DIVIDER.split(text) if split else [text]):
            if not re.sub(r"//[^\n]*", "", chunk).strip():
                continue
            yield Case(
                str(path.relative_to(checkout)),
                number,
                chunk,
                refused=bool(_REFUSED.search(chunk)) or (run.startswith("not ") and "CHECK" in chunk),
                checked="cuda-tile-opt" in run and "FileCheck" in run and "CHECK" in chunk,
                passes=passes,
                locations="print-debuginfo" in run,
                implicit="no-implicit-module" not in run,
                version=_version(run),
                written="mlir-to-cudatilebc" in run,
            )


def _version(run: str) -> Version | None:
    named = re.search(r"mlir-to-cudatilebc.*-bytecode-version=(13\.\d)", run)
    return Version.parse(named.group(1)) if named else None


def _holds(case: Case, printed: str, earlier: Sequence[Found]) -> str:
    """`hold` where the CHECK lines are right of what is printed, else which is not. Where they use variables of modules
    `earlier` in the file, those are checked with it."""
    told = StringIO()
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file, contextlib.redirect_stderr(told):
        file.write(re.sub(r"// RUN:.*", "", case.text))
        file.flush()
        options = parse_argv_options(["filecheck", file.name, "--enable-var-scope"])
        matcher = Matcher(options, FInput("-", printed), Parser.from_opts(options))
        matcher.stderr = told
        try:
            if matcher.run() == 0:
                return "hold"
        except CheckError:  # a variable that is not defined
            if earlier:
                text = "\n".join([*(each.case.text for each in earlier), case.text])
                before = "\n".join(each.printed for each in earlier)
                return _holds(replace(case, text=text), f"{before}\n{printed}", ())
    return next((line for line in told.getvalue().splitlines() if "error" in line), "do not hold").split("error:")[-1]


def _known_ops(module: ModuleOp) -> bool:
    return all(isinstance(op, TileOp | ModuleOp) for op in module.walk())


def _trips(module: ModuleOp) -> dict[str, str]:
    """What becomes of a module that is written and read."""
    trips: dict[str, str] = {}
    before = text_of(module)
    try:
        again = parse_module(_context(), text_of(module, generic=True), "generic", locate=False)
        trips["generic"] = "" if text_of(again) == before else "another module"
    except Rejected as refused:
        trips["generic"] = str(refused).splitlines()[0]
    tiles = [op for op in module.ops if isinstance(op, TileModuleOp)]
    if len(tiles) == 1 and len(list(module.ops)) == 1 and _known_ops(module):
        try:
            data = write_bytecode(module)
            trips["bytecode"] = "" if write_bytecode(read_bytecode(data)) == data else "another module"
        except Rejected as refused:
            trips["bytecode"] = str(refused).splitlines()[0]
    return trips


def _with_theirs(case: Case, module: ModuleOp, theirs: Upstream) -> dict[str, str]:
    """What becomes of a module that NVIDIA's tool reads as we print it, and that we read as it prints it."""
    mine, trips = nameless(module), dict[str, str]()
    for trip, text in (("read by theirs", to_mlir(module, knows_tile_ir=True)), ("theirs by us", case.text)):
        try:
            again = from_mlir(_context(), theirs.run(text, ""))
            _verify(again)
            trips[trip] = "" if nameless(again) == mine else "another module"
        except (UpstreamError, Rejected) as refused:
            trips[trip] = str(refused).splitlines()[0]
    return trips


def nameless(module: ModuleOp) -> str:
    """The module as text, without the names of its values, which no MLIR keeps."""
    copy = module.clone()
    for op in copy.walk():
        arguments = [argument for region in op.regions for block in region.blocks for argument in block.args]
        for value in (*op.results, *arguments):
            value.name_hint = None
    return text_of(copy)


def _context() -> Context:
    context = make_context(allow_unregistered=True)
    context.load_op(FunctionOp)
    return context


def _verify(module: ModuleOp) -> None:
    try:
        verify(module)
    except Rejected as refused:
        functions = any(isinstance(op, FunctionOp) for op in module.walk())
        if not functions or not all(_OF_FUNCTIONS.search(str(Rejected([error]))) for error in refused.errors):
            raise


def found(case: Case, earlier: Sequence[Found] = ()) -> Found:
    """What comes of a module, behind others in its file."""
    context = _context()
    try:
        module = parse_module(context, case.text, case.file, implicit_module=case.implicit)
        _verify(module)
        if case.written:
            write_bytecode(module, case.version, exact_locations=True)
        trips = {} if case.refused else _trips(module)
        theirs = find()
        if theirs is not None and theirs.knows_tile_ir and not case.refused:
            trips |= _with_theirs(case, module, theirs)
        for each in parse_pipeline(case.passes):
            each.apply(context, module)
    except Rejected as refused:
        why = next((line for line in str(refused).splitlines() if "error[" in line), str(refused))
        return Found(case, "same" if case.refused else "refused", why)
    except Exception as crash:  # whatever it is, it is counted
        return Found(case, "crash", f"{type(crash).__name__}: {crash}")
    if case.refused:
        expected = re.search(r"expected-error[^{]*\{\{(.*?)\}\}", case.text)
        return Found(case, "accepted", expected.group(1) if expected else "")
    printed = print_module(module, locations=case.locations, version=V13_3)  # as the tools of that checkout do
    checks = _holds(case, printed, earlier) if case.checked else ""
    return Found(case, "same", "", checks, trips, printed)


def table(checkout: Path, only: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Prints what came of each file's modules, and returns it of each module."""
    rows: list[Found] = []
    by_file: dict[str, list[Found]] = {}
    for case in cases(checkout):
        if not only or Path(case.file).name in only:
            earlier = by_file.setdefault(case.file, [])
            rows.append(found(case, [each for each in earlier if each.checks]))
            earlier.append(rows[-1])
    columns = ["modules", "same verdict", "checked", "checks hold", "generic", "bytecode"]
    columns += [trip for trip in ("read by theirs", "theirs by us") if any(trip in row.trips for row in rows)]
    print(f"{'file':60}" + "".join(f"{column:>14}" for column in columns))
    total: Counter[str] = Counter()
    for file, some in by_file.items():
        counted = _counted(some)
        total.update(counted)
        print(f"{file:60}" + "".join(f"{_cell(counted, column):>14}" for column in columns))
    print(f"{'all':60}" + "".join(f"{_cell(total, column):>14}" for column in columns))
    return [
        {
            "file": row.case.file,
            "number": row.case.number,
            "verdict": row.verdict,
            "why": row.why,
            "checks": row.checks,
            "test_only": bool(_TEST_ONLY.search(row.case.text)),
            **row.trips,
        }
        for row in rows
    ]


def _counted(rows: list[Found]) -> Counter[str]:
    counted: Counter[str] = Counter()
    for row in rows:
        counted["modules"] += 1
        counted["same verdict"] += row.verdict == "same"
        counted["checked"] += bool(row.checks)
        counted["checks hold"] += row.checks == "hold"
        for trip, wrong in row.trips.items():
            counted[trip] += not wrong
            counted[f"{trip} tried"] += 1
    return counted


def _cell(counted: Counter[str], column: str) -> str:
    tried = counted.get(f"{column} tried")
    return str(counted[column]) if tried is None else f"{counted[column]}/{tried}"
