"""Writes docs/errors/, a page an error and an index, from the classes: `python -m freehold.tools.error_pages`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from freehold.tools.explain import error_classes, page

GROUPS = {
    "O0": "The language: what a kernel may be written in",
    "O1": "Borrows and partitions",
    "O2": "Launches and arguments",
    "O3": "Bounds, and where they are checked",
    "O4": "Bytecode, the assembler, the cache",
    "O5": "Tools and their input, the interpreter",
}
"""The hundreds of the codes, as headings of the index."""


def pages() -> dict[str, str]:
    """The text of every generated file by its name."""
    errors = error_classes()
    index = [
        "# Errors",
        "",
        "One page a code, made from the error's class by `python -m freehold.tools.error_pages`.",
        "`tile-opt --explain-error O102` prints the same.",
    ]
    for prefix, heading in GROUPS.items():
        index += ["", f"## {heading}", ""]
        for code, kind in errors.items():
            if code.startswith(prefix):
                title = page(kind).splitlines()[0].removeprefix(f"# {code}: ")
                index.append(f"- [{code}]({code}.md) {title}")
    return {"README.md": "\n".join(index) + "\n", **{f"{code}.md": page(kind) for code, kind in errors.items()}}


def main(argv: Sequence[str] | None = None) -> int:
    """Writes the pages into the folder given, `docs/errors` by default, and removes those of codes that are gone."""
    arguments = sys.argv[1:] if argv is None else argv
    folder = Path(arguments[0] if arguments else "docs/errors")
    folder.mkdir(parents=True, exist_ok=True)
    wanted = pages()
    for old in folder.glob("*.md"):
        if old.name not in wanted:
            old.unlink()
    for name, text in wanted.items():
        (folder / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
