//! Tables of Moses from the data folder come back as they were.

use std::io::Read;
use std::path::Path;
use treeglot_grammar::table::{Dump, Import, dump, import};
use treeglot_grammar::{Scratch, Table};
use treeglot_text::{Input, Output};

fn sorted(path: &Path) -> Vec<String> {
    let mut text = String::new();
    let mut input = Input::open(path).expect("the table is there");
    input.reader.read_to_string(&mut text).expect("the table is text");
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    lines.sort_unstable();
    lines
}

#[test]
#[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
fn phrase_and_reordering_tables_come_back() {
    let data = Path::new(env!("TREEGLOT_REAL_DATA")).join("moses");
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
