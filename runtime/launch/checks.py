"""The contract of a compiled kernel against the arrays of a launch: what it makes of them, or how they break it."""

from __future__ import annotations

import linecache
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from freehold.frontend.signature import KernelSignature
from freehold.runtime.base.call_site import CallSite
from freehold.runtime.launch.binding import Bound, Call, contract_errors
from freehold.runtime.variants.evaluation import Evaluator, Geometry
from freehold.support.lazy import Lazy

if TYPE_CHECKING:
    from freehold.frontend.syntax import text
    from freehold.runtime import errors
    from freehold.support import diagnostic
    from freehold.support.diagnostic import Error
    from freehold.support.span import Span
else:
    text = Lazy("freehold.frontend.syntax.text")
    errors, diagnostic = Lazy("freehold.runtime.errors"), Lazy("freehold.support.diagnostic")


def geometry(signature: KernelSignature, evaluator: Evaluator, bound: Bound, site: CallSite) -> Geometry:
    """What a launch on these arguments is. Raises `Rejected` with all conditions that do not hold."""
    views = bound.views
    shapes = [v.shape for v in views]
    found = evaluator.evaluate(shapes, [v.element_strides for v in views], bound.run_time)
    admits = evaluator.admits
    if found is not None and (admits is None or admits(evaluator.extents(shapes), bound.run_time)):
        return found
    call = Call(signature, site)
    # The contract's dimensions, in which the values of constants stand for their names.
    declared = zip(signature.tensors, evaluator.tensors, strict=True)
    parameters = [p if p.dims is None else replace(p, dims=t.dims) for p, (_, t) in declared]
    broken = [*contract_errors(call, parameters, shapes)] or [*_broken(call, evaluator, shapes, bound.run_time)]
    if not broken:
        raise AssertionError(f"{signature.kernel}: the contract is broken and every condition of it holds")
    raise diagnostic.Rejected(broken)


def _broken(
    call: Call, evaluator: Evaluator, shapes: Sequence[tuple[int, ...]], values: Sequence[Any]
) -> Iterator[Error]:
    kernel = call.signature.kernel
    unbound = [*evaluator.unbound()]
    if unbound:
        yield from (errors.DimensionUnbound(None, kernel, symbol, term) for symbol, term in unbound)
        return
    symbols = evaluator.bind(shapes, values)
    broken = False
    for check, term in zip(evaluator.contract.checks, evaluator.checks, strict=True):
        try:
            holds = term.evaluate(symbols)
        except ZeroDivisionError:
            holds = 0
        if not holds:
            used = [f"`{name}` = {symbols[name]}" for name in sorted(term.symbols())]
            shown = f"here {' and '.join(used)}" if used else "it holds for no arguments"
            place = check.span or call.site.span
            error: errors.RequirementFailed | errors.LaunchCheckFailed
            if check.required:
                error = errors.RequirementFailed(place, kernel, str(term), check.reason or "this is required", shown)
            else:
                error = errors.LaunchCheckFailed(place, kernel, str(term), check.reason, shown)
                if "tile of `" in check.reason:
                    error.add(error.CountsTiles())
                    if check.span is not None and (load := text.in_tiles(_written(check.span))) is not None:
                        error.add(error.CountTiles(load, at=check.span))
            if check.span is not None and (site := call.site.span) is not None:
                error.add(error.Launched(site))
            yield error
            broken = True
    if broken:  # which may be why there are no points
        return
    for axis, term in enumerate(evaluator.grid):
        try:
            extent = term.evaluate(symbols)
        except ZeroDivisionError:
            yield errors.NoPoints(call.site.span, kernel, axis, str(term), "of a division by zero")
            return
        if extent < 1:
            yield errors.NoPoints(call.site.span, kernel, axis, str(term), str(extent))
            return
    points, most = evaluator.points(symbols), evaluator.most_points
    if not 0 < points <= most:
        persistent = evaluator.contract.persistent
        yield errors.TooManyRegions(
            call.site.span,
            kernel,
            points,
            most,
            "persistent blocks" if persistent else "one block a region",
            "split the arrays and launch once a part" if persistent else "use persistent blocks: `blocks=PERSISTENT`",
        )


def _written(place: Span) -> str:
    """The user's text at a place; nothing where it spans lines."""
    return linecache.getline(place.file, place.line)[place.start : place.end] if place.line == place.end_line else ""
