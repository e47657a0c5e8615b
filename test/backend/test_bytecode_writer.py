"""What a module as a whole becomes: versions, globals, hints, attributes of arguments; and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from op_kernels import SAMPLES, Kernel, module_of
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    Float8E5M2Type,
    IndexType,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    UnitAttr,
    UnknownLoc,
    VectorType,
    f16,
    f32,
    f64,
    i1,
    i8,
    i32,
    i64,
)
from xdsl.dialects.test import TestOp as ForeignOp
from xdsl.ir import Attribute, Block, Region

from freehold.backend.assembler import disassemble
from freehold.backend.bytecode import attributes, body_reader, body_writer
from freehold.backend.bytecode.encoding import MalformedBytecode
from freehold.backend.bytecode.reader import bytecode_version, read_bytecode
from freehold.backend.bytecode.writer import write_bytecode
from freehold.dialects.cuda_tile import (
    AddFOp,
    AtomicRedViewTkoOp,
    ConstantOp,
    DenseElementsAttr,
    EntryOp,
    ExpOp,
    FToFOp,
    GlobalOp,
    IfOp,
    OptimizationHintsAttr,
    ReturnOp,
    RoundingModeAttr,
    SymbolVisibilityAttr,
    TileModuleOp,
    UnpackOp,
    YieldOp,
    fnv8E5M3FNU,
    tile,
)
from freehold.dialects.cuda_tile.attrs import BoundedAttr, DivByAttr, SameElementsAttr
from freehold.dialects.cuda_tile.float_bits import FloatBitsAttr
from freehold.dialects.cuda_tile.version import V13_1, V13_2, V13_3, V13_4, V13_5, VERSIONS, Version
from freehold.dialects.location import location_of
from freehold.support.diagnostic import Rejected
from freehold.support.large import MAX_NESTING
from freehold.support.span import Span

GOLDEN = Path(__file__).parent


def kernel() -> EntryOp:
    """An empty kernel."""
    block = Block(arg_types=(tile((), i32),))
    block.add_op(ReturnOp())
    return EntryOp("k", tuple(block.arg_types), Region(block))


def module(*ops: EntryOp | GlobalOp, producer: str | None = None) -> ModuleOp:
    return ModuleOp([TileModuleOp("kernels", list(ops), producer)])


def vector(name: str, constant: bool = False, visibility: str = "public") -> GlobalOp:
    value = DenseElementsAttr.from_values(tile((4,), f32), [1.0, 2.0, 3.0, 4.0])
    return GlobalOp(name, value, 16, constant, SymbolVisibilityAttr.of(visibility))


def test_an_empty_module():
    for version in VERSIONS:
        data = write_bytecode(module(), version)
        assert read_bytecode(data).is_structurally_equivalent(module())
        disassemble(data)


def test_the_module_may_be_given_itself():
    whole = module(kernel())
    (inner,) = whole.ops
    assert isinstance(inner, TileModuleOp)
    assert write_bytecode(inner) == write_bytecode(whole)


def test_the_smallest_file_byte_by_byte():
    assert write_bytecode(module(kernel()), V13_4).hex(" ") == (
        "7f 54 69 6c 65 49 52 00 0d 04 00 00 "
        "82 09 08 cb 01 00 02 02 00 03 5c 00 00 "  # one function: string 0, type 2, an entry, no debug; `return`
        "85 18 04 03 cb cb cb 00 00 00 00 01 00 00 00 04 00 00 00 "
        "03 0d 00 00 10 01 01 00 "  # i32; tile<i32>; (tile<i32>) -> ()
        "81 09 04 cb 01 cb cb cb 00 00 00 00 6b "  # "k"
        "00"
    )


@pytest.mark.parametrize(
    ("build", "lowest"),
    [
        (lambda: module(kernel()), V13_1),
        (lambda: module(vector("g")), V13_1),
        (lambda: module(vector("g", constant=True)), V13_3),
        (lambda: module(vector("g", visibility="private")), V13_3),
    ],
)
def test_the_lowest_version(build: Callable[[], ModuleOp], lowest: Version):
    assert bytecode_version(write_bytecode(build())) == lowest
    for version in VERSIONS:
        if version >= lowest:
            data = write_bytecode(build(), version)
            assert read_bytecode(data).is_structurally_equivalent(build())
            disassemble(data)
        else:
            with pytest.raises(Rejected) as caught:
                write_bytecode(build(), version)
            assert caught.value.codes == ("O410",)


def test_producer_of_older_versions():
    """Whoever asks for a version without producers gets the module without it; otherwise the lowest that has it."""
    named = module(kernel(), producer="a compiler")
    assert bytecode_version(write_bytecode(named)) == V13_3
    assert write_bytecode(named, V13_1) == write_bytecode(module(kernel()), V13_1)


def test_the_producer_is_a_comment_of_the_disassembler():
    text = disassemble(write_bytecode(module(kernel(), producer="Freehold 1.2")))
    assert "// Producer: Freehold 1.2" in text


def test_hints_are_written_in_order_of_their_names():
    def hinted(*archs: str) -> ModuleOp:
        entry = kernel()
        hints = {arch: DictionaryAttr({"occupancy": IntegerAttr(2, i32)}) for arch in archs}
        entry.properties["optimization_hints"] = OptimizationHintsAttr(hints)
        return module(entry)

    for version in VERSIONS:
        data = write_bytecode(hinted("sm_90", "default"), version)
        assert data == write_bytecode(hinted("default", "sm_90"), version)
        assert read_bytecode(data).is_structurally_equivalent(hinted("default", "sm_90"))
        assert "default = {occupancy = 2}, sm_90 = {occupancy = 2}" in disassemble(data)


def test_attributes_of_arguments_need_13_5():
    entry = kernel()
    attributes = DictionaryAttr({"cuda_tile.name": StringAttr("n"), "cuda_tile.flag": IntegerAttr(1, i32)})
    entry.properties["arg_attrs"] = ArrayAttr([attributes])
    given = module(entry)
    data = write_bytecode(given)
    assert bytecode_version(data) == V13_5
    assert "cuda_tile.name" in disassemble(data)
    (read,) = (op for op in read_bytecode(data).walk() if isinstance(op, EntryOp))
    assert read.arg_attrs == ArrayAttr([attributes])
    with pytest.raises(Rejected, match="`arg_attrs` of `entry` is new in"):
        write_bytecode(given, V13_4)


@pytest.mark.parametrize(
    "attribute",
    [
        IntegerAttr(-1, i1),
        IntegerAttr(-2, i8),
        IntegerAttr(2**31 - 1, i32),
        FloatBitsAttr.of(-0.1, f16),
        StringAttr("\u00e4\0b"),
        i32,
        tile((2,), f32),
        ArrayAttr([]),
        ArrayAttr([f16, StringAttr(""), IntegerAttr(3, i32)]),
        DictionaryAttr({"of": DictionaryAttr({"type": f32})}),
        SameElementsAttr([4, -1]),
        SameElementsAttr([]),
        DenseElementsAttr.from_values(tile((4,), f32), [1.0, 2.0, 3.0, 4.0]),
        DivByAttr(16),
        DivByAttr(16, 4, 1),
        BoundedAttr(None, None),
        BoundedAttr(-3, None),
        BoundedAttr(None, 1 << 40),
        BoundedAttr(-(1 << 62), 7),
        OptimizationHintsAttr({"sm_90": DictionaryAttr({"latency": IntegerAttr(3, i32)})}),
        IntegerAttr(0, i1),
        IntegerAttr(-(2**63), i64),
        IntegerAttr(2**63 - 1, i64),
        *(FloatBitsAttr.from_bits(bits, f64) for bits in (0, 1, 1 << 63, (1 << 64) - 1)),
        *(FloatBitsAttr.from_bits(bits, f32) for bits in (1, 1 << 31, (1 << 32) - 1)),
        *(FloatBitsAttr.from_bits(bits, Float8E5M2Type()) for bits in (1, 0x7F, 0x80, 0xFF)),
    ],
    ids=str,
)
def test_every_kind_of_attribute_is_read_as_it_was(attribute: Attribute):
    entry = kernel()
    attributes = DictionaryAttr({"cuda_tile.a": attribute, "cuda_tile.b": StringAttr("behind it")})
    entry.properties["arg_attrs"] = ArrayAttr([attributes])
    (read,) = (op for op in read_bytecode(write_bytecode(module(entry))).walk() if isinstance(op, EntryOp))
    assert read.arg_attrs == ArrayAttr([attributes])


@pytest.mark.parametrize("kind", ["array", "dictionary"])
def test_attributes_stand_in_one_another_so_deep(kind: str):
    """Whatever is written is read: writer and reader know the same bound."""

    def nested(depth: int) -> ModuleOp:
        inner: Attribute = StringAttr("x")
        for _ in range(depth):
            inner = ArrayAttr([inner]) if kind == "array" else DictionaryAttr({"k": inner})
        entry = kernel()
        entry.properties["arg_attrs"] = ArrayAttr([DictionaryAttr({"cuda_tile.a": inner})])
        return module(entry)

    most = 32 - 2  # in the array of all arguments, and the dictionary of one
    assert read_bytecode(write_bytecode(nested(most))).is_structurally_equivalent(nested(most))
    with pytest.raises(Rejected, match="more than 32 arrays and dictionaries stand in one another"):
        write_bytecode(nested(most + 1))


def test_attributes_nested_deeper_than_any_are_not_read(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(attributes, "MAX_NESTING", 33)
    inner: Attribute = StringAttr("x")
    for _ in range(31):
        inner = ArrayAttr([inner])
    entry = kernel()
    entry.properties["arg_attrs"] = ArrayAttr([DictionaryAttr({"cuda_tile.a": inner})])
    data = write_bytecode(module(entry))
    read_bytecode(data)
    monkeypatch.undo()
    with pytest.raises(MalformedBytecode, match="attributes are nested too deep"):
        read_bytecode(data)


def test_strings_constants_and_types_are_kept_once():
    block = Block(arg_types=(tile((), f32),))
    for _ in range(100):
        block.add_op(ConstantOp.splat(tile((64,), f32), 0.1234))
    block.add_op(ReturnOp())
    data = write_bytecode(module(EntryOp("k", tuple(block.arg_types), Region(block))))
    assert data.count(DenseElementsAttr.splat(tile((), f32), 0.1234).data.data) == 1
    assert len(data) < 600


def test_attributes_of_passes_are_not_written():
    plain, marked = kernel(), kernel()
    assert marked.body.block.last_op is not None
    marked.body.block.last_op.attributes["freehold.proved"] = UnitAttr()
    assert write_bytecode(module(plain)) == write_bytecode(module(marked))


def _placed(ops: Callable[[Kernel], object]) -> ModuleOp:
    made = Kernel([])
    ops(made)
    made.do(ReturnOp())
    for line, op in enumerate(made.block.ops, 3):
        op.location = location_of(Span.on_line("kernel.py", line, 4, 20))
    return module(EntryOp("k", tuple(made.block.arg_types), Region(made.block)))


def _unlocated(ops: Callable[[Kernel], object]) -> ModuleOp:
    whole = _placed(ops)
    for op in whole.walk():
        op.location = UnknownLoc()
    inner = whole.body.block.first_op
    assert isinstance(inner, TileModuleOp)
    inner.producer = StringAttr("a compiler")
    return whole


def _out_of_scope(made: Kernel) -> None:
    inner = Block()
    inner.add_op(hidden := ConstantOp.scalar(1, f32))
    inner.add_op(YieldOp())
    made.do(IfOp(made.tile((), IntegerAttr.from_bool(True).type), (), Region(inner), Region()))
    made.do(AddFOp(hidden.result, hidden.result))


def _too_early(made: Kernel) -> None:
    late = ConstantOp.scalar(1, f32)
    made.do(AddFOp(late.result, late.result))
    made.do(late)


def _foreign(made: Kernel) -> None:
    made.do(ForeignOp(result_types=[tile((), f32)]))


def _of_several_versions(made: Kernel) -> None:
    """A field of 13.3, five times; an operation, a type and an enumeration's value, each of its own version."""
    floats = made.floats()
    for _ in range(5):
        made.do(ExpOp(floats, RoundingModeAttr.of("approx")))
    made.do(ExpOp(floats, RoundingModeAttr.of("full")))
    made.do(UnpackOp(made.tile((16,), i8), tile((4,), f32)))
    made.do(ConstantOp.splat(tile((4,), fnv8E5M3FNU), 1.0))
    made.do(FToFOp(floats, f16, RoundingModeAttr.of("nearest_away")))
    made.do(AtomicRedViewTkoOp(made.view(), (made.zero(), made.zero()), "addf", made.tile((4, 2), f32)))


def _unplaced(made: Kernel) -> None:
    made.do(ConstantOp.splat(tile((4,), fnv8E5M3FNU), 1.0))
    made.do(ExpOp(made.floats(), RoundingModeAttr.of("approx")))


def _of_another_type(made: Kernel) -> None:
    value = ConstantOp.splat(tile((4,), f32), 1.0).value
    made.do(ConstantOp.create(properties={"value": value}, result_types=[tile((4,), f16)]))


def _nested(depth: int) -> Callable[[Kernel], None]:
    """So many branches in one another."""

    def build(made: Kernel) -> None:
        inner = Block([YieldOp()])
        for _ in range(depth - 1):
            condition = ConstantOp.scalar(1, i1)
            inner = Block([condition, IfOp(condition.result, (), Region(inner), Region()), YieldOp()])
        made.do(IfOp(made.tile((), i1), (), Region(inner), Region()))

    return build


def _incomplete(made: Kernel) -> None:
    made.do(ConstantOp.create(result_types=[tile((4,), f32)]))


def _in_a_body(made: Kernel) -> None:
    made.do(GlobalOp("g", DenseElementsAttr.splat(tile((4,), f32), 1.0)))


def _with_half_a_letter() -> ModuleOp:
    whole = module(kernel())
    inner = whole.body.block.first_op
    assert isinstance(inner, TileModuleOp)
    inner.producer = StringAttr("\ud800")
    return whole


def _with_something_else() -> ModuleOp:
    whole = module(kernel())
    inner = whole.body.block.first_op
    assert isinstance(inner, TileModuleOp)
    inner.body.block.add_op(ForeignOp())
    return whole


def _with_results() -> ModuleOp:
    entry = kernel()
    entry.res_attrs = ArrayAttr([DictionaryAttr({"a": UnitAttr()})])
    return module(entry)


def _with_argument_attribute(attribute: Attribute) -> ModuleOp:
    entry = kernel()
    entry.properties["arg_attrs"] = ArrayAttr([DictionaryAttr({"cuda_tile.a": attribute})])
    return module(entry)


REFUSED: dict[str, tuple[Callable[[], ModuleOp], Version | None]] = {
    "field_of_a_later_version": (
        lambda: _placed(lambda made: made.do(ExpOp(made.floats(), RoundingModeAttr.of("approx")))),
        V13_2,
    ),
    "several_of_later_versions": (lambda: _placed(_of_several_versions), V13_1),
    "later_versions_without_places": (lambda: _unlocated(_unplaced), V13_1),
    "no_such_version": (lambda: module(), Version(13, 9)),
    "attributes_of_results": (_with_results, None),
    "something_else_in_a_module": (_with_something_else, None),
    "half_a_letter": (_with_half_a_letter, None),
    "global_in_a_body": (lambda: _placed(_in_a_body), None),
    "property_that_is_missing": (lambda: _placed(_incomplete), None),
    "regions_in_one_another": (lambda: _placed(_nested(MAX_NESTING + 1)), None),
    "constant_of_another_type": (lambda: _placed(_of_another_type), None),
    "use_out_of_scope": (lambda: _placed(_out_of_scope), None),
    "use_before_definition": (lambda: _placed(_too_early), None),
    "operation_of_another_dialect": (lambda: _placed(_foreign), None),
    "attribute_of_another_dialect": (lambda: _with_argument_attribute(UnitAttr()), None),
    "index_as_an_attribute": (lambda: _with_argument_attribute(IntegerAttr(1, IndexType())), None),
    "type_of_another_dialect": (lambda: _with_argument_attribute(VectorType(f32, [4])), None),
    "two_modules": (lambda: ModuleOp([TileModuleOp("a"), TileModuleOp("b")]), None),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str, golden: Callable[[Path, str], None]):
    build, version = REFUSED[name]
    with pytest.raises(Rejected) as caught:
        write_bytecode(build(), version)
    golden(GOLDEN / "golden" / f"{name}.err", str(caught.value))


def test_samples_in_one_module_share_their_tables():
    alone = sum(len(write_bytecode(module_of([sample]))) for sample in SAMPLES)
    assert len(write_bytecode(module_of(SAMPLES))) < alone / 2


@pytest.mark.parametrize("most", [0, 1, 2, 7])
def test_what_is_kept_for_later_changes_nothing(most: int, monkeypatch: pytest.MonkeyPatch):
    """Heads of operations, of which few are kept here, and never more than may be."""
    module = module_of(SAMPLES)
    data = write_bytecode(module)
    held = {"BodyWriter": 0, "BodyReader": 0}

    def counting(kind: Any, *names: str) -> None:
        made: Callable[..., object] = getattr(kind, "_head")  # noqa: B009 -- of two classes

        def counted(self: object, *given: object) -> object:
            found = made(self, *given)
            kept: dict[str, Any] = vars(self)
            held[kind.__name__] = max(held[kind.__name__], *(len(kept[name]) for name in names))
            return found

        monkeypatch.setattr(kind, "_head", counted)

    counting(body_writer.BodyWriter, "_last", "_heads", "_kept")
    counting(body_reader.BodyReader, "_heads")
    monkeypatch.setattr(body_writer, "MOST_HEADS", most)
    monkeypatch.setattr(body_reader, "MOST_HEADS", most)
    monkeypatch.setattr(body_reader, "MOST_LENGTHS", most)
    assert write_bytecode(module) == data
    assert write_bytecode(read_bytecode(data)) == data
    assert held == {"BodyWriter": max(1, most), "BodyReader": max(1, most) if most else 0}
