"""The first floor of the frontend: Python's syntax as a small tree of our own, without what is only spelling."""

from __future__ import annotations

import ast

from freehold.frontend.syntax.core import Function
from freehold.frontend.syntax.early_exits import without_returns
from freehold.frontend.syntax.read import read


def core_of(tree: ast.FunctionDef | ast.Lambda) -> Function:
    """A function as core: what it says, once what is only spelling is gone."""
    function = read(tree)
    without_returns(function)
    return function
