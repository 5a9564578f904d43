//! The two lexical tables of the word aligner, as the sub-tree aligner looks words up in them.

use crate::error::Result;
use crate::lex::NULL;
use rustc_hash::FxHashMap;
use std::ffi::OsString;
use std::path::Path;
use treeglot_text::Lines;
use treeglot_text::vocab::{Sym, Vocab};

/// Probabilities of words given words of the other side, in both directions.
#[derive(Default)]
pub struct Lexicon {
    /// Words of the source and of the target.
    vocabs: [Vocab; 2],
    /// `p(source|target)` by source and target word.
    source_given_target: FxHashMap<(Sym, Sym), f32>,
    /// `p(target|source)`, likewise by source and target word.
    target_given_source: FxHashMap<(Sym, Sym), f32>,
}

/// A word as the tables know it; `None` for one that they do not have.
pub type Known = Option<Sym>;

impl Lexicon {
    /// Reads the tables `PREFIX.f2e` and `PREFIX.e2f` that `treeglot align --lex PREFIX` writes, packed or not.
    pub fn open(prefix: &Path) -> Result<Self> {
        let mut lexicon = Self::default();
        lexicon.read(&mut open_table(prefix, ".f2e")?, true)?;
        lexicon.read(&mut open_table(prefix, ".e2f")?, false)?;
        Ok(lexicon)
    }

    /// Reads a table with lines `word given-word probability`; with `of_target` the words are of the target.
    pub fn read(&mut self, lines: &mut Lines, of_target: bool) -> Result<()> {
        while let Some(line) = lines.next_line()? {
            let mut fields = line.split_ascii_whitespace();
            let (word, given, number) = (fields.next(), fields.next(), fields.next());
            let probability = number.and_then(|text| text.parse::<f32>().ok());
            let (Some(word), Some(given), Some(probability), None) =
                (word, given, probability.filter(|p| (0.0..=1.0).contains(p)), fields.next())
            else {
                return Err(lines.malformed("expected `word given-word probability`").into());
            };
            let (source, target) = if of_target { (given, word) } else { (word, given) };
            let key = (self.vocabs[0].intern(source), self.vocabs[1].intern(target));
            let table = if of_target { &mut self.target_given_source } else { &mut self.source_given_target };
            table.insert(key, probability);
        }
        Ok(())
    }

    /// A word of a side (0 for the source, 1 for the target): as it is or, if the tables do not have it so, in lower case.
    pub fn word(&self, side: usize, form: &str) -> Known {
        let vocab = &self.vocabs[side];
        vocab.get(form).or_else(|| vocab.get(&form.to_lowercase()))
    }

    /// The empty word of a side.
    pub fn empty(&self, side: usize) -> Known {
        self.vocabs[side].get(NULL)
    }

    /// `p(source|target)` and `p(target|source)`; 0 for pairs that are not in the tables.
    pub fn pair(&self, source: Known, target: Known) -> [f64; 2] {
        let (Some(source), Some(target)) = (source, target) else { return [0.0; 2] };
        let get = |table: &FxHashMap<(Sym, Sym), f32>| {
            table.get(&(source, target)).map_or(0.0, |&probability| f64::from(probability))
        };
        [get(&self.source_given_target), get(&self.target_given_source)]
    }
}

/// Opens `PREFIX.f2e`, or the same packed.
fn open_table(prefix: &Path, ending: &str) -> Result<Lines> {
    let named = |packed: &str| {
        let mut path = OsString::from(prefix);
        path.push(ending);
        path.push(packed);
        path
    };
    let packed = [".gz", ".zst"].into_iter().find(|packed| Path::new(&named(packed)).exists());
    let plain = Path::new(&named("")).exists();
    Ok(Lines::open(named(packed.filter(|_| !plain).unwrap_or_default()))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lexicon(f2e: &'static str, e2f: &'static str) -> Result<Lexicon> {
        let lines = |text: &'static str| Lines::new("lex", Box::new(text.as_bytes()) as _);
        let mut lexicon = Lexicon::default();
        lexicon.read(&mut lines(f2e), true)?;
        lexicon.read(&mut lines(e2f), false)?;
        Ok(lexicon)
    }

    #[test]
    fn words_are_looked_up_in_both_directions_and_in_lower_case() {
        let lexicon = lexicon("house haus 0.75\n", "haus house 0.5\n").unwrap();
        let (haus, house) = (lexicon.word(0, "Haus"), lexicon.word(1, "house"));
        assert_eq!(lexicon.pair(haus, house), [0.5, 0.75]);
        assert_eq!(lexicon.pair(lexicon.word(0, "house"), house), [0.0, 0.0]);
    }

    #[test]
    fn what_is_no_table_is_refused_with_its_place() {
        for text in ["house haus\n", "house haus x\n", "house haus 1.5\n", "house haus 0.5 1\n"] {
            let error = lexicon(text, "").err().unwrap().to_string();
            assert_eq!(error, "lex:1: expected `word given-word probability`", "{text}");
        }
    }
}
