"""The book of each version in a folder of its own, and the front page that leads to the newest."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from freehold.tools.docs_version import main, publish


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text("new", encoding="utf-8")
    (tmp_path / "books").mkdir()
    return tmp_path / "site"


def front(books: Path) -> str:
    return (books / "index.html").read_text(encoding="utf-8")


def test_the_front_page_leads_to_the_newest_release(site: Path) -> None:
    books = site.parent / "books"
    publish(site, books, "0.2.0rc1")
    assert "url=0.2.0rc1/" in front(books)  # there is no other
    for version in ("0.10.0", "0.9.1", "1.0.0rc2", "1.0.0rc10"):
        publish(site, books, version)
    assert "url=0.10.0/" in front(books)
    places = [front(books).index(f">{v}<") for v in ("1.0.0rc10", "1.0.0rc2", "0.10.0", "0.9.1", "0.2.0rc1")]
    assert places == sorted(places)
    publish(site, books, "1.0.0")
    assert "url=1.0.0/" in front(books)


ORDERED = ["0.2.0", "0.10.0a1", "0.10.0b1", "0.10.0rc2", "0.10.0rc10", "0.10.0", "0.10.1", "1.0.0rc1", "1.0.0"]


def test_versions_stand_in_their_order(site: Path) -> None:
    books = site.parent / "books"
    for version in [*ORDERED[::2], *ORDERED[1::2]]:
        publish(site, books, version)
    found = re.findall(r'<li><a href="([^"]*)/">([^<]*)</a></li>', front(books))
    assert found == [(version, version) for version in reversed(ORDERED)]


def test_the_command(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(site), str(site.parent / "books"), "1.0.0"]) == 0
    assert (site.parent / "books" / "1.0.0" / "index.html").is_file()
    for wrong in ([], ["a", "b"], ["a", "b", "c", "d"]):
        assert main(wrong) == 2
        assert capsys.readouterr().err.startswith("usage: ")


def test_a_version_is_replaced_and_others_are_left(site: Path) -> None:
    books = site.parent / "books"
    for version in ("0.1.0", "0.2.0"):
        (books / version).mkdir()
        (books / version / "old.html").write_text("old", encoding="utf-8")
    publish(site, books, "0.2.0")
    assert [p.name for p in (books / "0.2.0").iterdir()] == ["index.html"]
    assert [p.name for p in (books / "0.1.0").iterdir()] == ["old.html"]


@pytest.mark.parametrize("version", ["latest", "../1.0.0", "1.0"])
def test_what_is_no_version_is_refused(site: Path, version: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(site), str(site.parent / "books"), version]) == 1
    assert "is no version" in capsys.readouterr().err
    assert not list((site.parent / "books").iterdir())


def test_a_site_that_is_not_there_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path), str(tmp_path / "books"), "1.0.0"]) == 1
    assert "`make docs` builds it" in capsys.readouterr().err
