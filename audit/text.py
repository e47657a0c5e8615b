"""An audit as text for a terminal: errors with the author's source lines, then a line an array, then what is open."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation

from freehold.audit.facts import Tensor
from freehold.audit.signature import proposed
from freehold.audit.verdict import ArrayVerdict, Audit, Open
from freehold.dialects.location import span_of
from freehold.support.render import render
from freehold.support.span import SourceMap

VERDICTS = {
    "safe": "safe in this launch",
    "faulty": "faulty in this launch",
    "unknown": "not decided for this launch",
}


def text_of(found: Audit, sources: SourceMap | None = None, colour: bool = False) -> str:
    """The whole report of a kernel, without a line end."""
    parts = [render(finding.error.report(), sources, colour) for finding in found.findings]
    lines = [f"kernel `{found.kernel}`, grid {_grid(found)}: {VERDICTS[found.verdict]}"]
    width = max((len(array_text(found, a)) for a in found.arrays), default=0)
    lines += [f"  {array_text(found, a):{width}}  {became(found, a)}" for a in found.arrays]
    lines += [f"  {found.dead}"] if found.dead else []
    parts.append("\n".join(lines))
    if found.open:
        parts.append("\n".join(["not decided:", *listed(found.open)]))
    if found.hidden:
        parts.append("\n".join(["wrong, too, behind the errors above:", *listed(found.hidden)]))
    if found.verdict == "safe":
        parts.append("\n".join(["as a kernel of Freehold:", f"  {proposed(found)}"]))
    return "\n\n".join(parts)


def _grid(found: Audit) -> str:
    x, y, z = found.launch.grid
    return " x ".join(map(str, (x, y, z) if z > 1 else (x, y) if y > 1 else (x,)))


def array_text(found: Audit, array: ArrayVerdict) -> str:
    """An array with its dtype and shape."""
    tensor: Tensor = found.call.arrays[array.number].tensor
    return f"`{array.name}` {tensor.dtype}[{', '.join(map(str, tensor.shape))}]"


def became(found: Audit, array: ArrayVerdict) -> str:
    """What became of an array, in words."""
    share = {
        "untouched": "not accessed",
        "disjoint": "blocks write apart in every launch" if array.everywhere else "blocks write apart",
        "unordered": "accesses without order",
        "commuting": "updates that commute",
        "atomic": "atomic accesses, whose order matters",
        "unknown": "not decided",
    }.get(array.share, array.share)
    if array.share == "disjoint" and array.repeated:
        share += ", in the order of tokens"
    statuses = {bound.status for bound in array.bounds}
    worst = next((s for s in ("out of bounds", "unknown", "masked", "in bounds") if s in statuses), "")
    bounds = {
        "masked": "in bounds, masked at the edge",
        "unknown": "bounds not decided",
        "": "",
    }.get(worst, worst)
    return f"{share}; {bounds}" if bounds else share


def listed(items: Sequence[Open]) -> list[str]:
    """Lines about what was not decided."""
    lines: list[str] = []
    for item in items:
        places = where(item.ops)
        lines.append(f"  {item.what}: {item.why}" + (f" ({places})" if places else ""))
        if item.fact:
            lines.append(f"    decided by: {item.fact}")
    return lines


def where(ops: Sequence[Operation]) -> str:
    """The places of operations in their sources."""
    spans = [span_of(op) for op in ops]
    return ", ".join(dict.fromkeys(str(span) for span in spans if span is not None))
