"""What is said of arguments that break a contract: each condition with its numbers, at the place that it came from."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest

import freehold as fh
from freehold.frontend.signature import KernelSignature, Parameter
from freehold.runtime.base.call_site import CallSite
from freehold.runtime.errors.partitions import NoPoints
from freehold.runtime.launch.checks import geometry
from freehold.runtime.variants.evaluation import Evaluator
from freehold.support.contract import (
    EntryParameter,
    Foreign,
    LaunchCheck,
    LaunchContract,
    ScalarParameter,
    TensorParameter,
)
from freehold.support.span import Span

NOTHING = "nothing was launched"
PLACE = Span.on_line("kernel.py", 3, 4, 9)


def contract(dims: tuple[str, ...] = ("N",), **given: Any) -> LaunchContract:
    """A contract of `k(x, n)`, an array and an integer."""
    x = TensorParameter("x", "ref", "f32", dims, 4, (0,) * len(dims), (1,) * len(dims), (1,) * len(dims))
    chosen: dict[str, Any] = {"entry": (), "grid": ("1",), "persistent": False, "checks": (), **given}
    return LaunchContract("k", (x, ScalarParameter("n", "i32", "n")), **chosen)


def foreign(
    block: tuple[str, str, str] = ("32", "1", "1"),
    entry: tuple[Any, ...] = (),
    dims: tuple[str, ...] = ("N",),
    **given: Any,
) -> LaunchContract:
    """The same of code that others made."""
    grid = given.pop("grid", ("1", "1", "1"))
    return contract(dims, entry=entry, grid=grid, foreign=Foreign(block, **given))


def launched(of: LaunchContract, shape: tuple[int, ...] = (8,), n: int = 1, **view: Any) -> Any:
    """The geometry of a launch, as `geometry` finds or refuses it."""
    count = len(shape)
    lies: dict[str, Any] = {"element_strides": (1,) * count, "pointer": 64, "device": -1, **view}
    array: Any = SimpleNamespace(shape=shape, **lies)
    x = Parameter("x", "ref")
    number = Parameter("n", "scalar", dtype=fh.i32)
    signature = KernelSignature("k", (x, number))
    bound: Any = SimpleNamespace(run_time=(array, n), views=(array,))
    return geometry(signature, Evaluator(of), bound, CallSite())


def refused(*arguments: Any, **given: Any) -> list[tuple[str, str, str, tuple[str, ...]]]:
    """The code, title, label and notes of each error."""
    with pytest.raises(fh.Rejected) as caught:
        launched(*arguments, **given)
    reports = [e.report() for e in caught.value.errors]
    return [(r.code, r.title, r.label, tuple(n for n in r.notes if NOTHING not in n)) for r in reports]


UNBOUND = (
    "nothing says what `{}` is in this launch of `k`",
    "it is used in `{}` and no parameter's dimensions determine it",
)


@pytest.mark.parametrize(
    ("of", "shape", "symbols"),
    [
        (contract(("N // 2",)), (8,), [("N", "N // 2")]),
        (contract(("N // 2", "N * M")), (8, 8), [("N", "N // 2"), ("M", "N * M")]),
        (contract(grid=("N", "Q")), (8,), [("Q", "Q")]),
        (contract(checks=(LaunchCheck("N < Q", ""), LaunchCheck("Q < R", ""))), (8,), [("Q", "N < Q"), ("R", "Q < R")]),
        (contract(entry=(EntryParameter("extent", 0, term="Q + 1"),)), (8,), [("Q", "Q + 1")]),
    ],
)
def test_symbols_that_nothing_binds(of: LaunchContract, shape: tuple[int, ...], symbols: list[tuple[str, str]]) -> None:
    title, note = UNBOUND
    assert refused(of, shape) == [("O231", title.format(name), "", (note.format(term),)) for name, term in symbols]


def check(predicate: str, reason: str = "it fits", span: Span | None = None, required: bool = False) -> LaunchCheck:
    return LaunchCheck(predicate, reason, span, required)


CONDITION, REQUIREMENT = (
    f"this launch of `k` breaks a {what}: `{{}}` is false" for what in ("condition", "requirement")
)


@pytest.mark.parametrize(
    ("checks", "found"),
    [
        ([check("9 < N")], [("O232", "9 < N", "it ensures that it fits", "here `N` = 8")]),
        ([check("8 < N"), check("N < 9")], [("O232", "8 < N", "it ensures that it fits", "here `N` = 8")]),
        ([check("N < n", required=True)], [("O239", "N < n", "it fits", "here `N` = 8 and `n` = 2")]),
        ([check("3 < n", "", required=True)], [("O239", "3 < n", "this is required", "here `n` = 2")]),
        ([check("0 == 1")], [("O232", "0", "it ensures that it fits", "it holds for no arguments")]),
        (
            [check("N % (n - 2) == 0")],
            [("O232", "N % (n - 2) == 0", "it ensures that it fits", "here `N` = 8 and `n` = 2")],
        ),
        (
            [check("9 < N", "x"), check("n < N"), check("9 < n", "y", required=True)],
            [("O232", "9 < N", "it ensures that x", "here `N` = 8"), ("O239", "9 < n", "y", "here `n` = 2")],
        ),
    ],
)
def test_conditions_that_do_not_hold(checks: list[LaunchCheck], found: list[tuple[str, ...]]) -> None:
    """Each is told, and nothing of the domain, which may have no points because of it."""
    expected = [
        (code, (CONDITION if code == "O232" else REQUIREMENT).format(predicate), label, (values,))
        for code, predicate, label, values in found
    ]
    assert refused(contract(checks=tuple(checks), grid=("N - 8",)), (8,), 2) == expected


def test_a_condition_is_told_where_it_was_written() -> None:
    for required in (False, True):
        with pytest.raises(fh.Rejected) as caught:
            launched(contract(checks=(check("9 < N", "why", PLACE, required),)))
        assert [e.place for e in caught.value.errors] == [PLACE]
    tiles = "an index counts tiles of the access's shape, not elements"
    assert tiles in refused(contract(checks=(check("9 < N", "the tile of `x` is in it", PLACE),)))[0][3]
    assert tiles not in refused(contract(checks=(check("9 < N", "the tiles of it", PLACE),)))[0][3]


def test_where_it_was_launched_is_told_beside_it(refused: Any) -> None:
    program = "y = np.zeros(8, np.float32)\nasks(fh.partition(y, 8), np.zeros(3, np.float32)).sync()\n"
    kernel = '@fh.kernel\ndef asks(y: Out["N"], x: Ref["M"]):\n    fh.require("M > 3", "few")\n    y.store(1.0)\n'
    prelude = "import numpy as np\nimport freehold as fh\nfrom freehold import Out, Ref\n"
    said = refused(f"{prelude}{kernel}{program}")
    assert re.search(r"\^+ few", said)
    assert re.search(r"-+ launched here", said)


NO_POINTS = "this launch of `k` has no points: axis {} of its domain has the extent {}"


@pytest.mark.parametrize(
    ("grid", "axis", "value"),
    [
        (("N - 8", "N"), 0, "0"),
        (("N", "n - 5"), 1, "-3"),
        (("n - 5", "n - 5"), 0, "-3"),
        (("N", "1", "8 // (n - 2)"), 2, "of a division by zero"),
        (("8 // (n - 2)", "0"), 0, "of a division by zero"),
        (("N", "0 * N", "8 // (n - 2)"), 1, "0"),
    ],
)
def test_domains_without_points(grid: tuple[str, ...], axis: int, value: str) -> None:
    extent = str(Evaluator(contract(grid=grid)).grid[axis])
    expected = ("O229", NO_POINTS.format(axis, value), f"the extent is `{extent}`", ())
    assert refused(contract(grid=grid), (8,), 2) == [expected]


@pytest.mark.parametrize(
    ("persistent", "most", "blocks", "remedy"),
    [
        (False, 2**24 - 1, "one block a region", "use persistent blocks: `blocks=PERSISTENT`"),
        (True, 2**31 - 2**25, "persistent blocks", "split the arrays and launch once a part"),
    ],
)
def test_more_regions_than_a_launch_may_have(persistent: bool, most: int, blocks: str, remedy: str) -> None:
    of = contract(grid=("N",), persistent=persistent)
    assert launched(of, (most,)).points == most
    with pytest.raises(fh.Rejected) as caught:
        launched(of, (most + 1,))
    (report,) = (e.report() for e in caught.value.errors)
    assert report.title == f"this launch of `k` has {most + 1} regions; {blocks} allow {most}"
    assert report.helps == (remedy, "make the tiles larger") or report.helps == ("make the tiles larger", remedy)


THREADS, BLOCKS = "the number of threads of a block", "the number of blocks of a cluster"


@pytest.mark.parametrize(
    ("of", "given", "what", "value", "most", "note"),
    [
        (
            foreign(("N", "1", "1")),
            (1025, 1),
            "the block's first extent",
            1025,
            "from 1 to 1024",
            "N`, where `N` = 1025",
        ),
        (foreign(("1", "n", "1")), (8, 0), "the block's second extent", 0, "from 1 to 1024", "n`, where `n` = 0"),
        (foreign(("1", "1", "65")), (8, 1), "the block's third extent", 65, "from 1 to 64", "65`"),
        (
            foreign(grid=("1", "N", "1")),
            (65536, 1),
            "the grid's second extent",
            65536,
            "from 1 to 65535",
            "N`, where `N` = 65536",
        ),
        (
            foreign(cluster=("1", "1", "n")),
            (8, 17),
            "the cluster's third extent",
            17,
            "from 1 to 16",
            "n`, where `n` = 17",
        ),
        (
            foreign(shared="N * 4"),
            (58113, 1),
            "dynamic shared memory",
            232452,
            "from 0 to 232448",
            "N * 4`, where `N` = 58113",
        ),
        (foreign(("N", "n", "1")), (32, 33), THREADS, 1056, "up to 1024", "(N, n, 1)`, where `N` = 32 and `n` = 33"),
        (
            foreign(("2", "n", "N"), most_threads=64),
            (3, 11),
            THREADS,
            66,
            "up to 64",
            "(2, n, N)`, where `N` = 3 and `n` = 11",
        ),
        (
            foreign(("n", "1", "1"), threads=(64, 0, 0)),
            (8, 32),
            "the block's first extent",
            32,
            "64, as the code is made",
            "n`, where `n` = 32",
        ),
        (
            foreign(grid=("8", "4", "n"), cluster=("N", "4", "n")),
            (8, 2),
            BLOCKS,
            64,
            "up to 16",
            "(N, 4, n)`, where `N` = 8 and `n` = 2",
        ),
        (
            foreign(grid=("N", "1", "1"), cluster=("n", "1", "1")),
            (5, 2),
            "the grid's first extent",
            5,
            "a multiple of the cluster's 2",
            "N`, where `N` = 5",
        ),
        (
            foreign(("8 // (N - 8)", "1", "1")),
            (8, 1),
            "a number",
            0,
            "divided by anything but 0",
            "8 // (N - 8)`, where `N` = 8",
        ),
        (
            foreign(("n", "1", "8 // (N - n)")),
            (8, 8),
            "a number",
            0,
            "divided by anything but 0",
            "8 // (N - n)`, where `N` = 8 and `n` = 8",
        ),
    ],
)
def test_shapes_that_no_gpu_takes(
    of: LaunchContract, given: tuple[int, int], what: str, value: int, most: str, note: str
) -> None:
    title = f"{what} of this launch of `k` is {value}, and may be {most}"
    assert refused(of, given[:1], given[1]) == [("O285", title, "", (f"it is declared as `{note}",))]


def test_shapes_at_their_limits() -> None:
    wide = foreign(("N", "1", "1"), grid=("n", "1", "1"), shared="N * 227")
    assert launched(wide, (1024,), 2**31 - 1) == (2**31 - 1, (), (2**31 - 1, 1, 1, 1024, 1, 1, 1, 1, 1, 227 << 10))


EXTENT = EntryParameter("extent", 0, term="N * n")
STRIDE, BYTES = EntryParameter("stride", 0, 0), EntryParameter("stride", 0, 1, scale=4)


@pytest.mark.parametrize(
    ("entry", "n", "text", "value", "dtype"),
    [
        ((EXTENT,), 2**30, "N * n", 2**31, "i32"),
        ((EntryParameter("pointer", 0), STRIDE, EXTENT), 2**30, "N * n", 2**31, "i32"),
        ((STRIDE, BYTES), 1, "x.byte_strides[1]", 2**31 + 4, "i32"),
        ((STRIDE, EntryParameter("stride", 0, 1, dtype="i8")), 1, "x.strides[1]", 2**29 + 1, "i8"),
        ((EntryParameter("stride", 0, 0, dtype="u8"), BYTES), 1, "x.strides[0]", 300, "u8"),
        ((EntryParameter("scalar", 1), EntryParameter("extent", 0, term="n", dtype="u32")), -1, "n", -1, "u32"),
    ],
)
def test_integers_that_their_dtypes_do_not_hold(entry: Any, n: int, text: str, value: int, dtype: str) -> None:
    """Of the first that does not fit, its own value is told."""
    (found,) = refused(foreign(entry=entry, dims=("N", "M")), (2, 3), n, element_strides=(300, 2**29 + 1))
    assert found[:2] == ("O285", f"`{text}` of this launch of `k` is {value}, and may be what {dtype} holds")
    used = [f"`{name}` = {v}" for name, v in (("N", 2), ("n", n)) if name in text.replace("x.", "").split()]
    assert found[3] == (f"it is declared as `{text}`" + (f", where {' and '.join(used)}" if used else ""),)


def test_what_is_asked_of_foreign_code_is_asked_with_the_launch() -> None:
    asked: list[Any] = []
    wrong = NoPoints(None, "k", 0, "N", "0")

    def judge(geometry: Any, shapes: Any, strides: Any, values: Any, place: Any) -> list[Any]:
        asked.append((geometry.points, shapes, strides, values[1], place))
        return [] if values[1] else [wrong]

    x = Parameter("x", "ref")
    signature = KernelSignature("k", (x, Parameter("n", "scalar", dtype=fh.i32)))
    array: Any = SimpleNamespace(shape=(8,), element_strides=(1,), pointer=64, device=-1)
    evaluator = Evaluator(foreign(grid=("N", "1", "1")), judge)
    bound: Any = SimpleNamespace(run_time=(array, 1), views=(array,))
    assert geometry(signature, evaluator, bound, CallSite()).points == 8
    assert asked == [(8, [(8,)], [(1,)], 1, None)]
    bound.run_time = (array, 0)
    with pytest.raises(fh.Rejected) as caught:
        geometry(signature, evaluator, bound, CallSite())
    assert caught.value.errors == (wrong,)
