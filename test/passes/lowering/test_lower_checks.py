"""Checks that fail, lowered: what is told is what the interpreter says of the kernel, wherever the check stands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from xdsl.utils.exceptions import PassFailedException

import freehold as fh
from freehold import Const, Mut, Out, Ref, f32, i32
from freehold.dialects.cuda_tile.ops.control_flow import ForOp, IfOp, ReturnOp
from freehold.dialects.cuda_tile.ops.memory import LoadPtrTkoOp
from freehold.dialects.cuda_tile.ops.module import EntryOp
from freehold.passes.launch_contract import contract, kernel_of
from freehold.passes.pipeline import convert
from freehold.passes.verify_tokens import Roles, roles_of, verify_tokens
from freehold.runtime.interpreter import Order, run_entry
from freehold.support.contract import LaunchContract
from freehold.support.diagnostic import Rejected


@fh.kernel
def straight(y: Out["N"], x: Ref["M"], t: Ref[i32, "K"]):
    (i,) = y.index
    y.store(x.load((t.load((i,), (1,)).max(),), (8,)))


@fh.kernel
def in_a_loop(y: Out["N"], x: Ref["M"], t: Ref[i32, "K"]):
    acc = fh.zeros(y.tile, f32)
    for j in range(t.shape[0]):
        acc += x.load((t.load((j,), (1,)).max(),), (8,))
    y.store(acc)


@fh.kernel
def in_two_loops(y: Out["N"], x: Ref["M"], t: Ref[i32, "K"]):
    acc = fh.zeros(y.tile, f32)
    for j in range(t.shape[0]):
        for k in range(3):
            if k == 1:
                continue
            acc += x.load((t.load((j,), (1,)).max() + k,), (8,))
        acc += x.load((t.load((j,), (1,)).max(),), (8,))
    y.store(acc)


@fh.kernel
def in_a_branch(y: Out["N"], x: Ref["M"], t: Ref[i32, "K"]):
    acc = fh.zeros(y.tile, f32)
    for j in range(t.shape[0]):
        k = t.load((j,), (1,)).max()
        if k % 2 == 1:
            acc += x.load((k,), (8,))
    y.store(acc)


def helper(x: Any, k: Any) -> Any:
    return x.load((k,), (8,))


@fh.kernel
def in_a_helper(y: Out["N"], x: Ref["M"], t: Ref[i32, "K"]):
    acc = fh.zeros(y.tile, f32)
    for j in range(t.shape[0]):
        acc += helper(x, t.load((j,), (1,)).max())
    y.store(acc)


@fh.kernel
def with_writes(y: Mut["N"], x: Ref["M"], t: Ref[i32, "K"]):
    for j in range(t.shape[0]):
        y.store(y.load() + x.load((t.load((j,), (1,)).max(),), (8,)))
    y.store(y.load() + 1.0)


@fh.kernel
def in_while(y: Mut["N"], x: Ref["M"], t: Ref[i32, "K"]):
    for j in range(t.shape[0]):
        k = t.load((j,), (1,)).max()
        n = 0
        while n < 2:
            y.store(y.load() + x.load((k,), (8,)))
            n += 1
    y.store(y.load() + 1.0)


@fh.kernel
def outermost_while(y: Mut["N"], x: Ref["M"], t: Ref[i32, "K"]):
    j = 0
    while j < t.shape[0]:
        y.store(y.load() + x.load((t.load((j,), (1,)).max(),), (8,)))
        j += 1
    y.store(y.load() + 1.0)


READS = [straight, in_a_loop, in_two_loops, in_a_branch, in_a_helper, with_writes, in_while, outermost_while]


def refused(function: Callable[[], Any]) -> str:
    with pytest.raises(Rejected) as caught:
        function()
    assert caught.value.codes == ("O233",), str(caught.value)
    return str(caught.value)


def lowered(kernel: Any, *arguments: Any) -> tuple[Any, LaunchContract]:
    module = kernel.verify(*arguments)
    return convert(module), contract(module)


@pytest.mark.parametrize("order", ["increasing", "decreasing", 3])
@pytest.mark.parametrize("blocks", [fh.EACH, fh.PERSISTENT])
@pytest.mark.parametrize("kernel", READS, ids=lambda k: k.__name__)
def test_every_place(kernel: Any, blocks: Any, order: Order) -> None:
    x, y = np.arange(64, dtype=np.float32), np.zeros(32, np.float32)
    good, bad = np.array([1, 3, 5, 1], np.int32), np.array([1, 3, 9, 1], np.int32)
    module, found = lowered(kernel, fh.partition(y, 8, blocks=blocks), x, good)
    after, expected = np.zeros_like(y), np.zeros_like(y)
    run_entry(module, found, [after, x, good], order=order, checked=True, blocks=3)
    kernel(fh.partition(expected, 8, blocks=blocks), x, good).sync()
    assert np.array_equal(after, expected)
    said = refused(lambda: kernel(fh.partition(y, 8, blocks=blocks), x, bad).sync())
    after[:] = 0
    told = refused(lambda: run_entry(module, found, [after, x, bad], order=order, checked=True, blocks=3))
    without_block = [[line for line in text.splitlines() if "in block" not in line] for text in (said, told)]
    assert without_block[0] == without_block[1]
    if kernel in (in_a_loop, in_two_loops, in_a_branch, in_a_helper):
        assert not after.any(), "nothing is written behind a check that failed"


@pytest.mark.parametrize("kernel", [with_writes, in_while, outermost_while], ids=lambda k: k.__name__)
def test_a_failure_ends_the_block_where_it_is(kernel: Any) -> None:
    x, y = np.ones(64, np.float32), np.zeros(8, np.float32)
    t = np.array([1, 9, 1, 1], np.int32)
    module, found = lowered(kernel, fh.partition(y, 8), x, t)
    refused(lambda: run_entry(module, found, [y, x, t], checked=True))
    assert (y == (2 if kernel is in_while else 1)).all(), (
        "what stands in front of it has happened, and nothing behind it"
    )


def test_the_first_failure_of_a_block_is_told() -> None:
    x, y, t = np.ones(64, np.float32), np.zeros(8, np.float32), np.array([1, 12, 9, -1], np.int32)
    module, found = lowered(in_a_loop, fh.partition(y, 8), x, t)
    assert "index 12 of axis 0 is outside `x`" in refused(lambda: run_entry(module, found, [y, x, t]))


def test_lines_are_in_the_contract_and_not_in_the_code() -> None:
    source = (
        "@fh.kernel(checks={})\ndef k(y: Out['N'], x: Ref['M'], n: i32):\n    assert n > 0, 'positive'\n"
        "    y.store(x.load((n,), (8,)))\n"
    )
    scope: dict[str, Any] = {"fh": fh, "Out": Out, "Ref": Ref, "i32": i32, "Const": Const}
    found: dict[Any, list[str]] = {}
    for mode in (True, "trap"):
        for file, above in (("/somewhere/a.py", ""), ("/elsewhere/b/c.py", "\n" * 40)):
            text = above + source.format(repr(mode))
            fh.register_source(file, text)
            exec(compile(text, file, "exec"), scope)
            module = scope["k"].verify(fh.partition(np.zeros(16, np.float32), 8), np.zeros(64, np.float32), 1)
            made = str(convert(module, checks=mode))
            assert file not in made
            found.setdefault(mode, []).append(made)
            checks = contract(module, mode).kernel_checks
            if mode == "trap":
                assert not checks
                assert "k: positive (line 2 of the kernel)" in made
            else:
                assert [c.span.file for c in checks if c.span is not None] == [file] * len(checks)
                assert len(checks) >= 1
        assert found[mode][0] == found[mode][1]


class TestTokens:
    """What `verify-tokens` relies on where checks fail."""

    @staticmethod
    def entry() -> tuple[EntryOp, Roles]:
        y, x, t = np.zeros(8, np.float32), np.ones(64, np.float32), np.zeros(4, np.int32)
        module = with_writes.verify(fh.partition(y, 8), x, t)
        roles = roles_of(kernel_of(module))
        (entry,) = [op for op in convert(module).walk() if isinstance(op, EntryOp)]
        verify_tokens(entry, roles)
        return entry, roles

    def test_behind_the_loop_the_block_ends(self) -> None:
        entry, roles = self.entry()
        (loop,) = [op for op in entry.walk() if isinstance(op, ForOp)]
        way_out = loop.next_op
        assert isinstance(way_out, IfOp)
        assert isinstance(way_out.thenRegion.block.last_op, ReturnOp)
        way_out.detach()
        with pytest.raises(PassFailedException, match="is not ordered after"):
            verify_tokens(entry, roles)

    def test_the_following_turns_do_nothing(self) -> None:
        entry, roles = self.entry()
        (loop,) = [op for op in entry.walk() if isinstance(op, ForOp)]
        first = loop.block.first_op
        assert isinstance(first, IfOp)
        first.detach()
        with pytest.raises(PassFailedException, match="is not ordered after"):
            verify_tokens(entry, roles)

    def test_the_flag_is_what_is_asked_for(self) -> None:
        entry, roles = self.entry()
        (loop,) = [op for op in entry.walk() if isinstance(op, ForOp)]
        way_out = loop.next_op
        assert isinstance(way_out, IfOp)
        way_out.operands = (loop.initValues[-1],)
        with pytest.raises(PassFailedException, match="is not ordered after"):
            verify_tokens(entry, roles)

    def test_failures_are_written_and_not_read(self) -> None:
        entry, roles = self.entry()
        first = entry.body.block.first_op
        assert first is not None
        assert first.parent is not None
        first.parent.insert_op_before(LoadPtrTkoOp(entry.body.block.args[roles.failures]), first)
        with pytest.raises(PassFailedException, match="touches what is there for failures"):
            verify_tokens(entry, roles)
