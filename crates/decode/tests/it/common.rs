//! Tables from rules as text, for tests.

use std::path::Path;
use treeglot_grammar::table::{Import, import};
use treeglot_grammar::{Scratch, Table};
use treeglot_text::Input;

/// Writes a table of rules in Moses' notation: `source ||| target ||| scores ||| links`.
pub fn table(rules: &str, path: &Path) -> Table {
    let text = path.with_extension("txt");
    std::fs::write(&text, rules).expect("a temporary file");
    let options = Import { model: "hiero".to_string(), memory: 1 << 30 };
    let input = Input::open(&text).expect("the file just written");
    import(input, None, &options, &Scratch::new(None), path).expect("tests write good rules");
    Table::open(path).expect("the table just written")
}
