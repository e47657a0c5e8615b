"""The comparison of the interpreter with cubins, as far as it goes without a GPU: what it tries and what it notices."""

from __future__ import annotations

import ctypes
import json
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from benchmarks import agreement
from benchmarks.agreement_build import BLOCKS, EXACT, Bound, Entry, Parameter, built, norm, ulp
from benchmarks.agreement_inputs import DTYPES, distance, values
from benchmarks.agreement_kernels import samples

from freehold.dialects.cuda_tile import CudaTile
from freehold.runtime.interpreter.elements import by_name
from freehold.runtime.interpreter.launch import Entry as Interpreted
from freehold.runtime.interpreter.table import WITHOUT_MEANING

NOT_ON_SM_90 = {
    "cuda_tile.mmaf_scaled": "from sm_100 on",
    "cuda_tile.multimem_load_reduce_view_tko": "from sm_100 on",
    "cuda_tile.multimem_reduce_view_tko": "from sm_100 on",
    "cuda_tile.multimem_store_view_tko": "from sm_100 on",
}
WITHOUT_RESULT = {"cuda_tile.print_tko": "it yields nothing that could be compared"}


def test_every_operation_is_tried() -> None:
    cases = agreement.cases()
    module, _ = built(cases, range(len(cases)))
    tried = {op.name for op in module.walk()}
    names = {op.name for op in CudaTile.operations}
    assert names - tried == {*NOT_ON_SM_90, *WITHOUT_RESULT, *WITHOUT_MEANING}


class Pretended:
    """A GPU that is the interpreter, and may make mistakes."""

    def __init__(self, folder: Path, mistake: bool) -> None:
        self.folder = folder
        self.mistake = mistake

    def launch(self, cubin: bytes, symbol: str, arguments: Sequence[Any], blocks: int) -> None:
        assert cubin.startswith(b"\x7fELF")
        assert blocks == BLOCKS
        module = agreement.read_bytecode((self.folder / "m000.tileirbc").read_bytes())
        Interpreted.of(module, symbol).run(arguments, (blocks, 1, 1))
        if self.mistake:
            arguments[-1].view(np.uint8)[5] ^= 1


@pytest.mark.parametrize("mistake", [False, True])
def test_prepared_modules_are_compared(
    tmp_path: Path, mistake: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    agreement.prepare(tmp_path, "mulf f16")
    monkeypatch.setattr(agreement, "Gpu", lambda _: Pretended(tmp_path, mistake))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType] -- a size
    status = agreement.run(tmp_path, None, tmp_path / "rows.json", 1, gpu=True)
    rows = json.loads((tmp_path / "rows.json").read_text(encoding="utf-8"))["rows"]
    assert [(row["op"], row["types"], len(row["forms"]), row["fine"]) for row in rows] == [
        ("mulf", "f16", 4, not mistake)
    ]
    assert status == int(mistake)
    assert ("FAIL mulf f16" in capsys.readouterr().out) == mistake


class Driver:
    """As much of `freehold.runtime.gpu.driver` as launches need, with this process's memory for a GPU's."""

    def __init__(self) -> None:
        self.memory: Any = np.zeros(4096, np.uint8)
        self.launched: list[tuple[Any, ...]] = []

    def current_device(self) -> int:
        return 3

    def stream(self, handle: int, device: int) -> tuple[int, int]:
        return handle, device

    def allocate(self, size: int, device: int) -> Any:
        assert (size, device) == (4096, 3)
        return SimpleNamespace(handle=self.memory.ctypes.data)

    def copy_to_device(self, target: int, source: int, size: int, device: int) -> None:
        assert device == 3
        ctypes.memmove(target, source, size)

    copy_to_host = copy_to_device

    def load(self, cubin: bytes, symbol: str, device: int) -> tuple[Any, ...]:
        return cubin, symbol, device

    def config(self, blocks: int) -> int:
        return blocks

    def launch_on(self, device: int, stream: Any, config: Any, kernel: Any, *arguments: Any) -> None:
        self.launched.append((device, stream, config, kernel, arguments))
        start = arguments[1] - self.memory.ctypes.data
        self.memory[start : start + 8] += 1

    def wait(self, stream: Any, what: str) -> None:
        assert self.launched
        assert "name" in what


def test_arrays_travel_to_the_gpu_and_back(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = Driver()
    monkeypatch.setattr(agreement, "driver", driver)
    for module in ("kernels", "transfers"):
        monkeypatch.setattr(agreement, module, driver)
    first, second = np.arange(5, dtype=np.int32), np.arange(8, dtype=np.uint8)
    agreement.Gpu(4096).launch(b"cubin", "name", [first, second, np.float32(2)], 16)
    ((device, stream, config, kernel, (a, b, number)),) = driver.launched
    assert (device, stream, config, kernel, number) == (3, (0, 3), 16, (b"cubin", "name", 3), 2)
    assert a % 256 == b % 256 == 0
    assert first.tolist() == list(range(5))
    assert second.tolist() == list(range(1, 9))


def test_inputs_are_what_their_domain_says() -> None:
    rng = np.random.default_rng(0)
    for element, dtype in DTYPES.items():
        assert np.dtype(dtype) == by_name(element).dtype
        for domain in ("any", "finite", "zero", "poison") if by_name(element).is_float else ("any", "divisor"):
            assert values(element, domain, 100, rng).dtype == np.dtype(dtype)
        for bits in (1, 8, 16, 32, 64):
            if by_name(element).is_float:
                found = values(element, f"to:signed:{bits}", 500, rng).astype(np.float64)
                assert (np.trunc(found) >= -(2.0 ** (bits - 1))).all()
                assert (np.trunc(found) < 2.0 ** (bits - 1)).all()
    assert not np.isin(values("i8", "divisor", 2000, rng), (0, -1)).any()
    assert sorted(values("i32", "permutation", 64, rng)) == list(range(64))


def test_distances() -> None:
    one = np.float32(1)
    got, expected = np.array([one, np.nan, 0.0]), np.array([np.nextafter(one, np.float32(2)), np.nan, -0.0])
    got, expected = got.astype(np.float32), expected.astype(np.float32)
    assert distance("f32", got, expected, "exact").tolist() == [1, 0, 1]
    assert distance("f32", got, expected, "ulp").tolist() == [1, 0, 0]
    assert distance("f32", got, expected, "norm").tolist() == pytest.approx([2.0**-23, 0, 0], rel=1e-6)
    assert distance("f32", got[:1], expected[1:2], "ulp").tolist() == [np.inf]
    bits = np.array([0x3F800001, 0x3F802000], np.uint32).view(np.float32)
    assert distance("tf32", bits, np.array([1, 1], np.float32), "ulp").tolist() == [0, 1]
    with_two = np.array([2], np.uint8).view(np.bool_)  # not canonical
    assert distance("i1", with_two, np.array([True]), "exact").tolist() == [1]
    ends = np.array([-(2.0**1023), 2.0**1023])
    assert distance("f64", ends[:1], ends[1:], "ulp")[0] > 2.0**60


def test_manifests_keep_everything() -> None:
    entry = Entry("s", "addf", "f16", (Parameter("f16", 8, "any"), Parameter("f16", 8, "poison", "zero", ulp(2))))
    assert Entry.read(json.loads(json.dumps(entry.plain()))) == entry
    assert (EXACT, norm(0.5)) == (Bound("exact"), Bound("norm", 0.5))


def test_kernels_run_on_the_interpreter(tmp_path: Path) -> None:
    from benchmarks.agreement_kernels import compare_kernels

    kernels = [{"kernel": sample.name, "types": sample.types} for sample in samples(3)]
    rows = compare_kernels(tmp_path, kernels, None, 3)
    assert [row.result for row in rows if not row.fine] == []
    assert len(rows) == len(kernels)
