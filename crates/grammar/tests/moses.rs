//! Tables of Moses from the data folder come back as they were.

use std::io::Read;
use std::path::{Path, PathBuf};
use treeglot_grammar::table::{Dump, Import, dump, import};
use treeglot_grammar::{Scratch, Table};
use treeglot_text::{Input, Output};

fn data() -> Option<PathBuf> {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");
    let folder =
        PathBuf::from(std::env::var("TREEGLOT_DATA").unwrap_or_else(|_| default.to_string())).join("moses");
    if folder.is_dir() {
        println!("ran on {}", folder.display());
        Some(folder)
    } else {
        println!("skipped: no data folder {}", folder.display());
        None
    }
}

fn sorted(path: &Path) -> Vec<String> {
    let mut text = String::new();
    let mut input = Input::open(path).expect("the table is there");
    input.reader.read_to_string(&mut text).expect("the table is text");
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    lines.sort_unstable();
    lines
}

#[test]
fn phrase_and_reordering_tables_come_back() {
    let Some(data) = data() else { return };
    let folder = tempfile::tempdir().unwrap();
    let (phrases, reordering) =
        (data.join("phrase/phrase-table.gz"), data.join("phrase/reordering-table.gz"));
    let (path, scratch) = (folder.path().join("table"), Scratch::new(None));
    let inputs = (Input::open(&phrases).unwrap(), Input::open(&reordering).unwrap());
    let rules =
        import(inputs.0, Some(inputs.1), &Import { memory: 1 << 24, ..Import::default() }, &scratch, &path);
    let table = Table::open(&path).unwrap();
    assert_eq!(rules.unwrap(), table.len());
    for (what, original) in [(Dump::Rules, phrases), (Dump::Reordering, reordering)] {
        let text = folder.path().join("text");
        let mut out = Output::create(&text).unwrap();
        dump(&table, what, 1 << 24, &scratch, &mut out).unwrap();
        out.finish().unwrap();
        assert!(sorted(&text) == sorted(&original), "{what:?} differs");
    }
}
