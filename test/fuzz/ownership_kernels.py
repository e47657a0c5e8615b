"""Random ownership kernels: trees of statements and expressions, changed at random; `kernel_builder` makes IR of them.

An expression is a tuple: a name first, then numbers, strings and expressions. A statement is a list of the same make.
To add a form of access: a statement here (`_places` says where its expressions stand), and its operation there.
"""

# A kernel a line is as long as it is.
# ruff: noqa: B008, E741

from __future__ import annotations

import random
from copy import deepcopy
from typing import Any

Node = Any

BINARY = ("addi", "subi", "muli", "mini", "maxi")
AT = ("addi", "subi", "muli", "andi", "ori", "xori", "mini", "maxi", "divi", "remi")
SIGNS = ("signed", "unsigned")
RELATIONS = ("less_than", "less_than_or_equal", "greater_than", "greater_than_or_equal", "equal", "not_equal")
READS = ("load", "window", "gather", "update", "update_at")
I: Node = ("point", 0)
J: Node = ("point", 1)
K: Node = ("counter",)
C: Node = ("carried",)
S: Node = ("scalar",)
WRITE: Node = ["write"]


def const(value: int) -> Node:
    return ("const", value)


def loop(
    high: Node, *body: Node, low: Node = const(0), step: Node = const(1), init: Node = None, turn: Node = C
) -> Node:
    """A counted loop that carries one number: `init` at first, then `turn`."""
    return ["for", low, high, step, const(0) if init is None else init, turn, list(body)]


def when(relation: str, a: Node, b: Node, then: list[Node], other: list[Node] | None = None) -> Node:
    return ["if", relation, a, b, then, other or []]


def take(*coordinates: Node, partition: int = 0) -> Node:
    """Takes a region and stores to it."""
    return ["take", partition, list(coordinates), "store"]


def load(*coordinates: Node) -> Node:
    return ["load", list(coordinates)]


def seeds() -> list[dict[str, Node]]:
    """Kernels that are right."""
    one = {"rank": 1, "tile": [2, 2], "step": [2, 2], "access": "out", "second": "", "order": "row", "blocks": "each"}
    two = {**one, "rank": 2}
    rows, inner, zero = ("tiles", 0), ("tiles", 1), const(0)
    bodies: list[dict[str, Node]] = [
        {**one, "body": [take(I), load(I, const(0))]},
        {**two, "body": [take(I, J), loop(inner, load(I, K))]},
        {**two, "access": "mut", "square": True, "body": [take(J, I)]},
        {**one, "second": "mut", "body": [take(I), take(I, partition=1), loop(inner, load(I, K))]},
        {**one, "access": "mut", "body": [when("less_than", I, const(2), [take(I)], [take(I)])]},
        {**one, "access": "mut", "body": [take(("subi", ("subi", ("grid", 0), const(1)), I))]},
        {**one, "body": [take(I), load(("mini", I, ("subi", rows, const(1))), const(0))]},
        {**one, "body": [take(I), loop(inner, load(("divi", "zero", K, const(2)), K), step=const(2))]},
        {**one, "body": [take(I), loop(inner, load(I, C), init=const(0), turn=("remi", ("addi", C, const(1)), inner))]},
        {**one, "body": [take(I), when("less_than", ("scalar",), inner, [load(I, ("maxi", ("scalar",), const(0)))])]},
        {
            **one,
            "access": "mut",
            "body": [when("equal", ("remi", I, const(2)), const(0), [take(("divi", "zero", I, const(2)))])],
        },
        {
            **one,
            "access": "mut",
            "fixed": 8,
            "body": [when("less_than", I, const(2), [take(("remi", I, const(2)))], [])],
        },
        {**one, "access": "out", "fixed": 2, "body": [take(I)]},
        {**one, "body": [take(I), loop(inner, when("greater_than", K, const(1), [["continue"]]), load(I, K))]},
        {**one, "body": [["open", 0, [I]], loop(inner, ["write"]), ["write"], ["read"]]},
        {
            **one,
            "body": [["open", 0, [I]], when("less_than", S, zero, [WRITE]), when("less_than", const(-1), S, [WRITE])],
        },
        {**one, "body": [["open", 0, [I]], loop(inner, when("equal", K, ("subi", inner, const(1)), [WRITE]))]},
        {**one, "body": [when("less_than", I, S, [["open", 0, [I]], WRITE], [["open", 0, [I]], WRITE])]},
        {**one, "body": [take(I), load(("select", "less_than", I, rows, I, ("subi", rows, const(1))), const(0))]},
        {**one, "body": [take(I), load(("subi", I, ("muli", ("divi", "zero", I, inner), inner)), const(0))]},
    ]
    return bodies


def near() -> list[dict[str, Node]]:
    """Kernels that are wrong, or need a check, by one detail each."""
    out = {"rank": 1, "tile": [2, 2], "step": [2, 2], "access": "out", "second": "", "order": "row", "blocks": "each"}
    mut = {**out, "access": "mut"}
    rows, inner, zero, one, two = ("tiles", 0), ("tiles", 1), const(0), const(1), const(2)
    last = ("subi", rows, one)
    before, half = ("subi", I, one), ("remi", I, two)
    loads: list[Node] = [
        ("remi", ("muli", I, const(2**30)), rows),
        ("remi", before, rows),
        ("remi", ("promised", I, const(2**31 - 1)), rows),
        ("unsigned", "maxi", before, zero),
        ("select", "less_than", I, two, zero, ("addi", I, const(5))),
        ("divi", "zero", ("subi", ("divi", "negative_inf", I, ("subi", inner, two)), zero), one),
        ("maxi", ("divi", "zero", ("subi", zero, I), two), ("subi", zero, one)),
        before,
        ("mini", ("addi", I, one), rows),
    ]
    found: list[dict[str, Node]] = [{**out, "body": [take(I), load(e, zero)]} for e in loads]
    fold = when("less_than", I, two, [take(half)], [when("less_than", I, const(4), [take(half)])])
    return [
        *found,
        {**mut, "body": [fold]},
        {**out, "body": [["open", 0, [I]], ["read"], ["write"]]},
        {**out, "body": [["open", 0, [I]], when("less_than", S, zero, [WRITE]), when("less_than", zero, S, [WRITE])]},
        {**out, "body": [["open", 0, [I]], loop(inner, when("equal", K, one, [WRITE]))]},
        {**out, "body": [["open", 0, [I]], loop(inner, when("equal", K, ("subi", inner, one), [WRITE]), step=two)]},
        {**out, "body": [["open", 0, [I]], loop(("subi", inner, one), ["write"])]},
        {**out, "body": [take(I), loop(rows, load(C, zero), init=zero, turn=("subi", C, one))]},
        {**out, "body": [take(I), loop(rows, load(("mini", C, last), zero), init=last, turn=("subi", C, two))]},
    ]


class Maker:
    """Makes and changes kernels."""

    def __init__(self, chosen: random.Random):
        self.chosen = chosen

    def kernel(self) -> dict[str, Node]:
        """A kernel: half from scratch, half a right or nearly right one with up to two changes."""
        if self.chosen.random() < 0.5:
            return self.scratch()
        kernel = deepcopy(self.chosen.choice(seeds() if self.chosen.random() < 0.7 else near()))
        self.schedule(kernel)
        self.kinds(kernel)
        for _ in range(self.chosen.randrange(3)):
            self.mutate(kernel)
        return kernel

    def kinds(self, kernel: dict[str, Node]) -> None:
        """What tensors hold, and whether there are scalars of other types than indices."""
        kernel["element"] = self.chosen.choice(("i32", "i32", "i32", "i1", "i8", "i16", "i64", "f16", "f32"))
        kernel["others"] = self.chosen.random() < 0.3

    def schedule(self, kernel: dict[str, Node]) -> None:
        """Any order and blocks: they change no verdict."""
        orders: list[Node] = ["row", "column"]
        if kernel["rank"] == 2:
            orders.append(("grouped", self.chosen.randrange(1, 4)))
        kernel["order"] = self.chosen.choice(orders)
        kernel["blocks"] = self.chosen.choice(["each", "persistent", ("persistent", self.chosen.randrange(1, 4))])

    def scratch(self) -> dict[str, Node]:
        rank = self.chosen.choice((1, 1, 2))
        tile = [self.chosen.choice((2, 4)) for _ in range(2)]
        step = [self.chosen.choice((t, t, t, t, 2 * t, t // 2)) for t in tile]
        kernel: dict[str, Node] = {
            "rank": rank,
            "tile": tile,
            "step": step,
            "access": self.chosen.choice(("out", "out", "mut", "mut", "partial")),
            "sums": self.chosen.random() < 0.15,
            "second": self.chosen.choice(("", "", "mut", "out")),
            "square": self.chosen.random() < 0.2,
            "fixed": self.chosen.choice((0, 0, 0, 2, 8)),
        }
        self.schedule(kernel)
        self.kinds(kernel)
        own = [I, J][:rank]
        body = [["take", 0, [self.place(p, own) for p in own], "store"]]
        if kernel["second"]:
            body.append(["take", 1, [self.place(p, own) for p in own], "store"])
        if self.chosen.random() < 0.7:
            body.append(self.statement(own, 2))
        if self.chosen.random() < 0.2:
            body.append(self.statement(own, 1))
        kernel["body"] = body
        return kernel

    def place(self, own: Node, atoms: list[Node]) -> Node:
        return own if self.chosen.random() < 0.6 else self.expression(atoms, 2)

    def statement(self, atoms: list[Node], depth: int) -> Node:
        kind = self.chosen.random()
        if depth and kind < 0.3:
            inner = [*atoms, K, K, C]
            body = [self.statement(inner, depth - 1)]
            if self.chosen.random() < 0.2:
                body.insert(0, when(*self.condition(inner), [["continue"]]))
            low, high = const(self.chosen.randrange(2)), self.expression(atoms, 1)
            step = self.chosen.choice((const(1), const(1), const(2), self.expression(atoms, 1)))
            high = self.chosen.choice((("tiles", 0), ("tiles", 1), high))
            turn = self.chosen.choice((C, self.expression(inner, 2)))
            return loop(high, *body, low=low, step=step, init=self.expression(atoms, 1), turn=turn)
        if depth and kind < 0.55:
            then = [self.statement(atoms, depth - 1)]
            other = [self.statement(atoms, depth - 1)] if self.chosen.random() < 0.4 else []
            return when(*self.condition(atoms), then, other)
        if kind < 0.7:
            rank = 2 if J in atoms else 1
            return ["take", 0, [self.place(self.chosen.choice(atoms), atoms) for _ in range(rank)], "store"]
        where = [self.place(I, atoms), self.place(self.chosen.choice(atoms), atoms)]
        return [self.chosen.choice(("load", "load", "load", "load", "window", "gather", "update", "update_at")), where]

    def condition(self, atoms: list[Node]) -> tuple[str, Node, Node]:
        return self.chosen.choice(RELATIONS), self.expression(atoms, 1), self.expression(atoms, 1)

    def expression(self, atoms: list[Node], depth: int) -> Node:
        """A random integer."""
        if depth == 0 or self.chosen.random() < 0.35:
            known = [*atoms, *atoms, ("tiles", 0), ("tiles", 1), ("grid", 0), const(self.chosen.randrange(-1, 4))]
            if self.chosen.random() < 0.1:
                return ("other", self.chosen.choice("btw"))
            if self.chosen.random() < 0.1:
                known += [("scalar",), const(self.chosen.choice((2**31 - 1, -(2**31), 2**30, 65536)))] * 4
            return self.chosen.choice(known)
        a, b = self.expression(atoms, depth - 1), self.expression(atoms, depth - 1)
        if self.chosen.random() < 0.12:
            return self.elsewhere(a, b)
        kind = self.chosen.randrange(12)
        if kind < 5:
            return (BINARY[kind], a, b)
        if kind < 7:
            return ("divi", self.chosen.choice(("zero", "negative_inf", "positive_inf", "unsigned")), a, b)
        if kind < 9:
            return ("remi", a, self.chosen.choice((b, const(2), ("tiles", 0))))
        if kind == 9:
            return ("select", self.chosen.choice(RELATIONS), a, b, a, b)
        if kind == 10:
            return self.chosen.choice((("narrow", "signed", a), ("narrow", "unsigned", a), ("unsigned", "mini", a, b)))
        return self.chosen.choice(
            (("promised", a, b), ("clamp", a, b), ("shli", a, const(1)), ("unsigned", "maxi", a, b))
        )

    def elsewhere(self, a: Node, b: Node) -> Node:
        """An operation at another width."""
        width = self.chosen.choice((1, 1, 8, 8, 16, 64))
        return ("at", width, self.chosen.choice(SIGNS), self.chosen.choice(SIGNS), self.chosen.choice(AT), a, b)

    def mutate(self, kernel: dict[str, Node]) -> None:
        """One change somewhere."""
        if self.chosen.random() < 0.12:
            axis = self.chosen.randrange(2)
            kernel["step"][axis] = self.chosen.choice((1, 2, 4))
            return
        if self.chosen.random() < 0.06:
            kernel["access"] = self.chosen.choice([a for a in ("mut", "out", "partial") if a != kernel["access"]])
            return
        if self.chosen.random() < 0.06:
            kernel["fixed"] = self.chosen.choice((0, 2, 4, 8))
            return
        if self.chosen.random() < 0.25:
            self.restructure(kernel["body"], kernel["rank"])
            return
        atoms = [I, J][: kernel["rank"]]
        places = list(_places(kernel["body"], atoms))
        if not places:
            return
        holder, n, atoms = self.chosen.choice(places)
        holder[n] = self.changed(holder[n], atoms)

    def restructure(self, body: list[Node], rank: int) -> None:
        """Statements doubled, dropped, wrapped, unwrapped or swapped."""
        n = self.chosen.randrange(len(body))
        atoms = [I, J][:rank]
        match self.chosen.randrange(6):
            case 0:
                body.append(deepcopy(body[n]))
            case 1 if len(body) > 1:
                del body[n]
            case 2:
                body[n] = loop(self.expression(atoms, 1), body[n])
            case 3:
                body[n] = when(
                    *self.condition(atoms), [body[n]], [deepcopy(body[n])] if self.chosen.random() < 0.5 else []
                )
            case 4 if body[n][0] == "if":
                body[n : n + 1] = body[n][4] or body[n][5] or [["nothing"]]
            case _ if body[n][0] in ("take", *READS):
                (body[n][2] if body[n][0] == "take" else body[n][1]).reverse()
            case _:
                pass

    def changed(self, e: Node, atoms: list[Node]) -> Node:
        """An expression, a little different."""
        if len(e) > 2 and isinstance(e[-1], tuple) and self.chosen.random() < 0.4:
            inner = list(e)
            n = self.chosen.choice([n for n, x in enumerate(inner) if isinstance(x, tuple)])
            inner[n] = self.changed(inner[n], atoms)
            return tuple(inner)
        if self.chosen.random() < 0.12:
            return self.elsewhere(e, self.expression(atoms, 1))
        match self.chosen.randrange(9):
            case 0:
                return ("addi", e, const(self.chosen.choice((1, -1, 2))))
            case 1:
                return ("muli", e, const(self.chosen.choice((2, -1))))
            case 2:
                return ("divi", self.chosen.choice(("zero", "negative_inf")), e, const(2))
            case 3:
                return ("remi", e, self.chosen.choice((const(2), const(3), ("tiles", 0), ("grid", 0))))
            case 4:
                return const(self.chosen.randrange(-1, 3))
            case 5 if e[0] in ("mini", "maxi"):
                return self.chosen.choice((e[1], e[2], ("maxi" if e[0] == "mini" else "mini", *e[1:])))
            case 6 if e[0] == "divi":
                return ("remi", *e[2:])
            case 7:
                return ("narrow", self.chosen.choice(("signed", "unsigned")), e)
            case _:
                return self.expression(atoms, 2)


def _places(statements: list[Node], atoms: list[Node]) -> Any:
    """Where expressions stand: the list, the position, and what they may use."""
    for s in statements:
        match s[0]:
            case "take" | "open":
                yield from ((s[2], n, atoms) for n in range(len(s[2])))
            case "load" | "window" | "gather" | "update" | "update_at":
                yield from ((s[1], n, atoms) for n in range(len(s[1])))
            case "for":
                yield from ((s, n, atoms) for n in (1, 2, 3, 4))
                inner = [*atoms, K, C]
                yield s, 5, inner
                yield from _places(s[6], inner)
            case "if":
                yield from ((s, n, atoms) for n in (2, 3))
                yield from _places(s[4], atoms)
                yield from _places(s[5], atoms)
            case _:
                pass
