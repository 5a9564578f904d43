//! `treeglot tree spans`.

use super::pair::{PairNumber, print_words};
use crate::args::{Json, OutputArgs, PairArgs};
use crate::print::json_line;
use anyhow::Result;
use std::io::{self, Write};
use std::path::PathBuf;
use treeglot_models::dep2str::{DescribedNode, DescribedTree, HeadOptions, describe};
use treeglot_models::{DescribedSpan, Needs};
use treeglot_tree::TreeKind;

const HELP: &str = "\
Prints the annotated tree that `treeglot extract dep2str` and, with --src-con, `consdep2str` read rules off (Meng et al. 2013, \
figure 4). A node has its word and tag; the hull of the word's links (nsp) and of those of its subtree (tsp), in parentheses where it \
is not consistent; and how many fragments of the head and its dependents are acceptable: none where tsp is not consistent. Below it are \
its phrasal nodes with their spans (psp), and its dependents.

Example:
  treeglot tree spans --src de --tgt en --links links --src-dep de.conllu --src-con de.ptb --sentence 3";

/// The arguments of `treeglot tree spans`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    #[command(flatten)]
    pairs: PairArgs,

    /// Dependency trees of the source sentences
    #[arg(long, value_name = "FILE")]
    src_dep: PathBuf,

    /// Constituency trees of the source sentences, for phrasal nodes
    #[arg(long, value_name = "FILE")]
    src_con: Option<PathBuf>,

    #[command(flatten)]
    number: PairNumber,

    #[command(flatten)]
    options: HeadOptions,

    #[command(flatten)]
    form: Json,

    #[command(flatten)]
    out: OutputArgs,
}

impl Args {
    pub fn run(self) -> Result<()> {
        let kinds = if self.src_con.is_some() { &TreeKind::BOTH[..] } else { &[TreeKind::Dependency] };
        let (deps, cons) = (std::slice::from_ref(&self.src_dep), self.src_con.as_slice());
        let files = self.pairs.with_source_trees(deps, cons);
        let needs = Needs::source_parses(kinds);
        let options = &self.options;
        let tree =
            self.number.of(&self.pairs, &files, needs, |pair, vocab| describe(options, pair, vocab))?;
        self.out.write(|out| if self.form.json { json_line(out, &tree) } else { print(&tree, out) })
    }
}

fn print(tree: &DescribedTree, out: &mut dyn Write) -> io::Result<()> {
    print_words([&tree.source, &tree.target], out)?;
    tree.nodes.iter().try_for_each(|node| print_node(tree, node, out))
}

fn print_node(tree: &DescribedTree, node: &DescribedNode, out: &mut dyn Write) -> io::Result<()> {
    let indent = "  ".repeat(node.depth);
    let (nsp, tsp) = (DescribedSpan::named(node.nsp), DescribedSpan::named(node.tsp));
    let more = if node.cut { "+" } else { "" };
    let fragments = match node.fragments {
        0 => String::new(),
        fragments => format!(" fragments {fragments}{more}"),
    };
    let word = &tree.source[node.word as usize];
    writeln!(out, "{indent}{word}/{} {} nsp {nsp} tsp {tsp}{fragments}", node.word, node.tag)?;
    for phrasal in &node.phrasal {
        let [start, end] = phrasal.words;
        let words = &tree.source[start as usize..end as usize];
        let psp = DescribedSpan::named(phrasal.psp);
        writeln!(out, "{indent}  | {} psp {psp}: {}", phrasal.label, words.join(" "))?;
    }
    Ok(())
}
