"""Graphs as pictures: boxes within boxes, what takes a value below what gives it, and lines from one to the other."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

from xdsl.dialects.builtin import ModuleOp

from freehold.support.span import SourceMap
from freehold.tools.files import read_module
from freehold.tools.graph_drawing import Edge, Graph, Node, dot, graph_of, svg

HERE = Path(__file__).parent
TEXT = """
cuda_tile.module @kernels {
  entry @scaled(%x: tile<ptr<f32>>, %n: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %sum = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%acc = %zero) -> (tile<i32>) {
      %next = addi %acc, %i : tile<i32>
      %token = make_token : token
      %value, %after = load_ptr_tko weak %x token=%token : tile<ptr<f32>> -> tile<f32>, token
      continue %next : tile<i32>
    }
    %twice = addi %sum, %sum : tile<i32>
    return
  }
}
"""


def nested() -> Graph:
    """A box of two bodies, of which the first holds another box."""
    deep, leaf, right = Node("deep", ""), Node("leaf", "f32"), Node("r", "i1")
    left = Node("a long label", "tile<4xf32>")
    inner = Node("inner", "token", [[deep, leaf]])
    outer = Node("outer", "", [[inner, left], [right]])
    below = Node("below", "<&>")
    edges = [Edge(deep, leaf, "d", False), Edge(inner, left, "t", True), Edge(right, below, "r<", False),
             Edge(outer, right, "o", False)]  # fmt: skip
    return Graph([outer, below], edges)


def everything(nodes: list[Node]) -> list[Node]:
    return [each for node in nodes for each in (node, *(n for body in node.bodies for n in everything(body)))]


def lies_in(inner: Node, outer: Node) -> bool:
    across = outer.x < inner.x and inner.x + inner.width < outer.x + outer.width
    return across and outer.y < inner.y and inner.y + inner.height < outer.y + outer.height


def apart(a: Node, b: Node) -> bool:
    beside = a.x + a.width < b.x or b.x + b.width < a.x
    return beside or a.y + a.height < b.y or b.y + b.height < a.y


def placed(graph: Graph) -> ElementTree.Element:
    """The picture of a graph whose boxes stand where they have to."""
    picture = ElementTree.fromstring(svg(graph))
    groups = [graph.top]
    for node in everything(graph.top):
        inside = [each for body in node.bodies for each in body]
        assert all(lies_in(each, node) for each in inside), node.label
        assert all(node.y + 15 * (1 + bool(node.detail)) <= each.y for each in inside), f"over the text of {node.label}"
        groups.append(inside)
    for group in groups:
        assert all(apart(a, b) for a, b in combinations(group, 2))
    assert picture.get("width") == f"{max(n.x + n.width for n in graph.top) + 8:.0f}"
    assert picture.get("height") == f"{max(n.y + n.height for n in graph.top) + 8:.0f}"
    return picture


def test_boxes_lie_in_boxes_and_below_what_they_take_values_from() -> None:
    graph = nested()
    placed(graph)
    nodes = {node.label: node for node in everything(graph.top)}
    for source, target in (("deep", "leaf"), ("inner", "a long label"), ("outer", "below")):
        assert nodes[source].y + nodes[source].height < nodes[target].y
    assert nodes["inner"].y == nodes["r"].y  # bodies stand beside one another
    assert nodes["inner"].x < nodes["r"].x


def test_what_takes_nothing_from_one_another_stands_in_a_row() -> None:
    a, b, c = Node("a", ""), Node("bb", "f32"), Node("c", "")
    placed(Graph([a, b, c], [Edge(a, c, "", False)]))
    assert a.y == b.y == 8
    assert (a.x, b.x) == (8, 8 + a.width + 14)
    assert c.x == 8
    assert c.y == b.y + b.height + 26  # below the higher of the row
    assert b.height > a.height
    assert b.width > a.width


def test_an_empty_graph_is_an_empty_picture() -> None:
    assert ElementTree.fromstring(svg(Graph())).get("width") == "16"


def test_lines_begin_at_a_box_and_end_at_another() -> None:
    graph = nested()
    picture = ElementTree.fromstring(svg(graph).replace(' xmlns="http://www.w3.org/2000/svg"', ""))
    found = picture.findall("path")
    assert [path.get("class") for path in found] == [None, "t", None, None]
    assert ["".join(path.itertext()) for path in found] == ["%d", "%t", "%r<", "%o"]
    for path, edge in zip(found, graph.edges, strict=True):
        numbers = [int(n) for n in re.findall(r"-?\d+", path.get("d", ""))]
        (x1, y1, first, bent, second, back, x2, y2) = numbers
        assert (first, second) == (x1, x2)
        assert bent - y1 >= 12
        assert abs((bent - y1) - (y2 - back)) <= 1  # rounded to pixels
        assert abs(bent - y1 - max(12, abs(y2 - y1) / 2)) <= 1
        assert x1 == round(edge.source.x + edge.source.width / 2)
        assert x2 == round(edge.target.x + edge.target.width / 2)
        inner = edge.target.label == "r"  # of a box into itself: from below its title
        assert y1 == round(edge.source.y + (15 if inner else edge.source.height))
        assert y2 == round(edge.target.y)
    texts = picture.findall("text")
    labels = [(text.text, text.get("class")) for text in texts]
    assert labels[:4] == [("outer", None), ("inner", None), ("token", "d"), ("deep", None)]
    assert ("<&>", "d") in labels
    boxes = picture.findall("rect")[1:]
    assert [box.get("class") for box in boxes] == ["r", "r", None, None, None, None, None]
    for box, node in zip(boxes, everything(graph.top), strict=True):
        assert [box.get(k) for k in ("x", "y", "width", "height")] == [
            f"{v:.0f}" for v in (node.x, node.y, node.width, node.height)
        ]


def parsed() -> ModuleOp:
    return read_module(TEXT.encode(), "scaled.mlir", "tile-graph", SourceMap())


def test_a_module_as_a_picture_and_as_text(golden: Callable[[Path, str], None]) -> None:
    graph = graph_of(parsed())
    placed(graph)
    golden(HERE / "graph.svg", svg(graph))
    golden(HERE / "graph.dot", dot(graph_of(parsed(), constants=False)))


def test_long_texts_are_cut_short() -> None:
    from freehold.tools.graph_drawing import _short  # pyright: ignore[reportPrivateUsage] -- of a limit

    assert _short("!cuda_tile." + "x" * 44) == "x" * 44
    assert _short("x" * 45) == "x" * 43 + "…"


def test_quotes_are_quoted() -> None:
    one, two = Node('say "so"', "a", [[Node("in", "")]]), Node("b", "")
    said = dot(Graph([one, two], [Edge(one, two, 'x"\\', True)]))
    assert 'n0 [label="say \\"so\\"\\na"];' in said
    assert 'subgraph cluster_n0_0 { label="say \\"so\\"";' in said
    assert 'n0 -> n2 [label="x\\"\\\\", style=dashed];' in said
