"""Every operation of both dialects has a meaning, or is on the list of those that have none."""

import re
from pathlib import Path

from freehold.dialects.cuda_tile import CudaTile
from freehold.dialects.cuda_tile.types import ELEMENT_BITS
from freehold.dialects.ownership import Ownership
from freehold.runtime.interpreter.elements import ELEMENTS
from freehold.runtime.interpreter.table import CONTAINERS, EFFECTS, PURE, TERMINATORS, WITHOUT_MEANING

DEFINED = {*PURE, *EFFECTS, *CONTAINERS, *TERMINATORS}


def test_every_operation_is_defined_or_listed() -> None:
    names = {op.name for dialect in (Ownership, CudaTile) for op in dialect.operations}
    assert names - DEFINED == set(WITHOUT_MEANING)


def test_nothing_is_defined_that_does_not_exist() -> None:
    names = {op.name for dialect in (Ownership, CudaTile) for op in dialect.operations}
    assert DEFINED | set(WITHOUT_MEANING) <= names


def test_every_definition_is_tried() -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("*.py"))
    words = set(re.findall(r"[a-z0-9_]+", text))
    assert {name for name in (*PURE, *EFFECTS) if name.partition(".")[2] not in words} == set()


def test_nothing_is_defined_twice() -> None:
    assert not set(PURE) & set(EFFECTS)
    assert not (CONTAINERS | TERMINATORS) & (set(PURE) | set(EFFECTS))


def test_elements_have_the_bits_that_the_dialect_says() -> None:
    assert {e.name: e.bits for e in ELEMENTS if not e.is_pointer} == ELEMENT_BITS
    assert all(8 * e.dtype.itemsize >= e.bits for e in ELEMENTS)
