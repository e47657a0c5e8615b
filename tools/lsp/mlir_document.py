"""What an editor asks of `.mlir` text: errors, what a name stands for and where it is defined, names that fit."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from freehold.support.diagnostic import Error, Rejected
from freehold.support.span import SourceMap, Span

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

_WORD: Final = re.compile(r"[%@!#]?[\w$]+(?:\.[\w$]+)*")
_VALUE: Final = re.compile(r"%[\w$]+")
_RESULTS: Final = re.compile(r"^\s*(%[\w$]+(?::\d+)?(?:\s*,\s*%[\w$]+(?::\d+)?)*)\s*=", re.MULTILINE)


@dataclass(frozen=True)
class Known:
    """A name of a dialect."""

    name: str
    kind: str
    """`operation`, `type` or `attribute`."""
    text: str
    """Its documentation."""


@cache
def vocabulary() -> dict[str, Known]:
    """Everything of both dialects that has a name, by all the names it is written with."""
    from xdsl.irdl import IRDLOperation

    from freehold.dialects.cuda_tile import CudaTile
    from freehold.dialects.ownership import Ownership

    found: dict[str, Known] = {}
    for dialect in (CudaTile, Ownership):
        for op in dialect.operations:
            known = Known(op.name, "operation", _documented(op))
            found[op.name] = known
            if dialect is CudaTile and issubclass(op, IRDLOperation):
                found.setdefault(op.name.removeprefix("cuda_tile."), known)
        for attribute in dialect.attributes:
            kind = "type" if "Type" in attribute.__name__ else "attribute"
            known = Known(attribute.name, kind, _documented(attribute))
            sign = "!" if kind == "type" else "#"
            found[sign + attribute.name] = known
            if dialect is CudaTile:
                found.setdefault(attribute.name.removeprefix("cuda_tile."), known)
    return found


def _documented(kind: type) -> str:
    text = inspect.getdoc(kind) or ""
    return "" if text.startswith(f"{kind.__name__}(") else text


@dataclass
class MlirDocument:
    """The text of one file, and the module that it last was."""

    file: str
    text: str = ""
    module: ModuleOp | None = None

    def update(self, text: str) -> list[Error]:
        """Takes new text; what is wrong with it."""
        from freehold.tools.context import make_context
        from freehold.tools.located_parser import parse_module
        from freehold.tools.processing import verify

        self.text = text
        errors: list[Error] = []
        for chunk in _chunks(text):
            try:
                module = parse_module(make_context(), chunk, self.file, sources=SourceMap())
                self.module = module
                verify(module)
                self._verify_kernels(module)
            except Rejected as rejected:
                errors += rejected.errors
        return errors

    @staticmethod
    def _verify_kernels(module: ModuleOp) -> None:
        """Proves what kernels owe, where there are any, on a copy."""
        from freehold.dialects.ownership import kernels_of

        if next(iter(kernels_of(module)), None) is not None:
            from freehold.passes.pipeline import verify

            verify(module.clone())

    def word(self, line: int, column: int) -> str:
        """The name at a place (line and column from 0)."""
        text = self._line(line)
        return next((m.group() for m in _WORD.finditer(text) if m.start() <= column <= m.end()), "")

    def _line(self, number: int) -> str:
        lines = self.text.split("\n")
        return lines[number] if number < len(lines) else ""

    def hover(self, line: int, column: int) -> str | None:
        """What stands at a place, as Markdown: a value's type, or what a dialect says of a name."""
        word = self.word(line, column)
        if word.startswith("%"):
            type_ = self.type_of(word, line)
            return f"```mlir\n{word} : {type_}\n```" if type_ is not None else None
        known = vocabulary().get(word) or vocabulary().get(word.lstrip("!#"))
        return f"**{known.name}** ({known.kind})\n\n{known.text}" if known is not None else None

    def definition(self, line: int, column: int) -> Span | None:
        """Where the value or symbol at a place is defined."""
        word = self.word(line, column)
        if word.startswith("%"):
            return self._value(word, line)
        if word.startswith("@"):
            pattern = re.compile(rf"\b(?:module|entry|func|global|kernel|func_decl)\b[^\n@]*({re.escape(word)})\b")
            match = pattern.search(self.text)
            return self._span(*match.span(1)) if match is not None else None
        return None

    def _span(self, begin: int, end: int) -> Span:
        start = self._start(begin)
        return Span.on_line(self.file, self.text[:begin].count("\n") + 1, begin - start, end - start)

    def _start(self, position: int) -> int:
        """Where the line of a position begins."""
        return self.text[:position].rfind("\n") + 1

    def _value(self, name: str, line: int) -> Span | None:
        """The nearest definition of a value above a line, or in it."""
        end = len("\n".join(self.text.split("\n")[: line + 1]))
        pattern = re.compile(rf"{re.escape(name)}(?![\w$])")
        found: Span | None = None
        for match in pattern.finditer(self.text[:end]):
            if self._defines(match.start(), match.end()):
                found = self._span(*match.span())
        return found

    def _defines(self, begin: int, end: int) -> bool:
        """Whether a value's name stands where one is defined: left of `=`, or with its type among arguments."""
        start = self._start(begin)
        stop = self.text.find("\n", begin)
        text = self.text[start : stop if stop >= 0 else len(self.text)]
        results = _RESULTS.match(text)
        if results is not None and begin - start < results.end():
            return True
        after = self.text[end : end + 40]
        before = self.text[max(start, begin - 12) : begin]
        opens = re.match(r":\s*[!\w]", after) is not None and re.search(r"[(,]\s*$", before) is not None
        return opens or re.match(r"\s*=\s*%|\s+in\b", after) is not None

    def type_of(self, name: str, line: int) -> str | None:
        """The type of a value, as the module that was last read says."""
        from freehold.dialects.location import span_of

        place = self._value(name, line)
        if place is None or self.module is None:
            return None
        text = self._line(place.line - 1)
        results = _RESULTS.match(text)
        if results is not None and place.start < results.end():
            number = [each.split(":")[0].strip() for each in results[1].split(",")].index(name)
            for op in self.module.walk():
                span = span_of(op)
                if span is not None and span.line == place.line and len(op.results) > number:
                    return str(op.results[number].type)
        for op in self.module.walk():
            for region in op.regions:
                for block in region.blocks:
                    for argument in block.args:
                        if argument.name_hint == name[1:]:
                            return str(argument.type)
        return None

    def completions(self, line: int, column: int) -> Iterator[Known]:
        """Names that fit at a place: values behind `%`, else what the dialects have."""
        before = self._line(line)[:column]
        word = re.search(r"[%@!#]?[\w$.]*$", before)
        typed = word.group() if word else ""
        if typed.startswith("%"):
            above = "\n".join(self.text.split("\n")[: line + 1])
            for name in sorted({match.group() for match in _VALUE.finditer(above)} - {typed}):
                yield Known(name, "value", "")
            return
        if typed.startswith("@"):
            for name in sorted(set(re.findall(r"@[\w$]+", self.text)) - {typed}):
                yield Known(name, "symbol", "")
            return
        for name, known in vocabulary().items():
            if name.lstrip("!#").startswith(typed.lstrip("!#")):
                yield Known(name, known.kind, known.text)


def _chunks(text: str) -> Iterator[str]:
    from freehold.tools.files import chunks

    for chunk in chunks(text.encode(), split="// -----" in text):
        yield chunk.decode()
