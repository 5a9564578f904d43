//! Whole texts: the lines of a file scored by all threads, some at a time.

use crate::corpus::words;
use crate::error::Error;
use crate::lm::Lm;
use crate::score::Total;
use rayon::prelude::*;
use std::io::BufRead;
use treeglot_text::bitext::Skipped;
use treeglot_text::vocab::Sym;
use treeglot_text::{Lines, interrupt};

/// How much text is scored at a time, in bytes.
const BATCH: usize = 1 << 19;

impl Lm {
    /// Scores each line as a sentence and hands the scores on, in order. With `skip_bad`, a line that is not UTF-8 or too long has
    /// none, and is counted.
    pub fn score_lines<R: BufRead, E: From<Error>>(
        &self,
        lines: &mut Lines<R>,
        skip_bad: bool,
        mut take: impl FnMut(Option<Total>) -> Result<(), E>,
    ) -> Result<Skipped, E> {
        let (mut batch, mut skipped) = (Batch::default(), Skipped::default());
        while batch.fill(lines, skip_bad.then_some(&mut skipped)).map_err(E::from)? {
            for (at, total) in batch.score(self).into_iter().enumerate() {
                take((!batch.bad.contains(&at)).then_some(total))?;
            }
        }
        Ok(skipped)
    }
}

/// Some lines of the text.
#[derive(Default)]
struct Batch {
    text: String,
    ends: Vec<usize>,
    /// Those that cannot be used, and stand here as empty ones.
    bad: Vec<usize>,
}

impl Batch {
    /// Takes the next lines; whether there were any. Those that cannot be used are passed over and counted, if they may be.
    fn fill<R: BufRead>(
        &mut self,
        lines: &mut Lines<R>,
        mut skipped: Option<&mut Skipped>,
    ) -> Result<bool, Error> {
        self.text.clear();
        self.ends.clear();
        self.bad.clear();
        while self.text.len() < BATCH {
            match lines.next_line() {
                Ok(Some(line)) => self.text.push_str(line),
                Ok(None) => break,
                Err(error) if skipped.as_mut().is_some_and(|skipped| skipped.count(&error)) => {
                    self.bad.push(self.ends.len());
                }
                Err(error) => return Err(error.into()),
            }
            self.ends.push(self.text.len());
        }
        Ok(!self.ends.is_empty())
    }

    fn line(&self, at: usize) -> &str {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.text[start..self.ends[at]]
    }

    fn score(&self, lm: &Lm) -> Vec<Total> {
        let tables = lm.tables();
        let score = |symbols: &mut Vec<Sym>, at: usize| {
            interrupt::check();
            symbols.clear();
            symbols.extend(words(self.line(at)).map(|word| lm.symbol(word)));
            tables.sentence(symbols)
        };
        (0..self.ends.len()).into_par_iter().with_min_len(64).map_init(Vec::new, score).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Settings, estimate};
    use treeglot_text::Input;

    fn small() -> Lm {
        let text = "a b c\na b d\na c d\n".repeat(3);
        let input = Input { name: "t".into(), reader: Box::new(std::io::Cursor::new(text.into_bytes())) };
        let settings = Settings::of_order(2);
        Lm::build_as(estimate::from_text(input, &settings).unwrap().0, &settings).unwrap()
    }

    fn scores(text: &[u8], skip_bad: bool) -> Result<(Vec<Option<f64>>, u64), Error> {
        let mut scores = Vec::new();
        let skipped = small().score_lines(&mut Lines::new("t", text), skip_bad, |total| {
            scores.push(total.map(|total| total.prob));
            Ok::<_, Error>(())
        })?;
        Ok((scores, skipped.total()))
    }

    #[test]
    fn each_line_has_the_score_of_its_words() {
        let lm = small();
        let one = |line: &str| {
            Some(lm.tables().sentence(&words(line).map(|w| lm.symbol(w)).collect::<Vec<_>>()).prob)
        };
        assert_eq!(scores(b"a b\n\nx c", false).unwrap(), (vec![one("a b"), one(""), one("x c")], 0));
    }

    #[test]
    fn a_line_that_cannot_be_read_stops_or_has_no_score() {
        assert!(scores(b"a\n\xff\nb\n", false).unwrap_err().to_string().starts_with("t:2: "));
        let (scores, skipped) = scores(b"a\n\xff\nb\n", true).unwrap();
        assert_eq!((scores.len(), scores[1], skipped), (3, None, 1));
    }
}
