//! Sentences to TIGER-XML: a complete document with its head.

use super::{Corpus, Graph, SecEdge, Sentence, Target};
use crate::con::ConTree;
use crate::convert::{Conversion, ConvertError};
use crate::format::any::AnyTree;
use crate::format::table::WriteTrees;
use crate::format::xml::{write_attr, write_attrs};
use crate::index::{NodeId, WordIx};
use crate::transform::strip::Strip;
use std::io::{self, Write};
use std::sync::Arc;

/// Writes a TIGER-XML document sentence by sentence. Call [`Writer::finish`], or the document stays incomplete.
pub struct Writer<W: Write> {
    out: W,
    document: Document,
}

impl<W: Write> Writer<W> {
    /// Starts the document with the corpus' head.
    pub fn new(mut out: W, corpus: &Corpus) -> io::Result<Self> {
        begin(corpus, &mut out)?;
        Ok(Self { out, document: Document::default() })
    }

    /// Adds a sentence.
    pub fn write(&mut self, sentence: &Sentence) -> io::Result<()> {
        self.document.write(sentence, &mut self.out)
    }

    /// Completes the document and returns where it was written to.
    pub fn finish(mut self) -> io::Result<W> {
        self.document.finish(&mut self.out)?;
        Ok(self.out)
    }
}

/// The document up to its first sentence.
fn begin(corpus: &Corpus, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    out.write_all(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<corpus")?;
    write_attr(out, "id", &corpus.id)?;
    write_attrs(out, &corpus.attrs)?;
    out.write_all(b">\n")?;
    if let Some(head) = &corpus.head {
        head.write(out)?;
    }
    out.write_all(b" <body>\n")
}

/// A document that is being written: the subcorpora that are open.
#[derive(Default)]
pub(super) struct Document {
    subcorpus: Vec<Arc<str>>,
}

impl WriteTrees for Document {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        begin(&Corpus::new("treeglot"), out)
    }

    fn tree(
        &mut self,
        tree: AnyTree,
        conversion: &mut Conversion,
        out: &mut dyn Write,
    ) -> Result<(), ConvertError> {
        let id = format!("s{}", conversion.number());
        let sentence = match tree {
            AnyTree::Tiger(sentence) if conversion.options.strip == Strip::default() => *sentence,
            tree => match conversion.con(tree)? {
                Some(tree) => Sentence::from_tree(id, tree),
                None => Sentence::failed(id),
            },
        };
        Ok(self.write(&sentence, out)?)
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.finish(out)
    }
}

impl Document {
    fn write(&mut self, sentence: &Sentence, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
        self.move_to(sentence.subcorpus(), out)?;
        out.write_all(b"  <s")?;
        write_attr(out, "id", sentence.id())?;
        write_attrs(out, sentence.attrs())?;
        out.write_all(b">\n")?;
        let mut first = NodeId(u32::from(sentence.added_top()));
        for graph in sentence.graphs() {
            first = write_graph(out, sentence, graph, first)?;
        }
        out.write_all(b"  </s>\n")
    }

    fn finish(&mut self, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
        self.move_to(&[], out)?;
        out.write_all(b" </body>\n</corpus>\n")
    }

    /// Closes and opens subcorpora until those of `path` are open.
    fn move_to(&mut self, path: &[Arc<str>], out: &mut (impl Write + ?Sized)) -> io::Result<()> {
        let shared = self.subcorpus.iter().zip(path).take_while(|(a, b)| a == b).count();
        while self.subcorpus.len() > shared {
            self.subcorpus.pop();
            out.write_all(b"  </subcorpus>\n")?;
        }
        for name in &path[shared..] {
            out.write_all(b"  <subcorpus")?;
            write_attr(out, "name", name)?;
            out.write_all(b">\n")?;
            self.subcorpus.push(name.clone());
        }
        Ok(())
    }
}

/// Writes a graph whose nodes start at `first`, and returns the first node of the next graph.
fn write_graph(
    out: &mut (impl Write + ?Sized),
    sentence: &Sentence,
    graph: &Graph,
    first: NodeId,
) -> io::Result<NodeId> {
    out.write_all(b"   <graph")?;
    if let Some(root) = graph.root.and_then(|root| sentence.id_of(root)) {
        write_attr(out, "root", root)?;
    }
    write_attrs(out, &graph.attrs)?;
    let Some(tree) = sentence.tree() else {
        out.write_all(b">\n    <terminals/>\n    <nonterminals/>\n   </graph>\n")?;
        return Ok(first);
    };
    out.write_all(b">\n    <terminals>\n")?;
    for word in graph.words.words() {
        write_terminal(out, sentence, tree, word)?;
    }
    out.write_all(b"    </terminals>\n    <nonterminals>\n")?;
    let mut nodes = tree.nodes().skip(first.ix());
    let mut next = first;
    while let Some(node) = nodes.next().filter(|&n| graph.words.covers(tree.hull(n))) {
        next = NodeId(node.0 + 1);
        if let Some(id) = sentence.id_of(Target::Node(node)) {
            write_nonterminal(out, sentence, tree, node, id)?;
        }
    }
    out.write_all(b"    </nonterminals>\n   </graph>\n")?;
    Ok(next)
}

fn write_terminal(
    out: &mut (impl Write + ?Sized),
    sentence: &Sentence,
    tree: &ConTree,
    word: WordIx,
) -> io::Result<()> {
    let target = Target::Word(word);
    out.write_all(b"     <t")?;
    write_attr(out, "id", sentence.id_of(target).unwrap_or_default())?;
    write_attr(out, "word", tree.form(word))?;
    if !tree.lemma(word).is_empty() {
        write_attr(out, "lemma", tree.lemma(word))?;
    }
    if let Some(preterminal) = sentence.node_of(target) {
        write_attr(out, "pos", tree.label(preterminal))?;
    }
    if !tree.morph(word).is_empty() {
        write_attr(out, "morph", tree.morph(word))?;
    }
    write_attrs(out, sentence.attrs_of(target))?;
    let secedges = secedges_of(sentence, target);
    if secedges.is_empty() {
        return out.write_all(b"/>\n");
    }
    out.write_all(b">\n")?;
    write_secedges(out, sentence, secedges)?;
    out.write_all(b"     </t>\n")
}

fn write_nonterminal(
    out: &mut (impl Write + ?Sized),
    sentence: &Sentence,
    tree: &ConTree,
    node: NodeId,
    id: &str,
) -> io::Result<()> {
    let target = Target::Node(node);
    out.write_all(b"     <nt")?;
    write_attr(out, "id", id)?;
    write_attr(out, "cat", tree.label(node))?;
    write_attrs(out, sentence.attrs_of(target))?;
    out.write_all(b">\n")?;
    for &child in tree.children(node) {
        let child = sentence.child(tree, child);
        let label = sentence.node_of(child).map_or("", |n| tree.edge(n));
        write_edge(out, "edge", label, sentence.id_of(child).unwrap_or_default())?;
    }
    write_secedges(out, sentence, secedges_of(sentence, target))?;
    out.write_all(b"     </nt>\n")
}

fn secedges_of(sentence: &Sentence, target: Target) -> &[SecEdge] {
    let all = sentence.secedges();
    let start = all.partition_point(|e| e.from < target);
    let length = all[start..].partition_point(|e| e.from == target);
    &all[start..start + length]
}

fn write_secedges(
    out: &mut (impl Write + ?Sized),
    sentence: &Sentence,
    secedges: &[SecEdge],
) -> io::Result<()> {
    for edge in secedges {
        write_edge(out, "secedge", &edge.label, sentence.id_of(edge.to).unwrap_or_default())?;
    }
    Ok(())
}

fn write_edge(out: &mut (impl Write + ?Sized), tag: &str, label: &str, idref: &str) -> io::Result<()> {
    write!(out, "      <{tag}")?;
    if !label.is_empty() {
        write_attr(out, "label", label)?;
    }
    write_attr(out, "idref", idref)?;
    out.write_all(b"/>\n")
}
