"""What `tile-opt` does with one module: reads it, verifies, runs passes, tells of it; as functions, for other tools.

On the way it prints between passes, takes the time, counts operations.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TextIO

from freehold.support.diagnostic import Error, Rejected
from freehold.support.large import large
from freehold.support.span import SourceMap
from freehold.tools.errors import DoesNotVerify, PassFailed

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation
    from xdsl.passes import ModulePass

    from freehold.backend.remarks import Category
    from freehold.dialects.cuda_tile.version import Version


def verify(module: ModuleOp, after: str | None = None) -> None:
    """
    Checks every operation against the rules of its dialect.

    Raises `Rejected` with an error (O502) for each that breaks one; `after` names the pass that has just run.
    """
    from xdsl.utils.exceptions import VerifyException

    from freehold.dialects.classes import walk
    from freehold.dialects.location import span_of

    errors: list[Error] = []

    def refuse(error: DoesNotVerify) -> None:
        errors.append(error if after is None else error.add(error.After(after)))

    with large():
        for op in walk(module):
            try:
                op.verify(verify_nested_ops=False)
                _verify_blocks(op)
            except VerifyException as broken:
                refuse(DoesNotVerify(span_of(op), op.name, str(broken).removeprefix(f"{op.name}: ")))
    if errors:
        raise Rejected(errors)


def _verify_blocks(op: Operation) -> None:
    """A block that must end in a terminator has operations: no operation in it could say so."""
    from xdsl.traits import NoTerminator
    from xdsl.utils.exceptions import VerifyException

    for region in op.regions:
        if len(region.blocks) == 1 and region.block.is_empty and not op.has_trait(NoTerminator):
            raise VerifyException("contains empty block in single-block region that expects at least a terminator")


@dataclass
class Options:
    """How modules are read and printed, and what is told on the way."""

    verify: bool = True
    """Whether to verify what was read, and after each pass."""
    generic: bool = False
    elide_prefix: bool = False
    """Whether operations in a `cuda_tile.module` are printed without the dialect's name, as NVIDIA's tools do it."""
    text_version: Version | None = None
    """The version whose names of operations are printed; the newest if None."""
    debuginfo: bool = False
    local_scope: bool = False
    implicit_module: bool = True
    print_before: bool = False
    print_after: bool = False
    only_changes: bool = False
    """Whether a module is printed after passes that changed it, and after no others."""
    bytecode: bool = False
    """Whether bytecode is written in place of text."""
    bytecode_version: Version | None = None
    remarks: Category | None = None
    """The category of the assembler's remarks that are told beside the module: `all`, `memory`, `tensorcore`."""
    crashed: Callable[[Exception, str | bytes, str, Sequence[ModulePass], Options], None] | None = None
    """What is called where a pass has a fault, before that is raised on: with the input, and the passes up to it."""
    report: bool = False
    """Whether to say how each obligation is met, and what would meet it better, in place of printing the module."""
    proofs: bool = False
    """Whether to print what was concluded of the kernels, as SMT-LIB, in place of printing the module."""
    explain: bool = False
    """Whether to say what each kernel is and does (`runtime.jit.explain`) in place of printing the module."""
    archs: tuple[str, ...] | None = None
    """The architectures that `explain` tells resources of."""
    log: TextIO | None = None
    """Where dumps between passes go; standard error if None."""

    @property
    def quiet(self) -> Options:
        """The same, but that nothing is printed between passes: for runs whose result alone counts."""
        return replace(self, print_before=False, print_after=False, only_changes=False)

    @property
    def told(self) -> str:
        """What is made of a module at the end."""
        return "explain" if self.explain else "report" if self.report else "proofs" if self.proofs else "print"


@dataclass
class Timing:
    """Where the time went: seconds by stage, over all chunks."""

    seconds: dict[str, float] = field(default_factory=dict[str, float])

    def add(self, stage: str, start: float) -> None:
        """Adds the time since `start` (of `time.perf_counter`)."""
        self.seconds[stage] = self.seconds.get(stage, 0.0) + time.perf_counter() - start

    def table(self) -> str:
        """Milliseconds and share, in the order in which stages were first met."""
        total = sum(self.seconds.values()) or 1.0
        rows = [*self.seconds.items(), ("total", sum(self.seconds.values()))]
        width = max(len(stage) for stage, _ in rows)
        return "\n".join(f"{name:{width}}  {1e3 * sec:9.3f} ms  {sec / total:6.1%}" for name, sec in rows)


@dataclass
class Statistics:
    """Operations by name, over all chunks: at the end, and what each pass added and took away."""

    operations: Counter[str] = field(default_factory=Counter[str])
    passes: dict[str, tuple[int, Counter[str], Counter[str]]] = field(
        default_factory=dict[str, tuple[int, Counter[str], Counter[str]]]
    )
    """By the number and name of the pass: runs, operations added, operations taken away."""

    def ran(self, name: str, before: Counter[str], after: Counter[str]) -> None:
        """Adds one run of a pass."""
        runs, added, taken = self.passes.get(name, (0, Counter[str](), Counter[str]()))
        self.passes[name] = runs + 1, added + (after - before), taken + (before - after)

    def operation_table(self) -> str:
        """A line for each name, by name."""
        width = max((len(name) for name in self.operations), default=0)
        lines = [f"  {name:{width}}  {count}" for name, count in sorted(self.operations.items())]
        return "\n".join(["Operations encountered:", *lines])

    def pass_table(self) -> str:
        """A line for each pass, and below it a line for each name that it changed the number of."""
        lines = ["Operations added and taken away, by pass:"]
        for name, (_, added, taken) in self.passes.items():
            lines.append(f"  {name}: +{added.total()} -{taken.total()}")
            lines += [f"    {op}: +{added[op]} -{taken[op]}" for op in sorted({*added, *taken})]
        return "\n".join(lines)


def count(module: ModuleOp) -> Counter[str]:
    """How many operations of each name there are."""
    from freehold.dialects.classes import walk

    return Counter(op.name for op in walk(module))


def process(
    context: Context,
    text: str | bytes,
    file: str,
    passes: Sequence[ModulePass] = (),
    options: Options | None = None,
    timing: Timing | None = None,
    statistics: Statistics | None = None,
) -> str:
    """
    Reads one module, text or bytecode, runs the passes over it, and returns it as text.

    Raises `Rejected`, whose excerpts show the text; any other exception is a fault of a pass.
    """
    options = options or Options()
    timing = timing or Timing()
    sources = SourceMap()
    try:
        module = transformed(context, text, file, passes, options, timing, statistics, sources)
        start = time.perf_counter()
        printed = told(module, options, sources)
        timing.add(options.told, start)
        return printed
    except Rejected as rejected:
        if rejected.sources is None:
            rejected.sources = sources
        raise


def transformed(
    context: Context,
    text: str | bytes,
    file: str,
    passes: Sequence[ModulePass],
    options: Options,
    timing: Timing,
    statistics: Statistics | None = None,
    sources: SourceMap | None = None,
) -> ModuleOp:
    """The module that the passes make of what is read. Raises `Rejected`."""
    from freehold.tools.pass_nesting import name_of

    start = time.perf_counter()
    module = _read(context, text, file, options, sources if sources is not None else SourceMap())
    timing.add("parse", start)
    _verify_timed(module, None, options, timing)
    for number, each in enumerate(passes):
        name = name_of(each)
        if options.print_before:
            _dump(module, "Before", name, options)
        printed = _print(module, options) if options.only_changes else None
        before = count(module) if statistics is not None else None
        start = time.perf_counter()
        try:
            _apply(context, each, module)
        except Rejected:
            raise
        except Exception as crash:
            if options.crashed is not None:
                options.crashed(crash, text, file, passes[: number + 1], options)
            raise
        timing.add(name, start)
        if statistics is not None and before is not None:
            statistics.ran(f"{number + 1}. {name}", before, count(module))
        _verify_timed(module, name, options, timing)
        if options.print_after or (printed is not None and printed != _print(module, options)):
            _dump(module, "After", name, options)
    if statistics is not None:
        statistics.operations += count(module)
    return module


def _read(context: Context, text: str | bytes, file: str, options: Options, sources: SourceMap) -> ModuleOp:
    if isinstance(text, bytes):
        from freehold.tools.files import read_bytecode_module

        return read_bytecode_module(text, file, "tile-opt")
    from freehold.tools.located_parser import parse_module

    return parse_module(context, text, file, implicit_module=options.implicit_module, sources=sources)


def bytecode_of(module: ModuleOp, version: Version | None) -> bytes:
    """A module as bytecode of a version, or of the lowest that suffices. Raises `Rejected`."""
    from freehold.backend.bytecode.writer import write_bytecode

    return write_bytecode(module, version)


def _apply(context: Context, each: ModulePass, module: ModuleOp) -> None:
    from xdsl.utils.exceptions import DiagnosticException

    from freehold.dialects.location import span_of
    from freehold.tools.pass_nesting import name_of

    try:
        with large():
            each.apply(context, module)
    except DiagnosticException as failed:
        raise Rejected([PassFailed(span_of(module), name_of(each), str(failed))]) from failed


def _verify_timed(module: ModuleOp, after: str | None, options: Options, timing: Timing) -> None:
    if options.verify:
        start = time.perf_counter()
        verify(module, after)
        timing.add("verify", start)


def _print(module: ModuleOp, options: Options) -> str:
    from freehold.dialects.cuda_tile.text import print_module, text_of
    from freehold.dialects.cuda_tile.version import VERSIONS

    version = options.text_version or VERSIONS[-1]
    if options.elide_prefix:
        return print_module(module, locations=options.debuginfo, aliases=not options.local_scope, version=version)
    return text_of(module, locations=options.debuginfo, generic=options.generic, version=version)


def told(module: ModuleOp, options: Options, sources: SourceMap | None = None) -> str:
    """What is printed of a module. Raises `Rejected`."""
    match options.told:
        case "explain":
            return _explain(module, options, sources or SourceMap())
        case "report":
            return _report(module)
        case "proofs":
            from freehold.passes.pipeline import proofs

            return proofs(module)
        case _:
            return _print(module, options)


def _report(module: ModuleOp) -> str:
    """How the obligations of each kernel are met. Raises `Rejected` for a kernel that is refused."""
    from freehold.passes import pipeline
    from freehold.passes.report_obligations import report

    pipeline.verify(module)
    return "".join(f"{line}\n" for line in report(module, advice=True))


def _explain(module: ModuleOp, options: Options, sources: SourceMap) -> str:
    from xdsl.utils.exceptions import DiagnosticException

    from freehold.dialects.location import span_of
    from freehold.runtime.jit.explain import explain_all

    try:
        return "\n\n".join(explain_all(module, options.archs, sources)) + "\n"
    except DiagnosticException as failed:  # a module that is right, and no kernel as a launch needs it
        raise Rejected([PassFailed(span_of(module), "--explain", str(failed))]) from failed


def _dump(module: ModuleOp, when: str, name: str, options: Options) -> None:
    log = options.log or sys.stderr
    log.write(f"// -----// IR Dump {when} {name} //----- //\n{_print(module, options)}\n")
