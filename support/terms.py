"""A small language of integer terms and predicates: what the prover proves and the launcher evaluates.

Terms are mathematical integers: nothing wraps. Whoever builds a term from 32-bit arithmetic owes a proof that the
arithmetic did not overflow (see passes/prover/). `//` and `%` are Python's (floor), their divisors are owed a
proof of being positive. Symbols are launch-uniform integers (extents, grid sizes) or per-block ones (coordinates,
loop counters); which is which is the business of whoever asks.

The printed form is Python, so that lit tests can read it and a launch contract can store it: `parse` reads it back.
Predicates are terms too (0 or 1), as in Python.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial, reduce
from keyword import iskeyword
from typing import Any, Final, TypeVar
from weakref import ref

from freehold.support.locks import mutex

Value = TypeVar("Value")

_set: Final = object.__setattr__


class _Table(dict[tuple[Any, ...], "ref[Term]"]):
    """
    Every term that somebody has, by what it is of.

    Those that nobody has any more are taken out together, when there are twice as many as were left the last time: to
    be told of each takes longer than what is done with most terms.
    """

    most = 1 << 12

    def sweep(self) -> None:
        """Takes out what nobody has."""
        for key in [key for key, held in self.items() if held() is None]:
            del self[key]
        self.most = max(2 * len(self), 1 << 12)


_TERMS: Final = _Table()
_CHANGING: Final = mutex()
"""Held by who changes the table. Who finds a term there needs no lock; who does not looks again with it."""


@dataclass(init=False, frozen=True, slots=True, eq=False, weakref_slot=True)
class Term:
    """
    `op` applied to `args`; `name` holds the symbol's name, `value` the constant's.

    Equal terms are one object as long as anybody has it, so that they are compared and looked up by identity.
    """

    op: str
    args: tuple[Term, ...]
    name: str
    value: int
    is_const: bool = field(repr=False)
    """Whether it is a literal."""
    _symbols: frozenset[str] = field(repr=False)
    _size: int = field(repr=False)
    _text: str = field(repr=False)

    def __new__(cls, op: str, args: tuple[Term, ...] = (), name: str = "", value: int = 0) -> Term:
        key = op, args, name, value
        held = _TERMS.get(key)
        found: Term | None = held and held()
        if found is not None:
            return found
        with _CHANGING:
            held = _TERMS.get(key)  # another thread may have made it meanwhile
            found = held and held()
            if found is None:
                found = object.__new__(cls)
                _set(found, "op", op)
                _set(found, "args", args)
                _set(found, "name", name)
                _set(found, "value", value)
                _set(found, "is_const", op == "const")
                if len(_TERMS) >= _TERMS.most:
                    _TERMS.sweep()
                _TERMS[key] = ref(found)
            return found

    def __reduce__(self) -> tuple[Any, ...]:
        return Term, (self.op, self.args, self.name, self.value)

    def __add__(self, other: Term | int) -> Term:
        return add(self, term(other))

    def __sub__(self, other: Term | int) -> Term:
        return sub(self, term(other))

    def __mul__(self, other: Term | int) -> Term:
        return mul(self, term(other))

    def __floordiv__(self, other: Term | int) -> Term:
        return floordiv(self, term(other))

    def __mod__(self, other: Term | int) -> Term:
        return mod(self, term(other))

    def __radd__(self, other: int) -> Term:
        return add(term(other), self)

    def __rsub__(self, other: int) -> Term:
        return sub(term(other), self)

    def __rmul__(self, other: int) -> Term:
        return mul(term(other), self)

    def lt(self, other: Term | int) -> Term:
        """`self < other`."""
        return compare("<", self, term(other))

    def le(self, other: Term | int) -> Term:
        """`self <= other`."""
        return compare("<=", self, term(other))

    def eq(self, other: Term | int) -> Term:
        """`self == other`."""
        return compare("==", self, term(other))

    def symbols(self) -> frozenset[str]:
        """The names of all symbols in it."""
        try:
            return self._symbols
        except AttributeError:
            found = frozenset((self.name,)) if self.op == "sym" else _NOTHING.union(*(a.symbols() for a in self.args))
            _set(self, "_symbols", found)
            return found

    def size(self) -> int:
        """How many terms there are in it, itself included, of which some may be one: its text is about as long."""
        try:
            return self._size
        except AttributeError:
            _set(self, "_size", 1 + sum([a.size() for a in self.args]))
            return self._size

    def walk(self) -> Iterator[Term]:
        """Itself and all terms below, outermost first."""
        yield self
        for a in self.args:
            yield from a.walk()

    def fold(
        self,
        leaf: Callable[[Term], Value],
        node: Callable[[Term, Sequence[Value]], Value],
        known: dict[Term, Value] | None = None,
    ) -> Value:
        """What `node` makes of it, and of what its operands came to; of literals and symbols, what `leaf` makes.

        From the bottom up, and of each different term once. `known` says what some come to, and learns of the others.
        """
        made: dict[Term, Value] = {} if known is None else known

        def value(t: Term) -> Value:
            try:
                return made[t]
            except KeyError:
                found = made[t] = node(t, [value(a) for a in t.args]) if t.args else leaf(t)
                return found

        return value(self)

    def substitute(self, env: Mapping[str, Term]) -> Term:
        """It with symbols replaced, its operators applied again."""
        return self.fold(lambda t: env.get(t.name, t) if t.op == "sym" else t, lambda t, args: OPERATORS[t.op](*args))

    def evaluate(self, env: Mapping[str, int]) -> int:
        """Its value; a predicate's is 0 or 1. Raises `KeyError` for an unknown symbol, `ZeroDivisionError`."""
        if self.op == "const":
            return self.value
        if self.op == "sym":
            return env[self.name]
        if self.op in ("and", "or"):  # as in Python, what is decided by the left side is not asked of the right one
            left = self.args[0].evaluate(env)
            return int(bool(left if bool(left) == (self.op == "or") else self.args[1].evaluate(env)))
        return int(_EVALUATE[self.op](*(a.evaluate(env) for a in self.args)))

    def __str__(self) -> str:
        try:
            return self._text
        except AttributeError:
            _set(self, "_text", self.fold(lambda t: (t.name or str(t.value), _TIGHT), _printed)[0])
            return self._text


_NOTHING: Final[frozenset[str]] = frozenset()


@lru_cache(maxsize=1024)
def const(value: int) -> Term:
    """A literal."""
    return Term("const", value=int(value))


def sym(name: str) -> Term:
    """A symbol. Names are Python identifiers, or what `x.shape[0]` spells."""
    return Term("sym", name=name)


def term(value: Term | int) -> Term:
    """`value` as a term."""
    return value if isinstance(value, Term) else const(value)


TRUE: Final = const(1)
FALSE: Final = const(0)


def add(a: Term, b: Term) -> Term:
    """`a + b`."""
    if a.is_const and b.is_const:
        return const(a.value + b.value)
    if a.is_const:
        a, b = b, a
    if b.is_const:
        if b.value == 0:
            return a
        if a.op == "+" and a.args[1].is_const:
            return add(a.args[0], const(a.args[1].value + b.value))
    return Term("+", (a, b))


def sub(a: Term, b: Term) -> Term:
    """`a - b`."""
    if b.is_const:
        return add(a, const(-b.value))
    if a == b:
        return const(0)
    if _is_zero(a) and b.op == "//" and b.args[0].op == "-" and _is_zero(b.args[0].args[0]):
        return ceildiv(b.args[0].args[1], b.args[1])  # -(-x // d)
    return Term("-", (a, b))


def _is_zero(a: Term) -> bool:
    return a.is_const and a.value == 0


def mul(a: Term, b: Term) -> Term:
    """`a * b`."""
    if a.is_const and b.is_const:
        return const(a.value * b.value)
    if a.is_const:
        a, b = b, a
    if b.is_const:
        if b.value == 0:
            return const(0)
        if b.value == 1:
            return a
    return Term("*", (a, b))


def floordiv(a: Term, b: Term) -> Term:
    """`a // b`, rounded down."""
    if b.is_const and b.value == 1:
        return a
    if a.is_const and b.is_const and b.value != 0:
        return const(a.value // b.value)
    if a.op == "//" and a.args[1].is_const and b.is_const and a.args[1].value > 0 and b.value > 0:
        return floordiv(a.args[0], const(a.args[1].value * b.value))  # (x // a) // b == x // (a * b)
    if a.op == "+" and b.is_const and b.value > 1 and a.args[1] == const(b.value - 1):
        return ceildiv(a.args[0], b)  # (x + d - 1) // d
    return _without_factor(a, b) or Term("//", (a, b))


def _without_factor(a: Term, b: Term) -> Term | None:
    """`a / b`, where `a` is a multiple of the constant `b` by the way it is written."""
    if a.op == "*" and a.args[1].is_const and b.is_const and b.value > 0 and a.args[1].value % b.value == 0:
        return mul(a.args[0], const(a.args[1].value // b.value))
    return None


def ceildiv(a: Term, b: Term) -> Term:
    """`ceil(a / b)`: the number of tiles of `b` elements that cover `a`. `b` is positive."""
    if b.is_const and b.value == 1:
        return a
    if a.is_const and b.is_const and b.value > 0:
        return const(-(-a.value // b.value))
    return _without_factor(a, b) or Term("ceildiv", (a, b))


def mod(a: Term, b: Term) -> Term:
    """`a % b`, with the divisor's sign."""
    if b.is_const and b.value == 1:
        return const(0)
    if a.is_const and b.is_const and b.value != 0:
        return const(a.value % b.value)
    return Term("%", (a, b))


def minimum(a: Term, b: Term) -> Term:
    """The smaller of both."""
    if a == b:
        return a
    if a.is_const and b.is_const:
        return const(min(a.value, b.value))
    return Term("min", (a, b))


def maximum(a: Term, b: Term) -> Term:
    """The larger of both."""
    if a == b:
        return a
    if a.is_const and b.is_const:
        return const(max(a.value, b.value))
    return Term("max", (a, b))


def compare(op: str, a: Term, b: Term) -> Term:
    """`a op b` for `<`, `<=` or `==`."""
    if a.is_const and b.is_const:
        return const(int(_EVALUATE[op](a.value, b.value)))
    if a == b:
        return const(int(op != "<"))
    return Term(op, (a, b))


def negate(a: Term) -> Term:
    """`not a`."""
    if a.is_const:
        return const(int(not a.value))
    if a.op == "not":
        return a.args[0]
    if a.op == "<":
        return compare("<=", a.args[1], a.args[0])
    if a.op == "<=":
        return compare("<", a.args[1], a.args[0])
    return Term("not", (a,))


def both(a: Term, b: Term) -> Term:
    """`a and b`."""
    if a.is_const:
        return b if a.value else FALSE
    if b.is_const:
        return a if b.value else FALSE
    return a if a == b else Term("and", (a, b))


def either(a: Term, b: Term) -> Term:
    """`a or b`."""
    if a.is_const:
        return TRUE if a.value else b
    if b.is_const:
        return TRUE if b.value else a
    return a if a == b else Term("or", (a, b))


def all_of(*predicates: Term) -> Term:
    """The conjunction; true when there are none."""
    return reduce(both, predicates, TRUE)


def conjuncts(t: Term) -> Iterator[Term]:
    """The predicates that a conjunction is of; any other one alone."""
    if t.op == "and":
        for a in t.args:
            yield from conjuncts(a)
    else:
        yield t


def rounded_up(a: int, b: int) -> int:
    """`a / b`, rounded up."""
    return -(-a // b)


def _floordiv(a: int, b: int) -> int:
    return a // b


def _not(a: int) -> int:
    return not a


def _and(a: int, b: int) -> int:
    return bool(a) and bool(b)


def _or(a: int, b: int) -> int:
    return bool(a) or bool(b)


def _lower(a: int, b: int) -> int:
    return a if a < b else b


def _higher(a: int, b: int) -> int:
    return a if a > b else b


def _flipped(op: str, a: Term, b: Term) -> Term:
    return compare(op, b, a)


def _differ(a: Term, b: Term) -> Term:
    return negate(compare("==", a, b))


OPERATORS: Final[dict[str, Callable[..., Term]]] = {
    "+": add,
    "-": sub,
    "*": mul,
    "//": floordiv,
    "%": mod,
    "ceildiv": ceildiv,
    "min": minimum,
    "max": maximum,
    "<": partial(compare, "<"),
    "<=": partial(compare, "<="),
    "==": partial(compare, "=="),
    ">": partial(_flipped, "<"),
    ">=": partial(_flipped, "<="),
    "!=": _differ,
    "not": negate,
    "and": both,
    "or": either,
}
"""What makes a term, by its operator as Python has it; `>`, `>=` and `!=` are said by the others."""

_EVALUATE: Final[dict[str, Callable[..., int]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": _floordiv,
    "%": operator.mod,
    "ceildiv": rounded_up,
    "min": _lower,
    "max": _higher,
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    "not": _not,
    "and": _and,
    "or": _or,
}

_LEVEL: Final[dict[str, int]] = {
    "or": 1, "and": 2, "not": 3, "<": 4, "<=": 4, "==": 4, "+": 5, "-": 5, "*": 6, "//": 6, "%": 6,
}  # fmt: skip


_TIGHT: Final = 9
"""The level of what never needs parentheses."""


def _printed(t: Term, operands: Sequence[tuple[str, int]]) -> tuple[str, int]:
    """The text of a term and its level, from those of its operands."""
    if t.op in ("min", "max", "ceildiv"):
        return f"{t.op}({', '.join(text for text, _ in operands)})", _TIGHT
    level = _LEVEL[t.op]
    if t.op == "not":
        return f"not {_enclosed(operands[0], level)}", level
    op, right = t.op, operands[1]
    if op == "+" and t.args[1].is_const and t.args[1].value < 0:
        op, right = "-", (str(-t.args[1].value), _TIGHT)
    left = _enclosed(operands[0], level - (t.op in ("and", "or", "+", "*", "-")))
    return f"{left} {op} {_enclosed(right, level)}", level


def _enclosed(operand: tuple[str, int], outer: int) -> str:
    text, level = operand
    return f"({text})" if level <= outer else text


@dataclass(frozen=True)
class Solution:
    """What a symbol is, by a number that is known: `(the number - offset) // factor`."""

    at: int
    """Which of the terms is known to be that number."""
    offset: Term
    """Over symbols that come before it."""
    factor: int

    def of(self, number: int, env: Mapping[str, int]) -> int:
        """The symbol's value; the term is the number for it, or for no whole value at all."""
        return (number - self.offset.evaluate(env)) // self.factor


def solved(of: Sequence[Term]) -> dict[str, Solution]:
    """
    What determines each symbol of terms whose values are known: the first that it is alone in, or else one that is
    affine in it (`2 * N`, `B + 1`, `M - 2 * N` where `M` is known). Those come first that others rest on.
    """
    found: dict[str, Solution] = {}
    for at, t in enumerate(of):
        if t.op == "sym":
            found.setdefault(t.name, Solution(at, const(0), 1))
    left = [(at, t) for at, t in enumerate(of) if t.symbols() - found.keys()]
    while left:
        made = len(found)
        for at, t in left:
            unknown = t.symbols() - found.keys()
            if len(unknown) != 1:
                continue
            (name,) = unknown
            parts = _affine(t, name)
            if parts is not None and parts[0]:
                found[name] = Solution(at, parts[1], parts[0])
        if len(found) == made:
            break
        left = [(at, t) for at, t in left if t.symbols() - found.keys()]
    return found


def _affine(t: Term, name: str) -> tuple[int, Term] | None:
    """A term as `factor * name + offset`; None where it is not of that form."""
    if name not in t.symbols():
        return 0, t
    if t.op == "sym":
        return 1, const(0)
    if t.op not in ("+", "-", "*"):
        return None
    a, b = (_affine(arg, name) for arg in t.args)
    if a is None or b is None:
        return None
    (m, x), (n, y) = a, b
    if t.op == "*":
        if m and n:
            return None
        (m, x), by = ((m, x), y) if m else ((n, y), x)
        return (m * by.value, mul(x, by)) if by.is_const else None
    return (m + n, add(x, y)) if t.op == "+" else (m - n, sub(x, y))


def as_python(t: Term, names: Mapping[str, str]) -> str:
    """A term as Python, fully parenthesised, over other names for its symbols, and `ceildiv` (`rounded_up`)."""

    def node(t: Term, operands: Sequence[str]) -> str:
        if t.op in ("min", "max", "ceildiv"):
            return f"{t.op}({', '.join(operands)})"
        return f"(not {operands[0]})" if t.op == "not" else f"({operands[0]} {t.op} {operands[1]})"

    return t.fold(lambda leaf: f"({leaf.value})" if leaf.is_const else names[leaf.name], node)


def parse(text: str) -> Term:
    """Reads the printed form (a Python expression of integers, names, `+ - * // %`, comparisons, `and or not`,
    `min max ceildiv`, of which `cdiv` is another name). Raises `ValueError` that names what it does not understand."""
    if text.isascii():  # most texts are a name or a number
        if text.isidentifier() and not iskeyword(text):
            return sym(text)
        if text.isdecimal() and not text.startswith("0"):
            return const(int(text))
    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError as e:
        raise ValueError(f"not an expression: {text!r}") from e
    return _read(tree.body, text)


SYMBOLS: Final[dict[type[ast.AST], str]] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}
"""How operators of terms are written, by what they are in Python's syntax tree."""


def _read(node: ast.expr, text: str) -> Term:
    match node:
        case ast.Constant(value=int(value)):
            return const(value)
        case ast.Name(id=name):
            return sym(name)
        case ast.Attribute() | ast.Subscript():
            return sym(ast.unparse(node))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return sub(const(0), _read(operand, text))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return negate(_read(operand, text))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in SYMBOLS:
            return OPERATORS[SYMBOLS[type(op)]](_read(left, text), _read(right, text))
        case ast.Compare(left=left, ops=ops, comparators=comparators) if all(type(o) in SYMBOLS for o in ops):
            terms = [_read(left, text), *(_read(c, text) for c in comparators)]
            pairs = zip(ops, terms[:-1], terms[1:], strict=True)
            return all_of(*(OPERATORS[SYMBOLS[type(o)]](a, b) for o, a, b in pairs))
        case ast.BoolOp(op=op, values=values):
            return reduce(both if isinstance(op, ast.And) else either, (_read(v, text) for v in values))
        case ast.Call(func=ast.Name(id="cdiv"), args=[a, b], keywords=[]):
            return ceildiv(_read(a, text), _read(b, text))
        case ast.Call(func=ast.Name(id="min" | "max" | "ceildiv" as name), args=[a, b], keywords=[]):
            return OPERATORS[name](_read(a, text), _read(b, text))
        case _:
            raise ValueError(f"{ast.unparse(node)!r} is not allowed in {text!r}")
