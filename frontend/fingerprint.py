"""
Fingerprints of kernels: what their compilation may depend on, as a digest that is the same in every process.

A fingerprint is made before anything is compiled, so it follows names as the frontend will: from the kernel to helpers,
to attributes of modules, to classes. What it did not follow is known (`covers`), so that a kernel that read more than
that is not taken for another one.
"""

from __future__ import annotations

import dis
import hashlib
import linecache
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cached_property
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Final, cast

from freehold.frontend.host import UNDEFINED, host_value
from freehold.frontend.intrinsics import intrinsic_of
from freehold.frontend.schedule import PartitionSpec
from freehold.frontend.snapshot import is_rewritten
from freehold.support.dtypes import DType

Read = tuple[FunctionType | ModuleType, str]
"""What a compilation read of the host: a function, with no name, or an attribute of a module."""

_LOADS: Final = frozenset(("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF"))
_ATTRIBUTES: Final = frozenset(("LOAD_ATTR", "LOAD_METHOD"))


class Fingerprint:
    """A digest of a function and of all that it reads of the host."""

    def __init__(self, function: FunctionType, signature: str):
        self._digest = hashlib.sha256(signature.encode())
        self._seen: dict[int, object] = {}
        """By identity: functions and classes that are part of it."""
        self._attributes: dict[tuple[int, str], ModuleType] = {}
        """The attributes of modules that are part of it."""
        self._feed(function)

    def hexdigest(self) -> str:
        """The digest, as text."""
        return self._digest.hexdigest()

    def covers(self, read: Read) -> bool:
        """Whether something that a compilation read is part of it, or of Freehold."""
        source, name = read
        if isinstance(source, ModuleType):
            return _is_ours(source) or (id(source), name) in self._attributes
        return id(source) in self._seen or str(source.__module__).partition(".")[0] == "freehold"

    def _say(self, text: str) -> None:
        self._digest.update(text.encode() + b"\0")

    def _feed(self, value: object) -> None:
        """Feeds what a kernel can see of `value`. A kernel is refused if it uses more of it."""
        self._say(type(value).__qualname__)
        match value:
            case FunctionType():
                self._feed_function(value)
            case float():
                self._say(value.hex())
            case None | bool() | int() | str() | bytes() | complex() | DType() | PartitionSpec():
                self._say(repr(value))
            case tuple():
                whole = cast("tuple[object, ...]", value)
                for item in whole:
                    self._feed(item)
                self._say(")")
                if type(whole) is not tuple:
                    self._feed(type(whole))
            case Enum():
                self._say(repr((type(value).__qualname__, value.name)))
                self._feed(value.value)
            case ModuleType() | BuiltinFunctionType():
                self._say(value.__name__)
            case type():
                self._feed_class(cast("type[object]", value))
            case _ if is_dataclass(value):
                for f in fields(value):
                    self._feed(getattr(value, f.name, None))
                self._feed(type(value))
            case _:
                self._say(getattr(value, "__name__", ""))
                if type(value).__module__.partition(".")[0] in ("numpy", "torch", "ml_dtypes", "jax"):  # dtypes
                    self._say(str(value))

    def _feed_class(self, kind: type[object]) -> None:
        """Feeds the methods, properties and constants of a class whose objects a kernel may have."""
        self._say(kind.__qualname__)
        followed = issubclass(kind, (Enum, tuple)) or is_dataclass(cast(object, kind))
        known = id(cast(object, kind))
        if known in self._seen or not followed:
            return
        self._seen[known] = kind
        for base in kind.__mro__:
            for name, item in vars(base).items():
                match item:
                    case property():
                        found: object = item.fget
                    case cached_property():
                        found = cast("cached_property[object]", item).func
                    case staticmethod() | classmethod():
                        found = cast("staticmethod[..., object]", item).__func__
                    case FunctionType() | Enum() | bool() | int() | float() | str() | tuple():
                        found = cast(object, item)
                    case _:
                        continue
                if name not in ("__doc__", "__module__", "__qualname__", "__static_attributes__", "__firstlineno__"):
                    self._say(name)
                    self._feed(found)

    def _feed_function(self, function: FunctionType) -> None:
        if id(function) in self._seen:
            return
        self._seen[id(function)] = function
        declared = intrinsic_of(function)
        self._say("" if declared is None else declared.name)
        self._feed_code(function.__code__, function)
        if is_rewritten(function):  # its text says more than its code
            code = function.__code__
            lines = [line for _, _, line in code.co_lines() if line is not None]
            for line in range(code.co_firstlineno, max(lines, default=0) + 1):
                self._say(linecache.getline(code.co_filename, line, function.__globals__))
        for default in (function.__defaults__ or (), tuple((function.__kwdefaults__ or {}).items())):
            self._feed(default)

    def _feed_code(self, code: CodeType, function: FunctionType) -> None:
        self._say(repr((code.co_filename, code.co_firstlineno, code.co_varnames)))
        self._digest.update(code.co_code)
        self._digest.update(code.co_linetable)
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                self._feed_code(constant, function)
            else:
                self._feed(constant)
        values = {name: host_value(function, name) for name in (*code.co_names, *code.co_freevars)}
        for name, value in values.items():
            self._say(name)
            self._feed(value)
        if any(isinstance(value, ModuleType) and not _is_ours(value) for value in values.values()):
            for root, *attributes in _chains(code):
                self._feed_attributes(values.get(root), attributes)

    def _feed_attributes(self, value: object, names: list[str]) -> None:
        """Feeds what `module.name` is, `module.inner.name`, and so on."""
        for name in names:
            if not isinstance(value, ModuleType) or _is_ours(value):
                return
            self._attributes[id(value), name] = value
            value = getattr(value, name, UNDEFINED)
            self._say(name)
            self._feed(value)


def _is_ours(module: ModuleType) -> bool:
    return module.__name__.partition(".")[0] == "freehold"


def _chains(code: CodeType) -> Iterator[list[str]]:
    """Names with the attributes that are read of them: `a`, `b`, `c` for `a.b.c`."""
    chain: list[str] = []
    for instruction in dis.get_instructions(code):
        if instruction.opname in _ATTRIBUTES and chain:
            chain.append(instruction.argval)
        elif instruction.opname not in ("CACHE", "EXTENDED_ARG"):
            if chain:
                yield chain
            chain = [instruction.argval] if instruction.opname in _LOADS else []
    if chain:
        yield chain
