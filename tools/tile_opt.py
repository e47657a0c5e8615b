"""
`tile-opt`: reads `.mlir` or bytecode, verifies, runs passes, prints.

    tile-opt file.mlir -p 'verify-borrows,verify-partitions,resolve-obligations'
    tile-opt file.mlir -p 'canonicalize,mlir{cse}' --print-ir-after-change --timing
    tile-opt file.mlir --pass-pipeline='builtin.module(cuda_tile.module(canonicalize,cse))'
    tile-opt invalid.mlir --split-input-file --verify-diagnostics
    tile-opt file.mlir -p a,b,c --bisect 'tile-run {} --arg zeros:f32[8]'
    tile-opt file.mlir --explain --arch sm_90

The exit status is 0 where everything was accepted (or, under `--verify-diagnostics`, refused as the file says), 1 where
something was refused, 2 where the command line or a file was wrong. A tool with more passes calls `main` with
them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from freehold.support.diagnostic import Rejected
from freehold.tools import driver, files
from freehold.tools.processing import Options, Statistics, Timing, bytecode_of, process, transformed, verify

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.passes import ModulePass

    from freehold.tools.pipeline_text import PassFactories

__all__ = ["Options", "Timing", "main", "process", "verify"]

PROGRAM = "tile-opt"


def argument_parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog=PROGRAM, description="Read a module, text or bytecode, verify it, run passes over it, print it."
    )
    parser.add_argument("file", nargs="?", default="-", help="the file to read; standard input if `-` or left out")
    parser.add_argument(
        "-o", "--output", default="-", metavar="FILE", help="the file to write instead of standard output"
    )
    parser.add_argument(
        "-p",
        "--passes",
        "--pass-pipeline",
        default="",
        metavar="PIPELINE",
        help="passes, as in `a,b{option=1},mlir{cse},cuda_tile.module(c,d)`; `@FILE` for those in a file; or `--a`",
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
    driver.add_arguments(parser)
    parser.add_argument("--no-verify", action="store_true", help="do not check the IR when read and after each pass")
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--print-op-generic", "--mlir-print-op-generic", action="store_true", help="print in generic form"
    )
    form.add_argument(
        "--elide-prefix", action="store_true", help="print operations in a `cuda_tile.module` without `cuda_tile.`"
    )
    form.add_argument("--emit-bytecode", action="store_true", help="write bytecode")
    parser.add_argument("--emit-bytecode-version", metavar="13.x", help="its version; without it the lowest that does")
    parser.add_argument("--text-version", metavar="13.x", help="print operations under the names of that version")
    parser.add_argument("--print-debuginfo", "--mlir-print-debuginfo", action="store_true", help="print locations")
    parser.add_argument("--mlir-print-local-scope", action="store_true", help="print locations where they belong")
    _add_instruments(parser)
    parser.add_argument("-Wunsupported-hints", action="store_true", help="warn of hints that the assembler passes over")
    parser.add_argument("-Werr-hints", action="store_true", help="refuse them")
    parser.add_argument("--allow-unregistered-dialect", action="store_true", help="accept unknown ops in generic form")
    parser.add_argument("--no-implicit-module", action="store_true", help="the text must begin with its own module")
    parser.add_argument("--version", action="store_true", help="print the versions of Freehold and of xDSL")
    return parser


def _add_instruments(parser: argparse.ArgumentParser) -> None:
    """What is told of the passes, on standard error."""
    told = parser.add_argument_group("on standard error")
    for option, when in (("before-all", "before each pass"), ("after-all", "after each pass")):
        told.add_argument(
            f"--print-ir-{option}", f"--mlir-print-ir-{option}", action="store_true", help=f"print the IR {when}"
        )
    told.add_argument(
        "--print-ir-after-change",
        "--mlir-print-ir-after-change",
        action="store_true",
        help="print the IR after each pass that changed it",
    )
    told.add_argument("--timing", "--mlir-timing", action="store_true", help="print where the time went")
    told.add_argument("--print-op-stats", action="store_true", help="count the operations of the result, by name")
    told.add_argument(
        "--pass-statistics",
        "--mlir-pass-statistics",
        action="store_true",
        help="count the operations that each pass added and took away",
    )
    told.add_argument(
        "--remarks", choices=("all", "memory", "tensorcore"), help="forward the assembler's remarks on the result"
    )
    told.add_argument(
        "--bisect", metavar="COMMAND", help="which pass makes COMMAND fail, in which {} is a file with the module"
    )
    told.add_argument("--reproducer", metavar="FILE", help="where a crash leaves its reproducer")
    told.add_argument("--run-reproducer", action="store_true", help="run a reproducer as its configuration says")


@driver.command(PROGRAM)
def main(argv: Sequence[str] | None = None, passes: PassFactories | None = None) -> int:
    """
    The command; returns its exit status.

    `passes` are known beside Freehold's own, for tools that are built on this one.
    """
    parser = argument_parser()
    words = list(sys.argv[1:] if argv is None else argv)
    flags = _pass_flags(words, passes)
    arguments, unknown = parser.parse_known_args(words)
    if unknown:
        parser.error(_unrecognised(unknown[0], parser, passes))
    if flags:
        arguments.passes = ",".join([*filter(None, [arguments.passes]), *flags])
    if arguments.version:
        from importlib.metadata import version

        print(f"tile-opt of Freehold {version('freehold')}, xDSL {version('xdsl')}")
        return 0
    if arguments.explain_error is not None:
        from freehold.tools.explain import main as explain

        return explain([arguments.explain_error])
    if arguments.run_reproducer:
        from freehold.tools.reproducer import configuration

        text = files.decoded(*files.read(arguments.file, PROGRAM), PROGRAM)
        arguments = parser.parse_args([*configuration(text), arguments.file])
    if arguments.remarks and not arguments.arch:
        parser.error("--remarks needs --arch")
    return _run(arguments, passes)


def _pass_flags(words: list[str], more_passes: PassFactories | None) -> list[str]:
    """Takes passes that are written as options, `--cse` or `--loop-split=split-threshold=2`, as in MLIR's tools, out of
    the command line; what they are in a pipeline."""
    from freehold.passes.registry import ALL_PASSES

    found: list[str] = []
    for word in list(words):
        name, _, options = word.removeprefix("--").partition("=")
        if word.startswith("--") and (name in ALL_PASSES or name in (more_passes or {})):
            words.remove(word)
            found.append(f"{name}{{{options}}}" if options else name)
    return found


def _unrecognised(word: str, parser: argparse.ArgumentParser, more_passes: PassFactories | None) -> str:
    """What to say of an argument that is neither an option nor a pass."""
    from freehold.passes.registry import ALL_PASSES
    from freehold.support.spelling import nearest

    options = {option for action in parser._actions for option in action.option_strings}  # pyright: ignore[reportPrivateUsage] -- there is no other list
    known = {*options, *(f"--{name}" for name in (*ALL_PASSES, *(more_passes or {})))}
    meant = nearest(word.partition("=")[0], known)
    return f"unrecognized argument: {word}" + (f"; did you mean `{meant}`?" if meant else "")


def _options(arguments: argparse.Namespace) -> Options:
    from freehold.tools.files import version_of
    from freehold.tools.reproducer import leaving

    return Options(
        verify=not arguments.no_verify,
        generic=arguments.print_op_generic,
        elide_prefix=arguments.elide_prefix,
        text_version=version_of(arguments.text_version, PROGRAM, "--text-version"),
        debuginfo=arguments.print_debuginfo,
        local_scope=arguments.mlir_print_local_scope,
        implicit_module=not arguments.no_implicit_module,
        print_before=arguments.print_ir_before_all,
        print_after=arguments.print_ir_after_all,
        only_changes=arguments.print_ir_after_change,
        bytecode=arguments.emit_bytecode,
        bytecode_version=version_of(arguments.emit_bytecode_version, PROGRAM, "--emit-bytecode-version"),
        remarks=arguments.remarks,
        crashed=leaving(arguments.reproducer),
        report=arguments.report,
        proofs=arguments.proofs,
        explain=arguments.explain,
        archs=tuple(arguments.arch.split(",")) if arguments.arch else None,
    )


def _run(arguments: argparse.Namespace, more_passes: PassFactories | None) -> int:
    from freehold.tools.context import make_context
    from freehold.tools.pipeline_text import available_passes, describe_passes, parse_pipeline

    factories = {**available_passes(), **(more_passes or {})}
    if arguments.list_passes:
        print("\n".join(describe_passes(factories)))
        return 0
    pipeline = parse_pipeline(arguments.passes, factories)
    if arguments.Wunsupported_hints or arguments.Werr_hints:
        looked = "warn-hints{refuse=true}" if arguments.Werr_hints else "warn-hints"
        pipeline = [*parse_pipeline(looked, factories), *pipeline]
    data, file = files.read_source(arguments.file, PROGRAM)
    options = _options(arguments)
    timing, statistics = Timing(), Statistics() if arguments.print_op_stats or arguments.pass_statistics else None
    going = driver.Driver(file, arguments)

    def work(chunk: bytes) -> bytes:
        # A context of its own: what one module registers must not be known to the next.
        context = make_context(allow_unregistered=arguments.allow_unregistered_dialect)
        text = chunk if files.is_bytecode(chunk) else chunk.decode()
        if arguments.bisect is not None:
            return _bisected(text, file, pipeline, options, arguments.bisect)
        if not options.bytecode and options.remarks is None:
            return process(context, text, file, pipeline, options, timing, statistics).encode()
        from freehold.support.span import SourceMap

        sources = SourceMap()
        try:
            module = transformed(context, text, file, pipeline, options, timing, statistics, sources)
            return _with_remarks(module, options, going)
        except Rejected as rejected:
            rejected.sources = rejected.sources or sources
            raise

    results, refused = going.over(data, work)
    if results or not refused:
        files.write(arguments.output, b"// -----\n".join(results), PROGRAM)
    if arguments.timing:
        print(timing.table(), file=sys.stderr)
    if statistics is not None and arguments.print_op_stats:
        print(statistics.operation_table(), file=sys.stderr)
    if statistics is not None and arguments.pass_statistics:
        print(statistics.pass_table(), file=sys.stderr)
    return int(refused)


def _with_remarks(module: ModuleOp, options: Options, going: driver.Driver) -> bytes:
    """The result, as text or bytecode, after the assembler's remarks on it were told."""
    from freehold.tools.processing import told

    bytecode = bytecode_of(module, options.bytecode_version)
    if options.remarks is not None:
        from freehold.backend.remarks import remarks

        for arch in options.archs or ():
            going.tell(remarks(bytecode, arch, options.remarks))
    return bytecode if options.bytecode else told(module, options).encode()


def _bisected(text: str | bytes, file: str, passes: Sequence[ModulePass], options: Options, command: str) -> bytes:
    """Which pass makes a command fail, as text, with the module before it and after it."""
    from freehold.tools.bisect import first_failure
    from freehold.tools.commands import Check
    from freehold.tools.context import make_context
    from freehold.tools.pass_nesting import name_of
    from freehold.tools.processing import told

    check = Check(command)
    quiet = options.quiet

    def after(count: int) -> str:
        context = make_context(allow_unregistered=True)
        return told(transformed(context, text, file, passes[:count], quiet, Timing()), quiet)

    found = first_failure(passes, lambda count: check.fails(after(count).encode()))
    if found is None:
        return b"// bisect: the command succeeds after all passes\n"
    if found == 0:
        return b"// bisect: the command fails on what was read, before any pass\n"
    name = name_of(passes[found - 1])
    return (
        f"// bisect: pass {found} of {len(passes)}, `{name}`, makes the command fail; before it:\n{after(found - 1)}"
        f"// -----\n// bisect: after `{name}`:\n{after(found)}"
    ).encode()


if __name__ == "__main__":
    sys.exit(main())
