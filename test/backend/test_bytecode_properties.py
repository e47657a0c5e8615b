"""Properties over generated modules: whatever is built, bytes and text lose nothing of it."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from op_kernels import SAMPLES, Kernel, Sample
from xdsl.dialects.builtin import Float32Type, ModuleOp, f32, i1, i32, i64
from xdsl.ir import Attribute, Block, Region, SSAValue

from freehold.backend.bytecode.reader import bytecode_version, read_bytecode
from freehold.backend.bytecode.writer import write_bytecode
from freehold.dialects.cuda_tile import (
    SIGNED,
    AddFOp,
    AddIOp,
    BroadcastOp,
    CmpIOp,
    ConstantOp,
    ContinueOp,
    DenseElementsAttr,
    EntryOp,
    ForOp,
    GlobalOp,
    IfOp,
    MulFOp,
    ReshapeOp,
    ReturnOp,
    TileModuleOp,
    TileType,
    YieldOp,
    tile,
)
from freehold.dialects.cuda_tile.text import parse_disassembly, print_module
from freehold.dialects.cuda_tile.version import VERSIONS
from freehold.dialects.location import location_of
from freehold.support.span import Span

Draw = st.DrawFn
DIMS = st.lists(st.sampled_from([1, 2, 4, 8]), max_size=3).map(tuple)


def _fill(draw: Draw, block: Block, values: list[SSAValue], depth: int) -> None:
    """Some operations on what is in scope, with loops and branches in one another."""
    scope = list(values)
    for _ in range(draw(st.integers(0, 6))):
        kind = draw(st.sampled_from(["constant", "add", "reshape", "broadcast", "for", "if"]))
        value = draw(st.sampled_from(scope))
        type_ = value.type
        assert isinstance(type_, TileType)
        if kind == "constant":
            block.add_op(made := _constant(draw))
            scope.append(made.result)
        elif kind == "add" and type_.element_type in (f32, i32):
            same = draw(st.sampled_from([other for other in scope if other.type == type_]))
            is_float = isinstance(type_.element_type, Float32Type)
            op = draw(st.sampled_from([AddFOp, MulFOp]))(value, same) if is_float else AddIOp(value, same)
            block.add_op(op)
            scope.append(op.results[0])
        elif kind == "reshape":
            block.add_op(flat := ReshapeOp(value, (type_.num_elements, 1)))
            scope.append(flat.result)
        elif kind == "broadcast" and 1 in type_.dims:
            block.add_op(wide := BroadcastOp(value, tuple(2 if dim == 1 else dim for dim in type_.dims)))
            scope.append(wide.result)
        elif kind == "for" and depth:
            bound = ConstantOp.scalar(draw(st.integers(1, 9)), i32)
            block.add_op(bound)
            carried = draw(st.lists(st.sampled_from(scope), max_size=2))
            body = Block(arg_types=(bound.result.type, *(each.type for each in carried)))
            _fill(draw, body, [*scope, *body.args], depth - 1)
            body.add_op(ContinueOp(tuple(body.args)[1:]))
            loop = ForOp(bound.result, bound.result, bound.result, carried, Region(body), draw(st.booleans()))
            block.add_op(loop)
            scope += loop.results
        elif kind == "if" and depth:
            number = ConstantOp.scalar(draw(st.integers(-3, 3)), i32)
            condition = CmpIOp("less_than", number.result, number.result, SIGNED)
            block.add_ops([number, condition])
            sides: list[Region] = []
            for _ in range(2):
                side = Block()
                _fill(draw, side, scope, depth - 1)
                side.add_op(YieldOp((value,)))
                sides.append(Region(side))
            chosen = IfOp(condition.results[0], (type_,), *sides)
            block.add_op(chosen)
            scope += chosen.results


def _constant(draw: Draw) -> ConstantOp:
    element: Attribute = draw(st.sampled_from([f32, i32, i64, i1]))
    type_ = tile(draw(DIMS), element)
    number = st.floats(width=32) if element == f32 else st.integers(-1 if element == i1 else -(1 << 31), 1)
    values = draw(st.lists(number, min_size=1, max_size=1) | st.lists(number, min_size=3, max_size=3))
    repeated = [values[index % len(values)] for index in range(type_.num_elements)]
    return ConstantOp(DenseElementsAttr.from_values(type_, repeated))


@st.composite
def modules(draw: Draw) -> ModuleOp:
    """A module with kernels that compute nothing useful, and kernels of single operations."""
    ops: list[EntryOp | GlobalOp] = []
    globals_: list[GlobalOp] = []
    for number in range(draw(st.integers(1, 3))):
        block = Block(arg_types=(tile((), f32), tile((), i32)))
        _fill(draw, block, list(block.args), 2)
        block.add_op(ReturnOp())
        ops.append(EntryOp(f"k{number}", tuple(block.arg_types), Region(block)))
    picked: list[Sample] = draw(st.lists(st.sampled_from(SAMPLES), max_size=4, unique_by=lambda each: each.name))
    for sample in picked:
        kernel = Kernel(globals_)
        sample.build(kernel)
        if not isinstance(kernel.block.last_op, ReturnOp):
            kernel.do(ReturnOp())
        ops.append(EntryOp(sample.name, tuple(kernel.block.arg_types), Region(kernel.block)))
    module = ModuleOp([TileModuleOp("kernels", [*globals_, *ops])])
    if draw(st.booleans()):
        for op in module.walk():
            line = draw(st.integers(1, 200))
            op.location = location_of(Span.on_line("/k.py", line, line % 7, line % 7 + 3))
    return module


def _locations(module: ModuleOp) -> list[str]:
    # Bytecode has locations of kernels and what is in them alone.
    ops = [op for op in module.walk() if op.name not in ("builtin.module", "cuda_tile.module", GlobalOp.name)]
    return [
        str(op.location).partition(",")[0].removeprefix("loc(fused[").removeprefix("loc(").rstrip(")]") for op in ops
    ]


relaxed = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


@relaxed
@given(modules())
def test_bytes_lose_nothing(module: ModuleOp):
    module.verify()
    lowest = bytecode_version(write_bytecode(module))
    for version in VERSIONS[VERSIONS.index(lowest) :]:
        data = write_bytecode(module, version)
        read = read_bytecode(data)
        assert read.is_structurally_equivalent(module)
        assert _locations(read) == _locations(module)
        assert write_bytecode(read, version) == data


@relaxed
@given(modules())
def test_text_loses_nothing(module: ModuleOp):
    text = print_module(module)
    parsed = parse_disassembly(text)
    assert parsed.is_structurally_equivalent(module)
    assert print_module(read_bytecode(write_bytecode(parsed))) == text
