//! From words to pieces of words, for systems that are trained on these: a model of pieces, or of the parts of compounds, is learnt from the words of a side of the
//! training pairs, and cuts all text that rules, links and language models are learnt from. Development and test sets stay words:
//! a translator cuts and joins by itself. Links and lexical tables of a system are made of the text that its models see.

use super::rules::{LEX, text_files};
use super::{Direction, LINKS, Planner, WORDS, stages};
use crate::cluster;
use crate::error::Result;
use crate::plan::Artifact;
use crate::recipe::System;
use std::path::Path;
use treeglot_text::subword::{Cutter, Learner, linking};
use treeglot_text::{Lines, Output, Side, filter_lines};
use treeglot_tree::{TreeKind, TreeSlot};

/// The file that holds a model of pieces in its stage's folder.
const SUBWORDS: &str = "subwords";

impl<'r> Planner<'r> {
    /// What cuts the words of a side as a system sees it, if they are cut.
    pub(super) fn cutter(
        &mut self,
        system: &System,
        direction: Direction,
        seen: Side,
    ) -> Result<Option<Artifact>> {
        let side = direction.side(seen);
        let (language, merges) = (self.recipe.language(side), system.subwords(self.recipe).of(side));
        let compounds = seen == Side::Source && system.compounds(self.recipe).iter().any(|of| of == language);
        if merges == 0 && !compounds {
            return Ok(None);
        }
        let words = self.train_text()?.words[side.index()].clone();
        if compounds {
            let stage = self.plan.stage(format!("compounds {language}"), "compounds", 1);
            let stage = stage.settings(language).reads([&words]).run(move |place| {
                let mut learner = Learner::default();
                learner.add_text(&place.path(&words))?;
                let compounds = learner.compounds(linking(language));
                place.note("words", compounds.len());
                Ok(compounds.write(place.out.join(SUBWORDS))?)
            });
            return Ok(Some(stage.makes(SUBWORDS)));
        }
        let stage = self.plan.stage(format!("subwords {language}"), "subwords", 1);
        let stage = stage.settings(&merges).reads([&words]).run(move |place| {
            let mut learner = Learner::default();
            learner.add_text(&place.path(&words))?;
            let subwords = learner.learn(merges);
            place.note("merges", subwords.len());
            Ok(subwords.write(place.out.join(SUBWORDS))?)
        });
        Ok(Some(stage.makes(SUBWORDS)))
    }

    /// Words of a side as a system's models see them: as they are, or cut.
    pub(super) fn pieces(
        &mut self,
        what: &str,
        words: Artifact,
        system: &System,
        direction: Direction,
        seen: Side,
    ) -> Result<Artifact> {
        let Some(cutter) = self.cutter(system, direction, seen)? else { return Ok(words) };
        let (threads, language) = (self.resources.threads, self.recipe.language(direction.side(seen)));
        let stage = self.plan.stage(format!("pieces {what} {language}"), "pieces", 1);
        let stage = stage.reads([&words, &cutter]).run(move |place| {
            let cutter = Cutter::open(place.path(&cutter))?;
            write_pieces(&cutter, &place.path(&words), &place.out.join(WORDS), threads)
        });
        Ok(stage.makes(WORDS))
    }

    /// The training text of a direction, as the models of a system see it: source, target and their links.
    pub(super) fn linked_text(&mut self, system: &System, direction: Direction) -> Result<[Artifact; 3]> {
        let mut words = self.train_text()?.words;
        for seen in Side::BOTH {
            let text = &mut words[direction.side(seen).index()];
            *text = self.pieces("train", text.clone(), system, direction, seen)?;
        }
        let [source, target] = Side::BOTH.map(|seen| words[direction.side(seen).index()].clone());
        let links = match &self.recipe.data.train.links {
            Some(links) => self.kept(links, "links", LINKS.to_string())?,
            None => self.aligned(words)?,
        };
        Ok([source, target, self.directed(links, "links", direction)])
    }

    /// The trees of the training pairs whose words are those that a system sees.
    pub(super) fn split_trees(
        &mut self,
        trees: Artifact,
        system: &System,
        direction: Direction,
        seen: TreeSlot,
    ) -> Result<Artifact> {
        let Some(cutter) = self.cutter(system, direction, seen.side)? else { return Ok(trees) };
        let words = self.train_text()?.words[direction.side(seen.side).index()].clone();
        let (kind, skip_bad) = (seen.kind, self.recipe.preprocess.skip_bad);
        let file = match kind {
            TreeKind::Dependency => "trees.conllu",
            TreeKind::Constituency => "trees.ptb",
        };
        let stage = self.plan.stage(format!("split {}", seen.key()), "split-trees", 1).settings(&skip_bad);
        let stage = stage.reads([&words, &cutter, &trees]).run(move |place| {
            let from = [&words, &cutter, &trees].map(|artifact| place.path(artifact));
            stages::split_trees(
                from.each_ref().map(|path| path.as_path()),
                kind,
                skip_bad,
                &place.out.join(file),
            )
        });
        Ok(stage.makes(file))
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
fn write_pieces(cutter: &Cutter, from: &Path, to: &Path, threads: usize) -> Result<()> {
    let mut out = Output::create(to)?;
    let worker = || {
        let mut worker = cutter.worker();
        move |line: &str, out: &mut String| worker.segment(line, out)
    };
    let mut workers: Vec<_> = (0..threads.max(1)).map(|_| worker()).collect();
    filter_lines(&mut Lines::open(from)?, &mut out, &mut workers, false)?;
    Ok(out.finish()?)
}
