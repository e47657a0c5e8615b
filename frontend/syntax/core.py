"""
The core: what a function of the user's says, without the ways there are to say it.

A node has the place of the text that it stands for. What Python spells in several ways is one node here: a chain of
comparisons is comparisons joined by `and`, `a += b` an assignment, `match` and `elif` are `if`s, and there is no
`return`: a function's value is what the variable `RESULT` holds at its end, and what follows a `return` stands in
the branches that do not take it. A name with a `$` is ours; no program can name it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Final, Literal, TypeAlias, cast

Place: TypeAlias = tuple[int, int, int, int]
"""Where a node's text begins and ends: line and column, as `ast` counts them (from 1, and in bytes from 0)."""

RESULT: Final = "result$"
"""The variable that holds what a function returns."""


def is_hidden(name: str) -> bool:
    """Whether a variable is one of ours."""
    return "$" in name


@dataclass(eq=False, slots=True)
class Node:
    """A part of a function."""

    place: Place


class Expr(Node):
    """What has a value."""

    __slots__ = ()


class Stmt(Node):
    """What is done."""

    __slots__ = ()


Body: TypeAlias = list[Stmt]


# --- Values ----------------------------------------------------------------------------------------------------------


@dataclass(eq=False, slots=True)
class Name(Expr):
    """A variable, or a name of the host."""

    id: str


@dataclass(eq=False, slots=True)
class Constant(Expr):
    """A literal."""

    value: object


class Anything(Expr):
    """What a variable of ours is before it is assigned: any value, since nothing reads it."""

    __slots__ = ()


class Refused(Expr):
    """An expression that has no meaning in a kernel."""

    __slots__ = ()


@dataclass(eq=False, slots=True)
class Starred(Expr):
    """`*value`, among the items of a tuple or the arguments of a call."""

    value: Expr


@dataclass(eq=False, slots=True)
class Tuple(Expr):
    """`(a, *b)`."""

    elts: list[Expr]


@dataclass(eq=False, slots=True)
class Attribute(Expr):
    """`value.attr`."""

    value: Expr
    attr: str


@dataclass(eq=False, slots=True)
class Slice(Expr):
    """`lower:upper:step`, in a subscript."""

    lower: Expr | None
    upper: Expr | None
    step: Expr | None


@dataclass(eq=False, slots=True)
class Subscript(Expr):
    """`value[slice]`."""

    value: Expr
    slice: Expr


@dataclass(eq=False, slots=True)
class UnaryOp(Expr):
    """`-a`, `+a`, `~a`, `not a`."""

    op: str
    operand: Expr


@dataclass(eq=False, slots=True)
class BinOp(Expr):
    """`left op right`; `augmented` where it was written as `left op= right`."""

    left: Expr
    op: str
    right: Expr
    augmented: bool = False


@dataclass(eq=False, slots=True)
class Compare(Expr):
    """`left op right`: one comparison."""

    left: Expr
    op: str
    right: Expr


@dataclass(eq=False, slots=True)
class BoolOp(Expr):
    """`a and b and ...`: what decides is not followed by anything that is computed; `chain` of comparisons."""

    op: Literal["and", "or"]
    values: list[Expr]
    chain: bool = False


@dataclass(eq=False, slots=True)
class IfExp(Expr):
    """`body if test else orelse`."""

    test: Expr
    body: Expr
    orelse: Expr


@dataclass(eq=False, slots=True)
class Let(Expr):
    """The value, which the rest of the expression calls `id`: what is computed once and used twice."""

    id: str
    value: Expr


@dataclass(eq=False, slots=True)
class Keyword(Node):
    """`arg=value`, in a call."""

    arg: str
    value: Expr


@dataclass(eq=False, slots=True)
class Call(Expr):
    """`func(args, keywords)`."""

    func: Expr
    args: list[Expr]
    keywords: list[Keyword]


@dataclass(eq=False, slots=True)
class Each(Expr):
    """The tuples that `body` is for the items of `iter`, one after the other as one tuple: a comprehension."""

    target: Target
    iter: Expr
    body: Expr


@dataclass(eq=False, slots=True)
class Only(Expr):
    """`body` where `test` holds, else no item: the condition of a comprehension."""

    test: Expr
    body: Expr


@dataclass(eq=False, slots=True)
class Field(Node):
    """`{value!conversion:format}`, in a text."""

    value: Expr
    conversion: Literal["", "r", "s", "a"]
    format: Text | None


@dataclass(eq=False, slots=True)
class Text(Expr):
    """An f-string."""

    parts: list[str | Field]


@dataclass(eq=False, slots=True)
class Fits(Expr):
    """Whether `subject` is of the class `kind`; without one, whether it is a tuple of `count` items, or of `count` and
    more where `more`."""

    subject: Expr
    kind: Expr | None
    count: int = 0
    more: bool = False


@dataclass(eq=False, slots=True)
class Positional(Expr):
    """What `kind(a, b)` takes `subject` apart into, at `index`."""

    subject: Expr
    kind: Expr
    index: int


@dataclass(eq=False, slots=True)
class Parameter(Node):
    """A parameter of a function that is defined in a kernel."""

    name: str
    default: Expr | None
    by_name: bool
    """Whether it is given by name only."""


@dataclass(eq=False, slots=True)
class Function(Node):
    """A function. A lambda has a `value` in place of a body."""

    name: str
    parameters: list[Parameter]
    body: Body
    end: Place
    """Where what it does last stands."""
    value: Expr | None = None
    inner: list[Function] = field(default_factory=list["Function"])
    """The functions that are defined in it, in any nesting."""


@dataclass(eq=False, slots=True)
class Lambda(Expr):
    """A function without a name."""

    function: Function


# --- Statements ------------------------------------------------------------------------------------------------------


@dataclass(eq=False, slots=True)
class Unpack(Node):
    """`a, *b, c`, as what is assigned to; `star` is the position of the one that takes the rest."""

    targets: list[Target]
    star: int | None


Target: TypeAlias = "Name | Unpack | Subscript | Attribute | Refused"
"""What is assigned to. Elements and attributes are refused, once it is known of what."""


@dataclass(eq=False, slots=True)
class Assign(Stmt):
    """`a = b = value`."""

    targets: list[Target]
    value: Expr


@dataclass(eq=False, slots=True)
class If(Stmt):
    """`if test`; `case` where it was one."""

    test: Expr
    body: Body
    orelse: Body
    case: bool = False


@dataclass(eq=False, slots=True)
class For(Stmt):
    """`for target in iter`."""

    target: Target
    iter: Expr
    body: Body


@dataclass(eq=False, slots=True)
class While(Stmt):
    """`while test`."""

    test: Expr
    body: Body


@dataclass(eq=False, slots=True)
class Break(Stmt):
    """The end of a loop; `returns` where it was a `return`."""

    returns: bool = False


@dataclass(eq=False, slots=True)
class Continue(Stmt):
    """The end of a turn; `asked` where it stands for one in a statement before it."""

    asked: bool = False


@dataclass(eq=False, slots=True)
class Return(Stmt):
    """The end of a function: only until `early_exits` has replaced it."""

    value: Expr | None


@dataclass(eq=False, slots=True)
class With(Stmt):
    """`with unsafe(reason)`. A `return` in it is refused."""

    context: Call
    body: Body
    returns: bool = False


@dataclass(eq=False, slots=True)
class Assert(Stmt):
    """`assert test, message`."""

    test: Expr
    message: Expr | None


@dataclass(eq=False, slots=True)
class Raise(Stmt):
    """`raise kind(message)`: the end of what is compiled, where it is reached. The `message`, if it is text."""

    message: Expr | None


@dataclass(eq=False, slots=True)
class Evaluate(Stmt):
    """An expression for its effect."""

    value: Expr


@dataclass(eq=False, slots=True)
class Define(Stmt):
    """A function defined in the kernel."""

    function: Function


class Pass(Stmt):
    """`pass`, and other statements that do nothing: a place to stop at."""

    __slots__ = ()


@dataclass(eq=False, slots=True)
class RefusedStatement(Stmt):
    """A statement that has no meaning in a kernel, and the names that it would have assigned."""

    names: list[str] = field(default_factory=list[str])


Loop: TypeAlias = For | While


# --- Walking ---------------------------------------------------------------------------------------------------------


def walk(*nodes: Node) -> list[Node]:
    """All nodes of some trees; those above come before those below."""
    found = list(nodes)
    for node in found:  # which grows on the way
        found += children(node)
    return found


def children(node: Node) -> list[Node]:
    """The nodes directly below `node`."""
    found: list[Node] = []
    for name in _parts(type(node)):
        value = getattr(node, name)
        if type(value) is list:
            found += [item for item in cast("list[object]", value) if isinstance(item, Node)]
        elif isinstance(value, Node):
            found.append(value)
    return found


_LEAVES: Final = frozenset(
    (
        *("place", "id", "attr", "arg", "op", "name", "names", "star", "augmented", "chain", "case", "returns"),
        *("asked", "by_name", "end", "inner", "count", "more", "index", "conversion"),
    )
)
"""Fields that hold no nodes."""


@cache
def _parts(kind: type[Node]) -> tuple[str, ...]:
    if kind is Constant:
        return ()
    return tuple(name for name in kind.__dataclass_fields__ if name not in _LEAVES)
