//! What a system learns from its pairs and tables beside rules and language models: how words differ that are translated alike,
//! operation sequence models, the words that sparse features tell apart, and neural joint models.

use super::{Direction, LM, Planner, stages};
use crate::error::Result;
use crate::plan::Artifact;
use crate::recipe::System;
use crate::unknown::{Affixes, Lexicon};
use treeglot_decode::FrequentWords;
use treeglot_grammar::Table;
use treeglot_joint::Predicts;
use treeglot_lm::Settings as LmSettings;
use treeglot_models::TableRole;

/// The file that holds what was learnt of affixes in its stage's folder.
const AFFIXES: &str = "affixes";

/// The file that holds the words that sparse features tell apart in its stage's folder.
const FREQUENT: &str = "frequent";

/// The file that holds a joint or lexical translation model in its stage's folder.
const NETWORK: &str = "network";

impl Planner<'_> {
    /// How words differ that the tables of a system translate alike.
    pub(super) fn affixes(
        &mut self,
        system: &System,
        tables: &[(TableRole, Artifact)],
        direction: Direction,
    ) -> Artifact {
        let name = format!("affixes {} {}", system.name, direction.name(self.recipe));
        let tables: Vec<Artifact> = tables.iter().map(|(_, table)| table.clone()).collect();
        let stage = self.plan.stage(name, "affixes", 1).reads(&tables).run(move |place| {
            let open = |table: &Artifact| Ok(Table::open(place.path(table))?);
            let lexicon = Lexicon::new(tables.iter().map(open).collect::<Result<_>>()?);
            Affixes::learn(&lexicon).write(&place.out.join(AFFIXES))
        });
        stage.makes(AFFIXES)
    }

    /// The operation sequence model of a direction.
    pub(super) fn operations(&mut self, system: &System, direction: Direction) -> Result<Artifact> {
        let texts = self.linked_text(system, direction)?;
        let (lm, memory) = (&self.recipe.lm, self.resources.memory);
        let (order, skip_bad) = (self.recipe.operations.order, self.recipe.preprocess.skip_bad);
        let name = format!("operations {}", direction.name(self.recipe));
        let stage = self.plan.stage(name, "operations", 1).settings(lm).settings(&(order, skip_bad));
        let stage = stage.reads(&texts).run(move |place| {
            let [source, target, links] = texts.each_ref().map(|text| place.path(text));
            let lm = LmSettings { order, prune: Vec::new(), ..lm.clone() };
            let to = place.out.join(LM);
            stages::operations([&source, &target, &links], skip_bad, (&lm, memory), place.out, &to)
        });
        Ok(stage.makes(LM))
    }

    /// The words that the sparse features of a direction tell apart.
    pub(super) fn frequent_words(&mut self, system: &System, direction: Direction) -> Result<Artifact> {
        let [source, target, _] = self.linked_text(system, direction)?;
        let settings = &self.recipe.sparse;
        let name = format!("frequent words {}", direction.name(self.recipe));
        let stage = self.plan.stage(name, "frequent-words", 1).settings(settings).reads([&source, &target]);
        let stage = stage.run(move |place| {
            let [source, target] = [&source, &target].map(|text| place.path(text));
            let words = FrequentWords::learn([&source, &target], settings)?;
            Ok(words.write(&place.out.join(FREQUENT))?)
        });
        Ok(stage.makes(FREQUENT))
    }

    /// The joint model of a direction, or its lexical translation model.
    pub(super) fn neural(
        &mut self,
        system: &System,
        direction: Direction,
        predicts: Predicts,
    ) -> Result<Artifact> {
        let texts = self.linked_text(system, direction)?;
        let settings = &self.recipe.joint;
        let (kind, version) = match predicts {
            Predicts::Words => ("joint", 2),
            Predicts::Translations => ("lexical", 1),
        };
        let stage = self.plan.stage(format!("{kind} {}", direction.name(self.recipe)), kind, version);
        let stage = stage.weight(60.0).settings(settings).reads(&texts).run(move |place| {
            let [source, target, links] = texts.each_ref().map(|text| place.path(text));
            let say = |step: &str| place.bar.say(step);
            let to = place.out.join(NETWORK);
            let learnt = treeglot_joint::train([&source, &target, &links], predicts, settings, &to, say)?;
            place.note("perplexity", format!("{:.2}", learnt.perplexity));
            place.note("epoch", learnt.epoch);
            place.note("deviation", format!("{:.2}", learnt.deviation));
            Ok(())
        });
        Ok(stage.makes(NETWORK))
    }
}
