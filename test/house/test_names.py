"""How ops, types, attributes and passes are called, and that each says what it is."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest
from xdsl.ir import Dialect, TypeAttribute

from freehold.dialects.cuda_tile import CudaTile
from freehold.dialects.ownership import Ownership
from freehold.passes.registry import ALL_PASSES

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
