"""Plots, by matplotlib: a kernel under the roofs of a GPU, and launches along the streams they were enqueued on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from freehold.runtime.deploy.tuning import Search
from freehold.runtime.gpu.launch_record import Launched
from freehold.runtime.scheduling.gpus import gpu_of
from freehold.support.public import public

if TYPE_CHECKING:
    from freehold.runtime.jit.explain import Explanation
    from freehold.support.terms import Term


@public
def plot_roofline(
    explanation: Explanation,
    measured: Search[Any] | Sequence[float] | None = None,
    *,
    arch: str = "sm_90",
    ax: Any = None,
) -> Any:
    """
    Draws how fast a kernel is beside how fast a GPU lets it be: `plot_roofline(gemm.explain(c, a, b))`.

    Along the x axis is what is computed for each byte of the arrays, if each byte is moved once, in operations a byte;
    along the y axis are operations a second. Sloped roofs are what memory and the L2 cache allow, flat ones what tensor
    cores (products of 16-bit floats) and all else can compute, by the figures of `arch` that choose schedules, too. Two
    marks are the most that the kernel can reach: by the bytes of its arrays from memory, and by the bytes that tile
    blocks ask the cache for. `measured` are times in seconds, or what `Tuned.search` found: a mark for each.

    Returns matplotlib's axes: `ax`, or new ones. Raises `ValueError` for a kernel that computes nothing in floats, or
    whose amounts are not known, `ModuleNotFoundError` without matplotlib (`pip install 'freehold[plots]'`).
    """
    flops, matrix, least, asked = _amounts(explanation)
    ax = _axes() if ax is None else ax
    gpu = gpu_of(arch)
    peak = gpu.matrix if matrix else gpu.other
    intensities = flops / least, flops / asked
    low = min(*intensities, gpu.other / gpu.cache_bandwidth) / 8
    high = max(*intensities, gpu.matrix / gpu.bandwidth) * 8
    for name, bandwidth in (("memory", gpu.bandwidth), ("L2 cache", gpu.cache_bandwidth)):
        knee = peak / bandwidth
        label = f"{name}, {bandwidth / 1e12:.3g} TB/s"
        ax.plot([low, knee], [low * bandwidth, peak], label=label)
    for name, rate in (("tensor cores", gpu.matrix), ("other", gpu.other)):
        ax.plot([low, high], [rate, rate], linestyle="--", label=f"{name}, {rate / 1e12:.4g} TFLOP/s")
    for name, marker, x, bandwidth in (
        ("at most, by memory", "v", intensities[0], gpu.bandwidth),
        ("at most, by the cache", "^", intensities[1], gpu.cache_bandwidth),
    ):
        ax.plot([x], [min(peak, x * bandwidth)], marker=marker, linestyle="none", label=name)
    times = [m.seconds for m in measured.measured] if isinstance(measured, Search) else list(measured or ())
    if times:
        ax.plot([intensities[0]] * len(times), [flops / s for s in times], "x", label=f"measured, {len(times)}")
    ax.set(xscale="log", yscale="log", xlabel="operations a byte", ylabel="operations a second", title=gpu.name)
    ax.legend()
    return ax


@public
def plot_timeline(launches: Iterable[Launched], *, ax: Any = None) -> Any:
    """
    Draws a record of launches: `plot_timeline(launches)` after `with record_launches() as launches: ...`.

    There is a row for each stream, and a bar for each launch, from when it was enqueued to when the host knew that it
    was done, in milliseconds from the first. If the host did not know, the bar is hatched, and ends with the plot.
    These are the host's times, and not the GPU's: launches of one stream are enqueued before earlier ones are done, so
    their bars overlap.

    Returns matplotlib's axes: `ax`, or new ones. Raises `ValueError` where there is no launch, `ModuleNotFoundError`
    without matplotlib (`pip install 'freehold[plots]'`).
    """
    found = list(launches)
    if not found:
        raise ValueError("there is no launch to draw: was anything launched on a GPU in the block?")
    ax = _axes() if ax is None else ax
    first = min(launched.enqueued for launched in found)
    last = max(launched.done or launched.enqueued for launched in found)
    rows = sorted({(launched.device, launched.stream) for launched in found})
    colours = {what: f"C{n % 10}" for n, what in enumerate(dict.fromkeys(launched.what for launched in found))}
    unnamed = set(colours)
    for launched in found:
        end = last if launched.done is None else launched.done
        begin = (launched.enqueued - first) / 1e6
        ax.barh(
            rows.index((launched.device, launched.stream)), (end - launched.enqueued) / 1e6, left=begin, height=0.6,
            color=colours[launched.what], alpha=0.6, hatch="//" if launched.done is None else None,
            label=launched.what if launched.what in unnamed else None,
        )  # fmt: skip
        unnamed.discard(launched.what)
    ax.set_yticks(range(len(rows)), [f"GPU {device}, stream {stream:#x}" for device, stream in rows])
    ax.invert_yaxis()
    ax.set_xlabel("milliseconds, by the host's clock")
    ax.legend()
    return ax


def _axes() -> Any:
    try:
        from matplotlib import pyplot
    except ModuleNotFoundError as error:
        if error.name != "matplotlib":
            raise
        raise ModuleNotFoundError(
            "plots need matplotlib, which is not installed here: pip install 'freehold[plots]'", name="matplotlib"
        ) from None
    return pyplot.subplots()[1]


def _amounts(explanation: Explanation) -> tuple[int, int, int, int]:
    """Operations; those of matrix products; bytes, if each is moved once; bytes that tile blocks ask for."""
    cost, values = getattr(explanation, "cost", None), getattr(explanation, "values", None)
    if cost is None or values is None:
        raise TypeError("it takes what `kernel.explain` returns")
    matrix, other = (work.launch.evaluate(values) if work.launch.amounts else 0 for work in (cost.matrix, cost.other))
    moved = [(traffic.work.launch.evaluate(values), _value(traffic.size, values)) for traffic in cost.traffic]
    asked = [n for n, _ in moved if n is not None]
    once = [min(n, size) for n, size in moved if n is not None and size is not None]
    if matrix is None or other is None or len(once) != len(moved) or not sum(once):
        raise ValueError("what the kernel moves and computes is not known: explain it with its arguments")
    if not matrix + other:
        raise ValueError("the kernel computes nothing in floats, so it is under no roof but that of memory")
    return matrix + other, matrix, sum(once), sum(asked)


def _value(term: Term, values: Any) -> int | None:
    try:
        return term.evaluate(values)
    except (KeyError, ZeroDivisionError):
        return None
