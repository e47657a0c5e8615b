"""Classes of which `isinstance` asks no more than their bases.

xDSL's attributes and operations are abstract classes, and Python asks an abstract class whether somebody has registered
the instance's class with it: that takes as long as a call in Python, and compilers ask all the time. Nobody registers
anything with ours.
"""

from __future__ import annotations

from abc import ABCMeta
from typing import TYPE_CHECKING


class Plain(ABCMeta):
    """The metaclass of such classes, and of those derived from them."""

    if not TYPE_CHECKING:  # checkers believe that a class which answers by itself may answer anything
        __instancecheck__ = type.__instancecheck__
