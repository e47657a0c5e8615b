"""What the audit says of kernels that do what kernels do to memory, in launches that fit and launches that do not."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from freehold.audit.facts import FactsError, launch_from
from freehold.audit.text import text_of
from freehold.audit.verdict import audit
from freehold.dialects.cuda_tile.ops.module import EntryOp
from freehold.support.diagnostic import Rejected
from freehold.tools.context import make_context
from freehold.tools.located_parser import parse_module

FLAT: Final = "tensor_view<?xf32, strides=[1]>"
PLAIN: Final = f"partition_view<tile=(8), {FLAT}>"
PADDED: Final = f"partition_view<tile=(8), padding_value = zero, {FLAT}>"
STEPS: Final = f"strided_view<tile=(8), traversal_strides=[4], {FLAT}>"
GRID: Final = "tensor_view<4x8xf32, strides=[8,1]>"
TILED: Final = f"partition_view<tile=(2x4), {GRID}>"
TURNED: Final = f"partition_view<tile=(2x4), {GRID}, dim_map=[1, 0]>"
PICKED: Final = f"gather_scatter_view<tile=(2x4), {GRID}, sparse_dim=0>"
PICKED_PADDED: Final = f"gather_scatter_view<tile=(2x4), padding_value = zero, {GRID}, sparse_dim=1>"
# ruff: noqa: E501 -- text of programs
HEAD: Final = f"""
cuda_tile.module @m {{
  entry @k(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %p: tile<ptr<i32>>, %n: tile<i32>) {{
    %t = make_token : token
    %i, %j, %k = get_tile_block_id : tile<i32>
    %gx, %gy, %gz = get_num_tile_blocks : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %two = constant <i32: 2> : tile<i32>
    %eight = constant <i32: 8> : tile<i32>
    %c = constant <f32: 1.0> : tile<f32>
    %c8 = constant <f32: 1.0> : tile<8xf32>
    %c24 = constant <f32: 1.0> : tile<2x4xf32>
    %iota = iota : tile<8xi32>
    %x1 = reshape %x : tile<ptr<f32>> -> tile<1xptr<f32>>
    %x8 = broadcast %x1 : tile<1xptr<f32>> -> tile<8xptr<f32>>
    %from = muli %i, %eight : tile<i32>
    %from1 = reshape %from : tile<i32> -> tile<1xi32>
    %from8 = broadcast %from1 : tile<1xi32> -> tile<8xi32>
    %own = addi %from8, %iota : tile<8xi32>
    %n1 = reshape %n : tile<i32> -> tile<1xi32>
    %n8 = broadcast %n1 : tile<1xi32> -> tile<8xi32>
    %in = cmpi less_than %own, %n8, signed : tile<8xi32> -> tile<8xi1>
    %at = offset %x8, %own : tile<8xptr<f32>>, tile<8xi32> -> tile<8xptr<f32>>
    %here = offset %x, %i : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %xv = make_tensor_view %x, shape = [%n], strides = [1] : tile<i32> -> {FLAT}
    %yv = make_tensor_view %y, shape = [%n], strides = [1] : tile<i32> -> {FLAT}
    %xg = make_tensor_view %x, shape = [4, 8], strides = [8, 1] : {GRID}
    %xs = make_partition_view %xv : {PLAIN}
    %ys = make_partition_view %yv : {PLAIN}
    %padded = make_partition_view %yv : {PADDED}
    %steps = make_strided_view %xv : {STEPS}
    %tiled = make_partition_view %xg : {TILED}
    %turned = make_partition_view %xg : {TURNED}
    %picked = make_gather_scatter_view %xg : {PICKED}
    %other = make_gather_scatter_view %xg : {PICKED_PADDED}
"""
READ: Final = "%v, %r1 = load_ptr_tko weak %q token=%t : tile<ptr<i32>> -> tile<i32>, token"
Q: Final = f"%q = offset %p, %i : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>\n{READ}"
STORE: Final = f"%s = store_view_tko weak %c8, %xs[AT] token = %t : tile<8xf32>, {PLAIN}, tile<i32> -> token"
POINT: Final = "%s = store_ptr_tko weak %there, %c token=%t : tile<ptr<f32>>, tile<f32> -> token"
THERE: Final = f"%there = offset %x, %v : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>\n{POINT}"
ADD: Final = (
    "%a, %u = atomic_rmw_tko relaxed device %x, {mode}, %c token=%t : tile<ptr<f32>>, tile<f32> -> tile<f32>, token"
)
UNSURE: Final = f"{Q}\n%b = cmpi greater_than %v, %zero, signed : tile<i32> -> tile<i1>"
LESS: Final[dict[str, Any]] = {"n": 30}
SHORT: Final[dict[str, Any]] = {"x": {"shape": [30]}}
KNOWN: Final[dict[str, Any]] = {"p": {"contents": [3, 1, 2, 0]}}
TWICE: Final[dict[str, Any]] = {"p": {"contents": [3, 1, 1, 0]}}
FAR: Final[dict[str, Any]] = {"p": {"contents": [3, 1, 32, 0]}}
BEFORE: Final[dict[str, Any]] = {"p": {"contents": [-1, 1, 2, 0]}}

LEFT_OUT: Final = re.compile(r"^(error|  -->|   [|=]|as a kernel of)|not accessed$")
"""Of a report: errors with their excerpts, which have a line here, and what each report has."""

KERNELS: Final[dict[str, tuple[str, list[dict[str, Any]]]]] = {
    "copied": (
        f"%v, %r = load_view_tko weak %ys[%i] token = %t : {PLAIN}, tile<i32> -> tile<8xf32>, token\n"
        f"%s = store_view_tko weak %v, %xs[%i] token = %r : tile<8xf32>, {PLAIN}, tile<i32> -> token",
        [{}, LESS, SHORT, {"n": 33}, {"n": 24}, {"grid": [5]}, {"grid": [2, 2]}, {"y": {"same": "x"}},
         {"y": {"same": "x", "shift": 4, "shape": [28]}, "n": 28}, {"y": {"same": "x", "shift": 8, "shape": [24]}, "n": 24},
         {"y": {"unwritten": True}}, {"n": -1}, {"n": 0}, {"y": {"shape": [4, 8]}}, {"x": {"strides": [2]}},
         {"x": {"alignment": 4}}],
    ),
    "copied with padding": (
        f"%v, %r = load_view_tko weak %padded[%i] token = %t : {PADDED}, tile<i32> -> tile<8xf32>, token\n"
        f"%s = store_view_tko weak %v, %xs[%i] token = %r inbounds = [true] : tile<8xf32>, {PLAIN}, tile<i32> -> token",
        [{}, LESS, {"n": 24}],
    ),
    "without order": (
        f"%v, %r = load_view_tko weak %xs[%i] token = %t : {PLAIN}, tile<i32> -> tile<8xf32>, token\n{STORE.replace('AT', '%i')}",
        [{}, LESS],
    ),
    "all at the first": (STORE.replace("AT", "%zero"), [{}, {"grid": [1]}, {"grid": [1, 2]}]),
    "steps that overlap": (
        f"%s = store_view_tko weak %c8, %steps[%i] token = %t : tile<8xf32>, {STEPS}, tile<i32> -> token", [{}, {"grid": [1]}]
    ),
    "every second step": (
        "%d = addi %i, %i : tile<i32>\n"
        f"%s = store_view_tko weak %c8, %steps[%d] token = %t : tile<8xf32>, {STEPS}, tile<i32> -> token", [{}, LESS, {"grid": [5]}]
    ),
    "two axes": (
        f"%s = store_view_tko weak %c24, %tiled[%i, %j] token = %t : tile<2x4xf32>, {TILED}, tile<i32> -> token",
        [{"grid": [2, 2]}, {"grid": [2, 2], "x": {"shape": [4, 8]}}, {"grid": [2]}, {"grid": [2, 3]}, {"grid": [2, 2, 2]},
         {"grid": [2, 2], "x": {"shape": [4, 8], "strides": [1, 4]}}, {"grid": [2, 2], "x": {"shape": [31]}}],
    ),
    "two axes turned": (
        f"%s = store_view_tko weak %c24, %turned[%i, %j] token = %t : tile<2x4xf32>, {TURNED}, tile<i32> -> token",
        [{"grid": [4, 1]}, {"grid": [2, 2]}, {"grid": [5, 1]}],
    ),
    "picked rows": (
        "%two2 = constant <i32: [0, 1]> : tile<2xi32>\n%i2 = reshape %i : tile<i32> -> tile<1xi32>\n"
        "%i3 = broadcast %i2 : tile<1xi32> -> tile<2xi32>\n%rows = addi %i3, %two2 : tile<2xi32>\n"
        f"%s = store_view_tko weak %c24, %picked[%rows, %zero] token = %t : tile<2x4xf32>, {PICKED}, tile<2xi32>, tile<i32> -> token",
        [{}, {"grid": [1]}, {"grid": [5]}],
    ),
    "picked rows apart": (
        "%two2 = constant <i32: [0, 2]> : tile<2xi32>\n%i2 = reshape %i : tile<i32> -> tile<1xi32>\n"
        "%i3 = broadcast %i2 : tile<1xi32> -> tile<2xi32>\n%rows = addi %i3, %two2 : tile<2xi32>\n"
        f"%s = store_view_tko weak %c24, %picked[%rows, %j] token = %t : tile<2x4xf32>, {PICKED}, tile<2xi32>, tile<i32> -> token",
        [{"grid": [2]}, {"grid": [2, 5]}, {"grid": [2, 9]}, {"grid": [3]}],
    ),
    "picked columns": (
        "%four4 = constant <i32: [0, 2, 4, 9]> : tile<4xi32>\n"
        f"%v, %s = load_view_tko weak %other[%i, %four4] token = %t : {PICKED_PADDED}, tile<i32>, tile<4xi32> -> tile<2x4xf32>, token",
        [{}, {"grid": [5]}, {"x": {"unwritten": True}}, {"x": {"shape": [24]}}],
    ),
    "masked": (
        "%s = store_ptr_tko weak %at, %c8, %in token=%t : tile<8xptr<f32>>, tile<8xf32>, tile<8xi1> -> token",
        [{}, LESS, SHORT, {"x": {"shape": [30]}, "n": 30}, {"n": 33, "grid": [5]}],
    ),
    "not masked": (
        "%s = store_ptr_tko weak %at, %c8 token=%t : tile<8xptr<f32>>, tile<8xf32> -> token",
        [{}, SHORT, {"grid": [5]}, {"x": {"shape": [4, 8]}}, {"x": {"shape": [8, 4], "strides": [1, 8]}}],
    ),
    "all lanes at one": (
        "%here1 = reshape %here : tile<ptr<f32>> -> tile<1xptr<f32>>\n%here8 = broadcast %here1 : tile<1xptr<f32>> -> tile<8xptr<f32>>\n"
        "%s = store_ptr_tko weak %here8, %c8 token=%t : tile<8xptr<f32>>, tile<8xf32> -> token", [{}]
    ),
    "different lanes at one": (
        "%here1 = reshape %here : tile<ptr<f32>> -> tile<1xptr<f32>>\n%here8 = broadcast %here1 : tile<1xptr<f32>> -> tile<8xptr<f32>>\n"
        "%f = itof %iota signed : tile<8xi32> -> tile<8xf32>\n"
        "%s = store_ptr_tko weak %here8, %f token=%t : tile<8xptr<f32>>, tile<8xf32> -> token", [{}]
    ),
    "sums": (ADD.format(mode="addf"), [{}, {"grid": [1]}]),
    "exchanges": (ADD.format(mode="xchg"), [{}]),
    "sums and exchanges": (f"{ADD.format(mode='addf')}\n{ADD.format(mode='xchg').replace('%a, %u', '%a2, %u2')}", [{}]),
    "sums within a block": (ADD.format(mode="addf").replace("device", "tl_blk"), [{}]),
    "sums and reads": (
        f"{ADD.format(mode='addf')}\n%v, %r = load_ptr_tko weak %x token=%u : tile<ptr<f32>> -> tile<f32>, token", [{}, {"grid": [1]}]
    ),
    "sums of tiles": (
        f"%s = atomic_red_view_tko relaxed device %xs[%zero], addf, %c8 token = %t : tile<8xf32>, {PLAIN}, tile<i32> -> token",
        [{}, {"n": 4}],
    ),
    "sums of ordered tiles": (
        f"%s = atomic_red_view_tko relaxed tl_blk %xs[%i], addf, %c8 token = %t : tile<8xf32>, {PLAIN}, tile<i32> -> token", [{}]
    ),
    "compared and exchanged": (
        "%a, %s = atomic_cas_tko acq_rel device %p, %zero, %one token=%t : tile<ptr<i32>>, tile<i32> -> tile<i32>, token", [{}]
    ),
    "where a number says": (f"{Q}\n{THERE}", [{}, KNOWN, TWICE, FAR, BEFORE, {"grid": [5], **KNOWN}]),
    "where a number says that shares memory": (
        f"{Q}\n{THERE}",
        [{"x": {"shape": [28]}, "p": {"same": "x", "shift": 28, **KNOWN["p"]}}, {"x": {"shape": [29]}, "p": {"same": "x", "shift": 28, **KNOWN["p"]}},
         {"x": {"same": "p", "shift": 4}, **KNOWN}, {"x": {"same": "p", "shift": 3}, **KNOWN}, {"y": {"same": "p"}, **KNOWN}],
    ),
    "in a table": (
        f"%q = ptr_to_ptr %p : tile<ptr<i32>> -> tile<ptr<i64>>\n%q2 = offset %q, %j : tile<ptr<i64>>, tile<i32> -> tile<ptr<i64>>\n"
        "%v, %r1 = load_ptr_tko weak %q2 token=%t : tile<ptr<i64>> -> tile<i64>, token\n"
        f"%to = int_to_ptr %v : tile<i64> -> tile<ptr<f32>>\n%there = offset %to, %i : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>\n{POINT}",
        [{}],
    ),
    "where an unread number says": (
        f"{Q}\n%there = offset %x, %i : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>\n{POINT}", [{}]
    ),
    "where a number says that the kernel writes": (
        f"%w = store_ptr_tko weak %p, %zero token=%t : tile<ptr<i32>>, tile<i32> -> token\n{Q.replace('token=%t', 'token=%w')}\n{THERE}",
        [{"grid": [1]}, {"grid": [1], **KNOWN}],
    ),
    "if a number says so": (f"{UNSURE}\nif %b {{\n{STORE.replace('AT', '%i')}\n}}", [{}, KNOWN]),
    "one or the other": (
        f"{UNSURE}\nif %b {{\n{STORE.replace('AT', '%i')}\n}} else {{\n{STORE.replace('AT', '%zero')}\n}}", [{}, KNOWN, TWICE, {"grid": [1]}]
    ),
    "as often as a number says": (
        f"{Q}\nfor %turn in (%zero to %v, step %one) : tile<i32> {{\n{STORE.replace('AT', '%i')}\n}}", [{}, KNOWN]
    ),
    "each at its turn": (
        f"{Q}\nfor %turn in (%zero to %v, step %one) : tile<i32> {{\n{STORE.replace('AT', '%turn')}\n}}", [{}, KNOWN, {"grid": [1]}]
    ),
    "steps that go nowhere": (
        f"for %turn in (%zero to %n, step %k) : tile<i32> {{\n{STORE.replace('AT', '%turn')}\n}}", [{}]
    ),
    "until a number says": (
        f"%q = offset %p, %zero : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>\nloop {{\n{READ.replace('weak', 'acquire device')}\n"
        f"%b = cmpi equal %v, %one, signed : tile<i32> -> tile<i1>\nif %b {{\nbreak\n}}\n}}\n{STORE.replace('AT', '%zero')}", [{}, {"grid": [1]}]
    ),
    "persistent": (
        f"%count = get_index_space_shape %xs : {PLAIN} -> tile<i32>\nfor %turn in (%i to %count, step %gx) : tile<i32> {{\n{STORE.replace('AT', '%turn')}\n}}",
        [{}, {"grid": [3]}, {"grid": [1]}, LESS, {"grid": [8]}],
    ),
    "first blocks": (
        f"%b = cmpi less_than %i, %two, signed : tile<i32> -> tile<i1>\nif %b {{\n{STORE.replace('AT', '%i')}\n}}", [{}, {"grid": [2]}, {"grid": [3]}]
    ),
    "promised": (
        "%m = assume div_by<16>, %n : tile<i32>\n%there = offset %x, %m : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>\n"
        f"%b = cmpi equal %i, %zero, signed : tile<i32> -> tile<i1>\nif %b {{\n{POINT}\n}}", [{"n": 16}, {"n": 24}]
    ),
    "divided by what may be zero": (
        f"%v = divi %n, %j signed : tile<i32>\n{THERE}", [{}, {"grid": [1, 2]}]
    ),
    "an address that is computed": (
        "%q = ptr_to_int %here : tile<ptr<f32>> -> tile<i64>\n%there = int_to_ptr %q : tile<i64> -> tile<ptr<f32>>\n" + POINT, [{}]
    ),
    "one array or another": (
        "%b = cmpi less_than %i, %two, signed : tile<i32> -> tile<i1>\n"
        "%which = select %b, %x, %y : tile<i1>, tile<ptr<f32>>\n"
        "%there = offset %which, %i : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>\n" + POINT, [{}, {"y": {"same": "x"}}, {"x": {"shape": [1]}}]
    ),
    "of several in a branch": (
        "%b = cmpi less_than %i, %two, signed : tile<i32> -> tile<i1>\n"
        "%which = if %b -> (tile<ptr<f32>>) {\nyield %x : tile<ptr<f32>>\n} else {\nyield %y : tile<ptr<f32>>\n}\n"
        "%there = offset %which, %i : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>\n" + POINT, [{}, {"y": {"shape": [3]}}]
    ),
    "a sum of numbers": (
        "%q1 = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>\n%q4 = broadcast %q1 : tile<1xptr<i32>> -> tile<4xptr<i32>>\n"
        "%iota4 = iota : tile<4xi32>\n%q = offset %q4, %iota4 : tile<4xptr<i32>>, tile<4xi32> -> tile<4xptr<i32>>\n"
        "%all, %r1 = load_ptr_tko weak %q token=%t : tile<4xptr<i32>> -> tile<4xi32>, token\n"
        "%sum = reduce %all dim=0 identities=[0 : i32] : tile<4xi32> -> tile<i32> (%l: tile<i32>, %m: tile<i32>) {\n"
        "%o = addi %l, %m : tile<i32>\nyield %o : tile<i32>\n}\n%v = addi %sum, %i : tile<i32>\n" + THERE,
        [{}, KNOWN, {"p": {"contents": [9, 9, 9, 9]}}],
    ),
}  # fmt: skip


def facts_of(given: dict[str, Any]) -> dict[str, Any]:
    """A launch of four tile blocks, arrays of 32 elements, and four numbers; with what is given instead."""
    arrays = {"x": ("f32", [32]), "y": ("f32", [32]), "p": ("i32", [4])}
    arguments = [{"name": n, "dtype": d, "shape": shape, **given.get(n, {})} for n, (d, shape) in arrays.items()]
    return {"grid": given.get("grid", [4]), "arguments": [*arguments, {"name": "n", "value": given.get("n", 32)}]}


def said_of(body: str, given: dict[str, Any]) -> list[str]:
    """The report, and each thing that is wrong, in one line."""
    text = "\n".join([HEAD, body, "return", "}", "}"])
    module = parse_module(make_context(), text, "k.mlir")
    module.verify()
    (entry,) = (op for op in module.walk() if isinstance(op, EntryOp))
    try:
        found = audit(module, entry, launch_from(facts_of(given)))
    except (FactsError, Rejected) as error:
        return [f"{type(error).__name__}: {error}"]
    lines = [line for line in text_of(found).split("\n") if line and not LEFT_OUT.search(line)]
    for finding in found.findings:
        report = finding.error.report()
        notes = "".join(f"; {note}" for note in report.notes)
        lines.append(f"{finding.kind} in blocks {list(finding.blocks)}: {report.code} {report.title}{notes}")
    return [re.sub(r" 0x[0-9a-f]+", "", line) for line in lines]


def test_what_is_said(golden: Callable[[Path, str], None]) -> None:
    lines: list[str] = []
    for name, (body, launches) in KERNELS.items():
        for given in launches:
            lines += [f"== {name} {given or ''}".rstrip(), *said_of(body, given)]
    golden(Path(__file__).with_name("reports.txt"), "\n".join(lines))
