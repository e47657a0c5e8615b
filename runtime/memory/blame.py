"""Refusals of the ledger as errors: where the tensor stands in the program, who has it, and the way out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from freehold.runtime.base.call_site import CallSite, caller
from freehold.runtime.errors.refusing import errors
from freehold.runtime.memory.ledger import Blame, Leased, Refusal
from freehold.support.diagnostic import Error, Label, Rejected
from freehold.support.report import Argument
from freehold.support.span import Span

if TYPE_CHECKING:
    from freehold.frontend.signature import KernelSignature
    from freehold.runtime.memory.storage import Storage

SourcePlace = Span | Argument | None


def rejected(refusal: Refusal, place: SourcePlace, name: str, doing: str, verb: str = "") -> Rejected:
    """
    The user's error of a refusal: `name` is what the tensor is called, `doing` what it was to be used for.

    `verb` is what would be done to it, `read` or `write` unless given.
    """
    verb = verb or ("write" if refusal.write else "read")
    held = refusal.hold
    if held is None:
        return Rejected([_gone(refusal.tensor, place, name, doing, verb)])
    exclusively = " exclusively" if held.exclusive else ""
    if held.kind == "exported":
        error: Error = errors.TensorExported(place, name, doing, verb)
        _at(error, errors.TensorExported.Exported, held.site)
    else:
        error = errors.TensorLent(place, name, exclusively, held.what, doing, verb)
        _at(error, errors.TensorLent.Lent, held.site)
    return Rejected([error])


def _gone(tensor: Leased, place: SourcePlace, name: str, doing: str, verb: str) -> Error:
    storage: Storage = tensor.storage  # type: ignore[assignment] # pyright: ignore[reportAssignmentType] -- only ours are refused
    gone = storage.gone
    if gone is not None and gone.how == "lost":
        return errors.TensorLost(place, name, doing, verb, gone.why)
    if gone is not None:
        error = errors.TensorFreed(place, name, doing, verb)
        return _at(error, errors.TensorFreed.Freed, gone.site)
    error = errors.TensorMoved(place, name, doing, verb)
    move = storage.move_of(tensor)
    return _at(error, errors.TensorMoved.Moved, None if move is None else move.site)


def _at(error: Error, label: type[Label], site: CallSite | None) -> Error:
    """Adds a label at a place that was noted, where its source is to be found."""
    span = None if site is None else site.span
    return error if span is None else error.add(label(span))


def of_method(name: str, site: CallSite | None = None, verb: str = "") -> Blame:
    """For tensors that are used by a method of theirs, or are indexed: at `site`, or where the caller stands."""
    used = site or caller()

    def blame(refusal: Refusal) -> Rejected:
        found = used.receiver
        if found is None:
            return rejected(refusal, used.span or Argument("tensor", f"Tensor.{name}"), "the tensor", f"`{name}`", verb)
        return rejected(refusal, found[0], found[1], f"`{name}`", verb)

    return blame


def of_operation(doing: str) -> Blame:
    """For tensors that an operation uses and that have no name where it is run, as those of a graph."""
    used = caller()

    def blame(refusal: Refusal) -> Rejected:
        return rejected(refusal, used.span, "a tensor", doing)

    return blame


def of_call(function: str, parameters: Mapping[str, Any], site: CallSite | None = None) -> Blame:
    """For tensors that are arguments of a function at `site`: by parameter in order, as the function calls them."""
    used = site or caller()

    def blame(refusal: Refusal) -> Rejected:
        for position, (parameter, given) in enumerate(parameters.items()):
            if given is refusal.tensor:
                text = used.short_text(position, parameter) or parameter
                return rejected(refusal, used.argument(position, parameter, function), text, f"`{function}`")
        return rejected(refusal, used.span, "a tensor", f"`{function}`")

    return blame


def of_launch(signature: KernelSignature, arguments: tuple[Any, ...], site: CallSite) -> Blame:
    """For tensors that are arguments of a launch, or are partitioned by one."""

    def blame(refusal: Refusal) -> Rejected:
        doing = f"this launch of `{signature.kernel}`"
        for position, (parameter, given) in enumerate(zip(signature.parameters, arguments, strict=True)):
            if given is refusal.tensor or getattr(given, "array", None) is refusal.tensor:
                text = site.short_text(position, parameter.name)
                if given is not refusal.tensor:
                    text = site.first_argument(position, parameter.name)
                place = site.argument(position, parameter.name, signature.kernel)
                return rejected(refusal, place, text or parameter.name, doing)
        return rejected(refusal, site.span, "an argument", doing)

    return blame
