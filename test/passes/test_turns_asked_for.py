"""
An output that is stored in a loop alone: a launch is told to be asked for a turn where that is all that lacks, and the
places where turns end in front of the store are shown.
"""

from __future__ import annotations

import re
from itertools import count
from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Rejected

_NUMBERS = count()
HEAD = (
    'import freehold as fh\nfrom freehold import Out, Ref\n\n\ndef kernel(y: Out["N"], x: Ref["N"], n: int, m: int):\n'
)
STORE = "y.store(x.load_like(y))"

ENOUGH = {
    "a loop": f"for k in range(n):\n    {STORE}",
    "left behind the store": f"for k in range(n):\n    {STORE}\n    if x.load_like(y).sum() > m:\n        break",
    "ended behind the store": f"for k in range(n):\n    {STORE}\n    if k == m:\n        continue\n    t = k",
    "left in front of it in a later turn": f"for k in range(n):\n    if k == 3:\n        break\n    {STORE}",
    "a while": f"k = 0\nwhile k < n:\n    k += 1\n    {STORE}",
    "a loop that has turns around it": f"for j in range(2):\n    for k in range(n):\n        {STORE}",
    "a loop in front of it that is left": (
        f"for j in range(n):\n    for k in range(3):\n        if k == m:\n            break\n    {STORE}"
    ),
    "in a branch of the first turn": (
        f"for k in range(n):\n    if k < 1:\n        {STORE}\n    if k == m:\n        break"
    ),
}
NOT_ENOUGH = {
    "a turn that ends in front of it": (f"for k in range(n):\n    if k == m:\n        continue\n    {STORE}", 1),
    "left in front of it": (f"for k in range(n):\n    if x.load_like(y).sum() > m:\n        break\n    {STORE}", 1),
    "ended and left": (
        f"for k in range(n):\n    if k == m:\n        continue\n    if k > m:\n        break\n    {STORE}", 2
    ),
    "in a branch": (f"for k in range(n):\n    if x.load_like(y).sum() > m:\n        {STORE}", 0),
    "in a branch of a loop that is left": (
        f"for k in range(n):\n    if x.load_like(y).sum() > m:\n        {STORE}\n        break", 0
    ),
    "in a branch of a loop around it": (
        f"for j in range(n):\n    if j == m:\n        for k in range(2):\n            {STORE}", 0
    ),
    "two loops": (f"for j in range(n):\n    for k in range(m):\n        {STORE}", 0),
    "an inner loop that is left": (
        f"for j in range(n):\n    for k in range(3):\n        if k == m:\n            break\n        {STORE}", 1
    ),
}  # fmt: skip


def launched(body: str) -> str:
    """What is said of a kernel; nothing, where it is accepted."""
    text = HEAD + "".join(f"    {line}\n" for line in body.splitlines())
    file = f"<turns {next(_NUMBERS)}>"
    fh.register_source(file, text)
    names: dict[str, Any] = {}
    exec(compile(text, file, "exec"), names)
    y, x = np.zeros(40, np.float32), np.ones(40, np.float32)
    try:
        fh.kernel(names["kernel"])(fh.partition(y, 16), x, 2, 5).sync()
    except Rejected as rejected:
        return str(rejected)
    assert (y == 1).all()
    return ""


@pytest.mark.parametrize("name", ENOUGH)
def test_what_a_launch_is_told_to_be_asked_for_is_enough(name: str) -> None:
    said = launched(ENOUGH[name])
    (asked,) = re.findall(r"ask the launch for a turn: `(.*)`", said)
    assert not launched(f"{asked}\n{ENOUGH[name]}")
    assert not launched(f"y.store(fh.ones(y.tile))\n{ENOUGH[name]}")


@pytest.mark.parametrize("name", NOT_ENOUGH)
def test_what_is_not_enough_is_not_told(name: str) -> None:
    body, ends = NOT_ENOUGH[name]
    said = launched(body)
    assert said.startswith("error[O108]")
    assert "ask the launch" not in said
    assert launched(f'fh.require("0 < n")\n{body}')
    assert said.count("here a turn ends in front of the store") == ends
    assert not launched(f"y.store(fh.ones(y.tile))\n{body}")
