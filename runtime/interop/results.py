"""
What a kernel writes as the results of an operator: their shapes and dtypes, from the signature and the arguments.

Frameworks call functions of arrays that return arrays. A kernel writes to arrays that it is given, so whoever makes an
operator of it has to know what to allocate before the kernel runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, cast

from freehold.runtime.base.call_site import caller
from freehold.runtime.errors.refusing import errors, reject
from freehold.runtime.launch.partition import partition
from freehold.runtime.variants.evaluation import solution
from freehold.support import terms
from freehold.support.dtypes import DType
from freehold.support.terms import as_python

if TYPE_CHECKING:
    from freehold.frontend.signature import Parameter
    from freehold.runtime.launch.callee import Callee

Cut = int | tuple[int, ...] | Callable[[Any], Any]
"""How an array is partitioned: a tile, or a function that makes the partition of an array."""


def cutter(value: Cut) -> Callable[[Any], Any]:
    """A function that makes the partition of an array."""
    if callable(value):
        return value
    return lambda array: partition(array, value)


def array_of(parameter: Parameter) -> str:
    """An expression for an array of a parameter: of a tuple, the first."""
    return f"{parameter.name}[0]" if parameter.many else parameter.name


class Results:
    """The shapes and dtypes of `Out` parameters that become results, as expressions over the other arguments."""

    def __init__(self, kernel: Callee, wanted: Sequence[str] | Mapping[str, Any], left_out: Mapping[str, object]):
        self.kernel = kernel
        self.dtypes: dict[str, DType | None] = dict(wanted) if isinstance(wanted, Mapping) else dict.fromkeys(wanted)
        parameters = {p.name: p for p in kernel.signature.parameters}
        for name in self.dtypes:
            if name in parameters and parameters[name].many:
                self.refuse(
                    f"nothing says how many results `{name}` is", "take it as an argument, which the kernel writes to"
                )
            if name not in parameters or parameters[name].mode != "out":
                outs = [p.name for p in kernel.signature.parameters if p.mode == "out"]
                remedy = f"results are `Out` parameters: {', '.join(f'`{o}`' for o in outs) or 'it has none'}"
                self.refuse(f"`{name}` is no `Out` parameter", remedy)
        self.given: list[Parameter] = [p for p in kernel.signature.tensors if p.name not in self.dtypes]
        """The tensors that are arguments."""
        if self.dtypes and all(p.optional for p in self.given):
            self.refuse("no argument is an array", "leave one array an argument: results are made where it is")
        constants = {name: value for name, value in left_out.items() if type(value) is int}
        self.names: dict[str, str] = {}
        """By name of a dimension or a `Const`, an expression for it."""
        for p in kernel.signature.parameters:
            if p.mode == "const" and p.type is int:
                self.names.setdefault(p.name, str(constants.get(p.name, p.name)))
        known = {name: terms.sym(name) for name in self.names}  # a `Const` is no unknown
        there = [p for p in self.given if not p.optional]  # what a call may leave out says nothing
        there.sort(key=lambda p: p.many)  # a tuple may be empty: it is asked last
        extents = [(array_of(p), axis, terms.parse(text)) for p in there for axis, text in enumerate(p.dims or ())]
        for name, found in terms.solved([*known.values(), *(term for _, _, term in extents)]).items():
            if name not in known:
                array, axis, _ = extents[found.at - len(known)]
                self.names[name] = f"({solution(found, f'{array}.shape[{axis}]', self.names)})"

    def cut(self, name: str, value: Cut | list[Cut]) -> Callable[[Any], Any]:
        """A function that makes the partition of an argument; of a tuple, a list of those of its arrays."""
        if not self.kernel.signature[name].many:
            return cutter(cast("Cut", value))
        if not isinstance(value, list):
            each = cutter(value)
            return lambda arrays: [each(array) for array in arrays]
        cuts = [cutter(one) for one in cast("list[Cut]", value)]

        def cut(arrays: Sequence[Any]) -> list[Any]:
            if len(cuts) != len(arrays):
                self.refuse(
                    f"`{name}` is given {len(arrays)} tensors, and was made for {len(cuts)}",
                    f'give one tile for all of them: `{{"{name}": 1024}}`',
                )
            return [one(array) for one, array in zip(cuts, arrays, strict=True)]

        return cut

    def empty(self, name: str) -> NoReturn:
        """Raises `Rejected` (O278): of a tuple without tensors, on which a result depends."""
        self.refuse(f"`{name}` is empty, and what it holds says where results are made", "give it a tensor", name)

    @property
    def first(self) -> Parameter:
        """The argument whose dtype and place results have: one that every call gives."""
        return min((p for p in self.given if not p.optional), key=lambda p: p.many)

    def refuse(self, reason: str, remedy: str, argument: str = "") -> NoReturn:
        """Raises `Rejected` (O278), about the caller's line, or about an argument of a call that is being traced."""
        from freehold.support.report import Argument

        place = Argument(argument, self.kernel.__name__) if argument else caller().span
        reject(errors.NoOperator(place, self.kernel.__name__, reason, remedy))

    def check(self, partitions: Mapping[str, Cut | list[Cut]], fixed: Mapping[str, object]) -> None:
        """Raises `Rejected` (O278) where a parameter does not exist, or an output has no partition."""
        names = [p.name for p in self.kernel.signature.parameters]
        for unknown in (n for n in (*partitions, *fixed) if n not in names):
            self.refuse(f"it has no parameter `{unknown}`", f"its parameters are {', '.join(f'`{n}`' for n in names)}")
        for p in self.kernel.signature.tensors:
            cut = self.kernel.signature.cut
            if p.mode in ("mut", "out") and p.name not in partitions and p.name not in fixed and cut:
                self.refuse(
                    f"nothing says how `{p.name}` is cut into regions", f'give its tile: `{{"{p.name}": 1024}}`'
                )

    def shape(self, name: str) -> str:
        """The shape of a result, as a Python expression. Raises `Rejected` (O278)."""
        parameter = self.kernel.signature[name]
        remedy = "leave it an argument, which the operator mutates"
        if parameter.dims is None:
            self.refuse(f"nothing says what the shape of `{name}: {parameter.annotation}` is", remedy)
        extents: list[str] = []
        for text in parameter.dims:
            term = terms.parse(text)
            unknown = sorted(term.symbols() - self.names.keys())
            if unknown:
                self.refuse(f"`{unknown[0]}`, of the shape of `{name}`, is a dimension of no other argument", remedy)
            extents.append(as_python(term, self.names))
        return f"({''.join(f'{e}, ' for e in extents)})"

    def dtype(self, name: str) -> DType | None:
        """The dtype of a result; None: that of the first array."""
        return self.dtypes[name] or self.kernel.signature[name].dtype
