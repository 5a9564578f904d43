//! Readers of recipes and bundles. A damaged table in a system that is otherwise right is translated with.

use crate::{Failure, Outcome};
use std::path::{Path, PathBuf};
use treeglot_decode::{LmRole, TableRole, Weights};
use treeglot_pipeline::bundle::{Components, LmFile, TableFile, pack, unpack};
use treeglot_pipeline::translator::TranslatorSettings;
use treeglot_pipeline::{Bundle, Recipe, Request, SearchSettings, Translator};

const RULES: &str = include_str!("../../seeds/moses-table.hiero");
const ARPA: &str = include_str!("../../seeds/arpa");
const WEIGHTS: &str = "LM0= 0.5\nUnknownWordPenalty0= 1\nWordPenalty0= -1\nPhrasePenalty0= 0.2\n\
                       TranslationModel0= 0.2 0.2 0.2 0.2\nTranslationModel1= 1\n";
const LINES: [&str; 3] = ["", "die Frau sieht den alten Mann", "[X] ||| unbekannt &#124; Frauen"];

pub fn recipe(path: &Path) -> Outcome {
    Recipe::open(path, Some(Path::new("/data")))?;
    Ok(())
}

/// A bundle whose manifest is damaged.
pub fn manifest(path: &Path) -> Outcome {
    let folder = path.with_file_name("bundle");
    std::fs::copy(path, folder.join("bundle.toml"))?;
    let bundle = Bundle::open(&folder)?;
    translate(&bundle.components(), &bundle.weights()?)
}

pub fn make_manifests(folder: &Path) -> Result<Vec<Vec<u8>>, Failure> {
    Ok(vec![std::fs::read(bundle(folder, "bundle")?.folder().join("bundle.toml"))?])
}

pub fn archive(path: &Path) -> Outcome {
    let to = path.with_file_name("unpacked");
    let unpacked = unpack(path, &to);
    let _ = std::fs::remove_dir_all(&to);
    unpacked?;
    Ok(())
}

pub fn make_archives(folder: &Path) -> Result<Vec<Vec<u8>>, Failure> {
    let path = folder.join("bundle.tar");
    pack(&bundle(folder, "bundle")?, &path)?;
    Ok(vec![std::fs::read(path)?])
}

/// A system whose table is damaged: as if all that the manifest says of its files were right.
pub fn system_of_table(path: &Path) -> Outcome {
    let components = components(path.to_path_buf(), path.with_file_name("arpa"))?;
    translate(&components, &weights(path)?)
}

/// A system whose affixes are damaged; one of the lines has a word to guess.
pub fn affixes(path: &Path) -> Outcome {
    let folder = path.with_file_name("guessing");
    if !folder.join("bundle.toml").exists() {
        bundle(path.parent().unwrap_or(Path::new("")), "guessing")?;
    }
    let bundle = Bundle::open(&folder)?;
    let components = Components { affixes: Some(path.to_path_buf()), ..bundle.components() };
    translate(&components, &bundle.weights()?)
}

fn translate(components: &Components, weights: &Weights) -> Outcome {
    let settings = TranslatorSettings { threads: 1, ..TranslatorSettings::default() };
    let translator = Translator::new(&[(components.clone(), weights.clone())], &settings)?;
    let request = Request { count: 3, distinct: true, explain: true, ..Request::default() };
    for line in LINES {
        translator.translate_with(line, &request)?;
    }
    Ok(())
}

/// A new bundle.
fn bundle(folder: &Path, name: &str) -> Result<Bundle, Failure> {
    let rules = folder.join("rules");
    std::fs::write(&rules, RULES)?;
    let components = components(rules, folder.join("arpa"))?;
    Ok(components.bundle(&weights(&folder.join("any"))?, None, &folder.join(name), true)?)
}

fn weights(beside: &Path) -> Result<Weights, Failure> {
    let path = beside.with_file_name("weights");
    std::fs::write(&path, WEIGHTS)?;
    Ok(Weights::read(path)?)
}

fn components(table: PathBuf, lm: PathBuf) -> Result<Components, Failure> {
    std::fs::write(&lm, ARPA)?;
    Ok(Components {
        model: "hiero".to_string(),
        options: Default::default(),
        search: SearchSettings { pop_limit: Some(20), ..SearchSettings::default() },
        languages: [Some("de".to_string()), Some("en".to_string())],
        text: None,
        tables: vec![TableFile { role: TableRole::Model, path: table, reordering: None }],
        lms: vec![LmFile { role: LmRole::Ngram, path: lm }],
        joint: None,
        lexical: None,
        operations: None,
        sparse: None,
        affixes: None,
        subwords: [None, None],
        parsers: Vec::new(),
    })
}
