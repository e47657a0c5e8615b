"""Identities of reductions: every bit of every float type survives text, generic text and bytecode, as in NVIDIA's."""

from __future__ import annotations

import re
from io import StringIO

import pytest
from xdsl.dialects.builtin import FloatAttr, f16, f32, f80
from xdsl.ir import Attribute
from xdsl.printer import Printer
from xdsl.utils.exceptions import ParseError, VerifyException

from freehold.backend.assembler import disassemble
from freehold.backend.bytecode.reader import read_bytecode
from freehold.backend.bytecode.writer import write_bytecode
from freehold.dialects.cuda_tile.float_bits import FloatBitsAttr, exact_float
from freehold.dialects.cuda_tile.ops.reduce import ReduceOp
from freehold.dialects.cuda_tile.text import parse_disassembly, print_module
from freehold.dialects.cuda_tile.types import ELEMENT_BITS, FLOATS, fnv8E5M3FNU

# Quiet and signalling NaNs of both signs with payloads, infinities, both zeros, the smallest and the largest numbers.
BITS: dict[str, tuple[int, ...]] = {
    "f16": (0x7E00, 0x7C01, 0xFE55, 0xFC01, 0x7C00, 0xFC00, 0x8000, 0, 1, 0x7BFF),
    "bf16": (0x7FC0, 0x7F81, 0xFFC5, 0xFF81, 0x7F80, 0xFF80, 0x8000, 0, 1, 0x7F7F),
    "f32": (0x7FC00000, 0x7F800001, 0xFFC12345, 0xFF800001, 0x7F800000, 0xFF800000, 1 << 31, 0, 1, 0x7F7FFFFF),
    "tf32": (0x3FE01, 0x3FC01, 0x7FE00, 0x7FC01, 0x3FC00, 0x7FC00, 0x40000, 0, 1, 0x3FBFF),
    "f64": (0x7FF8 << 48, (0x7FF0 << 48) + 1, (0xFFF8 << 48) + 0x123, 0x7FF0 << 48, 0xFFF0 << 48, 1 << 63, 0, 1),
    "f8E4M3FN": (0x7F, 0xFF, 0x80, 0, 1, 0x7E),
    "f8E5M2": (0x7D, 0x7E, 0x7F, 0xFE, 0x7C, 0xFC, 0x80, 0, 1, 0x7B),
    "f8E8M0FNU": (0xFF, 0, 1, 0x7F, 0xFE),
    "fnv8E5M3FNU": (0xFF, 0, 1, 0x7F, 0xFE),
}


def module_text(identities: list[str], element: str) -> str:
    scalar = f"tile<{element}>"
    entries = [
        f"entry @k{index}() {{ %x = constant <{element}: 0x00> : tile<4x{element}>\n"
        f"%y = reduce %x dim=0 identities=[{identity}] : tile<4x{element}> -> {scalar} (%a: {scalar}, %b: {scalar})"
        f" {{ yield %a : {scalar} }} }}"
        for index, identity in enumerate(identities)
    ]
    return "\n".join(["cuda_tile.module @kernels {", *entries, "}"])


def printed(text: str) -> list[str]:
    return re.findall(r"identities=\[(.*?)\]", text)


def test_every_float_type_is_tried() -> None:
    assert {*BITS, "f4E2M1FN"} == FLOATS  # there is no scalar of packed pairs, which a combiner would take


@pytest.mark.parametrize("element", BITS)
def test_no_bit_is_lost(element: str) -> None:
    width = (ELEMENT_BITS[element] + 3) // 4
    text = module_text([f"0x{bits:0{width}X} : {element}" for bits in BITS[element]], element)
    module = parse_disassembly(text)
    module.verify()
    identities = [identity for op in module.walk() if isinstance(op, ReduceOp) for identity in op.identities]
    assert [one.bits.data for one in identities if isinstance(one, FloatBitsAttr)] == list(BITS[element])
    data = write_bytecode(module)
    assert read_bytecode(data).is_structurally_equivalent(module)
    assert write_bytecode(read_bytecode(data)) == data
    assert parse_disassembly(print_module(module)).is_structurally_equivalent(module)
    generic = StringIO()
    Printer(generic, print_generic_format=True).print_op(module)
    assert parse_disassembly(generic.getvalue()).is_structurally_equivalent(module)
    assert printed(disassemble(data)) == printed(print_module(module))
    assert write_bytecode(parse_disassembly(disassemble(data))) == data


def test_zeros_differ() -> None:
    assert FloatBitsAttr.of(0.0, f32) != FloatBitsAttr.of(-0.0, f32)
    assert FloatBitsAttr.of(-0.0, f32).bits.data == 1 << 31


@pytest.mark.parametrize("value", [0.0, -0.0, 1.5, float("inf"), float("-inf")])
def test_floats_of_xdsl_become_bits(value: float) -> None:
    exact = exact_float(FloatAttr(value, f16))
    assert isinstance(exact, FloatBitsAttr)
    assert str(exact.value) == str(value)
    assert exact == FloatBitsAttr.of(value, f16)
    assert isinstance(exact_float(FloatAttr(value, f80)), FloatAttr)


@pytest.mark.parametrize(
    ("identity", "complaint"),
    [
        ("0x1FF : f8E5M2", "0x1FF is not a bit pattern of f8E5M2"),
        ("-0x01 : f32", "is not a bit pattern of f32"),
        ("1.5 : i32", "1.5 is no value of i32"),
        ("300 : i8", "300 is no value of i8"),
        ("1.0 : f80", "f80 is no type of a number"),
    ],
)
def test_what_is_no_number_is_refused(identity: str, complaint: str) -> None:
    with pytest.raises(ParseError, match=complaint):
        parse_disassembly(module_text([identity], "f32"))


@pytest.mark.parametrize("identity", ["0 : i32", "0.0 : f16", "0.0"])
def test_an_identity_of_another_type_is_refused(identity: str) -> None:
    with pytest.raises(VerifyException, match="identity 0 must be of f32"):
        parse_disassembly(module_text([identity], "f32")).verify()


@pytest.mark.parametrize(("bits", "type_"), [(1 << 16, f16), (-1, f16), (256, fnv8E5M3FNU), (0, f80)])
def test_bits_fit_their_type(bits: int, type_: Attribute) -> None:
    with pytest.raises(VerifyException, match="float"):
        FloatBitsAttr.from_bits(bits, type_)
