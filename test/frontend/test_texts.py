"""What kernels print and assert."""

from collections.abc import Callable
from types import FunctionType
from typing import Any, cast

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

import freehold as fh
from freehold import Const, Out, Ref, Tile, f64, i64
from freehold.dialects.cuda_tile.ops.misc import PrintTkoOp
from freehold.frontend.source import KernelFunction
from freehold.runtime.interpreter import run
from freehold.support.diagnostic import Rejected

Lowered = Callable[..., ModuleOp]


def printed(lowered: Lowered, function: Callable[..., None], *args: Any) -> str:
    """What a kernel prints, run on arrays."""
    module = lowered(function, *args)
    module.verify()
    parameters = KernelFunction(cast(FunctionType, function)).signature.parameters
    given = [getattr(a, "array", a) for p, a in zip(parameters, args, strict=True) if p.mode != "const"]
    lines: list[str] = []
    run(module, given, write=lines.append)
    return "".join(lines)


@pytest.mark.parametrize("specification", [">5", ".2f", "s", "n", "10.1"])
def test_formats_that_printf_has_not_are_refused(specification: str, part: Any, lowered: Lowered):
    def kernel(y: Out["N"], n: int, FORMAT: Const[str]):
        y.store(0.0)
        fh.print(f"n is {n:{FORMAT}}")

    with pytest.raises(Rejected) as caught:
        lowered(kernel, part(np.zeros(4, np.float32), 4), 42, specification)
    assert caught.value.codes == ("O042",)
    assert f'the format "{specification}" cannot be applied to an i32 scalar' in str(caught.value)


def test_print_shows_tiles_tuples_and_formats(part: Any, lowered: Lowered):
    def kernel(y: Out["N"], x: Ref["N"], n: int, big: i64, d: f64, NAME: Const[str]):
        (i,) = y.index
        t = x.load_like(y)
        y.store(t)
        fh.print("block", i, "of", NAME, t, x.shape, 3.5, t > 1.5, sep=" | ")
        fh.print(f"{n:5}% {n:05} {n:x} {big} {d:.3f} {t.max():e} {NAME!r:>8} {{}}")
        fh.print(f"{t=}", end="!")
        fh.print()

    x = np.array([0.5, 1, 2, 1024], np.float16)
    text = printed(lowered, kernel, part(np.zeros(4, np.float16), 4), x, 42, 1 << 40, 0.1, "some")
    assert text.split("\n") == [
        "block | 0 | of | some | [0.5, 1, 2, 1024] | (4,) | 3.5 | [0, 0, 1, 1]",
        "   42% 00042 2a 1099511627776 0.100 1.024000e+03   'some' {}",
        "t=[0.5, 1, 2, 1024]!",
        "",
    ]


def test_print_is_one_operation_with_widened_operands(part: Any, lowered: Lowered):
    def kernel(y: Out["N"], x: Ref["N"]):
        t = x.load_like(y)
        y.store(t)
        fh.print(f"100% of {t}", t.astype(fh.u8), t.astype(fh.u64))

    module = lowered(kernel, part(np.zeros(4, np.float16), 4), np.zeros(4, np.float16))
    (op,) = (op for op in module.walk() if isinstance(op, PrintTkoOp))
    assert op.str_.data == "100%% of %g %u %llu\n"
    assert [str(a.type) for a in op.args] == [
        "!cuda_tile.tile<4xf32>",
        "!cuda_tile.tile<4xi32>",
        "!cuda_tile.tile<4xi64>",
    ]


def test_printing_kernels_are_verified_and_run(capsys: pytest.CaptureFixture[str]):
    y = np.zeros(8, np.float32)
    shout(fh.partition(y, 4), np.arange(8, dtype=np.float32)).sync()
    assert sorted(capsys.readouterr().out.split("\n")) == ["", "0 [0, 1, 2, 3]", "1 [4, 5, 6, 7]"]


@fh.kernel
def shout(y: Out["N"], x: Ref["N"]):
    t = x.load_like(y)
    y.store(t)
    fh.print(y.index[0], t)


def test_texts_that_are_known_are_texts(part: Any, lowered: Lowered):
    def kernel(y: Out["N"], x: Ref["N"], MODE: Const[str]):
        t = x.load_like(y)
        fh.static_assert(f"{MODE}-{y.tile[0]:03d}" == "fast-004", f"not {MODE}")
        y.store(t if f"{MODE}" == "fast" else t * 2)

    lowered(kernel, part(np.zeros(4, np.float32), 4), np.zeros(4, np.float32), "fast")
    with pytest.raises(Rejected, match="not slow"):
        lowered(kernel, part(np.zeros(4, np.float32), 4), np.zeros(4, np.float32), "slow")


def test_assertions_of_tiles_stop_the_kernel(part: Any, interpret: Callable[..., None]):
    def kernel(y: Out["N"], x: Ref["N"], LIMIT: Const[int]):
        t = x.load_like(y)
        fh.assert_(t < 4, f"over {LIMIT}")  # noqa: PT009 -- not of unittest
        y.store(t)

    y = np.zeros(4, np.float32)
    interpret(kernel, part(y, 4), np.arange(4, dtype=np.float32), 4)
    assert y.tolist() == [0, 1, 2, 3]
    with pytest.raises(Rejected) as caught:
        interpret(kernel, part(y, 4), np.arange(1, 5, dtype=np.float32), 4)
    assert "over 4" in str(caught.value)
    assert "fh.assert_(t < 4" in caught.value.render()


@pytest.mark.parametrize("deed", ["print", "assert_"])
def test_a_function_that_is_folded_has_no_effects(deed: str, part: Any, lowered: Lowered):
    def add(a: Tile, b: Tile) -> Tile:
        if deed == "print":
            fh.print(a)
        else:
            assert a < b, "in order"
        return a + b

    def kernel(y: Out["N"], x: Ref["N"]):
        y.store(fh.reduce(x.load_like(y), add, 0.0, 0))

    with pytest.raises(Rejected) as caught:
        lowered(kernel, part(np.zeros(4, np.float32), 4), np.zeros(4, np.float32))
    assert caught.value.codes == ("O042",)
    assert "a function that loads, prints or asserts cannot be what `reduce` folds with" in str(caught.value)


def test_assertions_that_are_known_to_fail_are_errors(part: Any, lowered: Lowered):
    def kernel(y: Out["N"], W: Const[int]):
        fh.assert_(W > 4)  # noqa: PT009 -- not of unittest
        y.store(0.0)

    lowered(kernel, part(np.zeros(4, np.float32), 4), 5)
    with pytest.raises(Rejected) as caught:
        lowered(kernel, part(np.zeros(4, np.float32), 4), 3)
    assert caught.value.codes == ("O030",)
    assert "`W > 4` does not hold" in str(caught.value)


def test_the_message_of_an_assertion_is_a_text_that_is_known(part: Any, lowered: Lowered):
    def of_tile(y: Out["N"], x: Ref["N"]):
        t = x.load_like(y)
        fh.assert_(t > 0.0, t)  # noqa: PT009  # pyright: ignore[reportArgumentType] -- no text, which is refused
        y.store(t)

    def of_number(y: Out["N"], x: Ref["N"]):
        t = x.load_like(y)
        fh.assert_(t > 0.0, 5)  # noqa: PT009  # pyright: ignore[reportArgumentType] -- no text, which is refused
        y.store(t)

    for kernel in (of_tile, of_number):
        with pytest.raises(Rejected) as caught:
            lowered(kernel, part(np.zeros(4, np.float32), 4), np.zeros(4, np.float32))
        assert caught.value.codes == ("O021",)
        assert "the message" in str(caught.value)
