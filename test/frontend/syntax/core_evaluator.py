"""What core means, on Python's own values: what its tests compare with Python itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from freehold.frontend.syntax import core, liveness

_SYMBOLS: Final = (
    *("+", "-", "*", "/", "//", "%", "**", "<<", ">>", "&", "|", "^", "@"),
    *("<", "<=", ">", ">=", "==", "!=", "is", "is not", "in", "not in"),
)
_BINARY: Final[dict[str, Callable[[Any, Any], Any]]] = {s: eval(f"lambda a, b: a {s} b") for s in _SYMBOLS}
_UNARY: Final[dict[str, Callable[[Any], Any]]] = {s: eval(f"lambda a: {s} a") for s in ("-", "+", "~", "not")}


class _Left(Exception):
    """A loop, or a turn of it, is left."""


class _Break(_Left):
    pass


class _Continue(_Left):
    pass


class _Anything:
    """What must not be read."""


ANYTHING: Final = _Anything()


def function(f: core.Function, host: Mapping[str, Any], *, unrolled: bool = False) -> Callable[..., Any]:
    """A function that does what core says, the turns of `for` written out where `unrolled`; `host` are the names that
    are no variables."""
    return (_Unrolled if unrolled else _Evaluator)(dict(host)).function(f)


class _Evaluator:
    """One call of one function; `outer` are the variables around it."""

    def __init__(self, *outer: dict[str, Any]):
        self.variables: dict[str, Any] = {}
        self.scopes = (self.variables, *outer)
        self.facts: liveness.Facts | None = None

    def function(self, f: core.Function) -> Callable[..., Any]:
        defaults = {p.name: self.expr(p.default) for p in f.parameters if p.default is not None}
        names = [p.name for p in f.parameters if not p.by_name]

        def called(*args: Any, **kwargs: Any) -> Any:
            inner = type(self)(*self.scopes)
            inner.facts = liveness.facts(f)
            inner.variables.update(defaults | dict(zip(names, args, strict=False)) | kwargs)
            if f.value is not None:
                return inner.expr(f.value)
            inner.body(f.body)
            return inner.variables.get(core.RESULT)

        return called

    # --- Statements --------------------------------------------------------------------------------------------------

    def body(self, nodes: core.Body) -> None:
        for node in nodes:
            self.statement(node)

    def statement(self, node: core.Stmt) -> None:
        match node:
            case core.Assign():
                for target in node.targets:
                    self.assign(target, ANYTHING if isinstance(node.value, core.Anything) else self.expr(node.value))
            case core.If():
                self.body(node.body if self.expr(node.test) else node.orelse)
            case core.For():
                self.loop(node)
            case core.While():
                while self.expr(node.test) and self.turn(node.body):
                    pass
            case core.Break():
                raise _Break
            case core.Continue():
                raise _Continue
            case core.Evaluate():
                self.expr(node.value)
            case core.Define():
                self.variables[node.function.name] = self.function(node.function)
            case core.Pass():
                pass
            case _:
                raise AssertionError(type(node).__name__)

    def loop(self, node: core.For) -> None:
        for item in self.expr(node.iter):
            self.assign(node.target, item)
            if not self.turn(node.body):
                break

    def turn(self, body: core.Body) -> bool:
        """Whether the loop goes on."""
        try:
            self.body(body)
        except _Continue:
            return True
        except _Break:
            return False
        return True

    def assign(self, target: core.Target, value: Any) -> None:
        match target:
            case core.Name():
                self.variables[target.id] = value
            case core.Unpack(targets=targets, star=None):
                for inner, item in zip(targets, value, strict=True):
                    self.assign(inner, item)
            case core.Unpack(targets=targets, star=int(star)):
                items = tuple(value)
                behind = len(targets) - star - 1
                middle = items[star : len(items) - behind]
                for inner, item in zip(targets, (*items[:star], middle, *items[len(items) - behind :]), strict=True):
                    self.assign(inner, item)
            case _:
                raise AssertionError(type(target).__name__)

    # --- Expressions -------------------------------------------------------------------------------------------------

    def expr(self, node: core.Expr) -> Any:
        match node:
            case core.Name():
                return self.read(node.id)
            case core.Constant():
                return node.value
            case core.Tuple():
                return self.items(node.elts)
            case core.Attribute():
                return getattr(self.expr(node.value), node.attr)
            case core.Subscript():
                return self.expr(node.value)[self.expr(node.slice)]
            case core.Slice():
                return slice(*(None if n is None else self.expr(n) for n in (node.lower, node.upper, node.step)))
            case core.UnaryOp():
                return _UNARY[node.op](self.expr(node.operand))
            case core.BinOp() | core.Compare():
                left = self.expr(node.left)
                return _BINARY[node.op](left, self.expr(node.right))
            case core.Call():
                called = self.expr(node.func)
                return called(*self.items(node.args), **{k.arg: self.expr(k.value) for k in node.keywords})
            case core.Lambda():
                return self.function(node.function)
            case core.Text():
                return "".join(p if isinstance(p, str) else self.field(p) for p in node.parts)
            case core.Fits():
                subject = self.expr(node.subject)
                if node.kind is not None:
                    return isinstance(subject, self.expr(node.kind))
                count: int = subject.__len__() if type(subject) is tuple else -1
                return count >= node.count if node.more else count == node.count
            case core.Positional():
                subject, kind = self.expr(node.subject), self.expr(node.kind)
                return subject if kind in (int, str, tuple) else getattr(subject, kind.__match_args__[node.index])
            case _:
                return self.choice(node)

    def choice(self, node: core.Expr) -> Any:
        match node:
            case core.BoolOp():
                value: Any = None
                for operand in node.values:
                    value = self.expr(operand)
                    if bool(value) is (node.op == "or"):
                        break
                return value
            case core.IfExp():
                return self.expr(node.body if self.expr(node.test) else node.orelse)
            case core.Let():
                value = self.variables[node.id] = self.expr(node.value)
                return value
            case core.Each():
                outer, found = dict(self.variables), ()
                for item in self.expr(node.iter):
                    self.assign(node.target, item)
                    found += self.expr(node.body)
                self.variables.clear()
                self.variables.update(outer)
                return found
            case core.Only():
                return self.expr(node.body) if self.expr(node.test) else ()
            case _:
                raise AssertionError(type(node).__name__)

    def read(self, name: str) -> Any:
        for scope in self.scopes:
            if name in scope:
                assert scope[name] is not ANYTHING, f"`{name}` is read where it is anything"
                return scope[name]
        raise NameError(name)

    def items(self, nodes: list[core.Expr]) -> tuple[Any, ...]:
        found: list[Any] = []
        for node in nodes:
            if isinstance(node, core.Starred):
                found += self.expr(node.value)
            else:
                found.append(self.expr(node))
        return tuple(found)

    def field(self, node: core.Field) -> str:
        value = self.expr(node.value)
        if node.conversion:
            value = {"r": repr, "s": str, "a": ascii}[node.conversion](value)
        return format(value, "" if node.format is None else self.expr(node.format))


class _Unrolled(_Evaluator):
    """Where turns are written out: a loop is left by a flag."""

    def loop(self, node: core.For) -> None:
        assert self.facts is not None
        turn = self.facts.turn(node)
        self.variables[turn.left] = False
        for item in self.expr(node.iter):
            self.variables[turn.item] = item
            self.body(turn.body)
