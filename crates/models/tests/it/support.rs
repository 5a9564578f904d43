//! Files of pairs for tests, and extraction from them as text.

use std::path::{Path, PathBuf};
use treeglot_grammar::table::{Import, import};
use treeglot_grammar::{Counter, ScoreInputs, ScoreSettings, Scratch, Table, notation, write_table};
use treeglot_models::extract::{Lexicon, Summary, extract};
use treeglot_models::pairs::{Files, Pairs};
use treeglot_models::{Error, Model, registry};
use treeglot_text::Input;
use treeglot_text::bitext::Options;
use treeglot_tree::PerTree;

/// A folder with files of pairs.
pub struct Folder(tempfile::TempDir);

impl Folder {
    /// An empty one.
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    /// With source, target and links.
    pub fn with(source: &str, target: &str, links: &str) -> Self {
        let folder = Self::new();
        folder.write("source", source);
        folder.write("target", target);
        folder.write("links", links);
        folder
    }

    /// Writes a file.
    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, text).expect("the folder can be written");
        path
    }

    /// The path of a file.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Source, target and links, and whatever trees there are.
    pub fn files(&self) -> Files {
        let file = |name: &str| Some(self.path(name)).filter(|path| path.exists());
        let trees = |name: &str| file(name).into_iter().collect();
        Files {
            source: self.path("source"),
            target: self.path("target"),
            links: self.path("links"),
            trees: PerTree {
                source_dep: trees("source.conllu"),
                source_con: trees("source.ptb"),
                target_dep: trees("target.conllu"),
                target_con: trees("target.ptb"),
            },
            node_links: file("node.links"),
        }
    }

    /// What a model makes of the files, as text. The folder is cut from messages.
    pub fn extract(&self, model: &dyn Model, skip_bad: bool) -> Result<(String, Summary), String> {
        let place = format!("{}/", self.0.path().display());
        run(&self.files(), model, skip_bad, None).map_err(|error| error.to_string().replace(&place, ""))
    }
}

/// A model by name, with options.
pub fn model(name: &str, options: serde_json::Value) -> Box<dyn Model> {
    registry::find(name).and_then(|entry| entry.from_value(options)).expect("a model with its options")
}

/// Extracts from files to text.
pub fn run(
    files: &Files,
    model: &dyn Model,
    skip_bad: bool,
    lexicon: Option<&mut Lexicon>,
) -> Result<(String, Summary), Error> {
    let options = Options { skip_bad, ..Options::default() };
    let mut pairs = Pairs::open(files, model.needs(), options)?;
    let mut text = Vec::new();
    let write = |batch| {
        let mut out = Vec::new();
        notation::write_batch(&batch, &mut out);
        out
    };
    let summary = extract(&mut pairs, model, lexicon, write, |part: Vec<u8>| -> Result<(), Error> {
        text.extend_from_slice(&part);
        Ok(())
    })?;
    Ok((String::from_utf8(text).expect("rules are text"), summary))
}

/// A table of one rule; it lies in a file of the folder that is named after its source side.
pub fn table(folder: &Path, source: &str, target: &str) -> Table {
    let name = source.replace([' ', '[', ']'], "-");
    let (text, to) = (folder.join(format!("{name}.txt")), folder.join(name));
    let links = if source.contains("[X][X]") { "0-1" } else { "0-0" };
    std::fs::write(&text, format!("{source} ||| {target} ||| 0.5 ||| {links}\n"))
        .expect("the folder can be written to");
    let options = Import { model: String::new(), memory: 1 << 20 };
    let input = Input::open(text).expect("the file was just written");
    import(input, None, &options, &Scratch::new(None), &to).expect("the rule is well formed");
    Table::open(to).expect("the table was just written")
}

/// A table of instances as extraction writes them, for rules of trees.
pub fn table_of(folder: &Path, name: &str, instances: &[&str]) -> Table {
    let (text, to) = (folder.join(format!("{name}.txt")), folder.join(name));
    std::fs::write(&text, instances.join("\n") + "\n").expect("the folder can be written to");
    let scratch = Scratch::new(None);
    let mut counter = Counter::new(1 << 20, &scratch);
    counter.add_text(Input::open(text).expect("the file was just written"), 1.0).expect("instances");
    let inputs = ScoreInputs { model: name.to_string(), lex: None, corpus: None, memory: 1 << 20 };
    let counted = counter.finish().expect("instances are counted");
    write_table(counted, &ScoreSettings::default(), &inputs, &scratch, &to).expect("rules are scored");
    Table::open(to).expect("the table was just written")
}
