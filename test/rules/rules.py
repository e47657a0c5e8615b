"""
The rules of a safe kernel language, and the holes that others found in theirs, as programs.

A `Body` is what a kernel does at its place: it is refused with the same code straight, in a loop, in a branch, in a
helper and under a persistent schedule, or accepted in all of them. A `Program` is a launch. What a rule forbids and
nobody can write here is `Absent`: the names that would say it are refused by name. What the host is held to by tests
elsewhere is `Elsewhere`, and names them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final


@dataclass(frozen=True)
class Body:
    """Statements of a kernel. The names: `y` (`Out`), `z` (`Mut`), `h` (`Acc`), `w`, `x` (`Ref`), `i`, the scalar
    `s`, and `d`, which is read from memory."""

    rule: str
    what: str
    text: str
    codes: frozenset[str]
    """The codes that it is refused with, each of them somewhere among those found; none: accepted."""
    forms: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    """The codes in a form where they differ: some acts are wrong only again and again, or only on some path."""
    deny: bool = False
    """Whether checks in the kernel are denied."""
    after: str = "y.store(w.load_like(y))"

    def expected(self, form: str) -> frozenset[str]:
        """The codes in a form."""
        return self.forms.get(form, self.codes)


@dataclass(frozen=True)
class Program:
    """A program with `launch()`, which is refused with a code, or raises what is named; nothing: it runs."""

    rule: str
    what: str
    text: str
    ends: str = ""


@dataclass(frozen=True)
class Absent:
    """What cannot be said: names that are not in the package, or a body that is refused by name."""

    rule: str
    what: str
    why: str
    names: tuple[str, ...]


@dataclass(frozen=True)
class Elsewhere:
    """What tests of the host hold: file and function."""

    rule: str
    what: str
    tests: tuple[str, ...]


Entry = Body | Program | Absent | Elsewhere


def codes(*found: str) -> frozenset[str]:
    """A set of codes."""
    return frozenset(found)


TWO: Final = "@fh.kernel\ndef two(y: Out['N'], z: Out['N']):\n    y.store(1.0)\n    z.store(2.0)\n\n\n"
LENT: Final = """
@fh.kernel
def choice(y: Out["N"], x: Ref["N"], b: Ref["N"] | None = None, z: Out["N"] | None = None):
    y.store(x.load_like(y) if b is None else x.load_like(y) + b.load_like(y))
    if z is not None:
        z.store(1.0)

@fh.kernel
def step(ps: tuple[Mut["N"], ...], gs: tuple[Ref["N"], ...]):
    for p, g in zip(ps, gs, strict=True):
        p.store(p.load() - g.load_like(p))

@fh.kernel
def points(h: Acc["N"], s: i32, t: i32, at: fh.Grid = fh.Grid("s * t")):
    h.at(0).add(1.0)

@fh.kernel
def halves(u: Mut["N"], n: i32):
    low, high = u.window(0, 0, n), u.window(0, n - 1, u.shape[0] - n)
    low.store(1.0)
    high.store(2.0)

@fh.kernel
def wrapped(u: Mut["N"], n: i32, s: i32):
    low, high = u.window(0, 0, n), u.window(0, n + s + s, n)
    low.store(1.0)
    high.store(2.0)

"""
COUNTS: Final = "@fh.kernel\ndef counts(y: Out['N']):\n    y.store(y.index[0].astype(f32))\n\n\n"

RULES: Final[tuple[Entry, ...]] = (
    # --- What may be written, and where ---------------------------------------------------------------------------
    Program("S1", "what is written is partitioned", "def launch(): copy(np.zeros(64, 'f'), a).sync()"),
    Program("S1", "all of it, or the launch cuts it all", f"{TWO}def launch(): two(part(a), b.copy()).sync()", "O220"),
    Program("S1", "into tiles that mean the same", f"{COUNTS}def launch(): counts(b.copy()).sync()", "O221"),
    Program("S2", "no argument overlaps one that is written", "def launch(): copy(part(a), a).sync()", "O201"),
    Program("S2", "nor does a slice of one", "def launch(): copy(part(c[:64]), c[32:96]).sync()", "O201"),
    Program("S2", "two slices apart are fine", "def launch(): copy(part(c[:64]), c[64:]).sync()"),
    Program("S3", "regions do not overlap", "def launch(): copy(fh.partition(b, 16, step=8), a).sync()", "O101"),
    Program("S3", "nor leave gaps in an output", "def launch(): copy(fh.partition(b, 16, step=32), a).sync()", "O117"),
    Program("S4", "outputs have any rank", "def launch(): four(fh.partition(m4, (1, 2, 2, 2)), n4).sync()"),
    Program(
        "S5",
        "partitions of one launch agree on the grid",
        "def launch(): two(fh.partition(a, 16), fh.partition(b, 8)).sync()",
        "O225",
    ),
    Program(
        "S5", "and are given one schedule", "def launch(): two(part(a), part(b, blocks=fh.PERSISTENT)).sync()", "O224"
    ),
    Program("S5", "a grid in brackets is no grid", "def launch(): copy[4](part(b), a)", "O228"),
    Program("S6", "something says how many blocks there are", "def launch(): reads(a).sync()", "O227"),
    Program("S6", "a partition of an input does", "def launch(): sums(np.zeros(1, 'f'), part(a)).sync()"),
    Program("S7", "part of a tensor is written where the partition says so", "def launch(): partly().sync()"),
    Program("S7", "and not otherwise", "def launch(): wholly().sync()", "O232"),
    Program("S8", "tile and tensor have one rank", "def launch(): copy(fh.partition(b, (4, 4)), a).sync()", "O222"),
    Program("S8", "argument and annotation have one rank", "def launch(): copy(part(b), m).sync()", "O212"),
    Program("S8", "and one dtype, where it is declared", "def launch(): typed(part(b), a).sync()", "O213"),
    Program(
        "S9",
        "parameters are tensors, scalars or constants",
        "def launch():\n    @fh.kernel\n    def odd(y: Out['N'], x: dict):\n        pass",
        "O004",
    ),
    Body("S10", "a block writes its own region", "y.store(w.load_like(y))", codes(), {"if": codes(), "for": codes()}),
    Body(
        "S10",
        "and not its neighbour's",
        "z.at(i + 1).store(w.load((i,), z.tile))",
        codes("O302"),
        {"for": codes("O302", "O114"), "if": codes()},
    ),
    Body(
        "S10",
        "nor everybody's",
        "z.at(0).store(w.load((i,), z.tile))",
        codes("O101"),
        {"for": codes("O101", "O114"), "if": codes("O101", "O113")},
    ),
    Absent(
        "S11",
        "regions of regions",
        "a region is written whole; a block that writes in smaller pieces takes several regions of a finer partition",
        ("partition_mut", "subregion"),
    ),
    Body("S12", "an output is not read before it is stored", "t = y.load()\nz.store(t)", codes("O107")),
    Body("S12", "what a block has stored it may read", "y.store(w.load_like(y))\nz.store(y.load())", codes()),
    Body("S13", "what is lent is not written", "w.store(w.load((i,), y.tile))", codes("O102")),
    Program("S14", "a permuted output is as safe as any", "def launch(): turned(fh.partition(m, (8, 8)), n).sync()"),
    Program(
        "S14",
        "and so is one with a map",
        "def launch(): copy(fh.partition(b, 16, map=fh.REVERSED), a).sync()",
    ),
    Body(
        "S15",
        "a place that is no block's own is proved, or refused",
        "z.at(i // 2).store(w.load((i,), z.tile))",
        codes("O101"),
        {"for": codes("O101", "O114"), "if": codes("O101", "O113")},
    ),
    Body(
        "S15",
        "a number from elsewhere is no place",
        "z.at(s).store(w.load((i,), z.tile))",
        codes("O101"),
        {"for": codes("O101", "O114"), "if": codes("O101", "O113")},
    ),
    Body(
        "S15",
        "a bijection is",
        "n = fh.cdiv(z.shape[0], z.tile[0])\nz.at(n - 1 - i).store(w.load((i,), z.tile))",
        codes(),
    ),
    Program("S16", "there is a block at least", "def launch(): part(b, blocks=-1)", "O223"),
    Program("S16", "a band has a row at least", "def launch(): fh.grouped(0)", "O045"),
    Program("S16", "a tile has an element at least", "def launch(): fh.partition(b, 0)", "O223"),
    Program(
        "S17", "outputs that share a map share a grid", "def launch(): two(part(a), fh.partition(d, 16)).sync()", "O225"
    ),
    Body(
        "S18",
        "part of a range begins inside it",
        "for k in range(-1, 2):\n    z.store(x.load((k,), y.tile))",
        codes("O302"),
        {"if": codes()},
    ),
    Program("S19", "equal names are equal extents", "def launch(): named(part(b), d).sync()", "O230"),
    Program(
        "S20", "what the extents decide is decided at the launch", "def launch(): other(part(b), d).sync()", "O232"
    ),
    Body("S21", "an index in front of the first tile", "z.store(x.load((-1,), y.tile))", codes("O302")),
    Body("S21", "an index behind the last", "z.store(x.load((fh.cdiv(x.shape[0], 16),), (16,)))", codes("O302")),
    Body("S22", "an index from data is checked where it is used", "z.store(x.load((d,), y.tile))", codes()),
    Body("S22", "and not for what its type allows", "z.store(x.load((d.astype(fh.u8),), y.tile))", codes()),
    Body("S23", "and refused where that is denied", "z.store(x.load((d,), y.tile))", codes("O301"), deny=True),
    Body(
        "S23",
        "an index that is clamped needs no check",
        "z.store(x.load((min(max(d, 0), fh.cdiv(x.shape[0], 16) - 1),), (16,)))",
        codes(),
        deny=True,
    ),
    Body("S24", "what is not checked says so", "z.store(z.load() + q.gather(s))", codes("O050")),
    Body(
        "S25",
        "what a block does to its region happens in order",
        "z.store(z.load() + 1.0)\nz.store(z.load() * 2.0)",
        codes(),
    ),
    Absent(
        "S26",
        "tokens",
        "the compiler makes them; a kernel never sees one",
        ("Token", "set_token", "token", "join_tokens"),
    ),
    Absent("S27", "tensors that belong to a module", "memory belongs to a launch", ("Global", "static", "global_")),
    Body("S28", "updates are for accumulators", "z.add(w.load_like(y))", codes("O012")),
    Body("S28", "which nobody reads", "z.store(h.load())", codes("O012")),
    Body("S28", "and which blocks may meet in", "h.at(0).add(w.load_like(y))", codes()),
    Absent(
        "S29",
        "promises",
        "what is not proved is checked",
        ("assume", "assume_div_by", "assume_bounds", "make_tensor_view"),
    ),
    Body(
        "S30",
        "a loop is left where it says",
        "for k in range(4):\n    if k > s:\n        break\n    z.store(x.load((0,), y.tile))",
        codes(),
    ),
    # --- The host --------------------------------------------------------------------------------------------------
    Elsewhere(
        "S31",
        "arguments belong to a launch until it has finished",
        ("runtime/stub_operations.py::test_what_is_held_is_let_go",),
    ),
    Elsewhere(
        "S32",
        "a task that outlives its tensors keeps them",
        ("runtime/stub_operations.py::test_dropping_everything_frees_nothing_in_use",),
    ),
    Elsewhere(
        "S33", "nothing is read before it is there", ("runtime/stub_tensors.py::test_copies_come_after_what_they_copy",)
    ),
    Elsewhere(
        "S34",
        "operations run inside others come in order",
        ("runtime/test_ledger.py::test_an_operation_inside_another_one_of_its_thread",),
    ),
    Elsewhere(
        "S35",
        "what runs before a launch has finished sees no results",
        ("runtime/test_operations.py::test_a_launch_has_what_it_writes_for_a_value",),
    ),
    Elsewhere(
        "S36",
        "streams that share a tensor are in order",
        ("runtime/stub_operations.py::test_streams_that_share_a_tensor_are_in_order",),
    ),
    Program("S37", "arguments are in one place", "def launch(): copy(part(b), Elsewhere()).sync()", "O211"),
    Elsewhere(
        "S38", "a cancelled wait frees nothing", ("runtime/stub_operations.py::test_a_cancelled_wait_changes_nothing",)
    ),
    Elsewhere("S39", "a graph allocates nothing", ("runtime/test_operations.py::test_creation_in_a_graph_is_refused",)),
    Elsewhere("S40", "operations of a graph share its buffers in order", ("runtime/stub_operations.py::test_graphs",)),
    Elsewhere("S41", "what cannot be recorded is refused", ("runtime/stub_operations.py::test_graphs_refuse",)),
    Elsewhere(
        "S42",
        "a graph's tensors are there when it is replayed",
        ("runtime/stub_operations.py::test_moved_and_freed_tensors_are_refused_by_a_replay",),
    ),
    Elsewhere("S43", "a graph has states", ("runtime/test_operations.py::test_graphs_have_states",)),
    Elsewhere("S44", "a launch is run once", ("runtime/test_operations.py::test_operations_run_once",)),
    Elsewhere(
        "S45",
        "views stay inside what they are of",
        ("runtime/stub_tensors.py::test_only_the_elements_of_a_view_are_written",),
    ),
    Elsewhere(
        "S46",
        "foreign memory is ordered by its bytes",
        ("runtime/test_ledger.py::test_memory_of_other_libraries_is_ordered_by_its_bytes",),
    ),
    Program(
        "S47",
        "memory that is not there is an error",
        "def launch(): fh.zeros((1 << 50,), fh.f32).sync()",
        "MemoryError",
    ),
    Elsewhere("S48", "a copy holds both its ends", ("runtime/stub_tensors.py::test_copies_come_after_what_they_copy",)),
)
"""The rules, by number."""

HOLES: Final[tuple[Entry, ...]] = (
    Body(
        "H1",
        "an index that is assigned again on some path is another index",
        "k = 0\nif d > 3:\n    k = d\nz.store(x.load((k,), y.tile))",
        codes("O301"),
        deny=True,
    ),
    Body(
        "H2",
        "an affine index may wrap",
        "z.store(x.load((i * 1073741824 + i,), y.tile))",
        codes("O301"),
        deny=True,
    ),
    Body(
        "H3",
        "what is known of a number is lost when it wraps",
        "k = max(d * -2000000000, d)\nz.store(x.load((k % 1000,), y.tile))",
        codes("O301"),
        deny=True,
    ),
    Body("H4", "the number of blocks bounds no other tensor", "z.store(x.load((i,), y.tile))", codes()),
    Body(
        "H5",
        "an index has a lower bound, too",
        "z.store(x.load((min(d, 0),), y.tile))",
        codes("O301"),
        {"if": codes()},
        deny=True,
    ),
    Program(
        "H6",
        "extents of other axes say nothing",
        "def launch(): wrong_axis(fh.partition(m, (8, 8)), tall).sync()",
        "O232",
    ),
    Elsewhere("H7", "launch checks are made for every launch of a cached kernel", ("runtime/test_evaluation.py::*",)),
    Body(
        "H8",
        "what stands behind `continue` may not happen",
        "for k in range(2):\n    if s > 0:\n        continue\n    z.store(w.load_like(y))\nt = z.load()",
        codes(),
    ),
    Body(
        "H8",
        "and an output behind it is stored on some paths only",
        "for k in range(2):\n    if s > 0:\n        continue\n    y.store(w.load_like(y))",
        codes("O108"),
        after="",
    ),
    Body(
        "H9",
        "a counter with a step stops in front of its bound",
        "for k in range(0, fh.cdiv(w.shape[0], 16), 3):\n    z.store(w.load((k,), (16,)))",
        codes(),
        deny=True,
    ),
    Body(
        "H9",
        "and a step further it does not",
        "for k in range(0, fh.cdiv(w.shape[0], 16), 3):\n    z.store(w.load((k + 1,), (16,)))",
        codes("O301"),
        deny=True,
    ),
    Program(
        "H10",
        "extents near the greatest integer",
        "def launch(): copy(part(np.empty(2**31, 'b')), np.empty(2**31, 'b')).sync()",
        "O205",
    ),
    Body(
        "H11",
        "a check stands under the bounds of its own loop",
        "for k in range(0, d):\n    for l in range(0, k):\n        z.store(w.load((l,), (16,)))",
        codes("O301"),
        deny=True,
    ),
    Body(
        "H12",
        "`return` inside a loop is refused, or means what it says",
        "for k in range(2):\n    if s > k:\n        return",
        codes("O108"),
        {"helper": codes()},
        after="y.store(w.load_like(y))",
    ),
    Body("H13", "two takings of one region are two accesses, in order", "z.at(max(i, 0)).store(z.load())", codes()),
    Body(
        "H13",
        "and of an output there is one",
        "y.at(max(i, 0)).store(w.load_like(y))",
        codes("O114"),
        {"if": codes("O113", "O114")},
    ),
    Program(
        "H14",
        "options are known by name",
        "def launch(): fh.kernel(unchecked_accesses=True)(copy.__wrapped__)",
        "O045",
    ),
    Body(
        "H15",
        "a tile that overhangs reads nothing of the next row",
        "t = fh.sum(w.load((i,), (32,)))\nz.store(z.load() + t)",
        codes("O301"),
        {f: codes() for f in ("straight", "for", "if", "helper", "persistent")},
    ),
    Program(
        "H16", "numbers that do not fit their dtype are refused", "def launch(): too_large(part(b)).sync()", "O031"
    ),
    Elsewhere(
        "H17", "a cancelled wait frees nothing", ("runtime/stub_operations.py::test_a_cancelled_wait_changes_nothing",)
    ),
    Elsewhere(
        "H18",
        "what is dropped in flight is freed behind it",
        ("runtime/stub_tensors.py::test_what_is_dropped_in_flight_is_freed_behind_it",),
    ),
    Program(
        "H19",
        "a view of what is written is found, however it is made",
        "def launch(): copy(part(c[:64]), c.reshape(2, 64)[0]).sync()",
        "O201",
    ),
    Program(
        "H20",
        "elements of an output are apart",
        "def launch(): turned(fh.partition(np.lib.stride_tricks.as_strided(m, (16, 16), (4, 4)), (8, 8)), n).sync()",
        "O204",
    ),
    Program("H21", "the dtype is that of the array", "def launch(): typed(part(b), a.astype('d')).sync()", "O213"),
    Program(
        "H22",
        "strides are read at every launch",
        "def launch():\n    copy(part(b), a).sync()\n    copy(part(c[::2]), a).sync()",
    ),
    Elsewhere("H23", "streams are ordered", ("runtime/test_ledger.py::test_a_write_is_waited_for_by_others_once",)),
    Elsewhere("H24", "a damaged package is refused", ("runtime/test_package.py::*",)),
    Elsewhere("H25", "what is shared is run once", ("runtime/test_operations.py::test_shared_operations_in_threads",)),
    Elsewhere("H26", "an address is 64 bits", ("runtime/test_arguments.py::*",)),
    Program(
        "H27",
        "an empty array has no tiles to be read",
        "def launch(): copy(part(np.zeros(4, 'f')), np.zeros(0, 'f')).sync()",
        "O202",
    ),
)
"""What was found in such languages after they were thought sound."""

RACES: Final = codes("O101", "O113", "O114")
PLACES: Final = (
    ("a shift that loses all bits", "i << 31"),
    ("a product that wraps to nothing", "i * 65536 * 65536"),
    ("a product that wraps, brought back", "(i * 65537 * 65536) >> 16"),
    ("an index of 64 bits that is cut", "(i.astype(fh.i64) * 4294967296).astype(i32)"),
    ("an index of 64 bits that is halved", "i.astype(fh.i64) * 4294967296 // 4294967296 // 2"),
    ("an index that is narrowed", "i.astype(fh.i8).astype(i32) // 2"),
    ("by way of floats", "(i.astype(f32) / 2).astype(i32)"),
    ("by way of the bits of floats", "fh.bitcast(fh.bitcast(i, f32), i32) & 2"),
    ("its distance", "abs(i - 2)"),
    ("bits that are dropped", "i & 2"),
    ("bits that are set", "i | 1"),
    ("a shift that a launch says", "i >> s"),
    ("a multiple that a launch says, around the end", "(i * s) % fh.cdiv(z.shape[0], 16)"),
    ("a quotient by what a launch says", "i // s"),
    ("every second one, around an end that may be even", "(2 * i) % fh.cdiv(z.shape[0], 16)"),
    ("as data choose", "fh.where(fh.sum(w.load((i,), (16,))) > 2, i, fh.cdiv(z.shape[0], 16) - 1 - i)"),
    ("where data have their greatest", "fh.argmax(w.load((i,), (16,)))"),
    ("by a permutation that data say", "fh.argsort(w.load((0,), (16,)))[:1].item() + i // 2"),
    ("a number at random", "(fh.random_bits(3, i) % 4).astype(i32)"),
    (
        "plus what two loads of one place might differ by",
        "i + fh.argmax(w.load((i,), (16,))) - fh.argmax(w.load((0,), (16,)))",
    ),
)
"""Places of other blocks' regions, in ways that hide it."""
EXCHANGES: Final = (
    ("exchanged as often as a launch says", "for _ in range(s):\n    a, b = b, a"),
    ("exchanged as often as data say", "for _ in range(fh.argmax(w.load((i,), (16,)))):\n    a, b = b, a"),
    ("exchanged in some blocks", "k = 0\nwhile k < i % 2:\n    a, b = b, a\n    k += 1"),
    ("replaced by data", "for k in range(4):\n    if fh.argmax(w.load((i,), (16,))) > k:\n        a = 0"),
    ("counted up", "a = 0\nfor _ in range(i // 2):\n    a += 1"),
    ("in a tuple", "p = (i, 0)\nfor _ in range(s):\n    p = (p[1], p[0])\na = p[0]"),
)
"""What loops do to a place."""
ATTACKS: Final[tuple[Entry, ...]] = (
    *(Body("A1", what, f"z.at({place}).store(w.load((0,), z.tile))", RACES) for what, place in PLACES),
    *(
        Body(
            "A2",
            what,
            f"a, b = i, fh.cdiv(z.shape[0], 16) - 1 - i\n{turns}\nz.at(a).store(w.load((0,), z.tile))",
            RACES,
        )
        for what, turns in EXCHANGES
    ),
    *(
        Body(
            "A3",
            what,
            f"for k in {over}:\n    z.at(k).store(w.load((0,), z.tile))",
            codes("O101", "O113", "O114", "O302"),
        )
        for what, over in (
            ("a walk that meets the next one's", "range(i, i + 2)"),
            ("a walk back that does", "range(i, i - 2, -1)"),
            ("steps that are too short", "range(i, fh.cdiv(z.shape[0], 16), 2)"),
            ("steps that a launch says", "range(i, fh.cdiv(z.shape[0], 16), s)"),
        )
    ),
    Body("A4", "an index that wraps to one in bounds", "z.store(x.load((i + s * 65536 * 65536,), y.tile))", codes()),
    Body("A4", "and is not taken for one", "z.store(x.load((i + s * s,), y.tile))", codes("O301"), deny=True),
    Body(
        "A4",
        "an index without a sign, below 0",
        "z.store(x.load((i.astype(fh.u32) - 1,), y.tile))",
        codes("O302"),
        {"if": codes()},
    ),
    *(
        Program("A5", what, f"{LENT}def launch(): {launch}.sync()", ends)
        for what, launch, ends in (
            ("two that lie between each other", "copy(part(c[::2]), c[1::2])", ""),
            ("and meet in every sixth", "copy(part(d[::3][:32]), d[::2][:32])", "O201"),
            ("an output backwards", "copy(part(b[::-1]), a)", "O203"),
            ("what is read backwards", "copy(part(b), b[::-1])", "O203"),
            ("one element many times", "copy(part(np.lib.stride_tricks.as_strided(b, (64,), (0,))), a)", "O203"),
            ("other numbers of the same bytes", "copy(part(b.view(np.int32).view(np.float32)), b)", "O201"),
            ("an optional tensor that is written", "choice(part(b), a, b)", "O201"),
            ("an optional output that is read", "choice(part(b), a, None, part(a))", "O201"),
            ("an optional output that is another one", "choice(part(b), a, None, part(b))", "O201"),
            ("a tensor twice in a tuple", "step([part(b)] * 2, [a] * 2)", "O201"),
            ("tensors of a tuple that overlap", "step([part(c[:64]), part(c[32:96])], [a] * 2)", "O201"),
            ("one of a tuple that another one has", "step([part(c[:64]), part(c[64:])], [c[64:], a])", "O201"),
            ("a grid whose product wraps to 1", "points(np.zeros(4, 'f'), 65537, 65535)", "O226"),
            ("a grid of fewer points than none", "points(np.zeros(4, 'f'), -1, 1)", "O229"),
            ("windows that meet by one", "halves(part(b), 33)", "O134"),
            ("windows that lie apart as numbers wrap", "wrapped(part(b), 16, -(2**31))", "O134"),
        )
    ),
)
"""What an adversary would try, each kind once: places that are another block's, indices out of bounds, memory twice."""
