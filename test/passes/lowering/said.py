"""Everything that passes say of a kernel and make of it, as texts by the name of who says it: for tables of many."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException

from freehold.dialects.cuda_tile.integers import width_of
from freehold.dialects.cuda_tile.ops.control_flow import ForOp, LoopOp
from freehold.dialects.location import span_of
from freehold.dialects.ownership import DistributeOp, GatherOp, KernelOp, duties_of
from freehold.passes.analysis.divisibility import Divisors
from freehold.passes.analysis.facts import KernelFacts
from freehold.passes.analysis.ranges import Ranges
from freehold.passes.cost import cost
from freehold.passes.deny_kernel_checks import deny_kernel_checks
from freehold.passes.launch_contract import contract, describe, kernel_of
from freehold.passes.listing import listing
from freehold.passes.lowering import convert
from freehold.passes.pipeline import verify
from freehold.passes.prover.journal import Claim, journal
from freehold.passes.report_obligations import report
from freehold.passes.split_loops import split_loops
from freehold.passes.verify_duties import owing
from freehold.passes.warn_padding import padding_folded
from freehold.support.diagnostic import Error, Rejected

DIGITS: Final = 5
"""Hexadecimal digits of a digest: what differs has the same ones once in a million."""


def digest(text: str) -> str:
    """How many lines a text has, and digits that are others of most other texts."""
    return f"{text.count(chr(10)) + 1}:{hashlib.sha256(text.encode()).hexdigest()[:DIGITS]}" if text else "-"


def row(name: object, verdict: str, texts: Mapping[str, str]) -> str:
    """A line of a table: what came out, and for each text how long it is, and its digest."""
    return f"{name}  {verdict}  {' '.join(f'{key}={digest(text)}' for key, text in texts.items())}".rstrip()


def counted(names: Iterable[str]) -> str:
    """Names, each with how often it is there."""
    return " ".join(f"{name}*{n}" if n > 1 else name for name, n in sorted(Counter(names).items())) or "nothing"


def rendered(errors: Iterable[Error]) -> str:
    """Errors in full: places, labels, notes, and what helps."""
    found = [*errors]
    return str(Rejected(found)) if found else ""


def concluded(claims: Iterable[Claim]) -> str:
    """What was concluded on the way, by what, and of which facts."""
    return "\n".join(f"{claim.goal} by {claim.by} of {_listed(claim.facts)}" for claim in claims)


def numbered(root: Operation) -> dict[SSAValue, str]:
    """A name for each value of an operation, by its place in the text."""
    names: dict[SSAValue, str] = {}
    for op in root.walk():
        for region in op.regions:
            for block in region.blocks:
                names |= {argument: f"%{len(names) + n}" for n, argument in enumerate(block.args)}
        names |= {result: f"%{len(names) + n}" for n, result in enumerate(op.results)}
    return names


def facts_of(kernel: KernelOp, facts: KernelFacts) -> str:
    """What is known of each integer and at each place, in the order of the text."""
    names = numbered(kernel)
    lines = [f"launch {sorted(facts.launch)} uniform {sorted(facts.uniform)}", f"base {_listed(facts.base.facts)}"]
    lines += [f"{name} is {names[value]}" for name, value in facts.symbols.items()]
    lines += [f"{names[value]} = {facts.terms[value]}" for value in names if value in facts.terms]
    for op in kernel.walk():
        if (place := facts.places.get(op)) is not None:
            lines.append(f"{op.name}: {_listed(place.given.facts)} | {_listed(place.conditions)}")
            lines.append(f"  bounds {[(_listed(m), b) for m, b in place.given.bounds.items()]}")
        if isinstance(op, ForOp | LoopOp) and op in facts.turns:
            before, turn = facts.turns[op]
            lines.append(f"{op.name}: {_listed(before.facts)} turns {_listed(turn.facts)}")
        if isinstance(op, ForOp):
            lines.append(f"  counter {facts.counters.get(op)} runs {op in facts.repeated}")
        if isinstance(op, DistributeOp):
            lines.append(f"points {facts.points.get(op)}")
        if isinstance(op, GatherOp):
            ranges = Ranges(facts.terms, facts.places[op].given)
            lines += [f"{op.name} of {_listed(ranges.of(index))}" for index in op.indices]
    known = Divisors(kernel)
    integers = [value for value in names if width_of(value.type) is not None]
    lines += [f"{names[value]} is a multiple of {n}" for value in integers if (n := known.of(value)) > 1]
    return "\n".join(lines)


def _listed(parts: Iterable[object]) -> str:
    return "; ".join(map(str, parts))


def _made(make: Callable[[], str]) -> str:
    """What is made, or why it is not."""
    try:
        return make()
    except (Rejected, PassFailedException) as failed:
        return str(failed)


def origins(root: Operation) -> str:
    """Where each operation comes from, in the order of the text."""
    spans = ((op.name, span_of(op)) for op in root.walk())
    return "\n".join(name if span is None else f"{name} {span.line}:{span.start}-{span.end}" for name, span in spans)


def said(module: ModuleOp) -> tuple[str, dict[str, str]]:
    """The verdict on a module of one kernel, and all texts of it. The module gets its obligations."""
    facts: list[KernelFacts] = []
    with journal() as claims:
        try:
            verify(module, facts=facts)
            errors: tuple[Error, ...] = ()
        except Rejected as refused:
            errors = refused.errors
    kernel = kernel_of(module)
    texts = {"errors": rendered(errors), "proofs": concluded(claims)}
    if facts:
        texts["facts"] = facts_of(kernel, facts[0])
    if errors:
        return counted(error.code for error in errors), texts
    (known,) = facts
    cut = split_loops(module, known)
    texts |= {
        "report": "\n".join(report(module, advice=True)),
        "denied": rendered(deny_kernel_checks(kernel, known)),
        "contract": _made(lambda: describe(contract(module))),
        "cost": str(cost(kernel, known)),
        "padding": rendered(padding_folded(kernel)),
        "listing": "\n".join(listing(kernel)),
        "cut": "" if cut is module else str(cut),
        "code": _made(lambda: str(convert(cut))),
    }
    return counted(duty.rung.value for op in owing(kernel) for duty in duties_of(op) if duty.text), texts
