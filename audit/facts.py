"""Facts of a launch: the grid, and what each argument is. What an audit of a kernel for that launch goes by.

Memory is addresses that nobody has: arrays lie far apart unless the facts say where they are, or that two of them are
one. So nothing of the size of the launch is allocated, and what is read is known only where contents are given.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, cast

import numpy as np
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute

from freehold.dialects.cuda_tile.ops.module import EntryOp
from freehold.dialects.cuda_tile.types import PointerType, TileType
from freehold.runtime.interpreter.arguments import element_of_dtype
from freehold.runtime.interpreter.elements import ELEMENTS, Array, Element, element_of

_APART: Final = 1 << 44
"""Between the addresses of two arrays of which nothing is said."""
_ALIGNMENT: Final = 256
"""Of arrays of which nothing else is said, as allocators give it."""


class FactsError(Exception):
    """Facts that cannot be read, or that do not fit the kernel."""


@dataclass(frozen=True)
class Tensor:
    """An argument that is an array. Strides count elements; without them the last axis is dense."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None = None
    contents: Array | None = None
    """What it holds when the launch begins, where that is known: indices, offsets, tables."""
    address: int | None = None
    same: str = ""
    """Another array, in whose memory it lies, `shift` elements from where that begins."""
    shift: int = 0
    alignment: int = _ALIGNMENT
    unwritten: bool = False
    """Whether it holds nothing when the launch begins."""
    words: tuple[str | int, ...] = ()
    """Of a table: what it holds in place of `contents`, names of arrays for their addresses."""

    @property
    def element(self) -> Element:
        """The type of its elements."""
        return element_of_dtype(self.dtype)

    @property
    def steps(self) -> tuple[int, ...]:
        """Its strides."""
        if self.strides is not None:
            return self.strides
        found: list[int] = []
        step = 1
        for extent in reversed(self.shape):
            found.append(step)
            step *= extent
        return tuple(reversed(found))

    @property
    def span(self) -> int:
        """Elements from its first to its last."""
        return 1 + sum((n - 1) * s for n, s in zip(self.shape, self.steps, strict=True))

    @property
    def regular(self) -> bool:
        """Whether distinct indices are distinct elements."""
        reach = 1
        for step, extent in sorted((s, n) for s, n in zip(self.steps, self.shape, strict=True) if n > 1):
            if step < reach:
                return False
            reach += step * (extent - 1)
        return True


@dataclass(frozen=True)
class Number:
    """An argument that is a number."""

    name: str
    value: int | float


Fact = Tensor | Number


@dataclass(frozen=True)
class Launch:
    """A launch: its grid and its arguments."""

    grid: tuple[int, int, int]
    arguments: tuple[Fact, ...]
    others: tuple[Tensor, ...] = ()
    """Arrays that are no arguments, but in tables."""

    @property
    def blocks(self) -> int:
        """How many tile blocks it has."""
        return self.grid[0] * self.grid[1] * self.grid[2]

    def block(self, number: int) -> str:
        """A tile block in messages, by its number."""
        rest, x = divmod(number, self.grid[0])
        z, y = divmod(rest, self.grid[1])
        return str(x) if self.grid[1] == self.grid[2] == 1 else f"({x}, {y}, {z})"


@dataclass(frozen=True)
class Placed:
    """An array with its place: bytes from `start` up to `end` are its own to touch."""

    tensor: Tensor
    start: int

    @property
    def end(self) -> int:
        """Behind its last byte."""
        return self.start + self.tensor.span * self.tensor.element.memory_bytes

    def element_at(self, address: int) -> str:
        """The index of the element at an address, as text; of one outside, how far outside."""
        tensor = self.tensor
        offset = (address - self.start) // tensor.element.memory_bytes
        if not 0 <= offset < tensor.span:
            return f"[element {offset} of {tensor.span}]"
        if not tensor.regular:
            return f"[element {offset}]"
        index = [0] * len(tensor.shape)
        for axis in sorted(range(len(index)), key=lambda a: -tensor.steps[a]):
            if tensor.shape[axis] > 1:
                index[axis], offset = divmod(offset, tensor.steps[axis])
        return "[" + ", ".join(map(str, index)) + "]"


Parameter = Placed | int | float
"""What a launch passes for one parameter of an entry."""


@dataclass(frozen=True)
class Call:
    """A launch of an entry: a value for each of its parameters, with names for messages."""

    launch: Launch
    values: tuple[Parameter, ...]
    names: tuple[str, ...]
    """Of the values, then of the others."""
    others: tuple[Placed, ...] = ()
    """Arrays that are no arguments, but in tables."""

    @cached_property
    def arrays(self) -> Mapping[int, Placed]:
        """The arrays, by the numbers of their parameters; those in tables alone are numbered behind all parameters."""
        return {n: value for n, value in enumerate((*self.values, *self.others)) if isinstance(value, Placed)}


def call_of(entry: EntryOp, launch: Launch) -> Call:
    """The values of an entry's parameters. Raises `FactsError` where the facts do not fit.

    An array is passed as its address alone if that fits the parameters, else as its address, its extents and its
    strides, which is how cuTile passes arrays.
    """
    placed = _placed((*launch.arguments, *launch.others))
    others = tuple(placed[other.name] for other in launch.others)
    wrong: str | None = None
    for flatten in (False, True):
        values: list[Parameter] = []
        names: list[str] = []
        for fact in launch.arguments:
            if isinstance(fact, Number):
                values.append(fact.value)
                names.append(fact.name)
                continue
            values.append(placed[fact.name])
            names.append(fact.name)
            if flatten:
                values += [*fact.shape, *fact.steps]
                names += [f"{fact.name}.{what}[{n}]" for what in ("shape", "stride") for n in range(len(fact.shape))]
        wrong = _misfit(entry, values, names)
        if wrong is None:
            return Call(launch, tuple(values), (*names, *(other.name for other in launch.others)), others)
        if len(values) == len(entry.body.block.args):
            break
    raise FactsError(wrong or "")


def _misfit(entry: EntryOp, values: Sequence[Parameter], names: Sequence[str]) -> str | None:
    """Why values do not fit an entry's parameters."""
    parameters = entry.body.block.args
    if len(values) != len(parameters):
        return f"the facts give {len(values)} values for {len(parameters)} parameters of `{entry.sym_name.data}`"
    for number, (parameter, value, name) in enumerate(zip(parameters, values, names, strict=True)):
        type_ = cast(TileType, parameter.type).element_type
        pointer = isinstance(type_, PointerType)
        if pointer != isinstance(value, Placed):
            return f"parameter {number} is {'a pointer' if pointer else 'a number'}, and `{name}` is not"
        if isinstance(type_, PointerType) and isinstance(value, Placed):
            wanted, given = element_of(type_.pointee), value.tensor.element
            if wanted.memory_bytes != given.memory_bytes:
                return f"`{name}` has elements of {given.name}, and parameter {number} points to {wanted.name}"
        elif isinstance(value, int | float) and not _holds(type_, value):
            return f"parameter {number} is {element_of(type_).name}, and `{name}` is {value}"
    return None


def _holds(type_: Attribute, value: float) -> bool:
    """Whether a number can be that of a parameter, read with a sign or without one."""
    width = element_of(type_).bits
    if not isinstance(type_, IntegerType):
        return True
    return isinstance(value, int) and -(1 << (width - 1)) <= value < 1 << width


def _placed(facts: Sequence[Fact]) -> dict[str, Placed]:
    """Every array with its place, by name."""
    tensors = {fact.name: fact for fact in facts if isinstance(fact, Tensor)}
    found: dict[str, Placed] = {}
    for number, tensor in enumerate(tensors.values(), 1):
        if not tensor.same:
            start = _APART * number + tensor.alignment % _ALIGNMENT if tensor.address is None else tensor.address
            found[tensor.name] = Placed(tensor, start)
    for tensor in tensors.values():
        if tensor.same:
            if tensor.same not in found:
                raise FactsError(f"`{tensor.name}` lies in the memory of `{tensor.same}`, which is no array of its own")
            base = found[tensor.same]
            found[tensor.name] = Placed(tensor, base.start + tensor.shift * base.tensor.element.memory_bytes)
    for tensor in tensors.values():
        if tensor.words:
            if missing := next((w for w in tensor.words if isinstance(w, str) and w not in found), None):
                raise FactsError(f"`{tensor.name}` has the word `{missing}`, which is no array")
            numbers = [found[word].start if isinstance(word, str) else word for word in tensor.words]
            table = replace(tensor, contents=np.array(numbers, np.int64))
            found[tensor.name] = replace(found[tensor.name], tensor=table)
    return found


def launch_of(grid: Sequence[int], values: Sequence[object], names: Sequence[str]) -> Launch:
    """The facts of a launch that is about to happen: an array or a number for each parameter of the entry.

    An array is NumPy's, or `recorded` already, by any name. Arrays keep their addresses, so those that share memory are
    known to; integers are taken to hold what they hold now.
    Raises `FactsError` for an argument of another kind.
    """
    facts: list[Fact] = []
    others: list[Tensor] = []
    for number, (value, given) in enumerate(zip(values, names, strict=True)):
        name = given if all(fact.name != given for fact in facts) else f"{given}#{number}"
        if isinstance(value, np.ndarray | Tensor):
            facts.append(_named(name, cast("Array | Tensor", value)))
        elif isinstance(value, list):
            words: list[str | int] = []
            for word in cast("list[Any]", value):
                if isinstance(word, np.ndarray | Tensor):
                    number = sum(isinstance(w, str) for w in words)
                    others.append(_named(f"{name}[{number}]", cast("Array | Tensor", word)))
                words.append(others[-1].name if isinstance(word, np.ndarray | Tensor) else int(word))
            facts.append(Tensor(name, "i64", (len(words),), words=tuple(words)))
        elif isinstance(value, int | float | np.generic):
            plain: int | float = cast(Any, value).item() if isinstance(value, np.generic) else value
            facts.append(Number(name, plain))
        else:
            raise FactsError(f"`{name}` is neither an array nor a number")
    x, y, z = (*grid, 1, 1)[:3]
    return Launch((x, y, z), tuple(facts), tuple(others))


def _named(name: str, found: Array | Tensor) -> Tensor:
    if isinstance(found, Tensor):
        return replace(found, name=name)
    return recorded(name, found.dtype, found.shape, found.strides, found.ctypes.data, found.copy)


def recorded(
    name: str,
    of: np.dtype[Any],
    shape: tuple[int, ...],
    strides: Sequence[int],
    address: int,
    contents: Callable[[], Array],
) -> Tensor:
    """An array that is there, where it is, with strides in bytes; `contents` is asked for integers alone. Raises
    `FactsError`."""
    dtype = next((e.name for e in ELEMENTS if e.dtype == of), None)
    if dtype is None and of.kind in "iu":
        dtype = f"i{of.itemsize * 8}"
    if dtype is None or any(s < 0 or s % of.itemsize for s in strides):
        raise FactsError(f"`{name}` is an array of {of} with strides {tuple(strides)}, which is not known here")
    steps = tuple(s // of.itemsize for s in strides)
    return Tensor(name, dtype, shape, steps, contents() if of.kind in "biu" else None, address)


# Facts as data


def launch_from(data: Mapping[str, Any]) -> Launch:
    """A launch from what a YAML, TOML or JSON file holds. Raises `FactsError`.

    `grid` is one to three numbers; `arguments` is a list of mappings, each with a `name` and either a `value` or a
    `dtype` and a `shape`, and optionally `strides`, `contents`, `address`, `alignment`, `same`, `shift`, `unwritten`.
    A table of arrays has `words` in their place: numbers, and names of arrays, which are arguments or in `others`.
    """
    grid = _integers("grid", data.get("grid"))
    if not 1 <= len(grid) <= 3 or min(grid) < 1:
        raise FactsError("`grid` is one to three numbers, each at least 1")
    given = data.get("arguments")
    if not isinstance(given, Sequence) or isinstance(given, str):
        raise FactsError("`arguments` is a list with an entry for each argument")
    arguments = tuple(_fact(number, item) for number, item in enumerate(cast("Sequence[object]", given)))
    more = data.get("others", [])
    if not isinstance(more, Sequence) or isinstance(more, str):
        raise FactsError("`others` is a list of arrays")
    others = [_fact(number, item) for number, item in enumerate(cast("Sequence[object]", more), len(arguments))]
    if wrong := next((other.name for other in others if isinstance(other, Number)), None):
        raise FactsError(f"`{wrong}` of `others` is no array")
    names = [argument.name for argument in (*arguments, *others)]
    if len(set(names)) != len(names):
        raise FactsError("two arguments have one name")
    x, y, z = (*grid, 1, 1)[:3]
    return Launch((x, y, z), arguments, cast("tuple[Tensor, ...]", tuple(others)))


_KEYS: Final = frozenset(
    (
        "name",
        "value",
        "dtype",
        "shape",
        "strides",
        "contents",
        "address",
        "alignment",
        "same",
        "shift",
        "unwritten",
        "words",
    )
)


def _fact(number: int, item: object) -> Fact:
    if not isinstance(item, Mapping):
        raise FactsError(f"argument {number} is no mapping")
    given = cast("Mapping[str, Any]", item)
    name = str(given.get("name", f"arg{number}"))
    if unknown := sorted(given.keys() - _KEYS):
        raise FactsError(f"`{name}` has the unknown fact `{unknown[0]}`")
    if "value" in given:
        value = given["value"]
        if not isinstance(value, int | float):
            raise FactsError(f"the value of `{name}` is no number")
        return Number(name, value)
    if "words" in given:
        words = given["words"]
        if not isinstance(words, list) or not all(isinstance(w, str | int) for w in cast("list[object]", words)):
            raise FactsError(f"the words of `{name}` are no list of numbers and names of arrays")
        return Tensor(name, "i64", (len(cast("list[object]", words)),), words=tuple(cast("list[str | int]", words)))
    tensor = Tensor(name, str(given.get("dtype", "f32")), _integers(f"the shape of `{name}`", given.get("shape")))
    try:
        tensor.element  # noqa: B018 -- refuses what is no dtype
    except KeyError:
        raise FactsError(f"`{tensor.dtype}` of `{name}` is no dtype") from None
    if not all(n >= 1 for n in tensor.shape):
        raise FactsError(f"`{name}` has an extent below 1")
    if (strides := given.get("strides")) is not None:
        tensor = replace(tensor, strides=_integers(f"the strides of `{name}`", strides))
        if len(tensor.steps) != len(tensor.shape) or any(n < 0 for n in tensor.steps):
            raise FactsError(f"`{name}` takes {len(tensor.shape)} strides, none of them negative")
    if (contents := given.get("contents")) is not None:
        tensor = replace(tensor, contents=_contents(tensor, contents))
    for key in ("address", "alignment", "shift"):
        if (n := given.get(key)) is not None:
            if not isinstance(n, int) or n < 0:
                raise FactsError(f"`{key}` of `{name}` is no number")
            tensor = replace(tensor, **{key: n})
    return replace(tensor, same=str(given.get("same", "")), unwritten=bool(given.get("unwritten", False)))


def _integers(what: str, found: object) -> tuple[int, ...]:
    found = [found] if isinstance(found, int) else found
    if not isinstance(found, Sequence) or not all(isinstance(n, int) for n in cast("Sequence[object]", found)):
        raise FactsError(f"{what} is no list of numbers")
    return tuple(cast("Sequence[int]", found))


def _contents(tensor: Tensor, given: object) -> Array:
    if isinstance(given, str):
        try:
            given = np.load(given, allow_pickle=False)
        except (OSError, ValueError) as error:
            raise FactsError(f"the contents of `{tensor.name}` cannot be read from `{given}`: {error}") from None
    found = np.asarray(given)
    if found.size != int(np.prod(tensor.shape, dtype=np.int64)) or found.dtype.kind not in "biuf":
        raise FactsError(f"the contents of `{tensor.name}` are not {list(tensor.shape)} numbers")
    return found.reshape(tensor.shape)
