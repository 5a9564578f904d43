//! `phrase`: phrase pairs of the strings (Koehn, Och & Marcu 2003; the STR pairs of Hearne, Ozdowska & Tinsley 2008),
//! each with how it stands to the phrases before and after it, from which lexicalised reordering is estimated (Koehn
//! et al. 2005, `msd` by words).

use crate::error::Result;
use crate::matrix::{Matrix, SpanPair};
use crate::pair::{Needs, Pair};
use crate::registry::Registered;
use crate::spans::{SpanLimits, span_pairs};
use crate::{Model, error::Error};
use serde::{Deserialize, Serialize};
use treeglot_align::Link;
use treeglot_grammar::{Instance, Orientation, RuleLink, RuleSink};
use treeglot_text::vocab::Vocab;

/// The longest phrase that can be written down: links count positions in a byte.
const LONGEST: u32 = 255;

/// The options of [`Phrase`].
#[derive(Debug, Clone, PartialEq, Eq, clap::Args, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct PhraseOptions {
    /// The most words on either side of a phrase pair
    #[arg(long, value_name = "N", default_value_t = 7)]
    pub max_length: u32,
}

impl Default for PhraseOptions {
    fn default() -> Self {
        Self { max_length: 7 }
    }
}

/// The phrase-based model.
#[derive(Debug, Clone)]
pub struct Phrase {
    options: PhraseOptions,
}

impl Registered for Phrase {
    const NAME: &'static str = "phrase";
    const ABOUT: &'static str = "Phrase pairs of the strings (Koehn 2003), with orientations for reordering";
    type Options = PhraseOptions;

    fn new(options: PhraseOptions) -> Result<Self> {
        if (1..=LONGEST).contains(&options.max_length) {
            return Ok(Self { options });
        }
        let why = format!("`max-length` must be from 1 to {LONGEST}");
        Err(Error::BadOptions { model: Self::NAME, why })
    }
}

impl Model for Phrase {
    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn extract(&self, pair: &Pair<'_>, _vocab: &mut Vocab, rules: &mut dyn RuleSink) {
        let matrix = Matrix::new(pair.links, pair.source.len(), pair.target.len());
        let mut links = Vec::new();
        for phrase in span_pairs(&matrix, SpanLimits { max_words: self.options.max_length, loose: true }) {
            let SpanPair { source, target } = phrase;
            links.clear();
            links.extend(
                source.words().flat_map(|word| matrix.of_source(word.0)).map(|link| {
                    RuleLink::new((link.src - source.start) as u8, (link.tgt - target.start) as u8)
                }),
            );
            rules.rule(Instance {
                source: &pair.source[source.start as usize..source.end as usize],
                target: &pair.target[target.start as usize..target.end as usize],
                links: &links,
                count: 1.0,
                orientation: Some(orientation(&matrix, phrase)),
            });
        }
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
        pair.extract(&Phrase::new(PhraseOptions { max_length }).unwrap())
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
    fn a_length_of_zero_is_refused() {
        let error = Phrase::new(PhraseOptions { max_length: 0 }).unwrap_err();
        assert_eq!(error.to_string(), "model `phrase`: `max-length` must be from 1 to 255");
    }
}
