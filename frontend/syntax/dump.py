"""Core as text: much like Python, for tests and for those who want to see what their function has become."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from freehold.frontend.syntax import core
from freehold.frontend.syntax.core import Expr, Stmt, Target


def dump(function: core.Function) -> str:
    """A function as text."""
    return "\n".join(_function(function)) + "\n"


def _function(f: core.Function) -> Iterator[str]:
    yield f"def {f.name}({_parameters(f)}):"
    yield from _body(f.body)


def _parameters(f: core.Function) -> str:
    shown: list[str] = []
    for p in f.parameters:
        if p.by_name and "*" not in shown:
            shown.append("*")
        shown.append(p.name if p.default is None else f"{p.name}={expr(p.default)}")
    return ", ".join(shown)


def _body(nodes: Iterable[Stmt]) -> Iterator[str]:
    lines = [line for node in nodes for line in _statement(node)]
    yield from (f"    {line}" for line in lines or ["pass"])


def _statement(node: Stmt) -> Iterator[str]:
    match node:
        case core.Assign():
            yield " = ".join([*map(_target, node.targets), expr(node.value)])
        case core.If():
            yield f"if {expr(node.test)}:"
            yield from _body(node.body)
            if node.orelse:
                yield "else:"
                yield from _body(node.orelse)
        case core.For():
            yield f"for {_target(node.target)} in {expr(node.iter)}:"
            yield from _body(node.body)
        case core.While():
            yield f"while {expr(node.test)}:"
            yield from _body(node.body)
        case core.With():
            yield f"with {expr(node.context)}:"
            yield from _body(node.body)
        case core.Define():
            yield from _function(node.function)
        case _:
            yield _simple(node)


def _simple(node: Stmt) -> str:
    match node:
        case core.Assert():
            return f"assert {expr(node.test)}" + ("" if node.message is None else f", {expr(node.message)}")
        case core.Raise():
            return "raise" if node.message is None else f"raise {expr(node.message)}"
        case core.Evaluate():
            return expr(node.value)
        case core.Return():
            return "return" if node.value is None else f"return {expr(node.value)}"
        case core.RefusedStatement():
            return f"refused {', '.join(node.names)}".strip()
        case _:
            return type(node).__name__.lower()


def _target(node: Target) -> str:
    if isinstance(node, core.Unpack):
        items = [("*" if i == node.star else "") + _target(t) for i, t in enumerate(node.targets)]
        return f"({', '.join(items)}{',' * (len(items) == 1)})"
    return expr(node)


def expr(node: Expr | None) -> str:
    """An expression as text; what is nested stands in brackets."""
    match node:
        case None:
            return ""
        case core.Name():
            return node.id
        case core.Constant():
            return repr(node.value)
        case core.Starred():
            return f"*{expr(node.value)}"
        case core.Tuple():
            return f"({', '.join(map(expr, node.elts))}{',' * (len(node.elts) == 1)})"
        case core.Attribute():
            return f"{expr(node.value)}.{node.attr}"
        case core.Subscript():
            return f"{expr(node.value)}[{expr(node.slice)}]"
        case core.Slice():
            return f"{expr(node.lower)}:{expr(node.upper)}" + ("" if node.step is None else f":{expr(node.step)}")
        case core.Call():
            given = [*map(expr, node.args), *(f"{k.arg}={expr(k.value)}" for k in node.keywords)]
            return f"{expr(node.func)}({', '.join(given)})"
        case core.Text():
            return f"text({', '.join(map(_part, node.parts))})"
        case core.Anything() | core.Refused():
            return type(node).__name__.lower()
        case _:
            return f"({_operation(node)})"


def _operation(node: Expr) -> str:
    match node:
        case core.UnaryOp():
            return f"{node.op} {expr(node.operand)}" if node.op == "not" else f"{node.op}{expr(node.operand)}"
        case core.BinOp() | core.Compare():
            return f"{expr(node.left)} {node.op} {expr(node.right)}"
        case core.BoolOp():
            return f" {node.op} ".join(map(expr, node.values))
        case core.IfExp():
            return f"{expr(node.body)} if {expr(node.test)} else {expr(node.orelse)}"
        case core.Let():
            return f"{node.id} := {expr(node.value)}"
        case core.Each():
            return f"each {_target(node.target)} in {expr(node.iter)}: {expr(node.body)}"
        case core.Only():
            return f"only if {expr(node.test)}: {expr(node.body)}"
        case core.Fits():
            shape = f"{node.count}{'+' * node.more} items" if node.kind is None else expr(node.kind)
            return f"{expr(node.subject)} fits {shape}"
        case core.Positional():
            return f"{expr(node.subject)} as {expr(node.kind)} at {node.index}"
        case core.Lambda():
            return f"lambda {_parameters(node.function)}: {expr(node.function.value)}"
        case _:
            raise AssertionError(f"a {type(node).__name__} that is not shown")


def _part(part: str | core.Field) -> str:
    if isinstance(part, str):
        return repr(part)
    conversion = f"!{part.conversion}" if part.conversion else ""
    return f"{{{expr(part.value)}{conversion}{'' if part.format is None else ':' + expr(part.format)}}}"
