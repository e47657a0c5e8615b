"""Launches that are refused: every program in `rejected/` with the text that its author sees."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import freehold as fh
from freehold import Mut
from freehold.runtime.gpu import driver

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


class CUDAError(Exception):
    """Called as cuda.core's, which is not public in every version."""


@pytest.mark.parametrize(
    ("name", "what", "text", "left"),
    [
        ("O276_cubin", "loading kernel `scale`", "CUDA_ERROR_NO_BINARY_FOR_GPU: no kernel image is available", None),
        ("O277_allocation", "allocating 68719476736 bytes on GPU 1", "CUDA_ERROR_OUT_OF_MEMORY: out of memory", (5, 9)),
        ("O277_launch", "a launch", "CUDA_ERROR_OUT_OF_MEMORY: out of memory", None),
    ],
)
def test_what_the_driver_says_is_told_apart(
    name: str,
    what: str,
    text: str,
    left: tuple[int, int] | None,
    golden: Callable[[Path, str], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def arch(device: int) -> str:
        return f"sm_9{device}"

    monkeypatch.setattr(driver, "current_device", lambda: 1)
    monkeypatch.setattr(driver, "architecture", arch)
    monkeypatch.setattr(driver, "memory_left", lambda: left)
    with pytest.raises(fh.Rejected) as caught:
        driver.failed(what, CUDAError(text))
    golden(REJECTED / f"{name}.err", str(caught.value))


def test_the_driver_fails(
    refused: Callable[[str], str], golden: Callable[[Path, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        driver.failed("wrapping a stream", CUDAError("CUDA_ERROR_INVALID_HANDLE: invalid resource handle"))

    monkeypatch.setattr(driver, "_problem", lambda: None)
    monkeypatch.setattr(driver, "current_device", lambda: 0)
    monkeypatch.setattr(driver, "device_of", lambda pointer: 0)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType] -- a stand-in
    monkeypatch.setattr(driver, "architecture", fail)
    text = refused("scale(fh.partition(OnGpu(256, (64,)), 64), OnGpu(4096, (64,)), 2.0).sync()\n")
    golden(REJECTED / "O241.err", text)


def test_what_is_not_the_drivers_passes_through() -> None:
    with pytest.raises(ZeroDivisionError):
        driver.failed("nothing", ZeroDivisionError())


def test_torch_on_the_host_where_a_driver_shows_no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """As with `CUDA_VISIBLE_DEVICES=`: the driver is there, and every question about GPUs is an error."""
    torch: Any = pytest.importorskip("torch")

    class Missing(Exception):
        pass

    def none(*_: object) -> Any:
        raise Missing

    monkeypatch.setattr(driver, "_problem", lambda: "the NVIDIA driver cannot be used (CUDA_ERROR_NO_DEVICE)")
    monkeypatch.setattr(driver, "cuda_core", none)

    @fh.kernel
    def double(y: Mut["N"]):
        y.store(y.load() * 2.0)

    y = torch.ones(64)
    for _ in range(3):  # the first launch, and those that find it prepared
        double(fh.partition(y, 16)).sync()
    assert torch.equal(y, torch.full((64,), 8.0))
