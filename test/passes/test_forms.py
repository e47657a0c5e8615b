"""
Every rule of the verifiers, in every nesting: straight, in a loop, in a branch, and in text inlined from a helper.

A case is the body of a point's work, which the template wraps. What is refused straight is refused with the same code
in each form, at the user's line; what is accepted stays accepted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module

import pytest
from xdsl.dialects.builtin import ModuleOp

from freehold.passes.pipeline import verify
from freehold.support.diagnostic import Error, Rejected
from freehold.support.span import Span
from freehold.tools.context import make_context
from freehold.tools.located_parser import parse_module

FORMS = ("straight", "for", "if", "helper")
TILE = "!cuda_tile.tile<64xf32>"
INDEX = "!cuda_tile.tile<i32>"
OUT = "!ownership.partition<out tile [64], [N], f32>"
MUT = "!ownership.partition<mut tile [64], [N], f32>"
REF = "!ownership.ref<[M], f32>"
ACC = "!ownership.acc<[B], i32>"
RAW = "!ownership.raw<[B], i32>"
IDS = "!cuda_tile.tile<64xi32>"
GROUPED = "!ownership.partition<mut tile [64, 64] ragged 0, [M, N], f32>"

TEMPLATE = """
ownership.kernel @k(%y: !ownership.tensor<[N], f32>, %z: !ownership.tensor<[N], f32>, %x: !ownership.tensor<[M], f32>,
    %s: !cuda_tile.tile<i32>, %flag: !cuda_tile.tile<i1>, %counts: !ownership.tensor<[B], i32>,
    %tickets: !ownership.tensor<[B], i32>) {
  %acc = ownership.accumulator %counts : !ownership.tensor<[B], i32> -> ACC
  %raw = ownership.expose %tickets : !ownership.tensor<[B], i32> -> RAW
  %out = ownership.partition %y : !ownership.tensor<[N], f32> -> OUT
  %mut = ownership.partition %z : !ownership.tensor<[N], f32> -> MUT
  %ref = ownership.borrow %x : !ownership.tensor<[M], f32> -> REF
  ownership.distribute %out, %mut BLOCKS : OUT, MUT {
  ^bb0(%i: INDEX):
    %zero = cuda_tile.constant <i32: 0> : INDEX
    %one = cuda_tile.constant <i32: 1> : INDEX
    %two = cuda_tile.constant <i32: 2> : INDEX
    %minus = cuda_tile.constant <i32: -1> : INDEX
    %value = cuda_tile.constant <f32: 1.0> : TILE
    %o = ownership.region %out[%i] : OUT -> OREGION
BODY
  }
}
"""

SHARED = """
ownership.kernel @k(%y: !ownership.tensor<[N], f32>, %flag: !cuda_tile.tile<i1>) {
  %lent = ownership.borrow %y : !ownership.tensor<[N], f32> -> !ownership.ref<[N], f32>
  %mut = ownership.partition %y : !ownership.tensor<[N], f32> -> MUT
  ownership.distribute %mut BLOCKS : MUT {
  ^bb0(%i: INDEX):
    %zero = cuda_tile.constant <i32: 0> : INDEX
    %one = cuda_tile.constant <i32: 1> : INDEX
    %two = cuda_tile.constant <i32: 2> : INDEX
BODY
  }
}
"""
"""A tensor that is lent, and written in regions."""

GROUPS = """
ownership.kernel @k(%c: !ownership.tensor<[M, N], f32>, %offsets: !ownership.tensor<["E + 1"], i32>,
    %w: !ownership.tensor<[E], f32>, %flag: !cuda_tile.tile<i1>) {
  %bounds = ownership.borrow %offsets : !ownership.tensor<["E + 1"], i32> -> !ownership.ref<["E + 1"], i32>
  %p = ownership.partition %c by %bounds : !ownership.ref<["E + 1"], i32>, : !ownership.tensor<[M, N], f32> -> GROUPED
  ownership.distribute %p over [E, "ceildiv(M, 64)", "ceildiv(N, 64)"] BLOCKS : GROUPED {
  ^bb0(%e: INDEX, %i: INDEX, %j: INDEX):
    %zero = cuda_tile.constant <i32: 0> : INDEX
    %one = cuda_tile.constant <i32: 1> : INDEX
    %two = cuda_tile.constant <i32: 2> : INDEX
    %last = cuda_tile.subi %two, %one : INDEX
    %next = cuda_tile.addi %e, %last : INDEX
    %count = ownership.group_tiles %p[%e] : GROUPED
    %others = ownership.group_tiles %p[%next] : GROUPED
    %in = cuda_tile.cmpi less_than %i, %count, signed : INDEX -> FLAG
    %near = cuda_tile.cmpi less_than_or_equal %i, %count, signed : INDEX -> FLAG
    %elsewhere = cuda_tile.cmpi less_than %i, %others, signed : INDEX -> FLAG
BODY
  }
}
"""
"""A tensor that falls into groups."""


def expand(text: str) -> str:
    """The short names of types, spelled out."""
    spelled = {
        "GREGION": GROUPED.replace("partition", "region"),
        "GROUPED": GROUPED,
        "FLAG": "!cuda_tile.tile<i1>",
        "OREGION": OUT.replace("partition", "region"),
        "MREGION": MUT.replace("partition", "region"),
        "OUT": OUT,
        "MUT": MUT,
        "REF": REF,
        "ACC": ACC,
        "RAW": RAW,
        "IDS": IDS,
        "INDEX": INDEX,
        "TILE": TILE,
    }
    return re.sub(
        r"\b(?:GREGION|GROUPED|FLAG|OREGION|MREGION|OUT|MUT|REF|ACC|RAW|IDS|INDEX|TILE)\b",
        lambda m: spelled[m.group()],
        text,
    )


@dataclass(frozen=True)
class Case:
    """A body: what may be wrapped, and what follows it; the codes it is refused with."""

    name: str
    text: str
    after: str = "ownership.store %value, %o : TILE, OREGION"
    codes: tuple[str, ...] = ()
    loop: tuple[str, ...] | None = None
    """The codes inside a loop, where they differ: some acts are wrong only again and again."""
    branch: tuple[str, ...] | None = None
    template: str = TEMPLATE
    denied: bool = False
    """Whether checks in the kernel and unsafe accesses are."""

    def expected(self, form: str) -> set[str]:
        special = {"for": self.loop, "if": self.branch}.get(form)
        return set(self.codes if special is None else special)


REGION = "%m = ownership.region %mut[%i] : MUT -> MREGION"
STORE = "ownership.store %value, %o : TILE, OREGION"

CASES = [
    Case("nothing", ""),
    Case("load at the point's place", "%t = ownership.load %ref[%i] : REF -> TILE"),
    Case("store through a borrow", "ownership.store %value, %ref : TILE, REF", codes=("O102",)),
    Case("store at a place through a borrow", "ownership.store %value, %ref[%i] : TILE, REF", codes=("O102",)),
    Case(
        "read back after storing",
        f"{STORE}\n%t = ownership.load %o : OREGION -> TILE",
    ),
    Case("read before storing", "%t = ownership.load %o : OREGION -> TILE", codes=("O107",)),
    Case("no store", "", after="", codes=("O108",)),
    # Inside a loop that may not run, or a branch, a store is not one on every path.
    Case("store in the form alone", STORE, after="", loop=(), branch=("O108",)),
    Case(
        "read after a store in the form",
        STORE,
        after="%t = ownership.load %o : OREGION -> TILE\nownership.store %t, %o : TILE, OREGION",
        loop=(),
        branch=("O107",),
    ),
    Case("use after release", "ownership.release %o : OREGION", codes=("O105",)),
    Case(
        "release twice",
        "ownership.release %o : OREGION\nownership.release %o : OREGION",
        after="",
        codes=("O105", "O108"),
    ),
    Case(
        "release after storing",
        f"{STORE}\nownership.release %o : OREGION",
        after="",
        loop=("O105",),
        branch=("O108",),
    ),
    # A point may know a region of a `mut` partition by several names, whose accesses are ordered then.
    Case("the same region in a loop", REGION),
    Case("the same region twice", f"{REGION}\n%n = ownership.region %mut[%i] : MUT -> MREGION"),
    Case(
        "the same region of an output twice",
        "%p = ownership.region %out[%i] : OUT -> OREGION\nownership.store %value, %p : TILE, OREGION",
        codes=("O114",),
    ),
    Case(
        "a fixed region",
        "%m = ownership.region %mut[%zero] : MUT -> MREGION",
        codes=("O101",),
        loop=("O101", "O114"),
    ),
    Case(
        "the neighbour's region",
        f"{REGION}\n%next = cuda_tile.addi %i, %one : INDEX\n%n = ownership.region %mut[%next] : MUT -> MREGION",
        codes=("O101", "O302"),  # the last point's neighbour does not exist
        loop=("O101", "O302"),
    ),
    # Each branch alone takes different regions at different points; a point of one takes that of a point of the other.
    Case(
        "branches that fold the points",
        "%j = cuda_tile.remi %i, %two signed : INDEX\n"
        "%four = cuda_tile.constant <i32: 4> : INDEX\n"
        "%front = cuda_tile.cmpi less_than %i, %two, signed : INDEX -> !cuda_tile.tile<i1>\n"
        "%back = cuda_tile.cmpi less_than %i, %four, signed : INDEX -> !cuda_tile.tile<i1>\n"
        "cuda_tile.if %front {\n%m = ownership.region %mut[%j] : MUT -> MREGION\ncuda_tile.yield\n} else {\n"
        "cuda_tile.if %back {\n%n = ownership.region %mut[%j] : MUT -> MREGION\ncuda_tile.yield\n}\n"
        "cuda_tile.yield\n}",
        codes=("O101",),
        loop=("O101", "O114"),
    ),
    Case(
        "a load in front of the point",
        "%n = cuda_tile.subi %i, %one : INDEX\n%t = ownership.load %ref[%n] : REF -> TILE",
        codes=("O302",),
        branch=(),
    ),
    Case(
        "half the coordinate",
        "%h = cuda_tile.divi %i, %two signed : INDEX\n%m = ownership.region %mut[%h] : MUT -> MREGION",
        codes=("O101",),
        loop=("O101", "O114"),
    ),
    Case(
        "a region at a scalar argument",
        "%m = ownership.region %mut[%s] : MUT -> MREGION",
        codes=("O101", "O113"),
        loop=("O113", "O114", "O101"),
    ),
    Case(
        "a region at a place read from memory",
        "%t = ownership.load %ref[%i] : REF -> TILE\n"
        "%f = cuda_tile.reduce %t dim=0 identities=[0.0 : f32] : TILE -> !cuda_tile.tile<f32>\n"
        "(%a: !cuda_tile.tile<f32>, %b: !cuda_tile.tile<f32>) {\n"
        "%c = cuda_tile.addf %a, %b : !cuda_tile.tile<f32>\ncuda_tile.yield %c : !cuda_tile.tile<f32>\n}\n"
        "%j = cuda_tile.ftoi %f signed : !cuda_tile.tile<f32> -> INDEX\n"
        "%m = ownership.region %mut[%j] : MUT -> MREGION",
        codes=("O113",),
        loop=("O113", "O114"),
    ),
    Case("a load below the first tile", "%t = ownership.load %ref[%minus] : REF -> TILE", codes=("O302",)),
    Case(
        "a load behind the last tile",
        "%n = ownership.tiles %ref, 0 by 64 : REF\n%t = ownership.load %ref[%n] : REF -> TILE",
        codes=("O302",),
    ),
    Case(
        "an atomic update",
        "%p = cuda_tile.constant <i64: 0> : !cuda_tile.tile<i64>\n"
        "%q = cuda_tile.int_to_ptr %p : !cuda_tile.tile<i64> -> !cuda_tile.tile<ptr<f32>>\n"
        "%v, %tok = cuda_tile.load_ptr_tko weak %q"
        " : !cuda_tile.tile<ptr<f32>> -> !cuda_tile.tile<f32>, !cuda_tile.token",
        codes=("O112",),
    ),
    Case("a gather", "%n = cuda_tile.iota : IDS\n%t = ownership.gather %ref[%n] : REF, (IDS) -> TILE"),
    Case("a window in front of the tensor", "%t = ownership.load_from %ref[%minus] : REF -> TILE"),
    Case(
        "a gather of nothing",
        "%n = cuda_tile.constant <i32: -1> : IDS\n%t = ownership.gather %ref[%n] : REF, (IDS) -> TILE",
        codes=("O303",),
    ),
    Case(
        "a window behind the tensor",
        "%n = ownership.dim %ref, 0 : REF\n%t = ownership.load_from %ref[%n] : REF -> TILE",
        codes=("O303",),
    ),
    # Every block updates the same elements, again and again.
    Case(
        "updates that meet",
        "%n = cuda_tile.iota : IDS\nownership.accumulate <add> %n, %acc[%zero] : IDS, ACC\n"
        "ownership.accumulate_at <add> %n, %acc[%n] : IDS, ACC, (IDS)",
    ),
    Case(
        "updates that do not commute",
        "%n = cuda_tile.iota : IDS\nownership.accumulate <add> %n, %acc[%zero] : IDS, ACC\n"
        "ownership.accumulate_at <max> %n, %acc[%n] : IDS, ACC, (IDS)",
        codes=("O131",),
    ),
    Case(
        "an update behind the last tile",
        "%n = cuda_tile.iota : IDS\n%m = ownership.tiles %acc, 0 by 64 : ACC\n"
        "ownership.accumulate <add> %n, %acc[%m] : IDS, ACC",
        codes=("O302",),
    ),
    Case(
        "an unsafe access",
        '%v = ownership.unsafe_load "why" %raw[%zero] {ordering = #cuda_tile.memory_ordering_semantics<weak>}'
        " : RAW, (INDEX) -> INDEX",
    ),
    Case("a promise", "%a = cuda_tile.assume bounded<0, 4>, %s : INDEX", codes=("O112",)),
    Case(
        "an unsafe access where these are denied",
        '%v = ownership.unsafe_load "why" %raw[%zero] {ordering = #cuda_tile.memory_ordering_semantics<weak>}'
        " : RAW, (INDEX) -> INDEX",
        codes=("O132",),
        denied=True,
    ),
    Case(
        "a check where these are denied",
        "%far = cuda_tile.muli %i, %s : INDEX\n%t = ownership.load %ref[%far] : REF -> TILE",
        codes=("O301",),
        denied=True,
    ),
    Case(
        "what others write",
        "%t = ownership.load %lent[%i] : REFN -> TILE".replace("REFN", "!ownership.ref<[N], f32>"),
        after="",
        codes=("O103",),
        template=SHARED,
    ),
    Case(
        "a region of the point's group",
        "cuda_tile.if %in {\n%r = ownership.region %p[%e, %i, %j] : GROUPED -> GREGION\ncuda_tile.yield\n}",
        after="",
        template=GROUPS,
    ),
    Case(
        "a region of a group that may have fewer",
        "%r = ownership.region %p[%e, %i, %j] : GROUPED -> GREGION",
        after="",
        codes=("O306",),
        template=GROUPS,
    ),
    Case(
        "a region more than a group has",
        "cuda_tile.if %near {\n%r = ownership.region %p[%e, %i, %j] : GROUPED -> GREGION\ncuda_tile.yield\n}",
        after="",
        codes=("O306",),
        template=GROUPS,
    ),
    Case(
        "a region that another group has",
        "cuda_tile.if %elsewhere {\n%r = ownership.region %p[%e, %i, %j] : GROUPED -> GREGION\ncuda_tile.yield\n}",
        after="",
        codes=("O306",),
        template=GROUPS,
    ),
    Case("a promise not to wrap", "%a = cuda_tile.addi %s, %one overflow<no_signed_wrap> : INDEX", codes=("O112",)),
]


def located(text: str) -> str:
    """Every operation of a body, as text that was inlined from a helper."""
    lines = [
        f'{line} loc(callsite("helper.py":{n}:5 at "kernel.py":9:3))' for n, line in enumerate(text.split("\n"), 1)
    ]
    return "\n".join(lines)


def wrapped(case: Case, form: str, blocks: str = "") -> str:
    """The case's body in a form."""
    text = case.text
    if form == "for":
        text = f"cuda_tile.for %turn in (%zero to %two, step %one) : INDEX {{\n{text}\ncuda_tile.continue\n}}"
    elif form == "if":
        text = f"cuda_tile.if %flag {{\n{text}\ncuda_tile.yield\n}}"
    elif form == "helper" and text and "{" not in text:
        text = located(text)
    return expand(case.template.replace("BODY", f"{text}\n{case.after}").replace("BLOCKS", blocks))


def read(text: str) -> ModuleOp:
    return parse_module(make_context(), text, "case.mlir")


def codes_of(text: str, *, denied: bool = False) -> set[str]:
    module = read(text)
    try:
        verify(module, deny_kernel_checks=denied, deny_unsafe=denied)
    except Rejected as rejected:
        return {e.code if isinstance(e.place, Span) else "nowhere" for e in rejected.errors}
    return set()


def forms() -> Iterator[tuple[Case, str]]:
    for case in CASES:
        for form in FORMS:
            yield case, form


@pytest.mark.parametrize("blocks", ["", "blocks #ownership.blocks<persistent>"], ids=["each", "persistent"])
@pytest.mark.parametrize(("case", "form"), [*forms()], ids=lambda x: x.name if isinstance(x, Case) else x)
def test_a_rule_holds_in_every_form(case: Case, form: str, blocks: str) -> None:
    found = codes_of(wrapped(case, form, blocks), denied=case.denied)
    expected = case.expected(form)
    # Where a case lists alternatives of one fault in another form, each code that is found is among them.
    assert bool(found) == bool(expected)
    assert found <= expected


NO_FORMS = {
    **dict.fromkeys(("O104", "O130"), "uses of a whole tensor: they stand at the top level of a kernel"),
    **dict.fromkeys(("O115", "O117", "O119", "O121", "O123"), "said of partitions, domains and requirements as such"),
    "O118": "partitions, domains and requirements that stand elsewhere than at the top level",
    "O110": "said of what branches and loops hand on",
    "O111": "operations that the verifiers do not know: test/lit/passes/verify_borrows_invalid.mlir",
    **dict.fromkeys(("O133", "O134", "O305"), "windows: refused if they stand elsewhere (O118)"),
    **dict.fromkeys(("O109", "O122"), "said of all that a kernel does: test_covered.py has its loops and branches"),
    "O116": "regions outside of the distribution, where nothing else may stand",
    "O120": "IR that is malformed",
    "O304": "maps of partitions, which the frontend writes at the top level of a point's work",
    **dict.fromkeys(("O140", "O141", "O142"), "said of what a kernel is translated to, or is not"),
}
"""Errors that no statement of a point's work can cause in every form, and why."""


def test_every_rule_is_refused_in_every_form() -> None:
    """An error of the verifiers is among the cases, or it is known why not."""
    shown = {form: {code for case in CASES for code in case.expected(form)} for form in FORMS}
    rules = {
        found.code
        for module in ("borrow", "sharing", "partition", "bounds", "windows", "translation")
        for found in vars(import_module(f"freehold.passes.errors.{module}")).values()
        if isinstance(found, type) and issubclass(found, Error) and found is not Error
    }
    for form in FORMS:
        assert shown[form] == rules - NO_FORMS.keys(), form


@pytest.mark.parametrize("case", [c for c in CASES if c.codes and c.text and "{" not in c.text], ids=lambda c: c.name)
def test_errors_in_a_helper_show_the_call(case: Case) -> None:
    with pytest.raises(Rejected) as caught:
        verify(read(wrapped(case, "helper")), deny_kernel_checks=case.denied, deny_unsafe=case.denied)
    places = [e.place for e in caught.value.errors]
    if case.name == "use after release":
        labels = [label.span for e in caught.value.errors for label in e.report().labels]
        assert any(span.call_site is not None for span in labels)
    else:
        assert any(isinstance(p, Span) and p.call_site is not None and p.call_site.line == 9 for p in places)
