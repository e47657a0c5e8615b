"""
What a kernel is and does, as text: how its obligations are met, what it moves and computes, what it takes of a GPU, and
its operations beside the lines they came of.

`Kernel.explain` says it of a kernel called with arguments, `tile-opt --explain` of a module. No line is longer than 120
characters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final, Protocol

from freehold.dialects.ownership import UnsafeOp, duties_of
from freehold.passes.cost import Cost, Total, Work, cost
from freehold.passes.launch_contract import contract, kernel_of
from freehold.passes.listing import WIDTH, listing
from freehold.passes.report_obligations import report
from freehold.runtime.gpu import driver
from freehold.runtime.memory.arguments import ArrayView
from freehold.runtime.scheduling.telling import remarks, told
from freehold.runtime.variants.build import cubin_of, emitted, optimised
from freehold.runtime.variants.evaluation import Evaluator
from freehold.runtime.variants.hints import of
from freehold.support.contract import LaunchContract, TensorParameter
from freehold.support.diagnostic import Rejected
from freehold.support.dtypes import BY_NAME
from freehold.support.terms import Term

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation

    from freehold.backend.cubin import Resources
    from freehold.frontend.signature import Specialisation
    from freehold.runtime.launch.binding import Bound
    from freehold.runtime.scheduling.completion import Completed
    from freehold.runtime.variants.build import Options
    from freehold.runtime.variants.compiled import Compiled
    from freehold.support.span import SourceMap

ARCHS: Final = ("sm_80", "sm_90", "sm_100", "sm_120")
"""The architectures that resources are told for, where no GPU and nobody says which: one of each family."""

_MOVED: Final = 16
"""Bytes that a thread of a GPU moves at once, and a multiple of which tiles begin at for its accelerator."""

Archs = str | Sequence[str] | None


class Explanation(str):
    """What there is to say of a kernel: text. Its parts are kept beside it."""

    __slots__ = ("cost", "resources", "values")

    cost: Cost
    """What it moves and computes, as terms."""
    values: Mapping[str, int]
    """What the symbols of the terms are for the arguments of the call."""
    resources: Mapping[str, Resources | str]
    """What it takes of a GPU, by architecture; text that says why that is not known."""

    def __repr__(self) -> str:
        return str(self)


class Explained(Protocol):
    """A kernel (`runtime.jit.kernel`)."""

    __name__: str
    options: Options

    def bound(self, *args: Any, arch: str | None = None, **kwargs: Any) -> Bound: ...
    def choice(
        self, args: Sequence[Any], kwargs: Mapping[str, Any], arch: str | None, *, anew: bool = False
    ) -> Completed | None: ...
    def verified(self, specialisation: Specialisation) -> ModuleOp: ...
    def compiled(self, specialisation: Specialisation, arch: str, options: Options | None = None) -> Compiled: ...


def explain(
    kernel: Explained, args: Sequence[object], kwargs: Mapping[str, object], arch: Archs, ir: bool
) -> Explanation:
    """What `Kernel.explain` returns."""
    named = arch if arch is None or isinstance(arch, str) else next(iter(arch), None)
    completed = kernel.choice(args, kwargs, named, anew=True)
    bound = kernel.bound(*args, arch=named, **kwargs)
    module = kernel.verified(bound.specialisation)
    agreed = contract(module)
    values = Evaluator(agreed).bind([v.shape for v in bound.views], bound.run_time)
    found = cost(kernel_of(module))
    for name, position in found.scalars.items():
        value = bound.run_time[position]
        assert not isinstance(value, ArrayView)
        values[name] = int(value)

    def cubin(arch: str) -> bytes:
        return kernel.compiled(bound.specialisation, arch).cubin

    archs = _archs(arch, bound.device)
    resources = _all_resources(archs, cubin, kernel.__name__)
    schedule = [] if completed is None else [*told(completed)]
    idle = _idle(kernel, bound.specialisation, archs[0]) if len(archs) == 1 else {}
    remarked = [*_unaligned(agreed), *remarks(kernel_of(module), idle, archs[0] if archs else None)]
    made = None
    if ir or (len(archs) == 1 and of(kernel.options.hints, archs[0])):  # without hints there is code that ends
        made = emitted(optimised(module, kernel.options.math), kernel.options)
        with suppress(Rejected):  # the resources say why
            moved = len(archs) == 1 and cubin_of(made.clone(), archs[0], kernel.__name__)[1]
            remarked += _by_threads(archs if moved else ())
    return _explanation(module, agreed, found, values, resources, None, made if ir else None, schedule, remarked)


def explain_module(module: ModuleOp, arch: Archs = None, sources: SourceMap | None = None) -> Explanation:
    """
    What there is to say of a verified module with one `ownership.kernel`, for no arguments in particular.

    Excerpts come from `sources`, or else from where Python finds the text of a file.
    """
    from freehold.passes.lowering import translate

    kernel, archs = kernel_of(module), _archs(arch, -1)
    name, emitted = kernel.sym_name.data, translate(optimised(module))
    moved: list[str] = []

    def cubin(arch: str) -> bytes:
        found, by_threads = cubin_of(emitted.clone(), arch, name)
        moved.extend([arch] if by_threads else [])
        return found

    resources = _all_resources(archs, cubin, name)
    remarked = [*_by_threads(sorted(moved))]
    return _explanation(module, contract(module), cost(kernel), {}, resources, sources, emitted, (), remarked)


def explain_all(module: ModuleOp, arch: Archs = None, sources: SourceMap | None = None) -> Iterator[str]:
    """
    What there is to say of each kernel of a module: of ownership kernels, which are verified first, and of entry points
    in Tile IR. Raises `Rejected`, and `DiagnosticException` for a kernel that no launch could be made of.
    """
    from xdsl.dialects.builtin import ModuleOp

    from freehold.dialects.cuda_tile.ops.module import TileModuleOp
    from freehold.dialects.ownership import KernelOp
    from freehold.passes.pipeline import verify

    verify(module)
    for op in module.walk():
        if isinstance(op, KernelOp):
            yield explain_module(ModuleOp([op.clone()]), arch, sources)
        elif isinstance(op, TileModuleOp):
            yield from _tile_module(ModuleOp([op.clone()]), arch, sources)


def _tile_module(module: ModuleOp, arch: Archs, sources: SourceMap | None) -> Iterator[str]:
    """Of what is Tile IR already, only resources and operations are told."""
    from freehold.backend.bytecode.writer import write_bytecode
    from freehold.dialects.cuda_tile.ops.module import EntryOp
    from freehold.runtime.variants.build import assembled

    code = write_bytecode(module)
    entries = [op for op in module.walk() if isinstance(op, EntryOp)]
    for entry in entries:
        name = entry.sym_name.data
        resources = _all_resources(_archs(arch, -1), lambda arch: assembled(code, arch, "the module"), name)
        told = [*_resources(resources), ""] if resources else []
        yield "\n".join([name, "", *told, "Tile IR", *listing(entry, sources)])


def _explanation(
    module: ModuleOp,
    agreed: LaunchContract,
    found: Cost,
    values: Mapping[str, int],
    resources: Mapping[str, Resources | str],
    sources: SourceMap | None,
    emitted: ModuleOp | None,
    schedule: Sequence[str] = (),
    remarked: Sequence[str] = (),
) -> Explanation:
    """With what was `emitted`, the operations of both are told, too."""
    kernel = kernel_of(module)
    sections = [
        [*_title(agreed, found, values)],
        [*_proofs(module)],
        [*_cost(found, values)],
    ]
    if schedule:
        sections.append([*schedule])
    if costs := [*remarked, *_spilled(resources)]:
        sections.append(["what costs time, or does nothing", *costs])
    if resources:
        sections.append([*_resources(resources)])
    if emitted is not None:
        sections.append(["ownership IR", *listing(kernel, sources)])
        sections.append(["Tile IR", *listing(_entry(emitted), sources)])
    made = Explanation("\n\n".join("\n".join(lines) for lines in sections))
    made.cost, made.values, made.resources = found, values, resources
    return made


def _by_threads(archs: Sequence[str]) -> Iterator[str]:
    """What is told of architectures for which tiles are moved by threads, because other code would not end."""
    if archs:
        text = f"  for {' and '.join(archs)} tiles are moved by threads, not by the tensor memory accelerator: with"
        yield from _filled(f"{text} these hints its code would never end (O414)", "      ")


def _idle(kernel: Explained, specialisation: Specialisation, arch: str) -> dict[str, int]:
    """The hints of a kernel without which its code is the same."""
    found: dict[str, int] = {}
    for name, value in of(kernel.options.hints, arch).items():
        others = tuple(hint for hint in kernel.options.hints if hint[0] != name)
        try:
            with_it = kernel.compiled(specialisation, arch).cubin
            without = kernel.compiled(specialisation, arch, kernel.options._replace(hints=others)).cubin
        except Rejected:
            continue
        if with_it == without:
            found[name] = value
    return found


def _entry(module: ModuleOp) -> Operation:
    return next(op for op in module.walk() if op.name == "cuda_tile.entry")


def _title(found: LaunchContract, predicted: Cost, values: Mapping[str, int]) -> Iterator[str]:
    parameters = [
        f"{p.name}: {p.mode} {p.dtype}[{', '.join(p.dims)}]"
        if isinstance(p, TensorParameter)
        else f"{p.name}: {p.dtype}"
        for p in found.parameters
    ]
    yield from _filled(f"{found.symbol}({', '.join(parameters)})", "    ")
    count = _value(predicted.regions, values)
    many = "1 region" if count == 1 else f"{count} regions"
    regions = f"{predicted.regions} regions" if count is None else f"{many} = {predicted.regions}"
    named = ", ".join(f"{k} = {v}" for k, v in values.items())
    blocks = f"{found.blocks or ''} persistent blocks".strip() if found.persistent else "one block each"
    yield from _filled(f"  {regions}, {blocks}{f', where {named}' if named else ''}", "    ")


# --- Proofs -----------------------------------------------------------------------------------------------------------

_RUNGS: Final = {
    "proved": "proved",
    "launch": "checked at launch",
    "kernel": "checked in the kernel",
    "masked": "masked",
}


def _proofs(module: ModuleOp) -> Iterator[str]:
    rungs = Counter(o.rung.value for op in module.walk() for o in duties_of(op) if o.text and o.rung.value in _RUNGS)
    total = sum(rungs.values())
    counts = [f"{rungs[rung]} {text}" for rung, text in _RUNGS.items() if rungs[rung]]
    if unsafe := sum(isinstance(op, UnsafeOp) for op in module.walk()):
        counts.append(f"and {unsafe} unsafe {'access' if unsafe == 1 else 'accesses'}")
    yield f"proofs: {total} obligations, {', '.join(counts)}" if counts else "proofs: nothing is owed"
    for line in report(module):
        if line.startswith("  "):
            yield from _filled(line, "      ")


# --- Cost -------------------------------------------------------------------------------------------------------------


def _cost(found: Cost, values: Mapping[str, int]) -> Iterator[str]:
    works = _works(found)
    bounds = "" if all(w.launch.exact for w in works) else ", at most where it says <="
    yield f"moves and computes{bounds}"
    rows: list[tuple[str, str, str, str]] = []
    moved: list[tuple[int | None, bool]] = []
    for traffic in found.traffic:
        total = traffic.work.launch.evaluate(values)
        moved.append((total, traffic.work.launch.exact))
        size = _value(traffic.size, values)
        times = f"{total / size:.4g} x its size" if total is not None and size else ""
        rows.append(_row(f"`{traffic.tensor}` {traffic.direction}", traffic.work, values, _bytes, times))
    flops = [("matrix flops", found.matrix), ("other flops", found.other)]
    rows += [_row(name, work, values, _count, "") for name, work in flops if work.launch.amounts]
    yield from _table(("", "launch", "", "a region"), rows, [str(w.launch) for w in works])
    computed = [work.launch.evaluate(values) for _, work in flops]
    yield from _summary(moved, computed)
    yield from (f"  `{name}` is {what}, which is not known beforehand" for name, what in found.unknown.items())
    if found.assumes:
        yield "  provided that no integer that decides how often a loop turns wraps around"
    if found.uncounted:
        yield f"  not counted: {', '.join(found.uncounted)}"


def _works(found: Cost) -> list[Work]:
    return [*(t.work for t in found.traffic), *(w for w in (found.matrix, found.other) if w.launch.amounts)]


def _row(
    name: str, work: Work, values: Mapping[str, int], unit: Callable[[int], str], more: str
) -> tuple[str, str, str, str]:
    return name, _amount(work.launch, values, unit), more, _amount(work.region, values, unit)


def _amount(total: Total, values: Mapping[str, int], unit: Callable[[int], str]) -> str:
    """A number with its unit; nothing where it is not the same for each region, or not known."""
    number = total.evaluate(values)
    return "" if number is None else f"{'' if total.exact else '<= '}{unit(number)}"


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]], terms: Sequence[str]) -> Iterator[str]:
    """Rows in columns, with the launch's terms behind them."""
    if any(row[1] for row in rows):
        widths = [max(len(row[n]) for row in (head, *rows)) for n in range(len(head))]
        for row, term in ((head, ""), *zip(rows, terms, strict=True)):
            first, *cells = row
            line = "  ".join([f"{first:{widths[0]}}", *(f"{c:>{w}}" for c, w in zip(cells, widths[1:], strict=True))])
            yield from _filled(f"  {line}{f'  = {term}' if term else ''}", " " * (sum(widths) + 14))
    else:
        width = max((len(row[0]) for row in rows), default=0)
        for row, term in zip(rows, terms, strict=True):
            yield from _filled(f"  {row[0]:{width}}  {term}", " " * (width + 6))


def _summary(moved: Sequence[tuple[int | None, bool]], computed: Sequence[int | None]) -> Iterator[str]:
    known = [n for n, _ in moved if n is not None]
    flops = [n for n in computed if n is not None]
    if len(known) != len(moved) or len(flops) != len(computed) or not sum(known):
        return
    intensity = f", {sum(flops) / sum(known):.4g} flops a byte" if sum(flops) else ""
    yield f"  together {_bytes(sum(known))}{intensity}"


def _value(term: object, values: Mapping[str, int]) -> int | None:
    assert isinstance(term, Term)
    try:
        return term.evaluate(values)
    except (KeyError, ZeroDivisionError):
        return None


def _bytes(number: int) -> str:
    """A number of bytes, exact below a KiB."""
    size, unit = float(number), "B"
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if size < 1024 or unit == "TiB":
            break
        size /= 1024
    return f"{number} B" if unit == "B" else f"{size:.4g} {unit}"


def _count(number: int) -> str:
    """A number, in thousands, millions and so on."""
    size, unit = float(number), ""
    for unit in ("", "k", "M", "G", "T", "P"):
        if size < 1000 or unit == "P":
            break
        size /= 1000
    return f"{number}" if unit == "" else f"{size:.4g} {unit}"


# --- Resources --------------------------------------------------------------------------------------------------------


def _archs(arch: Archs, device: int) -> Sequence[str]:
    if arch is not None:
        return (arch,) if isinstance(arch, str) else tuple(arch)
    return (driver.architecture(max(0, device)),) if driver.gpu_available() else ARCHS


def _all_resources(archs: Sequence[str], cubin: Callable[[str], bytes], kernel: str) -> dict[str, Resources | str]:
    from freehold.backend.cubin import NotACubin, resources

    found: dict[str, Resources | str] = {}
    for arch in archs:
        try:
            found[arch] = next(r for r in resources(cubin(arch)) if r.kernel == kernel)
        except Rejected as rejected:
            report = rejected.errors[0].report()
            found[arch] = f"{report.title} ({report.code})"
        except NotACubin as e:
            found[arch] = f"the code cannot be read: {e}"
        except StopIteration:
            found[arch] = "the code has no such kernel"
    return found


def _resources(found: Mapping[str, Resources | str]) -> Iterator[str]:
    said = {arch: text for arch, text in found.items() if isinstance(text, str)}
    if len(said) == len(found):
        yield "GPU code: none"
        one = len({*said.values()}) == 1
        for line in {*said.values()} if one else [f"{arch}: {text}" for arch, text in said.items()]:
            yield from _filled(f"  {line}", "    ")
        return
    yield "GPU code: registers and stack of a thread, shared memory of a block"
    head = ("", "registers", "stack", "local stores, loads", "shared", "threads", "code")
    rows: list[tuple[str, ...]] = [head]
    for arch, r in found.items():
        if isinstance(r, str):
            continue
        threads = "" if r.thread_count is None else str(r.thread_count)
        local = f"{r.local_stores}, {r.local_loads}"
        rows.append((arch, str(r.registers), _bytes(r.stack), local, _bytes(r.shared), threads, _bytes(r.code)))
    widths = [max(len(row[n]) for row in rows) for n in range(len(head))]
    for first, *cells in rows:
        line = "  ".join(f"{c:>{w}}" for c, w in zip(cells, widths[1:], strict=True))
        yield f"  {first:{widths[0]}}  {line}".rstrip()
    for arch, text in said.items():
        yield from _filled(f"  {arch}: {text}", "    ")


def _spilled(found: Mapping[str, Resources | str]) -> Iterator[str]:
    """Where registers do not suffice."""
    if spilled := [a for a, r in found.items() if not isinstance(r, str) and r.stack]:
        yield from _filled(f"  registers do not suffice on {', '.join(spilled)}: values go to local memory", "    ")


def _unaligned(promised: LaunchContract) -> Iterator[str]:
    """Tensors of which a GPU cannot move 16 bytes at a time, which its accelerator for tiles asks for, too."""
    for p in promised.parameters:
        if not isinstance(p, TensorParameter) or not p.dims:
            continue
        size = BY_NAME[p.dtype].itemsize
        found = ["it begins"] if p.align % _MOVED else []
        for axis, (stride, multiple) in enumerate(zip(p.strides, p.stride_divs, strict=True)):
            if stride != 1 and (stride or multiple) * size % _MOVED:
                found.append(f"the next along axis {axis} begins")
        if 1 not in p.strides:
            yield from _filled(f"  no axis of `{p.name}` is contiguous: its elements are moved one by one", "      ")
        elif found:
            said = (
                f"  `{p.name}`: {' and '.join(found)} at no multiple of {_MOVED} bytes, so it is moved in small pieces"
            )
            yield from _filled(said, "      ")


def _filled(text: str, indent: str) -> list[str]:
    """A line broken at 120 columns; `indent` is that of what follows the first."""
    return wrap(text, WIDTH, subsequent_indent=indent, break_on_hyphens=False)
