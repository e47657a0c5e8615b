"""Bindings of the driver that write down what they are asked, and answer as they are told."""

# Stand-ins are of no type that checkers know.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from freehold.runtime.gpu import driver, kernels, transfers


class Names:
    """Constants of the bindings: each is its own name."""

    def __getattr__(self, name: str) -> str:
        return name


class Bindings:
    """The driver's functions: `answers` are what they answer behind the error, which is 0 unless it says so."""

    def __init__(self) -> None:
        self.said: list[tuple[Any, ...]] = []
        self.answers: dict[str, tuple[Any, ...]] = {}
        for name in ("CUpointer_attribute", "CUstreamCaptureMode", "CUfunction_attribute", "CUgraphNodeType"):
            setattr(self, name, Names())
        self.CUstreamCaptureStatus = SimpleNamespace(CU_STREAM_CAPTURE_STATUS_ACTIVE=1)
        self.CUresult = SimpleNamespace(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT=906)
        self.CU_MEMHOSTALLOC_PORTABLE, self.CU_MEMHOSTALLOC_DEVICEMAP = 1, 2
        self.CUdevice = lambda n: f"device {n}"

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("cu"):
            raise AttributeError(name)

        def function(*arguments: Any) -> tuple[Any, ...]:
            self.said.append((name, *arguments))
            return self.answers.get(name, (0, f"{name}'s"))

        return function

    def calls(self) -> list[tuple[Any, ...]]:
        """What was asked since this was asked last."""
        found, self.said = self.said, []
        return found


def in_place(monkeypatch: pytest.MonkeyPatch) -> Bindings:
    """The bindings, in place of the driver's; `on_device` is told of, too."""
    found = Bindings()

    @contextmanager
    def on_device(device: int) -> Generator[None]:
        found.said.append(("on", device))
        yield
        found.said.append(("off", device))

    def refused(what: str, error: Any) -> None:
        raise RuntimeError(f"{what}: {error}")

    for module in (driver, transfers, kernels):
        monkeypatch.setattr(module, "api", lambda: found)
        monkeypatch.setattr(module, "on_device", on_device)
    for module in (driver, transfers):
        monkeypatch.setattr(module, "refused", refused)
        monkeypatch.setattr(module, "handle_of", lambda stream: stream)
    return found
