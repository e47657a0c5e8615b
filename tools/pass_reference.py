"""Writes docs/reference/passes.md from the passes' docstrings: `python -m freehold.tools.pass_reference`."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Sequence
from pathlib import Path

from freehold.tools.pipeline_text import PassFactories, available_passes, usage_of

INTRODUCTION = """\
# Passes

What `tile-opt -p` knows, made from the passes' docstrings by `python -m freehold.tools.pass_reference`. Each is a
function on modules, too: `Pass(options).apply(context, module)`.
"""


def reference(factories: PassFactories | None = None) -> str:
    """The page, as Markdown."""
    factories = available_passes() if factories is None else factories
    parts = [INTRODUCTION]
    for name in sorted(factories):
        kind = factories[name]()
        if kind.__module__.startswith("freehold."):
            parts.append(f"## {name}\n\n    {usage_of(kind)}\n\n{inspect.cleandoc(kind.__doc__ or '')}\n")
        else:
            parts.append(f"## {name}\n\nxDSL's own pass of this name.\n")
    return "\n".join(parts)


def main(argv: Sequence[str] | None = None) -> int:
    """Writes the page into the file given, docs/reference/passes.md by default."""
    arguments = sys.argv[1:] if argv is None else argv
    path = Path(arguments[0] if arguments else "docs/reference/passes.md")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(reference(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
