"""Where a call stands in its file, and each argument in the call: as text and as places, where these can be had."""

# Stand-ins are of no type that checkers know.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from freehold.runtime.base import call_site
from freehold.runtime.base.call_site import CallSite
from freehold.runtime.memory import blame
from freehold.support.report import Argument


class Probe:
    """Notes where it is called, indexed or asked for an attribute."""

    def __init__(self) -> None:
        self.site = CallSite()

    def note(self) -> Probe:
        frame = sys._getframe(2)  # pyright: ignore[reportPrivateUsage] -- as the code that is tested
        self.site = CallSite(frame.f_code, frame.f_lasti)
        return self

    def __call__(self, *given: Any, **named: Any) -> Probe:
        return self.note()

    def __getitem__(self, at: Any) -> Probe:
        return self.note()

    @property
    def attribute(self) -> Probe:
        return self.note()

    def method(self, *given: Any) -> Probe:
        return self.note()


probe = Probe()
a_name_that_is_much_too_long_to_be_shown_here = probe
given = [1, 2]


def receiver(site: CallSite) -> str | None:
    found = site.receiver
    return None if found is None else found[1]


def test_what_a_method_is_called_on() -> None:
    assert receiver(probe.method(3).site) == "probe"
    assert receiver(probe[0].site) == "probe"
    assert receiver(probe.attribute.site) == "probe"
    assert receiver(probe(3).site) is None
    assert receiver(a_name_that_is_much_too_long_to_be_shown_here.method().site) is None
    found = probe.method(3).site.receiver
    assert found is not None
    assert found[0].end - found[0].start == len("probe")


def test_calls_without_some_of_their_arguments() -> None:
    more = {"first": 3}
    site = probe(1, 2, last=3, **more).site
    assert site.without(2) == "probe(1, 2, last=3, **more)"
    assert site.without(2, behind=1) == "probe(1, last=3, **more)"
    assert site.without(2, keyword="last") == "probe(1, 2, **more)"
    assert site.without(2, keyword="first") is None
    assert site.without(3) is None  # one of them was given by something in between
    assert next(map(probe, [1])).site.without(1) is None
    assert probe(*given).site.without(2) is None
    assert CallSite().without(0) is None


def test_what_stands_where_an_argument_does() -> None:
    site = probe(given[0], 1 + 2, last=(3, 4)).site
    assert [site.text(n, "first") for n in (0, 1, 2, None)] == ["given[0]", "1 + 2", None, None]
    assert site.text(None, "last") == site.text(0, "last") == "(3, 4)"
    assert site.text(0, "other") == "given[0]"
    starred = probe(*given, 5, last=6).site
    assert [starred.text(n, "first") for n in (0, 1, 2)] == [None, None, None]
    assert starred.text(1, "last") == "6"
    behind = probe(5, *given).site
    assert [behind.text(n, "first") for n in (0, 1)] == ["5", None]
    long = probe("forty-one characters, with both its quotes").site
    short = probe("forty characters, and with its quotes").site
    assert long.text(0, "first") == '"forty-one characters, with both its quotes"'
    assert long.short_text(0, "first") is None
    assert short.text(0, "first") == short.short_text(0, "first") == '"forty characters, and with its quotes"'
    lines = probe(
        [
            1,
        ]
    ).site
    assert lines.text(0, "first") == lines.short_text(0, "first") == "[1]"
    assert CallSite().text(0, "first") is None
    assert CallSite().short_text(0, "first") is None
    assert probe[0].site.text(0, "first") is None


def test_the_first_argument_of_what_is_written_as_a_call() -> None:
    site = probe(str(given), "", given, x=repr(3)).site
    assert [site.first_argument(n, "y") for n in range(4)] == ["given", None, None, None]
    assert site.first_argument(None, "x") == "3"
    many = probe(str([1111111111, 2222222222, 3333333333, 444]), str([1111111111, 2222222222, 3333333333, 44])).site
    assert many.first_argument(0, "y") is None  # of 41 characters
    assert many.first_argument(1, "y") == "[1111111111, 2222222222, 3333333333, 44]"


def test_places_of_arguments() -> None:
    site = probe(given, x=3).site
    place = site.argument(0, "first", "k")
    assert not isinstance(place, Argument)
    assert (place.file, place.end - place.start) == (__file__, len("given"))
    assert site.span is not None
    assert site.span.end - site.span.start == len("probe(given, x=3)")
    assert site.argument(1, "second", "k") == Argument("second", "k")
    assert CallSite().argument(0, "first", "k") == Argument("first", "k")
    assert CallSite().span is None
    assert CallSite().receiver is None


def test_a_file_that_is_no_python_has_no_places(monkeypatch: pytest.MonkeyPatch) -> None:
    site = probe(given).site
    monkeypatch.setattr("linecache.getlines", lambda name: ["this is )( nothing\\n"] * 200)  # pyright: ignore
    assert (site.span, site.text(0, "x"), site.receiver) == (None, None, None)


def test_the_innermost_call_from_outside_is_the_callers() -> None:
    site = call_site.caller()
    assert site.span is not None
    assert site.span.file == __file__


# --- Whose tensor it is -----------------------------------------------------------------------------------------------


class Tensor:
    """As much of a tensor as refusals look at: it was freed."""

    class storage:
        class gone:
            how, site, why = "freed", None, ""


def refusal(tensor: Any, write: bool = False) -> Any:
    return SimpleNamespace(tensor=tensor, write=write, hold=None)


def test_a_tensor_is_called_what_stands_for_it_in_the_call() -> None:
    x, y = Tensor(), Tensor()
    site = probe(given, y).site
    blamed: Any = blame.of_call("f", {"a": x, "b": y}, site)
    for tensor, shown, place in ((x, "given", "given"), (y, "y", "y"), (Tensor(), "a tensor", "probe(given, y)")):
        (error,) = blamed(refusal(tensor)).errors
        report = error.report()
        assert f"`{shown}`" in report.title or shown in report.title
        assert not isinstance(report.place, Argument)
        assert report.place is not None
        assert report.place.end - report.place.start == len(place)
    nowhere: Any = blame.of_call("f", {"a": x, "b": y}, CallSite())
    (error,) = nowhere(refusal(y, write=True)).errors
    assert error.report().place == Argument("b", "f")
    assert "b" in error.report().title


def test_a_tensor_of_a_method_is_what_the_method_is_called_on() -> None:
    x = Tensor()
    for site, shown in ((probe.method().site, "probe"), (CallSite(), "the tensor")):
        of_method: Any = blame.of_method("read", site)
        (error,) = of_method(refusal(x)).errors
        assert shown in error.report().title
    assert error.report().place == Argument("tensor", "Tensor.read")
