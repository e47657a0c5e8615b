"""Optional tensors: kernels that are compiled with and without them, however they are launched."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freehold as fh
from freehold import Acc, Mut, Out, Ref, f32

N = 100


@fh.kernel
def affine(y: Out["N"], x: Ref["N"], scale: Ref["N"] | None = None, shift: Ref["N"] | None = None):
    t = x.load_like(y)
    if scale is not None:
        t = t * scale.load_like(y)
    y.store(t if shift is None else t + shift.load_like(y))


@fh.kernel
def largest(y: Out["M"], where: Out["M"] | None, x: Ref["M", "N"], total: Acc[f32, 1] | None, more: Mut["M"] | None):
    t = x.load((y.index[0], 0), (y.tile[0], 8))
    y.store(t.max(axis=1))
    if where is not None:
        where.store(t.argmax(axis=1))
    if total is not None:
        total.at(0).add(t.sum())
    if more is not None:
        more.store(more.load() + 1.0)


@fh.kernel
def any_rank(y: Out, x: Ref | None):
    y.store(2.0 if x is None else x.load_like(y))


@fh.kernel
def without_quotes(y: Out[N], x: Ref[N], shift: Ref[N] | None = None):
    y.store(x.load_like(y) if shift is None else x.load_like(y) + shift.load_like(y))


def filled(*shape: int) -> Any:
    return np.random.default_rng(0).integers(-8, 8, shape or (N,)).astype(np.float32)


X, A, B = filled(), filled() + 1, filled() + 2
FORMS = [((), X), ((A,), X * A), ((None, B), X + B), ((A, B), X * A + B)]


@pytest.mark.parametrize(("given", "wanted"), FORMS)
def test_a_launch_in_each_form(given: tuple[Any, ...], wanted: Any) -> None:
    for mode in ("fast", "adversarial", "checked"):
        for is_cut in (True, False):  # also where the schedule is open
            y = np.zeros(N, np.float32)
            with fh.interpreting(mode):
                assert affine(fh.partition(y, 32) if is_cut else y, X, *given).sync() is y
            np.testing.assert_array_equal(y, wanted)
    y = np.zeros(N, np.float32)
    affine(fh.partition(y, 32), X, **dict(zip(("scale", "shift"), given, strict=False))).sync()
    np.testing.assert_array_equal(y, wanted)


def test_outputs_that_are_left_out_are_no_part_of_the_value() -> None:
    x = filled(20, 8)
    y, where, total, more = (np.zeros(n, np.float32) for n in (20, 20, 1, 20))
    assert largest(fh.partition(y, 4), None, x, None, None).sync() is y
    found = largest(fh.partition(y, 4), fh.partition(where, 4), x, total, fh.partition(more, 4)).sync()
    assert [id(f) for f in found] == [id(a) for a in (y, where, total, more)]
    np.testing.assert_array_equal(y, x.max(1))
    np.testing.assert_array_equal(where, x.argmax(1))
    assert total[0] == x.sum()
    assert (more == 1).all()


def test_any_rank_and_text_without_quotes() -> None:
    y = np.zeros((4, 8), np.float32)
    any_rank(fh.partition(y, (2, 8)), None).sync()
    assert (y == 2).all()
    any_rank(fh.partition(y, (2, 8)), filled(4, 8)).sync()
    np.testing.assert_array_equal(y, filled(4, 8))
    z = np.zeros(N, np.float32)
    without_quotes(fh.partition(z, 32), X, X).sync()
    np.testing.assert_array_equal(z, 2 * X)


def test_each_form_is_code_of_its_own_and_says_what_is_in_it() -> None:
    y = np.zeros(N, np.float32)
    plain, whole = (str(affine.explain(fh.partition(y, 32), X, *given, arch=())) for given in ((), (A, B)))
    assert "scale" not in plain
    assert "`scale` read" in whole
    assert "scale" not in str(affine.lower(fh.partition(y, 32), X))
    assert "scale" in str(affine.lower(fh.partition(y, 32), X, scale=A))
    assert "scale" in str(affine.verify(fh.partition(y, 32), X, A))
    assert "scale" not in affine.proofs(fh.partition(y, 32), X)


def test_a_bound_launch_may_change_its_form() -> None:
    y = np.zeros(N, np.float32)
    bound = affine.bind(fh.partition(y, 32), X)
    for change, wanted in (({}, X), ({"shift": B}, X + B), ({"scale": A}, X * A + B), ({"shift": None}, X * A)):
        bound.rebind(**change).sync()
        np.testing.assert_array_equal(y, wanted)
        y[:] = 0
        bound().sync()
        np.testing.assert_array_equal(y, wanted)


def test_in_graphs_and_chains() -> None:
    y, z = np.zeros(N, np.float32), np.zeros(N, np.float32)
    first = affine(fh.partition(y, 32), X, shift=B)
    graph = first.then(lambda made: affine(fh.partition(z, 32), made, A)).graph()
    graph.replay().sync()
    np.testing.assert_array_equal(z, (X + B) * A)


def test_kernels_with_hints_keep_their_forms() -> None:
    y = np.zeros(N, np.float32)
    affine.with_hints(num_worker_warps=4)(fh.partition(y, 32), X, A).sync()
    np.testing.assert_array_equal(y, X * A)


def test_an_absent_tensor_says_nothing_of_extents(golden: Any) -> None:
    y = np.zeros(N, np.float32)
    with pytest.raises(fh.Rejected) as caught:
        affine(fh.partition(y, 32), X, A[:50]).sync()
    assert caught.value.codes == ("O230",)
    with pytest.raises(fh.Rejected) as caught:
        affine(fh.partition(y, 32), None, A).sync()
    assert "`x`" in str(caught.value)
    with pytest.raises(fh.Rejected) as caught:
        affine(fh.partition(y, 32), X, 3.0).sync()  # pyright: ignore[reportArgumentType]
    golden(Path(__file__).with_name("optional_number.err"), str(caught.value).replace(f"{Path(__file__).parent}/", ""))


def test_a_package_has_the_forms_it_was_built_with(tmp_path: Path, golden: Any) -> None:
    y = np.zeros(N, np.float32)
    cut = fh.partition(y, 32)
    fh.build([affine(cut, X), affine(cut, X, A), affine(cut, X, A, B)], [], tmp_path / "kernels")
    kernels = fh.load(tmp_path / "kernels")
    for given, wanted in (FORMS[0], FORMS[1], FORMS[3]):
        kernels.affine(cut, X, *given).sync()
        np.testing.assert_array_equal(y, wanted)
    with pytest.raises(fh.Rejected) as caught:
        kernels.affine(cut, X, None, B).sync()
    golden(Path(__file__).with_name("optional_package.err"), str(caught.value).replace(f"{Path(__file__).parent}/", ""))


def test_a_package_without_the_form_of_a_launch_says_which(tmp_path: Path) -> None:
    y = np.zeros(N, np.float32)
    cut = fh.partition(y, 32)
    said = {"whole": "it was built from no launch that gives all of the tensors that may be `None`"}
    said |= {
        names: f"it was built from no launch that gives `None` for {names} and for nothing else"
        for names in ("`shift`", "`scale`", "`scale` and `shift`")
    }
    given = {"whole": (A, B), "`shift`": (A, None), "`scale`": (None, B), "`scale` and `shift`": (None, None)}
    for built in given:
        kernels = fh.load(fh.build([affine(cut, X, *given[built])], [], tmp_path / f"of{len(built)}"))
        for asked, arguments in given.items():
            if asked == built:
                kernels.affine(cut, X, *arguments).sync()
                continue
            with pytest.raises(fh.Rejected) as caught:
                kernels.affine(cut, X, *arguments).sync()
            assert [text for text in said.values() if text in str(caught.value)] == [said[asked]]


def test_a_search_tells_forms_apart(tmp_path: Path) -> None:
    def arguments(tile: int, y: Any, *rest: Any) -> tuple[Any, ...]:
        return fh.partition(y, tile), *rest

    tuned = fh.Tuned(affine, [16, 32], arguments, record=tmp_path / "record.json")
    y = np.zeros(N, np.float32)
    for given, wanted in FORMS:
        tuned.search(y, X, *given, measure=lambda run: float(bool(run()) or 1))
        tuned(y, X, *given).sync()
        np.testing.assert_array_equal(y, wanted)
    assert tuned.kind(y, X, None, B) != tuned.kind(y, X, B)


def test_as_an_operator_of_torch() -> None:
    torch: Any = pytest.importorskip("torch")
    made = affine.as_torch_op("freehold_optional::affine", {"y": 32}, returns=["y"])
    assert str(made._schema) == (
        "freehold_optional::affine(Tensor x, Tensor? scale=None, Tensor? shift=None) -> Tensor"
    )
    x, a, b = map(torch.from_numpy, (X, A, B))
    for given, wanted in FORMS:
        tensors = [None if g is None else torch.from_numpy(g) for g in given]
        np.testing.assert_array_equal(made(x, *tensors).numpy(), wanted)
        assert set(torch.library.opcheck(made, (x, *tensors)).values()) == {"SUCCESS"}
    np.testing.assert_array_equal(made(x, shift=b).numpy(), X + B)

    def twice(x: Any, a: Any, b: Any) -> Any:
        return made(x, a, b) + made(x)

    compiled = torch.compile(twice, fullgraph=True, backend="aot_eager")
    np.testing.assert_array_equal(compiled(x, a, None).numpy(), X * A + X)
    with pytest.raises(fh.Rejected, match="O279"):
        made(x.clone().requires_grad_(), a).sum().backward()

    changing = largest.as_torch_op("freehold_optional::largest", dict.fromkeys(("y", "where", "more"), 4))
    assert "Tensor(b!)? where" in str(changing._schema)
    m, y = torch.from_numpy(filled(20, 8)), torch.zeros(20)
    changing(y, None, m, None, None)
    assert torch.equal(y, m.amax(1))
    fixed = largest.as_torch_op(
        "freehold_optional::fixed", {"y": 4}, returns=["y"], fixed=dict.fromkeys(("where", "total", "more"))
    )
    assert torch.equal(fixed(m), m.amax(1))


def test_as_a_function_of_jax() -> None:
    jax: Any = pytest.importorskip("jax")
    made = affine.as_jax({"y": 32})
    for given, wanted in FORMS:
        np.testing.assert_array_equal(made(X, *given), wanted)
        np.testing.assert_array_equal(jax.jit(made)(X, *given), wanted)


def test_forms_are_found_each_time() -> None:
    y = np.zeros(N, np.float32)
    for _ in range(3):  # the first launch of a kind takes another way than those after it
        for given, wanted in FORMS:
            affine(fh.partition(y, 32), X, *given).sync()
            np.testing.assert_array_equal(y, wanted)
