"""Trees of other packages: conllu, networkx, NLTK and spaCy, none of which is needed unless its trees are wanted."""

from __future__ import annotations

from typing import Any

from . import _treeglot
from ._treeglot import Tree
from .errors import Error

_COLUMNS = ("form", "lemma", "upos", "xpos", "feats", "deprel", "deps", "misc")


def _one(text: str, form: str) -> Tree:
    trees = _treeglot.parse_trees(text, form)
    if len(trees) != 1:
        raise Error(f"expected one tree, but there are {len(trees)}")
    return trees[0]


def _rows(words: list[dict[str, Any]]) -> Tree:
    """Make a dependency tree of words with `form` and `head` (from 1), and other columns of CoNLL-U."""
    lines = []
    for number, word in enumerate(words, 1):
        column = {key: str(word.get(key) or "_") for key in _COLUMNS}
        given = [str(number), *(column[key] for key in ("form", "lemma", "upos", "xpos", "feats"))]
        lines.append("\t".join([*given, str(word["head"]), *(column[key] for key in ("deprel", "deps", "misc"))]))
    return _one("\n".join(lines) + "\n\n", "conllu")


def to_conllu(tree: Tree) -> Any:
    """Give a `conllu.TokenList`."""
    import conllu

    return conllu.parse(tree.to("conllu"))[0]


def from_conllu(tokens: Any) -> Tree:
    """Take a `conllu.TokenList`."""
    return _one(tokens.serialize(), "conllu")


def to_networkx(tree: Tree) -> Any:
    """Give a `networkx.DiGraph` with edges downwards: words from 1, or nodes from 0 and words `"w0"`, ..."""
    import networkx

    graph = networkx.DiGraph()
    if tree.kind == "dependency":
        columns = {key: tree.column(key) for key in _COLUMNS}
        heads = list(memoryview(tree.heads))
        for word in range(len(tree)):
            graph.add_node(word + 1, **{key: values[word] for key, values in columns.items()})
        for word, head in enumerate(heads):
            if head > 0:
                graph.add_edge(head, word + 1, deprel=columns["deprel"][word])
        return graph
    import json

    data = json.loads(tree.drawing())
    for node, (label, parent) in enumerate(zip(data["labels"], data["parents"], strict=True)):
        graph.add_node(node, label=label)
        if parent >= 0:
            graph.add_edge(parent, node)
    for word, leaf in enumerate(data["leaves"]):
        graph.add_node(f"w{word}", form=data["words"][word])
        graph.add_edge(leaf, f"w{word}")
    return graph


def from_networkx(graph: Any) -> Tree:
    """Take a graph of words, numbered from 1, with `form` and edges from heads: what `to_networkx` gives."""
    words = []
    for word in sorted(graph.nodes):
        about = dict(graph.nodes[word])
        if "form" not in about:
            raise Error(f"node {word} has no `form`: graphs of dependency trees are taken")
        heads = list(graph.predecessors(word))
        if len(heads) > 1:
            raise Error(f"word {word} has {len(heads)} heads")
        if heads:
            about.setdefault("deprel", graph.edges[heads[0], word].get("deprel"))
        words.append(about | {"head": heads[0] if heads else 0})
    return _rows(words)


def to_nltk(tree: Tree) -> Any:
    """Give an `nltk.Tree` of constituents, or an `nltk.DependencyGraph`."""
    import nltk

    if tree.kind == "dependency":
        lines = [line for line in tree.to("conllu").splitlines() if line[:1].isdigit()]
        lines = [line for line in lines if line.split("\t", 1)[0].isdigit()]
        return nltk.DependencyGraph("\n".join(lines), top_relation_label="root")
    return nltk.Tree.fromstring(tree.to("ptb"))


def from_nltk(tree: Any) -> Tree:
    """Take an `nltk.Tree`, or an `nltk.DependencyGraph`."""
    if hasattr(tree, "to_conll"):
        nodes = sorted(node for node in tree.nodes if node)
        column = {"form": "word", "lemma": "lemma", "upos": "ctag", "xpos": "tag", "feats": "feats", "deprel": "rel"}
        words = [{key: tree.nodes[node].get(name) for key, name in column.items()} for node in nodes]
        for word, node in zip(words, nodes, strict=True):
            word["head"] = tree.nodes[node]["head"] or 0
        return _rows(words)
    return _one(" ".join(tree.pformat(margin=10**9).split()), "ptb")


def to_spacy(tree: Tree, vocab: Any = None) -> Any:
    """Give a `spacy.tokens.Doc` with heads, relations, tags and lemmas."""
    from spacy.tokens import Doc
    from spacy.vocab import Vocab

    heads = list(memoryview(tree.heads))
    absolute = [head - 1 if head > 0 else word for word, head in enumerate(heads)]
    blank = {key: ["" if value == "_" else value for value in tree.column(key)] for key in _COLUMNS}
    spaces = ["SpaceAfter=No" not in misc for misc in blank["misc"]]
    # spaCy writes the relation of a root in capitals.
    deps = ["ROOT" if head == 0 else relation for head, relation in zip(heads, blank["deprel"], strict=True)]
    return Doc(
        vocab if vocab is not None else Vocab(),
        words=blank["form"],
        spaces=spaces,
        heads=absolute,
        deps=deps,
        tags=blank["xpos"],
        pos=blank["upos"],
        lemmas=blank["lemma"],
        morphs=blank["feats"],
    )


def from_spacy(doc: Any) -> Tree:
    """Take a `spacy.tokens.Doc`, or a sentence of one, that was parsed."""
    tokens = list(doc)
    first = tokens[0].i if tokens else 0
    words = []
    for token in tokens:
        root = token.head.i == token.i
        words.append(
            {
                "form": token.text,
                "lemma": token.lemma_,
                "upos": token.pos_,
                "xpos": token.tag_,
                "feats": str(token.morph),
                "head": 0 if root else token.head.i - first + 1,
                "deprel": "root" if token.dep_ == "ROOT" else token.dep_,
                "misc": None if token.whitespace_ else "SpaceAfter=No",
            }
        )
    return _rows(words)
