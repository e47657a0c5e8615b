"""
What is known of numbers behind control flow, exactly: terms of values, and facts where a load stands, as a table.

Each text is the work of a point; its load is where it is asked. `s` and `n` are scalar arguments, `f` and `g` truth
values, `i` is the point. What holds at every point is left out, but in the first text.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

from xdsl.ir import SSAValue

from freehold.dialects.cuda_tile.ops.control_flow import ForOp
from freehold.dialects.ownership import LoadOp
from freehold.passes.analysis.facts import analyse
from freehold.passes.launch_contract import kernel_of
from freehold.support.terms import Term
from freehold.tools.context import make_context
from freehold.tools.located_parser import parse_module

SCALARS = ", ".join(
    f"%{name}: !cuda_tile.tile<{kind}>" for name, kind in [("s", "i32"), ("n", "i32"), ("f", "i1"), ("g", "i1")]
)
TENSOR, REF = "!ownership.tensor<[N], f32>", "!ownership.ref<[N], f32>"
PART, REGION = "!ownership.partition<mut tile [4], [N], f32>", "!ownership.region<mut tile [4], [N], f32>"
TEMPLATE = f"""
ownership.kernel @k(%y: {TENSOR}, %x: {TENSOR}, {SCALARS}) {{
  %p = ownership.partition %y : {TENSOR} -> {PART}
  %b = ownership.borrow %x : {TENSOR} -> {REF}
  %zero = cuda_tile.constant <i32: 0> : !cuda_tile.tile<i32>
  %one = cuda_tile.constant <i32: 1> : !cuda_tile.tile<i32>
  %two = cuda_tile.constant <i32: 2> : !cuda_tile.tile<i32>
  %true = cuda_tile.constant <i1: true> : !cuda_tile.tile<i1>
  %false = cuda_tile.constant <i1: false> : !cuda_tile.tile<i1>
  ownership.distribute %p : {PART} {{
  ^bb0(%i: !cuda_tile.tile<i32>):
BODY
  }}
}}
"""
LOAD = f"%t = ownership.load %b[AT] : {REF} -> !cuda_tile.tile<4xf32>"


def compared(name: str, how: str, a: str, b: str, sign: str = "signed") -> str:
    return f"%{name} = cmpi {how} %{a}, %{b}, {sign} : tile<i32> -> tile<i1>"


def loads(at: str) -> str:
    return f"load {at}"


CONDITIONS: dict[str, list[str]] = {
    "f": [],
    "s < n": [compared("c", "less_than", "s", "n")],
    "s <= n": [compared("c", "less_than_or_equal", "s", "n")],
    "n > s": [compared("c", "greater_than", "n", "s")],
    "s == n": [compared("c", "equal", "s", "n")],
}
PAIRS = [("s", "n"), ("n", "s"), ("s", "s"), ("zero", "one"), ("one", "zero"), ("s", "zero"), ("i", "two"), ("i", "s")]
TRUTHS = [("f", "g"), ("true", "g"), ("f", "false"), ("false", "true"), ("g", "g")]


def joined() -> dict[str, list[str]]:
    """One of two values, selected or yielded."""
    found: dict[str, list[str]] = {}
    for what, lines in CONDITIONS.items():
        c = "c" if lines else "f"
        for a, b in PAIRS:
            chosen = f"%v = select %{c}, %{a}, %{b} : tile<i1>, tile<i32>"
            found[f"{a} if {what} else {b}"] = [*lines, chosen, loads("%v")]
    for a, b in PAIRS:
        branch = ["%v = if %c -> (tile<i32>) {", f"yield %{a} : tile<i32>", "} else {", f"yield %{b} : tile<i32>", "}"]
        found[f"if s < n: {a}, else: {b}"] = [*CONDITIONS["s < n"], *branch, loads("%v")]
    for a, b in TRUTHS:
        chosen = f"%w = select %f, %{a}, %{b} : tile<i1>, tile<i1>"
        found[f"if ({a} if f else {b}): load"] = [chosen, "if %w {", loads("%i"), "yield", "}"]
    return found


def looped(low: str, high: str, step: str, *inside: str, unsigned: str = "") -> list[str]:
    head = f"for{unsigned} %k in (%{low} to %{high}, step %{step}) : tile<i32> {{"
    return [head, *(inside or (loads("%k"),)), "continue", "}"]


BRANCHES = {
    "if f: load": ["if %f {", loads("%i"), "yield", "}"],
    "if s < n: load": [*CONDITIONS["s < n"], "if %c {", loads("%s"), "yield", "}"],
    "if s < n: nothing, else: load": [*CONDITIONS["s < n"], "if %c {", "yield", "} else {", loads("%s"), "yield", "}"],
    "if s < n and f: load": [*CONDITIONS["s < n"], "%d = andi %c, %f : tile<i1>", "if %d {", loads("%s"), "yield", "}"],
    "if s < n or f: load": [*CONDITIONS["s < n"], "%d = ori %c, %f : tile<i1>", "if %d {", loads("%s"), "yield", "}"],
    "if not s < n: load": [
        *CONDITIONS["s < n"],
        "%d = xori %c, %true : tile<i1>",
        "if %d {",
        loads("%s"),
        "yield",
        "}",
    ],
    "if f: nothing; load": ["if %f {", "yield", "}", loads("%s")],
}
LEFT = {
    f"for k: if k < s: {what}; load": looped(
        "zero", "n", "one", compared("c", "less_than", "k", "s"), "if %c {", then, "} else {", other, "}", loads("%k")
    )
    for what, then, other in [
        ("continue", "continue", "yield"),
        ("nothing, else: continue", "yield", "continue"),
        ("nothing", "yield", "yield"),
    ]
}
LOOPS = {
    f"for k in {low}, {high}, {step}{kind}": looped(low, high, step, unsigned=kind)
    for low, high, step, kind in [
        ("zero", "n", "one", ""), ("s", "n", "one", ""), ("zero", "n", "two", ""), ("one", "two", "one", ""),
        ("one", "n", "s", ""), ("i", "n", "two", ""), ("two", "one", "one", ""), ("zero", "n", "one", " unsigned"),
        ("s", "n", "one", " unsigned"), ("one", "two", "one", " unsigned"),
    ]
}  # fmt: skip


def carried(start: str, *turn: str, handed: str = "w", kind: str = "for") -> list[str]:
    if kind == "for":
        head = f"%r = for %k in (%zero to %n, step %one) : tile<i32> iter_values(%v = %{start}) -> (tile<i32>) {{"
    else:
        head = f"%r = loop iter_values(%v = %{start}) : tile<i32> -> tile<i32> {{"
    way_out = ["if %f {", "break %v : tile<i32>", "}"] if kind == "loop" else []
    return [head, *way_out, *turn, loads("%v"), f"continue %{handed} : tile<i32>", "}", loads("%r")]


CARRIED = {
    f"{kind}: v from {start}, {what}": carried(start, *turn, handed=handed, kind=kind)
    for kind in ("for", "loop")
    for start in ("zero", "s")
    for what, turn, handed in [
        ("kept", [], "v"),
        ("another", [], "n"),
        ("v + 1", ["%w = addi %v, %one : tile<i32>"], "w"),
        ("v - 1", ["%w = subi %v, %one : tile<i32>"], "w"),
        ("min(v + 1, i)", ["%a = addi %v, %one : tile<i32>", "%w = mini %a, %i signed : tile<i32>"], "w"),
        ("v / 2", ["%w = divi %v, %two signed : tile<i32>"], "w"),
        ("max(v, i)", ["%w = maxi %v, %i signed : tile<i32>"], "w"),
    ]
}
PLAIN = [loads("%i")]
LEFT_OVER = {
    f"{a} - {order.format(b=b)}, {sign}": [
        "%h = divi %i, %two signed : tile<i32>",
        f"%q = divi %{b}, %two {sign} : tile<i32>",
        f"%w = muli {'%q, %two' if order == '{b} / two * two' else '%two, %q'} : tile<i32>",
        f"%v = subi %{a}, %w : tile<i32>",
        loads("%v"),
    ]
    for a in ("i", "h")
    for b in ("i", "h")
    for order in ("{b} / two * two", "two * ({b} / two)")
    for sign in ("signed", "unsigned")
}
TEXTS = {"load": PLAIN, **joined(), **BRANCHES, **LEFT, **LOOPS, **CARRIED, **LEFT_OVER}


def written(lines: list[str]) -> str:
    """The module of some lines, in which types and operations of Tile IR have their short names."""
    body: list[str] = []
    loaded = 0
    for line in lines:
        if line.startswith("load "):
            loaded += 1
            body.append(LOAD.replace("AT", line.removeprefix("load ")).replace("%t ", f"%t{loaded} "))
            continue
        line = line.replace("tile<", "!cuda_tile.tile<")
        head, equals, rest = line.rpartition(" = ") if line.startswith("%") else ("", "", line)
        if "iter_values" in line:
            head, equals, rest = line.partition(" = ")
        body.append(line if rest[0] == "}" else f"{head}{equals}cuda_tile.{rest}")
    return TEMPLATE.replace("BODY", "\n".join(body))


@cache
def everywhere() -> frozenset[Term]:
    """What holds at every point."""
    facts = analyse(kernel_of(parse_module(make_context(), written(PLAIN), "kernel.mlir")))
    (given,) = (place.given for op, place in facts.places.items() if isinstance(op, LoadOp))
    return frozenset(given.facts)


def known(lines: list[str]) -> str:
    """What is known of values that have names in these lines, and at each load."""
    kernel = kernel_of(parse_module(make_context(), written(lines), "kernel.mlir"))
    facts = analyse(kernel)
    values: list[SSAValue] = []
    loops = loads = 0
    told: list[str] = []
    for op in kernel.walk():
        values += [a for region in op.regions for block in region.blocks for a in block.args]
        values += op.results
        if isinstance(op, ForOp):
            loops += 1
            turns = "always" if op in facts.repeated else "perhaps"
            told.append(f"loop {loops} counts {facts.counters.get(op, 'nothing')}, turns {turns}")
        if isinstance(op, LoadOp):
            loads += 1
            place = facts.places[op]
            new = [str(fact) for fact in place.given.facts if lines == PLAIN or fact not in everywhere()]
            told.append(f"load {loads}: {'; '.join(new) or 'nothing more'}")
            if place.conditions:
                told.append(f"  by conditions: {'; '.join(map(str, place.conditions))}")
    names = [v for v in values if v.name_hint in ("v", "w", "r", "c", "d", "k") and v in facts.terms]
    return "\n".join([*(f"  {v.name_hint} = {facts.terms[v]}" for v in names), *(f"  {line}" for line in told)])


def test_what_is_known(golden: Callable[[Path, str], None]) -> None:
    found = [f"{what}\n{known(lines)}" for what, lines in TEXTS.items()]
    golden(Path(__file__).with_name("facts_known.txt"), "\n".join(found))
