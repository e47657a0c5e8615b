"""Random functions on integers: loops in loops, early exits, patterns, comprehensions, and stores on the way."""

from __future__ import annotations

import random

NAMES = ("a", "b", "x", "y", "z")


class Text:
    """A function being written, line by line."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.lines: list[str] = []
        self.counters = 0

    def choose(self, *options: str) -> str:
        return self.rng.choice(options)

    # --- Expressions -------------------------------------------------------------------------------------------------

    def number(self, depth: int = 2) -> str:
        kind = self.rng.randint(0, 9 if depth else 1)
        if kind <= 1:
            return self.choose(*NAMES) if kind else str(self.rng.randint(-3, 6))
        inner = self.number(depth - 1)
        other = self.number(depth - 1)
        return [
            f"({inner} + {other})",
            f"({inner} * {other} % 7)",
            f"({inner} if {self.truth(depth - 1)} else {other})",
            f"sum(q * {other} for q in (1, {inner}, 2) if q != {self.number(0)})",
            f"(lambda q, r={other}: q - r)({inner})",
            f"sum(p + q for p in range(3) if p % 2 for q in ({inner}, p))",
            f"({inner}, {other}, 3)[{self.rng.randint(-3, 2)}]",
            f"max({inner}, *({other}, 1))",
        ][kind - 2]

    def truth(self, depth: int = 1) -> str:
        left, right = self.number(0), self.number(min(depth, 1))
        options = [
            f"{left} < {right}",
            f"{left} == {right}",
            f"{left} < {right} <= {self.number(0)}",
            f"{left} != {self.number(min(depth, 1))} + 1 != {right} > 0",
        ]
        if depth:
            one, other = self.truth(depth - 1), self.truth(depth - 1)
            options += [f"({one} and {other})", f"({one} or {other})", f"not {one}"]
        return self.choose(*options)

    # --- Statements --------------------------------------------------------------------------------------------------

    def line(self, indent: int, text: str) -> None:
        self.lines.append("    " * indent + text)

    def body(self, indent: int, loop: bool) -> None:
        for _ in range(self.rng.randint(1, 3)):
            if self.statement(indent, loop):
                return

    def statement(self, indent: int, loop: bool) -> bool:
        """Writes a statement; whether nothing follows it."""
        deep = indent < 5
        kinds = ["assign", "augmented", "unpack", "store", "return", *(("break", "continue") if loop else ())]
        kinds += ["if", "if", "for", "while", "endless", "match", "unrolled"] if deep else []
        kind = self.choose(*kinds)
        getattr(self, f"_{kind}")(indent, loop)
        return kind in ("return", "break", "continue")

    def _assign(self, indent: int, loop: bool) -> None:
        del loop
        self.line(indent, f"{self.choose(*NAMES)} = {self.number()}")

    def _augmented(self, indent: int, loop: bool) -> None:
        del loop
        self.line(indent, f"{self.choose(*NAMES)} {self.choose('+', '-', '|')}= {self.number(1)}")

    def _unpack(self, indent: int, loop: bool) -> None:
        del loop
        self.line(indent, f"x, *y, z = a, {self.number(1)}, b, {self.number(0)}")
        self.line(indent, "y = sum(y)")

    def _store(self, indent: int, loop: bool) -> None:
        del loop
        self.line(indent, f"out.store({self.number(1)})")

    def _return(self, indent: int, loop: bool) -> None:
        del loop
        self.line(indent, self.choose(f"return {self.number(1)}", f"return ({self.number(0)}, a)", "return"))

    def _break(self, indent: int, loop: bool) -> None:
        assert loop
        self.line(indent, "break")

    def _continue(self, indent: int, loop: bool) -> None:
        assert loop
        self.line(indent, "continue")

    def _if(self, indent: int, loop: bool) -> None:
        self.line(indent, f"if {self.truth()}:")
        self.body(indent + 1, loop)
        if self.rng.random() < 0.5:
            self.line(indent, f"elif {self.truth()}:")
            self.body(indent + 1, loop)
        if self.rng.random() < 0.5:
            self.line(indent, "else:")
            self.body(indent + 1, loop)

    def _for(self, indent: int, loop: bool) -> None:
        del loop
        self.line(indent, f"for {self.choose('x', 'y')} in range({self.number(0)} % 4):")
        self.body(indent + 1, True)

    def _unrolled(self, indent: int, loop: bool) -> None:
        del loop
        self.line(indent, f"for z, y in ((1, {self.number(0)}), (a, 2), (3, 3)):")
        self.body(indent + 1, True)

    def _while(self, indent: int, loop: bool) -> None:
        del loop
        self.counters += 1
        n = f"n{self.counters}"
        self.line(indent, f"{n} = 0")
        self.line(indent, f"while {n} < 3 and {self.truth()}:")
        self.line(indent + 1, f"{n} += 1")
        self.body(indent + 1, True)

    def _endless(self, indent: int, loop: bool) -> None:
        del loop
        self.counters += 1
        n = f"n{self.counters}"
        self.line(indent, f"{n} = 0")
        self.line(indent, "while True:")
        self.line(indent + 1, f"{n} += 1")
        self.line(indent + 1, f"if {n} > 3:")
        self.line(indent + 2, self.choose("break", f"return {self.number(0)}"))
        self.body(indent + 1, True)

    def _match(self, indent: int, loop: bool) -> None:
        self.line(indent, f"match {self.choose('a', '(a, b, x)', '(a, (b, 3))', self.number(1))}:")
        patterns = (
            "1 | 2",
            "(p, 3)",
            "(p, *q, r)",
            "(p, (q, 3))",
            "int(p)",
            "(1, p, q) | (2, q, p)",
            "(_, (_, 3) as p)",
        )
        for _ in range(self.rng.randint(1, 3)):
            guard = f" if {self.truth()}" if self.rng.random() < 0.5 else ""
            self.line(indent + 1, f"case {self.choose(*patterns)}{guard}:")
            self.body(indent + 2, loop)
        if self.rng.random() < 0.5:
            self.line(indent + 1, "case _:")
            self.body(indent + 2, loop)


def function(rng: random.Random) -> str:
    """The text of a function `f(a, b, out)` of two integers and of what has a method `store`."""
    text = Text(rng)
    text.line(0, "def f(a, b, out):")
    text.line(1, "x, y, z = 1, a + b, 2")
    text.body(1, False)
    text.body(1, False)
    text.line(1, f"return {text.number()}")
    return "\n".join(text.lines) + "\n"
