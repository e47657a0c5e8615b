"""What is to be done once a module has been imported by somebody: of libraries that we never import ourselves."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any


class _Watch:
    """A finder that finds one module as others do, and says when it has been loaded."""

    def __init__(self, name: str, then: Callable[[], object]):
        self.name = name
        self.then = then

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module as the other finders have it; None for all others."""
        if fullname != self.name or self not in sys.meta_path:
            return None
        sys.meta_path.remove(self)  # pyright: ignore[reportArgumentType] -- as far as Python asks of a finder
        found = find_spec(fullname)
        loader: Any = None if found is None else found.loader
        if loader is None:
            return found
        load, then = loader.exec_module, self.then

        def loaded(module: ModuleType) -> None:
            loader.__dict__.pop("exec_module", None)  # two may wait for one module
            load(module)
            then()

        loader.exec_module = loaded
        return found


def once_imported(name: str, then: Callable[[], object]) -> None:
    """Calls `then` when a module has been loaded, at once where it has been. Imports nothing itself."""
    if name in sys.modules:
        then()
    else:
        sys.meta_path.insert(0, _Watch(name, then))  # pyright: ignore[reportArgumentType] -- as above
