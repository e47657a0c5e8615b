"""Tiny models, and engines on the interpreter, that the tests of the engine share."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import freehold as fh

sys.path.insert(0, str(Path(__file__).parent))  # for the program that runs in two processes

_NEEDED = ("safetensors", "tokenizers", "jinja2")
collect_ignore_glob = [] if all(find_spec(name) for name in _NEEDED) else ["*"]
"""Nothing, where what the engine needs is not installed."""

if TYPE_CHECKING:
    from freehold.engine import Engine


@pytest.fixture(scope="session", autouse=True)
def few_processors() -> Iterator[None]:
    """Attention of few queries is cut into one, two, three or six parts."""
    from two_processes import FEW

    from freehold.kernels import serving

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(serving, "PROCESSORS", FEW)
        yield


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of one layer with random weights."""
    from freehold.engine import demo

    return demo.make(tmp_path_factory.mktemp("models") / "tiny", num_hidden_layers=1)


@pytest.fixture(scope="session")
def engine(tiny: Path) -> Iterator[Engine]:
    """An engine on the host with few pages, of 16 tokens."""
    from freehold.engine import Engine

    with Engine(tiny, device=fh.HOST, tokens=48, sequences=4, pages=24) as made:
        yield made


@pytest.fixture(scope="session")
def transformers() -> Any:
    """The library, imported without the checkout's root on the path: it looks for `kernels`, and would find ours."""
    root, before = Path(__file__).resolve().parents[2], list(sys.path)
    sys.path[:] = [p for p in before if Path(p or ".").resolve() != root]
    try:
        found = pytest.importorskip("transformers")
        importlib.import_module("transformers.activations")
        return found
    finally:
        sys.path[:] = before
