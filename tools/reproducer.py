"""What a crash leaves behind: a file with the module as it was before the pass that crashed, and how to crash it again.

    // tile-opt crashed in `cse`: KeyError: 'x'
    // configuration: --pass-pipeline='cse'

`tile-opt FILE --run-reproducer` runs such a file as its configuration says.
"""

from __future__ import annotations

import os
import re
import shlex
import tempfile
import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xdsl.passes import ModulePass

    from freehold.tools.processing import Options

_CONFIGURATION = re.compile(r"^// configuration: (.*)$", re.MULTILINE)


def leaving(name: str | None) -> Callable[[Exception, str | bytes, str, Sequence[ModulePass], Options], None]:
    """What leaves a reproducer of a crash in a file of this name, or in a new one in the folder for temporary files."""
    return partial(_leave, name)


def _leave(
    name: str | None, crash: Exception, text: str | bytes, file: str, passes: Sequence[ModulePass], options: Options
) -> None:
    """
    Writes the reproducer of a crash in the last of `passes`, and notes its name on the exception.

    The module as it was before that pass is made again from the input; where that does not succeed, the input itself
    is kept, with all the passes.
    """
    from freehold.tools.context import make_context
    from freehold.tools.pass_nesting import name_of, spec_of
    from freehold.tools.processing import Timing, transformed

    quiet = replace(options.quiet, crashed=None)
    left = passes
    try:
        module = transformed(make_context(allow_unregistered=True), text, file, passes[:-1], quiet, Timing())
        body, left = _generic(module), passes[-1:]
    except Exception:  # whatever it is, the crash is what matters
        if isinstance(text, bytes):
            return
        body = text
    pipeline = ",".join(spec_of(each) for each in left)
    lines = [f"tile-opt crashed in `{name_of(passes[-1])}`: {type(crash).__name__}: {crash}".splitlines()[0]]
    lines += [f"configuration: --pass-pipeline={shlex.quote(pipeline)}"]
    if not options.verify:
        lines[-1] += " --no-verify"
    lines += traceback.format_exc().splitlines()
    header = "".join(f"// {line}".rstrip() + "\n" for line in lines)
    try:
        if name is None:
            handle, name = tempfile.mkstemp(prefix="tile-opt-crash-", suffix=".mlir")
            os.close(handle)
        Path(name).write_text(f"{header}\n{body}", encoding="utf-8")
    except OSError as failed:
        crash.add_note(f"no reproducer was written: {failed}")
        return
    crash.add_note(f"a reproducer was left: tile-opt {name} --run-reproducer")


def _generic(module: object) -> str:
    from xdsl.dialects.builtin import ModuleOp

    from freehold.dialects.cuda_tile.text import text_of

    assert isinstance(module, ModuleOp)
    return text_of(module, locations=True, generic=True)


def configuration(text: str) -> list[str]:
    """The options that a reproducer asks for; none where it is none."""
    found = _CONFIGURATION.search(text)
    return shlex.split(found[1]) if found else []
