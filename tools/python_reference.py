"""Writes docs/reference/python.md from signatures and docstrings: `python -m freehold.tools.python_reference`."""

from __future__ import annotations

import ast
import inspect
import os
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from textwrap import dedent
from typing import Any, get_origin

import freehold

INTRODUCTION = """\
# Python reference

Every public name of `freehold`, made from its signature and docstring by `python -m freehold.tools.python_reference`;
`help(fh.name)` says the same. What may be written in kernels is on [its own page](../language.md), with examples.
"""

SECTIONS = (
    (
        "Kernels and launches",
        ("frontend.schedule", "frontend.index_maps", "runtime.jit", "runtime.launch", "runtime.variants"),
    ),
    (
        "In kernels: parameters and control",
        ("frontend.language.tensors", "frontend.language.control", "frontend.intrinsics"),
    ),
    ("In kernels: tiles", ("frontend.language",)),
    ("Elements", ("support.dtypes",)),
    ("Tensors", ("runtime.arrays", "runtime.memory")),
    ("Operations", ("runtime.operations", "runtime.gpu")),
    ("Deployment", ("runtime.deploy", "runtime.interop", "runtime.scheduling")),
    ("Errors", ("support.diagnostic", "runtime.errors")),
    ("Everything else", ("",)),
)
"""Titles, and where what stands under them is defined."""

PLAIN = (object, type, BaseException, Exception, tuple, dict)


def reference() -> str:
    """The page, as Markdown."""
    left = sorted(freehold.__all__, key=str.lower)
    parts = [INTRODUCTION]
    for title, rooms in SECTIONS:
        mine = [n for n in left if _home(n).startswith(rooms)]
        left = [n for n in left if n not in mine]
        if mine:
            parts += [f"## {title}\n", *(_entry(name) for name in mine)]
    return "\n".join(parts)


def undocumented() -> list[str]:
    """Public names, and members of public classes, that say nothing of themselves."""
    found: list[str] = []
    for name in freehold.__all__:
        value = getattr(freehold, name)
        if not _about(name, value):
            found.append(name)
        elif inspect.isclass(value):
            found += [f"{name}.{member}" for member, _, text in _members(value) if not text]
    return found


def _home(name: str) -> str:
    value = getattr(freehold, name)
    module = str(getattr(value, "__module__", None) or type(value).__module__)
    if name in _beside() and _is_alias(value):  # of which Python says what it is made of
        module = _beside()[name][0]
    return module.removeprefix("freehold.")


def _is_alias(value: object) -> bool:
    """Whether a name stands for types, for who checks them."""
    return isinstance(value, str) or get_origin(value) is not None


def _entry(name: str) -> str:
    value = getattr(freehold, name)
    lines = [f"### `{name}`\n", "```py", _signature(name, value), "```\n", _about(name, value), ""]
    if inspect.isclass(value):
        for member, shown, text in _members(value):
            lines += [f"- `{shown if shown.startswith(member) else member}`: {_first(text)}"]
        lines.append("")
    return "\n".join(lines)


def _signature(name: str, value: Any) -> str:
    if isinstance(value, str):
        return f"{name} = {value}"
    if _is_alias(value):
        return f"{name}[{', '.join(map(str, value.__parameters__)).replace('~', '')}]"
    if inspect.isclass(value):
        bases = [b.__name__ for b in value.__bases__ if b not in PLAIN]
        return f"class {name}({', '.join(bases)})" if bases else f"class {name}"
    if callable(value):
        return f"{name}{_parameters(value)}"
    return f"{name}: {type(value).__name__}"


def _parameters(value: Any) -> str:
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return "(...)"
    shown: list[inspect.Parameter] = []
    for p in found.parameters.values():
        simple = p.default is p.empty or isinstance(p.default, int | float | str | tuple | type(None))
        shown.append(p if simple else p.replace(default=...))
    text = str(inspect.Signature(shown, return_annotation=found.return_annotation))
    return text.replace("=Ellipsis", "=...").replace("= Ellipsis", "= ...").replace("'", "")


def _about(name: str, value: Any) -> str:
    """What it says of itself; a value says it beside its definition."""
    if inspect.isclass(value) or inspect.isroutine(value) or hasattr(value, "__wrapped__"):
        return inspect.cleandoc(value.__doc__ or "")
    ours = type(value).__module__.startswith("freehold.")  # what Python says of its own types is no help, and changes
    return _beside().get(name, ("", ""))[1] or (inspect.cleandoc(type(value).__doc__ or "") if ours else "")


@cache
def _beside() -> dict[str, tuple[str, str]]:
    """The modules of the package that assign names, and what stands beneath, by the name that is assigned."""
    found: dict[str, tuple[str, str]] = {}
    root = Path(freehold.__file__).parent
    for path in _sources():
        module = ".".join(path.relative_to(root).with_suffix("").parts)
        for name, text in _said(ast.parse(path.read_text(encoding="utf-8")).body):
            found.setdefault(name, (module, text))
    return found


def _said(body: Sequence[ast.stmt]) -> Iterator[tuple[str, str]]:
    """Names that are assigned, also as fields of `self`, with the texts beneath."""
    for made, text in pairwise(body):
        if not (isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant)):
            continue
        one = [made.target] if isinstance(made, ast.AnnAssign) else []
        for target in made.targets if isinstance(made, ast.Assign) else one:
            name = target.id if isinstance(target, ast.Name) else getattr(target, "attr", "")
            yield name, inspect.cleandoc(str(text.value.value))


def _sources() -> Iterator[Path]:
    root = Path(freehold.__file__).parent
    for place in ("frontend", "support/dtypes.py", "runtime"):
        found = root / place
        yield from [found] if found.suffix else sorted(found.rglob("*.py"))


def _members(owner: type) -> list[tuple[str, str, str]]:
    """Of a class and those of ours that it is made of: names, how they are called, and what they say."""
    bases = [b for b in owner.__mro__ if b not in PLAIN and b.__module__.startswith("freehold")]
    names = {n for b in bases for n in vars(b) if not n.startswith("_")}
    found: list[tuple[str, str, str]] = []
    for name in sorted(names):
        static: Any = inspect.getattr_static(owner, name)
        member: Any = getattr(owner, name) if isinstance(static, staticmethod | classmethod) else static
        routine = inspect.isroutine(member)
        called = f"{name}{_parameters(member)}" if routine else name
        text = inspect.getdoc(member if routine else static) or ""  # pyright: ignore[reportUnknownArgumentType] -- narrowed
        if not routine and not isinstance(static, property):
            text = _field(bases, name)
        found.append((name, called, text))
    return found


@cache
def _fields(owner: type) -> dict[str, str]:
    """What a class says beneath its fields, and beneath those that its methods assign."""
    try:
        tree = ast.parse(dedent(inspect.getsource(owner)))
    except (OSError, TypeError):
        return {}
    bodies = [node.body for node in ast.walk(tree) if isinstance(node, ast.ClassDef | ast.FunctionDef)]
    return {name: text for body in bodies for name, text in _said(body)}


def _field(bases: list[type], name: str) -> str:
    return next((_fields(base)[name] for base in bases if name in _fields(base)), "")


def _first(text: str) -> str:
    return " ".join(text.split("\n\n")[0].split())


def main(argv: Sequence[str] | None = None) -> int:
    """Writes the page into the file given, docs/reference/python.md by default."""
    arguments = sys.argv[1:] if argv is None else argv
    path = Path(arguments[0] if arguments else "docs/reference/python.md")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(reference(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    if os.environ.get("FREEHOLD_NATIVE") != "0":  # what is native has its signatures in another form
        os.environ["FREEHOLD_NATIVE"] = "0"
        os.execv(sys.executable, [sys.executable, "-m", "freehold.tools.python_reference", *sys.argv[1:]])
    sys.exit(main())
