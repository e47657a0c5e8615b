"""
Digests of modules: one text for equal IR, in every process.

What is made of verified IR carries its digest, so that it can be told whether it is of the IR at hand. Nothing is
printed for it: a digest is of operations, the values they use, their types and properties, in order. Names and
locations are no part of what a kernel does, and no part of it.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any, Final, cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Data, Operation, ParametrizedAttribute, Region, SSAValue

from freehold.dialects.classes import PlainAttribute


def digest(module: ModuleOp) -> str:
    """The SHA-256 of a module, as text."""
    account = _Account()
    account.operation(module)
    texts = "\n".join(account.texts).encode()
    return hashlib.sha256(f"{len(account.numbers)} {account.numbers.tolist()} ".encode() + texts).hexdigest()


class _Account:
    """A module as numbers, and the texts that some of them are of: names of operations and properties, and what
    attributes say. Each list of numbers has its length in front of it. No two modules have the same account: text of
    theirs stands in quotes, and all else is numbers and names."""

    def __init__(self) -> None:
        self.numbers = array("q")
        self.texts: dict[str, int] = {}
        """By text, its number: they stand in the order in which they are first met."""
        self._values: dict[SSAValue, int] = {}
        self._blocks: dict[Block, int] = {}
        self._known: dict[int, int] = {}
        """The numbers of attributes, by their identity: the module keeps them alive."""

    def operation(self, op: Operation) -> None:
        """Writes an operation, and what it holds."""
        values, results = self._values, op.results
        found = [self._text(op.name), len(op.operands), *[values[value] for value in op.operands]]
        found.append(len(results))
        for value in results:
            values[value] = len(values)
            found.append(self._attribute(value.type))
        for held in (op.properties, op.attributes):
            found.append(len(held))
            for name in sorted(held):
                found += (self._text(name), self._attribute(held[name]))
        successors = op.successors
        found += (len(successors), *[self._blocks[block] for block in successors], len(op.regions))
        self.numbers.extend(found)
        for region in op.regions:
            self._region(region)

    def _region(self, region: Region) -> None:
        blocks = list(region.blocks)
        self.numbers.append(len(blocks))
        for block in blocks:
            self._blocks[block] = len(self._blocks)
        for block in blocks:
            found = [len(block.args)]
            for value in block.args:
                self._values[value] = len(self._values)
                found.append(self._attribute(value.type))
            ops = list(block.ops)
            self.numbers.extend((*found, len(ops)))
            for inner in ops:
                self.operation(inner)

    def _text(self, text: str) -> int:
        """The number of a text."""
        return self.texts.setdefault(text, len(self.texts))

    def _attribute(self, attribute: Attribute) -> int:
        """The number of an attribute."""
        found = self._known.get(id(attribute))
        if found is None:
            found = self._known[id(attribute)] = self._text(_said(attribute))
        return found


def _said(attribute: Attribute) -> str:
    """What an attribute says. Ours keep it."""
    kept = vars(attribute) if isinstance(attribute, PlainAttribute) else dict[str, Any]()
    if (found := kept.get("_said")) is None:
        inside = (
            attribute.parameters
            if isinstance(attribute, ParametrizedAttribute)
            else [cast("Data[Any]", attribute).data]
        )
        found = kept["_said"] = f"{attribute.name}<{', '.join(map(_written, inside))}>"
    return found


def _written(data: object) -> str:
    """What an attribute holds: attributes, plain data of Python, and collections of these."""
    if type(data) in _PLAIN:
        return f"{type(data).__name__} {data!r}"
    if isinstance(data, Attribute):
        return _said(data)
    if isinstance(data, Enum):
        return f"{type(data).__qualname__}.{data.name}"
    if isinstance(data, Mapping):
        items = sorted(cast("Mapping[object, object]", data).items(), key=lambda item: str(item[0]))
        return f"{{{', '.join(f'{_written(key)}: {_written(value)}' for key, value in items)}}}"
    if isinstance(data, Iterable):
        return f"[{', '.join(map(_written, cast('Iterable[object]', data)))}]"
    return f"{type(data).__qualname__} {data!r}"  # frozen dataclasses of ours


_PLAIN: Final = frozenset((str, bytes, int, float, bool, type(None)))
