"""The built book in a folder of its version: `python -m freehold.tools.docs_version SITE BOOKS VERSION`."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

_VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)(?:\W?([a-z]+)\W?(\d*))?")
"""A release, and of a release to come the kind and the number."""


def publish(site: Path, books: Path, version: str) -> None:
    """
    Copies a built book to `books/VERSION`, in place of what is there, and lets `books/index.html` list all versions.

    The front page leads on to the newest release; to the newest release to come while there is no other. Other versions
    are left as they are. Raises `ValueError` for a text that is no version, or a site without a front page.
    """
    if not _VERSION.fullmatch(version):
        raise ValueError(f"{version!r} is no version: three numbers with dots between them")
    if not (site / "index.html").is_file():
        raise ValueError(f"there is no book in {site}: `make docs` builds it")
    shutil.rmtree(books / version, ignore_errors=True)
    shutil.copytree(site, books / version)
    found = sorted((p.name for p in books.iterdir() if p.is_dir() and _VERSION.fullmatch(p.name)), key=_order)
    newest = [v for v in found if not _is_early(v)] or found
    listed = "".join(f'<li><a href="{v}/">{v}</a></li>' for v in reversed(found))
    (books / "index.html").write_text(
        "<!doctype html><html lang=en><meta charset=utf-8><title>Freehold</title>"
        f'<meta http-equiv=refresh content="0; url={newest[-1]}/"><ul>{listed}</ul></html>\n',
        encoding="utf-8",
    )


def _is_early(version: str) -> bool:
    found = _VERSION.fullmatch(version)
    return found is not None and found[4] is not None


def _order(version: str) -> tuple[int, int, int, bool, str, int]:
    found = _VERSION.fullmatch(version)
    assert found is not None
    major, minor, patch, kind, number = found.groups()
    return int(major), int(minor), int(patch), kind is None, kind or "", int(number or 0)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command. Returns its exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if len(given) != 3:
        print("usage: python -m freehold.tools.docs_version SITE BOOKS VERSION", file=sys.stderr)
        return 2
    try:
        publish(Path(given[0]), Path(given[1]), given[2])
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
