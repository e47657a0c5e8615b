"""Where a debugger may stop: statements of the user's, with the names that can be seen there."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntAttr, StringAttr, UnitAttr
from xdsl.ir import SSAValue
from xdsl.irdl import ParsePropInAttrDict, irdl_op_definition, opt_prop_def, prop_def, traits_def, var_operand_def
from xdsl.utils.exceptions import VerifyException

from freehold.dialects.ownership.format import FormattedOp
from freehold.dialects.ownership.ops.common import OwnershipEffect

CONSTRUCTORS: Final = frozenset(("dtype", "float", "host", "range", "record", "tensor"))
"""What may be called where a name's value is written."""


@dataclass(frozen=True, slots=True)
class Scope:
    """A function that is being run, and its names."""

    function: str
    module: str
    """Of the function: the host's names that it sees are there."""
    first_line: int
    """Where its text begins."""
    names: tuple[tuple[str, str], ...]
    """Each name with its value, as it would be written."""


@irdl_op_definition
class BreakpointOp(FormattedOp):
    """A place where a debugger may stop, before a statement: on the interpreter alone, and of no effect elsewhere.

    `ownership.breakpoint %x, %i : ... {asked, ...}`. `asked` is there if the statement is `breakpoint()`; others are
    for single steps. `scopes` are the functions that are being run, the innermost first: `function`, `module`, the line
    at which it `begins`, and `names`, texts such as `acc = _0`, `pair = (_1, 4)`. In these, `_n` stands for the n-th
    operand, and what is no literal is written as a call:

    - `dtype("f32")`; `float("nan")`; `range(0, 8, 2)`;
    - `host("module", "Color.RED")`, what the host knows by that name;
    - `record("module", "State", (_1, 0))`, an object of a class by its fields;
    - `tensor(_2, (_3, _4), (64, 64))`, a tensor with the point's place in it and the shape of a region, both `()` where
      it has none.

    `dtypes` says the dtype of each operand, with its sign.
    """

    name = "ownership.breakpoint"

    values = var_operand_def()
    dtypes = prop_def(ArrayAttr[StringAttr])
    scopes = prop_def(ArrayAttr[DictionaryAttr])
    asked = opt_prop_def(UnitAttr)

    FORMAT: ClassVar[str] = "($values^ `:` type($values))? attr-dict"
    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(OwnershipEffect())

    def __init__(self, values: Sequence[SSAValue], dtypes: Sequence[str], scopes: Sequence[Scope], *, asked: bool):
        written = [
            DictionaryAttr(
                {
                    "begins": IntAttr(scope.first_line),
                    "function": StringAttr(scope.function),
                    "module": StringAttr(scope.module),
                    "names": ArrayAttr([StringAttr(f"{name} = {value}") for name, value in scope.names]),
                }
            )
            for scope in scopes
        ]
        super().__init__(
            operands=[values],
            properties={
                "dtypes": ArrayAttr([StringAttr(dtype) for dtype in dtypes]),
                "scopes": ArrayAttr(written),
                "asked": UnitAttr() if asked else None,
            },
        )

    def read(self) -> list[Scope]:
        """The scopes. Raises `ValueError` where they are not as they should be."""
        found: list[Scope] = []
        for scope in self.scopes:
            match scope.data:
                case {
                    "begins": IntAttr(data=line),
                    "function": StringAttr(data=function),
                    "module": StringAttr(data=module),
                    "names": ArrayAttr(data=names),
                }:
                    pairs = [tuple(n.data.split(" = ", 1)) for n in names if isinstance(n, StringAttr)]
                    found.append(Scope(function, module, line, tuple((p[0], p[-1]) for p in pairs)))
                case _:
                    raise ValueError("a scope has a function, a module, the line where it begins, and names")
        return found

    def verify_(self) -> None:
        if len(self.dtypes) != len(self.values):
            raise VerifyException(f"{self.name}: {len(self.values)} values and {len(self.dtypes)} dtypes")
        try:
            scopes = self.read()
        except ValueError as e:
            raise VerifyException(f"{self.name}: {e}") from e
        if not scopes:
            raise VerifyException(f"{self.name}: no function is being run")
        for scope in scopes:
            for name, value in scope.names:
                if not name.isidentifier() or not _is_written(value, len(self.values)):
                    raise VerifyException(f"{self.name}: `{name} = {value}` is no name with a value")


def _is_written(text: str, count: int) -> bool:
    """Whether a text is a value, as the operation's docstring says."""
    try:
        node = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return False
    return _is_value(node, count)


def _is_value(node: ast.expr, count: int) -> bool:
    match node:
        case ast.Constant():
            return True
        case ast.Name(id=name):
            return name[:1] == "_" and name[1:].isdecimal() and int(name[1:]) < count
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant()):
            return True
        case ast.Tuple(elts=items):
            return all(_is_value(item, count) for item in items)
        case ast.Call(func=ast.Name(id=kind), args=items, keywords=[]):
            return kind in CONSTRUCTORS and all(_is_value(item, count) for item in items)
        case _:
            return False
