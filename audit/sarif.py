"""An audit as data: SARIF 2.1.0 for continuous integration, and plain JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.ir import Operation

from freehold.audit.signature import proposed
from freehold.audit.text import where
from freehold.audit.verdict import Audit, Finding, Open
from freehold.dialects.location import span_of
from freehold.support.report import PlacedText
from freehold.support.span import Span


def plain(found: Audit) -> dict[str, Any]:
    """Everything that the text says."""
    return {
        "kernel": found.kernel,
        "grid": list(found.launch.grid),
        "verdict": found.verdict,
        "arrays": [
            {
                "name": array.name,
                "share": array.share,
                "in_every_launch": array.everywhere,
                "accesses": [{"at": where((b.op,)), "bounds": b.status, "what": b.what} for b in array.bounds],
            }
            for array in found.arrays
        ],
        "findings": [
            {
                "code": finding.error.code,
                "what": finding.error.report().title,
                "at": where(finding.ops),
                "blocks": [found.launch.block(block) for block in finding.blocks],
            }
            for finding in found.findings
        ],
        "open": [{"what": o.what, "why": o.why, "at": where(o.ops), "decided_by": o.fact} for o in found.open],
        "dead_blocks": found.dead,
        "signature": proposed(found) if found.verdict == "safe" else None,
    }


def log(audits: Sequence[Audit], file: str) -> dict[str, Any]:
    """A SARIF log: findings are errors; what is not decided, and tile blocks that write nothing, are notes."""
    results: list[dict[str, Any]] = []
    rules: dict[str, dict[str, Any]] = {}
    for found in audits:
        for finding in found.findings:
            rules.setdefault(finding.error.code, {"id": finding.error.code, "name": type(finding.error).__name__})
            results.append(_finding(finding, file))
        for item in found.open:
            rules.setdefault("undecided", {"id": "undecided", "name": "Undecided"})
            results.append(_open(item, found.kernel, file))
        if found.dead:
            rules.setdefault("dead-blocks", {"id": "dead-blocks", "name": "DeadBlocks"})
            results.append(_note("dead-blocks", f"kernel `{found.kernel}`: {found.dead}", None, file))
    driver = {"name": "tile-audit", "informationUri": "https://pypi.org/project/freehold/", "rules": [*rules.values()]}
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }


def _finding(finding: Finding, file: str) -> dict[str, Any]:
    report = finding.error.report()
    labels: Sequence[PlacedText] = report.labels
    main = next((label for label in labels if label.primary), None)
    result: dict[str, Any] = {
        "ruleId": finding.error.code,
        "level": "error",
        "message": {"text": "; ".join([report.title, *report.notes])},
        "locations": [_location(main.span if main is not None else None, file)],
    }
    others = [label for label in labels if not label.primary]
    if others:
        result["relatedLocations"] = [
            {**_location(label.span, file), "message": {"text": label.text}} for label in others
        ]
    return result


def _open(item: Open, kernel: str, file: str) -> dict[str, Any]:
    text = f"{item.what}: {item.why}" + (f"; decided by {item.fact}" if item.fact else "")
    op: Operation | None = item.ops[0] if item.ops else None
    return _note("undecided", f"kernel `{kernel}`: {text}", op, file)


def _note(rule: str, text: str, op: Operation | None, file: str) -> dict[str, Any]:
    return {
        "ruleId": rule,
        "level": "note",
        "message": {"text": text},
        "locations": [_location(None if op is None else span_of(op), file)],
    }


def _location(span: Span | None, file: str) -> dict[str, Any]:
    if span is None:
        return {"physicalLocation": {"artifactLocation": {"uri": file}}}
    region = {
        "startLine": span.line,
        "startColumn": span.start + 1,
        "endLine": span.end_line,
        "endColumn": max(span.end, span.start + 1) + (span.line == span.end_line and span.end <= span.start),
    }
    return {"physicalLocation": {"artifactLocation": {"uri": span.file}, "region": region}}
