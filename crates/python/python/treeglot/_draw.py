"""Pictures for notebooks: plain SVG, which every viewer shows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._translate import Translation
    from ._treeglot import Tree

_FONT = "font-family='system-ui, sans-serif'"
_INK, _DIM, _ACCENT, _SOFT = "#1f2933", "#69778c", "#2467b3", "#dbe7f5"


def _width(text: str, size: float = 14) -> float:
    """Guess how wide a text is: East Asian characters are square, the others about half as wide as high."""
    return sum(size if ord(char) > 0x2E7F else 0.56 * size for char in text)


def _text(x: float, y: float, text: str, *, size: float = 14, fill: str = _INK, anchor: str = "middle") -> str:
    where = f"x='{x:.1f}' y='{y:.1f}' text-anchor='{anchor}'"
    return f"<text {where} font-size='{size:g}' fill='{fill}'>{escape(text)}</text>"


def _svg(width: float, height: float, parts: Iterable[str], title: str) -> str:
    size = f"width='{width:.0f}' height='{height:.0f}' viewBox='0 0 {width:.0f} {height:.0f}'"
    # Notebooks may be dark: the picture brings its own paper.
    paper = f"<rect width='{width:.0f}' height='{height:.0f}' rx='6' fill='#ffffff'/>"
    style = "style='max-width:100%;height:auto'"
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' role='img' {size} {style} {_FONT}>"
        f"<title>{escape(title)}</title>{paper}{''.join(parts)}</svg>"
    )


def _columns(texts: Sequence[Sequence[str]], gap: float) -> tuple[list[float], float]:
    """Place words side by side, each as wide as the widest of what stands in its column; the middles and the end."""
    middles, x = [], gap
    for column in texts:
        width = max([_width(text) for text in column] + [12.0])
        middles.append(x + width / 2)
        x += width + gap
    return middles, x


def tree(own: Tree) -> str:
    """Draw a tree: arcs over words, or constituents above them."""
    data: dict[str, Any] = json.loads(own.drawing())
    return _dependencies(data) if data["kind"] == "dependencies" else _constituents(data)


def _dependencies(data: dict[str, Any]) -> str:
    words, heads, labels, tags = (data[key] for key in ("words", "heads", "labels", "tags"))
    tags = [tag if tag != "_" else "" for tag in tags]
    middles, width = _columns([(word, tag, label) for word, tag, label in zip(words, tags, labels, strict=True)], 16)
    arcs = sorted((abs(head - word), word, head) for word, head in enumerate(heads) if head is not None)
    levels: dict[int, int] = {}
    for _, word, head in arcs:
        low, high = sorted((word, head))
        inside = [levels[w] for _, w, h in arcs if w in levels and low <= min(w, h) and max(w, h) <= high]
        levels[word] = max(inside, default=0) + 1
    step, top = 26, 30
    base = top + step * max(levels.values(), default=0) + 10
    parts = []
    for word, head in enumerate(heads):
        if head is None:
            x = middles[word]
            parts.append(f"<path d='M{x:.1f} {top - 6} V{base - 4}' stroke='{_DIM}' stroke-dasharray='3 3'/>")
            parts.append(_text(x, top - 12, labels[word], size=11, fill=_DIM))
            continue
        # Arcs to different words of one head begin a little apart.
        shift = 5 if word > head else -5
        x, to, y = middles[head] + shift, middles[word], base - step * levels[word]
        bend = 10 if to > x else -10
        path = f"M{x:.1f} {base - 2} V{y + 10} Q{x:.1f} {y} {x + bend:.1f} {y} H{to - bend:.1f}"
        path += f" Q{to:.1f} {y} {to:.1f} {y + 10} V{base - 4}"
        parts.append(f"<path d='{path}' fill='none' stroke='{_ACCENT}' stroke-width='1.3'/>")
        parts.append(
            f"<path d='M{to - 3.5:.1f} {base - 8} L{to:.1f} {base - 1} L{to + 3.5:.1f} {base - 8} Z' fill='{_ACCENT}'/>"
        )
        half = _width(labels[word], 11) / 2 + 2
        parts.append(
            f"<rect x='{(x + to) / 2 - half:.1f}' y='{y - 6}' width='{2 * half:.1f}' height='12' fill='#fff'/>"
        )
        parts.append(_text((x + to) / 2, y + 4, labels[word], size=11, fill=_INK))
    for x, word, tag in zip(middles, words, tags, strict=True):
        parts.append(_text(x, base + 16, word))
        parts.append(_text(x, base + 32, tag, size=11, fill=_DIM))
    return _svg(width, base + 42, parts, " ".join(words))


def _constituents(data: dict[str, Any]) -> str:
    words, labels, parents, leaves = (data[key] for key in ("words", "labels", "parents", "leaves"))
    depth = [0] * len(labels)
    below: list[list[int]] = [[] for _ in labels]
    for node, parent in enumerate(parents):
        if parent >= 0:
            depth[node] = depth[parent] + 1
            below[parent].append(node)
    own: list[list[int]] = [[] for _ in labels]
    for word, leaf in enumerate(leaves):
        own[leaf].append(word)
    middles, width = _columns([(word, labels[leaf]) for word, leaf in zip(words, leaves, strict=True)], 16)
    step, base = 44, 26 + 44 * (max(depth) + 1)
    x = [0.0] * len(labels)
    for node in reversed(range(len(labels))):
        places = [x[child] for child in below[node]] + [middles[word] for word in own[node]]
        x[node] = (min(places) + max(places)) / 2 if places else 0.0
    y = [26 + step * level for level in depth]
    parts = []
    for node, parent in enumerate(parents):
        if parent >= 0:
            parts.append(_line(x[parent], y[parent] + 6, x[node], y[node] - 13))
    for word, leaf in enumerate(leaves):
        parts.append(_line(x[leaf], y[leaf] + 6, middles[word], base - 13))
        parts.append(_text(middles[word], base, words[word]))
    parts += [_text(x[node], y[node], label, fill=_ACCENT, size=13) for node, label in enumerate(labels)]
    return _svg(width, base + 14, parts, " ".join(words))


def _line(x: float, y: float, to_x: float, to_y: float) -> str:
    return f"<path d='M{x:.1f} {y:.1f} L{to_x:.1f} {to_y:.1f}' stroke='{_DIM}' stroke-width='1'/>"


def links(
    source: Sequence[str], target: Sequence[str], pairs: Sequence[tuple[int, int]], scores: Sequence[float] = ()
) -> str:
    """Draw links as a matrix: source words beside the rows, target words above the columns."""
    cell, size = 22, 13
    left = max([_width(word, size) for word in source] + [20]) + 16
    top = max([_width(word, size) for word in target] + [20]) * 0.75 + 18
    width, height = left + cell * len(target) + top * 0.6 + 8, top + cell * len(source) + 10
    parts = []
    for row, word in enumerate(source):
        parts.append(_text(left - 8, top + cell * row + 15, word, size=size, anchor="end"))
    for column, word in enumerate(target):
        x, y = left + cell * column + 13, top - 6
        turned = f"transform='rotate(-48 {x} {y:.1f})'"
        parts.append(f"<text x='{x}' y='{y:.1f}' font-size='{size}' fill='{_INK}' {turned}>{escape(word)}</text>")
    linked = dict(zip(pairs, scores, strict=False)) if scores else dict.fromkeys(pairs, 1.0)
    for row in range(len(source)):
        for column in range(len(target)):
            x, y, score = left + cell * column, top + cell * row, linked.get((row, column))
            fill, shade = ("#fff", "") if score is None else (_ACCENT, f" fill-opacity='{0.35 + 0.65 * score:.2f}'")
            parts.append(
                f"<rect x='{x:.1f}' y='{y:.1f}' width='{cell}' height='{cell}' fill='{fill}'{shade} stroke='{_SOFT}'/>"
            )
    return _svg(width, height, parts, " ".join(f"{row}-{column}" for row, column in pairs))


def derivation(rules: Sequence[tuple[int, dict[str, Any]]], source: Sequence[str]) -> str:
    """Draw the rules of a derivation as a tree of lines, each with the part of the source it covers."""
    line, cell = 30, 12
    bars = 18 + cell * len(source)
    widths = [24 * depth + _width(_rule(rule), 13) for depth, rule in rules]
    left = 16
    width = left + max([*widths, 60]) + 30 + bars
    parts: list[str] = []
    last: dict[int, int] = {}
    for at, (depth, rule) in enumerate(rules):
        x, y = left + 24 * depth, 14 + line * at
        if depth:
            above = last[depth - 1]
            parts.append(
                f"<path d='M{x - 14} {14 + line * above + 18} V{y + 10} H{x - 4}' fill='none' stroke='{_DIM}'/>"
            )
        last[depth] = at
        parts.append(_text(x, y + 14, _rule(rule), size=13, anchor="start"))
        begin, end = rule["span"]
        right = width - bars
        parts.append(
            f"<rect x='{right:.1f}' y='{y + 8}' width='{cell * len(source)}' height='4' rx='2' fill='{_SOFT}'/>"
        )
        parts.append(
            f"<rect x='{right + cell * begin:.1f}' y='{y + 6}' width='{cell * (end - begin)}' height='8' rx='2'"
            f" fill='{_ACCENT}'><title>{escape(' '.join(source[begin:end]))}</title></rect>"
        )
    return _svg(width, 20 + line * len(rules), parts, "derivation")


def _rule(rule: dict[str, Any]) -> str:
    label = f"{rule['label']}: " if rule.get("label") else ""
    return f"{label}{rule['source']} → {rule['target']}"


def translation(own: Translation) -> str:
    """Show a translation: its text, other translations with their scores, and what there is to explain it."""
    parts = [f"<p style='font-size:1.15em'>{escape(own.text)}</p>"]
    for sentence in own.sentences:
        if len(sentence.nbest) > 1:
            rows = [
                f"<tr><td style='text-align:right'>{one.score:.3f}</td>"
                f"<td style='text-align:left'>{escape(one.text)}</td></tr>"
                for one in sentence.nbest
            ]
            parts.append(
                f"<table><tr><th>score</th><th style='text-align:left'>translation</th></tr>{''.join(rows)}</table>"
            )
        best = sentence.best
        pictures = [tree(parsed) for parsed in sentence.trees if len(parsed)]
        if best is not None and best.derivation is not None and best.links is not None:
            pictures.append(best.links._repr_svg_())
            pictures.append(best.derivation._repr_svg_())
        parts += [f"<div style='margin:6px 0'>{picture}</div>" for picture in pictures]
    return f"<div>{''.join(parts)}</div>"
