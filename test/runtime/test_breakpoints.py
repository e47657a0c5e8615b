"""`breakpoint()` in kernels: stops on the interpreter, with the names and values of the text, and steps from there."""

from __future__ import annotations

import bdb
import dataclasses
import io
import linecache
import pdb
import re
import sys
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import freehold as fh
from freehold import Const, Mut, Out, Raw, Ref, bf16, f32, i32, u8
from freehold.runtime.interpreter.debugger import Debugger

HERE = Path(__file__).parent
GOLDEN = HERE / "breakpoints"
pytestmark = pytest.mark.usefixtures("python_as_it_starts")
TEXT = Path(__file__).read_text(encoding="utf-8").splitlines()


def line_of(text: str) -> int:
    """The number of the one line of this file that holds a text."""
    (found,) = (n for n, line in enumerate(TEXT, 1) if text in line and "line_of(" not in line)
    return found


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., list[str]]:
    """`told(launch, *commands)` runs a launch, types commands, and returns what each of them printed."""

    def run(launch: Any, *commands: str) -> list[str]:
        capsys.readouterr()
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{command}\n" for command in commands)))
        launch.sync()
        assert not sys.stdin.read(), "not all commands were read"
        return [part.strip("\n") for part in capsys.readouterr().out.split("(Pdb) ")]

    return run


def at(answer: str) -> tuple[int, str, str, str]:
    """The line, function and block, and the text, of where a debugger says it stands."""
    (found,) = re.findall(r"> .*\((\d+)\)(\S+?)(?:\(\))? in block (.+)\n-> (.*)", answer)
    line, function, block, text = found
    return int(line), function, block, text


# --- Stops and steps --------------------------------------------------------------------------------------------------


def scaled(t: Any, w: Any) -> Any:
    u = t * w  # in the helper
    return u + 1.0  # out of the helper


@fh.kernel
def steps(y: Out[f32, "N"], x: Ref[f32, "N"], n: i32, BK: Const[int] = 4):
    """What stands here is no statement."""
    acc = x.load_like(y)  # first statement
    pair = (acc, 3)
    for i in range(n):  # the loop
        t = scaled(acc, 2.0)  # calls the helper
        if i == 1:
            breakpoint()  # in the second turn
        acc = acc + t  # after the breakpoint
    y.store(acc * (pair[1] - 2))  # last statement


def steps_launch(n: int = 3) -> Any:
    return steps(fh.partition(np.zeros(8, np.float32), 4), np.arange(8, dtype=np.float32), n)


def test_it_stops_at_the_line_with_the_names_bound(told: Callable[..., list[str]]) -> None:
    names = ["p i, n, BK", "p acc", "p acc.max() - t.min()", "p pair[0].sum(), pair[1]", "block", "acc[1] + 1"]
    out = told(steps_launch(), *names, "c", "block", "p acc", "c")
    assert at(out[0]) == (line_of("# in the second turn"), "steps", "0", "breakpoint()  # in the second turn")
    assert Path(__file__).name in out[0]
    assert out[1] == "(1, 3, 4)"
    assert out[2] == "array([ 1.,  4.,  7., 10.], dtype=float32)"
    assert eval(out[3], {"np": np}) == 10 - 3
    assert eval(out[4], {"np": np}) == (6, 3)
    assert out[5] == "0"
    assert eval(out[6], {"np": np}) == 5
    assert at(out[7])[2] == out[8] == "1"
    assert out[9] == "array([13., 16., 19., 22.], dtype=float32)"


def test_steps(told: Callable[..., list[str]]) -> None:
    commands = ["n", "n", "s", "s", "r", "n", "n", "n", "c"]
    out = told(steps_launch(), *commands, "c")
    found = [at(part)[:3] for part in out[: len(commands) + 1]]
    assert found == [
        (line_of("# in the second turn"), "steps", "0"),
        (line_of("# after the breakpoint"), "steps", "0"),
        (line_of("# calls the helper"), "steps", "0"),
        (line_of("# in the helper"), "scaled", "0"),
        (line_of("# out of the helper"), "scaled", "0"),
        (line_of("if i == 1:"), "steps", "0"),
        (line_of("# after the breakpoint"), "steps", "0"),
        (line_of("# last statement"), "steps", "0"),
        (line_of("# first statement"), "steps", "1"),
        (line_of("# in the second turn"), "steps", "1"),
    ]


@fh.kernel
def skips(y: Out[f32, "N"], x: Ref[f32, "N"], n: i32):
    acc = x.load_like(y)
    for i in (0, 1):  # written out
        if n > 0:  # of those that may skip
            if n > i:  # of two ends
                breakpoint()  # before the end of a turn
                continue  # ends the first turn
            acc = acc + 1.0  # where none is skipped
        acc = acc * 2.0  # last of a turn
    y.store(acc)  # behind the turns


def test_a_turn_that_ends_early_ends_where_it_says_so(told: Callable[..., list[str]]) -> None:
    """What follows it in the text is passed over, and nothing stops there that stands for how that is done."""
    launch = skips(fh.partition(np.zeros(4, np.float32), 4), np.zeros(4, np.float32), 1)
    out = told(launch, *(["n"] * 6), "c")
    assert [at(part)[0] for part in out[:7]] == [
        line_of("# before the end of a turn"),
        line_of("# ends the first turn"),
        line_of("# of those that may skip"),
        line_of("# of two ends"),
        line_of("# where none is skipped"),
        line_of("# last of a turn"),
        line_of("# behind the turns"),
    ]


def test_up_and_down_and_where(told: Callable[..., list[str]]) -> None:
    out = told(steps_launch(), "n", "n", "s", "w", "p t is None, w", "u", "p acc[0]", "d", "p t[0]", "u", "u", "c", "c")
    lines = [line for line in out[4].split("\n") if " in block " in line]
    assert [line.partition("(")[2] for line in lines] == [
        f"{line_of('# calls the helper')})steps() in block 0",
        f"{line_of('# in the helper')})scaled() in block 0",
    ]
    assert "runtime/interpreter" not in out[4]
    assert "launch.sync()" in out[4]
    assert out[5] == "(False, 2.0)"
    assert out[7] == out[9]
    assert "launch.sync()" in out[11]


def test_until_tbreak_and_conditions(told: Callable[..., list[str]]) -> None:
    loop, last = line_of("# calls the helper"), line_of("# last statement")
    out = told(
        steps_launch(5), "unt", f"unt {last}", f"tbreak {loop}", "c", "p i", f"b {loop}, i == 3", "c", "c", "p i", "c"
    )
    assert at(out[1])[0] == line_of("# after the breakpoint")
    assert at(out[2])[0] == last
    assert (at(out[4])[0], at(out[4])[2], out[5]) == (loop, "1", "0")
    assert at(out[7])[0] == line_of("# in the second turn")
    assert (at(out[8])[0], out[9]) == (loop, "3")


def test_until_goes_on_to_later_lines_alone(told: Callable[..., list[str]]) -> None:
    out = told(steps_launch(5), "unt", "unt", "unt x3", "unt -1", "c", "c")
    assert [at(line)[0] for line in out[1:3]] == [line_of("# after the breakpoint"), line_of("# last statement")]
    assert [line.splitlines()[-1] for line in out[3:5]] == [
        "*** Error in argument: 'x3'",
        "*** Error in argument: '-1'",
    ]


def test_until_leaves_what_has_no_later_line(told: Callable[..., list[str]]) -> None:
    """A function for its caller, and a tile block for the next one."""
    out = told(steps_launch(), "n", "n", "s", "unt 99999", "unt 99999", "c", "c")
    assert [at(part)[:3] for part in out[3:6]] == [
        (line_of("# in the helper"), "scaled", "0"),
        (line_of("if i == 1:"), "steps", "0"),
        (line_of("# first statement"), "steps", "1"),
    ]


def test_names_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is on no disk, and is known to have a text, keeps its name; all else is where it would be."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.py").write_text("", encoding="utf-8")
    for name in ("there.py", "made.py"):
        monkeypatch.setitem(linecache.cache, name, (1, None, ["\n"], name))
    found = [Debugger().canonic(name) for name in ("there.py", "made.py", "nowhere.py")]
    assert found == [str(tmp_path / "there.py"), "made.py", str(tmp_path / "nowhere.py")]


def test_what_was_set_in_one_run_holds_in_the_next(told: Callable[..., list[str]]) -> None:
    last = line_of("# last statement")
    told(steps_launch(2), f"b {last}", "c", "c", "c", "c")
    out = told(steps_launch(0), "p n", "c", "c")  # no turn, so no breakpoint of the text
    assert at(out[0])[0] == last
    assert out[1] == "0"


def test_list_display_and_args(told: Callable[..., list[str]]) -> None:
    out = told(steps_launch(), "l", "ll", "display acc", "n", "n", "p acc", "a", "c", "c")
    arrow = next(line for line in out[1].split("\n") if "->" in line)
    assert arrow.split() == [
        str(line_of("# in the second turn")),
        "->",
        "breakpoint()",
        "#",
        "in",
        "the",
        "second",
        "turn",
    ]
    assert "def steps(" in out[2]
    assert "last statement" in out[2]
    assert "display acc: array([ 4., 13., 22., 31.]" in out[5]
    assert "[old: array([ 1.,  4.,  7., 10.]" in out[5]
    assert out[7].split("\n")[2:4] == ["n = 3", "BK = 4"]


def test_nothing_that_is_typed_changes_the_kernel(told: Callable[..., list[str]]) -> None:
    y = np.zeros(8, np.float32)
    x = np.arange(8, dtype=np.float32)
    out = told(
        steps(fh.partition(y, 4), x, 3),
        "acc[0] = 5",
        "x[0] = 7",
        "acc = 1",
        "p acc",
        "jump 5",
        "run",
        "debug 1",
        "c",
        "c",
    )
    assert "read-only" in out[1]
    assert "read-only" in out[2]
    assert out[4] == "1"
    for answer in out[5:8]:
        assert answer.startswith("*** ")
    assert y.tolist() == [13 + 27 * n for n in range(8)]


@pytest.mark.parametrize("command", ["q", "quit", "exit", ""])
def test_quitting_ends_the_run(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    y = np.zeros(8, np.float32)
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{command}\n" if command else ""))  # or the input ends
    with pytest.raises(bdb.BdbQuit):
        steps(fh.partition(y, 4), np.arange(8, dtype=np.float32), 3).sync()
    assert not y.any()
    assert sys.gettrace() is None or "freehold" not in repr(sys.gettrace())


# --- Where it may stand, and what can be seen -------------------------------------------------------------------------


class Mode(Enum):
    FAST = 1
    EXACT = 2


class Pair(NamedTuple):
    low: Any
    high: Any


@dataclasses.dataclass(frozen=True)
class State:
    top: Any
    count: int


@fh.kernel
def shapes(
    y: Out[bf16, "M", "N"], x: Ref[u8, "M", "N"], mode: Const[Mode] = Mode.EXACT, eps: Const[float] = float("inf")
):
    t = x.load_like(y)
    mask = t > 100
    state = State(t, 3)
    pair = Pair(t.max(), fh.f32(0.1))
    dtype = y.dtype
    half = t.astype(dtype)
    i, j = y.index
    inside = i < j + 1
    breakpoint()
    y.store(half + state.count + pair.low.astype(bf16) + mask.astype(bf16) + inside.astype(bf16))


def test_values_of_all_kinds(told: Callable[..., list[str]]) -> None:
    y = np.zeros((4, 8), fh.to_numpy(fh.zeros((1,), bf16, device=fh.HOST).sync()).dtype)
    x = np.arange(32, dtype=np.uint8).reshape(4, 8) * 7
    asked = {
        "t.dtype, t.shape": "(dtype('uint8'), (4, 4))",
        "mask.dtype, mask.sum()": "(dtype('bool'), np.int64(9))",
        "type(state).__name__, state.count, state.top.max()": "('State', 3, np.uint8(217))",
        "type(pair).__name__, pair.low": "('Pair', 217)",
        "abs(pair.high - 0.1) < 1e-6": "True",
        "dtype, mode, eps": "(freehold.bf16, <Mode.EXACT: 2>, inf)",
        "half[0, 1]": "35",
        "i, j, inside": "(0, 1, True)",
        "y.index, y.tile, y.shape": "((0, 1), (4, 4), (4, 8))",
        "x.index, int(x[3, 7])": "((), 217)",
        "np.linalg.norm(half.astype(float)) > 1": "np.True_",
        "scaled.__name__": "'scaled'",
    }
    out = told(shapes(fh.partition(y, (4, 4)), x), "c", *[f"p {text}" for text in asked], "c")
    assert at(out[1])[2] == "(0, 1)"
    assert dict(zip(asked, out[2:], strict=False)) == asked


@fh.kernel
def everywhere(y: Out[i32, "N"], n: i32, K: Const[int] = 2):
    base = 10

    def inner(v: Any) -> Any:
        breakpoint()  # in a nested function
        return v + base

    total = y.index[0] * 0
    while total < n:
        total = inner(total)
        if total > 5:
            breakpoint()  # in an if
        else:
            breakpoint()  # in an else
    for k in fh.static_range(K):
        breakpoint()  # in an unrolled loop
        total += k
    match K:
        case 2:
            breakpoint()  # in a case
        case _:
            pass
    if n > 100:
        y.store(fh.zeros(y.tile, i32))
        breakpoint()  # never reached
        return
    y.store(fh.full(y.tile, 0, i32) + total)
    breakpoint()  # at the end


def test_it_may_stand_anywhere(told: Callable[..., list[str]]) -> None:
    y = np.zeros(4, np.int32)
    asked = ["p v, base, total", "c", "p total", "c", "p k", "c", "p k", "c", "w", "c", "p total"]
    out = told(everywhere(fh.partition(y, 4), 3), "u", *asked, "c")
    assert y.tolist() == [11] * 4
    found = [at(part)[0] for part in (out[0], out[3], out[5], out[7], out[9], out[11])]
    texts = [
        "in a nested function",
        "in an if",
        "in an unrolled loop",
        "in an unrolled loop",
        "in a case",
        "at the end",
    ]
    assert found == [line_of(f"breakpoint()  # {text}") for text in texts]
    assert out[2].startswith("*** NameError")  # the kernel has no `v`
    assert (out[4], out[6], out[8], out[12]) == ("10", "0", "1", "11")


def test_a_closure_is_seen(told: Callable[..., list[str]]) -> None:
    factor = 3

    @fh.kernel
    def kernel(y: Out[i32, "N"]):
        breakpoint()
        y.store(fh.full(y.tile, factor, i32))

    out = told(kernel(fh.partition(np.zeros(4, np.int32), 4)), "p factor", "c")
    assert out[1] == "3"


def test_what_an_earlier_turn_left_is_not_shown(told: Callable[..., list[str]]) -> None:
    @fh.kernel
    def kernel(y: Out[i32, "N"], n: i32):
        t = y.index[0] + 5
        total = t * 0
        for i in range(n):
            breakpoint()
            t = total + i
            total += t
        y.store(fh.full(y.tile, 0, i32) + total)

    out = told(kernel(fh.partition(np.zeros(4, np.int32), 4), 2), "p t", "n", "n", "p t", "c", "p t", "p total", "c")
    assert out[1].startswith("*** NameError")
    assert out[4] == "0"
    assert out[6].startswith("*** NameError")
    assert out[7] == "0"


def test_blocks_take_turns_in_adversarial_mode(told: Callable[..., list[str]]) -> None:
    @fh.kernel
    def tickets(y: Mut[i32, "N"], counter: Raw[i32, 1]):
        with fh.unsafe("one after the other, or so its author thought"):
            seen = counter.gather(0)
            breakpoint()
            counter.scatter(seen + 1, 0)
        y.store(y.load() + seen)

    y, counter = np.zeros(16, np.int32), np.zeros(1, np.int32)
    launch = tickets(fh.partition(y, 4), counter)
    with fh.interpreting("adversarial", seed=2):
        out = told(launch, "p seen", "c", "p seen", "c", "p seen", "c", "p seen", "c")
    assert sorted({at(part)[2] for part in out[0:8:2]}) == ["0", "1", "2", "3"]
    assert len({*out[1:8:2]}) < 4  # two of them saw the same number


# --- Hooks ------------------------------------------------------------------------------------------------------------


def test_another_hook_is_called_where_the_kernel_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []

    def hook(*arguments: Any) -> None:
        frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage] -- as debuggers do
        seen.append((frame.f_code.co_name, frame.f_lineno, frame.f_code.co_filename, frame.f_locals["i"], arguments))

    monkeypatch.setattr(sys, "breakpointhook", hook)
    steps_launch().sync()
    assert seen == [("steps", line_of("# in the second turn"), __file__, 1, ())] * 2


def test_another_debugger_looks_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    told = io.StringIO()

    def hook() -> None:
        commands = io.StringIO("p acc\nw\nc\n")
        pdb.Pdb(stdin=commands, stdout=told, nosigint=True).set_trace(sys._getframe(1))  # pyright: ignore[reportPrivateUsage] -- as debuggers do

    monkeypatch.setattr(sys, "breakpointhook", hook)
    trace = sys.gettrace()
    try:
        steps_launch().sync()
    finally:
        sys.settrace(trace)
    answer = told.getvalue()
    assert "--Return--" not in answer
    assert "array([ 1.,  4.,  7., 10.], dtype=float32)" in answer
    assert f"({line_of('# in the second turn')})steps()" in answer


def test_a_debugger_in_the_place_of_pythons(monkeypatch: pytest.MonkeyPatch) -> None:
    """As pytest's is."""
    seen: list[str] = []

    def set_trace() -> None:
        seen.append(sys._getframe(1).f_code.co_name)  # pyright: ignore[reportPrivateUsage] -- as debuggers do

    monkeypatch.setattr(pdb, "set_trace", set_trace)
    steps_launch().sync()
    assert seen == ["steps", "steps"]


def test_a_hook_that_returns_something(monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[int] = []

    def hook() -> int:
        called.append(1)
        return 1

    monkeypatch.setattr(sys, "breakpointhook", hook)
    steps_launch().sync()
    assert len(called) == 2


def test_zero_disables_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONBREAKPOINT", "0")
    monkeypatch.setattr(sys, "stdin", io.StringIO("q\n"))
    y = np.zeros(8, np.float32)
    steps(fh.partition(y, 4), np.arange(8, dtype=np.float32), 3).sync()
    assert y[0] == 13


def test_another_is_named_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def debugger() -> None:
        seen.append(sys._getframe(1).f_code.co_name)  # pyright: ignore[reportPrivateUsage] -- as debuggers do

    monkeypatch.setattr(fh, "a_debugger", debugger, raising=False)
    monkeypatch.setenv("PYTHONBREAKPOINT", "freehold.a_debugger")
    steps_launch().sync()
    assert seen == ["steps", "steps"]


@fh.kernel
def folds(y: Out[f32, "N"], x: Ref[f32, "M"]):
    def larger(a: Any, b: Any) -> Any:
        bigger = a > b
        return fh.where(bigger, a, b)

    t = fh.reduce(x.load(0, 8), axis=0, function=larger, identity=float("-inf"))
    breakpoint()
    y.store(fh.full(y.tile, 0.0, f32) + t)


def test_a_function_that_folds_is_not_stepped_into(told: Callable[..., list[str]]) -> None:
    y = np.zeros(4, np.float32)
    out = told(folds(fh.partition(y, 4), np.arange(8, dtype=np.float32)), "p t", "c")
    assert out[1] == "7.0"
    assert y.tolist() == [7.0] * 4
