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
from typing import Any, Final, cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Data, Operation, ParametrizedAttribute, SSAValue


def digest(module: ModuleOp) -> str:
    """The SHA-256 of a module, as text."""
    account = _Account()
    account.operation(module)
    return hashlib.sha256("\n".join(account.lines).encode()).hexdigest()


class _Account:
    """A module as lines, one for each operation and one for each attribute where it is first met, numbered from then
    on. No two modules have the same lines: text of theirs stands in quotes, and all else is numbers and names."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._values: dict[SSAValue, int] = {}
        self._blocks: dict[Block, int] = {}
        self._numbers: dict[str, int] = {}
        """Those of attributes, by what they say."""
        self._texts: dict[int, str] = {}
        """What attributes say, by their identity: the module keeps them alive."""

    def operation(self, op: Operation) -> None:
        """Writes an operation, and what it holds."""
        operands = [self._values[value] for value in op.operands]
        types = [self._value(result) for result in op.results]
        named = [
            [(name, self._number(held[name])) for name in sorted(held)]
            for held in (op.properties, op.attributes)
            if held
        ]
        successors = [self._blocks[block] for block in op.successors]
        self.lines.append(f"{op.name} {operands} {types} {named} {bool(op.properties)} {successors} {len(op.regions)}")
        for region in op.regions:
            for block in region.blocks:
                self._blocks[block] = len(self._blocks)
            for block in region.blocks:
                self.lines.append(f"block {[self._value(argument) for argument in block.args]}")
                for inner in block.ops:
                    self.operation(inner)
            self.lines.append("end")

    def _value(self, value: SSAValue) -> int:
        """Numbers a value; the number of its type."""
        self._values[value] = len(self._values)
        return self._number(value.type)

    def _number(self, attribute: Attribute) -> int:
        text = self._text(attribute)
        found = self._numbers.get(text)
        if found is None:
            found = self._numbers[text] = len(self._numbers)
            self.lines.append(text)
        return found

    def _text(self, attribute: Attribute) -> str:
        found = self._texts.get(id(attribute))
        if found is None:
            inside = (
                map(self._data, attribute.parameters)
                if isinstance(attribute, ParametrizedAttribute)
                else [self._data(cast("Data[Any]", attribute).data)]
            )
            found = self._texts[id(attribute)] = f"{attribute.name}<{', '.join(inside)}>"
        return found

    def _data(self, data: object) -> str:
        """What an attribute holds: attributes, plain data of Python, and collections of these."""
        if type(data) in _PLAIN:
            return f"{type(data).__name__} {data!r}"
        if isinstance(data, Attribute):
            return self._text(data)
        if isinstance(data, Enum):
            return f"{type(data).__qualname__}.{data.name}"
        if isinstance(data, Mapping):
            items = sorted(cast("Mapping[object, object]", data).items(), key=lambda item: str(item[0]))
            return f"{{{', '.join(f'{self._data(key)}: {self._data(value)}' for key, value in items)}}}"
        if isinstance(data, Iterable):
            return f"[{', '.join(map(self._data, cast('Iterable[object]', data)))}]"
        return f"{type(data).__qualname__} {data!r}"  # frozen dataclasses of ours


_PLAIN: Final = frozenset((str, bytes, int, float, bool, type(None)))
