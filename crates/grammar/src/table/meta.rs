//! What the parts of a table file are called, and what it says about itself.

use crate::error::Result;
use treeglot_text::mapped::{MappedFile, MappedWriter, View};

/// The names of the sections.
pub mod tags {
    use treeglot_text::mapped::Tag;

    pub const META: Tag = Tag::new("meta");
    pub const SYMBOLS: Tag = Tag::new("symbols");
    pub const CHILDREN: Tag = Tag::new("children");
    pub const SOURCES: Tag = Tag::new("sources");
    pub const FIRST_RULES: Tag = Tag::new("rules");
    pub const SOURCE_COUNTS: Tag = Tag::new("srccount");
    pub const TARGET_BLOCKS: Tag = Tag::new("tgtblock");
    pub const TARGET_CODES: Tag = Tag::new("tgtcodes");
    pub const TARGET_COUNTS: Tag = Tag::new("tgtcount");
    pub const TARGETS: Tag = Tag::new("targets");
    pub const LINKS: Tag = Tag::new("links");
    pub const LINK_ENDS: Tag = Tag::new("linkends");
    pub const LINK_PAIRS: Tag = Tag::new("linkpair");
    pub const JOINT_COUNTS: Tag = Tag::new("count");
    pub const REORDERING: Tag = Tag::new("reorder");
    pub const REORDERING_BOOK: Tag = Tag::new("reobook");

    /// The section of score column `k`.
    pub fn score(k: usize) -> Tag {
        Tag::new(&format!("score{k}"))
    }
}

/// The most scores a rule may have, and names for them still fit.
pub const MAX_SCORES: usize = 100;

/// What a table says about itself: lines of a name, a tab and a value.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Meta {
    pub model: String,
    pub score_names: Vec<String>,
    pub reordering: bool,
    pub notes: Vec<(String, String)>,
}

impl Meta {
    pub fn read(file: &MappedFile) -> Result<Self> {
        let bytes: View<u8> = file.view(tags::META)?;
        let text = std::str::from_utf8(&bytes)
            .map_err(|_| file.corrupt("its description is damaged".to_string()))?;
        let mut meta = Self::default();
        for (name, value) in text.lines().filter_map(|line| line.split_once('\t')) {
            match name {
                "model" => meta.model = value.to_string(),
                "score" => meta.score_names.push(value.to_string()),
                "reordering" => meta.reordering = true,
                _ => meta.notes.push((name.to_string(), value.to_string())),
            }
        }
        if meta.score_names.len() > MAX_SCORES {
            return Err(file.corrupt("its description is damaged: too many scores".to_string()).into());
        }
        Ok(meta)
    }

    pub fn write(&self, out: &mut MappedWriter) -> Result<()> {
        let mut text = format!("model\t{}\n", self.model);
        let scores = self.score_names.iter().map(|name| ("score", name.as_str()));
        let reordering = self.reordering.then_some(("reordering", "msd-bidirectional-fe"));
        let notes = self.notes.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        for (name, value) in scores.chain(reordering).chain(notes) {
            text.push_str(&format!("{name}\t{}\n", value.replace(['\n', '\t'], " ")));
        }
        Ok(out.section(tags::META, text.as_bytes())?)
    }
}
