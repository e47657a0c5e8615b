"""Arguments that just fit the library's functions, those that just do not, and small questions in all their cases."""

# What torch has is of no types here.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from freehold import kernels
from freehold.kernels import activations, convolutions, operators, patching, pieces, products, reductions, rotary, rows
from freehold.kernels.arguments import Takes
from freehold.runtime.launch.launch import Launch

torch: Any = pytest.importorskip("torch")


def of(*shape: int, dtype: Any = torch.float32) -> Any:
    return torch.empty(shape, dtype=dtype)


def whole(*shape: int) -> Any:
    return torch.zeros(shape, dtype=torch.int32)


@pytest.fixture
def still(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The kernels that a test launches: none of them runs."""
    told: list[str] = []

    def note(self: Launch, stream: Any = None) -> Launch:
        told.append(self.dispatcher.kernel.__name__)
        return self.spend()

    monkeypatch.setattr(Launch, "on", note)
    return told


def paged(page: int, **changes: Any) -> Callable[[], Any]:
    cache = of(5, 2, page, 64)
    return lambda: kernels.paged_attention(of(3, 4, 64), cache, cache, whole(3, 2), whole(3), **changes)


SMALL = of(1, 2, 3, 4)
FITS: dict[str, Callable[[], Any]] = {
    "one expert": lambda: kernels.route(of(3, 1), 1),
    "all experts": lambda: kernels.route(of(3, 4), 4),
    "as many experts as there may be": lambda: kernels.route(of(3, 512), 1),
    "all elements": lambda: kernels.topk(of(3, 4), 4),
    "one element": lambda: kernels.topk(of(3, 4), 1),
    "one element of a row": lambda: kernels.topk(of(4, 3), 4, dim=0),
    "elements of 32 bits": lambda: kernels.sort(of(3, 4)),
    "pages of 16": paged(16),
    "pages of 64": paged(64),
    "as many queries as keys": lambda: kernels.attention(of(1, 2, 8, 16), of(1, 2, 8, 16), of(1, 2, 8, 16)),
    "more queries than keys": lambda: kernels.attention(
        of(1, 2, 9, 16), of(1, 2, 8, 16), of(1, 2, 8, 16), causal=False
    ),
    "a window of one": lambda: kernels.attention(*(of(1, 2, 8, 16) for _ in range(3)), window=1),
    "a window that fits as a whole": lambda: kernels.conv(of(1, 4, 5), of(3, 4, 5)),
    "a window that fits with padding": lambda: kernels.conv(of(1, 4, 5), of(3, 4, 9), padding=2),
    "a transposed convolution of a channel of each group": lambda: kernels.conv_transpose(
        of(1, 4, 5), of(4, 1, 3), groups=2
    ),
    "a window of a pool": lambda: kernels.avg_pool(of(1, 4, 5), 5),
    "three axes": lambda: kernels.max_pool(of(1, 4, 5, 5, 5), 2),
    "one part": lambda: kernels.histogram(of(9), 1, 0.0, 1.0),
    "a group of all channels": lambda: kernels.group_norm(of(2, 4, 5), 1, of(4), of(4)),
    "a group of 16": lambda: kernels.quantise(of(2, 64), group=16),
    "two axes": lambda: kernels.transpose(of(2, 3)),
    "neighbouring axes": lambda: kernels.reduce(of(2, 3, 4), "sum", (2, 1)),
    "all axes": lambda: kernels.reduce(of(2, 3, 4), "mean"),
    "a last axis that is negative": lambda: kernels.reduce(of(2, 3, 4), "amax", -3),
    "a mask of the same shape": lambda: kernels.cumsum(of(2, 3), mask=of(2, 3) > 0),
    "logits of 32 bits": lambda: kernels.greedy(of(2, 3)),
    "the exact gelu of 32 bits": lambda: kernels.activation(of(2, 3), "exact gelu"),
    "the gelu of 64 bits": lambda: kernels.activation(of(2, 3, dtype=torch.float64), "gelu"),
    "angles of each sequence": lambda: kernels.rope(of(2, 3, 4, 8), of(2, 3, 4), of(2, 3, 4)),
    "angles of all": lambda: kernels.rope(of(2, 3, 4, 8), of(3, 4), of(3, 4)),
    "positions without sequences": lambda: kernels.rope(of(3, 4, 8), of(3, 4), of(3, 4)),
    "a target for each of the last axis": lambda: kernels.mse_loss(of(2, 3), of(3)),
    "a target for each element": lambda: kernels.mse_loss(of(3), of(3)),
    "scales of rows": lambda: kernels.scaled_linear(
        of(2, 130, dtype=torch.int8), of(3, 130, dtype=torch.int8), of(2), of(3)
    ),
    "scales of blocks": lambda: kernels.scaled_linear(
        of(2, 130, dtype=torch.int8), of(129, 130, dtype=torch.int8), of(2, 2), of(2, 2)
    ),
    "scales of groups": lambda: kernels.dequantise(of(2, 65, dtype=torch.int8), of(2, 3)),
    "a decay": lambda: kernels.linear_attention(SMALL, SMALL, SMALL, of(1, 2, 3)),
}


@pytest.mark.parametrize("name", FITS)
def test_what_just_fits(name: str, still: list[str]) -> None:
    FITS[name]()
    assert still


REFUSED: dict[str, Callable[[], Any]] = {
    "no expert": lambda: kernels.route(of(3, 4), 0),
    "an expert more than there are": lambda: kernels.route(of(3, 4), 5),
    "an expert more than there may be": lambda: kernels.route(of(3, 513), 1),
    "logits of one axis": lambda: kernels.route(of(4), 1),
    "no element": lambda: kernels.topk(of(3, 4), 0),
    "an element more": lambda: kernels.topk(of(3, 4), 5),
    "elements of 64 bits": lambda: kernels.sort(of(3, 4, dtype=torch.float64)),
    "pages of 8": paged(8),
    "pages of 48": paged(48),
    "more queries than keys": lambda: kernels.attention(of(1, 2, 9, 16), of(1, 2, 8, 16), of(1, 2, 8, 16)),
    "more queries than keys in a window": lambda: kernels.attention(
        of(1, 2, 9, 16), of(1, 2, 8, 16), of(1, 2, 8, 16), causal=False, window=3
    ),
    "a window of none": lambda: kernels.attention(*(of(1, 2, 8, 16) for _ in range(3)), window=-1),
    "a window that does not fit": lambda: kernels.conv(of(1, 4, 5), of(3, 4, 6)),
    "a window that does not fit with padding": lambda: kernels.conv(of(1, 4, 5), of(3, 4, 10), padding=2),
    "four axes": lambda: kernels.conv(of(1, 4, 5, 5, 5, 5), of(3, 4, 1, 1, 1, 1)),
    "no axes": lambda: kernels.conv(of(1, 4), of(3, 4)),
    "a weight of other axes": lambda: kernels.conv(of(1, 4, 5), of(3, 4, 1, 1)),
    "channels that do not share": lambda: kernels.conv(of(1, 4, 5), of(3, 2, 1), groups=2),
    "a window of a pool": lambda: kernels.avg_pool(of(1, 4, 5), 6),
    "four axes of a pool": lambda: kernels.max_pool(of(1, 4, 5, 5, 5, 5), 2),
    "no part": lambda: kernels.histogram(of(9), 0, 0.0, 1.0),
    "an empty range": lambda: kernels.histogram(of(9), 1, 1.0, 1.0),
    "channels in groups": lambda: kernels.group_norm(of(2, 4, 5), 3),
    "a weight of other channels": lambda: kernels.group_norm(of(2, 4, 5), 2, of(5)),
    "a bias of other channels": lambda: kernels.group_norm(of(2, 4, 5), 2, of(4), of(2, 2)),
    "a group of 8": lambda: kernels.quantise(of(2, 64), group=8),
    "a group of 48": lambda: kernels.quantise(of(2, 64), group=48),
    "another format": lambda: kernels.quantise(of(2, 64), "int4"),
    "one axis": lambda: kernels.transpose(of(3)),
    "axes that are no neighbours": lambda: kernels.reduce(of(2, 3, 4), "sum", (0, 2)),
    "an axis twice": lambda: kernels.reduce(of(2, 3, 4), "sum", (1, 1)),
    "another norm": lambda: kernels.normalize(of(2, 3), 3),
    "a mask of another shape": lambda: kernels.cumsum(of(2, 3), mask=of(1, 3) > 0),
    "logits of 64 bits": lambda: kernels.greedy(of(2, 3, dtype=torch.float64)),
    "logits that are integers": lambda: kernels.greedy(whole(2, 3)),
    "logits of three axes": lambda: kernels.greedy(of(2, 3, 4)),
    "the exact gelu of 64 bits": lambda: kernels.activation(of(2, 3, dtype=torch.float64), "exact gelu"),
    "another activation": lambda: kernels.gated(of(2, 3), of(2, 3), "mish"),
    "an end of another activation": lambda: kernels.linear(of(2, 3), of(4, 3), activation="mish"),
    "angles of other sequences": lambda: kernels.rope(of(2, 3, 4, 8), of(1, 3, 4), of(1, 3, 4)),
    "angles of other positions": lambda: kernels.rope(of(2, 3, 4, 8), of(2, 4), of(2, 4)),
    "angles of one kind alone": lambda: kernels.rope(of(2, 3, 4, 8), of(3, 4), of(2, 3, 4)),
    "sequences of angles alone": lambda: kernels.rope(of(3, 4, 8), of(3, 3, 4), of(3, 3, 4)),
    "a head that is odd": lambda: kernels.rope(of(2, 3, 4, 9), of(3, 4), of(3, 4)),
    "a target of another shape": lambda: kernels.mse_loss(of(2, 3), of(2)),
    "another reduction of pairs": lambda: kernels.mse_loss(of(2, 3), of(2, 3), "none"),
    "another reduction": lambda: kernels.cross_entropy(of(2, 3), whole(2), reduction="batchmean"),
    "scales of fewer rows": lambda: kernels.scaled_linear(
        of(2, 130, dtype=torch.int8), of(3, 130, dtype=torch.int8), of(2), of(2)
    ),
    "scales of fewer blocks": lambda: kernels.scaled_linear(
        of(2, 130, dtype=torch.int8), of(128, 130, dtype=torch.int8), of(2, 1), of(1, 2)
    ),
    "factors of two kinds": lambda: kernels.scaled_linear(
        of(2, 130, dtype=torch.int8), of(3, 130, dtype=torch.float8_e4m3fn), of(2), of(3)
    ),
    "scales of no groups": lambda: kernels.dequantise(of(2, 65, dtype=torch.int8), of(2, 4)),
    "scales of other rows": lambda: kernels.dequantise(of(2, 65, dtype=torch.int8), of(3)),
    "a decay of another shape": lambda: kernels.linear_attention(SMALL, SMALL, SMALL, of(1, 2, 4)),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_just_does_not(name: str, still: list[str]) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 -- the words are looked at elsewhere
        REFUSED[name]()
    assert not still


# --- Tensors as they lie in memory ------------------------------------------------------------------------------------


def test_matrices_as_they_are_stored() -> None:
    x = torch.arange(24.0).reshape(4, 6)
    for given, turned in ((x, False), (x.t(), True), (x[:, 1:3], False), (x[1:3].t(), True)):
        found, is_turned = products.stored(given)
        assert is_turned is turned
        assert found.data_ptr() == given.data_ptr()
        assert torch.equal(found.t() if turned else found, given)
    found, turned = products.stored(x[:, ::2])
    assert not turned
    assert found.is_contiguous()
    assert torch.equal(found, x[:, ::2])


@pytest.mark.parametrize(
    ("columns", "first", "dtype", "kept"),
    [
        (8, 0, torch.bfloat16, True),  # rows of 16 bytes
        (9, 0, torch.bfloat16, False),
        (12, 0, torch.bfloat16, False),
        (16, 8, torch.bfloat16, True),
        (16, 4, torch.bfloat16, False),  # that begin between
        (4, 0, torch.float32, True),
        (5, 0, torch.float32, False),
    ],
)
def test_rows_begin_where_they_are_read_fast(columns: int, first: int, dtype: Any, kept: bool) -> None:
    x = torch.randn(3, columns).to(dtype)[:, first:]
    found = products.aligned(x)
    assert torch.equal(found, x)
    assert (found.data_ptr() == x.data_ptr()) is kept
    if not kept:
        assert found.stride(0) * found.element_size() % 128 == 0
        assert found.stride(0) * found.element_size() - x.shape[1] * x.element_size() < 128


def test_rows_of_many_are_copied_to_where_they_are_read_fast(still: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 16 bits, and not for few rows, for which the copy would take longer."""
    copied: list[tuple[int, ...]] = []

    def noted(matrix: Any) -> Any:
        copied.append(tuple(matrix.shape))
        return matrix

    monkeypatch.setattr(products, "aligned", noted)
    for count, dtype, found in (
        (64, torch.bfloat16, []),
        (65, torch.bfloat16, [(65, 100), (300, 100)]),
        (65, torch.float32, []),
        (65, torch.int8, [(65, 100), (300, 100)]),
    ):
        copied.clear()
        kernels.matmul(of(count, 100, dtype=dtype), of(300, 100, dtype=dtype).t())
        assert copied == found
    assert len(still) == 4


@pytest.mark.parametrize(
    ("shape", "dtype", "count"),
    [
        ((3, 512, 3), torch.float32, 4),  # rows of 12 bytes
        ((3, 252, 3), torch.float32, 1),  # 63 joined ones
        ((3, 256, 3), torch.float32, 4),
        ((3, 510, 3), torch.float32, 1),
        ((3, 512, 4), torch.float32, 1),
        ((3, 512, 6), torch.float32, 2),
        ((3, 512, 3), torch.bfloat16, 8),
        ((3, 512, 1), torch.float32, 1),
    ],
)
def test_rows_that_are_seen_as_one(shape: tuple[int, ...], dtype: Any, count: int) -> None:
    x = of(*shape, dtype=dtype)
    assert reductions.joined_rows(x) == count
    assert reductions.joined_rows(x.transpose(0, 2).contiguous().transpose(0, 2)) == 1


@pytest.mark.parametrize(
    ("shapes", "found"),
    [
        (((2, 65536), (2, 65536)), (2, 65536)),
        (((3, 7),), (3, 7)),
        (((65536,),), (16, 4096)),
        (((65536 * 2,),), (2, 65536)),
        (((4096,),), (1, 4096)),
        (((8192,),), (2, 4096)),
        (((2, 3, 4096),), (6, 4096)),
    ],
)
def test_elements_in_long_rows(shapes: tuple[tuple[int, ...], ...], found: tuple[int, int]) -> None:
    assert [tuple(t.shape) for t in activations.as_matrices(*map(of_all, shapes))] == [found] * len(shapes)
    one = of(*shapes[0], 2)[..., 0]
    assert tuple(activations.as_matrices(one)[0].shape) == (one.numel() // one.shape[-1], one.shape[-1])


def of_all(shape: tuple[int, ...]) -> Any:
    return of(*shape)


def test_tensors_that_have_all_of_their_memory() -> None:
    x = of(2, 3, 4)
    dense = vars(rotary)["_dense"]
    assert all(dense(t) for t in (x, x.transpose(0, 2), x.permute(1, 2, 0), x[:1]))
    assert not any(dense(t) for t in (x[..., :3], x[:, ::2], x[:, :1].expand(2, 3, 4)))
    assert vars(rotary)["_unwritten"](x.transpose(0, 1)).stride() == x.transpose(0, 1).stride()
    assert vars(rotary)["_unwritten"](x[..., :3]).is_contiguous()


# --- Precision --------------------------------------------------------------------------------------------------------


def test_which_products_may_be_in_tf32(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [operators.asked(t) for t in (None, False, True)] == [-1, 0, 1]
    for dtype in (torch.float32, torch.bfloat16, torch.float64):
        for cuda in (False, True):
            x = SimpleNamespace(dtype=dtype, is_cuda=cuda)
            for product, convolution in ((False, True), (True, False)):
                monkeypatch.setattr(torch.backends.cuda, "matmul", SimpleNamespace(allow_tf32=product))
                monkeypatch.setattr(torch.backends, "cudnn", SimpleNamespace(allow_tf32=convolution))
                for tf32, of_products, of_convolutions in (
                    (0, False, False),
                    (1, True, True),
                    (-1, product and cuda, convolution and cuda),
                ):
                    f32 = dtype == torch.float32
                    assert operators.in_tf32(x, tf32, False) is (f32 and of_products)
                    assert operators.in_tf32(x, tf32, True) is (f32 and of_convolutions)


class Newer:
    """Settings of which the newer names were used: torch does not answer of the older."""

    def __init__(self, precision: str, **more: Any):
        self.fp32_precision = precision
        self.__dict__.update(more)

    @property
    def allow_tf32(self) -> bool:
        raise RuntimeError("mixed")


def test_the_newer_settings_of_tf32(monkeypatch: pytest.MonkeyPatch) -> None:
    x = SimpleNamespace(dtype=torch.float32, is_cuda=True)
    for product, convolution in (("tf32", "ieee"), ("ieee", "tf32")):
        monkeypatch.setattr(torch.backends.cuda, "matmul", Newer(product))
        monkeypatch.setattr(torch.backends, "cudnn", Newer("none", conv=Newer(convolution)))
        assert operators.in_tf32(x, -1, False) is (product == "tf32")
        assert operators.in_tf32(x, -1, True) is (convolution == "tf32")


def test_products_and_convolutions_follow_their_own_setting(still: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []

    def noted(_x: Any, _tf32: int, convolution: bool) -> bool:
        asked.append(convolution)
        return False

    for module in (convolutions, products):
        monkeypatch.setattr(module, "in_tf32", noted)
    kernels.matmul(of(100, 200), of(200, 300))
    kernels.matmul(of(4, 100, 200), of(4, 200, 300))
    kernels.matmul(of(1024, 512), of(512, 1024))
    assert asked
    assert not any(asked)
    asked.clear()
    for size, weight in (((1, 12, 9), (8, 12, 1)), ((1, 12, 9), (8, 12, 3)), ((8, 64, 70, 70), (64, 64, 3, 3))):
        x, w = of(*size).requires_grad_(), of(*weight).requires_grad_()
        kernels.conv(x, w).backward(of(*kernels.conv(x, w).shape))
    assert "rows_convolved" in still
    assert asked
    assert all(asked)


def test_dtypes_of_sums() -> None:
    dtypes = {torch.float64: torch.float64, torch.float32: torch.float32, torch.bfloat16: torch.float32}
    assert {d: operators.wide_dtype(of(1, dtype=d)) for d in dtypes} == dtypes
    kinds = {torch.int8: torch.int32, torch.float16: torch.float16, torch.float64: torch.float64}
    assert {d: operators.integer_sums(of(1, dtype=d)) for d in kinds} == kinds
    assert tuple(operators.as_rows(of(2, 3, 4)).shape) == (6, 4)
    assert tuple(operators.as_rows(of(4)).shape) == (1, 4)
    for dtype, count, faster in (
        (torch.float32, 1 << 27, True),
        (torch.float32, (1 << 27) - 1, False),
        (torch.bfloat16, 1 << 27, False),
        (torch.float64, 1 << 27, False),
    ):
        assert pieces.in_pieces_is_faster(of(1, dtype=dtype), count) is faster


def test_axes_are_declared_by_position() -> None:
    with pytest.raises(ValueError, match=r"x is \(N\), not \(2, 3\)"):
        Takes("f", {"x": "N"}).check({"x": of(2, 3)})
    Takes("f", {"x": "N", "y": "M"}).check({"x": of(2), "y": of(3)})
    Takes("f", {"x": "... N"}).check({"x": of(2)})
    with pytest.raises(TypeError, match=r"y is of torch.int32, and x of torch.float32"):
        Takes("f", {"x": "", "y": "same"}).check({"x": of(2), "y": whole(2)})


# --- Patched models ---------------------------------------------------------------------------------------------------


def model(**config: Any) -> Any:
    given = {"model_type": "llama", "hidden_act": "silu", **config}
    found = torch.nn.Module()
    found.config = SimpleNamespace(**given)
    return found


def test_models_that_are_not_known() -> None:
    for wrong in ({"model_type": "gpt2"}, {"hidden_act": "relu"}):
        with pytest.raises(ValueError, match=r"not 'gpt2'|activation 'relu'"):
            kernels.patch(model(**wrong))


def test_what_a_patched_model_refuses_and_passes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Any] = []

    def attention(q: Any, k: Any, v: Any, **options: Any) -> Any:
        given.append(options)
        return q

    monkeypatch.setattr(patching, "attention", attention)
    run, q = vars(patching)["_attention"], of(1, 2, 3, 4)
    plain, windowed = SimpleNamespace(), SimpleNamespace(sliding_window=7)
    found, weights = run(plain, q, q, q, None, 0.5)
    assert (tuple(found.shape), weights) == ((1, 3, 2, 4), None)
    run(windowed, q, q, q, None, dropout=0.0)
    run(windowed, q, q, q, None, sliding_window=5)
    assert [(o["causal"], o["scale"], o["window"]) for o in given] == [
        (True, 0.5, None),
        (True, None, 7),
        (True, None, 5),
    ]
    for options, words in (
        ({"attention_mask": q}, "no mask"),
        ({"attention_mask": None, "dropout": 0.1}, "no dropout"),
    ):
        with pytest.raises(ValueError, match=words):
            run(plain, q, q, q, **options)
    mask = vars(patching)["_mask"]
    assert mask(attention_mask=torch.ones(2, 3)) is None
    assert mask() is None
    padded = torch.tensor([[1, 0]])
    assert mask(attention_mask=padded) is padded
    with pytest.raises(ValueError, match="heads stand in front"):
        vars(patching)["_rotate"](q, q, q, q, 2)


def test_the_loss_of_a_patched_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each position is compared with the next label; the last one with none."""
    given: list[Any] = []

    def loss(rows: Any, target: Any, **options: Any) -> Any:
        given.append((tuple(rows.shape), target.tolist(), options))
        return torch.tensor(6.0)

    monkeypatch.setattr(patching, "cross_entropy", loss)
    told = vars(patching)["_loss"]
    logits, labels = of(2, 3, 5), torch.tensor([[1, 2, 3], [4, 0, 1]])
    assert told(logits, labels) == 6
    assert told(logits, labels, num_items_in_batch=4, ignore_index=-7) == 1.5
    told(logits, labels, shift_labels=labels)
    shifted = [2, 3, -100, 0, 1, -100]
    assert given == [
        ((6, 5), shifted, {"ignore_index": -100}),
        ((6, 5), [2, 3, -7, 0, 1, -7], {"ignore_index": -7, "reduction": "sum"}),
        ((6, 5), [1, 2, 3, 4, 0, 1], {"ignore_index": -100}),
    ]


# --- Who sees operators -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("modes", "transforms", "plain"),
    [(0, None, True), (1, None, False), (0, [1], False), (..., None, False), (0, ..., False)],
)
def test_where_torch_does_not_say_there_may_be_a_mode(modes: Any, transforms: Any, plain: bool) -> None:
    inner = SimpleNamespace(_functorch=SimpleNamespace())
    if modes is not ...:
        vars(inner)["_len_torch_dispatch_stack"] = lambda: modes
    if transforms is not ...:
        vars(inner._functorch)["peek_interpreter_stack"] = lambda: transforms
    assert operators._no_mode(SimpleNamespace(_C=inner)) is plain


def test_a_mode_sees_operators_and_nobody_else_is_asked(still: list[str]) -> None:
    from torch.utils._python_dispatch import TorchDispatchMode  # pyright: ignore[reportMissingImports]

    seen: list[str] = []

    class Mode(TorchDispatchMode):
        def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(str(function))
            return function(*args, **(kwargs or {}))

    class Other(torch.Tensor):
        pass

    x, softmax = of(3, 4), vars(rows)["_softmax"]
    kernels.softmax(x)
    assert not softmax._is_seen(torch, (x, False))
    assert not softmax._is_seen(torch, (torch.nn.Parameter(x), False))
    assert softmax._is_seen(torch, (x.as_subclass(Other), False))
    with Mode():
        assert softmax._is_seen(torch, (x, False))
        kernels.softmax(x)
    assert "freehold.softmax.default" in seen
    assert still == ["softmax_rows"] * 2


@pytest.mark.parametrize("eps", [1e-5, 0.5])
def test_moments_are_those_of_the_numbers_whatever_is_added_to_them(eps: float) -> None:
    x = torch.randn(3, 4, 5, dtype=torch.float64)
    _, mean, variance = kernels.batch_norm(x, eps=eps)
    torch.testing.assert_close(mean, x.mean((0, 2)))
    torch.testing.assert_close(variance, x.var((0, 2), correction=0))
