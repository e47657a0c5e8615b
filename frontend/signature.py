"""A kernel's parameters as its annotations declare them, and what one call makes of them.

Reading a signature needs nothing but the function object: no source text, no compiler.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from enum import Enum
from functools import lru_cache
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, NoReturn, Union, cast, get_args, get_origin

from freehold.frontend.annotations import SPELLING, TensorAnnotation, TensorMode, without_none
from freehold.frontend.schedule import Grid, PartitionSpec
from freehold.support import dtypes, terms
from freehold.support.dtypes import DType
from freehold.support.span import Span

if TYPE_CHECKING:
    from freehold.support.diagnostic import Error

Mode = TensorMode | Literal["scalar", "const"]
Form = tuple[int, ...]
"""Of a kernel with optional tensors and tuples of tensors, for each of them in order: how many tensors a call gives; 0
for None."""


class ConstMarker:
    """The mark of `Const[T]`, which is `Annotated[T, ConstMarker()]`."""

    def __repr__(self) -> str:
        return "Const"


class _Missing:
    """The default of a parameter that has none."""

    def __repr__(self) -> str:
        return "<no default>"


MISSING: Final = _Missing()


def _nowhere(name: str) -> Span | None:
    return None


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a kernel."""

    name: str
    mode: Mode
    dims: tuple[str, ...] | None = None
    """Of a tensor: the term that each extent must equal, as text; None: any rank, extents are `x.shape[0]`, ..."""
    dtype: DType | None = None
    """The element type where the annotation fixes it."""
    default: object = MISSING
    """What a call that leaves the parameter out gets (`Const` and scalars)."""
    type: type | None = None
    """Of a `Const`, the Python type that its value must have; of a scalar without a dtype, `int`, `float` or `bool`."""
    optional: bool = False
    """Of a tensor: whether a call may give None. Of a `Const`: that one did, in a form of the kernel (`form_of`)."""
    many: bool = False
    """Whether a call gives a tuple of tensors, as many as it likes."""
    of: str | None = None
    """In a form of the kernel: the parameter whose tuple this tensor is one of."""
    locate: Callable[[str], Span | None] = field(default=_nowhere, repr=False, compare=False)

    @property
    def written(self) -> str:
        """The name in the text."""
        return self.of or self.name

    @property
    def is_tensor(self) -> bool:
        """Whether arrays are given for it."""
        return self.mode in SPELLING

    @property
    def has_default(self) -> bool:
        """Whether a call may leave it out."""
        return self.default is not MISSING

    @property
    def span(self) -> Span | None:
        """Where it is declared, or None without source text. Reads and parses the source: for errors only."""
        return self.locate(self.written)

    def given(self, constants: Mapping[str, int]) -> Parameter:
        """It with the values of `Const` parameters in the place of their names in its dimensions."""
        if self.dims is None:
            return self
        known = {name: terms.const(value) for name, value in constants.items()}
        return replace(self, dims=tuple(str(terms.parse(d).substitute(known)) for d in self.dims))

    @property
    def annotation(self) -> str:
        """The annotation as it could be written."""
        if self.is_tensor:
            inside = [str(self.dtype)] if self.dtype is not None else []
            inside += [d if d.isdecimal() else f'"{d}"' for d in self.dims or ()]
            tensor = SPELLING[self.mode] + (f"[{', '.join(inside)}]" if inside else "")
            return f"tuple[{tensor}, ...]" if self.many else tensor + " | None" * self.optional
        if self.mode == "const" and self.type is Grid:
            return "Grid"
        if self.mode == "const":
            return "Const" if self.type is None else f"Const[{self.type.__name__}]"
        return str(self.dtype) if self.dtype is not None else "float" if self.type is None else self.type.__name__


@dataclass(frozen=True, slots=True)
class KernelSignature:
    """The parameters of a kernel, in order."""

    kernel: str
    parameters: tuple[Parameter, ...]
    function: object = field(default=None, repr=False, compare=False)
    form: Form | None = None
    """Where it is that of one form of the kernel (`in_form`), which."""
    texts: tuple[str, ...] = ()
    """In a form: the names of the parameters in the text. A tuple may have none of its own."""
    cut: bool = True
    """Whether arrays that are written are split into regions. Foreign kernels take them as a whole."""

    def takes_windows(self) -> bool:
        """Whether the kernel, or a function that it calls, may take windows of tensors: partitions are those of windows
        then, so arrays do not say whether they agree."""
        return isinstance(self.function, FunctionType) and _mentions(self.function, "window", set())

    @property
    def returns(self) -> str | None:
        """What the function is annotated to return, as an output could be; None where that is nothing. For errors."""
        of = getattr(self.function, "__annotations__", {}).get("return")
        if of is None or of in ("None", "NoReturn"):
            return None
        dims = of.items if isinstance(of, TensorAnnotation) else ()
        return repr(TensorAnnotation("out", dims)).replace("'", '"')

    @property
    def tensors(self) -> tuple[Parameter, ...]:
        """The parameters that arrays are given for."""
        return tuple(p for p in self.parameters if p.is_tensor)

    def is_extent(self, parameter: Parameter) -> bool:
        """Whether a `Const` parameter has the name of a dimension, or one that dimensions are made of."""
        dims = (dim for p in self.tensors for dim in p.dims or ())
        return any(parameter.name in terms.parse(dim).symbols() for dim in dims)

    def positions(self, names: Collection[str]) -> frozenset[int]:
        """Where the tensors of these names, as they stand in the text, are among the tensors: all of a tuple's."""
        return frozenset(n for n, p in enumerate(self.tensors) if p.written in names)

    @property
    def has_forms(self) -> bool:
        """Whether what a call gives decides which tensors there are. Each form is compiled as a kernel of its own."""
        return self.form is None and any(p.optional or p.many for p in self.parameters)

    def form_of(self, arguments: Sequence[object]) -> Form:
        """The form that a call with these arguments asks for. Raises `NoTuple`."""
        given = [(p, a) for p, a in zip(self.parameters, arguments, strict=True) if p.optional or p.many]
        for p, a in given:
            if p.many and not isinstance(a, tuple | list):
                raise NoTuple(p)
        return tuple(len(cast("Sequence[object]", a)) if p.many else int(a is not None) for p, a in given)

    def in_form(self, form: Form) -> KernelSignature:
        """The parameters of one form: its tensors are there, and what is not is a `Const` whose value is None. Of a
        tuple there is a parameter for each tensor."""
        counts = iter(form)
        parameters: list[Parameter] = []
        for p in self.parameters:
            count = next(counts) if p.optional or p.many else 1
            if p.many:
                stem = p.name
                while any(q.name.startswith(stem) and q.name[len(stem) :].isdecimal() for q in self.parameters):
                    stem += "_"
                parameters += [replace(p, name=f"{stem}{n}", of=p.name, many=False) for n in range(count)]
            else:
                parameters.append(p if count else _absent(p))
        return replace(self, parameters=tuple(parameters), form=form, texts=tuple(p.name for p in self.parameters))

    def flat(self, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments of a call with those in tuples of tensors by themselves, as a form of the kernel has them."""
        given = zip(self.parameters, arguments, strict=True)
        return tuple(one for p, a in given for one in (a if p.many else (a,)))

    def __getitem__(self, name: str) -> Parameter:
        for p in self.parameters:
            if p.name == name:
                return p
        raise KeyError(name)


class NoTuple(Exception):
    """Something else than a tuple or a list is given for a tuple of tensors."""

    def __init__(self, parameter: Parameter):
        super().__init__(parameter.name)
        self.parameter = parameter


def _absent(parameter: Parameter) -> Parameter:
    """An optional tensor in a form without it."""
    return Parameter(parameter.name, "const", default=None, type=type(None), optional=True, locate=parameter.locate)


# --- What a call makes of it -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TensorSpec:
    """
    What a kernel is specialised to for one tensor argument.

    `align`: the base address is a multiple of so many bytes. `strides`, in elements: a positive number is that stride,
    0 one known at launch only. `stride_divs`, `extent_divs`: what each is a multiple of. `partition`: how the
    argument was partitioned; only for `Mut` and `Out`.
    """

    dtype: DType
    rank: int
    align: int = 1
    strides: tuple[int, ...] = ()
    stride_divs: tuple[int, ...] = ()
    extent_divs: tuple[int, ...] = ()
    partition: PartitionSpec | None = None

    @staticmethod
    def plain(dtype: DType, rank: int, partition: PartitionSpec | None = None) -> TensorSpec:
        """A C-contiguous tensor about which nothing else is known."""
        strides = (0,) * (rank - 1) + (1,) * (rank > 0)
        return TensorSpec(dtype, rank, dtype.itemsize, strides, (1,) * rank, (1,) * rank, partition)


@dataclass(frozen=True, slots=True)
class ScalarSpec:
    """A scalar argument, passed at launch."""

    dtype: DType


class ConstSpec:
    """
    A compile-time argument. `1`, `True` and `1.0` are three different ones, and so are `0.0` and `-0.0`.

    Two are equal if a kernel cannot tell their values apart, whatever the values' own `==` says.
    """

    __slots__ = ("_hash", "_key", "value")

    def __init__(self, value: object):
        self.value: Final = value
        self._key = _structure(value)
        self._hash = hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ConstSpec) and self._hash == other._hash and self._key == other._key

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"ConstSpec({self.value!r})"


class _Same:
    """An object that is equal to itself alone."""

    __slots__ = ("it",)

    def __init__(self, it: object):
        self.it = it

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.it is self.it

    def __hash__(self) -> int:
        return id(self.it)


EXACT: Final[frozenset[type]] = frozenset((bool, int, str, bytes, type(None)))
"""Classes of Python whose `==` tells their objects apart."""


def _structure(value: object) -> tuple[object, ...]:
    """What a kernel can see of a compile-time value, made of what compares as it should; the value itself otherwise."""
    kind = type(value)
    if kind in EXACT:
        return kind, value
    if isinstance(value, Enum):
        return (_Same(value),)
    if isinstance(value, tuple):
        return _Same(kind), *map(_structure, cast("tuple[object, ...]", value))
    if kind is frozenset:
        return kind, frozenset(map(_structure, cast("frozenset[object]", value)))
    if kind is float:
        return kind, cast(float, value).hex()
    if kind is complex:
        return kind, repr(value)
    if is_dataclass(kind) and kind.__dataclass_params__.frozen:  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType] -- every dataclass has it
        return _Same(kind), *[_structure(getattr(value, f.name, MISSING)) for f in fields(kind)]
    if getattr(sys.modules.get("numpy"), kind.__name__, None) is kind and hasattr(value, "tobytes"):  # a scalar
        number: Any = value
        return _Same(kind), number.tobytes()
    return (_Same(value),)


@dataclass(frozen=True, slots=True)
class Specialisation:
    """One variant of a kernel: what each parameter, in order, is specialised to."""

    specs: tuple[TensorSpec | ScalarSpec | ConstSpec, ...]
    hints: tuple[tuple[str, Any], ...] = ()
    """Hints for the assembler that were chosen with them, where the kernel has none of these names."""

    def __iter__(self):
        return iter(self.specs)

    @property
    def grid(self) -> Grid | None:
        """The points of the launch where a parameter says them: the first one's."""
        return next((s.value for s in self.specs if isinstance(s, ConstSpec) and isinstance(s.value, Grid)), None)


# --- Reading annotations ---------------------------------------------------------------------------------------------


def read_signature(function: FunctionType, locate: Callable[[str], Span | None] | None = None) -> KernelSignature:
    """
    Reads the annotations of `function`, also those that are text (`from __future__ import annotations`).

    `locate` finds a parameter in the source, for errors. Raises `Rejected` with one error for each parameter that
    is not understood.
    """
    where = locate or _nowhere
    code = function.__code__
    found: list[Parameter] = []
    wrong: list[tuple[str, _Misread]] = []

    count = code.co_argcount + code.co_kwonlyargcount
    names = code.co_varnames[:count]
    for flag, star in ((0x04, "*"), (0x08, "**")):
        if code.co_flags & flag:
            rest = code.co_varnames[count + (flag == 0x08 and bool(code.co_flags & 0x04))]
            wrong.append((rest, _Misread("VariadicParameter", name=rest, star=star)))
    defaults: dict[str, object] = dict(
        zip(names[code.co_argcount - len(function.__defaults__ or ()) :], function.__defaults__ or (), strict=False)
    )
    defaults |= function.__kwdefaults__ or {}
    for parameter in names:
        try:
            found.append(_parameter(parameter, function, defaults.get(parameter, MISSING), where))
        except _Misread as e:
            wrong.append((parameter, e))
    if wrong:
        _reject(function.__name__, wrong, where)
    return KernelSignature(function.__name__, tuple(found), function)


def _mentions(function: FunctionType, name: str, seen: set[CodeType]) -> bool:
    """Whether a function, or one of its module that it names, has an attribute or a variable of this name."""
    todo = [function.__code__]
    while todo:
        code = todo.pop()
        if code in seen:
            continue
        seen.add(code)
        if name in code.co_names:
            return True
        todo += [c for c in code.co_consts if isinstance(c, CodeType)]
        called = (function.__globals__.get(n) for n in code.co_names)
        todo += [f.__code__ for f in called if isinstance(f, FunctionType)]
    return False


def _reject(kernel: str, wrong: list[tuple[str, _Misread]], locate: Callable[[str], Span | None]) -> NoReturn:
    from freehold.frontend import errors
    from freehold.support.diagnostic import Rejected
    from freehold.support.report import Argument

    found: list[Error] = []
    for parameter, misread in wrong:
        span = locate(parameter)
        error = getattr(errors, misread.kind)(span or Argument(parameter, kernel), **misread.fields)
        for text, is_edit in misread.proposals():
            error.add(error.Instead(text, at=span if is_edit else None))
        found.append(error)
    raise Rejected(found, kernel=kernel)


class _Misread(Exception):
    """An annotation that is not understood: the error's class by name (errors are loaded when there is one)."""

    def __init__(self, kind: str, proposals: Callable[[], list[tuple[str, bool]]] = list, **fields: object):
        self.kind = kind
        self.fields = fields
        self.proposals = proposals
        """What to write instead, and whether that is an edit of the whole parameter."""


def _parameter(name: str, function: FunctionType, default: object, locate: Callable[[str], Span | None]) -> Parameter:
    annotations: Mapping[str, object] = function.__annotations__
    if name not in annotations:
        raise _Misread("AnnotationMissing", name=name)
    annotation = annotations[name]
    for _ in range(2):  # twice where it is in quotes below `from __future__ import annotations`
        if isinstance(annotation, str):
            annotation = _evaluate(name, annotation, function)
    if get_origin(annotation) is Annotated and any(isinstance(a, ConstMarker) for a in get_args(annotation)[1:]):
        of = get_args(annotation)[0]
        known = of if isinstance(of, type) and of not in (object, Any) else None
        return Parameter(name, "const", default=default, type=known, locate=locate)
    if annotation is Grid:
        return Parameter(name, "const", default=default, type=Grid, locate=locate)
    annotation, optional = without_none(annotation)
    annotation, many = _of_tuple(annotation)
    annotation = cast(Any, annotation)
    if isinstance(annotation, TensorAnnotation):
        if default is not MISSING and not (optional and default is None):
            raise _Misread(
                "TensorDefault",
                name=name,
                annotation=repr(annotation).replace("'", '"'),
                none=optional or default is None,
            )
        others = {p: a for p, a in annotations.items() if p != name}
        around = "tuple[{}, ...]" if many else "{} | None" if optional else "{}"
        dims, dtype = _tensor(name, annotation, others, around)
        return Parameter(name, annotation.mode, dims, dtype, default, optional=optional, many=many, locate=locate)
    if isinstance(annotation, DType):
        dtype = annotation
        if dtype.storage_bits == 0:
            raise _Misread("NoSuchScalar", name=name, dtype=str(dtype))
        return Parameter(name, "scalar", dtype=dtype, default=default, locate=locate)
    if annotation in (int, float, bool):
        return Parameter(name, "scalar", default=default, type=annotation, locate=locate)  # pyright: ignore[reportArgumentType] -- one of the three
    advice = _advice()
    text = advice.text_of(annotations[name], locate(name))
    shown = text or advice.as_text(annotation)
    raise _Misread("AnnotationUnknown", lambda: advice.of_unknown(name, annotation, text), name=name, annotation=shown)


def _advice() -> Any:
    from freehold.frontend import advice_on_annotations  # for errors only

    return advice_on_annotations


def _of_tuple(annotation: object) -> tuple[object, bool]:
    """What `tuple[T, ...]` says of T, and that it does; anything else as it is."""
    given = get_args(annotation)
    if get_origin(annotation) is tuple and len(given) == 2 and given[1] is ...:
        inner, _ = without_none(given[0])
        if isinstance(inner, TensorAnnotation):
            return inner, True
    return annotation, False


@lru_cache(maxsize=1024)
def _code(text: str) -> CodeType:
    """Of parameters many have one annotation."""
    return compile(text, "<string>", "eval", dont_inherit=True)


def _evaluate(name: str, text: str, function: FunctionType) -> object:
    cells = function.__closure__ or ()
    free: dict[str, object] = {}
    for variable, cell in zip(function.__code__.co_freevars, cells, strict=True):
        try:
            free[variable] = cell.cell_contents
        except ValueError:  # not assigned yet
            continue
    try:
        return eval(_code(text.lstrip(" \t")), function.__globals__, free)
    except NameError:
        # `Ref[M, K]` without quotes: what is no name of the file is one of a dimension.
        if (found := _unquoted(text, function.__globals__, free)) is not None:
            return found
        why = "a name in it is not defined"
    except Exception as e:
        why = str(e)
    raise _Misread("AnnotationUnreadable", name=name, annotation=text, why=why)


def _unquoted(text: str, names: dict[str, object], free: dict[str, object]) -> object | None:
    node = ast.parse(text, mode="eval").body
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):  # `Ref[M] | None`
        sides = [_unquoted(ast.unparse(n), names, free) for n in (node.left, node.right)]
        if any(isinstance(n, ast.Constant) and n.value is None for n in (node.left, node.right)):
            found = sides[0] or sides[1]
            return None if found is None else Union[found, None]  # noqa: UP007 -- of an object that is no type
    if not isinstance(node, ast.Subscript):
        return None
    try:
        mode = getattr(eval(ast.unparse(node.value), names, free), "__freehold_mode__", None)
    except NameError:
        return None
    if mode is None:
        return None
    items: list[object] = []
    for part in node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]:
        shown = ast.unparse(part)
        try:
            items.append(eval(shown, names, free))
        except NameError:
            items.append(shown)
    return TensorAnnotation(mode, tuple(items))


def _tensor(
    name: str, annotation: TensorAnnotation, others: Mapping[str, object], around: str
) -> tuple[tuple[str, ...] | None, DType | None]:
    items = annotation.items
    dtype: DType | None = None
    if items and isinstance(items[0], DType):
        dtype, items = items[0], items[1:]
        if dtype.storage_bits == 0:
            raise _Misread("NoSuchScalar", name=name, dtype=str(dtype), tensor=True)
    dims: list[str] = []

    def wrong(item: object) -> _Misread:
        advice = _advice()
        why = {"why": "a dtype is an object, and no text"} if isinstance(item, str) and dtypes.is_name(item) else {}
        return _Misread(
            "DimensionUnknown",
            lambda: [advice.of_dimensions(name, annotation, others, around)],
            name=name,
            dimension=advice.as_text(item),
            **why,
        )

    for item in items:
        if isinstance(item, int) and not isinstance(item, bool) and item > 0:
            dims.append(str(item))
        elif isinstance(item, str) and not dtypes.is_name(item):
            try:
                dims.append(str(terms.parse(item)))
            except ValueError:
                raise wrong(item) from None
        else:
            raise wrong(item)
    return (tuple(dims) if dims else None), dtype
