"""What the runtime's tests share: programs that are refused, kept as text, and the stub driver."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from pathlib import Path

import pytest

import freehold as fh

REJECTED = Path(__file__).parent / "rejected"


@pytest.fixture
def refused() -> Callable[[str], str]:
    """`refused(program)` runs a program after the prelude and returns the text of the error that it must raise."""

    def run(program: str) -> str:
        scope: dict[str, object] = {"__name__": "__main__"}
        prelude = (REJECTED / "prelude.txt").read_text(encoding="utf-8")
        for name, text in (("kernels.py", prelude), ("train.py", program)):
            fh.register_source(name, text)
            code = compile(text, name, "exec")
            if name == "kernels.py":
                exec(code, scope)
                continue
            with pytest.raises(fh.Rejected) as caught:
                exec(code, scope)
        scope.clear()
        text = str(caught.value)
        for name in ("kernels.py", "train.py"):
            linecache.cache.pop(name, None)
        return text

    return run
