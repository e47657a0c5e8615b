"""What `make plant` plants: programs all of them, each another one than before, and near to some tests."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from layers import MAY_IMPORT

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "test" / "fuzz"))

from launching import Launches  # noqa: E402 -- from that folder
from plant import (  # noqa: E402 -- as above
    FIRST,
    ROOMS,
    Batch,
    Judged,
    Judges,
    Workplace,
    failing_of_lit,
    grouped,
    in_order,
    is_in,
    nearest,
    recorded,
    rounds,
)
from source_faults import Fault, faults_of  # noqa: E402 -- as above
from watching import PLUGINS, WATCHES, Watched, in_parallel, watched, with_instructions  # noqa: E402 -- as above

TEXT = """
def chosen(a: int, b: int = 4) -> bool:
    \"\"\"1 is no number here.\"\"\"
    if a < 2 and not b:
        a += 1
    assert a
    return min(a, b) in (0, 3) or isinstance(a, int | str)
"""
PLANTED = {
    "a <= 2", "2 and not b".replace("and", "or"), "not (a < 2 and not b)", "a < 3", "and (b)", "        pass", "a += 2",
    "max(a, b)", "not in", "(1, 3)", "(0, 4)", ") and isinstance", "isinstance(a, int)",
}  # fmt: skip


def planted(fault: Fault, text: bytes) -> str:
    """The line that a fault changes, as it is then."""
    before, after = text.decode().splitlines(), fault.planted(text).decode().splitlines()
    [line] = [new for old, new in zip(before, after, strict=True) if old != new]
    assert line == after[fault.line - 1]
    return line


def test_what_is_planted(tmp_path: Path) -> None:
    file = tmp_path / "chosen.py"
    file.write_text(TEXT, encoding="utf-8")
    found = [planted(fault, file.read_bytes()) for fault in faults_of(file, tmp_path)]
    assert len(found) == len(PLANTED)
    for piece in PLANTED:
        assert any(piece in line for line in found), piece


@pytest.mark.parametrize(
    "path", ["support/terms.py", "passes/cse.py", "frontend/types.py", "runtime/interpreter/rounding.py"]
)
def test_faults_are_programs(path: str) -> None:
    text, faults = (ROOT / path).read_bytes(), faults_of(ROOT / path, ROOT)
    assert faults
    for fault in faults[:: max(1, len(faults) // 20)]:
        planted(fault, text)
        ast.parse(fault.planted(text))


def test_faults_are_drawn_from_every_room_and_each_has_tests() -> None:
    assert {*ROOMS} == {*MAY_IMPORT}
    for room in ROOMS:
        suites = [each for each in nearest(f"{room}/__init__.py") if (ROOT / each).is_dir()]
        assert suites, room


def test_the_nearest_tests_come_first() -> None:
    assert nearest("passes/hoist_invariants.py")[0] == "test/lit/passes/hoist_invariants.mlir"
    assert nearest("engine/pages.py")[0] == "test/engine/test_pages.py"
    assert nearest("runtime/interpreter/rounding.py")[0] == "test/interpreter/test_rounding.py"
    polynomials = nearest("passes/prover/polynomials.py")
    assert polynomials.index("test/passes/test_prover.py") < polynomials.index(
        "test/passes/test_ranges.py"
    )  # by imports
    assert polynomials[-1] == "test/passes"


def test_few_files_are_imported_for_the_first_answer() -> None:
    near = ["test/lit/a.mlir", *(f"test/{n}.py" for n in range(9)), "test/lit/b", "test/c", "test/d"]
    assert [len(files) for files in rounds(near)] == [1, 2, 6, 1, 1, 1, 1]
    assert [name for files in rounds(near) for name in files] == near


def test_the_nearest_run_first_and_then_some_of_each_file() -> None:
    near = ["test/b.py", "test/lit/b", "test/a"]
    tests = ["test/a/c.py::x[1]", "test/b.py::y", "test/d.py::x", "test/d.py::y", "test/e.py::x", "test/lit/a.mlir",
             "test/lit/b/c.mlir"]  # fmt: skip
    ordered = ["test/b.py::y", "test/lit/b/c.mlir", "test/a/c.py::x[1]", "test/lit/a.mlir", "test/d.py::x",
               "test/e.py::x", "test/d.py::y"]  # fmt: skip
    assert in_order(tests, near) == ordered
    assert [name for name in tests if is_in(name, near)] == [tests[0], tests[1], tests[6]]
    assert not is_in("test/ab.py::x", ["test/a"])


def test_tests_of_one_kind_run_in_one_process_a_few_at_first() -> None:
    tests = ["test/a.py::x", "test/a.py::y", "test/lit/b/c.mlir", "test/d.py::x", "test/d.py::y", "test/a.py::z"]
    assert list(grouped(tests, dict.fromkeys(tests, FIRST / 2 + 1))) == [
        Batch(["test/a.py"], ("test/a.py::x", "test/a.py::y"), FIRST + 2),
        Batch(["test/lit/b/c.mlir"], (), FIRST / 2 + 1),
        Batch(["test/d.py", "test/a.py"], ("test/d.py::x", "test/d.py::y", "test/a.py::z"), 3 * (FIRST / 2 + 1)),
    ]


def test_what_lit_says_of_failures() -> None:
    said = "Failed Tests (2):\n  freehold :: passes/a.mlir\n  freehold :: b.mlir\n\nTotal Discovered Tests: 3\n"
    assert failing_of_lit(said) == ["test/lit/passes/a.mlir", "test/lit/b.mlir"]


def test_a_line_of_an_import_is_for_any_test() -> None:
    ran = {"test/a.py::x": 1.0, "test/a.py::y": 1.0}
    known = Watched({("a.py", 1): ("test/a.py::x", "test/a.py::y"), ("a.py", 2): ("", "test/a.py::x")}, ran,
                    {"test/a.py::y"}, 2.0)  # fmt: skip
    assert known.passing == {"test/a.py::x"}
    assert known.of("a.py", 1) == ("test/a.py::x",)  # the other one fails without a fault
    assert known.of("a.py", 2) is None
    assert known.of("a.py", 3) == ()


FAULT = Fault("passes/cse.py", 1, 0, "a", "b")
OTHER = Fault("passes/cse.py", 2, 0, "a", "b")
THIRD = Fault("passes/cse.py", 3, 0, "a", "b")
NEAR, FAR = "test/lit/passes/cse.mlir", "test/tools/test_lsp.py::test_x"


def judges(**executing: tuple[str, ...]) -> Judges:
    """Two faults, whose lines some tests execute."""
    lines = {(FAULT.path, int(line[1:])): names for line, names in executing.items()}
    return Judges([FAULT, OTHER], Watched(lines, {NEAR: 1.0, FAR: 1.0}, set(), 1.0), 100, 100)


def test_every_fault_gets_its_share_and_what_is_nearer_counts() -> None:
    both = judges(l1=(NEAR, FAR), l2=(FAR,))
    asked = [both.next() for _ in range(5)]
    assert asked.pop() is None
    ran = [(one.fault, batch) for each in asked if each is not None for one, batch in [each]]
    near, far = Batch([NEAR], (), 1.0), Batch([FAR.partition("::")[0]], (FAR,), 1.0)
    assert ran == [(FAULT, near), (OTHER, far), (FAULT, far), (OTHER, near)]  # by turns, with all that is near at last
    first, second = (each[0] for each in asked[:2] if each is not None)
    both.note(first, far, FAR, 2.0)
    assert both.done.empty()  # what is nearer runs still
    both.note(first, near, NEAR, 2.0)
    found = both.done.get_nowait()
    assert (found.fault, found.by, found.verdict, found.reaching) == (FAULT, NEAR, "found", 2)
    both.note(second, far, "", 2.0)
    assert both.done.empty()
    both.note(second, near, "", 2.0)
    survived = both.done.get_nowait()
    assert (survived.fault, survived.verdict, survived.reaching, survived.ran) == (OTHER, "survived", 1, 2)


def test_any_test_may_see_a_fault_of_an_import() -> None:
    both = judges(l1=("", NEAR), l2=("", NEAR))
    assert [both.next() is None for _ in range(5)] == [False, False, False, False, True]


def test_a_run_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    first = judges(l1=(NEAR, FAR), l2=(FAR,))
    asked = [each for each in (first.next() for _ in range(4)) if each is not None]
    begun = {(one.fault, batch.name): (one, batch) for one, batch in asked}
    assert len(begun) == 4
    first.note(*begun[FAULT, FAR], "", 2.0)  # what is nearer has not ended
    first.note(*begun[OTHER, FAR], "", 2.0)
    one, other = (begun[fault, FAR][0] for fault in (FAULT, OTHER))
    assert (one.ran, other.ran) == (0, 1)
    first.end = 0.0
    first.note(*begun[OTHER, NEAR], "", 2.0)  # ended because the time is over
    assert other.ran == 1
    record = tmp_path / "record.jsonl"
    found = Judged(THIRD, [NEAR], 1, iter(()), by=NEAR)
    record.write_text("".join(json.dumps(each.recorded()) + "\n" for each in (one, other, found)), encoding="utf-8")
    before = recorded(record)
    assert before == {FAULT: ("survived", 0), OTHER: ("survived", 1), THIRD: ("found", None)}
    assert recorded(tmp_path / "none") == recorded(None) == {}
    lines = {(FAULT.path, 1): (NEAR, FAR), (FAULT.path, 2): (FAR,)}
    known = Watched(lines, {NEAR: 1.0, FAR: 1.0}, set(), 1.0)
    again = Judges([FAULT, OTHER], known, 100, 100, {fault: ran or 0 for fault, (_, ran) in before.items()})
    asked = [each for each in (again.next() for _ in range(4)) if each is not None]
    assert [(one.fault, batch.name) for one, batch in asked] == [(FAULT, NEAR), (OTHER, NEAR), (FAULT, FAR)]
    assert [each.ran for each in again.open] == [0, 1]


def test_what_a_run_of_all_tests_has_shown_is_kept(tmp_path: Path) -> None:
    known = Watched({("a.py", 3): ("", "test/a.py::x"), ("b.py", 4): ()}, {"test/a.py::x": 1.5}, {"test/b.py::y"}, 2.0)
    known.keep(tmp_path / "kept.json")
    assert Watched.kept(tmp_path / "kept.json") == known


LAUNCHED = {
    "kernels/tiles.py": """
LIMIT = 3
safe = fh.kernel(deny_unsafe=True)

def wide(t):
    return t + LIMIT

def unread(t):
    return wide(t)
""",
    "kernels/sums.py": """
from freehold.kernels import tiles as pieces
from freehold.kernels.tiles import safe, wide as far

@safe
def first(y, x):
    y.store(far(x.load()))

@safe.specialised(2)
def second(y, x):
    y.store(pieces.wide(x.load()))

WAYS: dict = {1: first, 2: second}

def total(x, way):
    return WAYS[way](x)
""",
    "kernels/losses.py": """
from freehold.kernels.sums import WAYS

class Loss:
    def forward(self, x):
        return WAYS[1](x)
""",
    "test/test_sums.py": """
from freehold.kernels.sums import second

def test_second():
    second(1, 2)
""",
}


def test_who_may_see_a_fault_of_what_is_read(tmp_path: Path) -> None:
    for name, text in LAUNCHED.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    launches = Launches([tmp_path / name for name in LAUNCHED], tmp_path)
    assert {name for _, name in launches.read} == {"first", "wide"}
    of_first = {("kernels/sums.py", 16), ("kernels/losses.py", 6)}
    assert launches.of("kernels/sums.py", 7) == of_first
    assert launches.of("kernels/tiles.py", 6) == {*of_first, ("kernels/tiles.py", 9), ("kernels/sums.py", 11)}
    # ... of a constant, too, and of names in a table; what is executed needs nobody else
    assert launches.of("kernels/tiles.py", 2) == launches.of("kernels/tiles.py", 6)
    assert launches.of("kernels/sums.py", 13) == of_first
    assert launches.of("kernels/tiles.py", 9) == launches.of("kernels/sums.py", 16) == set()
    assert launches.of("kernels/sums.py", 11) == set()


def test_a_test_has_found_a_fault_that_fails_with_it_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "origin" / "passes").mkdir(parents=True)
    (tmp_path / "origin" / "passes" / "cse.py").write_text("a", encoding="utf-8")
    place = Workplace(tmp_path / "copy", tmp_path / "origin", False, set())
    said = {"always": ["y", "y"], "once": ["y", "", ""], "fault": ["z", "", "z"]}
    ran: list[str] = []

    def run(batch: Batch, seconds: float) -> str:
        assert seconds > 0
        ran.append((place.folder / "passes" / "cse.py").read_text(encoding="utf-8"))
        return answers.pop(0)

    monkeypatch.setattr(place, "run", run)
    for outcome in ("always", "once"):
        answers = [*said[outcome], *said["fault"]]
        assert place.finding(FAULT, Batch(["x"]), 100, float("inf")) == "z"
        assert answers == []
        assert place.broken == {"y"}
        place.broken.clear()
    assert ran == ["b", "a", "b", "a", "b", "b", "a", "b", "b", "a", "b"]  # the fault is planted, or is not


@pytest.mark.parametrize(
    ("outcomes", "found"),
    [
        ([None, "", None], "x"),
        ([None, "", ""], ""),
        ([None, None], ""),
        ([None, "y"], ""),
        (["y", None, "z", "", "z"], "z"),
    ],
)
def test_tests_that_do_not_end_have_found_a_fault_with_which_alone_they_do_not(
    outcomes: list[str | None], found: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "origin" / "passes").mkdir(parents=True)
    (tmp_path / "origin" / "passes" / "cse.py").write_text("a", encoding="utf-8")
    place, batch = Workplace(tmp_path / "copy", tmp_path / "origin", False, set()), Batch(["f"], ("x", "y"))
    ran: list[Batch] = []

    def run(batch: Batch, seconds: float) -> str | None:
        ran.append(batch)
        return answers.pop(0)

    monkeypatch.setattr(place, "run", run)
    answers = [*outcomes]
    assert place.finding(FAULT, batch, 100, float("inf")) == found
    assert answers == []
    assert outcomes[0] is not None or ran == [batch] * len(ran)  # all of it, for nobody knows which of its tests hangs
    assert place.broken == ({"y"} if outcomes[0] else set())
    ran.clear()
    answers = [None]
    assert place.finding(FAULT, batch, 100, 0.0) == ""  # the time is over: it may have been about to pass


PRODUCT = """
def half(x):
    if x % 2:
        raise ValueError(
            "odd"
        )
    return x // 2

def unused(x):
    return half(x)
"""
TESTS = """
import os, subprocess, sys
import product, pytest

def test_even(): assert product.half(4) == 2
def test_odd():
    with pytest.raises(ValueError): product.half(3)
def test_elsewhere(): assert subprocess.call([sys.executable, "-c", "import product; product.half(2)"]) == 0
def test_failing(): assert product.half(2) == 2
def test_nothing(): pass
"""


def test_a_line_in_brackets_is_watched_where_its_statement_begins(tmp_path: Path) -> None:
    file = tmp_path / "product.py"
    file.write_text(PRODUCT, encoding="utf-8")
    assert with_instructions(file, [3, 6, 7]) == {3: 3, 6: 5, 7: 7}


@pytest.mark.skipif(not WATCHES, reason="Python 3.11 watches no lines")
def test_who_executes_a_line(tmp_path: Path) -> None:
    (tmp_path / "product.py").write_text(PRODUCT, encoding="utf-8")
    (tmp_path / "test_product.py").write_text(TESTS, encoding="utf-8")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "FREEHOLD_"))}
    environment = {**kept, "PYTHONPATH": f"{PLUGINS}{os.pathsep}{tmp_path}"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "chosen_tests", "-c", os.devnull, "test_product.py"]
    known = watched(
        tmp_path,
        {("product.py", 4): (), ("product.py", 7): [], ("product.py", 10): [("product.py", 4)]},
        100,
        environment,
        [[*command, *in_parallel(1)]],
    )
    tests = {name: f"test_product.py::test_{name}" for name in ("even", "odd", "elsewhere", "failing", "nothing")}
    assert known.of("product.py", 4) == (tests["odd"],)
    assert known.of("product.py", 7) == (tests["elsewhere"], tests["even"])
    assert known.of("product.py", 10) == (tests["odd"],)  # by a line that names it
    assert known.failing == {tests["failing"]}
    assert known.seconds.keys() == set(tests.values())
    # ... and of the tests that are chosen, no other runs.
    (tmp_path / "chosen").write_text(tests["failing"], encoding="utf-8")
    chosen = {**environment, "FREEHOLD_CHOSEN": str(tmp_path / "chosen")}
    done = subprocess.run(command, cwd=tmp_path, env=chosen, capture_output=True, text=True, check=False)
    assert "1 failed, 4 deselected" in done.stdout
