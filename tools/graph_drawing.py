"""Graphs of modules: boxes within boxes, lines between them; as SVG, and as text for Graphviz."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from xdsl.ir import Block, Operation, SSAValue

_LETTER, _LINE, _PAD, _GAP, _ROW = 6.6, 15, 8, 14, 26  # pixels


@dataclass(eq=False)
class Node:
    """An operation, or the arguments of a block."""

    label: str
    detail: str
    """Its first result's type, or what makes it special."""
    bodies: list[list[Node]] = field(default_factory=list["list[Node]"])
    """The operations of its blocks."""
    x: float = 0
    y: float = 0
    width: float = 0
    height: float = 0
    """Where it is drawn, in pixels from the corner of the picture."""


@dataclass(frozen=True)
class Edge:
    """A value that goes from one operation to another."""

    source: Node
    target: Node
    label: str
    token: bool


@dataclass
class Graph:
    """What is drawn."""

    top: list[Node] = field(default_factory=list[Node])
    edges: list[Edge] = field(default_factory=list[Edge])


def graph_of(root: Operation, *, constants: bool = True) -> Graph:
    """The graph of an operation with all that is in it; constants may be left out."""
    graph = Graph()
    makers: dict[SSAValue, Node] = {}
    graph.top.append(_node(root, graph, makers, constants))
    return graph


def _node(op: Operation, graph: Graph, makers: dict[SSAValue, Node], constants: bool) -> Node:
    symbol = getattr(op.properties.get("sym_name"), "data", "")
    title = f"{op.name.removeprefix('cuda_tile.')}{' @' + symbol if symbol else ''}"
    kinds = ", ".join(_short(str(result.type)) for result in op.results)
    if op.name == "cuda_tile.constant":
        kinds = _short(str(op.properties.get("value", "")))
    node = Node(title, kinds)
    for value in op.operands:
        if value in makers:
            graph.edges.append(Edge(makers[value], node, value.name_hint or "", "token" in str(value.type)))
    for result in op.results:
        makers[result] = node
    for region in op.regions:
        for block in region.blocks:
            node.bodies.append(_body(block, graph, makers, constants))
    return node


def _body(block: Block, graph: Graph, makers: dict[SSAValue, Node], constants: bool) -> list[Node]:
    nodes: list[Node] = []
    if block.args:
        names = ", ".join(f"%{arg.name_hint or n}" for n, arg in enumerate(block.args))
        arguments = Node(_short(names), "arguments")
        nodes.append(arguments)
        makers.update(dict.fromkeys(block.args, arguments))
    for op in block.ops:
        if constants or op.name != "cuda_tile.constant":
            nodes.append(_node(op, graph, makers, constants))
    return nodes


def _short(text: str) -> str:
    text = text.replace("!cuda_tile.", "").replace("#cuda_tile.", "").replace("!ownership.", "")
    return text if len(text) <= 44 else text[:43] + "\u2026"


def svg(graph: Graph) -> str:
    """The picture as SVG."""
    width, height = _place(graph.top, graph)
    for node in graph.top:
        _move(node, _PAD, _PAD)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width + 2 * _PAD:.0f}" height="{height + 2 * _PAD:.0f}"'
        ' font-family="monospace" font-size="11">',
        "<style>rect{fill:#fff;stroke:#456}.r{fill:#eef3f8}.d{fill:#567}path{fill:none;stroke:#79a;stroke-width:1.2}"
        ".t{stroke:#c73;stroke-dasharray:4 3}</style>",
        '<rect width="100%" height="100%" stroke="none"/>',
    ]
    lines += [line for node in graph.top for line in _boxes(node)]
    for edge in graph.edges:
        a, b = edge.source, edge.target
        inner = a.y <= b.y < a.y + a.height and a.x <= b.x < a.x + a.width
        x1, y1 = a.x + a.width / 2, a.y + (_LINE if inner else a.height)
        x2, y2 = b.x + b.width / 2, b.y
        bend = max(12.0, abs(y2 - y1) / 2)
        kind = ' class="t"' if edge.token else ""
        path = f"M{x1:.0f} {y1:.0f}C{x1:.0f} {y1 + bend:.0f} {x2:.0f} {y2 - bend:.0f} {x2:.0f} {y2:.0f}"
        lines.append(f'<path{kind} d="{path}"><title>%{escape(edge.label)}</title></path>')
    return "\n".join([*lines, "</svg>"]) + "\n"


def _boxes(node: Node) -> Iterator[str]:
    kind = ' class="r"' if node.bodies else ""
    yield f'<rect{kind} x="{node.x:.0f}" y="{node.y:.0f}" width="{node.width:.0f}" height="{node.height:.0f}" rx="4"/>'
    at = node.x + _PAD
    yield f'<text x="{at:.0f}" y="{node.y + _LINE:.0f}">{escape(node.label)}</text>'
    if node.detail:
        yield f'<text class="d" x="{at:.0f}" y="{node.y + 2 * _LINE - 2:.0f}">{escape(node.detail)}</text>'
    for body in node.bodies:
        for each in body:
            yield from _boxes(each)


def _place(nodes: list[Node], graph: Graph) -> tuple[float, float]:
    """Gives nodes their sizes, and places in rows from (0, 0): below all that they take values from."""
    for node in nodes:
        text = max(len(node.label), len(node.detail)) * _LETTER + 2 * _PAD
        node.width, node.height = text, _LINE * (2 if node.detail else 1) + _PAD
        top = node.height
        across = float(_PAD)
        for body in node.bodies:
            width, height = _place(body, graph)
            for each in body:
                _move(each, across, top)
            across += width + _PAD
            node.height = max(node.height, top + height + _PAD)
        if node.bodies:
            node.width = max(node.width, across)
    y, wide = 0.0, 0.0
    for row in _rows(nodes, graph):
        x = 0.0
        for node in row:
            _move(node, x, y)
            x += node.width + _GAP
        wide = max(wide, x - _GAP)
        y += max(node.height for node in row) + _ROW
    return wide, max(0.0, y - _ROW)


def _rows(nodes: list[Node], graph: Graph) -> list[list[Node]]:
    level: dict[Node, int] = {}
    home = {inner: node for node in nodes for inner in _all(node)}
    inputs: dict[Node, list[Node]] = {}
    for edge in graph.edges:
        source, target = home.get(edge.source), home.get(edge.target)
        if source is not None and target is not None and source is not target:
            inputs.setdefault(target, []).append(source)
    rows: list[list[Node]] = []
    for node in nodes:  # in the order of the text, in which values come before their uses
        level[node] = max((level.get(source, -1) + 1 for source in inputs.get(node, [])), default=0)
        while len(rows) <= level[node]:
            rows.append([])
        rows[level[node]].append(node)
    return rows


def _all(node: Node) -> Iterator[Node]:
    yield node
    for body in node.bodies:
        for each in body:
            yield from _all(each)


def _move(node: Node, x: float, y: float) -> None:
    for each in _all(node):
        each.x += x
        each.y += y


_QUOTED: Final = str.maketrans({'"': '\\"', "\\": "\\\\"})


def dot(graph: Graph) -> str:
    """The graph as text for Graphviz."""
    names: dict[Node, str] = {}
    lines = ["digraph module {", "  compound=true; node [shape=box, fontname=monospace, fontsize=10];"]
    for node in graph.top:
        _dot_node(node, names, lines, 1)
    for edge in graph.edges:
        style = ", style=dashed" if edge.token else ""
        lines.append(
            f'  {names[edge.source]} -> {names[edge.target]} [label="{edge.label.translate(_QUOTED)}"{style}];'
        )
    return "\n".join([*lines, "}"]) + "\n"


def _dot_node(node: Node, names: dict[Node, str], lines: list[str], depth: int) -> None:
    name = names[node] = f"n{len(names)}"
    label = f"{node.label}\\n{node.detail}" if node.detail else node.label
    pad = "  " * depth
    text = label.replace('"', '\\"')
    lines.append(f'{pad}{name} [label="{text}"];')
    for number, body in enumerate(node.bodies):
        lines.append(f'{pad}subgraph cluster_{name}_{number} {{ label="{node.label.translate(_QUOTED)}";')
        for each in body:
            _dot_node(each, names, lines, depth + 1)
        lines.append(f"{pad}}}")
