"""
Faults in what is owed, put in on purpose: for each duty a verifier that meets it without looking, for each operation
that it is born without a duty, and the holes that there were. Each has a kernel that shows it, in milliseconds.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import PassFailedException

sys.path.insert(0, str(Path(__file__).parent))

from freehold.dialects.cuda_tile.integers import meaning_of
from freehold.dialects.ownership import Duty, DutyAttr, KernelOp, OwingOp, PartitionOp, Rung
from freehold.passes import convert_ownership_to_cuda_tile, launch_contract, lowering, pipeline, thread_tokens
from freehold.passes.analysis import arithmetic
from freehold.passes.lowering import convert
from freehold.passes.verify_duties import owing, recorded, verify_duties
from freehold.support.diagnostic import Rejected
from freehold.tools.context import make_context
from freehold.tools.located_parser import parse_module

TENSOR: Final = "!ownership.tensor<[N], f32>"


def part(access: str = "mut", dims: str = "[N]") -> str:
    return f"<{access} tile [4], {dims}, f32>"


def kernel(*body: str, before: str = "", access: str = "mut", over: str = "") -> str:
    """A kernel of `y`, split into tiles of 4, of `x` and `z`, of i32 `h` and a scalar `k`."""
    split = f"!ownership.partition{part(access)}"
    lines = "\n".join(body)
    arguments = f"%y: {TENSOR}, %x: {TENSOR}, %h: !ownership.tensor<[4], i32>, %k: !cuda_tile.tile<i32>"
    return f"""ownership.kernel @k({arguments}) {{
  {before}
  %p = ownership.partition %y : {TENSOR} -> {split}
  %b = ownership.borrow %x : {TENSOR} -> !ownership.ref<[N], f32>
  %a = ownership.accumulator %h : !ownership.tensor<[4], i32> -> !ownership.acc<[4], i32>
  ownership.distribute %p {over} : {split} {{
  ^bb0(%i: !cuda_tile.tile<i32>):
    %v = cuda_tile.constant <f32: 1.0> : tile<4xf32>
    %n = cuda_tile.constant <i32: 1> : tile<4xi32>
    %minus = cuda_tile.constant <i32: -1> : tile<i32>
    %zero = cuda_tile.constant <i32: 0> : tile<i32>
    {lines}
  }}
}}
"""


def take(name: str = "r", at: str = "i", access: str = "mut") -> str:
    return (
        f"%{name} = ownership.region %p[%{at}] : !ownership.partition{part(access)} -> !ownership.region{part(access)}"
    )


def store(access: str = "mut", name: str = "r") -> str:
    return f"ownership.store %v, %{name} : !cuda_tile.tile<4xf32>, !ownership.region{part(access)}"


def load(access: str = "mut") -> str:
    return f"%t = ownership.load %r : !ownership.region{part(access)} -> !cuda_tile.tile<4xf32>"


def read(at: str) -> str:
    return f"%u = ownership.load %b[%{at}] : !ownership.ref<[N], f32> -> !cuda_tile.tile<4xf32>"


def update(kind: str) -> str:
    return f"ownership.accumulate <{kind}> %n, %a[%zero] : !cuda_tile.tile<4xi32>, !ownership.acc<[4], i32>"


AGAIN: Final = f"%q = ownership.partition %y : {TENSOR} -> !ownership.partition{part()}"
UNUSED: Final = f"%q = ownership.partition %z : {TENSOR} -> !ownership.partition{part('out')}"
LONGER: Final = (
    f'%w = ownership.window %x[%k] {{axis = #builtin.int<0>}} : {TENSOR} -> !ownership.tensor<["N + 1"], f32>'
)
TWO: Final = 'ownership.require "5 <= N"'
WINDOW: Final = f'%w = ownership.window %x[%k] {{axis = #builtin.int<0>}} : {TENSOR} -> !ownership.tensor<["4"], f32>'
EIGHT, TWELVE = f"!ownership.partition{part(dims='[8]')}", f"!ownership.partition{part(dims='[12]')}"
OTHER_GRID: Final = f"""ownership.kernel @k(%y: !ownership.tensor<[8], f32>, %x: !ownership.tensor<[12], f32>) {{
  %p = ownership.partition %y : !ownership.tensor<[8], f32> -> {EIGHT}
  %q = ownership.partition %x : !ownership.tensor<[12], f32> -> {TWELVE}
  ownership.distribute %p, %q : {EIGHT}, {TWELVE} {{
  ^bb0(%i: !cuda_tile.tile<i32>):
  }}
}}
"""

WRONG: Final[dict[Duty, tuple[str, tuple[str, ...]]]] = {
    Duty.LAUNCHABLE: (kernel(before='ownership.require "N < 1"'), ("O119",)),
    Duty.UNDERSTOOD: (kernel("%l = cuda_tile.assume bounded<0, 3>, %k : tile<i32>"), ("O112",)),
    Duty.APART: (kernel(before=AGAIN), ("O104",)),
    Duty.COMMUTING: (kernel(update("add"), update("max")), ("O131",)),
    Duty.SAME_GRID: (OTHER_GRID, ("O115",)),
    Duty.DISJOINT: (kernel(take(at="zero"), store()), ("O101",)),
    Duty.FITS: (kernel(before=LONGER), ("O305",)),
    Duty.IN_BOUNDS: (kernel(read("minus")), ("O302",)),
    Duty.DISTRIBUTED: (kernel(before=UNUSED).replace(", %k:", f", %z: {TENSOR}, %k:"), ("O109",)),
    Duty.COVERED: (kernel(take(access="out"), store("out"), before=TWO, access="out", over='over ["1"]'), ("O122",)),
    Duty.HELD: (kernel(take(), f"ownership.release %r : !ownership.region{part()}", store()), ("O105",)),
    Duty.INITIALISED: (kernel(take(access="out"), load("out"), store("out"), access="out"), ("O107",)),
    Duty.STORED: (kernel(take(access="out"), access="out"), ("O108",)),
}
"""For each duty a kernel that does not meet it, and what says so. Offsets are checked in every kernel (`grouped`), and
where a point takes a region again no kernel is wrong, but ordered."""

TRUTHS: Final = kernel(
    "%c = cuda_tile.cmpi equal %i, %zero, signed : tile<i32> -> tile<i1>",
    "%d = cuda_tile.cmpi equal %i, %minus, signed : tile<i32> -> tile<i1>",
    "%e = cuda_tile.cmpi not_equal %i, %minus, signed : tile<i32> -> tile<i1>",
    "%m = cuda_tile.mini %c, %e signed : tile<i1>",  # to a signed reading true is the smaller of both
    "cuda_tile.if %m {",
    take(at="zero"),
    store(),
    "cuda_tile.yield",
    "}",
)
"""All tile blocks write one region: the smaller of two truth values is true where either is."""

TWICE: Final = kernel(take(), store(), take("s"), store(name="s"))
"""A point that takes its region again: right, if its accesses wait for each other."""

EACH: Final = "!ownership.tensor<[E], f32>"
OFFSETS: Final = '<["E + 1"], i32>'
GROUPED: Final = "!ownership.partition<mut tile [4] ragged 0, [N], f32>"
GROUPS: Final = f"""ownership.kernel @k(%y: {TENSOR}, %o: !ownership.tensor{OFFSETS}, %w: {EACH}) {{
  %b = ownership.borrow %o : !ownership.tensor{OFFSETS} -> !ownership.ref{OFFSETS}
  %p = ownership.partition %y by %b : !ownership.ref{OFFSETS}, : {TENSOR} -> {GROUPED}
  ownership.distribute %p over [E, "ceildiv(N, 4)"] : {GROUPED} {{
  ^bb0(%e: !cuda_tile.tile<i32>, %i: !cuda_tile.tile<i32>):
  }}
}}
"""

RIGHT: Final = (
    kernel(take(access="out"), store("out"), load("out"), read("i"), update("add"), access="out"),
    kernel(before=WINDOW),
    OTHER_GRID.replace("12", "8"),
    GROUPS,
)

OWED: Final[frozenset[tuple[str, Duty]]] = frozenset(
    (f"ownership.{name}", duty)
    for name, duties in {
        "kernel": (Duty.LAUNCHABLE, Duty.UNDERSTOOD),
        "partition": (
            *(Duty.APART, Duty.DISJOINT, Duty.ORDERED, Duty.GROUPED),
            *(Duty.DISTRIBUTED, Duty.COVERED, Duty.STORED),
        ),
        "borrow": (Duty.APART,),
        "accumulator": (Duty.APART, Duty.COMMUTING),
        "distribute": (Duty.DISJOINT, Duty.SAME_GRID),
        "region": (Duty.DISJOINT, Duty.IN_BOUNDS, Duty.HELD, Duty.INITIALISED, Duty.STORED),
        "load": (Duty.IN_BOUNDS,),
        "accumulate": (Duty.IN_BOUNDS,),
        "window": (Duty.FITS, Duty.IN_BOUNDS),
    }.items()
    for duty in duties
)
"""What operations owe, said a second time."""


def parsed(text: str) -> ModuleOp:
    return parse_module(make_context(), text, "kernel.mlir")


def codes(module: ModuleOp) -> tuple[str, ...]:
    """What verification says of a module."""
    try:
        pipeline.verify(module)
    except Rejected as rejected:
        return tuple(rejected.codes)
    return ()


def converts(module: ModuleOp) -> bool:
    try:
        convert(module)
    except PassFailedException:
        return False
    return True


# What looks for faults: each returns what is wrong, or nothing


def wrong_kernels() -> str:
    """No wrong kernel is accepted, and each is refused for what is wrong with it."""
    if untold := {*Duty} - {*WRONG, Duty.GROUPED, Duty.ORDERED} or {*Duty} - {duty for _, duty in OWED}:
        return f"no kernel here shows what breaks {', '.join(sorted(untold))}, or which operation owes it"
    for duty, (text, wanted) in WRONG.items():
        if not (found := codes(parsed(text))):
            return f"a kernel that is not {duty.replace('_', ' ')} is accepted"
        if not {*wanted} <= {*found}:
            return f"a kernel that is not {duty.replace('_', ' ')} is refused for {found}"
    return "" if codes(parsed(TRUTHS)) else "a kernel in which all blocks write one region is accepted"


def what_is_owed() -> str:
    """Right kernels are accepted, everything that is owed is recorded, and a point that takes a region again waits."""
    recorded: set[tuple[str, Duty]] = set()
    for text in RIGHT:
        if found := codes(module := parsed(text)):
            return f"a kernel that is right is refused: {found}"
        recorded |= {(op.name, d.duty) for op in module.walk() if isinstance(op, OwingOp) for d in op.owes}
    if missing := OWED - recorded:
        return "nothing is owed: " + ", ".join(sorted(f"{name} {duty}" for name, duty in missing))
    pipeline.verify(module := parsed(TWICE))
    ordered = {op.duty(Duty.ORDERED).rung for op in module.walk() if isinstance(op, PartitionOp)}
    return "" if ordered == {Rung.TOKENS} else "nothing orders what a point does to one region"


def what_is_not_verified() -> str:
    """What nobody has looked at is not lowered: a kernel in a module in a module, one that was read, one as it is."""
    nested = ModuleOp([parsed(WRONG[Duty.DISJOINT][0])])
    accepted = not codes(nested)
    if accepted and any(verify_duties(op) for op in nested.walk() if isinstance(op, KernelOp)):
        return "a kernel in a nested module is looked at by nobody"
    if converts(parsed(RIGHT[0])):
        return "a kernel that nobody has verified is lowered"
    pipeline.verify(module := parsed(RIGHT[0]))
    return "a kernel that says of itself that it is right is lowered" if converts(parsed(str(module))) else ""


FINDERS: Final = (wrong_kernels, what_is_owed, what_is_not_verified)


def first_trace() -> str:
    """What any of them finds."""
    return next((found for look in FINDERS if (found := look())), "")


# The faults


_VERIFY: Final = pipeline.verify_kernel


def blind(*duties: Duty) -> Any:
    """Verifiers that write down that duties are met, and never look."""
    ignored = {"O142", *(code for duty in duties for code in WRONG.get(duty, ("", ()))[1])}

    def careless(kernel: KernelOp, **options: Any) -> Any:
        errors = [e for e in _VERIFY(kernel, **options) if e.code not in ignored]
        for op in owing(kernel):
            op.discharge(*(DutyAttr.of(d, Rung.PROVED, axis=axis) for d, axis in op.owed if d in duties))
        return errors or verify_duties(kernel)

    return patch.object(pipeline, "verify_kernel", careless)


def unborn(name: str, duty: Duty) -> Any:
    """Operations that do not say that they owe something."""
    kind: Any = next(type(op) for text in RIGHT for op in parsed(text).walk() if op.name == name)
    owed = kind.owed.fget
    return patch.object(kind, "owed", property(lambda op: [o for o in owed(op) if o[0] is not duty]))


def _unsigned_truths(op: Any) -> Any:
    meaning = meaning_of(op)
    return replace(meaning, signed=False) if meaning is not None and meaning.width == 1 else meaning


def _at_the_top(module: ModuleOp) -> Iterator[KernelOp]:
    return (op for op in module.body.block.ops if isinstance(op, KernelOp))


FAULTS: Final[dict[str, Callable[[], list[Any]]]] = {
    **{f"nobody looks: {duty.value}": lambda duty=duty: [blind(duty)] for duty in Duty if duty is not Duty.DISTRIBUTED},
    "outputs that are not distributed": lambda: [blind(Duty.DISTRIBUTED, Duty.COVERED, Duty.STORED)],
    **{
        f"{name.split('.')[1]} does not owe: {duty.value}": lambda name=name, duty=duty: [unborn(name, duty)]
        for name, duty in sorted(OWED)
    },
    "true is 1 to a signed minimum": lambda: [patch.object(arithmetic, "meaning_of", _unsigned_truths)],
    "modules in modules": lambda: [patch.object(pipeline, "kernels_of", _at_the_top)],
    "what is not verified is lowered": lambda: [
        patch.object(room, "require_discharged", recorded)  # what is open is handed on too
        for room in (lowering, convert_ownership_to_cuda_tile, launch_contract, thread_tokens)
    ],
    "what text says is believed": lambda: [
        patch.object(DutyAttr, "parse_parameters", lambda parser: DutyAttr.read(parser).parameters)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType] -- a parser
    ],
}
"""By name: the patches that put a fault in."""
