"""How ops, types, attributes and passes are called, and that each says what it is."""

from __future__ import annotations

import ast
import inspect
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from xdsl.ir import Dialect, TypeAttribute

from freehold.dialects.cuda_tile import CudaTile
from freehold.dialects.ownership import Ownership
from freehold.passes.registry import ALL_PASSES

ROOT = Path(__file__).resolve().parents[2]
PASS_NAME = re.compile(r"^class \w+\(ModulePass\):.*?^    name(?:: \S+)? = \"([^\"]+)\"", re.MULTILINE | re.DOTALL)
DIALECTS = [Ownership, CudaTile]


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)
def test_classes_are_called_what_they_are(dialect: Dialect) -> None:
    assert [op.__name__ for op in dialect.operations if not op.__name__.endswith("Op")] == []
    for attribute in dialect.attributes:
        ending = "Type" if issubclass(attribute, TypeAttribute) else "Attr"
        assert attribute.__name__.endswith(ending), attribute.__name__


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)
def test_every_op_and_attribute_says_what_it_means(dialect: Dialect) -> None:
    silent = [kind.__name__ for kind in (*dialect.operations, *dialect.attributes) if not vars(kind).get("__doc__")]
    assert silent == []


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)
def test_names_in_ir_carry_the_dialect(dialect: Dialect) -> None:
    for kind in (*dialect.operations, *dialect.attributes):
        assert kind.name.startswith(f"{dialect.name}."), kind.__name__


@pytest.mark.parametrize("name", ALL_PASSES)
def test_a_pass_is_called_as_its_file(name: str) -> None:
    kind = ALL_PASSES[name]()
    assert kind.name == name
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)
    assert kind.__name__.endswith("Pass")
    assert vars(kind).get("__doc__"), f"{kind.__name__} does not say what it does"
    if kind.__module__.startswith("freehold."):
        # What prints an analysis may stand beside the analysis.
        assert Path(inspect.getfile(kind)).stem in (
            name.replace("-", "_"),
            name.removeprefix("print-").replace("-", "_"),
        )


def test_every_pass_of_the_room_is_registered() -> None:
    room = Path(__file__).resolve().parents[2] / "passes"
    defined = {name for path in room.rglob("*.py") for name in PASS_NAME.findall(path.read_text())}
    assert defined == set(ALL_PASSES)


def test_suites_of_passes_are_called_by_their_pass() -> None:
    known = (*(name.replace("-", "_") for name in ALL_PASSES), "pipeline")  # of several passes
    files = sorted((Path(__file__).parents[1] / "lit" / "passes").glob("*.mlir"))
    assert files
    for file in files:
        name = file.stem.removesuffix("_invalid")
        assert any(name == each or name.startswith(f"{each}_") for each in known), file.name


def test_words_of_the_runtime_are_where_the_page_says() -> None:
    text = (ROOT / "docs" / "layout.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([a-z ]+) \| .* \| `([\w.]+)` \|$", text, re.MULTILINE)
    assert len(rows) > 20
    for word, where in rows:
        room, file, *names = where.split(".")
        found: Any = import_module(f"freehold.runtime.{room}.{file}")
        for name in names:
            found = getattr(found, name, None)
        assert found is not None, f"`{word}` is not at {where}"


def test_a_name_of_the_runtime_means_one_thing() -> None:
    """Classes and types with a name; the interpreter has its own words, being a machine of its own."""
    found: dict[str, list[str]] = {}
    for path in sorted((ROOT / "runtime").rglob("*.py")):
        if path.is_relative_to(ROOT / "runtime" / "interpreter"):
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            targets = node.targets if isinstance(node, ast.Assign) else []
            names = (
                [node.name] if isinstance(node, ast.ClassDef) else [t.id for t in targets if isinstance(t, ast.Name)]
            )
            for name in names:
                if name[0].isupper() and not name.isupper() and not name.endswith("_co"):
                    found.setdefault(name, []).append(path.stem)
    assert {name: where for name, where in found.items() if len(where) > 1} == {}
