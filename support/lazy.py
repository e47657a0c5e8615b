"""Modules that are loaded when something of them is first needed: what only errors need costs a launch nothing."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class Lazy:
    """Stands for a module; its attributes are the module's."""

    def __init__(self, name: str):
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        return getattr(import_module(self._name), attribute)
