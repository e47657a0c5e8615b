"""What the migration pages show of other languages is Python, and what they show of cuTile Python computes the same."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
from book import ROOT

PAGES = sorted((ROOT / "docs" / "migration").glob("*.md"))
AROUND = (
    (
        "n = 1000; x, y, z = torch.arange(1000.0), torch.ones(1000), torch.empty(1000)",
        "assert torch.equal(z, x + y)",
    ),
    (
        "rows = 6; x = torch.randn(6, 100); y = torch.empty(6, 100)",
        "assert torch.allclose(y, torch.softmax(x, 1), atol=1e-6)",
    ),
    (
        "M, N, K = 96, 80, 70; a, b = torch.randn(M, K).half(), torch.randn(K, N).half(); c = torch.empty(M, N).half()",
        "assert torch.allclose(c.float(), a.float() @ b.float(), rtol=1e-3, atol=1e-2)",
    ),
)
"""What comes before each of cuTile's launches, and what holds after it."""


def theirs(page: Path) -> list[str]:
    return re.findall(r"```py\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_what_is_shown_of_others_is_python(page: Path) -> None:
    shown = theirs(page)
    assert len(shown) == (0 if page.stem == "from-cuda-c" else 3)
    for code in shown:
        ast.parse(code)


def test_what_is_shown_of_cutile_computes_the_same(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("cuda.tile")
    kernels, launches = "", ""
    for code, (before, after) in zip(theirs(ROOT / "docs" / "migration" / "from-cutile.md"), AROUND, strict=True):
        kernel, launch = code.strip().split("\n\n\n")
        kernels += kernel + "\n\n"
        launches += "".join(f"    {line}\n" for line in (before, *launch.splitlines(), after, "print('right')"))
    program = tmp_path / "program.py"
    program.write_text(
        "import torch, cuda.tile as ct\n"
        "from freehold.tools.pretend_gpu import pretend\n"
        "from freehold.tools.record import recording\n"
        f"{kernels}with pretend(), recording(lambda launch: launch.run(checked=True)):\n{launches}",
        encoding="utf-8",
    )
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["right"] * 3, done.stderr
