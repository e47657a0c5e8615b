"""
`tile-opt`: reads `.mlir`, verifies, runs passes, prints.

    tile-opt file.mlir -p 'verify-borrows,verify-partitions,resolve-obligations'
    tile-opt file.mlir -p 'canonicalize,mlir{cse}' --print-ir-after-all --timing
    tile-opt invalid.mlir --split-input-file --verify-diagnostics | filecheck invalid.mlir
    tile-opt file.mlir --explain --arch sm_90
    tile-opt file.mlir --report

The exit status is 0 where everything was accepted (or, under `--verify-diagnostics`, refused as it should be), 1 where
something was refused, 2 where the command line or a file was wrong. A tool with more passes calls `main` with
them.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TextIO

from freehold.support.diagnostic import Error, Rejected
from freehold.support.large import large
from freehold.support.render import wants_colour
from freehold.support.span import SourceMap
from freehold.tools import files
from freehold.tools.errors import DoesNotVerify, PassFailed

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation
    from xdsl.passes import ModulePass

    from freehold.tools.pipeline_text import PassFactories

PROGRAM = "tile-opt"
_DIVIDER = re.compile(r"^// -----[^\S\n]*$", re.MULTILINE)


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
    debuginfo: bool = False
    implicit_module: bool = True
    print_before: bool = False
    print_after: bool = False
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


def process(
    context: Context,
    text: str,
    file: str,
    passes: Sequence[ModulePass] = (),
    options: Options | None = None,
    timing: Timing | None = None,
) -> str:
    """
    Reads one module, runs the passes over it, and returns it as text.

    Raises `Rejected`, whose excerpts show `text`; any other exception is a fault of a pass.
    """
    from freehold.tools.located_parser import parse_module

    options = options or Options()
    timing = timing or Timing()
    sources = SourceMap()
    try:
        start = time.perf_counter()
        module = parse_module(context, text, file, implicit_module=options.implicit_module, sources=sources)
        timing.add("parse", start)
        _verify_timed(module, None, options, timing)
        for each in passes:
            if options.print_before:
                _dump(module, "Before", each.name, options)
            start = time.perf_counter()
            _apply(context, each, module)
            timing.add(each.name, start)
            _verify_timed(module, each.name, options, timing)
            if options.print_after:
                _dump(module, "After", each.name, options)
        start = time.perf_counter()
        printed = _told(module, options, sources)
        timing.add(options.told, start)
        return printed
    except Rejected as rejected:
        if rejected.sources is None:
            rejected.sources = sources
        raise


def _apply(context: Context, each: ModulePass, module: ModuleOp) -> None:
    from xdsl.utils.exceptions import DiagnosticException

    from freehold.dialects.location import span_of

    try:
        with large():
            each.apply(context, module)
    except DiagnosticException as failed:
        raise Rejected([PassFailed(span_of(module), each.name, str(failed))]) from failed


def _verify_timed(module: ModuleOp, after: str | None, options: Options, timing: Timing) -> None:
    if options.verify:
        start = time.perf_counter()
        verify(module, after)
        timing.add("verify", start)


def _print(module: ModuleOp, options: Options) -> str:
    from freehold.dialects.cuda_tile.text import print_module, text_of

    if options.elide_prefix:
        return print_module(module, locations=options.debuginfo)
    return text_of(module, locations=options.debuginfo, generic=options.generic)


def _told(module: ModuleOp, options: Options, sources: SourceMap) -> str:
    """What is printed of a module."""
    match options.told:
        case "explain":
            return _explain(module, options, sources)
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


def split_input(text: str) -> Iterator[str]:
    """The modules of a file divided by lines `// -----`, each moved down to the lines where it stands."""
    line, position = 0, 0
    for divider in [*_DIVIDER.finditer(text), None]:
        chunk = text[position : divider.start() if divider else len(text)]
        yield "\n" * line + chunk
        if divider:
            line += chunk.count("\n")
            position = divider.end()


def argument_parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog=PROGRAM, description="Read a module as .mlir text, verify it, run passes over it, print it."
    )
    parser.add_argument("file", nargs="?", default="-", help="the file to read; standard input if `-` or left out")
    parser.add_argument(
        "-o", "--output", default="-", metavar="FILE", help="the file to write instead of standard output"
    )
    parser.add_argument(
        "-p", "--passes", default="", metavar="PIPELINE", help="passes, as in `a,b{option=1},mlir{cse}`"
    )
    parser.add_argument("--list-passes", action="store_true", help="list the passes and their options")
    parser.add_argument(
        "--explain", action="store_true", help="print proofs, cost, resources and IR of each kernel, not the module"
    )
    parser.add_argument(
        "--report", action="store_true", help="print how obligations are met, and what would meet them better"
    )
    parser.add_argument(
        "--proofs", action="store_true", help="print what was concluded as SMT-LIB, for another solver to check"
    )
    parser.add_argument("--arch", metavar="ARCH,..", help="architectures for --explain, as in `sm_90,sm_100`")
    parser.add_argument("--explain-error", metavar="CODE", help="print the page of an error code, such as O102")
    parser.add_argument(
        "--split-input-file", action="store_true", help="read the modules between lines `// -----` apart"
    )
    parser.add_argument(
        "--verify-diagnostics", action="store_true", help="print errors to standard output, and exit with status 0"
    )
    parser.add_argument("--no-verify", action="store_true", help="do not check the IR when read and after each pass")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--print-op-generic", action="store_true", help="print in generic form")
    form.add_argument(
        "--elide-prefix", action="store_true", help="print operations in a `cuda_tile.module` without `cuda_tile.`"
    )
    parser.add_argument("--print-debuginfo", action="store_true", help="print locations")
    parser.add_argument("--print-ir-before-all", action="store_true", help="print to standard error before each pass")
    parser.add_argument("--print-ir-after-all", action="store_true", help="print to standard error after each pass")
    parser.add_argument("--timing", action="store_true", help="print to standard error where the time went")
    parser.add_argument("--allow-unregistered-dialect", action="store_true", help="accept unknown ops in generic form")
    parser.add_argument("--no-implicit-module", action="store_true", help="the text must begin with its own module")
    parser.add_argument("--version", action="store_true", help="print the versions of Freehold and of xDSL")
    return parser


def main(argv: Sequence[str] | None = None, passes: PassFactories | None = None) -> int:
    """
    The command; returns its exit status.

    `passes` are known beside Freehold's own, for tools that are built on this one.
    """
    arguments = argument_parser().parse_args(argv)
    try:
        if arguments.version:
            from importlib.metadata import version

            print(f"tile-opt of Freehold {version('freehold')}, xDSL {version('xdsl')}")
            return 0
        if arguments.explain_error is not None:
            from freehold.tools.explain import main as explain

            return explain([arguments.explain_error])
        return _run(arguments, passes)
    except Rejected as rejected:
        print(rejected.render(wants_colour(sys.stderr)), file=sys.stderr)
        return 2
    except BrokenPipeError:
        sys.stderr.close()  # whoever read our output has gone, as `| head` does
        return 1


def _run(arguments: argparse.Namespace, more_passes: PassFactories | None) -> int:
    from freehold.tools.context import make_context
    from freehold.tools.pipeline_text import available_passes, describe_passes, parse_pipeline

    factories = {**available_passes(), **(more_passes or {})}
    if arguments.list_passes:
        print("\n".join(describe_passes(factories)))
        return 0
    pipeline = parse_pipeline(arguments.passes, factories)
    data, file = files.read(arguments.file, PROGRAM)
    text = files.decoded(data, file, PROGRAM)
    options = Options(
        verify=not arguments.no_verify,
        generic=arguments.print_op_generic,
        elide_prefix=arguments.elide_prefix,
        debuginfo=arguments.print_debuginfo,
        implicit_module=not arguments.no_implicit_module,
        print_before=arguments.print_ir_before_all,
        print_after=arguments.print_ir_after_all,
        report=arguments.report,
        proofs=arguments.proofs,
        explain=arguments.explain,
        archs=tuple(arguments.arch.split(",")) if arguments.arch else None,
    )
    timing = Timing()
    refused = False
    results: list[str] = []
    for chunk in split_input(text) if arguments.split_input_file else [text]:
        # A context of its own: what one module registers must not be known to the next.
        context = make_context(allow_unregistered=arguments.allow_unregistered_dialect)
        try:
            results.append(process(context, chunk, file, pipeline, options, timing))
        except Rejected as rejected:
            if arguments.verify_diagnostics:
                results.append(rejected.render() + "\n")
            else:
                refused = True
                print(rejected.render(wants_colour(sys.stderr)), file=sys.stderr)
    files.write(arguments.output, "// -----\n".join(results).encode(), PROGRAM)
    if arguments.timing:
        print(timing.table(), file=sys.stderr)
    return int(refused)


if __name__ == "__main__":
    sys.exit(main())
