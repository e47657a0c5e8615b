"""What signatures say of their parameters, and which calls share a compiled kernel: values that are told apart."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from types import FunctionType
from typing import Annotated, Any, Literal, Optional, cast

import numpy as np
import pytest

from freehold import Acc, Const, Grid, Mut, Out, Raw, Ref, Tile, bf16, f16, f32, i32, register_source, tf32, u8
from freehold.frontend import signature
from freehold.frontend.schedule import PartitionSpec
from freehold.frontend.signature import ConstSpec, NoTuple, Parameter, ScalarSpec, Specialisation, TensorSpec
from freehold.frontend.source import KernelFunction
from freehold.support.diagnostic import Rejected
from freehold.support.span import Span


def read(function: Any) -> signature.KernelSignature:
    return signature.read_signature(cast(FunctionType, function))


def declared(
    plain: Ref,
    of_dtype: Ref[bf16],
    of_dims: Mut["M + 1", 64],
    both: Out[f32, "M", "2 * N"],
    acc: Acc[i32, 1],
    raw: Raw["N"],
    optional: Ref["N"] | None,
    left_out: Ref["N"] | None = None,
): ...


def scalars(
    whole: int,
    real: float,
    truth: bool,
    narrow: i32,
    size: Const[int],
    any_kind: Const[Any],
    by_default: f32 = 1.5,  # pyright: ignore[reportArgumentType] -- a scalar is given as a number
    flag: Const[bool] = True,
): ...


def tuples(xs: tuple[Ref["N"], ...], y: Out["N"], xs0: Ref["N"], z: Ref["N"] | None = None): ...


def on_a_grid(grid: Grid, y: Out["N"]): ...


def test_parameters_and_how_they_are_written() -> None:
    found = read(declared)
    assert [p.annotation for p in found.parameters] == [
        "Ref", "Ref[bf16]", 'Mut["M + 1", 64]', 'Out[f32, "M", "N * 2"]', "Acc[i32, 1]", 'Raw["N"]', 'Ref["N"] | None',
        'Ref["N"] | None',
    ]  # fmt: skip
    assert [p.mode for p in found.parameters] == ["ref", "ref", "mut", "out", "acc", "raw", "ref", "ref"]
    assert [p.dims for p in found.parameters][:4] == [None, None, ("M + 1", "64"), ("M", "N * 2")]
    assert [str(p.dtype) for p in found.parameters][:5] == ["None", "bf16", "None", "f32", "i32"]
    assert [p.optional for p in found.parameters] == [False] * 6 + [True] * 2
    assert [p.has_default for p in found.parameters] == [False] * 7 + [True]
    assert all(p.is_tensor for p in found.parameters)
    assert found.tensors == found.parameters
    assert found["acc"] is found.parameters[4]
    with pytest.raises(KeyError):
        found["nothing"]


def test_numbers_and_constants() -> None:
    found = read(scalars)
    assert [p.annotation for p in found.parameters] == [
        "int", "float", "bool", "i32", "Const[int]", "Const", "f32", "Const[bool]",
    ]  # fmt: skip
    assert [p.mode for p in found.parameters] == [*["scalar"] * 4, "const", "const", "scalar", "const"]
    assert [p.type for p in found.parameters] == [int, float, bool, None, int, None, None, bool]
    assert [p.default for p in found.parameters][4:] == [signature.MISSING, signature.MISSING, 1.5, True]
    assert not any(p.is_tensor or p.optional or p.many for p in found.parameters)
    assert found.tensors == ()
    assert read(on_a_grid)["grid"] == Parameter("grid", "const", type=Grid)
    assert read(on_a_grid)["grid"].annotation == "Grid"
    assert repr(signature.MISSING) == "<no default>"


def test_dimensions_with_the_values_of_constants() -> None:
    p = Parameter("x", "ref", ("M * B", "N", "4"))
    assert p.given({"B": 3}).dims == ("M * 3", "N", "4")
    assert p.given({"N": 2, "M": 5, "B": 7}).dims == ("35", "2", "4")
    assert p.given({}) == p
    assert Parameter("x", "ref").given({"B": 3}).dims is None
    assert (p.written, p.span) == ("x", None)


def test_forms() -> None:
    found = read(tuples)
    x, y = np.zeros(3), np.zeros(4)
    assert found.has_forms
    assert not read(scalars).has_forms
    assert found.form_of(((x, x), y, x, None)) == (2, 0)
    assert found.form_of(([], y, x, x)) == (0, 1)
    with pytest.raises(NoTuple) as caught:
        found.form_of((x, y, x, None))
    assert caught.value.parameter is found["xs"]
    form = found.in_form((2, 0))
    # `xs0` is another parameter's name already.
    assert [p.name for p in form.parameters] == ["xs_0", "xs_1", "y", "xs0", "z"]
    assert [p.written for p in form.parameters] == ["xs", "xs", "y", "xs0", "z"]
    assert [p.mode for p in form.parameters] == ["ref", "ref", "out", "ref", "const"]
    assert (form["z"].default, form["z"].type, form["z"].optional) == (None, type(None), True)
    assert not any(p.many for p in form.parameters)
    assert (form.form, form.texts, form.has_forms) == ((2, 0), ("xs", "y", "xs0", "z"), False)
    assert [p.name for p in found.in_form((0, 1)).parameters] == ["y", "xs0", "z"]
    assert found.in_form((0, 1))["z"].mode == "ref"
    assert found.flat(((1, 2), 3, 4, None)) == (1, 2, 3, 4, None)
    assert found["xs"].annotation == 'tuple[Ref["N"], ...]'


def helper(x: Any) -> Any:
    return x.window((0,), (4,))


def caller(x: Any) -> Any:
    return helper(x)


def nested(y: Out["N"]):
    def inner() -> Any:
        return caller(y)

    inner()


def recursive(y: Out["N"]):
    recursive(y)
    recursive(y)


@pytest.mark.parametrize(("function", "may"), [(caller, True), (nested, True), (helper, True), (recursive, False)])
def test_whether_a_kernel_may_take_windows(function: Any, may: bool) -> None:
    assert signature.KernelSignature("k", (), function).takes_windows() is may


class Colour(Enum):
    RED = 1
    CRIMSON = 1  # noqa: PIE796 -- another name of it
    BLUE = 2


@dataclass(frozen=True)
class Sizes:
    m: int
    n: float = 1.0


@dataclass(frozen=True)
class Others:
    m: int
    n: float = 1.0


@dataclass
class Changing:
    m: int


class Named(tuple[int, ...]): ...


ONE = Changing(1)
VALUES: list[Any] = [  # each differs from all the others
    1, True, 1.0, 0, 0.0, -0.0, False, None, "1", b"1", "", (), (1,), (True,), (1.0,), (1, 2), ((1,), 2), Named((1,)),
    frozenset((1,)), frozenset((True,)), frozenset(), 1j, complex(0.0, -1.0), complex(-0.0, 1.0), Colour.RED,
    Colour.BLUE, Sizes(1), Sizes(2), Sizes(1, 2.0), Sizes(True), Others(1), ONE, Changing(1), np.float32(1),
    np.float64(1), np.int32(1), np.float32(-0.0), np.float32(0.0), int, float, [1], {"a": 1}, float("inf"),
]  # fmt: skip


def test_constants_that_a_kernel_can_tell_apart() -> None:
    specs = [ConstSpec(v) for v in VALUES]
    for n, a in enumerate(specs):
        for m, b in enumerate(specs):
            assert (a == b) == (n == m), (VALUES[n], VALUES[m])
    assert len({*specs}) == len(VALUES)
    assert ConstSpec(1) != 1
    assert repr(ConstSpec((1, "a"))) == "ConstSpec((1, 'a'))"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 1), (1.5, 3.0 / 2), ("ab", "a" + "b"), ((1, (2.0,)), (1, (2.0,))), (frozenset((1, 2)), frozenset((2, 1))),
        (Sizes(1), Sizes(1)), (Colour.RED, Colour.CRIMSON), (float("nan"), float("nan")), (1j, 1j), (ONE, ONE),
        (np.float32(2), np.float32(2)), (Named((1,)), Named((1,))), (f32, f32),
    ],
)  # fmt: skip
def test_constants_that_a_kernel_cannot_tell_apart(one: object, other: object) -> None:
    assert ConstSpec(one) == ConstSpec(other)
    assert hash(ConstSpec(one)) == hash(ConstSpec(other))


def test_what_is_known_of_a_plain_tensor() -> None:
    assert TensorSpec.plain(f32, 3) == TensorSpec(f32, 3, 4, (0, 0, 1), (1, 1, 1), (1, 1, 1), None)
    assert TensorSpec.plain(bf16, 1) == TensorSpec(bf16, 1, 2, (1,), (1,), (1,), None)
    assert TensorSpec.plain(f32, 0) == TensorSpec(f32, 0, 4, (), (), (), None)
    part = PartitionSpec((4,), (4,))
    assert TensorSpec.plain(f32, 1, part).partition is part
    grid = Grid(4, 2)
    specs = (ScalarSpec(i32), ConstSpec(3), ConstSpec(grid), ConstSpec(Grid(1)))
    assert Specialisation(specs).grid is grid
    assert Specialisation(specs[:2]).grid is None
    assert [*Specialisation(specs)] == [*specs]


def every(
    a,  # pyright: ignore[reportMissingParameterType, reportUnknownParameterType] -- what is missing
    b: str,
    c: Ref[0],
    d: Ref["M +"],
    h: list[Ref["N"]],
    e: Ref["N"] = None,  # pyright: ignore[reportArgumentType] -- as users write it
    f: Ref["N"] = 3,  # pyright: ignore[reportArgumentType] -- as above
    *g: Ref,
    **i: Ref,
): ...


def test_annotations_that_are_not_understood() -> None:
    with pytest.raises(Rejected) as caught:
        read(every)
    assert [f"{e.code} {e.report().title}" for e in caught.value.errors] == [
        "O007 a kernel cannot take `*g`",
        "O007 a kernel cannot take `**i`",
        "O003 parameter `a` has no annotation",
        "O004 parameter `b` is annotated with `str`, which no kernel's parameter can be",
        "O006 `0` is no dimension of `c`",
        'O006 `"M +"` is no dimension of `d`',
        'O004 parameter `h` is annotated with `list[Ref["N"]]`, which no kernel\'s parameter can be',
        "O008 tensor parameter `e` has a default",
        "O008 tensor parameter `f` has a default",
    ]
    several = caught.value.errors[-3].report().helps
    assert any("tuple[Ref" in text for text in several)


def written(parameters: str) -> signature.KernelSignature:
    """The signature of a function whose annotations are text, of names that nobody has defined."""
    names: dict[str, Any] = {"Ref": Ref, "Out": Out, "Mut": Mut, "f32": f32, "i32": i32, "tf32": tf32, "Const": Const}
    exec(f"from __future__ import annotations\ndef kernel({parameters}): ...", names)
    return read(names["kernel"])


@pytest.mark.parametrize(
    ("parameters", "annotations"),
    [
        ("x: Ref[M, K], y: Out[f32, M, 4]", ['Ref["M", "K"]', 'Out[f32, "M", 4]']),
        ("x: Ref[K]", ['Ref["K"]']),
        ("x: Ref[M * 2, (K + 1) // 2]", ['Ref["M * 2", "ceildiv(K, 2)"]']),
        ("x: Ref[K] | None, y: None | Ref[f32, M]", ['Ref["K"] | None', 'Ref[f32, "M"] | None']),
        ("x: Ref[K] | None = None", ['Ref["K"] | None']),
        ("x: Ref | None", ["Ref | None"]),
        ("x: tuple[Ref, ...]", ["tuple[Ref, ...]"]),
        ("x: Ref, *, n: Const[int] = 5, m: i32 = 2", ["Ref", "Const[int]", "i32"]),
        ("x: 'Ref[f32, M]', y: 'Out[K] | None', n: 'Const[int]'", ['Ref[f32, "M"]', 'Out["K"] | None', "Const[int]"]),
    ],
)
def test_annotations_as_text(parameters: str, annotations: list[str]) -> None:
    found = written(parameters)
    assert [p.annotation for p in found.parameters] == annotations


def test_defaults_of_parameters_that_are_named() -> None:
    found = written("x: Ref, y: Ref | None = None, *, n: Const[int] = 5, m: i32 = 2")
    assert [p.default for p in found.parameters] == [signature.MISSING, None, 5, 2]
    assert found.positions(["y"]) == {1}
    assert read(tuples).in_form((2, 1)).positions(["xs", "z"]) == {0, 1, 4}


@pytest.mark.parametrize(
    ("parameters", "titles"),
    [
        ("x: Unknown", ["O005 the annotation `Unknown` of parameter `x` cannot be evaluated"]),
        ("x: Ref[1 / 0]", ["O005 the annotation `Ref[1 / 0]` of parameter `x` cannot be evaluated"]),
        ("x: Unknown[K]", ["O005 the annotation `Unknown[K]` of parameter `x` cannot be evaluated"]),
        ("x: f32[K]", ["O005 the annotation `f32[K]` of parameter `x` cannot be evaluated"]),
        ("x: Ref[K] | int", ["O005"]),
        ("x: Unknown | None", ["O005"]),
        ("x: Ref[K] | Ref[M] | None", ["O005"]),
        ("x: tf32", ["O009 parameter `x` cannot have dtype `tf32`"]),
        ("x: Ref[tf32, 4]", ["O009 parameter `x` cannot have dtype `tf32`"]),
        ("x: Ref[4.5]", ["O006"]),
        ("x: Ref[True]", ["O006"]),
        ("x: Ref[-4]", ["O006"]),
        ("x: tuple[Ref, Ref]", ["O004"]),
        ("x: \"'Ref'\"", ['O004 parameter `x` is annotated with `"Ref"`']),
        ("*rest", ["O007 a kernel cannot take `*rest`"]),
        ("x: Ref, **named", ["O007 a kernel cannot take `**named`"]),
        (
            "x: Ref, *rest, n: Const[int], **named",
            ["O007 a kernel cannot take `*rest`", "O007 a kernel cannot take `**named`"],
        ),
    ],
)
def test_texts_that_are_no_annotation(parameters: str, titles: list[str]) -> None:
    with pytest.raises(Rejected) as caught:
        written(parameters)
    found = [f"{e.code} {e.report().title}" for e in caught.value.errors]
    assert len(found) == len(titles)
    assert all(one.startswith(other) for one, other in zip(found, titles, strict=True)), found


def test_annotations_are_no_functions() -> None:
    with pytest.raises(TypeError, match="annotates a kernel's parameter"):
        Ref["N"](3)  # pyright: ignore -- as nobody writes it


class constexpr:
    """What Triton annotates numbers with that are known when a kernel is compiled."""


class tensor:
    """What Triton has in a kernel."""


class ConstantAnnotation:
    """What cuTile Python has in `Constant[int]`, which is an `Annotated`."""


MEANT = [
    ("str", "x: Const[str]"),
    ("int | None", "x: Const[int | None]"),
    ("tuple", "x: Const[tuple]"),
    ("list[int]", "x: Const[tuple]"),
    ("Literal['a', 'b']", 'x: Const[Literal["a", "b"]]'),
    ("Callable[[int], int]", "x: Const[Callable[[int], int]]"),
    ("Any", "x: Const[Any]"),
    ("Colour", "x: Const[Colour]"),
    ("np.float32", "x: f32"),
    ("np.dtype('u1')", "x: u8"),
    ("list[Ref['N']]", 'x: tuple[Ref["N"], ...]'),
    ("tuple[Ref, Ref]", "x: tuple[Ref, ...]"),
    ("tuple[Ref['N'], Ref['M']]", "x: tuple[Ref, ...]"),
    ("Colour | None", "x: Const[Colour | None]"),
    ("Literal['a.b']", 'x: Const[Literal["a.b"]]'),
    ("list[int] | None", "x: Const[tuple | None]"),
    ("Optional[set[int]]", "x: Const[frozenset | None]"),
    ("None | tuple[list[int], ...] | str", "x: Const[None | tuple | str]"),
    ("tuple[list[int], ...]", "x: Const[tuple]"),
    ("np.random.Generator", "x: Const[np.random.Generator]"),
    ("np.random.Generator | None", "x: Const[np.random.Generator | None]"),
    ("constexpr", "x: Const[int]"),
    ("Annotated[float, ConstantAnnotation()]", "x: Const[float]"),
    ("Ref['float32', 'N']", 'x: Ref[f32, "N"]'),
    ("Ref['N', 'bf16']", 'x: Ref[bf16, "N"]'),
    ("Ref['torch.float16', 'N']", 'x: Ref[f16, "N"]'),
    ("Mut['int32'] | None", "x: Mut[i32] | None"),
    ("tuple[Ref['fp16', 'N'], ...]", 'x: tuple[Ref[f16, "N"], ...]'),
    ("Ref['tf32', 'M', 'N']", 'x: Ref[f32, "M", "N"]'),
    ("Ref['f32[N]']", 'x: Ref[f32, "N"]'),
    ("Ref['float32 N']", 'x: Ref[f32, "N"]'),
    ("Ref['f32, M, N + 1']", 'x: Ref["M"]'),
    ("tuple[Ref['N', -1], ...]", 'x: tuple[Ref["N", "M"], ...]'),
    ("Mut['N', 0] | None", 'x: Mut["N", "M"] | None'),
    ("Out[2.5]", 'x: Out["M"]'),
    ("Mut[-1, 'N']", 'x: Mut["M", "N"]'),
    ("Ref['K', f32]", 'x: Ref[f32, "K"]'),
    ("Ref[f32, 0, True, 8]", 'x: Ref[f32, "M", "K", 8]'),
    ("Ref[np.float16, 'N']", 'x: Ref[f16, "N"]'),
    ("Ref['N', float]", 'x: Ref[f32, "N"]'),
    ("Ref['M N']", 'x: Ref["M", "N"]'),
    ("Ref['M, N + 1']", 'x: Ref["M"]'),
    ("Ref[['M', 'N']]", 'x: Ref["M", "N"]'),
    ("Acc[:, :]", 'x: Acc["M", "K"]'),
    ("Ref[f32, ...]", "x: Ref[f32]"),
    ("Ref[Ref['N']]", 'x: Ref["N"]'),
]


@pytest.mark.parametrize(("annotation", "edit"), MEANT, ids=[annotation for annotation, _ in MEANT])
def test_what_is_annotated_otherwise_has_an_edit_that_is_accepted(annotation: str, edit: str) -> None:
    names: dict[str, Any] = {**globals(), "Literal": Literal, "Callable": Callable, "Acc": Acc, "f16": f16, "u8": u8}
    names |= {"Optional": Optional, "Annotated": Annotated}

    def kernel(parameter: str) -> Any:
        text = f"def kernel(y: Out['N'], {parameter}):\n    pass\n"
        name = f"<parameter {parameter}>"
        register_source(name, text)
        exec(compile(text, name, "exec"), names)
        return KernelFunction(names["kernel"])

    with pytest.raises(Rejected) as caught:
        kernel(f"x: {annotation}")
    (error,) = caught.value.errors
    (made,) = error.report().edits
    assert isinstance(error.place, Span)
    assert (made.code, made.before, made.span) == (edit, (), error.place)
    assert kernel(edit).signature["x"].annotation


@pytest.mark.parametrize(
    ("annotation", "proposed"),
    [
        ("np.ndarray", "`x: Ref`"),
        ("np.ndarray | None", "`x: Ref | None`"),
        ("Tile", "`x: Ref`"),
        ("Ref['N'] | int", "`x: Ref`"),
        ("tuple[Ref, Out]", "`x: Ref`"),
        ("tuple[Ref, ...] | None", "`x: Ref`"),
        ("tuple[f32, int]", "`x: Ref`"),
        ("Optional[f32]", "`x: f32`"),
        ("3", "`x: Const[int]`"),
        ("complex", "`x: Const[int]`"),
        ("dict[str, int]", "dataclass"),
        ("Optional[dict[str, int]]", "dataclass"),
        ("OrderedDict", "dataclass"),
        ("np.ndarray | int", "`x: Ref`"),
        ("lambda: 3", "`x: Ref`"),
        ("tensor", "`x: Ref`"),
    ],
)
def test_what_is_not_known_to_be_meant_has_no_edit(annotation: str, proposed: str) -> None:
    names = {**globals(), "Tile": Tile, "Optional": Optional, "OrderedDict": OrderedDict}
    exec(f"def kernel(x: {annotation}): ...", names)
    with pytest.raises(Rejected) as caught:
        read(names["kernel"])
    report = caught.value.errors[0].report()
    assert proposed in " ".join(str(help) for help in report.helps)
    assert "freehold." not in str(caught.value)
    assert " at 0x" not in str(caught.value)
    assert not report.edits


def test_half_is_a_length() -> None:
    assert written("x: Ref['half', 'double']")["x"].dims == ("half", "double")


def test_dtypes_that_nobody_imported_are_no_dimensions() -> None:
    """Where annotations are text, names that are not defined are those of dimensions."""
    with pytest.raises(Rejected) as caught:
        written("x: Ref[bfloat16, N]")
    assert 'error[O006]: `"bfloat16"` is no dimension of `x`' in str(caught.value)
    assert "a dtype is an object, and no text" in str(caught.value.errors[0].report())


@pytest.mark.parametrize(
    ("annotation", "proposed"),
    [("float32", "`x: f32`"), ("float16[:]", '`x: Ref[f16, "N"]`'), ("int64[:, ::1]", '`x: Ref[i64, "M", "N"]`')],
)
def test_annotations_of_numba(annotation: str, proposed: str) -> None:
    with pytest.raises(Rejected) as caught:
        written(f"x: '{annotation}'")
    assert caught.value.codes == ("O005",)
    assert f"help: write what Freehold has for it: {proposed}" in str(caught.value)


def test_an_annotation_is_told_as_it_is_written() -> None:
    text = "def kernel(x: np.random.Generator, y: (lambda: 3), z: constexpr()): ..."
    register_source("<told>", text)
    names = {**globals()}
    exec(compile(text, "<told>", "exec", dont_inherit=True), names)
    with pytest.raises(Rejected) as caught:
        KernelFunction(names["kernel"])
    titles = [str(e.report().title) for e in caught.value.errors]
    assert [t.split("`")[3] for t in titles] == ["np.random.Generator", "(lambda: 3)", "constexpr()"]
