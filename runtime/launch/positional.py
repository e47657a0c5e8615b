"""
The arguments of a call in the order of the parameters: what is missing, given twice, or meant for something else.

What other libraries take at a launch, a grid, a stream, hints, has its own place here; who gives it is told where.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from freehold.frontend.signature import KernelSignature
from freehold.runtime.base.call_site import CallSite
from freehold.runtime.errors.refusing import errors
from freehold.runtime.variants import hints
from freehold.support.diagnostic import Rejected
from freehold.support.spelling import nearest

if TYPE_CHECKING:
    from freehold.support.diagnostic import Help

GRIDS: Final = frozenset({"grid", "grid_size", "grid_dim", "blocks", "num_blocks", "num_programs"})
"""What says elsewhere how many tile blocks there are."""


def positional(
    signature: KernelSignature, arguments: tuple[Any, ...], keywords: Mapping[str, Any], site: CallSite
) -> tuple[Any, ...]:
    """The arguments of a call, one for each parameter in order, with defaults filled in. Raises `Rejected` (O210)."""
    parameters = signature.parameters
    if len(arguments) == len(parameters) and not keywords:
        return arguments
    problems: dict[str, Help | tuple[str, str] | None] = {}
    if len(arguments) > len(parameters):
        more = len(arguments) - len(parameters)
        problem = f"takes {len(parameters)} argument{'s' * (len(parameters) != 1)}, and {len(arguments)} were given"
        what = "the last argument" if more == 1 else f"the last {more} arguments"
        problems[problem] = _and(what, site.without(len(arguments), behind=len(parameters)))
    values: dict[str, Any] = {p.name: a for p, a in zip(parameters, arguments, strict=False)}
    meant = _meant(signature, len(arguments), keywords)
    for name, value in keywords.items():
        if name in values:
            problems[f"was given two values for `{name}`"] = _and(
                "the one by its name", site.without(len(arguments), keyword=name)
            )
        elif name in meant:
            problems[f"has no parameter `{name}`"] = meant[name]
        values[name] = value
    proposed = {h.name for h in meant.values() if isinstance(h, errors.ArgumentCount.DidYouMean)}
    missing: list[str] = []
    for p in parameters:
        if p.name not in values:
            if p.has_default:
                values[p.name] = p.default
            elif p.name not in proposed:
                missing.append(f"`{p.name}`")
    if missing:
        outputs = _outputs_too(signature, arguments, keywords)
        problems[f"was called without {' and '.join(missing)}"] = outputs or _given(site, len(arguments), missing)
    if problems:
        shown = ", ".join(f"`{p.name}: {p.annotation}`" for p in parameters)
        found = [errors.ArgumentCount(site.span, signature.kernel, problem, shown) for problem in problems]
        for error, help in zip(found, problems.values(), strict=True):
            if isinstance(help, tuple):
                error.add(error.LeaveOut(*help, at=site.span))
            elif help is not None:
                error.add(help)
        raise Rejected(found)
    return tuple(values[p.name] for p in parameters)


def _and(what: str, call: str | None) -> tuple[str, str] | None:
    """What is left out, and the call without it, if that is known."""
    return None if call is None else (what, call)


def _given(site: CallSite, given: int, missing: Sequence[str]) -> Help | None:
    """The call with arguments that are missing: what they are called by the kernel stands for them."""
    call = site.without(given)
    if call is None:
        return None
    more = ", ".join(f"{name.strip('`')}={name.strip('`')}" for name in missing)
    whole = f"{call[:-1]}{'' if call.endswith('()') else ', '}{more})"
    return errors.ArgumentCount.Give("it" if len(missing) == 1 else "them", whole)


def _outputs_too(signature: KernelSignature, given: tuple[Any, ...], keywords: Mapping[str, Any]) -> Help | None:
    """How a kernel is called, where as many arguments are given as it has inputs that are needed, and no output."""
    from freehold.runtime.launch.partition import Partition

    needed = [p for p in signature.parameters if not p.has_default]
    outputs = [p.name for p in needed if p.mode == "out"]
    if not outputs or keywords or len(given) != len(needed) - len(outputs):
        return None
    if any(isinstance(a, Partition) for a in given):
        return None
    shown = ", ".join(f"fh.partition({p.name}, tile)" if p.name in outputs else p.name for p in needed)
    return errors.ArgumentCount.OutputsToo(f"{signature.kernel}({shown})")


def _meant(signature: KernelSignature, given: int, keywords: Mapping[str, Any]) -> dict[str, Help | None]:
    """The keywords that no parameter has, and what each may have been meant for."""
    names = [p.name for p in signature.parameters]
    unknown = [k for k in keywords if k not in names]
    left = [p for p in signature.parameters[given:] if p.name not in keywords]
    needed = [p.name for p in left if not p.has_default]
    found: dict[str, Help | None] = {}
    for name in unknown:
        close = nearest(name, [p.name for p in left])
        if close is None:
            found[name] = _elsewhere(signature, name, keywords[name])
            if found[name] is None and len(needed) == len(unknown) == 1:
                (close,) = needed
        if close is not None:
            found[name] = errors.ArgumentCount.DidYouMean(close)
    return found


def _elsewhere(signature: KernelSignature, name: str, value: object) -> Help | None:
    """Where to say what other libraries' launches take as a keyword."""
    error = errors.ArgumentCount
    if name == "stream":
        return error.OnStream()
    if name in GRIDS:
        written = next((p.name for p in signature.parameters if p.mode in ("mut", "out")), None)
        return error.PartitionIsGrid(written) if written and signature.cut else None
    hint = hints.named(name)
    if hint is None:
        return None
    return error.AsHint(signature.kernel, hint, repr(value)) if hint else errors.HintUnknown.OfLoads()
