"""The dialects as text: what is printed of all that their suites read or refuse, and what each operation owes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

from freehold.dialects.ownership import OwingOp
from freehold.tools.context import make_context
from freehold.tools.located_parser import parse_module

TileOpt = Callable[..., tuple[int, str]]
LIT = Path(__file__).parents[1] / "lit"
FILES = sorted(path for path in (LIT / "dialects").rglob("*.mlir") if not path.stem.endswith("invalid"))
NAMES = ["_".join(path.relative_to(LIT / "dialects").with_suffix("").parts) for path in FILES]


@pytest.mark.parametrize(("path", "name"), [*zip(FILES, NAMES, strict=True)], ids=NAMES)
def test_what_is_printed(
    path: Path,
    name: str,
    golden: Callable[[Path, str], None],
    tile_opt: TileOpt,
) -> None:
    """As users read it, as NVIDIA's tools write it, and in MLIR's generic form: every blank and every word."""
    ways = [[], ["--print-op-generic"]]
    if name.startswith("cuda_tile"):
        ways += [["--elide-prefix", "--print-debuginfo"], ["--text-version", "13.1", "--print-op-generic"]]
    found = [tile_opt(path, "--split-input-file", "--allow-unregistered-dialect", *options) for options in ways]
    assert [status for status, _ in found] == [0] * len(ways)
    golden(Path(__file__).with_name("printed") / f"{name}.mlir", "// -----\n".join(text for _, text in found))


REFUSED = sorted(path for path in (LIT / "dialects").rglob("*invalid.mlir"))


@pytest.mark.parametrize("path", REFUSED, ids=[f"{path.parent.name}-{path.stem}" for path in REFUSED])
def test_what_is_said(
    path: Path,
    golden: Callable[[Path, str], None],
    tile_opt: TileOpt,
) -> None:
    """Of each piece of text that is refused: the whole error, and the place that it shows."""
    _, said = tile_opt(path, "--print-diagnostics", "--split-input-file")
    golden(Path(__file__).with_name("printed") / f"{path.parent.name}_{path.stem}.err", said)


def read(path: Path) -> Iterator[ModuleOp]:
    for chunk in path.read_text(encoding="utf-8").split("// -----"):
        yield parse_module(make_context(allow_unregistered=True), chunk, path.name)


def test_what_operations_owe(golden: Callable[[Path, str], None]) -> None:
    """By their types: of each operation in the suites of the dialect and of its verifiers."""
    found: dict[str, None] = {}
    suites = [*(LIT / "dialects" / "ownership").glob("*.mlir"), *(LIT / "passes").glob("verify_*.mlir")]
    for path in sorted(path for path in suites if not path.stem.endswith(("invalid", "unregistered"))):
        for module in read(path):
            for op in module.walk():
                if isinstance(op, OwingOp):
                    owed = [duty.value if axis < 0 else f"{duty.value} {axis}" for duty, axis in op.owed]
                    types = ", ".join(map(str, (*op.operand_types, *op.result_types)))
                    found[f"{op.name} {types}\n    {', '.join(owed)}"] = None
    golden(Path(__file__).with_name("owed.txt"), "\n".join(found))
