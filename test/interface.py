"""The public interface, walked: what the classes of Freehold offer, and how it is called."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

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
