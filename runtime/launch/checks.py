"""The contract of a compiled kernel against the arrays of a launch: what it makes of them, or how they break it."""

from __future__ import annotations

import linecache
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from freehold.frontend.signature import KernelSignature
from freehold.runtime.base.call_site import CallSite
from freehold.runtime.errors.refusing import errors
from freehold.runtime.launch.binding import Bound, Call, contract_errors
from freehold.runtime.variants.evaluation import SHAPE, Evaluator, Geometry, misshapen, too_wide
from freehold.support.diagnostic import Rejected
from freehold.support.lazy import Lazy
from freehold.support.terms import Term, parse

if TYPE_CHECKING:
    from freehold.frontend.syntax import text
    from freehold.runtime.memory.arguments import ArrayView
    from freehold.support.diagnostic import Error
    from freehold.support.span import Span
else:
    text = Lazy("freehold.frontend.syntax.text")


def geometry(signature: KernelSignature, evaluator: Evaluator, bound: Bound, site: CallSite) -> Geometry:
    """What a launch on these arguments is. Raises `Rejected` with all conditions that do not hold."""
    views = bound.views
    shapes = [v.shape for v in views]
    found = evaluator.evaluate(shapes, [v.element_strides for v in views], bound.run_time)
    admits = evaluator.admits
    call = Call(signature, site)
    if evaluator.contract.foreign is not None:
        call.errors += _laid_out(call, evaluator, views)
        call.finish()
    if found is not None and (admits is None or admits(evaluator.extents(shapes), bound.run_time)):
        if evaluator.judge is not None:
            strides = [v.element_strides for v in views]
            if evaluator.judge(found, shapes, strides, bound.run_time, None):
                call.errors += evaluator.judge(found, shapes, strides, bound.run_time, site.span)
                call.finish()
        return found
    # The contract's dimensions, in which the values of constants stand for their names.
    declared = zip(signature.tensors, evaluator.tensors, strict=True)
    parameters = [p if p.dims is None else replace(p, dims=t.dims) for p, (_, t) in declared]
    broken = [*contract_errors(call, parameters, shapes)] or [*_broken(call, evaluator, views, bound.run_time)]
    if not broken:
        raise AssertionError(f"{signature.kernel}: the contract is broken and every condition of it holds")
    raise Rejected(broken)


def _broken(call: Call, evaluator: Evaluator, views: Sequence[ArrayView], values: Sequence[Any]) -> Iterator[Error]:
    kernel = call.signature.kernel
    unbound = [*evaluator.unbound()]
    if unbound:
        yield from (errors.DimensionUnbound(None, kernel, symbol, term) for symbol, term in unbound)
        return
    symbols = evaluator.bind([v.shape for v in views], values)
    given = {name: values[n] for name, n in evaluator.scalars.items()}  # as the caller knows them: without a sign
    broken = False
    for check, term in zip(evaluator.contract.checks, evaluator.checks, strict=True):
        try:
            holds = term.evaluate(symbols)
        except ZeroDivisionError:
            holds = 0
        if not holds:
            used = [f"`{name}` = {given.get(name, symbols[name])}" for name in sorted(term.symbols())]
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
                    elif (names := _of_two_axes(term)) is not None and not names & given.keys():
                        counted, extent = (next(iter(side.symbols())) for side in term.args)
                        error.add(error.OwnIndex(counted, extent))
            if check.span is not None and (site := call.site.span) is not None:
                error.add(error.Launched(site))
            yield error
            broken = True
    if broken:  # which may be why there are no points
        return
    if evaluator.shape:
        yield _misshapen(call, evaluator, views, symbols)
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


def _of_two_axes(term: Term) -> frozenset[str] | None:
    """The names in a condition that a number of one extent's tiles is below one of another's; None in any other."""
    names = [side.symbols() for side in term.args]
    if term.op != "<" or [len(each) for each in names] != [1, 1] or names[0] == names[1]:
        return None
    return names[0] | names[1]


def _misshapen(call: Call, evaluator: Evaluator, views: Sequence[ArrayView], symbols: dict[str, int]) -> Error:
    """What no GPU takes of the shape of foreign code."""
    contract, kernel = evaluator.contract, call.signature.kernel
    terms, place = evaluator.shape, call.site.span

    def shown(*terms: Term) -> str:
        used = [f"`{name}` = {symbols[name]}" for name in sorted({name for term in terms for name in term.symbols()})]
        return f", where {' and '.join(used)}" if used else ""

    try:
        shape = [t.evaluate(symbols) for t in terms]
    except ZeroDivisionError:
        term = next(t for t in terms if _divides_by_zero(t, symbols))
        return errors.ShapeUnfit(place, kernel, "a number", 0, "divided by anything but 0", str(term), shown(term))
    assert contract.foreign is not None
    if (wrong := misshapen(contract.foreign, shape)) is not None:
        what, value, most = wrong
        if what in SHAPE:
            term = terms[SHAPE.index(what)]
            return errors.ShapeUnfit(place, kernel, what, value, most, str(term), shown(term))
        several = terms[3:6] if "threads" in what else terms[6:9]
        text = f"({', '.join(map(str, several))})"
        return errors.ShapeUnfit(place, kernel, what, value, most, text, shown(*several))
    strides = {n: view.element_strides for (n, _), view in zip(evaluator.tensors, views, strict=True)}
    for entry in contract.entry:  # one of its extents or strides does not fit its dtype
        if entry.kind not in ("extent", "stride"):
            continue
        term = parse(entry.term) if entry.kind == "extent" else None
        value = strides[entry.argument][entry.axis] * entry.scale if term is None else term.evaluate(symbols)
        if (wide := too_wide(replace(contract, entry=(entry,)), (value,))) is not None:
            text, value, dtype = wide
            what, used = f"what {dtype} holds", "" if term is None else shown(term)
            return errors.ShapeUnfit(place, kernel, f"`{text}`", value, what, text, used)
    raise AssertionError(f"{kernel}: nothing about the shape of a launch is wrong")


def _divides_by_zero(term: Term, symbols: dict[str, int]) -> bool:
    try:
        term.evaluate(symbols)
    except ZeroDivisionError:
        return True
    return False


def _laid_out(call: Call, evaluator: Evaluator, views: Sequence[ArrayView]) -> Iterator[Error]:
    """Where arrays lie otherwise than foreign code relies on."""
    foreign = evaluator.contract.foreign
    assert foreign is not None
    told = {(e.argument, e.axis) for e in evaluator.contract.entry if e.kind == "stride"}
    for (n, known), view in zip(evaluator.tensors, views, strict=True):
        parameter, kernel = call.signature[known.name], call.signature.kernel
        contiguous, strides = 1, view.element_strides
        for axis in range(len(strides) - 1, -1, -1):
            if n in foreign.contiguous and (n, axis) not in told and strides[axis] != contiguous:
                some = any((n, other) in told for other in range(len(strides)))
                taken = f"the code is not told that of axis {axis}" if some else "it is taken for contiguous"
                problem = f"its strides are {strides}, and {taken}"
                remedy = f'copy it, or pass its strides, too: `passes=[..., ("{known.name}.strides[{axis}]", fh.i64)]`'
                yield errors.LayoutUnfit(call.place(parameter), kernel, known.name, problem, remedy)
                break
            contiguous *= view.shape[axis]
        if known.align > 1 and view.pointer % known.align:
            problem = f"its address is no multiple of {known.align} bytes"
            remedy = f'copy it to an address that is, or declare less: `align={{"{known.name}": ...}}`'
            yield errors.LayoutUnfit(call.place(parameter), kernel, known.name, problem, remedy)


def _written(place: Span) -> str:
    """The user's text at a place; nothing where it spans lines."""
    return linecache.getline(place.file, place.line)[place.start : place.end] if place.line == place.end_line else ""
