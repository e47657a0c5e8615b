"""
Functions that users call: what is wrong with the arguments is said in the function's own words, with a code (O045).

A call that goes right costs one call more. Of one that raises an error of Python, it is found out whether that came of
its arguments: they do not match the signature, the function itself refused them with a `TypeError` or `ValueError`, or
one is of another kind than its annotation. Anything else is raised as it is: it came of a function of the user's, or is
a fault of ours.
"""

from __future__ import annotations

import builtins
import inspect
import os
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from types import NoneType, TracebackType, UnionType
from typing import Any, Final, Literal, NoReturn, TypeVar, Union, cast, get_args, get_origin

from freehold.support import frames
from freehold.support.diagnostic import Rejected
from freehold.support.errors import WrongCall

F = TypeVar("F", bound=Callable[..., Any])

_ERRORS: Final = (TypeError, ValueError, AttributeError, LookupError, ArithmeticError)
_WORDS: Final[dict[object, str]] = {
    int: "an integer",
    float: "a number",
    str: "text",
    bool: "True or False",
    NoneType: "None",
    os.PathLike: "a path",
}
_SHOWN: Final = (int, float, str, bool, NoneType)


def public(function: F) -> F:
    """Makes wrong calls of a function raise `Rejected` (O045)."""

    @wraps(function)
    def called(*given: Any, **named: Any) -> Any:
        try:
            return function(*given, **named)
        except _ERRORS as e:
            if isinstance(e, Rejected):
                raise
            wrong = _wrong(function, given, named, e)
            if wrong is None:
                raise
            _refuse(_name(function, given), wrong, function, e)

    return cast(F, called)


def function_of(given: F, name: str) -> F:
    """What is a function, given to what is called so. Raises `Rejected` (O045) for what is none."""
    if not callable(given):
        refuse(name, f"it takes a function, not {shown(given)}")
    return given


def refuse(function: str, wrong: str) -> NoReturn:
    """Raises `Rejected` (O045) for a call of a function, by its public name: what is wrong with it."""
    raise Rejected([WrongCall(None, function, wrong)])


def shown(value: object) -> str:
    """A value in an error: numbers and short text as they are, of others the kind."""
    if isinstance(value, _SHOWN) and len(repr(value)) <= 40:
        return repr(value)
    if isinstance(value, type):
        return f"the class `{value.__name__}`"
    kind = type(value).__name__
    return f"{'an' if kind[:1] in 'aeiouAEIOU' else 'a'} {kind}"


def _refuse(name: str, wrong: str, function: Callable[..., Any], cause: BaseException) -> NoReturn:
    error = WrongCall(None, name, wrong)
    error.add(error.Signature(name + _signature(function)))
    raise Rejected([error]) from (cause if frames.all_are_wanted() else None)


def _name(function: Callable[..., Any], given: tuple[Any, ...]) -> str:
    """What users call it: `freehold.grouped`, `Tensor.permute`, and a class by itself."""
    owner, _, name = function.__qualname__.rpartition(".")
    owner = type(given[0]).__name__ if owner and given else owner
    if name == "__init__":
        return f"freehold.{owner}"
    return f"{owner}.{name}" if owner else f"freehold.{name}"


def _signature(function: Callable[..., Any]) -> str:
    kept = [p.replace(annotation=p.empty) for p in inspect.signature(function).parameters.values()]
    kept = [p if p.default is p.empty or isinstance(p.default, _SHOWN) else p.replace(default=...) for p in kept]
    if kept and kept[0].name == "self":
        kept = kept[1:]
    return str(inspect.Signature(kept)).replace("Ellipsis", "...")


def _wrong(function: Callable[..., Any], given: tuple[Any, ...], named: dict[str, Any], error: Exception) -> str | None:
    """What is wrong with a call that raised this, or None where it may not be the call."""
    signature = inspect.signature(function)
    try:
        bound = signature.bind(*given, **named)
    except TypeError as e:
        return str(e)
    if isinstance(error, TypeError | ValueError) and _raised_by_us(error.__traceback__):
        return str(error)
    for name, value in bound.arguments.items():
        kind, hint = signature.parameters[name].kind, _hint(function, name)
        values: Iterable[Any] = [value]
        if kind is inspect.Parameter.VAR_POSITIONAL:
            values = value
        elif kind is inspect.Parameter.VAR_KEYWORD:
            values = value.values()
        for each in values:
            if not _fits(each, hint):
                return f"`{name}` is {_words(hint)}, not {shown(each)}"
    return None


def _raised_by_us(traceback: TracebackType | None) -> bool:
    """Whether a statement of Freehold's raised an error, and not something that it called."""
    import dis

    if traceback is None:
        return False
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    code = traceback.tb_frame.f_code
    return frames.is_ours(code.co_filename) and dis.opname[code.co_code[traceback.tb_lasti]] == "RAISE_VARARGS"


class _Names(dict[str, Any]):
    """The names of a module; what only type checkers know is anything."""

    def __missing__(self, name: str) -> Any:
        return getattr(builtins, name, Any)


def _hint(function: Callable[..., Any], name: str) -> object:
    """The annotation of a parameter; `object` where there is none, or where it names what only type checkers know."""
    inner = inspect.unwrap(function)
    found = inner.__annotations__.get(name, object)
    if not isinstance(found, str):
        return found
    try:
        return eval(found, {}, _Names(inner.__globals__))  # the source of the annotation, of a file of ours
    except (TypeError, AttributeError):
        return object


def _fits(value: object, hint: Any) -> bool:
    """Whether a value is of a kind, as far as the kind can be told without looking into what it holds."""
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        return any(_fits(value, each) for each in get_args(hint))
    if origin is Literal:
        return value in get_args(hint)
    if hint is None:
        return value is None
    kind = origin or hint
    if kind is float:
        return isinstance(value, float | int) or hasattr(value, "__float__")
    if kind is int:
        return not isinstance(value, bool) and (isinstance(value, int) or hasattr(value, "__index__"))
    if kind in (tuple, list) and isinstance(value, str | bytes):
        return False
    if isinstance(kind, type) and issubclass(kind, Iterable) and not issubclass(kind, str) and isinstance(value, str):
        return False
    try:
        return not isinstance(kind, type) or isinstance(value, kind)
    except TypeError:  # a protocol, or another type that no value is asked for
        return True


def _words(hint: Any) -> str:
    """A kind in an error."""
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        found = list(dict.fromkeys(_words(each) for each in get_args(hint)))
        return found[0] if len(found) == 1 else f"{', '.join(found[:-1])} or {found[-1]}"
    if origin is Literal:
        return " or ".join(repr(each) for each in get_args(hint))
    kind: Any = NoneType if hint is None else origin or hint
    if kind in _WORDS:
        return _WORDS[kind]
    if kind is Callable or getattr(kind, "__name__", "") == "Callable":
        return "a function"
    if isinstance(kind, type) and issubclass(kind, Mapping):
        return "a dictionary"
    if isinstance(kind, type) and issubclass(kind, Iterable) and kind.__module__ in ("builtins", "collections.abc"):
        return "a list, or something like it"
    name = str(cast("Any", kind).__name__) if isinstance(kind, type) else str(cast("object", kind))
    return f"{'an' if name[:1] in 'AEIOU' else 'a'} `{name}`"


__all__ = ["function_of", "public", "refuse", "shown"]
