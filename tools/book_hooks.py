"""What MkDocs is told beside mkdocs.yml: the README is the first page; links to the repository lead to copies."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
_LINK = re.compile(r"(\]\()([^)#\s]+)(#[^)\s]*)?(\))")
_FRONT = ("README.md", "CONTRIBUTING.md")
"""Pages that stand at the root of the repository."""


def on_files(files: Any, config: Any) -> Any:
    """Adds the pages at the root, and every file of the repository that a page links to."""
    from mkdocs.structure.files import File

    pages = {f.src_uri: (ROOT / "docs" / f.src_uri) for f in files.documentation_pages()}
    for name in _FRONT:
        files.append(File.generated(config, name, content=_at_root((ROOT / name).read_text(encoding="utf-8"))))
    linked: set[str] = set()
    for uri, path in pages.items():
        linked |= {outside for target in _targets(path) if (outside := _outside(uri, target))}
    for name in _FRONT:
        linked |= {t for t in _targets(ROOT / name) if not t.startswith("docs/") and t not in _FRONT}
    for name in sorted(linked):
        path = ROOT / name
        if path.is_dir():
            listed = "\n".join(
                f"- `{p.name}`: {_about(p)}" for p in sorted(path.glob("*.py")) if p.name != "__init__.py"
            )
            files.append(File.generated(config, f"source/{name.strip('/')}.md", content=f"# {name}\n\n{listed}\n"))
        elif path.is_file():
            files.append(File.generated(config, f"source/{name}.txt", content=path.read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Links to what stands outside of docs/ lead to its copy; links to folders of pages, to their first page."""
    uri = page.file.src_uri

    def change(found: re.Match[str]) -> str:
        target = found[2]
        if uri in _FRONT:
            target = (
                target
                if target.startswith("source/")
                else _copied(target, target in _FRONT or (ROOT / "docs" / target).exists())
            )
        elif outside := _outside(uri, target):
            target = posixpath.relpath(_copied(outside, False), posixpath.dirname(uri) or ".")
        folder = ROOT / "docs" / posixpath.join(posixpath.dirname(uri), target)
        if folder.is_dir():
            first = "README.md" if (folder / "README.md").exists() else "python.md"
            target = posixpath.join(target, first)
        return f"{found[1]}{target}{found[3] or ''}{found[4]}"

    return _LINK.sub(change, markdown)


def _at_root(text: str) -> str:
    return _LINK.sub(lambda m: f"{m[1]}{m[2].removeprefix('docs/')}{m[3] or ''}{m[4]}", text)


def _targets(path: Path) -> list[str]:
    return [m[2] for m in _LINK.finditer(path.read_text(encoding="utf-8")) if "://" not in m[2]]


def _outside(uri: str, target: str) -> str | None:
    """The path in the repository that a link of a page leads to, where that is outside of docs/."""
    if "://" in target or target.startswith(("#", "/")):
        return None
    found = posixpath.normpath(posixpath.join("docs", posixpath.dirname(uri), target))
    return None if found.startswith("docs") else found


def _copied(name: str, page: bool) -> str:
    """Where the copy of a file or folder of the repository stands."""
    if page or "://" in name or not (ROOT / name).exists():
        return name
    return f"source/{name.strip('/')}.md" if (ROOT / name).is_dir() else f"source/{name}.txt"


def _about(path: Path) -> str:
    """The first sentence of a file of Python."""
    text = path.read_text(encoding="utf-8").removeprefix('"""').strip()
    return text.split('"""')[0].split("\n\n")[0].replace("\n", " ").strip()
