"""
Errors that a user can cause, as data.

An error is a frozen dataclass, as every subclass of `Error` is: the class carries the code and the English as
templates, its fields fill them, its docstring is its page in the manual. What finds an error holds no prose. `Rejected`
is the one exception that carries errors out; it carries all of them.

    class StoreThroughShared(Error):
        \"\"\"What the rule is, why it is one, and a kernel that breaks it.\"\"\"

        code: ClassVar[str] = "O102"
        title: ClassVar[str] = "cannot store through `{name}`: it is a shared borrow"
        label: ClassVar[str] = "a store needs exclusive access to `{name}`"
        notes: ClassVar[tuple[str, ...]] = ("other launches may read `{name}` while this kernel runs",)
        name: str

        class Borrowed(Label):
            text: ClassVar[str] = "`{name}` is borrowed shared (`Ref`) here"

        class BorrowExclusively(Help):
            text: ClassVar[str] = "borrow `{name}` exclusively: `{name}: {annotation}`"
            annotation: str

    error = StoreThroughShared(span_of_store, "x")
    error.add(error.Borrowed(span_of_parameter), error.BorrowExclusively('Mut["M"]'))
    raise Rejected([error], kernel="normalize")
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, ClassVar, Final, Self, cast, dataclass_transform

from freehold.support import frames
from freehold.support.lazy import Lazy
from freehold.support.report import Argument, Edit, PlacedText, Report
from freehold.support.span import SourceMap, Span

_errors: Final[Any] = Lazy("freehold.support.errors")


class _Fields(Mapping[str, object]):
    """The names a template may use: fields and properties of the first object that has them."""

    def __init__(self, *objects: object):
        self._objects = objects

    def __getitem__(self, name: str) -> object:
        for candidate in self._objects:
            if hasattr(candidate, name):
                return getattr(candidate, name)
        raise KeyError(f"{type(self._objects[0]).__qualname__} has no field `{name}` for its text")

    def __iter__(self):  # pragma: no cover - a template asks by name
        return iter(())

    def __len__(self) -> int:  # pragma: no cover - as above
        return 0


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class _Told:
    """The base of errors and of their parts: its subclasses are frozen dataclasses."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        dataclass(frozen=True)(cls)


class Label(_Told):
    """A secondary label: a place, of any file, that says why. States a fact, never proposes."""

    text: ClassVar[str]
    span: Span


class Note(_Told):
    """A fact without a place. The witness is a note, and the first."""

    text: ClassVar[str]


class Help(_Told):
    """A proposal. Nothing but a help proposes."""

    text: ClassVar[str]
    at: Span | None = field(default=None, kw_only=True)
    """
    Where the help is an edit that a program can make: what the last code in its text replaces. Code before that are
    statements, which go ahead of the one that `at` is in.
    """


class Error(_Told):
    """
    Something a user did that Freehold refuses.

    A subclass gives `code`, `title` (a fact in lower case, no period), `label` (what is forbidden, at the primary
    place) and, where they never change, `notes` and `helps`. Braces in these name fields or properties of the error.
    Labels, notes and helps that only some occurrences have are nested dataclasses, added with `add`.
    """

    code: ClassVar[str]
    severity: ClassVar[str] = "error"
    """Or "warning": of what is accepted all the same, and told by Python's `warnings`."""
    title: ClassVar[str]
    label: ClassVar[str] = ""
    notes: ClassVar[tuple[str, ...]] = ()
    helps: ClassVar[tuple[str, ...]] = ()

    place: Span | Argument | None
    """Where the program must change or what is forbidden; an argument where there is no source text."""
    added: list[Label | Note | Help] = field(
        default_factory=list[Label | Note | Help], init=False, repr=False, hash=False
    )
    """The labels, notes and helps of this occurrence."""

    def add(self, *parts: Label | Note | Help) -> Self:
        """Adds secondary labels, notes and helps, in the order to be shown; returns the error itself."""
        self.added.extend(parts)
        return self

    def report(self) -> Report:
        """Fills the templates. Raises KeyError where one names a field that is not there."""

        def fill(template: str, *owners: object) -> str:
            return template.format_map(_Fields(*owners, self))

        label = fill(self.label)
        labels: list[PlacedText] = []
        notes = [fill(text) for text in self.notes]
        helps = [fill(text) for text in self.helps]
        if isinstance(self.place, Span):
            labels.append(PlacedText(self.place, label, True))
            site = self.place.call_site
            while site is not None:
                labels.append(PlacedText(site, "called from here", False))
                site = site.call_site
        added_notes: list[str] = []
        added_helps: list[str] = []
        edits: list[Edit] = []
        for part in self.added:
            text = fill(part.text, part)
            match part:
                case Label():
                    labels.append(PlacedText(part.span, text, False))
                case Note():
                    added_notes.append(text)
                case Help():
                    added_helps.append(text)
                    if part.at is not None:
                        *before, code = text.split("`")[1::2] or [""]
                        edits.append(Edit(part.at, code, tuple(before), text))
        # What was added is about this occurrence (the witness above all), so it comes before what is always said.
        return Report(
            self.code,
            fill(self.title),
            self.place,
            label,
            tuple(labels),
            (*added_notes, *notes),
            (*added_helps, *helps),
            tuple(edits),
            self.severity,
        )


class Correctable(Error):
    """An error that may say, at each of its places, what to write instead."""

    class Instead(Help):
        """What to write."""

        text: ClassVar[str] = "{edit}"
        edit: str


def in_order(errors: Iterable[Error]) -> tuple[Error, ...]:
    """Errors without repetitions: those without a span first, then file by file (as first met), by position."""
    unique = [*dict.fromkeys(errors)]
    files: dict[str, int] = {}
    for error in unique:
        if isinstance(error.place, Span):
            files.setdefault(error.place.file, len(files))

    def key(error: Error) -> tuple[int, int, int]:
        place = error.place
        return (files[place.file], place.line, place.start) if isinstance(place, Span) else (-1, 0, 0)

    return tuple(sorted(unique, key=key))


class KernelWarning(UserWarning):
    """What a kernel's author should know of it, and what does not refuse it: a rendered diagnostic."""


class Rejected(Exception):
    """
    The one exception that carries errors to the user: all that were found, in order of position.

    Its text is the rendered errors with a closing line, so that an uncaught one reads like a compiler's output. A
    program that has something to do about some of them catches a class below this one: `CompileError`, `LaunchError`,
    `OutOfMemory`, `GpuLost`.
    """

    def __new__(cls, errors: Iterable[Error] = (), kernel: str | None = None, sources: SourceMap | None = None) -> Self:
        """Of the class that the first error asks for."""
        first = errors[0] if isinstance(errors, list | tuple) and errors else None
        chosen = _class_of(first.code) if cls is Rejected and isinstance(first, Error) else cls
        return Exception.__new__(cast("type[Self]", chosen))

    def __init__(self, errors: Iterable[Error] = (), kernel: str | None = None, sources: SourceMap | None = None):
        found = tuple(errors) if isinstance(errors, Iterable) else ()  # pyright: ignore[reportUnnecessaryIsInstance]
        if not found or not all(isinstance(error, Error) for error in found):  # pyright: ignore[reportUnnecessaryIsInstance]
            text = "nothing is rejected without an error, and these are found by Freehold"
            raise Rejected([_errors.WrongCall(None, f"freehold.{type(self).__name__}", text)])
        self.errors = in_order(found)
        self.kernel = kernel
        """The kernel that is rejected, where it is one."""
        self.sources = sources
        """Text that is on no disk and in no shell, for the excerpts."""
        super().__init__(self.errors, kernel)
        frames.see_that_they_are_left_out(Rejected)

    @property
    def __traceback__(self) -> TracebackType | None:  # pyright: ignore[reportIncompatibleVariableOverride] -- as here
        """The way to the error through the program; Freehold's own frames are left out (`support.frames`)."""
        return frames.of_the_program(frames.whole(self))

    @__traceback__.setter
    def __traceback__(self, value: TracebackType | None) -> None:  # pyright: ignore[reportIncompatibleVariableOverride]
        self.with_traceback(value)

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of the errors, in order."""
        return tuple(error.code for error in self.errors)

    def render(self, colour: bool = False) -> str:
        """The text for a terminal, without a line end."""
        from freehold.support.render import render_all

        return render_all([error.report() for error in self.errors], self.kernel, self.sources, colour)

    def __str__(self) -> str:
        return self.render()

    def _render_traceback_(self) -> list[str]:
        # IPython asks an exception this for what to show: in a notebook, the errors without our frames around them.
        return self.render().splitlines()


class CallError(Rejected, TypeError, ValueError):
    """A function was called with what it does not take (O045)."""


class CompileError(Rejected):
    """A kernel is refused, or cannot be made into GPU code."""


class LaunchError(Rejected):
    """A launch, a tensor or an operation is refused or went wrong, on a GPU (O2xx) or interpreted (O5xx)."""


class OutOfMemory(LaunchError, MemoryError):
    """There is not enough memory on a GPU (O277)."""


class GpuLost(LaunchError):
    """A GPU takes no more work from this process (O280)."""


def _class_of(code: str) -> type[Rejected]:
    """The class of what is raised for an error of this code first."""
    known: dict[str, type[Rejected]] = {"O045": CallError, "O277": OutOfMemory, "O280": GpuLost}
    return known.get(code, LaunchError if code.startswith(("O2", "O5")) else CompileError)
