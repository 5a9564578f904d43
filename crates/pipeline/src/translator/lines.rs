//! Lines through a translator, in order and without delay: a line's translation is handed on as soon as it and those before it are
//! done, even while the next line is still being typed.

use super::guide::{Prepared, Preparer};
use super::{Request, Translated, Translator};
use crate::error::{Error, Result};
use std::collections::BTreeMap;
use std::io::BufRead;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use treeglot_models::InputTrees;
use treeglot_models::pairs::TreeReader;
use treeglot_text::bitext::Skipped;
use treeglot_tree::TreeCounts;

/// How many lines each thread may be ahead of the output: a bound on memory.
const AHEAD: usize = 64;

/// Lines to translate, and the files of trees read in step with them.
pub struct LineSource<R> {
    /// The lines.
    pub lines: treeglot_text::Lines<R>,
    /// Their trees: of one reader for all systems, or one for each.
    pub trees: Vec<TreeReader>,
    /// A line that is not UTF-8 or too long is taken as an empty one and counted, instead of ending the run.
    pub skip_bad: bool,
}

/// What was passed over, or used only in part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Passed {
    /// Lines that could not be read.
    pub lines: Skipped,
    /// Trees that are none or do not fit.
    pub trees: TreeCounts,
}

/// A line with all that is known of it before it is translated.
#[derive(Debug, Clone)]
pub struct LineInput {
    /// The line.
    pub text: String,
    /// Its words as the models see them, and what is known of their translation.
    pub prepared: Prepared,
    /// Its trees: one for all systems, one for each, or none.
    pub trees: Vec<InputTrees>,
}

/// An answer with the number of its line.
type Numbered = (u64, String, Result<Translated>);

impl Translator {
    /// Translates lines and hands each with its number, from 0, and its translation to `take`, in order. What was passed over is
    /// returned.
    pub fn translate_lines<R: BufRead + Send>(
        &self,
        source: LineSource<R>,
        request: &Request,
        mut take: impl FnMut(u64, &str, Translated) -> Result<()>,
    ) -> Result<Passed> {
        let request = self.checked(request)?;
        let (answer, answers) = channel();
        let (enter, leave) = sync_channel(AHEAD * self.pool.threads());
        std::thread::scope(|scope| {
            let reader = std::thread::Builder::new()
                .spawn_scoped(scope, move || self.submit_lines(source, request, &enter, &answer))
                .map_err(treeglot_decode::Error::Threads)?;
            let taken = in_order(&answers, &leave, &mut take);
            // A reader that still waits for room must learn that nobody reads any more.
            drop((answers, leave));
            let passed = reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            taken.map(|()| passed)
        })
    }

    /// The next line of a source with its words and trees; none after the last.
    pub fn next_input<R: BufRead>(&self, source: &mut LineSource<R>) -> Result<Option<LineInput>> {
        source.next(&mut self.shared.preparer(), &mut Skipped::default())
    }

    /// Translates one line of a source.
    pub fn translate_input(&self, input: LineInput, request: &Request) -> Result<Translated> {
        let request = self.checked(request)?;
        self.pool
            .ask(move |worker| worker.translate(&input.text, Some(&input.prepared), &input.trees, &request))
    }

    /// Reads lines and has them translated, until there are no more, one cannot be read, or nobody takes them.
    fn submit_lines<R: BufRead>(
        &self,
        mut source: LineSource<R>,
        request: Request,
        enter: &SyncSender<()>,
        answer: &Sender<Numbered>,
    ) -> Passed {
        let mut text = self.shared.preparer();
        let mut skipped = Skipped::default();
        for number in 0.. {
            if enter.send(()).is_err() {
                break;
            }
            match source.next(&mut text, &mut skipped) {
                Ok(Some(input)) => {
                    let (answer, line) = (answer.clone(), input.text.clone());
                    self.pool.submit(
                        move |worker| {
                            worker.translate(&input.text, Some(&input.prepared), &input.trees, &request)
                        },
                        // Nobody takes an answer after an error before it.
                        move |result| drop(answer.send((number, line, result))),
                    );
                }
                Ok(None) => break,
                Err(error) => {
                    drop(answer.send((number, String::new(), Err(error))));
                    break;
                }
            }
        }
        let mut passed = Passed { lines: skipped, trees: TreeCounts::default() };
        source.trees.iter().for_each(|reader| passed.trees.merge(reader.counts()));
        passed
    }
}

impl<R: BufRead> LineSource<R> {
    /// The next line; none after the last, when no trees may be left either.
    fn next(&mut self, text: &mut Preparer<'_>, skipped: &mut Skipped) -> Result<Option<LineInput>> {
        let line = match self.lines.next_line() {
            Ok(Some(line)) => line.to_string(),
            Ok(None) => {
                self.trees.iter_mut().try_for_each(TreeReader::finish)?;
                return Ok(None);
            }
            Err(error) if self.skip_bad && skipped.count(&error) => String::new(),
            Err(error) => return Err(error.into()),
        };
        let text = text.trees_given(self.trees.iter().any(TreeReader::has_files));
        let prepared = text.prepare(&line, &[]).map_err(|error| self.placed(error))?;
        let trees = self.trees.iter_mut().map(|reader| reader.next(&prepared.words));
        let trees = trees.collect::<treeglot_models::Result<_>>()?;
        Ok(Some(LineInput { text: line, prepared, trees }))
    }

    /// An error with the place of the line read last.
    fn placed(&self, error: Error) -> Error {
        match error {
            Error::Invalid(message) => {
                treeglot_text::Error::Malformed { place: self.lines.place(), message }.into()
            }
            other => other,
        }
    }
}

/// Hands answers on in the order of their numbers; the first error ends it, after all before it.
fn in_order(
    answers: &Receiver<Numbered>,
    leave: &Receiver<()>,
    take: &mut impl FnMut(u64, &str, Translated) -> Result<()>,
) -> Result<()> {
    let (mut waiting, mut next) = (BTreeMap::new(), 0);
    for (number, line, result) in answers {
        waiting.insert(number, (line, result));
        while let Some((line, result)) = waiting.remove(&next) {
            take(next, &line, result?)?;
            next += 1;
            let _ = leave.recv();
        }
    }
    Ok(())
}
