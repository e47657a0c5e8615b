"""
The public interface as it stands: every name of the package, what it is, and how it is called.

`api.txt` is what CONTRIBUTING.md promises to keep. A change of it shows in the pull request that makes it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path

import freehold

SNAPSHOT = Path(__file__).with_name("api.txt")
SIMPLE = (int, float, str, tuple, type(None))
ROOTS = (object, type, BaseException, Exception, tuple, dict)


def signature(value: object) -> str:
    """Names, kinds and defaults, the same with the native module and without: `...` for a default that is an object."""
    assert callable(value)
    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(value).parameters.values():
        if not isinstance(parameter.default, SIMPLE) and parameter.default is not inspect.Parameter.empty:
            parameter = parameter.replace(default=...)
        parameters.append(parameter.replace(annotation=inspect.Parameter.empty))
    return str(inspect.Signature(parameters)).replace("=Ellipsis", "=...")


def members(owner: type) -> Iterator[str]:
    """What a class of ours offers, with what it inherits from classes of ours."""
    own = {
        name
        for base in owner.__mro__
        if base not in ROOTS and base.__module__.startswith("freehold")
        for name in vars(base)
    }
    for name in sorted(own):
        if name.startswith("_"):
            continue
        member = inspect.getattr_static(owner, name)
        if isinstance(member, (staticmethod, classmethod)):
            yield f"    {name}{signature(getattr(owner, name))}"
        elif inspect.isroutine(member):
            yield f"    {name}{signature(member)}"
        else:
            yield f"    {name}"


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


def test_what_python_says_of_a_wrong_call_names_what_was_called() -> None:
    others: list[str] = []
    for name in freehold.__all__:
        value = getattr(freehold, name)
        if inspect.isclass(value) or not callable(value):
            continue
        taken = inspect.signature(value).parameters.values()
        needs = any(p.default is p.empty and p.kind is not p.VAR_POSITIONAL for p in taken)
        for wrong in ({}, {"no_such_keyword": 1}) if needs else ({"no_such_keyword": 1},):
            try:
                value(**wrong)
            except (freehold.Rejected, TypeError) as e:
                said = str(e)
                if isinstance(e, TypeError) and not said.startswith((f"{name}() ", f"{name} takes", "'TypeVar'")):
                    others.append(said)
    assert not others
