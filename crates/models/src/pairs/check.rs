//! Checks of training pairs: links lie within both sides, trees have the words of their sentences. What passes is a
//! [`Pair`] as models may rely on it.

use super::{Chunk, Names, Row};
use crate::error::{Error, Result};
use crate::pair::{Pair, ParsedTree};
use std::sync::Arc;
use treeglot_align::trees::Nodes;
use treeglot_align::{Link, links};
use treeglot_grammar::Symbol;
use treeglot_text::vocab::Vocab;
use treeglot_text::{Place, Side};
use treeglot_tree::format::AnyTree;
use treeglot_tree::format::egret::{Derivation, Markers};
use treeglot_tree::format::ptb;
use treeglot_tree::{ConTree, DepParse, PerTree, SoundTree, TreeKind};

/// A tree as it stands in its file.
pub(super) struct Tree {
    pub(super) tree: AnyTree,
    /// Which tree of the file it is, from 1.
    pub(super) number: u64,
}

/// Pairs that were left out, by reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Bad {
    /// The links do not fit the words.
    pub links: u64,
    /// A tree is missing, is none, or has other words.
    pub trees: u64,
}

/// What became of the pairs of a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Checked {
    /// Pairs handed on.
    pub pairs: u64,
    /// Pairs with an empty side.
    pub empty: u64,
    /// Trees with cycles or several roots, used where they are sound.
    pub mended: u64,
    /// Pairs left out.
    pub bad: Bad,
}

impl Checked {
    /// Adds what became of other pairs.
    pub fn merge(&mut self, part: &Self) {
        self.pairs += part.pairs;
        self.empty += part.empty;
        self.mended += part.mended;
        self.bad.links += part.bad.links;
        self.bad.trees += part.bad.trees;
    }
}

impl Chunk {
    /// Checks each pair and hands it on, with its words in `vocab`.
    pub fn for_each(self, vocab: &mut Vocab, mut take: impl FnMut(&Pair<'_>, &mut Vocab)) -> Result<Checked> {
        let mut checked = Checked::default();
        let mut start = 0;
        let Self { names, skip_bad, text, rows } = self;
        for row in rows {
            let [source, target, links, node_links] = row.ends.map(|end| {
                let field = &text[start..end];
                start = end;
                field
            });
            match check(row, [source, target, links, node_links], &names, vocab, &mut take) {
                Ok(Some(mended)) => {
                    checked.pairs += 1;
                    checked.mended += mended;
                }
                Ok(None) => checked.empty += 1,
                Err(error) if skip_bad && error.concerns_one_pair() => match error {
                    Error::BadTree { .. } | Error::Tree(_) => checked.bad.trees += 1,
                    _ => checked.bad.links += 1,
                },
                Err(error) => return Err(error),
            }
        }
        Ok(checked)
    }
}

/// Checks a pair and hands it on: how many of its trees were mended; none if a side is empty.
fn check(
    row: Row,
    [source, target, links, node_links]: [&str; 4],
    names: &Names,
    vocab: &mut Vocab,
    take: &mut impl FnMut(&Pair<'_>, &mut Vocab),
) -> Result<Option<u64>> {
    let place = Place::new(names.texts[2].clone(), row.line);
    let words = [source, target].map(|text| text.split_ascii_whitespace().collect::<Vec<&str>>());
    let links = checked_links(links, [words[0].len(), words[1].len()], place)?;
    let node_place = names.texts.get(3).map(|name| Place::new(name.clone(), row.line));
    if words[0].is_empty() || words[1].is_empty() {
        return Ok(None);
    }
    let mut mended = 0;
    let trees = checked_trees(row, &words, names, &mut mended)?;
    let node_links = match node_place {
        Some(place) => checked_node_links(node_links, &trees, place)?,
        None => Vec::new(),
    };
    let [source, target] = words
        .map(|words| -> Vec<Symbol> { words.iter().map(|word| Symbol::word(vocab.intern(word))).collect() });
    let pair = Pair {
        source: &source,
        target: &target,
        links: &links,
        trees: trees.each_ref().map(|_, trees| &trees[..]),
        node_links: &node_links,
    };
    take(&pair, vocab);
    Ok(Some(mended))
}

/// The trees of a pair, which have the words of its sides; those that had to be mended are counted.
fn checked_trees(
    row: Row,
    words: &[Vec<&str>; 2],
    names: &Names,
    mended: &mut u64,
) -> Result<PerTree<Vec<ParsedTree>>> {
    let line = row.line;
    row.trees.try_map(|slot, trees| {
        let (words, name) = (&words[slot.side as usize][..], names.text(slot.side));
        let sentence = Sentence { words, name, line, advice: ADVICE };
        let mut checked = |(tree, name): (Tree, &Arc<str>)| -> Result<ParsedTree> {
            Ok(match slot.kind {
                TreeKind::Dependency => {
                    let (sound, tags) = dep_tree(tree, name, &sentence)?;
                    *mended += u64::from(sound.repairs.total() > 0);
                    ParsedTree::Dependency(sound.tree, tags)
                }
                TreeKind::Constituency => ParsedTree::Constituency(con_tree(tree, name, &sentence)?),
            })
        };
        trees.into_iter().zip(&names.trees[slot]).map(&mut checked).collect()
    })
}

/// The links of a line, sorted and distinct, if they lie within sides of so many words.
fn checked_links(text: &str, words: [usize; 2], place: Place) -> Result<Vec<Link>> {
    let mut links = links::parse(text, &place)?;
    if !links.is_empty() && words.contains(&0) {
        let side = if words[0] == 0 { "source" } else { "target" };
        let why =
            format!("the pair has links, but its {side} side is empty: are the files of the same pairs?");
        return Err(Error::BadLinks { place, why });
    }
    let outside = |link: &&Link| link.src as usize >= words[0] || link.tgt as usize >= words[1];
    if let Some(link) = links.iter().find(outside) {
        let why = format!(
            "link `{link}` points outside its pair of {} and {} words: links are `source-target`, from 0",
            words[0], words[1]
        );
        return Err(Error::BadLinks { place, why });
    }
    links.sort_unstable();
    links.dedup();
    Ok(links)
}

/// The links between nodes of a line, if they lie within the trees.
fn checked_node_links(text: &str, trees: &PerTree<Vec<ParsedTree>>, place: Place) -> Result<Vec<Link>> {
    let links = links::parse(text, &place)?;
    let main = |side: Side, kind: TreeKind| trees[(side, kind)].first();
    let [source, target] = Side::BOTH.map(|side| {
        let con = main(side, TreeKind::Constituency).and_then(ParsedTree::constituency);
        let dep = main(side, TreeKind::Dependency).and_then(ParsedTree::dependency);
        let nodes = con.map(Nodes::of_con).or_else(|| dep.map(|(tree, _)| Nodes::of_dep(tree)));
        nodes.map_or(0, |nodes| nodes.len())
    });
    let outside = |link: &&Link| link.src as usize >= source || link.tgt as usize >= target;
    match links.iter().find(outside) {
        None => Ok(links),
        Some(link) => {
            let why = format!(
                "link `{link}` points outside trees of {source} and {target} nodes: were other trees aligned?"
            );
            Err(Error::BadLinks { place, why })
        }
    }
}

/// A sentence that a tree must fit.
pub(super) struct Sentence<'a> {
    pub(super) words: &'a [&'a str],
    pub(super) name: &'a Arc<str>,
    pub(super) line: u64,
    /// What to do about a tree of other words.
    pub(super) advice: &'static str,
}

impl Sentence<'_> {
    /// What is wrong with a tree over `forms`, and at which word.
    fn mismatch<'f>(&self, forms: impl Iterator<Item = &'f str>, count: usize) -> Option<(usize, String)> {
        let Self { words, name, line, .. } = self;
        if let Some((at, (form, word))) =
            forms.zip(words.iter()).enumerate().find(|(_, (form, word))| !ptb::same_word(form, word))
        {
            let why = format!("word {} of the tree is `{form}`, but of {name}:{line} `{word}`", at + 1);
            return Some((at, why));
        }
        let other = words.len();
        let why = format!("the tree has {count} words, but {name}:{line} has {other}");
        (count != other).then_some((count.saturating_sub(1), why))
    }
}

const ADVICE: &str = "trees must be of the tokens of the text (`skip-bad` leaves such pairs out)";

/// A dependency tree that fits its sentence, used where it is sound, and its tags.
pub(super) fn dep_tree(
    tree: Tree,
    name: &Arc<str>,
    sentence: &Sentence<'_>,
) -> Result<(SoundTree, Vec<String>)> {
    let AnyTree::Dep(parse) = tree.tree else { return Err(no_tree(&tree, name, "dependency", sentence)) };
    if let Some((at, why)) = sentence.mismatch(parse.forms(), parse.len()) {
        let why = format!("{why}: {}", sentence.advice);
        return Err(Error::BadTree { place: dep_place(&parse, at, name), why });
    }
    let tags = parse.words().map(|word| parse.tag(word).to_string()).collect();
    Ok((parse.checked_mended_tree()?, tags))
}

fn dep_place(parse: &DepParse, at: usize, name: &Arc<str>) -> Place {
    Place::new(name.clone(), parse.line_of(at.into()))
}

/// A constituency tree that fits its sentence, or the best of a forest.
pub(super) fn con_tree(tree: Tree, name: &Arc<str>, sentence: &Sentence<'_>) -> Result<ConTree> {
    Ok(con_trees(tree, name, sentence, 1)?.swap_remove(0).0)
}

/// A constituency tree that fits its sentence, or up to `most` of the best of a forest; each with its share among these.
pub(super) fn con_trees(
    tree: Tree,
    name: &Arc<str>,
    sentence: &Sentence<'_>,
    most: usize,
) -> Result<Vec<(ConTree, f64)>> {
    let trees: Vec<(ConTree, f64)> = match tree.tree {
        AnyTree::Con(con) => vec![(con, 1.0)],
        AnyTree::Forest(forest) => {
            let best: Vec<Derivation> = forest.kbest().take(most.max(1)).collect();
            let share = |parse: &Derivation| (parse.score - best[0].score).exp();
            let total: f64 = best.iter().map(share).sum();
            best.iter().map(|parse| (forest.tree(parse, Markers::Remove), share(parse) / total)).collect()
        }
        _ => return Err(no_tree(&tree, name, "constituency", sentence)),
    };
    let con = &trees[0].0;
    if let Some((_, why)) = sentence.mismatch(con.forms(), con.len()) {
        let why = format!("tree {}: {why}: {}", tree.number, sentence.advice);
        return Err(Error::BadTree { place: Place::new(name.clone(), 0), why });
    }
    Ok(trees)
}

fn no_tree(tree: &Tree, name: &Arc<str>, what: &str, sentence: &Sentence<'_>) -> Error {
    let (number, line) = (tree.number, sentence.line);
    let why = match tree.tree {
        AnyTree::Failed => {
            format!("tree {number}, of {}:{line}, is empty (`skip-bad` leaves such pairs out)", sentence.name)
        }
        _ => format!("tree {number} is no {what} tree: it can be converted"),
    };
    Error::BadTree { place: Place::new(name.clone(), 0), why }
}
