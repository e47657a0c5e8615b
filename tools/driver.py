"""What all tools do: end with a status, go through the modules of a file, show what is refused, or compare it."""

from __future__ import annotations

import argparse
import errno
import functools
import os
import sys
from collections.abc import Callable, Iterable
from contextlib import nullcontext, suppress
from typing import TYPE_CHECKING, ParamSpec

from freehold.support.diagnostic import Rejected
from freehold.support.render import wants_colour

if TYPE_CHECKING:
    from freehold.support.diagnostic import Error
    from freehold.tools.expected import Said

P = ParamSpec("P")
ONLY_EXPECTED = "--verify-diagnostics=only-expected"
_UNWRITABLE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF})
"""What the system says of output that can no longer be written."""


def command(program: str) -> Callable[[Callable[P, int]], Callable[P, int]]:
    """
    Makes a tool's `main` end as a command does: what it raises is an exit status and a message, and no traceback.

    The status is 2 for `Rejected` and for standard output that cannot be written (O509), which is told by nothing more
    where its reader has gone, as `| head` does; 130 for an interrupt.
    """

    def decorate(main: Callable[P, int]) -> Callable[P, int]:
        @functools.wraps(main)
        def run(*args: P.args, **kwargs: P.kwargs) -> int:
            try:
                status = main(*args, **kwargs)
                if sys.stdout is not None:  # pyright: ignore[reportUnnecessaryComparison] -- a closed one is None
                    sys.stdout.flush()
            except Rejected as rejected:
                print(rejected.render(wants_colour(sys.stderr)), file=sys.stderr)
                return 2
            except BrokenPipeError:
                _discard_output()
                return 2
            except KeyboardInterrupt:
                _discard_output()
                print(f"{program}: interrupted", file=sys.stderr)
                return 130
            except OSError as error:
                if error.filename is not None or error.errno not in _UNWRITABLE:
                    raise
                from freehold.tools.files import no_output

                _discard_output()
                print(Rejected([no_output(error)]).render(wants_colour(sys.stderr)), file=sys.stderr)
                return 2
            return status

        return run

    return decorate


def _discard_output() -> None:
    """Lets go of what standard output still holds: Python would try to write it once more at its end, and complain."""
    with suppress(OSError, ValueError, AttributeError):  # it may be none, or no file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _Version(argparse.Action):
    """Prints which Freehold a tool is of, and ends; with a value, if the option takes one, keeps it."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: object, option: object = None
    ) -> None:
        del option
        if values:
            setattr(namespace, self.dest, values)
            return
        from importlib.metadata import version

        print(f"{parser.prog} of Freehold {version('freehold')}")
        parser.exit()


def add_version(parser: argparse.ArgumentParser, takes: str | None = None, help: str = "") -> None:
    """The option `--version`, which `takes` a value besides if that is named."""
    nargs, metavar = ("?", takes) if takes else (0, None)
    said = "print which version of Freehold this is"
    parser.add_argument(
        "--version", action=_Version, nargs=nargs, metavar=metavar, help=f"{help}; alone, {said}" if help else said
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options that all tools share."""
    parser.add_argument(
        "--split-input-file", action="store_true", help="read the modules between lines `// -----` apart"
    )
    how = parser.add_mutually_exclusive_group()
    how.add_argument(
        "--verify-diagnostics",
        action="store_true",
        help="compare what is refused and warned of with the comments `expected-error @below {{text}}` of the file",
    )
    how.add_argument(ONLY_EXPECTED, dest="only_expected", action="store_true", help="the same, and let others pass")
    how.add_argument(
        "--print-diagnostics", action="store_true", help="print errors to standard output, and exit with status 0"
    )


class Driver:
    """Goes through the modules of one file, as the shared options say."""

    def __init__(self, file: str, arguments: argparse.Namespace):
        self.file = file
        self.split: bool = arguments.split_input_file
        self.prints: bool = arguments.print_diagnostics
        self.only_expected: bool = arguments.only_expected
        self.verifies: bool = arguments.verify_diagnostics or self.only_expected
        self.said: Said | None = None
        """What the module at hand made the tool say, where that is compared."""

    def tell(self, remarks: Iterable[Error]) -> None:
        """Shows what refuses nothing, or takes note of it where it is compared."""
        if self.said is not None:
            from freehold.tools.expected import diagnostics_of

            self.said.diagnostics += diagnostics_of(remarks, self.file)
            return
        from freehold.support.render import render

        for each in remarks:
            print(render(each.report(), colour=wants_colour(sys.stderr)), file=sys.stderr, flush=True)

    def over(self, data: bytes, work: Callable[[bytes], bytes]) -> tuple[list[bytes], bool]:
        """
        What `work` makes of each module, and whether something was refused, or came unexpected.

        `work` raises `Rejected`, and one module that is refused does not keep the next from being worked on.
        """
        from freehold.tools.files import chunks

        results: list[bytes] = []
        failed = False
        for chunk in chunks(data, self.split):
            self.said = self._listener()
            try:
                with self.said.listening() if self.said is not None else nullcontext():
                    results.append(work(chunk))
            except Rejected as rejected:
                if self.said is not None:
                    self.said.refused(rejected)
                elif self.prints:
                    results.append(rejected.render().encode() + b"\n")
                else:
                    failed = True
                    sys.stdout.flush()
                    print(rejected.render(wants_colour(sys.stderr)), file=sys.stderr, flush=True)
            if self.said is not None:
                failed |= self._differs(chunk, self.said)
        return results, failed

    def _listener(self) -> Said | None:
        if not self.verifies:
            return None
        from freehold.tools.expected import Said

        return Said(self.file)

    def _differs(self, chunk: bytes, said: Said) -> bool:
        from freehold.support.span import SourceMap
        from freehold.tools.expected import compare

        text = chunk.decode(errors="replace")
        errors = compare(text, said, only_expected=self.only_expected)
        if errors:
            sources = SourceMap()
            sources.add(self.file, text)
            print(Rejected(errors, sources=sources).render(wants_colour(sys.stderr)), file=sys.stderr)
        return bool(errors)
