"""
What an editor asks of kernels in Python: errors, edits that mend them, and how each access is proved.

The text need not be saved. Its imports, definitions and assignments are evaluated, and nothing else of it: what a
program does when it runs is not done here. Each kernel is then verified for arguments that fit its signature: extents
of 256 (less in three dimensions and more), tiles of 16, `f32` where nothing is said. A comment line above the kernel
says what they are else:

    # freehold: x=f16[64, 128] y=(32, 32) KIND="silu"

A kernel is verified again only when its text, or what is around the kernels, has changed.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from freehold.support.diagnostic import Error, KernelWarning, Rejected
from freehold.support.span import register_source

if TYPE_CHECKING:
    from freehold.dialects.ownership import DutyAttr

_COMMENT: Final = re.compile(r"#\s*freehold:\s*(.*)")
_ITEM: Final = re.compile(r"(\w+)=(\"[^\"]*\"|'[^']*'|\([^)]*\)|\w+\[[^\]]*\]|[^\s]+)")
_ARRAY: Final = re.compile(r"(\w+)\[([^\]]*)\]")
_EVALUATED: Final = (
    ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign,
)  # fmt: skip
_EXTENTS: Final = {1: 256, 2: 256, 3: 64, 4: 32}
"""The extent of every name, by the rank of the tensor that has the most axes: what is made up must fit in memory."""
_FEW, _TILE = 16, 16


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


@dataclass
class PythonDocument:
    """The text of one file, and what was found out about its kernels."""

    file: str
    text: str = ""
    verdicts: dict[tuple[object, ...], Verdict] = field(default_factory=dict[tuple[object, ...], Verdict])
    """By the text of a kernel, its place, and that of what is around the kernels."""
    found: list[Verdict] = field(default_factory=list[Verdict])

    def update(self, text: str) -> list[Verdict]:
        """Takes new text; what there is to say of each of its kernels. Text that is no Python has none."""
        self.text = text
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError):
            return self.found
        register_source(self.file, text)
        kernels = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.decorator_list]
        lines = text.splitlines()
        parts = {node: tuple(lines[_first(node) - 1 : node.end_lineno]) for node in kernels}
        around = tuple(ast.unparse(node) for node in tree.body if node not in parts and isinstance(node, _EVALUATED))
        known: dict[tuple[object, ...], Verdict] = {}
        names: dict[str, Any] | None = None
        self.found = []
        for node, part in parts.items():
            key = (node.name, _first(node), part, _asked(lines, node), around)
            if key not in self.verdicts:
                if names is None:
                    names = self._evaluated(tree)
                known[key] = _verdict(names.get(node.name), self.file, _asked(lines, node))
            else:
                known[key] = self.verdicts[key]
            self.found.append(known[key])
        self.verdicts = known
        return self.found

    def _evaluated(self, tree: ast.Module) -> dict[str, Any]:
        """What the names of the file stand for. A statement that raises leaves its names out."""
        import __future__

        names: dict[str, Any] = {"__name__": "freehold_document", "__file__": self.file, "__builtins__": __builtins__}
        flags = 0
        for node in tree.body:
            if isinstance(node, ast.ImportFrom) and node.module == "__future__":
                for alias in node.names:
                    flags |= getattr(__future__, alias.name).compiler_flag
            elif isinstance(node, _EVALUATED):
                code = compile(ast.Module([node], []), self.file, "exec", flags, dont_inherit=True)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    try:
                        exec(code, names)
                    except Exception:
                        continue
        return names


def _first(node: ast.FunctionDef) -> int:
    return min([node.lineno, *(each.lineno for each in node.decorator_list)])


def _asked(lines: list[str], node: ast.FunctionDef) -> str:
    """What a comment above a kernel says of its arguments."""
    number = _first(node) - 2
    match = _COMMENT.match(lines[number].strip()) if number >= 0 else None
    return match[1] if match is not None else ""


def _verdict(value: object, file: str, asked: str) -> Verdict:
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
                arguments.append({bool: True, float: 1.0}.get(parameter.type, _scalar(parameter)))
            continue
        shape = _ARRAY.fullmatch(text)
        dtype = shape[1] if shape else str(parameter.dtype or "f32").rpartition(".")[2]
        dims = [terms.parse(dim) for dim in parameter.dims or ("M", "N")]
        given = [int(n) for n in shape[2].split(",") if n.strip()] if shape else []
        for term, extent in zip(dims, given, strict=False):
            if term.op == "sym":
                extents[term.name] = extent
        for term in dims:
            for name in term.symbols():
                extents.setdefault(name, int(said.get(name, _EXTENTS.get(most, _FEW))))
        array = filled("ones", dtype, tuple(given or [term.evaluate(extents) for term in dims]))
        if parameter.mode in ("mut", "out"):
            tile = ast.literal_eval(text) if text.startswith("(") else tuple(min(_TILE, n) for n in array.shape)
            array = fh.partition(array, tile)
        arguments.append(array)
    return arguments


def _scalar(parameter: Any) -> object:
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
