"""What benchmarks/agreement.py tries of arithmetic, conversions, shapes, reductions and products."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, cast

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, IntegerType, i1, i8
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from benchmarks.agreement_build import (
    ALL_FLOATS,
    ELEMENTS,
    EXACT,
    FLOATS,
    IN_MEMORY,
    INTEGERS,
    Bound,
    Build,
    Case,
    dims_of,
    make,
    norm,
    signed,
    ulp,
)
from freehold.dialects.cuda_tile.attrs import (
    ComparisonOrderingAttr,
    ComparisonPredicate,
    ComparisonPredicateAttr,
    IntegerOverflowAttr,
    RoundingModeAttr,
)
from freehold.dialects.cuda_tile.dense import DenseElementsAttr
from freehold.dialects.cuda_tile.ops.control_flow import YieldOp
from freehold.dialects.cuda_tile.ops.conversion import ftof_roundings
from freehold.dialects.cuda_tile.ops.reduce import ReduceOp, ScanOp
from freehold.dialects.cuda_tile.ops.shape import (
    BroadcastOp,
    CatOp,
    ConstantOp,
    ExtractOp,
    InsertOp,
    IotaOp,
    PermuteOp,
    ReshapeOp,
    SelectOp,
)
from freehold.dialects.cuda_tile.types import ELEMENT_BITS, tile

IEEE = ("nearest_even", "zero", "negative_inf", "positive_inf")
SIGNS = (("signed", True), ("unsigned", False))
DIMS = (8, 16)
EPSILON = {"f16": 2.0**-10, "bf16": 2.0**-7, "f32": 2.0**-23, "f64": 2.0**-52}


def rounding(name: str) -> RoundingModeAttr:
    """The rounding attribute of a keyword."""
    return RoundingModeAttr.of(name)


def cases() -> Iterator[Case]:
    """All of them."""
    yield from _float_arithmetic()
    yield from _mathematics()
    yield from _integers()
    yield from _conversions()
    yield from _shapes()
    yield from _reductions()
    yield from _products()


# --- Floats -----------------------------------------------------------------------------------------------------------


def _float_arithmetic() -> Iterator[Case]:
    for element in FLOATS:
        for op, count in (("addf", 2), ("subf", 2), ("mulf", 2), ("divf", 2), ("sqrt", 1), ("fma", 3)):
            yield Case(op, element, partial(_rounded, op=op, element=element, count=count))
        for op in ("maxf", "minf"):
            yield Case(op, element, partial(_extremum, op=op, element=element))
        for op in ("negf", "absf", "ceil", "floor"):
            yield Case(op, element, partial(_plain, op=op, domains=("any",), element=element))
        yield Case("remf", element, partial(_remainder, element=element))
        yield Case("cmpf", element, partial(_compare, element=element))
    for op, domain in (("divf", "log:-20:20"), ("sqrt", "log:-100:100")):
        yield Case(op, "f32", partial(_approximate, op=op, domain=domain))


def _rounded(k: Build, op: str, element: str, count: int) -> None:
    xs = [k.input(element) for _ in range(count)]
    for mode in IEEE:
        k.output(k.op(op, xs, rounding_mode=rounding(mode)), mode)
    if element == "f32":
        k.output(k.op(op, xs, rounding_mode=rounding("nearest_even"), flush_to_zero=True), "flush_to_zero")


def _approximate(k: Build, op: str, domain: str) -> None:
    """PTX promises 2 units for `div.approx` and `div.full`, and a relative error of 2**-23 for `sqrt.approx`."""
    xs = [k.input("f32", domain) for _ in range(1 + (op == "divf"))]
    for mode in ("approx", "full") if op == "divf" else ("approx",):
        k.output(k.op(op, xs, rounding_mode=rounding(mode)), mode, ulp(2))


def _extremum(k: Build, op: str, element: str) -> None:
    xs = [k.input(element) for _ in range(2)]
    k.output(k.op(op, xs), "")
    k.output(k.op(op, xs, propagate_nan=True), "propagate_nan")
    if element == "f32":
        k.output(k.op(op, xs, flush_to_zero=True), "flush_to_zero")
        k.output(k.op(op, xs, propagate_nan=True, flush_to_zero=True), "propagate_nan, flush_to_zero")


def _plain(k: Build, op: str, domains: Sequence[str], element: str, bound: Bound = EXACT) -> None:
    k.output(k.op(op, [k.input(element, domain) for domain in domains]), "", bound)


def _remainder(k: Build, element: str) -> None:
    """It is exact, however large the quotient is; the two forms tell ordinary divisors from tiny ones and infinity."""
    x = k.input(element, "range:-1000:1000")
    k.output(k.op("remf", (x, k.input(element, "log:-6:12"))), "ordinary divisors")
    k.output(k.op("remf", (x, k.input(element, "positive:-6:12"))), "all divisors")


def _compare(k: Build, element: str) -> None:
    xs = [k.input(element) for _ in range(2)]
    for ordering in ("ordered", "unordered"):
        for predicate in ComparisonPredicate:
            found = k.op(
                "cmpf",
                xs,
                tile(DIMS, i1),
                comparison_predicate=ComparisonPredicateAttr.of(predicate.value),
                comparison_ordering=ComparisonOrderingAttr.of(ordering),
            )
            k.output(found, f"{ordering} {predicate.value}")


# CUDA's documented errors of its float functions, in units of the last place, plus one for `f64`, where NumPy's own
# error counts too. Each is (inputs, units for f32, units for f64).
MATHEMATICS: dict[str, tuple[tuple[str, ...], float, float]] = {
    "cos": (("range:-1000:1000",), 2, 3),
    "sin": (("range:-1000:1000",), 2, 3),
    "tan": (("range:-1000:1000",), 4, 3),
    "cosh": (("range:-10:10",), 2, 2),
    "sinh": (("range:-10:10",), 3, 3),
    "exp2": (("range:-14:14",), 2, 2),
    "log": (("positive:-14:14",), 2, 2),
    "log2": (("positive:-14:14",), 2, 2),
    "rsqrt": (("positive:-14:14",), 2, 2),
    "atan2": (("range:-100:100", "range:-100:100"), 3, 3),
    "fpowf": (("positive:-3:3", "range:-4:4"), 4, 3),
}


def _mathematics() -> Iterator[Case]:
    for element in FLOATS:
        for op, (domains, f32_units, f64_units) in MATHEMATICS.items():
            # What is done in f32 and rounded may end on the other side of a rounding.
            units = {"f32": f32_units, "f64": f64_units}.get(element, 1)
            yield Case(op, element, partial(_function, op=op, element=element, domains=domains, bound=ulp(units)))
        for op, units in (("exp", 2), ("tanh", 2)):
            bound = ulp({"f32": units, "f64": units + 1}.get(element, 1))
            yield Case(op, element, partial(_full, op=op, element=element, bound=bound))
        for exponent in ("i1", "i8", "i16", "i32"):
            yield Case("fpowi", f"{element}, {exponent}", partial(_integer_power, element=element, exponent=exponent))


def _function(k: Build, op: str, element: str, domains: Sequence[str], bound: Bound) -> None:
    xs = [k.input(element, domain) for domain in domains]
    k.output(k.op(op, xs), "", bound)
    if element == "f32" and op in ("exp2", "rsqrt"):
        k.output(k.op(op, xs, flush_to_zero=True), "flush_to_zero", bound)


def _full(k: Build, op: str, element: str, bound: Bound) -> None:
    x = k.input(element, "range:-10:10")
    k.output(k.op(op, (x,), rounding_mode=rounding("full")), "full", bound)
    if element == "f32":
        # `tanh.approx` is right to 2**-11; `ex2.approx` of `x * log2(e)` loses as many bits as the product has.
        approximate = ulp(2.0**13 if op == "tanh" else 64)
        k.output(k.op(op, (x,), rounding_mode=rounding("approx")), "approx", approximate)


def _integer_power(k: Build, element: str, exponent: str) -> None:
    xs = k.input(element, "positive:-1:1"), k.input(exponent, "range:-6:6" if exponent != "i1" else "any")
    k.output(k.op("fpowi", xs), "", ulp({"f32": 16, "f64": 16}.get(element, 2)))


# --- Integers ---------------------------------------------------------------------------------------------------------


def _integers() -> Iterator[Case]:
    for element in INTEGERS:
        for op in ("andi", "ori", "xori", "mulhii"):
            yield Case(op, element, partial(_plain, op=op, domains=("any", "any"), element=element))
        yield Case("absi", element, partial(_plain, op="absi", domains=("any",), element=element))
        yield Case("negi", element, partial(_negate, element=element))
        for op in ("addi", "subi", "muli", "shli"):
            yield Case(op, element, partial(_wrapping, op=op, element=element))
        for op in ("maxi", "mini", "remi", "shri"):
            yield Case(op, element, partial(_with_sign, op=op, element=element))
        yield Case("divi", element, partial(_division, element=element))
        yield Case("cmpi", element, partial(_compare_integers, element=element))


def _shifts(element: str) -> str:
    return f"range:0:{ELEMENT_BITS[element] - 1}"


def _overflow(name: str) -> IntegerOverflowAttr:
    return IntegerOverflowAttr.of(name)


def _negate(k: Build, element: str) -> None:
    k.output(k.op("negi", (k.input(element),), overflow=_overflow("none")))
    if element != "i1":
        k.output(
            k.op("negi", (k.input(element, "range:-100:100"),), overflow=_overflow("no_signed_wrap")), "no_signed_wrap"
        )


def _wrapping(k: Build, op: str, element: str) -> None:
    xs = k.input(element), k.input(element, _shifts(element) if op == "shli" else "any")
    k.output(k.op(op, xs, overflow=_overflow("none")))
    if element == "i1":
        return
    # Promises are made of numbers that keep them.
    small = k.input(element, "range:6:11"), k.input(element, "range:0:3" if op == "shli" else "range:1:6")
    for promise in ("no_signed_wrap", "no_unsigned_wrap", "no_wrap"):
        k.output(k.op(op, small, overflow=_overflow(promise)), promise)


def _with_sign(k: Build, op: str, element: str) -> None:
    domain = {"remi": "divisor", "shri": _shifts(element)}.get(op, "any")
    xs = k.input(element), k.input(element, domain)
    for name, sign in SIGNS:
        if op == "remi" and element == "i1" and sign:
            continue  # -1 by -1 does not fit
        k.output(k.op(op, xs, signedness=signed(sign)), name)


def _division(k: Build, element: str) -> None:
    xs = k.input(element), k.input(element, "divisor")
    for name, sign in SIGNS:
        if element == "i1" and sign:
            continue
        for mode in ("zero", "negative_inf", "positive_inf") if sign else ("zero", "positive_inf"):
            k.output(k.op("divi", xs, signedness=signed(sign), rounding=rounding(mode)), f"{name} {mode}")


def _compare_integers(k: Build, element: str) -> None:
    xs = k.input(element), k.input(element)
    for name, sign in SIGNS:
        for predicate in ComparisonPredicate:
            attribute = ComparisonPredicateAttr.of(predicate.value)
            found = k.op("cmpi", xs, tile(DIMS, i1), comparison_predicate=attribute, signedness=signed(sign))
            k.output(found, f"{name} {predicate.value}")


# --- Conversions ------------------------------------------------------------------------------------------------------


def _conversions() -> Iterator[Case]:
    for source in ALL_FLOATS:
        for target in ALL_FLOATS:
            # One at a time: the assembler does not have all of them.
            for mode in sorted(ftof_roundings(source, target)):
                write = partial(_float_to_float, source=source, target=target, mode=mode)
                yield Case("ftof", f"{source} to {target}", write, mode)
        for target in INTEGERS:
            if target != "i1":  # what a truth value that is "signed" holds, the specification does not say
                yield Case("ftoi", f"{source} to {target}", partial(_float_to_integer, source=source, target=target))
            yield Case("itof", f"{target} to {source}", partial(_integer_to_float, source=target, target=source))
    for source in ("i1", "i4", "i8", "i16", "i32", "i64"):
        for target in ("i1", "i4", "i8", "i16", "i32", "i64"):
            if ELEMENT_BITS[source] < ELEMENT_BITS[target]:
                yield Case("exti", f"{source} to {target}", partial(_extend, source=source, target=target))
            elif source != target:
                yield Case("trunci", f"{source} to {target}", partial(_truncate, source=source, target=target))
    for source in IN_MEMORY:
        for target in IN_MEMORY:
            if ELEMENT_BITS[source] == ELEMENT_BITS[target]:
                yield Case("bitcast", f"{source} to {target}", partial(_bitcast, source=source, target=target))
    for source in ("i1", "i4", "i16", "i32", "i64", *FLOATS):
        yield Case("pack", source, partial(_pack, element=source))
        yield Case("unpack", source, partial(_unpack, element=source))


def _input(k: Build, element: str, domain: str = "any", dims: tuple[int, ...] = DIMS) -> SSAValue:
    """A tile, of `i4` too, which no array holds."""
    if element != "i4":
        return k.input(element, domain, dims)
    return k.op("trunci", (k.input("i8", domain, dims),), tile(dims, ELEMENTS["i4"]), overflow=_overflow("none"))


def _float_to_float(k: Build, source: str, target: str, mode: str) -> None:
    k.output(k.op("ftof", (k.input(source),), tile(DIMS, ELEMENTS[target]), rounding_mode=rounding(mode)), mode)


def _float_to_integer(k: Build, source: str, target: str) -> None:
    toward_zero, type_ = rounding("nearest_int_to_zero"), tile(DIMS, ELEMENTS[target])
    wide = k.input(source)
    for name, sign in SIGNS:
        x = k.input(source, f"to:{name}:{ELEMENT_BITS[target]}")
        k.output(k.op("ftoi", (x,), type_, signedness=signed(sign), rounding_mode=toward_zero), name)
        clamped = k.op("ftoi", (wide,), type_, signedness=signed(sign), rounding_mode=toward_zero, saturating=True)
        k.output(clamped, f"{name} saturating")


def _integer_to_float(k: Build, source: str, target: str) -> None:
    x, type_ = k.input(source), tile(DIMS, ELEMENTS[target])
    for name, sign in SIGNS:
        k.output(k.op("itof", (x,), type_, signedness=signed(sign), rounding_mode=rounding("nearest_even")), name)


def _extend(k: Build, source: str, target: str) -> None:
    x = _input(k, source)
    for name, sign in SIGNS:
        k.output(k.op("exti", (x,), tile(DIMS, ELEMENTS[target]), signedness=signed(sign)), name)


def _truncate(k: Build, source: str, target: str) -> None:
    type_ = tile(DIMS, ELEMENTS[target])
    k.output(k.op("trunci", (_input(k, source),), type_, overflow=_overflow("none")))
    if target == "i1":
        return
    small = _input(k, source, "range:0:7")
    for promise in ("no_signed_wrap", "no_unsigned_wrap", "no_wrap"):
        k.output(k.op("trunci", (small,), type_, overflow=_overflow(promise)), promise)


def _bitcast(k: Build, source: str, target: str) -> None:
    k.output(k.op("bitcast", (k.input(source),), tile(DIMS, ELEMENTS[target])))


def _pack(k: Build, element: str) -> None:
    count = 128 * ELEMENT_BITS[element] // 8
    k.output(k.op("pack", (_input(k, element, dims=(128,)),), tile((count,), i8)))


def _unpack(k: Build, element: str) -> None:
    count = 128 * 8 // ELEMENT_BITS[element]
    k.output(k.op("unpack", (k.input("i8", dims=(128,)),), tile((count,), ELEMENTS[element])))


# --- Shapes -----------------------------------------------------------------------------------------------------------


def _shapes() -> Iterator[Case]:
    for element in IN_MEMORY:
        for op, write in _SHAPES.items():
            yield Case(op, element, partial(write, element=element))
    for element in INTEGERS:
        yield Case("iota", element, partial(_iota, element=element))


def _constant(k: Build, element: str) -> None:
    one = k.constant(element, 1, DIMS)
    k.output(one, "splat")
    numbers = [n % 2 if element == "i1" else n % 7 - 3 for n in range(128)]
    dense = DenseElementsAttr.from_values(tile(DIMS, ELEMENTS[element]), numbers)
    k.output(k.add(ConstantOp(dense)), "dense")


def _reshape(k: Build, element: str) -> None:
    x = k.input(element)
    k.output(k.add(ReshapeOp(x, (4, 2, 16))), "to rank 3")
    k.output(k.add(ReshapeOp(x, (128,))), "to rank 1")
    k.output(k.add(ReshapeOp(k.input(element, dims=(1, 1)), ())), "to rank 0")


def _broadcast(k: Build, element: str) -> None:
    k.output(k.add(BroadcastOp(k.input(element, dims=(1, 16)), DIMS)), "rows")
    k.output(k.add(BroadcastOp(k.input(element, dims=(8, 1)), DIMS)), "columns")


def _permute(k: Build, element: str) -> None:
    k.output(k.add(PermuteOp(k.input(element), (1, 0))), "transposed")
    k.output(k.add(PermuteOp(k.input(element, dims=(2, 4, 8)), (2, 0, 1))), "rank 3")


def _cat(k: Build, element: str) -> None:
    x, y = k.input(element), k.input(element)
    k.output(k.add(CatOp(x, y, 0)), "rows")
    k.output(k.add(CatOp(x, y, 1)), "columns")


def _indices(k: Build) -> tuple[SSAValue, SSAValue]:
    """A place in a 2 by 2 grid, known only at run time."""
    two = k.constant("i32", 2)
    low = k.op("remi", (k.place, two), signedness=signed(False))
    high = k.op(
        "remi", (k.op("shri", (k.place, k.constant("i32", 1)), signedness=signed(False)), two), signedness=signed(False)
    )
    return low, high


def _extract(k: Build, element: str) -> None:
    k.output(k.add(ExtractOp(k.input(element), _indices(k), (4, 8))))


def _insert(k: Build, element: str) -> None:
    k.output(k.add(InsertOp(k.input(element, dims=(4, 8)), k.input(element), _indices(k))))


def _select(k: Build, element: str) -> None:
    k.output(k.add(SelectOp(k.input("i1"), k.input(element), k.input(element))))


_SHAPES: dict[str, Callable[..., None]] = {
    "constant": _constant,
    "reshape": _reshape,
    "broadcast": _broadcast,
    "permute": _permute,
    "cat": _cat,
    "extract": _extract,
    "insert": _insert,
    "select": _select,
}


def _iota(k: Build, element: str) -> None:
    k.output(k.add(IotaOp(tile((2 if element == "i1" else 128,), ELEMENTS[element]))))


# --- Reductions -------------------------------------------------------------------------------------------------------

Combine = Callable[[SSAValue, SSAValue], Operation]


def _body(types: Sequence[Attribute], fill: Callable[[Block], Sequence[SSAValue]]) -> Region:
    block = Block(arg_types=tuple(types))
    found = fill(block)
    block.add_op(YieldOp(tuple(found)))
    return Region(block)


def _one(element: str, name: str, **properties: Attribute | bool) -> Region:
    """A combiner that is one operation."""
    scalar = tile((), ELEMENTS[element])

    def fill(block: Block) -> Sequence[SSAValue]:
        op = make(name, tuple(block.args), scalar, **properties)
        block.add_op(op)
        return op.results

    return _body((scalar, scalar), fill)


def _number(element: str, value: float) -> Attribute:
    type_ = ELEMENTS[element]
    if isinstance(type_, IntegerType):
        return IntegerAttr(int(value), cast(Any, type_))
    return FloatAttr(value, cast(Any, type_))


def _reductions() -> Iterator[Case]:
    for element in FLOATS:
        near = norm(32 * EPSILON[element])
        even = {"rounding_mode": rounding("nearest_even")}
        for name, identity, domain, bound, properties in (
            ("addf", 0.0, "normal", near, even),
            ("mulf", 1.0, "range:0.5:1.5", near, even),
            ("maxf", float("-inf"), "finite", EXACT, {}),
            ("minf", float("inf"), "finite", EXACT, {}),
        ):
            region = partial(_one, element, name, **properties)
            for op in ("reduce", "scan"):
                write = partial(
                    _aggregate, op=op, element=element, domain=domain, identity=identity, region=region, bound=bound
                )
                yield Case(op, f"{element} {name}", write)
        yield Case("reduce", f"{element} argmax", partial(_argmax, element=element))
    for element in INTEGERS:
        bits = ELEMENT_BITS[element]
        low, high = (0, 1) if bits == 1 else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
        plain = {"overflow": _overflow("none")}
        sign = {"signedness": signed(bits > 1)}
        for name, identity, properties in (
            ("addi", 0, plain),
            ("muli", 1, plain),
            ("andi", -1 if bits > 1 else 1, {}),
            ("ori", 0, {}),
            ("xori", 0, {}),
            ("maxi", low, sign),
            ("mini", high, sign),
        ):
            region = partial(_one, element, name, **properties)
            for op in ("reduce", "scan"):
                write = partial(
                    _aggregate, op=op, element=element, domain="any", identity=identity, region=region, bound=EXACT
                )
                yield Case(op, f"{element} {name}", write)


def _aggregate(
    k: Build, op: str, element: str, domain: str, identity: float, region: Callable[[], Region], bound: Bound
) -> None:
    x = k.input(element, domain)
    for axis in (0, 1):
        if op == "reduce":
            k.output(k.add(ReduceOp((x,), axis, [_number(element, identity)], region())), f"axis {axis}", bound)
            continue
        for backwards in (False, True):
            found = k.add(ScanOp((x,), axis, [_number(element, identity)], backwards, region()))
            k.output(found, f"axis {axis}{', reverse' if backwards else ''}", bound)


def _argmax(k: Build, element: str) -> None:
    """The largest element and the first place where it stands."""
    x = k.input(element, "finite")
    places = k.add(BroadcastOp(k.add(ReshapeOp(k.add(IotaOp(tile((16,), ELEMENTS["i32"]))), (1, 16))), DIMS))
    number, index = tile((), ELEMENTS[element]), tile((), ELEMENTS["i32"])

    def fill(block: Block) -> Sequence[SSAValue]:
        a, b, i, j = block.args
        bit = tile((), i1)
        ordered = {"comparison_ordering": ComparisonOrderingAttr.of("ordered")}
        more = make("cmpf", (a, b), bit, comparison_predicate=ComparisonPredicateAttr.of("greater_than"), **ordered)
        same = make("cmpf", (a, b), bit, comparison_predicate=ComparisonPredicateAttr.of("equal"), **ordered)
        less = ComparisonPredicateAttr.of("less_than")
        first = make("cmpi", (i, j), bit, comparison_predicate=less, signedness=signed(True))
        tie = make("andi", (same.results[0], first.results[0]), bit)
        left = make("ori", (more.results[0], tie.results[0]), bit)
        picked = SelectOp(left.results[0], a, b), SelectOp(left.results[0], i, j)
        block.add_ops([more, same, first, tie, left, *picked])
        return [op.results[0] for op in picked]

    identities = [_number(element, float("-inf")), _number("i32", 2**31 - 1)]
    op = k.do(ReduceOp((x, places), 1, identities, _body((number, number, index, index), fill)))
    k.output(op.results[0], "value")
    k.output(op.results[1], "index")


# --- Products ---------------------------------------------------------------------------------------------------------

PRODUCTS = (
    ("f16", "f16", 2.0**-7),
    ("f16", "f32", 2.0**-18),
    ("bf16", "f32", 2.0**-18),
    ("tf32", "f32", 2.0**-18),
    ("f32", "f32", 2.0**-18),
    ("f64", "f64", 2.0**-46),
    ("f8E4M3FN", "f16", 2.0**-7),
    ("f8E4M3FN", "f32", 2.0**-8),
    ("f8E5M2", "f16", 2.0**-7),
    ("f8E5M2", "f32", 2.0**-8),
)
"""Inputs, accumulator, and how far random products may be off: Hopper adds products of 8-bit floats with 14 bits."""


def _products() -> Iterator[Case]:
    for source, acc, limit in PRODUCTS:
        yield Case("mmaf", f"{source} to {acc}", partial(_product, source=source, acc=acc, limit=limit))
    yield Case("mmai", "i8 to i32", _integer_product)


def _product(k: Build, source: str, acc: str, limit: float) -> None:
    for m, n, depth in ((16, 16, 32), (64, 32, 64)):
        shape = f"{m}x{n}x{depth}"
        zs = k.input(acc, "normal", (m, n))
        xs = k.input(source, "normal", (m, depth)), k.input(source, "normal", (depth, n))
        k.output(k.op("mmaf", (*xs, zs), zs.type), shape, norm(limit))
        whole = [k.input(source, "whole:-3:3", dims_of(x)) for x in xs]
        small = k.input(acc, "whole:-100:100", (m, n))
        k.output(k.op("mmaf", (*whole, small), zs.type), f"{shape}, whole numbers")
        if source.startswith("f8"):
            k.output(k.op("mmaf", (*xs, zs), zs.type, fast_acc=True), f"{shape}, fast_acc", norm(limit))


def _integer_product(k: Build) -> None:
    for m, n, depth in ((16, 16, 32), (64, 32, 64)):
        sums = k.input("i32", "whole:-1000000000:1000000000", (m, n))  # nothing is said of those that overflow
        xs = k.input("i8", dims=(m, depth)), k.input("i8", dims=(depth, n)), sums
        for left, left_signed in SIGNS:
            for right, right_signed in SIGNS:
                found = k.op(
                    "mmai", xs, xs[2].type, signedness_lhs=signed(left_signed), signedness_rhs=signed(right_signed)
                )
                k.output(found, f"{m}x{n}x{depth} {left} by {right}")
