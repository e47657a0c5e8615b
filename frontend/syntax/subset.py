"""
Which Python a kernel may be written in. Everything else is an error by name, with a way out.

The check is of syntax alone and covers all of a function, also what a static `if` leaves out.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Final, cast

from freehold.frontend import errors
from freehold.frontend.syntax.match import is_supported
from freehold.support.diagnostic import Error
from freehold.support.span import Span

SUPPORTED: Final[frozenset[type[ast.AST]]] = frozenset(
    (
        # statements
        ast.FunctionDef,
        ast.Return,
        ast.Assign,
        ast.AnnAssign,
        ast.AugAssign,
        ast.For,
        ast.While,
        ast.If,
        ast.Match,
        ast.With,
        ast.Assert,
        ast.Raise,
        ast.Expr,
        ast.Pass,
        ast.Break,
        ast.Continue,
        # expressions
        ast.BoolOp,
        ast.BinOp,
        ast.UnaryOp,
        ast.Lambda,
        ast.IfExp,
        ast.Compare,
        ast.Call,
        ast.Constant,
        ast.Attribute,
        ast.Subscript,
        ast.Name,
        ast.Tuple,
        ast.Slice,
        ast.Starred,
        ast.JoinedStr,
        ast.FormattedValue,
        ast.GeneratorExp,
    )
)
"""Statements and expressions with a meaning in kernels."""

_PLAIN: Final[frozenset[type[ast.AST]]] = SUPPORTED - {
    ast.FunctionDef,
    ast.For,
    ast.While,
    ast.Match,
    ast.With,
    ast.Call,
    ast.GeneratorExp,
    ast.Raise,
}
"""Those that are supported in every form."""

REFUSED: Final[dict[type[ast.AST], tuple[str, str, str]]] = {
    ast.AsyncFunctionDef: ("`async def`", "a kernel runs to its end without waiting", "write `def`"),
    ast.ClassDef: ("a class", "kernels make no objects", "define the class outside the kernel, and use its constants"),
    ast.Delete: ("`del`", "variables end with the kernel", "leave it out"),
    ast.AsyncFor: ("`async for`", "a kernel runs to its end without waiting", "write `for`"),
    ast.AsyncWith: ("`async with`", "kernels have no contexts to enter", "write its body alone"),
    ast.Try: ("`try`", "a GPU raises no exceptions", "write its body alone"),
    ast.TryStar: ("`try`", "a GPU raises no exceptions", "write its body alone"),
    ast.Import: ("`import`", "modules are loaded by the host", "move the import to the top of the file"),
    ast.ImportFrom: ("`import`", "modules are loaded by the host", "move the import to the top of the file"),
    ast.Global: ("`global`", "a kernel changes no variables of the host", "store the result in an `Out` parameter"),
    ast.Nonlocal: ("`nonlocal`", "a function changes its own variables only", "return the value and assign it"),
    ast.Match: (
        "a pattern of this `match`",
        "patterns for dictionaries, and alternatives within a pattern that capture, have no meaning in a kernel",
        "write `if` and `elif`",
    ),
    ast.NamedExpr: ("`:=`", "an assignment is a statement of its own", "assign on a line before"),
    ast.Dict: (
        "a dictionary",
        "dictionaries can change, and a kernel's values cannot",
        "use variables of their own, or a frozen dataclass",
    ),
    ast.Set: ("a set", "sets can change, and a kernel's values cannot", "use a tuple: `(a, b)`"),
    ast.List: ("a list", "lists can grow, and a kernel's values cannot", "use a tuple: `(a, b)`"),
    ast.ListComp: ("a list comprehension", "lists can grow, and a kernel's values cannot", "make a tuple of it"),
    ast.SetComp: ("a set comprehension", "sets can change, and a kernel's values cannot", "make a tuple of it"),
    ast.DictComp: (
        "a dictionary comprehension",
        "dictionaries can change, and a kernel's values cannot",
        "make tuples of its keys and of its values",
    ),
    ast.Await: ("`await`", "a kernel runs to its end without waiting", "leave it out"),
    ast.Yield: ("`yield`", "a kernel runs to its end without waiting", "return the values as a tuple"),
    ast.YieldFrom: ("`yield from`", "a kernel runs to its end without waiting", "return the values as a tuple"),
}
for _name, _reason in (
    ("TypeAlias", ("`type`", "kernels make no types", "define it outside the kernel")),
    ("TemplateStr", ("a t-string", "there is no text on a GPU", 'print an f-string: `fh.print(f"...")`')),
):
    if hasattr(ast, _name):  # from a later Python
        REFUSED[getattr(ast, _name)] = _reason
"""By node: its name, why it is refused, what to write instead."""


def check(tree: ast.FunctionDef | ast.Lambda, span: Callable[[ast.AST], Span]) -> list[Error]:
    """All uses of unsupported syntax in a function. `span` gives the place of a node."""
    found: list[Error] = []

    def refuse(node: ast.AST, what: str, why: str, instead: str) -> None:
        error = errors.Unsupported(_beginning(span(node), node), what=what, why=why)
        found.append(error.add(error.Instead(instead)))

    taken: set[int] = set()
    """Arguments of calls; a call comes before them."""
    for node in _nodes(tree):
        if _is_refused(node):
            what, why, instead = REFUSED[type(node)]
            refuse(node, what, why, _as_tuple(node) or instead)
        elif isinstance(node, ast.GeneratorExp) and id(node) not in taken:
            why = "it would run later"
            refuse(node, "a generator expression with a name", why, f"make a tuple of it: `tuple{_short(node)}`")
        elif isinstance(node, ast.comprehension) and node.is_async:
            refuse(node.iter, "`async for`", "a kernel runs to its end without waiting", "write `for`")
        elif isinstance(node, ast.With) and not is_unsafe(node):
            refuse(node, "`with`", "kernels have no contexts to enter", "write its body alone")
        elif isinstance(node, ast.For | ast.While) and node.orelse:
            what = f"`else` after a `{'for' if isinstance(node, ast.For) else 'while'}`"
            edit = "set a variable before each `break`, and test it after the loop with `if`"
            refuse(node.orelse[0], what, "it runs where no `break` did", edit)
        elif isinstance(node, ast.FunctionDef):
            _check_function(node, refuse)
        elif isinstance(node, ast.Call):
            taken.update(map(id, node.args))
            for keyword in node.keywords:
                if keyword.arg is None:
                    refuse(keyword, "`**` in a call", "keywords are written out", "write `name=value`")
        elif isinstance(node, ast.stmt | ast.expr) and type(node) not in SUPPORTED and type(node) not in REFUSED:
            refuse(node, f"`{type(node).__name__}`", "it has no meaning in a kernel", "leave it out")
    return found


def _check_function(node: ast.FunctionDef, refuse: Callable[[ast.AST, str, str, str], None]) -> None:
    """Refuses what a function that is defined in a kernel cannot have."""
    if node.decorator_list:
        refuse(
            node.decorator_list[0],
            "a decorator",
            "a function in a kernel is inlined as it is",
            "call what it would do: `decorate(function)(...)` has no meaning here",
        )
    if (rest := node.args.vararg or node.args.kwarg) is not None:
        why = "the parameters of a function in a kernel are fixed"
        refuse(rest, "`*args` or `**kwargs`", why, "write the parameters out")


def _is_refused(node: ast.AST) -> bool:
    """Whether a node is refused as a whole, with all that is in it."""
    if type(node) not in REFUSED:
        return False
    match node:
        case ast.Match():
            return not all(is_supported(case.pattern) for case in node.cases)
        case ast.List(ctx=ast.Store()):  # `[a, b] = c`
            return False
        case _:
            return True


def is_unsafe(node: ast.With) -> bool:
    """Whether a `with` may be an `unsafe` block, by its looks."""
    call = node.items[0].context_expr
    function = call.func if isinstance(call, ast.Call) else None
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", None)
    return name == "unsafe" and len(node.items) == 1 and node.items[0].optional_vars is None


def _short(node: ast.expr) -> str:
    """The text of an expression, or as much of it as a line holds."""
    text = ast.unparse(node)
    return text if len(text) <= 72 else f"{text[:1]}...{text[-1:]}"


def _as_tuple(node: ast.AST) -> str | None:
    """The edit that makes a tuple of a list or set, with the user's values."""
    match node:
        case ast.List(elts=items) | ast.Set(elts=items):
            inside = _short(node)[1:-1]
            return f"use a tuple: `({inside}{',' * (len(items) == 1)})`"
        case ast.ListComp() | ast.SetComp():
            return f"make a tuple of it: `tuple({_short(node)[1:-1]})`"
        case _:
            return None


def _beginning(span: Span, node: ast.AST) -> Span:
    """Of a statement with a body, its first word; all of anything else."""
    word = _WORDS.get(type(node))
    if word is None:
        return span
    return replace(span, end_line=span.line, end=span.start + len(word))


_WORDS: Final[dict[type[ast.AST], str]] = {
    ast.AsyncFunctionDef: "async def",
    ast.ClassDef: "class",
    ast.AsyncFor: "async for",
    ast.With: "with",
    ast.AsyncWith: "async with",
    ast.Try: "try",
    ast.TryStar: "try",
    ast.Match: "match",
}


def _nodes(tree: ast.FunctionDef | ast.Lambda) -> Iterator[ast.AST]:
    """The statements and expressions of a function that are part of the kernel, neither decorators nor annotations, but
    for those that are supported in every form."""
    waiting: list[ast.AST] = list(tree.body) if isinstance(tree, ast.FunctionDef) else [tree.body]
    while waiting:
        node = waiting.pop()
        if type(node) in _PLAIN:
            waiting += _children(node)
            continue
        yield node
        if _is_refused(node) or (isinstance(node, ast.With) and not is_unsafe(node)):
            continue  # one error is enough
        if isinstance(node, ast.Raise):  # what it raises is the host's: it is looked at where it is reached
            continue
        if isinstance(node, ast.FunctionDef):
            waiting += [*node.body, *node.args.defaults, *filter(None, node.args.kw_defaults)]
        else:
            waiting += _children(node)


def _children(node: ast.AST) -> list[ast.AST]:
    """The nodes directly below `node`; neither operators, nor contexts, nor annotations."""
    found: list[ast.AST] = []
    for name in _parts(type(node)):
        value = getattr(node, name, None)
        if type(value) is list:
            found += [item for item in cast("list[object]", value) if isinstance(item, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)
    return found


@cache
def _parts(kind: type[ast.AST]) -> tuple[str, ...]:
    """The fields of a kind of node that may hold nodes."""
    if kind is ast.Constant:
        return ()
    return tuple(name for name in kind._fields if name not in _LEAVES)


_LEAVES: Final = frozenset(("ctx", "op", "ops", "id", "attr", "arg", "name", "type_comment", "kind", "annotation"))
"""Fields that hold text, operators, contexts or annotations."""
