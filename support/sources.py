"""Source text that is on no disk, for excerpts and tracebacks."""

from __future__ import annotations

import linecache

from freehold.support.public import public


@public
def register_source(file: str, text: str) -> None:
    """
    Makes the text of a file that is on no disk known to this process, where Python keeps such things (`linecache`).

    This is what an interactive shell does for its inputs; tracebacks then show the text, too. A caller that wants
    nothing kept uses a `SourceMap` instead.
    """
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
