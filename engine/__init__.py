"""Inference of Qwen3 and Llama models by safe kernels, and a server of OpenAI's interface (docs/engine.md)."""

from __future__ import annotations

if __name__ != "freehold.engine":  # the checkout's root on sys.path would make a second copy of every class
    raise ImportError("import freehold.engine, not engine: the folders at the root are parts of one package")

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from freehold.engine.config import Config
    from freehold.engine.engine import Completion, Delta, Engine, Request, follow
    from freehold.engine.errors import EngineError, ModelError, Overloaded, RequestError
    from freehold.engine.ranks import Ranks
    from freehold.engine.sampling import Sampling

_LAZY: Final = {
    "Completion": "engine",
    "Config": "config",
    "Delta": "engine",
    "Engine": "engine",
    "EngineError": "errors",
    "ModelError": "errors",
    "Overloaded": "errors",
    "Ranks": "ranks",
    "Request": "engine",
    "RequestError": "errors",
    "Sampling": "sampling",
    "follow": "engine",
}
"""The names, each by the file that has it, which is loaded when it is first asked for."""


def __getattr__(name: str) -> object:
    if (module := _LAZY.get(name)) is None:
        raise AttributeError(f"module 'freehold.engine' has no attribute {name!r}")
    value = getattr(import_module(f"freehold.engine.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, "__doc__", "__file__", "__name__", "__path__"})


__all__ = [
    "Completion",
    "Config",
    "Delta",
    "Engine",
    "EngineError",
    "ModelError",
    "Overloaded",
    "Ranks",
    "Request",
    "RequestError",
    "Sampling",
    "follow",
]
