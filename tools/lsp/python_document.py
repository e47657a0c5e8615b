"""
What an editor asks of kernels in Python: errors, edits that mend them, and how each access is proved.

The text need not be saved. Its imports, definitions and assignments are evaluated, and nothing else of it: what a
program does when it runs is not done here. Each kernel is then verified for arguments that fit its signature: extents
of 256 (less in three dimensions and more), tiles of 16, `f32` where nothing is said. A comment line above the kernel
says what they are else:

    # freehold: x=f16[64, 128] y=(32, 32) KIND="silu"

A kernel is verified again only when its text has changed, or that of something in the file that it leads to by names.
One that has moved is not, if nothing is wrong with it: what is known of it moves along.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from freehold.support.diagnostic import Error, KernelWarning, Rejected
from freehold.support.sources import register_source

if TYPE_CHECKING:
    from freehold.dialects.ownership import DutyAttr

_COMMENT: Final = re.compile(r"#\s*freehold:\s*(.*)")
_ITEM: Final = re.compile(r"(\w+)=(\"[^\"]*\"|'[^']*'|\([^)]*\)|\w+\[[^\]]*\]|[^\s]+)")
_NAME: Final = re.compile(r"[^\W\d]\w*")
_LINE: Final = re.compile(r"^(  )(\d+):", re.MULTILINE)
"""A line number in a report."""
_ARRAY: Final = re.compile(r"(\w+)\[([^\]]*)\]")
_EVALUATED: Final = (
    ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign,
)  # fmt: skip
_EXTENTS: Final = {1: 256, 2: 256, 3: 64, 4: 32}
"""The extent of every name, by the rank of the tensor that has the most axes: what is made up must fit in memory."""
_FEW, _TILE = 16, 16
_KEPT: Final = 4
"""How many texts are remembered for each kernel: what is undone is known."""


@dataclass(frozen=True)
class Hint:
    """What is told at the end of a line."""

    line: int
    """From 1."""
    text: str
    tooltip: str


@dataclass(frozen=True)
class Warned:
    """A warning about a kernel: a rendered diagnostic."""

    line: int
    text: str


@dataclass
class Verdict:
    """What came of one kernel."""

    errors: list[Error] = field(default_factory=list[Error])
    warnings: list[Warned] = field(default_factory=list[Warned])
    hints: list[Hint] = field(default_factory=list[Hint])
    fault: str = ""
    """Why nothing is known of the kernel, where its arguments could not be made up, or the compiler has a fault."""
    places: tuple[tuple[int, int], ...] = ()
    """The first and the last line of each statement that it rests on."""

    def at(self, places: tuple[tuple[int, int], ...]) -> Verdict | None:
        """The same of text that has moved to other places; None where what there is to say names lines."""
        if places == self.places:
            return self
        if self.errors or self.warnings:
            return None
        moves = [(old, new[0] - old[0]) for old, new in zip(self.places, places, strict=True)]

        def moved(line: int) -> int:
            return line + next((by for (first, last), by in moves if first <= line <= last), 0)

        def renumbered(match: re.Match[str]) -> str:
            return f"{match[1]}{moved(int(match[2]))}:"

        hints = [Hint(moved(hint.line), hint.text, _LINE.sub(renumbered, hint.tooltip)) for hint in self.hints]
        return Verdict(hints=hints, fault=self.fault, places=places)


@dataclass(frozen=True)
class Statement:
    """A statement at the top of a file that is evaluated."""

    node: ast.stmt
    first: int
    text: str
    binds: frozenset[str]
    """The names that it gives a meaning, or changes; `*` where that is not known."""
    uses: frozenset[str]

    @staticmethod
    def of(node: ast.stmt, lines: list[str]) -> Statement:
        """What a statement says of itself."""
        first = _first(node)
        text = "\n".join(lines[first - 1 : node.end_lineno])
        uses: set[str] = set()
        for each in ast.walk(node):
            if isinstance(each, ast.Name):
                uses.add(each.id)
            elif isinstance(each, ast.Constant) and isinstance(each.value, str):  # an annotation may be a string
                uses.update(_NAME.findall(each.value))
        return Statement(node, first, text, frozenset(_bound(node)), frozenset(uses))


def _bound(node: ast.stmt) -> Iterator[str]:
    match node:
        case ast.Import(names) | ast.ImportFrom(names=names):
            yield from ((alias.asname or alias.name).partition(".")[0] for alias in names)
            if isinstance(node, ast.ImportFrom) and node.module == "__future__":
                yield "*"
        case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name):
            yield name
        case _:
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", node)]
            yield from (each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name))


@dataclass
class PythonDocument:
    """The text of one file, and what was found out about its kernels."""

    file: str
    text: str = ""
    verdicts: dict[tuple[object, ...], Verdict] = field(default_factory=dict[tuple[object, ...], Verdict])
    """By the name of a kernel, what a comment says of its arguments, and the text of all that it rests on. Those that
    were asked about last stand last."""
    found: list[Verdict] = field(default_factory=list[Verdict])

    def update(self, text: str) -> list[Verdict]:
        """Takes new text; what there is to say of each of its kernels. Text that is no Python has none."""
        for _ in self.steps(text):
            pass
        return self.found

    def steps(self, text: str) -> Iterator[None]:
        """The same, with a pause behind each kernel that had to be verified. What was found until then is kept."""
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError):
            self.text = text
            return
        register_source(self.file, text)
        lines = text.splitlines()
        statements = [Statement.of(node, lines) for node in tree.body if isinstance(node, _EVALUATED)]
        found: list[Verdict] = []
        for kernel in statements:
            node = kernel.node
            if not isinstance(node, ast.FunctionDef) or not node.decorator_list:
                continue
            rests_on, asked = _rests_on(kernel, statements), _asked(lines, node)
            key = (node.name, asked, *(each.text for each in rests_on))
            places = tuple((each.first, each.node.end_lineno or each.first) for each in rests_on)
            verdict = self.verdicts.pop(key, None)
            verdict = verdict.at(places) if verdict is not None else None
            new = verdict is None
            if verdict is None:
                names = self._evaluated(rests_on)
                verdict = verdict_of(names.get(node.name), self.file, asked)
                verdict.places = places
            self.verdicts[key] = verdict
            found.append(verdict)
            if new:
                yield
        for key in list(self.verdicts)[: -_KEPT * len(found)]:
            del self.verdicts[key]
        self.text, self.found = text, found

    def _evaluated(self, statements: list[Statement]) -> dict[str, Any]:
        """What the names of some statements stand for. A statement that raises leaves its names out."""
        import __future__

        names: dict[str, Any] = {"__name__": "freehold_document", "__file__": self.file, "__builtins__": __builtins__}
        flags = 0
        for node in (each.node for each in statements):
            if isinstance(node, ast.ImportFrom) and node.module == "__future__":
                for alias in node.names:
                    flags |= getattr(__future__, alias.name).compiler_flag
                continue
            code = compile(ast.Module([node], []), self.file, "exec", flags, dont_inherit=True)
            with warnings.catch_warnings(), suppress(Exception):
                warnings.simplefilter("ignore")
                exec(code, names)
        return names


def _rests_on(kernel: Statement, statements: list[Statement]) -> list[Statement]:
    """The statements of a file that a kernel leads to by names, and itself, in order."""
    names, chosen, grown = set(kernel.uses), {kernel.first}, True
    while grown:
        grown = False
        for each in statements:
            if each.first not in chosen and ("*" in each.binds or each.binds & names):
                chosen.add(each.first)
                names |= each.uses
                grown = True
    return [each for each in statements if each.first in chosen]


def _first(node: ast.stmt) -> int:
    return min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])


def _asked(lines: list[str], node: ast.FunctionDef) -> str:
    """What a comment above a kernel says of its arguments."""
    number = _first(node) - 2
    match = _COMMENT.match(lines[number].strip()) if number >= 0 else None
    return match[1] if match is not None else ""


def verdict_of(value: object, file: str, asked: str) -> Verdict:
    """What comes of a kernel; nothing where the name stands for something else, or no arguments are known."""
    from freehold.runtime.jit.kernel import Kernel

    verdict = Verdict()
    if not isinstance(value, Kernel):
        return verdict
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always", KernelWarning)
        try:
            arguments = _arguments(value, asked)
            if arguments is not None:
                verdict.hints = list(_hints(value.verify(*arguments), file))
        except Rejected as rejected:
            # Errors of launches are about the arguments that were made up here.
            verdict.errors = [error for error in rejected.errors if error.code < "O2"]
        except Exception as fault:  # of an argument that does not fit, or of the compiler: the server goes on
            verdict.fault = f"{type(fault).__name__}: {fault}"
    verdict.warnings = [
        Warned(each.lineno, str(each.message)) for each in given
        if issubclass(each.category, KernelWarning) and each.filename == file
    ]  # fmt: skip
    return verdict


def _arguments(kernel: Any, asked: str) -> list[Any] | None:
    """Arguments that fit the signature of a kernel; None where one of its constants is not known."""
    import freehold as fh
    from freehold.runtime.interpreter.values import filled
    from freehold.support import terms

    said = dict(_ITEM.findall(asked))
    extents: dict[str, int] = {}
    most = max((len(each.dims or "MN") for each in kernel.signature.parameters if each.is_tensor), default=1)
    for parameter in kernel.signature.parameters:  # what is said of one array is known of those before it, too
        if parameter.is_tensor and (shape := _ARRAY.fullmatch(said.get(parameter.name, ""))):
            for dim, extent in zip(parameter.dims or ("M", "N"), _said_extents(shape), strict=False):
                if (term := terms.parse(dim)).op == "sym":
                    extents[term.name] = extent
    arguments: list[Any] = []
    for parameter in kernel.signature.parameters:
        text = said.get(parameter.name, "")
        if not parameter.is_tensor:
            if text:
                arguments.append(ast.literal_eval(text))
            elif parameter.has_default:
                arguments.append(parameter.default)
            elif parameter.type is str or (parameter.type is None and parameter.dtype is None):
                return None
            else:
                arguments.append(_scalar(parameter))
            continue
        shape = _ARRAY.fullmatch(text)
        dtype = shape[1] if shape else str(parameter.dtype or "f32").rpartition(".")[2]
        dims = [terms.parse(dim) for dim in parameter.dims or ("M", "N")]
        given = _said_extents(shape)
        for term in dims:
            for name in term.symbols():
                extents.setdefault(name, int(said.get(name, _EXTENTS.get(most, _FEW))))
        array: Any = filled("ones", dtype, tuple(given or [term.evaluate(extents) for term in dims]))
        if parameter.mode in ("mut", "out"):
            tile = ast.literal_eval(text) if text.startswith("(") else tuple(map(_tile_of, array.shape))
            array = fh.partition(array, tile)
        arguments.append(array)
    return arguments


def _said_extents(shape: re.Match[str] | None) -> list[int]:
    """The extents of an array that a comment describes."""
    return [int(n) for n in shape[2].split(",") if n.strip()] if shape else []


def _tile_of(extent: int) -> int:
    """A tile of an axis: a power of two that fits into it."""
    return min(_TILE, 1 << max(0, extent.bit_length() - 1))


def _scalar(parameter: Any) -> object:
    if parameter.type is bool:
        return True
    if parameter.type is float:
        return 1.0
    return 1.0 if str(parameter.dtype or "").rpartition(".")[2].startswith(("f", "bf", "tf")) else _TILE


def _hints(module: Any, file: str) -> Iterator[Hint]:
    """How each access is proved, at the end of its line."""
    from freehold.dialects.location import span_of
    from freehold.dialects.ownership import Rung, duties_of, kernels_of
    from freehold.passes.report_obligations import report
    from freehold.passes.verify_duties import owing

    for kernel in kernels_of(module):
        by_line: dict[int, list[DutyAttr]] = {}
        for op in owing(kernel):
            span = span_of(op)
            while span is not None and span.file != file:
                span = span.call_site
            if span is not None:
                by_line.setdefault(span.line, []).extend(duties_of(op))
        told = "\n".join(report(module))
        for line, duties in by_line.items():
            left = [_met(duty) for duty in duties if duty.rung is not Rung.PROVED]
            if duties:
                yield Hint(line, ", ".join(dict.fromkeys(left)) or "proved", told)


def _met(duty: DutyAttr) -> str:
    """What is not proved, by what it is met instead: `launch: M <= N`."""
    checked = duty.duty_name.data if duty.predicate is None else str(duty.predicate)
    return f"{duty.rung.value}: {checked}"
