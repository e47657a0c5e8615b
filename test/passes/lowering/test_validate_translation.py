"""Translation validation: what is emitted for kernels is what was verified, and each planted fault is found."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import lowering_kernels as texts
import ml_dtypes
import numpy as np
import pytest
from examples.kernels import library
from translation_faults import FAULTS
from xdsl.dialects.builtin import ModuleOp

import freehold as fh
from freehold.backend.bytecode.reader import read_bytecode
from freehold.backend.bytecode.writer import write_bytecode
from freehold.dialects.cuda_tile.ops.views import LoadViewTkoOp, StoreViewTkoOp
from freehold.dialects.ownership import KernelOp
from freehold.passes import lowering
from freehold.passes.launch_contract import kernel_of
from freehold.passes.pipeline import convert, verify
from freehold.passes.validate_translation import entry_of, validate_translation
from freehold.runtime.launch.partition import Partition
from freehold.support.diagnostic import Rejected

LIBRARY = dict(library())


def validate(kernel: KernelOp, lowered: ModuleOp, checks: Any = True) -> None:
    """Through bytecode, as it is done for a launch."""
    validate_translation(kernel, entry_of(read_bytecode(write_bytecode(lowered))), checks)


@cache
def verified(name: str, **schedule: Any) -> ModuleOp:
    """A kernel of the library under a schedule, verified."""
    example = LIBRARY[name]
    arguments = [
        type(a)(a.array, replace(a.spec, **schedule)) if isinstance(a, Partition) else a for a in example.arguments
    ]
    return example.kernel.verify(*arguments)


SCHEDULES: dict[str, dict[str, Any]] = {
    "each": {},
    "persistent": {"blocks": fh.PERSISTENT},
    "columns": {"order": fh.COLUMN},
}


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("name", LIBRARY)
def test_the_library(name: str, schedule: str) -> None:
    module = verified(name, **SCHEDULES[schedule])
    validate(kernel_of(module), convert(module))


SIZES = [(8, False), (128, False), (129, False), (256, False), (8, True), (256, True)]


@pytest.mark.parametrize(("size", "persistent"), SIZES)
def test_grouped_orders(size: int, persistent: bool) -> None:
    module = texts.parse(texts.gemm(order=f"grouped {size}", persistent=persistent))
    verify(module)
    validate(kernel_of(module), convert(module))


TEXTS = {
    "saxpy": texts.saxpy(),
    "saxpy, persistent": texts.saxpy(persistent=True),
    "grouped": texts.gemm(order="grouped 256", persistent=True),
    "rows": texts.row_softmax(),
    "collatz": texts.collatz(),
    "shifted": texts.shifted(),
    **{f"increment {rank}": texts.increment(rank, order, True) for rank, order in ((1, ""), (3, "column"), (4, ""))},
}


@pytest.mark.parametrize("name", TEXTS)
def test_texts(name: str) -> None:
    module = texts.parse(TEXTS[name])
    verify(module)
    validate(kernel_of(module), convert(module))


# --- Planted faults ---------------------------------------------------------------------------------------------------


@fh.kernel
def number(y: fh.Out[fh.i32, "M"], offsets: fh.Ref[fh.i32, "O"]):
    y.store(fh.full(y.tile, y.index[0], fh.i32))


@fh.kernel
def mark(y: fh.Mut[fh.i32, "M"], z: fh.Out[fh.i32, "M"], offsets: fh.Ref[fh.i32, "O"]):
    """Where regions begin and end, of two partitions."""
    y.store(y.load() + y.start[0])
    z.store(fh.full(z.tile, y.stop[0] - z.start[0], fh.i32))


def strided(kernel: Any, outputs: int = 1, **schedule: Any) -> ModuleOp:
    """A kernel of groups, verified for offsets that are no neighbours in memory."""
    parts = [fh.ragged(np.zeros(64, np.int32), 16, by="offsets", **schedule) for _ in range(outputs)]
    return kernel.verify(*parts, np.zeros(10, np.int32)[::2])


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("checks", [True, False, "trap"])
def test_groups_of_strided_offsets(schedule: str, checks: Any) -> None:
    for module in strided(number, **SCHEDULES[schedule]), strided(mark, 2, **SCHEDULES[schedule]):
        validate(kernel_of(module), convert(module, checks=checks), checks)


@fh.kernel
def asserted(y: fh.Out[fh.f32, "N"], x: fh.Ref["N"], n: fh.i32):
    """Checks outside of loops and in one."""
    first = x.load(y.index[0], ())
    for k in range(n):
        item = x.load(k, ())
        assert item == first
    assert first == x.load(1, ())
    y.store(fh.zeros(y.tile, fh.f32))


@fh.kernel
def read_then_stored(y: fh.Mut[fh.f32, "N"], x: fh.Ref["N"], at: fh.Ref[fh.i32, "K"], n: fh.i32):
    """A loop that only reads what is checked, and one that is left where a check fails, for it writes."""
    total = 0.0
    for k in range(n):
        total += x.load(at.load(k, ()), ())
    for k in range(n):
        assert at.load(k, ()) >= 0
        y.store(y.load() + total)


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("checks", [True, False, "trap"])
def test_checks_of_two_loops(schedule: str, checks: Any) -> None:
    tiles = fh.partition(np.zeros(64, np.float32), 16, **SCHEDULES[schedule])
    module = read_then_stored.verify(tiles, np.zeros(64, np.float32), np.zeros(5, np.int32), 3)
    validate(kernel_of(module), convert(module, checks=checks), checks)


def raised(t: Any, a: Any) -> Any:
    """A branch that does nothing but compute, with another in it."""
    if a > 2.0:
        t = t + 1.0
        if a > 3.0:
            t = t * a
    return t


@fh.kernel
def computed_twice(y: fh.Out[fh.f32, "N"], z: fh.Mut[fh.f32, "N"], x: fh.Ref["N"], a: fh.f32, n: fh.i32):
    """What is computed first is used by nobody; what is computed last, beside its equal."""
    t = x.load_like(y)
    raised(t, a)
    y.store(raised(t, a))
    for k in range(n):
        raised(t, a)
        t = raised(t, a) + raised(t, a + k)
    z.store(t)


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("checks", [True, False, "trap"])
def test_structures_that_compute_the_same(schedule: str, checks: Any) -> None:
    one, other = (fh.partition(np.zeros(64, np.float32), 16, **SCHEDULES[schedule]) for _ in range(2))
    module = computed_twice.verify(one, other, np.zeros(64, np.float32), 1.5, 3)
    validate(kernel_of(module), convert(module, checks=checks), checks)


DTYPES: list[Any] = [
    np.int8, np.uint8, np.uint16, np.int32, np.uint32, np.int64, np.uint64, np.bool_,
    np.float16, np.float32, np.float64, ml_dtypes.bfloat16,
]  # fmt: skip


@pytest.mark.parametrize("dtype", DTYPES)
def test_what_failed_checks_write_down(dtype: Any) -> None:
    module = asserted.verify(fh.partition(np.zeros(64, np.float32), 8), np.zeros(64, dtype), 3)
    for checks in (True, False, "trap"):
        validate(kernel_of(module), convert(module, checks=checks), checks)


def module_of(name: str) -> ModuleOp:
    """A kernel of the library, with its schedule behind a comma, or one of the texts, verified."""
    if name in TEXTS:
        module = texts.parse(TEXTS[name])
        verify(module)
        return module
    if name == "strided groups":
        return strided(number)
    kernel, _, schedule = name.partition(", ")
    return verified(kernel, **SCHEDULES[schedule or "each"])


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_found(fault: str) -> None:
    name, plant = FAULTS[fault]
    module = module_of(name)
    lowered = plant(module)
    assert str(lowered) != str(convert(module)), "the fault changes nothing"
    with pytest.raises(Rejected) as caught:
        validate(kernel_of(module), lowered)
    assert caught.value.codes == ("O140",)


@fh.kernel
def doubled(y: fh.Out["N"], x: fh.Ref["N"]):
    y.store(2.0 * x.load_like(y))


@fh.kernel(validate=False)
def halved(y: fh.Out["N"], x: fh.Ref["N"]):
    y.store(0.5 * x.load_like(y))


def test_what_is_compiled_is_validated_unless_that_is_left_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def wrong(module: ModuleOp, *, contract: bool) -> None:
        assert contract
        (read,) = (op for op in module.walk() if isinstance(op, LoadViewTkoOp))
        (store,) = (op for op in module.walk() if isinstance(op, StoreViewTkoOp))
        store.operands = (read.tile, *store.operands[1:])

    given = fh.partition(np.zeros(64, np.float32), 16), np.ones(64, np.float32)
    monkeypatch.setenv("FREEHOLD_CACHE_DIR", "")
    assert doubled.compile(*given, arch="sm_90").cubin
    monkeypatch.setattr(lowering, "optimize", wrong)
    with pytest.raises(Rejected, match="this store is emitted with another value"):
        doubled.compile(*given, arch="sm_100")
    with pytest.raises(Rejected, match="this store is emitted with another value"):
        fh.build([doubled(*given)], archs=[], path=tmp_path / "package")
    assert halved.compile(*given, arch="sm_90").cubin
    fh.build([halved(*given)], archs=[], path=tmp_path / "package")
    monkeypatch.setenv("FREEHOLD_VALIDATE", "1")
    with pytest.raises(Rejected, match="this store is emitted with another value"):
        halved.compile(*given, arch="sm_100")
    monkeypatch.setenv("FREEHOLD_VALIDATE", "0")
    assert doubled.compile(*given, arch="sm_100").cubin
