//! Studies of coverage as stages: the training pairs with their links and the trees of the source side, read once for all limits.

use super::rules::{note_trees, text_files};
use super::{Direction, Planner, stages};
use crate::error::Result;
use crate::plan::Artifact;
use crate::recipe::{CoverageStudy, RuleSet};
use treeglot_models::pairs::Files;
use treeglot_tree::{PerTree, TreeKind, TreeSlot};

/// The file that holds what was found in its stage's folder.
const COVERAGE: &str = "coverage.json";

impl<'r> Planner<'r> {
    /// What a study finds in a direction.
    pub fn coverage(&mut self, study: &'r CoverageStudy, direction: Direction) -> Result<Artifact> {
        let system = study.system();
        let texts = self.linked_text(&system, direction)?;
        let slot = TreeSlot { side: direction.from, kind: TreeKind::Dependency };
        let trees = self.trees(&system, &RuleSet::default(), slot)?;
        let skip_bad = self.recipe.preprocess.skip_bad;
        let title = format!("{} {}", system.name, direction.name(self.recipe));
        let stage = self.plan.stage(title, "coverage", 1).weight(6.0);
        let stage = stage.settings(&study.settings).settings(&skip_bad).reads(&texts).reads(&trees);
        let stage = stage.run(move |place| {
            let trees = PerTree { source_dep: place.paths(&trees), ..PerTree::default() };
            let files = Files { trees, ..text_files(place, &texts) };
            let counts = stages::coverage(&study.settings, &files, skip_bad, &place.out.join(COVERAGE))?;
            note_trees(place, counts);
            Ok(())
        });
        Ok(stage.makes(COVERAGE))
    }
}
