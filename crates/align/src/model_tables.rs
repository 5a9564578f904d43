//! Lexical tables of a model: how likely it takes each two words that meet in a pair to be linked, whether or not a link was drawn
//! between them.

use crate::corpus::Corpus;
use crate::error::Result;
use crate::lex::{LexCounts, LexTable};
use crate::model::Model;
use crate::worker::Worker;
use std::ops::Range;

/// What is left out of such tables by default: less probable pairs hardly add to the score of any two nodes.
pub const MODEL_TABLE_THRESHOLD: f64 = 1e-4;

impl Model {
    /// Counts the links that the model expects in a corpus, for one of the two tables: each word of the side that is predicted has
    /// one partner, the empty word included. Words of the corpus must have the ids they had in training.
    pub fn expected_links<'c>(&self, corpus: &'c Corpus, table: LexTable) -> Result<LexCounts<'c>> {
        let mut counts = LexCounts::new(corpus);
        let work = |worker: &mut Worker<'_>, chunk: Range<usize>| -> Vec<Vec<Expected>> {
            chunk.map(|s| expected(worker, corpus, s, table)).collect()
        };
        self.in_order(corpus, work, |chunk| -> Result<()> {
            chunk.into_iter().try_for_each(|links| counts.add_expected(links.into_iter()))
        })?;
        Ok(counts)
    }
}

/// A source and a target word, `None` for the empty one, and the probability of a link.
type Expected = (Option<u32>, Option<u32>, f32);

fn expected(worker: &mut Worker<'_>, corpus: &Corpus, s: usize, table: LexTable) -> Vec<Expected> {
    let (src, tgt) = (corpus.src.sentence(s), corpus.tgt.sentence(s));
    if src.is_empty() || tgt.is_empty() {
        return Vec::new();
    }
    worker.infer(src, tgt, None);
    let forward = table == LexTable::TargetGivenSource;
    let mut links = Vec::with_capacity((src.len() + 1) * (tgt.len() + 1));
    for (j, &target) in tgt.iter().enumerate() {
        for (i, &source) in src.iter().enumerate() {
            let (p, q) = worker.probabilities(i, j);
            links.push((Some(source), Some(target), if forward { p } else { q }));
        }
    }
    if forward {
        links.extend(tgt.iter().zip(&worker.forward.null).map(|(&target, &p)| (None, Some(target), p)));
    } else {
        links.extend(src.iter().zip(&worker.reverse.null).map(|(&source, &p)| (Some(source), None, p)));
    }
    links
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lex::NULL;
    use crate::settings::{ModelKind, Settings};
    use std::collections::HashMap;

    fn tables(threshold: f64) -> [Vec<(String, String, f64)>; 2] {
        let pairs =
            [("das haus", "the house"), ("das buch", "the book"), ("ein buch", "a book"), ("das", "the")];
        let corpus = Corpus::from_pairs(pairs).unwrap();
        let model = Model::train(&corpus, &Settings::of_model(ModelKind::Ibm1), |_| ()).unwrap();
        LexTable::BOTH.map(|table| {
            let (mut text, mut found) = (Vec::new(), Vec::new());
            let mut counts = model.expected_links(&corpus, table).unwrap();
            counts.table(table).unwrap().write_above(threshold, &mut text).unwrap();
            let mut lines = treeglot_text::Lines::new("table", &text[..]);
            table
                .read(&mut lines, |source, target, p| found.push((source.into(), target.into(), p)))
                .unwrap();
            found
        })
    }

    #[test]
    fn tables_have_all_words_that_meet_and_sum_to_one() {
        for (side, table) in tables(0.0).iter().enumerate() {
            let mut sums: HashMap<&str, f64> = HashMap::new();
            for (source, target, p) in table {
                *sums.entry(if side == 0 { source } else { target }).or_default() += p;
            }
            assert_eq!(sums.len(), 5, "four words and the empty one: {table:?}");
            assert!(sums.values().all(|sum| (sum - 1.0).abs() < 1e-5), "{sums:?}");
            assert!(
                table.iter().any(|(s, t, _)| s == "das" && t == "house"),
                "they meet, and are no translations"
            );
            let p = |source: &str, target: &str| {
                table.iter().find(|(s, t, _)| s == source && t == target).unwrap().2
            };
            assert!(p("das", "the") > p("das", "book"));
            assert!(table.iter().any(|(s, t, _)| s == NULL || t == NULL));
        }
    }

    #[test]
    fn what_is_less_probable_than_the_threshold_is_left_out() {
        let (all, likely) = (tables(0.0), tables(0.2));
        for (all, likely) in all.iter().zip(&likely) {
            let expected: Vec<_> = all.iter().filter(|(_, _, p)| *p >= 0.2).cloned().collect();
            assert_eq!(likely, &expected);
            assert!(likely.len() < all.len() && !likely.is_empty());
        }
    }
}
