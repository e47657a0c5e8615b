"""
Digests of modules: one text for equal IR, in every process.

What is made of verified IR carries its digest, so that it can be told whether it is of the IR at hand. Nothing is
printed for it: a digest is of operations, the values they use, their types and properties, in order. Names and
locations are no part of what a kernel does, and no part of it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any, cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Data, Operation, ParametrizedAttribute, SSAValue


def digest(module: ModuleOp) -> str:
    """The SHA-256 of a module, as text."""
    return _Digest().of(module)


class _Digest:
    def __init__(self) -> None:
        self._values: dict[SSAValue, int] = {}
        self._blocks: dict[Block, int] = {}
        self._attributes: dict[Attribute, bytes] = {}
        self._hash = hashlib.sha256()

    def of(self, op: Operation) -> str:
        self._operation(op)
        return self._hash.hexdigest()

    def _say(self, *parts: object) -> None:
        for part in parts:
            data = part if isinstance(part, bytes) else str(part).encode()
            self._hash.update(len(data).to_bytes(4, "little"))
            self._hash.update(data)

    def _operation(self, op: Operation) -> None:
        self._say(op.name, *[self._values[value] for value in op.operands])
        for result in op.results:
            self._value(result)
        for named in (op.properties, op.attributes):
            self._say(len(named), *[part for name in sorted(named) for part in (name, self._attribute(named[name]))])
        self._say(*[self._blocks[block] for block in op.successors])
        for region in op.regions:
            self._say("region")
            for block in region.blocks:
                self._blocks[block] = len(self._blocks)
            for block in region.blocks:
                self._say("block")
                for argument in block.args:
                    self._value(argument)
                for inner in block.ops:
                    self._operation(inner)
        self._say("end")

    def _value(self, value: SSAValue) -> None:
        self._values[value] = len(self._values)
        self._say(self._attribute(value.type))

    def _attribute(self, attribute: Attribute) -> bytes:
        found = self._attributes.get(attribute)
        if found is None:
            parts = (
                attribute.parameters
                if isinstance(attribute, ParametrizedAttribute)
                else (cast("Data[Any]", attribute).data,)
                if isinstance(attribute, Data)
                else ()
            )
            inner = _Digest()
            inner._attributes = self._attributes
            inner._say(attribute.name)
            inner._data(parts)
            found = self._attributes[attribute] = inner._hash.digest()
        return found

    def _data(self, data: object) -> None:
        """What an attribute holds: attributes, plain data of Python, and collections of these."""
        if isinstance(data, Attribute):
            self._say(self._attribute(data))
        elif isinstance(data, Enum):
            self._say(type(data).__qualname__, data.name)
        elif isinstance(data, Mapping):
            items = cast("Mapping[object, object]", data)
            self._data(sorted(items.items(), key=lambda item: str(item[0])))
        elif isinstance(data, str | bytes | int | float | None):
            self._say(type(data).__name__, data if isinstance(data, bytes) else repr(data))
        elif isinstance(data, Iterable):
            items = [*cast("Iterable[object]", data)]
            self._say(len(items))
            for item in items:
                self._data(item)
        else:  # frozen dataclasses of ours
            self._say(type(data).__qualname__, repr(data))
