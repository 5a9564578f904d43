//! Documents of the repository, and a translation of any document.

use std::fs;
use std::path::{Path, PathBuf};
use treeglot_document::{Document, Linked};
use treeglot_text::protected;

/// The files below a folder of the repository that end so.
fn files(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("its entries can be read").path();
        let name = path.file_name().expect("an entry has a name").to_string_lossy().into_owned();
        if path.is_dir() && !name.starts_with('.') && name != "target" {
            files(&path, ending, found);
        } else if name.ends_with(ending) {
            found.push(path);
        }
    }
}

/// The files of the repository that end so.
pub fn repository(ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."), ending, &mut found);
    assert!(!found.is_empty(), "{ending}");
    found
}

/// Each word of the segments in capitals, linked to itself; place holders stay, as translators leave them.
pub fn loud(document: &Document) -> Vec<Linked> {
    let of = |segment: &treeglot_document::Segment| {
        let mut linked = Linked::default();
        let marked = segment.marked();
        let (mut in_word, mut count) = (false, 0u32);
        let kept = protected(&marked);
        for (at, c) in marked.char_indices() {
            if c == treeglot_document::PLACE {
                linked.places.push(count);
                in_word = false;
                continue;
            }
            if c.is_whitespace() {
                in_word = false;
            } else if !in_word {
                in_word = true;
                linked.words.push(linked.text.len()..linked.text.len());
                linked.links.push((count, count));
                count += 1;
            }
            if kept.iter().any(|range| range.contains(&at)) {
                linked.text.push(c);
            } else {
                linked.text.extend(c.to_uppercase());
            }
            if in_word && let Some(word) = linked.words.last_mut() {
                word.end = linked.text.len();
            }
        }
        linked
    };
    document.segments().iter().map(of).collect()
}
