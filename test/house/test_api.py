"""
The public interface as it stands: every name of the package, what it is, and how it is called.

`api.txt` is what CONTRIBUTING.md promises to keep. A change of it shows in the pull request that makes it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path

from interface import members, signature

import freehold

SNAPSHOT = Path(__file__).with_name("api.txt")


def lines() -> Iterator[str]:
    """The whole interface."""
    for name in sorted(freehold.__all__):
        value = getattr(freehold, name)
        if inspect.isclass(value):
            bases = ", ".join(base.__name__ for base in value.__bases__ if base is not object)
            yield f"class {name}({bases})" if bases else f"class {name}"
            yield from members(value)
        elif callable(value):
            yield f"{name}{signature(value)}"
        else:
            yield f"{name}: {type(value).__name__}"


def test_the_interface_is_the_one_that_was_promised(golden: Callable[[Path, str], None]) -> None:
    golden(SNAPSHOT, "\n".join(lines()) + "\n")


def test_every_public_name_is_documented_where_help_looks() -> None:
    silent = [
        name
        for name in freehold.__all__
        if (value := getattr(freehold, name)) is not None
        and (inspect.isclass(value) or inspect.isfunction(value))
        and not inspect.getdoc(value)
    ]
    assert not silent
