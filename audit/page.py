"""An audit as one page of HTML that needs nothing else: verdicts, source lines, and pictures of who touches what."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

from freehold.audit.picture import picture
from freehold.audit.signature import proposed
from freehold.audit.text import VERDICTS, array_text, became, listed
from freehold.audit.verdict import Audit
from freehold.support.render import render
from freehold.support.span import SourceMap

_STYLE: Final = """
:root { color-scheme: light dark; font: 15px/1.45 system-ui, sans-serif; }
body { max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
pre { overflow-x: auto; padding: .8rem; border: 1px solid #8886; border-radius: 4px; }
table { border-collapse: collapse; } td, th { text-align: left; padding: .2rem .8rem .2rem 0; vertical-align: top; }
.safe { color: #1a7f37; } .faulty { color: #d1242f; } .unknown { color: #9a6700; }
h2 { overflow-wrap: anywhere; } figure { display: inline-block; margin: 0 1.5rem 1rem 0; }
"""


def page(audits: Sequence[Audit], title: str, sources: SourceMap | None = None) -> str:
    """The page."""
    body = "\n".join(_kernel(found, sources) for found in audits)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{_STYLE}</style></head><body>\n<h1>{escape(title)}</h1>\n{body}\n</body></html>\n"
    )


def _kernel(found: Audit, sources: SourceMap | None) -> str:
    grid = " x ".join(map(str, found.launch.grid))
    parts = [
        f'<section><h2><code>{escape(found.kernel)}</code>, grid {grid}: <span class="{found.verdict}">'
        f"{VERDICTS[found.verdict]}</span></h2>"
    ]
    parts += [f"<pre>{escape(render(finding.error.report(), sources, False))}</pre>" for finding in found.findings]
    rows = [
        f"<tr><td><code>{escape(array_text(found, a))}</code></td><td>{became(found, a)}</td></tr>"
        for a in found.arrays
    ]
    parts.append(f"<table><tr><th>array</th><th>what becomes of it</th></tr>{''.join(rows)}</table>")
    parts += [f"<p>{found.dead}</p>"] if found.dead else []
    for array in found.arrays:
        drawn = picture(found, array) if array.share not in ("untouched", "read only") else None
        if drawn is not None:
            parts.append(
                f"<figure>{drawn}<figcaption><code>{escape(array.name)}</code>: a colour a tile block that writes, red"
                " where two meet, grey what is read</figcaption></figure>"
            )
    for words, items in (("not decided", found.open), ("wrong, too, behind the errors above", found.hidden)):
        if items:
            parts.append(f"<h3>{words}</h3><pre>{escape(chr(10).join(listed(items)))}</pre>")
    if found.verdict == "safe":
        parts.append(f"<h3>as a kernel of Freehold</h3><pre>{escape(proposed(found))}</pre>")
    return "\n".join([*parts, "</section>"])
