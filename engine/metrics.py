"""What the server counts and times, in the text form of Prometheus."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager

from prometheus_client import CollectorRegistry, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from freehold.engine.engine import Delta, Engine

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


class Metrics:
    """Counts of an engine, and the times of requests."""

    def __init__(self, engine: Engine):
        self.engine = engine
        self.registry = CollectorRegistry()
        self.registry.register(self)  # pyright: ignore[reportArgumentType] -- it has `collect`, which is all that is asked

        def times(name: str, text: str) -> Histogram:
            return Histogram(f"freehold_{name}_seconds", text, buckets=_SECONDS, registry=self.registry)

        self.first = times("time_to_first_token", "From a request to its first token.")
        self.between = times("time_between_tokens", "From a token to the next.")
        self.whole = times("request", "From a request to its end.")

    def collect(self) -> Iterator[Metric]:
        """What the engine counts itself, when it is asked for."""
        engine, figures = self.engine, self.engine.figures
        for name, text, value in (
            ("steps", "Steps of the model.", figures.steps),
            ("prompt_tokens", "Tokens of prompts.", figures.prompt_tokens),
            ("generated_tokens", "Tokens of answers.", figures.generated_tokens),
            ("cached_tokens", "Tokens that were found in the cache.", engine.pages.hits),
            ("preemptions", "Sequences that gave back their pages.", engine.scheduler.preempted),
            ("requests", "Requests.", figures.requests),
        ):
            yield CounterMetricFamily(f"freehold_{name}", text, value=value)
        finished = CounterMetricFamily("freehold_finished", "Answers that ended, by why.", labels=["reason"])
        for reason, count in dict(figures.finished).items():
            finished.add_metric([reason], count)
        yield finished
        for name, text, value in (
            ("running", "Sequences that have a share of each step.", len(engine.scheduler.running)),
            ("waiting", "Sequences that wait.", len(engine.scheduler.waiting)),
            ("pages_free", "Pages of the cache that nobody uses.", engine.pages.free),
            ("pages", "Pages of the cache.", engine.pages.count),
        ):
            yield GaugeMetricFamily(f"freehold_{name}", text, value=value)

    def text(self) -> str:
        """Everything, as Prometheus reads it."""
        return generate_latest(self.registry).decode()

    @contextmanager
    def request(self) -> Generator[Callable[[Delta], None]]:
        """Times a request: what it gives is called with each delta."""
        began = last = time.perf_counter()
        seen = False

        def told(_: Delta) -> None:
            nonlocal last, seen
            now = time.perf_counter()
            (self.between if seen else self.first).observe(now - last)
            last, seen = now, True

        try:
            yield told
        finally:
            self.whole.observe(time.perf_counter() - began)
