"""What a module has that came with a later version of bytecode than the one that is being written."""

from __future__ import annotations

from typing import Final

from xdsl.ir import Operation

from freehold.backend.errors.bytecode import NotInVersion
from freehold.dialects.cuda_tile.version import Version
from freehold.dialects.location import span_of
from freehold.support.diagnostic import Error
from freehold.support.span import Span

MAX_PLACES: Final = 4
"""How many further uses of what a version lacks are shown."""


class TooLow(Exception):
    """The lowest version is asked for, and it is not the one that is being written."""

    def __init__(self, needs: Version):
        self.needs = needs


class Missing:
    """
    What a version lacks: each thing once, with the places of all its uses.

    Whoever writes a module says in `op` and `kernel` what is being written, and calls this with what is lacking and the
    version that it came in with. Writing goes on, to find the rest, unless it is for the `lowest` version there is:
    then it raises `TooLow`.
    """

    def __init__(self, version: Version, lowest: bool):
        self._version = version
        self._lowest = lowest
        self.op: Operation | None = None
        """The operation that is being written."""
        self.kernel: str | None = None
        """The entry that is being written."""
        self.uses = 0
        """How often something was lacking."""
        self._uses: dict[tuple[str, Version], list[Operation]] = {}
        self._kernels: set[str | None] = set()

    def __call__(self, what: str, since: Version) -> None:
        """Notes a use."""
        if self._lowest:
            raise TooLow(since)
        assert self.op is not None
        self.uses += 1
        uses = self._uses.setdefault((what, since), [])
        if not uses or uses[-1] is not self.op:
            uses.append(self.op)
        self._kernels.add(self.kernel)

    @property
    def only_kernel(self) -> str | None:
        """The one kernel that everything is in."""
        return next(iter(self._kernels)) if len(self._kernels) == 1 else None

    def errors(self) -> list[Error]:
        """An error for each thing, in the order of their first uses."""
        enough = str(max((since for _, since in self._uses), default=self._version))
        return [
            _not_in(self._version, what, since, enough, [(op.name, span_of(op)) for op in uses])
            for (what, since), uses in self._uses.items()
        ]


def _not_in(version: Version, what: str, since: Version, enough: str, uses: list[tuple[str, Span | None]]) -> Error:
    (name, place), *others = uses
    error = NotInVersion(place, what, str(since), str(version), enough)
    short = name.removeprefix("cuda_tile.")
    if place is None and f"`{short}`" not in what:
        error.add(error.Used(short))
    places = dict.fromkeys(span for _, span in others if span is not None and span != place)
    error.add(*(error.Also(span, str(since)) for span in list(places)[:MAX_PLACES]))
    if len(places) > MAX_PLACES:
        error.add(error.More(len(places) - MAX_PLACES))
    return error
