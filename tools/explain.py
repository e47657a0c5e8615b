"""
The manual page of an error, from its class: `python -m freehold.tools.explain O102`.

Every room keeps its errors in `errors.py` or in modules of a package `errors`; that is where they are looked for, so a
new one needs no registration.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import sys
from collections.abc import Iterator, Sequence

from freehold.support.diagnostic import Error, Help, Label, Note
from freehold.tools.driver import command

ROOMS = ("support", "frontend", "passes", "backend", "runtime", "tools")
_FIELD = re.compile(r"\{([A-Za-z_]\w*)[^{}]*\}")


def error_classes() -> dict[str, type[Error]]:
    """Every error by code, in order of codes. Raises ValueError where two classes share one."""
    found: dict[str, type[Error]] = {}
    for module_name in _error_modules():
        module = importlib.import_module(module_name)
        for kind in vars(module).values():
            if not (inspect.isclass(kind) and issubclass(kind, Error) and kind.__module__ == module_name):
                continue
            if "code" not in vars(kind):  # a base class of several errors
                continue
            if found.setdefault(kind.code, kind) is not kind:
                raise ValueError(f"{kind.code} is both {found[kind.code].__qualname__} and {kind.__qualname__}")
    return dict(sorted(found.items()))


def _error_modules() -> Iterator[str]:
    for room in ROOMS:
        package = importlib.import_module(f"freehold.{room}")
        for info in pkgutil.walk_packages(package.__path__, f"freehold.{room}."):
            if "errors" in info.name.split("."):
                yield info.name


def parts_of(kind: type[Error]) -> list[type[Label] | type[Note] | type[Help]]:
    """The labels, notes and helps that are nested in an error, in the order written; those of its bases last."""
    found = (part for base in kind.__mro__ for part in vars(base).values())
    return [part for part in found if inspect.isclass(part) and issubclass(part, Label | Note | Help)]


def page(kind: type[Error]) -> str:
    """The page of one error, as Markdown: what it means, then what the tool says."""
    lines = [
        f"# {kind.code}: {_plain(kind.title)}",
        "",
        inspect.cleandoc(kind.__doc__ or ""),
        "",
        "## What is said",
        "",
    ]
    lines.append(f"- error: {_plain(kind.title)}")
    if kind.label:
        lines.append(f"- at that place: {_plain(kind.label)}")
    parts = parts_of(kind)
    lines += [f"- elsewhere: {_plain(part.text)}" for part in parts if issubclass(part, Label)]
    notes = [*(part.text for part in parts if issubclass(part, Note)), *kind.notes]
    helps = [*(part.text for part in parts if issubclass(part, Help)), *kind.helps]
    lines += [f"- note: {_plain(text)}" for text in notes]
    lines += [f"- help: {_plain(text)}" for text in helps]
    return "\n".join(lines) + "\n"


def _plain(template: str) -> str:
    """A template with the names of its fields where their values will stand."""
    named = _FIELD.sub(lambda match: f"<{match.group(1).replace('_', ' ')}>", template.replace("{{", "\0"))
    return " ".join(named.replace("\0", "{").replace("}}", "}").split())


@command("freehold.tools.explain")
def main(argv: Sequence[str] | None = None) -> int:
    """Prints the pages of the codes given, or lists all errors; status 2 where there is no such code."""
    codes = list(sys.argv[1:] if argv is None else argv)
    if {"-h", "--help"} & set(codes):
        print("usage: python -m freehold.tools.explain [CODE ...]\n\nPrints the pages of errors, or lists all errors.")
        return 0
    errors = error_classes()
    if not codes:
        print("\n".join(f"{code}  {_plain(kind.title)}" for code, kind in errors.items()))
        return 0
    for code in codes:
        kind = errors.get(code.upper())
        if kind is None:
            print(f"error: there is no error {code}; `python -m freehold.tools.explain` lists all", file=sys.stderr)
            return 2
        print(page(kind))
    return 0


if __name__ == "__main__":
    sys.exit(main())
