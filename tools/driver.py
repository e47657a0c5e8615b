"""What all tools do with a file: go through its modules, show what is refused, or compare it with what is expected."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from typing import TYPE_CHECKING

from freehold.support.diagnostic import Rejected
from freehold.support.render import wants_colour

if TYPE_CHECKING:
    import argparse

    from freehold.support.diagnostic import Error
    from freehold.tools.expected import Said

ONLY_EXPECTED = "--verify-diagnostics=only-expected"


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
