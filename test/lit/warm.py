"""
How lit runs the tests here: the tools as forks of a process that has imported them already.

Starting Python and importing the compiler takes ten times as long as the test itself. A fork is a process of its own
still, with its own arguments, environment, standard streams and exit status. Other programs are started as they are,
and so is a tool as a user starts it where `env` stands in front. A file with a RUN line that asks for more of a shell
than pipes, `2>&1`, `<`, `>` and `not` is run by lit's own shell; so is every file where the platform has no `fork`.
"""

from __future__ import annotations

import gc
import importlib
import os
import re
import shutil
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, cast

import lit.formats
import lit.ShCommands
import lit.ShUtil
import lit.Test
import lit.TestRunner

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from forked import COMPILER, load

LIT: Any = lit.TestRunner  # has no types
TOOLS = {
    "tile-opt": "freehold.tools.tile_opt",
    "tile-translate": "freehold.tools.tile_translate",
    "tile-audit": "freehold.tools.tile_audit",
    "tile-run": "freehold.tools.tile_run",
    "tile-reduce": "freehold.tools.tile_reduce",
    "tile-diff": "freehold.tools.tile_diff",
    "tile-graph": "freehold.tools.tile_graph",
    "filecheck": "filecheck.main",
}
OF_A_SHELL = ("cd", "export", "popd", "pushd", "set", "ulimit", "umask", "unset")
"""Commands that change what later lines of a file see; some systems have programs of these names."""

SECONDS = 1800
"""How long a command may take."""

CRASHED = 70
"""The status of a command that ended by an exception, which `not` does not accept, as little as a signal."""
LATER = (
    *COMPILER,
    "freehold.audit.*",
    "freehold.runtime.interpreter.*",
    "freehold.runtime.jit.explain",
    "freehold.tools.context",
    "freehold.tools.errors",
    "freehold.tools.located_parser",
    "freehold.tools.pass_nesting",
    "freehold.tools.reproducer",
    "html",
    "numpy.ctypeslib",
    "numpy.random",
    "xdsl.backend.register_allocator",
    "xdsl.dialects.test",
    "xdsl.irdl.declarative_assembly_format_parser",
    "xdsl.parser",
    "xdsl.pattern_rewriter",
    "xdsl.printer",
)
"""What the tools import when they need it."""

_MARK = re.compile(r"^\s*%dbg\([^)]*\)\s*")


@dataclass(frozen=True)
class Command:
    """One command of a pipeline."""

    words: tuple[str, ...]
    fails: bool = False
    """Whether it must fail: `not command`."""
    merged: bool = False
    """Whether its standard error goes where its output goes: `2>&1`."""
    input: str | None = None
    """The file that it reads."""
    output: str | None = None
    """The file that its output goes to, and not its errors."""


class WarmTest(lit.formats.ShTest):
    """Files with RUN lines, as lit's `ShTest`."""

    def execute(self, test: Any, litConfig: Any) -> Any:
        """The result of one file."""
        # Who watches what tests execute asks for the test as it does under pytest. A process runs one file at a time.
        test.config.environment["PYTEST_CURRENT_TEST"] = f"test/lit/{'/'.join(test.path_in_suite)} (call)"
        parsed = LIT.parseIntegratedTestScript(test)
        if isinstance(parsed, lit.Test.Result):
            return parsed
        folder, base = LIT.getTempPaths(test)
        lines: list[str] = LIT.applySubstitutions(parsed, LIT.getDefaultSubstitutions(test, folder, base), {}, 10)
        path = test.config.environment.get("PATH")
        pipelines = [pipeline(_MARK.sub("", line), path) for line in lines]
        if not all(pipelines) or not hasattr(os, "fork") or litConfig.noExecute:
            whole: Any = super()
            return whole.execute(test, litConfig)
        Path(base).parent.mkdir(parents=True, exist_ok=True)
        for line, commands in zip(lines, pipelines, strict=True):
            said = run(commands or [], Path(test.getExecPath()).parent, test.config.environment)
            if said is not None:
                return lit.Test.Result(lit.Test.FAIL, f"{_MARK.sub('', line)}\n--\n{said}\n--\n")
        return lit.Test.Result(lit.Test.PASS, "")


def pipeline(line: str, path: str | None = None) -> list[Command] | None:
    """The commands of a RUN line, looked for on a path; None where it asks for more of a shell than is known here."""
    parsed = lit.ShUtil.ShParser(line, pipefail=True).parse()
    if not isinstance(parsed, lit.ShCommands.Pipeline):
        return None
    found = [_command(command, path) for command in parsed.commands]
    return None if None in found else cast("list[Command]", found)


def _command(parsed: Any, path: str | None) -> Command | None:
    if not all(isinstance(word, str) for word in parsed.args):
        return None
    fails = parsed.args[0] == "not"
    command = Command(tuple(parsed.args[fails:]), fails)
    name = next(iter(command.words), "")
    if name in OF_A_SHELL or not (name in TOOLS or shutil.which(name, path=path)):
        return None
    for redirection in parsed.redirects:
        match redirection:
            case ((">&", 2), "1") if command.output is None:
                command = replace(command, merged=True)
            case (("<",), str(name)):
                command = replace(command, input=name)
            case ((">",), str(name)):
                command = replace(command, output=name)
            case _:
                return None
    return command


def run(commands: Sequence[Command], folder: Path, environment: dict[str, str]) -> str | None:
    """Runs a pipeline, and returns what it said where it did not end as it should; None where it did."""
    with tempfile.TemporaryFile() as said:
        source: int = os.open(commands[0].input or os.devnull, os.O_RDONLY)
        started: list[tuple[Command, int]] = []
        for command in commands:
            following, sink = os.pipe() if command is not commands[-1] else (-1, os.dup(said.fileno()))
            streams = (source, sink, sink if command.merged else said.fileno())
            started.append((command, _forked(command, streams, following, folder, environment)))
            os.close(source)
            os.close(sink)
            source = following
        problems = [problem for command, child in started if (problem := _ended(command, child))]
        said.seek(0)
        return "\n".join([said.read().decode(errors="replace"), *problems]) if problems else None


def _forked(
    command: Command, streams: tuple[int, int, int], other: int, folder: Path, environment: dict[str, str]
) -> int:
    """Starts a command with these standard streams; `other` is the end of its pipe that belongs to the next command."""
    main = imported().get(command.words[0])
    if child := os.fork():
        return child
    status = CRASHED
    try:
        signal.alarm(SECONDS)
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        if other >= 0:
            os.close(other)
        os.chdir(folder)
        if command.output:
            os.dup2(os.open(command.output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)
        if main is None:
            os.execvpe(command.words[0], command.words, environment)
        os.environ.clear()
        os.environ.update(environment)
        sys.stdin, sys.stdout, sys.stderr = (os.fdopen(n, "w" if n else "r", encoding="utf-8") for n in range(3))
        sys.argv = list(command.words)
        status = _status(main)
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(status)


def _status(main: Callable[[], int | None]) -> int:
    """What Python would end with after `sys.exit(main())`."""
    try:
        return main() or 0
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        return CRASHED


def _ended(command: Command, child: int) -> str | None:
    """Waits for a command, and returns what is wrong with how it ended."""
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status >= 0 and status != CRASHED and command.fails == (status != 0):
        return None
    return f"{command.words[0]} ended with status {status}"


@cache
def imported() -> dict[str, Callable[[], int | None]]:
    """The tools' `main`, with whatever they would import when they come to it."""
    from freehold.tools.pipeline_text import available_passes

    for factory in available_passes().values():
        factory()
    load(LATER)
    mains = {tool: importlib.import_module(module).main for tool, module in TOOLS.items()}
    gc.freeze()  # a collection in a fork would copy every page of what is here already
    return mains
