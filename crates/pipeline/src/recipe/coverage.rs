//! Studies of coverage in a recipe: how many training pairs their own rules can build again (Na & Lee 2011, section 5).

use super::{Directions, SubwordSettings, System, sources};
use serde::{Deserialize, Serialize};
use treeglot_models::mwu::coverage::Study;

/// One study, of multi-word units over the dependency trees of the source side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct CoverageStudy {
    /// How the report calls it; the names of its parsers if missing.
    #[serde(default)]
    pub name: String,
    /// Only this way; missing for all of the recipe's ways.
    pub direction: Option<Directions>,
    /// The parsers whose trees make one forest a sentence, where the data have those of several.
    #[serde(default, deserialize_with = "sources::names")]
    pub parsers: Vec<String>,
    /// The ranges of limits that are studied, as `treeglot coverage` has them.
    #[serde(default)]
    pub settings: Study,
}

impl CoverageStudy {
    /// The system whose rules it studies: its words, links and trees are found as those of any other.
    pub(crate) fn system(&self) -> System {
        System {
            name: format!("coverage {}", self.name).trim_end().to_string(),
            parsers: self.parsers.clone(),
            subwords: Some(SubwordSettings::default()),
            compounds: Some(Vec::new()),
            ..System::new("mwu")
        }
    }
}
