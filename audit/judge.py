"""Whether foreign Tile IR does in a launch what is declared of it: the audit, asked before the launch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from threading import Lock
from typing import Any, Final

from freehold.audit.facts import Fact, FactsError, Launch, Number, Tensor
from freehold.audit.verdict import ArrayVerdict, Audit, audit
from freehold.dialects.cuda_tile.ops.module import EntryOp
from freehold.dialects.location import span_of
from freehold.runtime.errors.refusing import errors, reject
from freehold.runtime.foreign.code import TileIR, unknown_entry
from freehold.runtime.foreign.declaration import Declaration
from freehold.runtime.variants.evaluation import Geometry, Judge, Shapes, Values
from freehold.support.contract import EntryParameter, LaunchContract, TensorParameter
from freehold.support.diagnostic import Error
from freehold.support.span import Span

_MOST: Final = 4096
"""Launches whose verdicts are remembered; past that all are forgotten."""

_ALLOWS: Final[Mapping[str, frozenset[str]]] = {
    "ref": frozenset(("untouched", "read only")),
    "out": frozenset(("untouched", "disjoint")),
    "mut": frozenset(("untouched", "read only", "disjoint")),
    "acc": frozenset(("untouched", "commuting")),
    "raw": frozenset(("untouched", "read only", "disjoint", "commuting", "atomic")),
}
"""What blocks may do with an array among themselves, by how it is declared."""

_WORDS: Final = {"read only": "reads", "disjoint": "writes", "commuting": "updates", "atomic": "updates atomically"}


def judge_of(source: TileIR, declared: Declaration, contract: LaunchContract) -> Judge:
    """Who is asked about launches of Tile IR under a contract. Raises `Rejected` where it is none of it."""
    return _Judge(source, declared, contract)


class _Judge:
    def __init__(self, source: TileIR, declared: Declaration, contract: LaunchContract):
        self.kernel = declared.signature.kernel
        self.declared = declared
        self.contract = contract
        self.module = source.module()
        entries = {op.sym_name.data: op for op in self.module.walk() if isinstance(op, EntryOp)}
        if source.entry not in entries:
            reject(unknown_entry(self.kernel, source.kind, source.entry, entries))
        self.entry = entries[source.entry]
        self.lock = Lock()
        self.known: dict[Any, Audit | FactsError] = {}

    def __call__(
        self, geometry: Geometry, shapes: Shapes, strides: Shapes, values: Values, place: Span | None
    ) -> Sequence[Error]:
        """What is wrong with a launch; nothing, if it may be done."""
        facts = self._launch(geometry, shapes, strides, values)
        with self.lock:
            key = repr(facts)  # tells 0.0 from -0.0
            found = self.known.get(key)
            if found is None:
                if len(self.known) >= _MOST:
                    self.known.clear()
                try:
                    found = audit(self.module, self.entry, facts)
                except FactsError as e:
                    found = e
                self.known[key] = found
        if isinstance(found, FactsError):
            return [self._unlike(str(found), place)]
        return [*self._wrong(found, place)] or [*self._open(found, place)]

    # --- The launch as facts ------------------------------------------------------------------------------------------

    def _launch(self, geometry: Geometry, shapes: Shapes, strides: Shapes, values: Values) -> Launch:
        """The launch, for the parameters of the entry."""
        integers = iter(geometry.integers)
        places = {
            n: k
            for k, n in enumerate(n for n, p in enumerate(self.contract.parameters) if isinstance(p, TensorParameter))
        }
        facts: list[Fact] = []
        seen: dict[int, str] = {}
        for number, e in enumerate(self.contract.entry):
            if e.kind == "pointer":
                facts.append(self._tensor(e, places, shapes, strides, seen, number))
            elif e.kind == "scalar":
                facts.append(Number(f"{self.contract.parameters[e.argument].name}", _plain(values[e.argument])))
            else:
                facts.append(Number(e.term or f"stride {number}", next(integers)))
        x, y, z = geometry.shape[:3]
        return Launch((x, y, z), tuple(facts))

    def _tensor(
        self,
        e: EntryParameter,
        places: Mapping[int, int],
        shapes: Shapes,
        strides: Shapes,
        seen: dict[int, str],
        number: int,
    ) -> Tensor:
        parameter = self.contract.parameters[e.argument]
        assert isinstance(parameter, TensorParameter)
        name = parameter.name if e.argument not in seen else f"{parameter.name}#{number}"
        same = seen.setdefault(e.argument, name)
        n = places[e.argument]
        return Tensor(
            name, parameter.dtype, tuple(shapes[n]), tuple(strides[n]), None, None, "" if same == name else same, 0,
            parameter.align, parameter.mode == "out",
        )  # fmt: skip

    # --- What is wrong ------------------------------------------------------------------------------------------------

    def _unlike(self, why: str, place: Span | None) -> Error:

        return errors.DeclarationUnfit(
            place,
            self.kernel,
            why,
            "declare the parameters as the code has them, or say what is passed: `passes=[...]`",
        )

    def _wrong(self, found: Audit, place: Span | None) -> list[Error]:
        """What the audit found, and what is done that was not declared."""
        wrong: list[Error] = []
        # What is declared as written and only read is declared wrongly, whatever it holds.
        accesses = found.trace.accesses
        read = {a.number for a in found.arrays if {x.kind for x in accesses if x.base == a.number} == {"read"}}
        of_read = {x.op for x in accesses if x.base in read}
        for finding in found.findings:
            if finding.kind == "unwritten" and of_read.issuperset(finding.ops):
                continue
            report = finding.error.report()
            error = errors.PromiseBroken(place, self.kernel, report.title)
            for op in finding.ops:
                if (span := span_of(op)) is not None:
                    error.add(error.At(span, report.label or "here"))
            for note in report.notes:
                error.add(error.Found(note))
            wrong.append(error)
        for verdict in found.arrays if not wrong else ():
            done = replace(verdict, share="read only") if verdict.number in read else verdict
            if (error := self._undeclared(found, done, place)) is not None:
                wrong.append(error)
        return wrong

    def _undeclared(self, found: Audit, verdict: ArrayVerdict, place: Span | None) -> Error | None:
        """The error for an array with which something else is done than was declared."""
        e = self.contract.entry[verdict.number]
        parameter = self.declared.signature[self.contract.parameters[e.argument].name]
        if verdict.share in _ALLOWS[parameter.mode] or verdict.share not in _WORDS:
            return None
        wanted = {"read only": "Ref", "disjoint": "Mut", "commuting": "Acc", "atomic": "Raw"}[verdict.share]
        error = errors.PromiseBroken(
            place, self.kernel, f"it {_WORDS[verdict.share]} `{parameter.name}`, declared `{parameter.annotation}`"
        )
        ops = [a.op for a in found.trace.accesses if a.base == verdict.number]
        if verdict.share != "read only":
            ops = [a.op for a in found.trace.accesses if a.base == verdict.number and a.kind != "read"]
        for op in list(dict.fromkeys(ops))[:1]:
            if (span := span_of(op)) is not None:
                error.add(error.At(span, "here"))
        bare = parameter.annotation.partition("[")
        return error.add(error.Declare(parameter.name, f"{wanted}{bare[1]}{bare[2]}"))

    def _open(self, found: Audit, place: Span | None) -> list[Error]:
        """What the audit does not decide."""
        undecided = [
            errors.PromiseUndecided(place, self.kernel, o.what, f"{o.why}{f'; decided by: {o.fact}' if o.fact else ''}")
            for o in found.open
        ]
        if not undecided and found.verdict != "safe":
            undecided = [errors.PromiseUndecided(place, self.kernel, "the launch", "it is not shown to be safe")]
        shares = {a.number: a.share for a in found.arrays}
        if not undecided and any(shares.get(n) in (None, "unknown", "race", "unordered") for n in found.call.arrays):
            undecided = [errors.PromiseUndecided(place, self.kernel, "an array", "what is done to it is not known")]
        return list(undecided[:1])


def _plain(value: Any) -> int | float:
    return value.item() if hasattr(value, "item") else value
