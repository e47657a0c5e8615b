"""Launches that are refused: every program in `rejected/` with the text that its author sees."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from freehold.runtime import driver

REJECTED = Path(__file__).parent / "rejected"
PROGRAMS = sorted(p for p in REJECTED.glob("O*.txt"))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.stem)
def test_is_refused(program: Path, refused: Callable[[str], str], golden: Callable[[Path, str], None]) -> None:
    text = refused(program.read_text(encoding="utf-8"))
    assert f"error[{program.stem[:4]}]: " in text
    golden(program.with_suffix(".err"), text)


def test_no_gpu(
    refused: Callable[[str], str], golden: Callable[[Path, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver, "_problem", lambda: "the NVIDIA driver reports no device")
    text = refused("scale(fh.partition(OnGpu(256, (64,)), 64), OnGpu(4096, (64,)), 2.0).sync()\n")
    golden(REJECTED / "O240_launch.err", text)
    text = refused("scale.compile(fh.partition(y, 64), x, 2.0)\n")
    golden(REJECTED / "O240_compile.err", text)


def test_the_driver_fails(
    refused: Callable[[str], str], golden: Callable[[Path, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    class CUDAError(Exception):
        """Called as cuda.core's, which is not public in every version."""

    def fail(*_: object) -> None:
        driver.failed("loading kernel `scale`", CUDAError("CUDA_ERROR_NO_BINARY_FOR_GPU: no kernel image"))

    monkeypatch.setattr(driver, "_problem", lambda: None)
    monkeypatch.setattr(driver, "device_of", lambda pointer: 0)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType] -- a stand-in
    monkeypatch.setattr(driver, "architecture", fail)
    text = refused("scale(fh.partition(OnGpu(256, (64,)), 64), OnGpu(4096, (64,)), 2.0).sync()\n")
    golden(REJECTED / "O241.err", text)


def test_what_is_not_the_drivers_passes_through() -> None:
    with pytest.raises(ZeroDivisionError):
        driver.failed("nothing", ZeroDivisionError())
