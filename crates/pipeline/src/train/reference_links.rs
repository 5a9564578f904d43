//! Links between the source and the references of test sets, for metrics of word order: by the model that aligned the training
//! pairs, or those the recipe gives.

use super::rules::LEX;
use super::{Direction, LINKS, Planner, stages};
use crate::check::default_tokenizer;
use crate::error::Result;
use crate::plan::Artifact;
use crate::recipe::{PairFiles, Recipe};
use treeglot_text::Side;

/// The file that holds a model of word alignment in its stage's folder.
const ALIGNER: &str = "aligner";

/// Whether a metric of a recipe makes use of links.
pub(super) fn reads_links(recipe: &Recipe) -> Result<bool> {
    let metrics = recipe.eval.build(default_tokenizer(recipe, Side::Target))?;
    Ok(metrics.iter().any(|metric| metric.reads_links()))
}

/// What the alignment of the training pairs writes beside links.
#[derive(Debug, Clone, Copy)]
pub(super) struct Beside {
    /// The lexical tables of the model.
    pub tables: Option<&'static str>,
    /// The model.
    pub model: Option<&'static str>,
}

impl<'r> Planner<'r> {
    /// What the alignment of the training pairs writes beside links: tables where nodes of trees are linked by them, its model where
    /// test sets are aligned.
    pub(super) fn beside_links(&self) -> Result<Beside> {
        let given = |test: &PairFiles| test.links.is_some();
        let aligns_tests = reads_links(self.recipe)? && !self.recipe.data.test.iter().all(given);
        Ok(Beside { tables: self.links_nodes().then_some(LEX), model: aligns_tests.then_some(ALIGNER) })
    }

    /// The links between a test set's source and its first reference, if a metric makes use of them.
    pub fn reference_links(&mut self, test: &'r PairFiles, direction: Direction) -> Result<Option<Artifact>> {
        if !reads_links(self.recipe)? {
            return Ok(None);
        }
        let links = match &test.links {
            Some(links) => {
                let stage = self.plan.stage(format!("links {}", test.name), "given-links", 1);
                let stage = stage.reads_files([links.as_path()])?;
                stage.run(move |place| stages::copy_links(links, &place.out.join(LINKS))).makes(LINKS)
            }
            None => self.aligned_test(test)?,
        };
        Ok(Some(self.directed(links, &format!("links {}", test.name), direction)))
    }

    /// The links of a test set, from the source to the target language of the recipe.
    fn aligned_test(&mut self, test: &'r PairFiles) -> Result<Artifact> {
        let words = self.train_text()?.words;
        let aligner = self.aligned(words)?.stage.makes(ALIGNER);
        let texts = [
            self.prepared(&test.name, &test.source, Side::Source)?,
            self.prepared(&test.name, &test.target, Side::Target)?,
        ];
        let (settings, memory) = (&self.recipe.align, self.resources.memory);
        let stage = self.plan.stage(format!("align {}", test.name), "align-test", 1).settings(settings);
        let stage = stage.reads([&aligner]).reads(&texts).run(move |place| {
            let [source, target] = texts.each_ref().map(|text| place.path(text));
            let to = place.out.join(LINKS);
            stages::align_with(&place.path(&aligner), [&source, &target], settings, memory, &to)
        });
        Ok(stage.makes(LINKS))
    }
}
