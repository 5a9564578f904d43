//! From words to pieces of words, for systems that are trained on these: a model of pieces is learnt from the words of a side of the
//! training pairs, and cuts all text that rules, links and language models are learnt from. Development and test sets stay words:
//! a translator cuts and joins by itself. Links and lexical tables of a system are made of the text that its models see.

use super::rules::{LEX, text_files};
use super::{Direction, LINKS, Planner, WORDS, stages};
use crate::cluster;
use crate::error::Result;
use crate::plan::Artifact;
use crate::recipe::System;
use std::path::Path;
use treeglot_text::subword::{Learner, Subwords};
use treeglot_text::{Lines, Output, Side, filter_lines};

/// The file that holds a model of pieces in its stage's folder.
const SUBWORDS: &str = "subwords";

impl<'r> Planner<'r> {
    /// The model of the pieces of a side that a system is trained on, if it is.
    pub(super) fn subwords(&mut self, system: &System, side: Side) -> Result<Option<Artifact>> {
        let merges = system.subwords(self.recipe).of(side);
        if merges == 0 {
            return Ok(None);
        }
        let words = self.train_text()?.words[side.index()].clone();
        let stage = self.plan.stage(format!("subwords {}", self.recipe.language(side)), "subwords", 1);
        let stage = stage.settings(&merges).reads([&words]).run(move |place| {
            let mut learner = Learner::default();
            learner.add_text(&place.path(&words))?;
            let subwords = learner.learn(merges);
            place.note("merges", subwords.len());
            Ok(subwords.write(place.out.join(SUBWORDS))?)
        });
        Ok(Some(stage.makes(SUBWORDS)))
    }

    /// Words as a system's models see them: as they are, or in pieces.
    pub(super) fn pieces(
        &mut self,
        what: &str,
        words: Artifact,
        system: &System,
        side: Side,
    ) -> Result<Artifact> {
        let Some(subwords) = self.subwords(system, side)? else { return Ok(words) };
        let threads = self.resources.threads;
        let stage = self.plan.stage(format!("pieces {what} {}", self.recipe.language(side)), "pieces", 1);
        let stage = stage.reads([&words, &subwords]).run(move |place| {
            let subwords = Subwords::open(place.path(&subwords))?;
            write_pieces(&subwords, &place.path(&words), &place.out.join(WORDS), threads)
        });
        Ok(stage.makes(WORDS))
    }

    /// The training text of a direction, as the models of a system see it: source, target and their links.
    pub(super) fn linked_text(&mut self, system: &System, direction: Direction) -> Result<[Artifact; 3]> {
        let mut words = self.train_text()?.words;
        for (text, side) in words.iter_mut().zip(Side::BOTH) {
            *text = self.pieces("train", text.clone(), system, side)?;
        }
        let [source, target] = Side::BOTH.map(|seen| words[direction.side(seen).index()].clone());
        let links = match &self.recipe.data.train.links {
            Some(links) => self.kept(links, "links", LINKS.to_string())?,
            None => self.aligned(words)?,
        };
        Ok([source, target, self.directed(links, "links", direction)])
    }

    /// Lexical tables over the links of a direction.
    pub(super) fn lexicon(&mut self, system: &System, direction: Direction) -> Result<Artifact> {
        let texts = self.linked_text(system, direction)?;
        let stage = self.plan.stage(format!("lexicon {}", direction.name(self.recipe)), "lexicon", 2);
        let skip_bad = self.recipe.preprocess.skip_bad;
        let stage = stage.settings(&skip_bad).reads(&texts).run(move |place| {
            let (texts, to) = (text_files(place, &texts), place.out.join(LEX));
            match place.site() {
                Some(site) => cluster::lexicon(site, &texts, skip_bad, &to),
                None => stages::lexicon(&texts, skip_bad, &to),
            }
        });
        Ok(stage.makes(LEX))
    }
}

/// Writes the pieces of the words of each line.
fn write_pieces(subwords: &Subwords, from: &Path, to: &Path, threads: usize) -> Result<()> {
    let mut out = Output::create(to)?;
    let worker = || {
        let mut worker = subwords.worker();
        move |line: &str, out: &mut String| worker.segment(line, out)
    };
    let mut workers: Vec<_> = (0..threads.max(1)).map(|_| worker()).collect();
    filter_lines(&mut Lines::open(from)?, &mut out, &mut workers, false)?;
    Ok(out.finish()?)
}
