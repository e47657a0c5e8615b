"""What versions lack, as it is told: each thing once with the places of its uses, or the version that has it."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import i32

from freehold.backend.bytecode.missing import Missing, TooLow
from freehold.backend.errors.bytecode import NotInVersion
from freehold.dialects.cuda_tile import ConstantOp
from freehold.dialects.cuda_tile.version import V13_1, V13_3, V13_4, V13_5
from freehold.dialects.location import location_of
from freehold.support.span import Span


def on(line: int | None) -> ConstantOp:
    op = ConstantOp.scalar(1, i32)
    if line is not None:
        op.location = location_of(place(line))
    return op


def place(line: int) -> Span:
    return Span.on_line("k.py", line, 0, 1)


def told(*uses: tuple[ConstantOp, str]) -> Missing:
    missing = Missing(V13_1, False)
    for op, what in uses:
        missing.op = op
        missing(what, V13_4 if what == "`b`" else V13_3)
    return missing


def test_whoever_wants_the_lowest_version_is_told_at_once():
    with pytest.raises(TooLow) as caught:
        Missing(V13_1, True)("`a`", V13_3)
    assert caught.value.needs == V13_3


def test_nothing_lacks():
    missing = Missing(V13_1, False)
    assert (missing.errors(), missing.uses, missing.only_kernel) == ([], 0, None)


@pytest.mark.parametrize("count", [1, 2, 5, 6, 7])
def test_each_is_said_once_with_its_places(count: int):
    """The first is the error's own, four more are shown, and of the others how many there are."""
    (error,) = told(*((on(line), "`a`") for line in range(1, count + 1))).errors()
    expected = NotInVersion(place(1), "`a`", "13.3", "13.1", "13.3")
    expected.add(*(expected.Also(place(line), "13.3") for line in range(2, min(count, 5) + 1)))
    if count > 5:
        expected.add(expected.More(count - 5))
    assert error == expected


def test_uses_of_one_operation_are_one_place():
    op, other = on(1), on(1)
    missing = told((op, "`a`"), (op, "`a`"), (op, "`b`"), (op, "`a`"), (other, "`a`"), (on(2), "`a`"), (on(2), "`a`"))
    assert missing.uses == 7
    first, second = missing.errors()
    expected = NotInVersion(place(1), "`a`", "13.3", "13.1", "13.4")
    assert first == expected.add(expected.Also(place(2), "13.3"))
    assert second == NotInVersion(place(1), "`b`", "13.4", "13.1", "13.4")


def test_an_operation_without_a_place_is_named():
    (error,) = told((on(None), "`a`"), (on(None), "`a`"), (on(3), "`a`")).errors()
    expected = NotInVersion(None, "`a`", "13.3", "13.1", "13.3")
    assert error == expected.add(expected.Used("constant"), expected.Also(place(3), "13.3"))
    (error,) = told((on(None), "operation `constant`")).errors()
    assert error == NotInVersion(None, "operation `constant`", "13.3", "13.1", "13.3")


def test_the_kernel_is_named_where_there_is_one():
    missing = Missing(V13_1, False)
    missing.op = on(1)
    for kernel, only in (("k", "k"), ("k", "k"), ("l", None), (None, None)):
        missing.kernel = kernel
        missing("`a`", V13_5)
        assert missing.only_kernel == only
