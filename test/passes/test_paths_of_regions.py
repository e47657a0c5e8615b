"""
What a region's paths come to: every two steps of loads, stores, releases and uses in branches and loops, in full.

A step is an action, alone or under something: `?S` stores if `f`, `-S` if not `f`, `*S` in a loop that may have no
turn, `!S` in one that has some, `/SL` stores if `f` and loads if not. What is refused is refused rightly, by a run of
each path; the table has what is said, and marks what no path does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

import pytest

from freehold.passes.analysis.facts import analyse
from freehold.passes.launch_contract import kernel_of
from freehold.passes.verify_borrows import verify_borrows
from freehold.support.diagnostic import Error
from freehold.tools.context import make_context
from freehold.tools.located_parser import parse_module

STEPS = ("L", "S", "R", "U", "?L", "?S", "?R", "-S", "*L", "*S", "*R", "!S", "/SS", "/SL", "/RS")
TENSOR = "!ownership.tensor<[N], f32>"
TILE = "!cuda_tile.tile<4xf32>"
PART, REGION = ("!ownership." + kind + "<MODE tile [4], [N], f32>" for kind in ("partition", "region"))
TEXT = f"""ownership.kernel @k(%y: {TENSOR}, %n: !cuda_tile.tile<i32>, %f: !cuda_tile.tile<i1>) {{
  %p = ownership.partition %y : {TENSOR} -> {PART}
  %x = cuda_tile.constant <f32: 0.0> : {TILE}
  %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
  %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
  %two = cuda_tile.constant <i32: 2> : !cuda_tile.tile<i32>
  ownership.distribute %p : {PART} {{
  ^bb0(%i: !cuda_tile.tile<i32>):
  %r = ownership.region %p[%i] : {PART} -> {REGION}
BODY
  }}
}}
"""
ACTIONS = {
    "L": f"%t = ownership.load %r : {REGION} -> {TILE}",
    "S": f"ownership.store %x, %r : {TILE}, {REGION}",
    "R": f"ownership.release %r : {REGION}",
    "U": f"%c = ownership.coordinate %r, 0 : {REGION}",
}
LOOP = "cuda_tile.for %k in (%zero to %HIGH, step %one) : !cuda_tile.tile<i32> {"


def lines_of(number: int, step: str) -> list[str]:
    """A step as text; its actions have its number in their names."""
    form, *actions = step if len(step) > 1 else ("", step)
    texts = [ACTIONS[action] for action in actions]
    for n, name in product(range(len(texts)), "tc"):
        texts[n] = texts[n].replace(f"%{name} ", f"%{name}{number}{n} ")
    match form:
        case "?":
            return ["cuda_tile.if %f {", texts[0], "cuda_tile.yield", "}"]
        case "-":
            return ["cuda_tile.if %f {", "cuda_tile.yield", "} else {", texts[0], "cuda_tile.yield", "}"]
        case "/":
            return ["cuda_tile.if %f {", texts[0], "cuda_tile.yield", "} else {", texts[1], "cuda_tile.yield", "}"]
        case "*" | "!":
            return [LOOP.replace("HIGH", "n" if form == "*" else "two"), texts[0], "cuda_tile.continue", "}"]
        case _:
            return texts


def ran(steps: tuple[str, ...], mode: str) -> set[str]:
    """The codes of what goes wrong on some path."""
    found: set[str] = set()
    for f, turns in product((False, True), (0, 1, 2)):
        done = "".join(_done(step, f, turns) for step in steps)
        stored = released = False
        for action in done:
            if released:
                found.add("O105")
            if action == "L" and not stored and mode == "out":
                found.add("O107")
            stored, released = stored or action == "S", released or action == "R"
        if not stored and mode == "out":
            found.add("O108")
    return found


def _done(step: str, f: bool, turns: int) -> str:
    match step[0]:
        case "?":
            return step[1] * f
        case "-":
            return step[1] * (not f)
        case "/":
            return step[1] if f else step[2]
        case "*":
            return step[1] * turns
        case "!":
            return step[1] * 2
        case _:
            return step


def said(steps: tuple[str, ...], mode: str) -> tuple[Error, ...]:
    parts = [lines_of(n, step) for n, step in enumerate(steps)]
    text = TEXT.replace("BODY", "\n".join(line for part in parts for line in part)).replace("MODE", mode)
    kernel = kernel_of(parse_module(make_context(), text, "kernel.mlir"))
    return tuple(verify_borrows(kernel, analyse(kernel)))


def places(steps: tuple[str, ...]) -> dict[int, str]:
    """By line, the step that stands there; what belongs to no step is the region, or the end of the work."""
    found = {7: "end", 9: "region"}
    line = 10
    for n, step in enumerate(steps):
        for text in lines_of(n, step):
            action = next((a for a in step if a in ACTIONS and _name(a) in text), "")
            found[line] = f"{action}{n}"
            line += 1
    return found


def _name(action: str) -> str:
    """The operation of an action."""
    return next(word for word in ACTIONS[action].split() if word.startswith("ownership."))


def told(steps: tuple[str, ...], errors: tuple[Error, ...], known: dict[str, str]) -> Iterator[str]:
    """Errors with their labels, and the letters of what helps."""
    where = places(steps)

    for error in errors:
        report = error.report()
        labels = [f"{where.get(label.span.line, label.span.line)}: {label.text}" for label in report.labels]
        helps = "".join(known.setdefault(text, chr(ord("a") + len(known))) for text in report.helps)
        yield f"  {error.code} {'; '.join(labels)}; help {helps or 'none'}"


@pytest.mark.parametrize("mode", ["out", "mut"])
def test_what_two_steps_come_to(mode: str, golden: Callable[[Path, str], None]) -> None:
    lines: list[str] = []
    helps: dict[str, str] = {}
    for steps in [(), *((step,) for step in STEPS), *product(STEPS, repeat=2)]:
        if mode == "mut" and not any("R" in step for step in steps):
            continue
        errors = said(steps, mode)
        so, codes = ran(steps, mode), {error.code for error in errors}
        assert so <= codes, steps
        more = f" ({', '.join(sorted(codes - so))} on no path)" if codes - so else ""
        lines += [
            f"{' '.join(steps) or 'nothing'}: {'refused' if errors else 'accepted'}{more}",
            *told(steps, errors, helps),
        ]
    golden(
        Path(__file__).with_name(f"paths_of_regions_{mode}.txt"),
        "\n".join([*lines, *(f"{letter}: {text}" for text, letter in helps.items())]),
    )
