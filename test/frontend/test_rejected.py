"""Kernels that the frontend refuses, each with everything that its author is told."""

from __future__ import annotations

import re
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from freehold.frontend.lower import lower
from freehold.frontend.schedule import PartitionSpec
from freehold.frontend.signature import ConstSpec, Parameter, ScalarSpec, Specialisation, TensorSpec
from freehold.frontend.source import KernelFunction
from freehold.support import dtypes
from freehold.support.diagnostic import Error, Rejected
from freehold.support.dtypes import DType

FOLDER = Path(__file__).parent / "rejected"
CASES = sorted(FOLDER.glob("*.py"))
TILES = {1: (128,), 2: (64, 64)}


def plain(p: Parameter, dtype: DType | None = None, rank: int = 0) -> TensorSpec | ScalarSpec | ConstSpec:
    """What a parameter gets in these tests: f32, and tiles of 128 or 64 by 64 where nothing else is said."""
    if p.mode == "const":
        return ConstSpec(p.default)
    if p.mode == "scalar":
        return ScalarSpec(p.dtype or (dtypes.i32 if p.type is int else dtypes.f32))
    rank = rank or len(p.dims or "1")
    tile = TILES[rank]
    return TensorSpec.plain(
        dtype or p.dtype or dtypes.f32, rank, PartitionSpec(tile, tile) if p.mode in ("mut", "out") else None
    )


def compile_plainly(module: dict[str, Any]) -> None:
    """Lowers the `kernel` of a module for plain arguments; `GIVEN` has those that are not, `FORM` which tensors there
    are."""
    kernel = KernelFunction(module["kernel"], module.get("FORM"))
    given: dict[str, tuple[DType | None, int]] = module.get("GIVEN", {})
    specs = [plain(p, *given.get(p.name, (None, 0))) for p in kernel.signature.parameters]
    lower(kernel, Specialisation(tuple(specs)))


@pytest.mark.parametrize("path", CASES, ids=lambda p: p.stem)
def test_rejected(path: Path, golden: Callable[[Path, str], None]):
    with pytest.raises(Rejected) as caught:
        compile_plainly(runpy.run_path(str(path)))
    assert path.stem[:4] in caught.value.codes
    text = caught.value.render().replace(f"{FOLDER}/", "")
    assert not re.search(r"xdsl|0x[0-9a-f]{6}|Traceback|cuda_tile|ownership\.|Value\b|\bAst\b", text)
    golden(path.with_suffix(".err"), text)


def test_every_code_is_shown():
    """Each error of the frontend has a kernel here that gets it, or a test that names it below."""
    from freehold.frontend import errors

    classes = {e for e in vars(errors).values() if isinstance(e, type) and issubclass(e, Error)}
    codes = {str(e.code) for e in classes if e.__module__.startswith(errors.__name__) and e.severity == "error"}
    assert codes == {path.stem[:4] for path in CASES}
