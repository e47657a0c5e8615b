"""Calls of every function of the library, as large as models have them: what `benchmarks.tuned_library` searches."""

# What torch has is of no types here.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from freehold import kernels
from freehold.kernels import optimisers


class Call(NamedTuple):
    """A call of a function of the library on tensors of its own."""

    name: str
    """The function's, and behind it what it is called with."""
    make: Callable[[], Callable[[], Any]]
    """Makes the tensors, and returns what does the call again and again."""
    recorded: bool = True
    """Whether calls are replayed from a graph; gradients cannot be."""


WITHOUT = "define_operators", "patch"
"""Functions that launch nothing themselves."""


class Calls:
    """All calls, on tensors of a device; `by` makes the longest axis of each so many times shorter."""

    def __init__(self, torch: Any, device: str = "cuda", by: int = 1):
        self.torch = torch
        self.device = device
        self.by = by

    def __iter__(self) -> Iterator[Call]:
        for calls in (
            *(self.gradients, self.losses, self.narrow, self.drawing, self.experts, self.axes, self.images),
            *(self.elements, self.caches, self.attention, self.products, self.rows),
        ):
            yield from calls()

    def normal(self, *shape: int, dtype: str = "bfloat16") -> Any:
        """Random numbers."""
        return self.torch.randn(*shape, device=self.device).to(getattr(self.torch, dtype))

    def below(self, n: int, *shape: int, dtype: str = "int64") -> Any:
        """Random integers from 0 up to n."""
        return self.torch.randint(0, n, shape, device=self.device, dtype=getattr(self.torch, dtype))

    def of(self, name: str, function: Callable[..., Any], *shapes: tuple[int, ...], dtype: str = "bfloat16") -> Call:
        """A call of a function on tensors of such shapes."""

        def make() -> Callable[[], Any]:
            tensors = [self.normal(*shape, dtype=dtype) for shape in shapes]
            return lambda: function(*tensors)

        return Call(f"{name} {dtype} {' x '.join(map(str, shapes[0]))}", make)

    def rows(self) -> Iterator[Call]:
        """Norms and softmax of rows."""
        for n in (1024, 4096, 16384, 131072):
            m = (1 << 26) // n // self.by
            for dtype in ("bfloat16", "float32"):
                yield self.of("rms_norm", kernels.rms_norm, (m, n), (n,), dtype=dtype)
                yield self.of("layer_norm", kernels.layer_norm, (m, n), (n,), (n,), dtype=dtype)
                yield self.of("softmax", kernels.softmax, (m, n), dtype=dtype)
                yield self.of("log_softmax", kernels.log_softmax, (m, n), dtype=dtype)
        m, n = 16384 // self.by, 4096
        yield self.of("add_rms_norm", kernels.add_rms_norm, (m, n), (m, n), (n,))

    def elements(self) -> Iterator[Call]:
        """Functions element by element, and rows by their numbers."""
        m = 16384 // self.by
        for dtype in ("bfloat16", "float32"):
            yield self.of("activation gelu", lambda x: kernels.activation(x, "gelu"), (m, 8192), dtype=dtype)
        yield self.of("gated silu", lambda x, u: kernels.gated(x, u, "silu"), (m, 12288), (m, 12288))
        yield self.of("swiglu", kernels.swiglu, (m, 12288), (m, 12288), dtype="float32")
        yield self.of("geglu", kernels.geglu, (m, 12288), (m, 12288))
        t = 4096 // self.by

        def rope(x: Any, angle: Any) -> Any:
            return kernels.rope(x, angle, angle)

        for dtype in ("bfloat16", "float32"):
            yield self.of("rope", rope, (4, t, 32, 128), (t, 64), dtype=dtype)

        def embedding() -> Callable[[], Any]:
            table, ids = self.normal(151936 // self.by, 4096), self.below(151936 // self.by, 16384 // self.by)
            return lambda: kernels.embedding(ids, table)

        yield Call("embedding bfloat16 16384 of 151936 x 4096", embedding)

        def adamw() -> Callable[[], Any]:
            p = self.normal((1 << 27) // self.by, dtype="float32").requires_grad_()
            p.grad = self.torch.randn_like(p)
            step = optimisers.AdamW([p]).step
            return lambda: step() and None

        yield Call("AdamW float32 2^27", adamw, recorded=False)

    def axes(self) -> Iterator[Call]:
        """Reductions, scans, orders and transposes."""
        z = max(1, 64 // self.by)
        for dtype in ("bfloat16", "float32"):
            for kind in ("sum", "amax", "square sum"):
                yield self.of(
                    f"reduce {kind} of rows", lambda x, k=kind: kernels.reduce(x, k, -1), (1024 * z, 2048), dtype=dtype
                )
            yield self.of("reduce sum along 1", lambda x: kernels.reduce(x, "sum", 1), (z, 2048, 2048), dtype=dtype)
            yield self.of(
                "reduce mean of columns", lambda x: kernels.reduce(x, "mean", 0), (1024 * z, 2048), dtype=dtype
            )
            yield self.of("reduce sum of all", lambda x: kernels.reduce(x, "sum"), (1024 * z, 2048), dtype=dtype)
            yield self.of("reduce amax of long", lambda x: kernels.reduce(x, "amax", -1), (64, 32768 * z), dtype=dtype)
            yield self.of("argmax of rows", kernels.argmax, (1024 * z, 2048), dtype=dtype)
            yield self.of("argmin along 1", lambda x: kernels.argmin(x, 1), (z, 2048, 2048), dtype=dtype)
            yield self.of("normalize of rows", kernels.normalize, (1024 * z, 2048), dtype=dtype)
            yield self.of("normalize along 1", lambda x: kernels.normalize(x, 2, 1), (4 * z, 256, 2048), dtype=dtype)
            yield self.of("cumsum of rows", kernels.cumsum, (1024 * z, 2048), dtype=dtype)
            yield self.of("cumsum along 1", lambda x: kernels.cumsum(x, 1), (z, 2048, 2048), dtype=dtype)
            yield self.of("transpose", kernels.transpose, (z, 2048, 2048), dtype=dtype)
        yield self.of("cumsum of long", kernels.cumsum, (64, 32768 * z), dtype="float32")
        yield self.of("cumprod of rows", kernels.cumprod, (1024 * z, 2048), dtype="float32")
        yield self.of("sort", kernels.sort, (64, 2048 * z), dtype="float32")

        def histogram(x: Any) -> Any:
            return kernels.histogram(x, 256, -4.0, 4.0)

        yield self.of("histogram 256", histogram, ((1 << 27) // self.by,), dtype="float32")

    def images(self) -> Iterator[Call]:
        """Norms, pools and convolutions."""
        z = max(1, 32 // self.by)
        image = z, 64, 256, 256
        for dtype in ("bfloat16", "float32"):
            yield self.of("group_norm 8", lambda x: kernels.group_norm(x, 8), image, dtype=dtype)
            yield self.of("instance_norm", kernels.instance_norm, image, dtype=dtype)
            yield self.of("batch_norm", kernels.batch_norm, image, dtype=dtype)
            yield self.of("max_pool 2", lambda x: kernels.max_pool(x, 2), image, dtype=dtype)
            yield self.of("max_pool 3 by 2", lambda x: kernels.max_pool(x, 3, 2, 1), image, dtype=dtype)
            yield self.of("avg_pool 3", lambda x: kernels.avg_pool(x, 3), image, dtype=dtype)
        yield self.of("avg_pool 2", lambda x: kernels.avg_pool(x, 2), image)
        small = max(1, 16 // self.by), 64, 128, 128
        yield self.of("conv 3 x 3", lambda x, w: kernels.conv(x, w, padding=1), small, (128, 64, 3, 3))
        yield self.of("conv 1 x 1", kernels.conv, small, (256, 64, 1, 1))
        yield self.of("conv 3 x 3 by 2", lambda x, w: kernels.conv(x, w, stride=2, padding=1), small, (128, 64, 3, 3))
        yield self.of("conv depthwise", lambda x, w: kernels.conv(x, w, padding=1, groups=64), small, (64, 1, 3, 3))
        yield self.of("conv 1-D", kernels.conv, (z, 64, 65536), (128, 64, 3))
        yield self.of("conv_transpose 3 x 3", kernels.conv_transpose, small, (64, 64, 3, 3))

    def products(self) -> Iterator[Call]:
        """Products of matrices."""
        n = 4096 // self.by
        shapes = (n, n, n), (512, 12288 // self.by, n), (128, 12288 // self.by, n), (16, n, n), (1, 24576 // self.by, n)
        for m, c, k in shapes:
            yield self.of(f"linear to {c}", kernels.linear, (m, k), (c, k))
        yield self.of("linear to 4096", kernels.linear, (n, n), (n, n), dtype="float32")
        yield self.of(
            "linear and gelu",
            lambda x, w, b, r: kernels.linear(x, w, b, activation="gelu", residual=r),
            *((n, n), (n, n), (n,), (n, n)),
        )
        yield self.of("matmul", kernels.matmul, (n, n), (n, n))
        yield self.of("matmul of batches", kernels.matmul, (32, n // 4, n // 4), (32, n // 4, n // 4))

    def attention(self) -> Iterator[Call]:
        """Attention of many queries, and linear attention."""
        t = 4096 // self.by
        for d in (64, 128):
            for causal in (True, False):
                yield self.of(
                    f"attention {'causal' if causal else 'of all'}",
                    lambda q, k, v, causal=causal: kernels.attention(q, k, v, causal=causal),
                    *((4, 32, t, d), (4, 8, t, d), (4, 8, t, d)),
                )
        yield self.of(
            "attention window 1024",
            lambda q, k, v: kernels.attention(q, k, v, window=1024),
            *((4, 32, t, 128), (4, 8, t, 128), (4, 8, t, 128)),
        )
        offsets = self.torch.arange(0, 4 * t + 1, t, device=self.device, dtype=self.torch.int32)
        yield self.of(
            "varlen_attention",
            lambda q, k, v: kernels.varlen_attention(q, k, v, offsets, most=t),
            *((4 * t, 32, 128), (4 * t, 8, 128), (4 * t, 8, 128)),
        )
        yield self.of(
            "linear_attention",
            lambda q, k, v: kernels.linear_attention(0.1 * q, k, v),
            *(((4, 16, t, 128),) * 3),
        )

    def caches(self) -> Iterator[Call]:
        """One query a sequence over a cache, and what is appended to it."""
        for batch, length in ((1, 65536), (32, 8192), (64, 1024)):
            s = length // self.by

            def decode(q: Any, k: Any, v: Any, batch: int = batch, s: int = s) -> Any:
                return kernels.decode_attention(q, k, v, self.torch.full((batch,), s, device=self.device))

            cache = batch, 8, s, 128
            yield self.of(f"decode_attention {length}", decode, (batch, 32, 128), cache, cache)

        def paged() -> Callable[[], Any]:
            pages = 4096 // self.by
            table = self.torch.randperm(pages, device=self.device).view(32, -1).int()
            lengths = self.torch.full((32,), table.shape[1] * 64, device=self.device)
            q, k, v = self.normal(32, 32, 128), self.normal(pages, 8, 64, 128), self.normal(pages, 8, 64, 128)
            return lambda: kernels.paged_attention(q, k, v, table, lengths)

        yield Call("paged_attention bfloat16 32 x 8192", paged)

        def append(rotated: bool) -> Callable[[], Any]:
            batch, s = 256, 512 // self.by
            k_cache, v_cache = self.normal(batch, 8, s, 128), self.normal(batch, 8, s, 128)
            position = self.below(s - 1, batch, dtype="int32")
            if not rotated:
                k, v = self.normal(batch, 8, 1, 128), self.normal(batch, 8, 1, 128)
                return lambda: (kernels.append_kv(k_cache, v_cache, k, v, position), k_cache, v_cache)[1:]
            q, k, v = self.normal(batch, 1, 32, 128), self.normal(batch, 1, 8, 128), self.normal(batch, 1, 8, 128)
            cos = self.normal(s, 64, dtype="float32")
            return lambda: kernels.rope_append(q, k, v, k_cache, v_cache, cos, cos, position)

        yield Call("append_kv bfloat16 256 x 8 x 128", lambda: append(False))
        yield Call("rope_append bfloat16 256 x 32/8 x 128", lambda: append(True))

    def drawing(self) -> Iterator[Call]:
        """What decoding does with logits."""
        n = 151936 // self.by
        for m in (1, 64):
            seeds = self.torch.arange(m, device=self.device)
            yield self.of("greedy", kernels.greedy, (m, n))
            yield self.of("topk 50", lambda x: kernels.topk(x, 50), (m, n))
            yield self.of("sample", lambda x, s=seeds: kernels.sample(x, seed=s), (m, n))
            yield self.of(
                "sample top-k 50 and top-p 0.9",
                lambda x, s=seeds: kernels.sample(x, seed=s, top_k=50, top_p=0.9),
                (m, n),
            )
        ids = self.below(n, 4096 // self.by)
        yield self.of("logprobs", lambda x: kernels.logprobs(x, ids), (4096 // self.by, n))

    def experts(self) -> Iterator[Call]:
        """128 experts, of which each token has 8."""
        tokens, count, k, wide, narrow = 8192 // self.by, 128, 8, 2048, 768

        def make(which: str) -> Callable[[], Any]:
            logits = self.normal(tokens, count, dtype="float32")
            weights, chosen = kernels.route(logits, k)
            offsets, slot, source = kernels.sort_by_expert(chosen, count)
            x = self.normal(tokens, wide)
            rows = kernels.dispatch(x, slot, source)
            up = 0.02 * self.normal(count, 2 * narrow, wide)
            down = 0.02 * self.normal(count, wide, narrow)
            many = self.normal(16 * tokens, count, dtype="float32")
            functions: dict[str, Callable[[], Any]] = {
                "route": lambda: kernels.route(many, k),
                "sort_by_expert": lambda: kernels.sort_by_expert(chosen, count),
                "dispatch": lambda: kernels.dispatch(x, slot, source),
                "combine": lambda: kernels.combine(rows, slot, source, weights),
                "grouped_linear": lambda: kernels.grouped_linear(rows, up, offsets),
                "moe": lambda: kernels.moe(x, logits, up, down, k),
            }
            return functions[which]

        for which in ("route", "sort_by_expert", "dispatch", "combine", "grouped_linear", "moe"):
            yield Call(f"{which} bfloat16 8192 x 2048, 8 of 128", lambda which=which: make(which))

    def narrow(self) -> Iterator[Call]:
        """Numbers of 8 bits."""
        m, n = 16384 // self.by, 4096
        for dtype in ("bfloat16", "float32"):
            yield self.of("quantise int8", kernels.quantise, (m, n), dtype=dtype)
            yield self.of("quantise fp8", lambda x: kernels.quantise(x, "fp8"), (m, n), dtype=dtype)
            yield self.of("quantise fp8 by 128", lambda x: kernels.quantise(x, "fp8", 128), (m, n), dtype=dtype)

        def values(format: str, group: int | None) -> Callable[[], Any]:
            found = kernels.quantise(self.normal(m, n), format, group)
            return lambda: kernels.dequantise(*found)

        for form, group in (("int8", None), ("fp8", None), ("fp8", 128)):
            named = f"{form} by {group}" if group else form
            yield Call(f"dequantise {named} {m} x {n}", lambda form=form, group=group: values(form, group))

        def product(format: str, m: int) -> Callable[[], Any]:
            (a, s), (b, t) = kernels.quantise(self.normal(m, n), format), kernels.quantise(self.normal(n, n), format)
            return lambda: kernels.scaled_linear(a, b, s, t)

        for form in ("fp8", "int8"):
            for rows in (4096 // self.by, 16):
                yield Call(f"scaled_linear {form} {rows} x {n}", lambda form=form, rows=rows: product(form, rows))

    def losses(self) -> Iterator[Call]:
        """Losses, each one number."""
        for m, n in ((16384 // self.by, 4096), (4096 // self.by, 151936)):
            target = self.below(n, m)
            yield self.of("cross_entropy", lambda x, t=target: kernels.cross_entropy(x, t), (m, n))
        many = 16384 // self.by, 4096
        for dtype in ("bfloat16", "float32"):
            yield self.of("mse_loss", kernels.mse_loss, many, many, dtype=dtype)
        yield self.of("smooth_l1_loss", kernels.smooth_l1_loss, many, many, dtype="float32")
        yield self.of("pair_loss hinge", lambda x, y: kernels.pair_loss(x, y, "hinge"), many, many, dtype="float32")
        yield self.of("triplet_margin_loss", kernels.triplet_margin_loss, many, many, many, dtype="float32")

        def shares(function: Callable[..., Any], logarithms: bool) -> Callable[[], Any]:
            x, y = (self.torch.rand(*many, device=self.device) + 0.1 for _ in range(2))
            x = x.log() if logarithms else x
            return lambda: function(x, y, "batchmean")

        yield Call("kl_div float32 16384 x 4096", lambda: shares(kernels.kl_div, True))
        yield Call("divergence float32 16384 x 4096", lambda: shares(kernels.divergence, False))

        def vocabulary() -> Callable[[], Any]:
            x, w, target = (
                self.normal(2048 // self.by, 2048),
                self.normal(32000, 2048),
                self.below(32000, 2048 // self.by),
            )
            return lambda: kernels.linear_cross_entropy(x, w, target)

        yield Call("linear_cross_entropy bfloat16 2048 x 2048 of 32000", vocabulary)

    def gradient(
        self, name: str, function: Callable[..., Any], *shapes: tuple[int, ...], dtype: str = "bfloat16"
    ) -> Call:
        """The gradients of all tensors of such shapes."""

        def make() -> Callable[[], Any]:
            grad = self.torch.autograd.grad
            with self.torch.enable_grad():
                tensors = [self.normal(*shape, dtype=dtype).requires_grad_() for shape in shapes]
                y = function(*tensors)
            dy = self.torch.randn_like(y)
            return lambda: grad(y, tensors, dy, retain_graph=True)

        return Call(f"{name} backward {dtype} {' x '.join(map(str, shapes[0]))}", make, recorded=False)

    def gradients(self) -> Iterator[Call]:
        """Gradients of what has kernels of its own for them."""
        m = 16384 // self.by
        for n in (4096, 16384):
            rows = m * 4096 // n, n
            yield self.gradient("softmax", kernels.softmax, rows)
            yield self.gradient("log_softmax", kernels.log_softmax, rows)
            yield self.gradient("rms_norm", kernels.rms_norm, rows, (n,))
            yield self.gradient("layer_norm", kernels.layer_norm, rows, (n,), (n,))
            target = self.below(n, rows[0])
            yield self.gradient("cross_entropy", lambda x, t=target: kernels.cross_entropy(x, t), rows)
        yield self.gradient("swiglu", kernels.swiglu, (m, 8192), (m, 8192))
        yield self.gradient("activation gelu", lambda x: kernels.activation(x, "gelu"), (m, 8192))
        t = 4096 // self.by
        angle = self.normal(t, 64, dtype="float32")
        yield self.gradient("rope", lambda x: kernels.rope(x, angle, angle), (4, t, 32, 128))
        ids = self.below(32000, 8192 // self.by)
        yield self.gradient("embedding", lambda table: kernels.embedding(ids, table), (32000, 4096))
        image = max(1, 32 // self.by), 64, 256, 256
        yield self.gradient("group_norm 8", lambda x: kernels.group_norm(x, 8), image)
        yield self.gradient("max_pool 2", lambda x: kernels.max_pool(x, 2), image)
        target = self.normal(m, 4096, dtype="float32")
        yield self.gradient("mse_loss", lambda x: kernels.mse_loss(x, target), (m, 4096), dtype="float32")
        yield self.gradient("cumsum", kernels.cumsum, (4 * m, 2048), dtype="float32")
        n = 4096 // self.by
        yield self.gradient("linear", kernels.linear, (n, n), (n, n))
        for d in (64, 128):
            yield self.gradient("attention causal", kernels.attention, (4, 32, t, d), (4, 8, t, d), (4, 8, t, d))
        small = max(1, 16 // self.by), 64, 128, 128
        yield self.gradient("conv", lambda x, w: kernels.conv(x, w, padding=1), small, (128, 64, 3, 3))
        yield self.gradient("linear_attention", kernels.linear_attention, *(((4, 16, t, 128),) * 3))
