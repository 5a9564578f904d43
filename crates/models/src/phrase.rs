//! `phrase`: phrase pairs, each with how it stands to the phrases before and after it, from which lexicalised reordering is
//! estimated (Koehn et al. 2005, `msd` by words). The pairs are those of the strings (Koehn, Och & Marcu 2003), or the
//! strings under linked nodes of aligned trees: STR, CON and DEP of Hearne, Ozdowska & Tinsley 2008, section 3.1.

use crate::error::Result;
use crate::matrix::{Matrix, SpanPair};
use crate::pair::{Needs, Pair};
use crate::registry::Registered;
use crate::spans::{SpanLimits, span_pairs};
use crate::{Applies, Model, TableRole, error::Error};
use serde::{Deserialize, Serialize};
use treeglot_align::Link;
use treeglot_align::trees::{self, Nodes};
use treeglot_grammar::{Instance, Orientation, RuleLink, RuleSink};
use treeglot_text::Side;
use treeglot_text::vocab::Vocab;
use treeglot_tree::{PerTree, Span, TreeKind, WordIx};

/// The longest phrase that can be written down: links count positions in a byte.
const LONGEST: u32 = 255;

/// The most words on either side of a phrase pair of the strings, unless told otherwise.
const LONGEST_OF_STRINGS: u32 = 7;

/// Where phrase pairs come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum PairSource {
    /// All pairs of strings that are consistent with the links
    #[default]
    Str,
    /// The strings under linked nodes of constituency trees
    Con,
    /// The strings under linked nodes of dependency trees
    Dep,
    /// Those of source constituency trees linked with target dependency trees
    ConDep,
    /// Those of source dependency trees linked with target constituency trees
    DepCon,
}

/// The options of [`Phrase`].
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct PhraseOptions {
    /// Where phrase pairs come from; all but `str` need trees and --node-links
    #[cfg_attr(feature = "clap", arg(long, value_name = "SOURCE", default_value = "str"))]
    pub from: PairSource,

    /// The most words on either side of a phrase pair [default: 7 with --from str, else all of them]
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub max_length: Option<u32>,
}

/// The phrase-based model.
#[derive(Debug, Clone)]
pub struct Phrase {
    from: PairSource,
    max_length: u32,
}

impl Registered for Phrase {
    const NAME: &'static str = "phrase";
    const ABOUT: &'static str = "Phrase pairs of the strings (Koehn 2003), with orientations for reordering";
    const ROLE: Option<TableRole> = Some(TableRole::Phrases);
    type Options = PhraseOptions;

    fn new(options: PhraseOptions) -> Result<Self> {
        let PhraseOptions { from, max_length } = options;
        let default = if from == PairSource::Str { LONGEST_OF_STRINGS } else { LONGEST };
        let max_length = max_length.unwrap_or(default);
        if (1..=LONGEST).contains(&max_length) {
            return Ok(Self { from, max_length });
        }
        let why = format!("`max-length` must be from 1 to {LONGEST}");
        Err(Error::BadOptions { model: Self::NAME, why })
    }
}

impl Model for Phrase {
    fn needs(&self) -> Needs {
        let (con, dep) = (TreeKind::Constituency, TreeKind::Dependency);
        let (source, target) = match self.from {
            PairSource::Str => return Needs::default(),
            PairSource::Con => (con, con),
            PairSource::Dep => (dep, dep),
            PairSource::ConDep => (con, dep),
            PairSource::DepCon => (dep, con),
        };
        let mut trees = PerTree::default();
        trees[(Side::Source, source)] = true;
        trees[(Side::Target, target)] = true;
        Needs { trees, node_links: true, ..Needs::default() }
    }

    fn applies(&self) -> Applies {
        Applies::Phrases
    }

    fn extract(&self, pair: &Pair<'_>, _vocab: &mut Vocab, rules: &mut dyn RuleSink) {
        let matrix = Matrix::new(pair.links, pair.source.len(), pair.target.len());
        let mut links = Vec::new();
        let mut hand_on =
            |phrase: SpanPair| {
                let SpanPair { source, target } = phrase;
                let within = source.words().flat_map(|word| matrix.of_source(word.0));
                let within = within.filter(|link| target.contains(WordIx(link.tgt)));
                links.clear();
                links.extend(within.map(|link| {
                    RuleLink::new((link.src - source.start) as u8, (link.tgt - target.start) as u8)
                }));
                rules.rule(Instance {
                    source: &pair.source[source.start as usize..source.end as usize],
                    target: &pair.target[target.start as usize..target.end as usize],
                    links: &links,
                    count: 1.0,
                    orientation: Some(orientation(&matrix, phrase)),
                    origin: 0,
                });
            };
        if self.from == PairSource::Str {
            let limits = SpanLimits { max_words: self.max_length, loose: true };
            span_pairs(&matrix, limits).into_iter().for_each(hand_on);
            return;
        }
        let longest = self.max_length as usize;
        for [source, target] in linked_spans(pair) {
            if source.len() <= longest && target.len() <= longest {
                hand_on(SpanPair { source, target });
            }
        }
    }
}

/// The spans of linked nodes, of whichever trees the pair has.
fn linked_spans(pair: &Pair<'_>) -> Vec<[Span; 2]> {
    let nodes = |side: Side| pair.con(side).map(Nodes::of_con).or_else(|| pair.dep(side).map(Nodes::of_dep));
    match (nodes(Side::Source), nodes(Side::Target)) {
        (Some(source), Some(target)) => trees::span_pairs([&source, &target], pair.node_links),
        _ => Vec::new(),
    }
}

/// How a phrase pair stands to the words before and after it in the target: monotone if the word next to it there is
/// linked to the word next to it in the source on the same side, swapped if on the other side. The ends of both
/// sentences count as linked.
fn orientation(matrix: &Matrix<'_>, phrase: SpanPair) -> [Orientation; 2] {
    let (source, target) = (phrase.source, phrase.target);
    let (left, right) = (source.start.checked_sub(1), source.end);
    let before = target.start.checked_sub(1);
    let previous = (linked(matrix, left, before), linked(matrix, Some(right), before));
    let next = (linked(matrix, Some(right), Some(target.end)), linked(matrix, left, Some(target.end)));
    [previous, next].map(|sides| match sides {
        (true, false) => Orientation::Monotone,
        (false, true) => Orientation::Swap,
        _ => Orientation::Discontinuous,
    })
}

/// Whether two positions are linked; `None` stands before the first word, and both ends of the sentences are linked.
fn linked(matrix: &Matrix<'_>, source: Option<u32>, target: Option<u32>) -> bool {
    match (source, target) {
        (None, None) => true,
        (None, _) | (_, None) => false,
        (Some(s), Some(t)) if s < matrix.source_len() => matrix.of_source(s).contains(&Link::new(s, t)),
        (Some(_), Some(t)) => t == matrix.target_len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Sentences;

    fn phrases(max_length: u32, mut pair: Sentences) -> Vec<String> {
        pair.extract(
            &Phrase::new(PhraseOptions { max_length: Some(max_length), ..PhraseOptions::default() }).unwrap(),
        )
    }

    #[test]
    fn phrases_grow_over_words_without_links() {
        let pair = Sentences::new("a b c", "x y", "0-0 2-1");
        assert_eq!(
            phrases(7, pair),
            [
                "a ||| x ||| 0-0 ||| 1 ||| mono other",
                "a b ||| x ||| 0-0 ||| 1 ||| mono mono",
                "a b c ||| x y ||| 0-0 2-1 ||| 1 ||| mono mono",
                "c ||| y ||| 0-0 ||| 1 ||| other mono",
                "b c ||| y ||| 1-0 ||| 1 ||| mono mono",
            ]
        );
    }

    #[test]
    fn a_neighbour_on_the_other_side_is_a_swap() {
        let pair = Sentences::new("a b", "y x", "0-1 1-0");
        assert_eq!(
            phrases(1, pair),
            ["b ||| y ||| 0-0 ||| 1 ||| other swap", "a ||| x ||| 0-0 ||| 1 ||| swap other"]
        );
    }

    #[test]
    fn linked_nodes_give_the_strings_below_them() {
        let pair = Sentences::new("a b c", "x y", "0-0 2-0 2-1")
            .source_heads(&[2, 0, 2])
            .target_heads(&[2, 0])
            .node_links("0-0 1-2 3-1");
        let options = PhraseOptions { from: PairSource::Dep, ..PhraseOptions::default() };
        let mut pair = pair;
        assert_eq!(
            pair.extract(&Phrase::new(options).unwrap()),
            [
                "a ||| y |||  ||| 1 ||| other other",
                "a b c ||| x y ||| 0-0 2-0 2-1 ||| 1 ||| mono mono",
                "c ||| x ||| 0-0 ||| 1 ||| other other",
            ]
        );
        let short = PhraseOptions { from: PairSource::Dep, max_length: Some(1) };
        assert_eq!(pair.extract(&Phrase::new(short).unwrap()).len(), 2);
    }

    #[test]
    fn a_length_of_zero_is_refused() {
        let error =
            Phrase::new(PhraseOptions { max_length: Some(0), ..PhraseOptions::default() }).unwrap_err();
        assert_eq!(error.to_string(), "model `phrase`: `max-length` must be from 1 to 255");
    }
}
