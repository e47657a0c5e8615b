"""docs/layout.md has one sentence on every Python file: the first of its docstring."""

from __future__ import annotations

import ast
import inspect
import re
import tokenize
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "layout.md"
BLOCK = re.compile(r"<!-- files of (?P<folder>[\w/.]+) -->\n.*?<!-- end -->", re.DOTALL)
SENTENCE = re.compile(r".+?[.!?](?=\s|$)", re.DOTALL)


def docstring_of(path: Path) -> str:
    """A module's docstring: its first token that is no comment. What comes after is not read."""
    with path.open(encoding="utf-8") as file:
        for token in tokenize.generate_tokens(file.readline):
            if token.type not in (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE):
                return inspect.cleandoc(ast.literal_eval(token.string)) if token.type == tokenize.STRING else ""
    return ""


def sentence_of(path: Path) -> str:
    """The first sentence of a module's docstring, on one line; a colon that opens an example ends it, too."""
    doc = docstring_of(path).split("\n\n")[0]
    first = SENTENCE.match(doc)
    return " ".join((first.group() if first else doc).split())


def described(tracked: list[Path]) -> list[Path]:
    """The files with a sentence: all of Python but the root's, empty files and programs that tests refuse."""
    return [
        path
        for path in tracked
        if path.suffix == ".py"
        and path.parent != ROOT
        and "rejected" not in path.parts
        and not (path.parent.name == "mistakes" and path.name[0].isdigit())
        and path.read_text().strip()
    ]


def block(folder: str, paths: list[Path]) -> str:
    lines = [f"- `{path.relative_to(ROOT / folder).as_posix()}`: {sentence_of(path)}" for path in paths]
    return "\n".join([f"<!-- files of {folder} -->", "", *lines, "", "<!-- end -->"])


def test_the_page_has_a_sentence_on_every_file(tracked: list[Path], golden: Callable[[Path, str], None]) -> None:
    files = described(tracked)

    def write(match: re.Match[str]) -> str:
        folder = match.group("folder")
        return block(folder, [path for path in files if path.is_relative_to(ROOT / folder)])

    golden(PAGE, BLOCK.sub(write, PAGE.read_text(encoding="utf-8")))


def test_every_file_is_in_a_folder_of_the_page(tracked: list[Path]) -> None:
    folders = [match.group("folder") for match in BLOCK.finditer(PAGE.read_text(encoding="utf-8"))]
    left_out = [
        str(path.relative_to(ROOT))
        for path in described(tracked)
        if sum(path.is_relative_to(ROOT / folder) for folder in folders) != 1
    ]
    assert not left_out


def test_other_files_of_the_root_are_on_the_page(tracked: list[Path]) -> None:
    page = PAGE.read_text(encoding="utf-8")
    named = {path.relative_to(ROOT).parts[0] for path in tracked}
    assert {
        name for name in named if f"`{name}`" not in page and f"`{name}/`" not in page and f"`{name}/" not in page
    } == set()


def test_every_page_of_the_book_is_named(tracked: list[Path]) -> None:
    page = PAGE.read_text(encoding="utf-8")
    book = [path.relative_to(ROOT / "docs") for path in tracked if path.is_relative_to(ROOT / "docs")]
    assert [str(path) for path in book if path.parts[0] not in page] == []


def test_sentences_are_whole(tracked: list[Path]) -> None:
    wrong = [
        f"{path.relative_to(ROOT)}: {text}"
        for path in described(tracked)
        if (text := sentence_of(path))[-1:] not in ".:!?"
    ]
    assert not wrong
