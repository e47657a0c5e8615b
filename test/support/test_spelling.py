"""Which names somebody may have meant: slips of the fingers, and what is none."""

from __future__ import annotations

import pytest

from freehold.support.spelling import nearest

NAMES = ("exp", "exp2", "log", "log1p", "sum", "maximum", "minimum", "broadcast_to", "where", "arange", "ab", "f16")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("maximun", "maximum"),
        ("maxmum", "maximum"),
        ("maxiimum", "maximum"),
        ("maxium", "maximum"),
        ("maixmum", "maximum"),
        ("mxaimum", "maximum"),
        ("amximum", "maximum"),
        ("maximmu", "maximum"),
        ("mamimum", "maximum"),
        ("mXximum", "maximum"),
        ("MAXIMUM", "maximum"),
        ("mnimun", None),
        ("nmximum", "maximum"),
        ("mimimum", "minimum"),
        ("broadcst_t", "broadcast_to"),
        ("broadct_", None),
        ("broadcast", None),
        ("whre", "where"),
        ("hwere", "where"),
        ("wrhee", None),
        ("wheree", "where"),
        ("wheres", "where"),
        ("wheress", "where"),
        ("were", "where"),
        ("wer", None),
        ("sun", "sum"),
        ("smu", "sum"),
        ("usm", "sum"),
        ("su", None),
        ("s", None),
        ("ab", "ab"),
        ("ac", None),
        ("exq", "exp"),
        ("exp10", None),
        ("exq2", "exp2"),
        ("log2p", None),
        ("logp1", "log1p"),
        ("lo1gp", "log1p"),
        ("wheresss", None),
        ("log1q", "log1p"),
        ("f32", None),
        ("f1", None),
        ("arrange", "arange"),
        ("aranges", "arange"),
        ("arangess", "arange"),
        ("arangesss", None),
        ("", None),
    ],
)
def test_what_was_meant(written: str, meant: str | None) -> None:
    assert nearest(written, NAMES) == meant


def test_of_two_that_are_as_near_none_was_meant() -> None:
    assert nearest("where", ("wheres", "wherea")) is None
    assert nearest("where", ("wheres", "wheres")) == "wheres"
    assert nearest("wheree", ("where", "wheress")) == "where"
    assert nearest("column", ("columns", "colms")) == "columns"
    assert nearest("columnss", ("column", "columns")) == "columns"
    assert nearest("anything", ()) is None
