"""The interpreter against cubins: every operation on every element type that sm_90 has.

    python -m benchmarks.agreement --prepare DIR [--only TEXT]     where the assembler is: cubins, bytecode, a manifest
    python -m benchmarks.agreement --run DIR [--json FILE]         where a GPU is: launches, interprets, compares
    python -m benchmarks.agreement --interpret DIR                 anywhere: only runs the interpreter, for its errors

Both sides run the same module on the same random numbers. A row is an operation on a combination of types; `forms` are
its roundings, flags and shapes, each with results of its own. Where the specification is exact, every bit of every
result has to agree, but for the bits of a NaN; elsewhere the row says how far apart results are and may be: in units
in the last place (`ulp`), or relative to the largest result (`norm`). A row that is further apart is marked `FAIL`,
its first differing element is shown, and the exit status is 1.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import zlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy

from benchmarks.agreement_build import BLOCKS, Bound, Case, Entry, Parameter, built
from benchmarks.agreement_inputs import distance, values
from freehold.backend.assembler import assemble
from freehold.backend.bytecode.reader import read_bytecode
from freehold.backend.bytecode.writer import write_bytecode
from freehold.runtime.gpu import driver, kernels, transfers
from freehold.runtime.interpreter.launch import Entry as Interpreted
from freehold.support.diagnostic import Rejected

np: Any = numpy
"""Typed loosely, as in agreement_inputs."""
ARCH = "sm_90"
PER_MODULE = 24
"""Entries of one cubin, at most."""
SEED = 20


def main() -> None:
    """Prepare a folder, or compare what is in one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--prepare", metavar="DIR", type=Path)
    which.add_argument("--run", metavar="DIR", type=Path)
    which.add_argument("--interpret", metavar="DIR", type=Path)
    parser.add_argument("--only", metavar="TEXT", help="only cases whose operation or types hold this")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the rows there, too")
    parser.add_argument("--seed", type=int, default=SEED, help="of the random inputs")
    given = parser.parse_args()
    if given.prepare is not None:
        prepare(given.prepare, given.only)
        return
    if given.run is not None and not driver.gpu_available():
        parser.error("--run needs a GPU; --interpret runs the interpreter's side alone")
    sys.exit(run(given.run or given.interpret, given.only, given.json, given.seed, gpu=given.run is not None))


# --- Preparing --------------------------------------------------------------------------------------------------------


def cases(only: str | None = None) -> list[Case]:
    """Everything that is tried, or what a text picks out."""
    from benchmarks import agreement_arithmetic, agreement_memory

    found = [*agreement_arithmetic.cases(), *agreement_memory.cases()]
    return [case for case in found if only is None or only in f"{case.op} {case.types}"]


def prepare(folder: Path, only: str | None = None) -> None:
    """Writes modules as bytecode and as cubins, and what they hold as `manifest.json`."""
    began = time.perf_counter()
    chosen = cases(only)
    folder.mkdir(parents=True, exist_ok=True)
    for old in (*folder.glob("*.cubin.z"), *folder.glob("*.tileirbc")):
        old.unlink()
    modules: list[dict[str, Any]] = []
    refused: list[dict[str, str]] = []
    pending = [list(range(n, min(n + PER_MODULE, len(chosen)))) for n in range(0, len(chosen), PER_MODULE)]
    while pending:
        numbers = pending.pop(0)
        module, entries = built([chosen[n] for n in numbers], numbers)
        module.verify()
        code = write_bytecode(module)
        try:
            cubin = assemble(code, ARCH)
        except Rejected as e:
            if len(numbers) > 1:  # find out which it was
                middle = len(numbers) // 2
                pending[:0] = [numbers[:middle], numbers[middle:]]
            else:
                case = chosen[numbers[0]]
                what = " ".join(part for part in (case.op, case.types, case.form) if part)
                refused.append({"what": what, "reason": str(e).splitlines()[0]})
                print(f"refused: {what}: {refused[-1]['reason']}", flush=True)
            continue
        name = f"m{len(modules):03}"
        (folder / f"{name}.tileirbc").write_bytes(code)
        # Sections of a cubin are mostly zeros and repeated names.
        (folder / f"{name}.cubin.z").write_bytes(zlib.compress(cubin, 9))
        modules.append({"name": name, "entries": [entry.plain() for entry in entries]})
    kernels: list[dict[str, Any]] = []
    if only is None or only in "kernels":
        from benchmarks.agreement_kernels import prepared

        kernels = prepared(folder, ARCH)
    manifest = {"arch": ARCH, "blocks": BLOCKS, "modules": modules, "kernels": kernels, "refused": refused}
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    size = sum(path.stat().st_size for path in folder.iterdir())
    count = sum(len(m["entries"]) for m in modules)
    print(
        f"{count} entries in {len(modules)} modules, {len(kernels)} kernels, {len(refused)} refused by the assembler, "
        f"{size / 2**20:.1f} MiB in {folder}, {time.perf_counter() - began:.0f} s"
    )


# --- Running ----------------------------------------------------------------------------------------------------------


@dataclass
class Form:
    """One output of an entry, compared."""

    variant: str
    bound: Bound
    elements: int
    worst: float
    """Differing elements for `exact`, else the largest distance."""
    first: str = ""
    """The first element that is further away than the bound allows."""

    @property
    def fine(self) -> bool:
        """Whether the bound holds."""
        return self.worst <= self.bound.limit


@dataclass
class Row:
    """An operation on a combination of types."""

    op: str
    types: str
    forms: list[Form] = field(default_factory=list[Form])
    error: str = ""
    """What kept it from being compared."""

    @property
    def fine(self) -> bool:
        """Whether every form is within its bound."""
        return not self.error and all(form.fine for form in self.forms)

    @property
    def result(self) -> str:
        """The worst of each measure, beside its bound."""
        if self.error:
            return f"not compared: {self.error}"
        return "; ".join(_measures(self.forms))


def _measures(forms: Sequence[Form]) -> list[str]:
    said: list[str] = []
    exact = [form for form in forms if form.bound.kind == "exact"]
    if exact:
        differing = int(sum(form.worst for form in exact))
        said.append("exact" if not differing else f"{differing} of {sum(f.elements for f in exact)} differ")
    for kind in ("ulp", "norm"):
        some = [form for form in forms if form.bound.kind == kind]
        if some:
            worst = max(some, key=lambda form: form.worst / form.bound.limit)
            said.append(f"{worst.worst:.3g} {kind} (bound {worst.bound.limit:.3g})")
    return said


class Gpu:
    """One GPU's memory, and launches on it."""

    def __init__(self, size: int):
        self.device = driver.current_device()
        self.stream = driver.stream(0, self.device)
        self.buffer = transfers.allocate(size, self.device)
        self.base = (int(self.buffer.handle) + 255) & ~255
        self.end = int(self.buffer.handle) + size

    def launch(self, cubin: bytes, symbol: str, arguments: Sequence[Any], blocks: int) -> None:
        """Runs an entry on arrays, which it writes in place, and numbers."""
        kernel = kernels.load(cubin, symbol, self.device)
        passed: list[Any] = []
        arrays: list[tuple[int, Any]] = []
        place = self.base
        for argument in arguments:
            if not isinstance(argument, np.ndarray):
                passed.append(
                    argument if argument.dtype.isbuiltin == 1 else argument.view(f"u{argument.dtype.itemsize}")
                )
                continue
            assert place + argument.nbytes <= self.end
            transfers.copy_to_device(place, argument.ctypes.data, argument.nbytes, self.device)
            passed.append(place)
            arrays.append((place, argument))
            place = (place + argument.nbytes + 255) & ~255
        kernels.launch_on(self.device, self.stream, kernels.config(blocks), kernel, *passed)
        driver.wait(self.stream, f"kernel `{symbol}`")
        for place, array in arrays:
            transfers.copy_to_host(array.ctypes.data, place, array.nbytes, self.device)


def inputs_of(entry: Entry, seed: int) -> list[Any]:
    """The arrays of an entry before it runs, aligned as GPU memory is."""
    from freehold.runtime.interpreter.values import aligned

    rng = np.random.default_rng((seed, zlib.crc32(entry.symbol.encode())))
    return [aligned(values(p.element, p.domain, p.count, rng)) for p in entry.parameters]


def compared(entry: Entry, before: Sequence[Any], got: Sequence[Any], expected: Sequence[Any]) -> list[Form]:
    """Every output of an entry against what was expected."""
    forms: list[Form] = []
    for n, parameter in enumerate(entry.parameters):
        if parameter.variant is None:
            continue
        bound = parameter.bound
        found = distance(parameter.element, got[n], expected[n], bound.kind)
        beyond = np.flatnonzero(found > bound.limit)
        worst = float(found.sum() if bound.kind == "exact" else found.max())
        form = Form(parameter.variant, bound, parameter.count, worst)
        if beyond.size:
            form.first = _place(entry.parameters, n, int(beyond[0]), before, got, expected)
        forms.append(form)
    return forms


def _place(
    parameters: Sequence[Parameter], n: int, at: int, before: Sequence[Any], got: Sequence[Any], expected: Sequence[Any]
) -> str:
    count = parameters[n].count
    same = [m for m, p in enumerate(parameters) if p.variant is None and p.count == count]
    inputs = ", ".join(_number(before[m][at]) for m in same)
    return f"element {at}: GPU {_number(got[n][at])}, interpreter {_number(expected[n][at])}, inputs ({inputs})"


def _number(value: Any) -> str:
    bits = int.from_bytes(value.tobytes(), "little")
    return f"{value} (0x{bits:0{2 * value.dtype.itemsize}x})" if value.dtype.kind not in "biu" else str(value)


def interpreted(module: Any, entry: Entry, arrays: Sequence[Any]) -> None:
    """Runs an entry on the interpreter."""
    Interpreted.of(module, entry.symbol).run(arrays, (BLOCKS, 1, 1))


def run(folder: Path, only: str | None, file: Path | None, seed: int, *, gpu: bool) -> int:
    """Compares everything in a folder, prints the tables, and returns the exit status."""
    began = time.perf_counter()
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    device = Gpu(64 << 20) if gpu else None
    found: dict[tuple[str, str], Row] = {}
    for part in manifest["modules"]:
        module: Any = None
        cubin = zlib.decompress((folder / f"{part['name']}.cubin.z").read_bytes())
        for data in part["entries"]:
            entry = Entry.read(data)
            if only is not None and only not in f"{entry.op} {entry.types}":
                continue
            if module is None:
                module = read_bytecode((folder / f"{part['name']}.tileirbc").read_bytes())
            row = found.setdefault((entry.op, entry.types), Row(entry.op, entry.types))
            before = inputs_of(entry, seed)
            expected, got = inputs_of(entry, seed), inputs_of(entry, seed)
            try:
                interpreted(module, entry, expected)
                if device is None:
                    got = expected
                else:
                    device.launch(cubin, entry.symbol, got, BLOCKS)
            except Rejected as e:
                row.error = str(e)
                continue
            row.forms += compared(entry, before, got, expected)
    rows = list(found.values())
    if manifest["kernels"] and (only is None or only in "kernels"):
        from benchmarks.agreement_kernels import compare_kernels

        rows += compare_kernels(folder, manifest["kernels"], device, seed)
    seconds = time.perf_counter() - began
    show(rows, manifest["refused"], seconds, gpu=gpu)
    if file is not None:
        plain = [{**asdict(row), "fine": row.fine} for row in rows]
        text = json.dumps({"arch": manifest["arch"], "seed": seed, "rows": plain, "refused": manifest["refused"]})
        file.write_text(text + "\n", encoding="utf-8")
    return 0 if all(row.fine for row in rows) else 1


def show(rows: Sequence[Row], refused: Sequence[dict[str, str]], seconds: float, *, gpu: bool) -> None:
    """Prints every row, then the table for docs/interpreter.md, then what is wrong."""
    lines = [
        ("op", "types", "forms", "elements", "result"),
        *(
            (
                row.op,
                row.types,
                str(len(row.forms)),
                str(sum(f.elements for f in row.forms)),
                ("" if row.fine else "FAIL ") + (row.result.splitlines()[0] if gpu or row.error else "interpreted"),
            )
            for row in rows
        ),
    ]
    widths = [max(len(line[n]) for line in lines) for n in range(4)]
    for line in lines:
        print("  ".join((*(cell.ljust(width) for cell, width in zip(line, widths, strict=False)), line[-1])))
    print("\nThe same by operation:\n\n| operation | combinations of types | forms | results | agreement |")
    print("|---|---|---|---|---|")
    for op in dict.fromkeys(row.op for row in rows):
        some = [row for row in rows if row.op == op]
        forms = [form for row in some for form in row.forms]
        errors = sum(bool(row.error) for row in some)
        said = [*(_measures(forms) if gpu else ["interpreted"]), *([f"{errors} not compared"] if errors else [])]
        print(f"| `{op}` | {len(some)} | {len(forms)} | {sum(f.elements for f in forms)} | {'; '.join(said)} |")
    print()
    for item in refused:
        print(f"refused by the assembler: {item['what']}: {item['reason']}")
    wrong = [row for row in rows if not row.fine]
    for row in wrong:
        print(f"\nFAIL {row.op} {row.types}" + (f": {row.error}" if row.error else ""))
        for form in row.forms:
            if not form.fine:
                print(f"  {form.variant or 'result'}: {'; '.join(_measures([form]))}; {form.first}")
    forms = [form for row in rows for form in row.forms]
    what = "compared with cubins" if gpu else "interpreted, and compared with NOTHING (no GPU was used)"
    print(
        f"\n{len(rows)} combinations, {len(forms)} forms, {sum(f.elements for f in forms)} results {what}: "
        f"{len(rows) - len(wrong)} within their bounds, {len(wrong)} not; {seconds:.0f} s"
    )


if __name__ == "__main__":
    main()
