//! Documents of this repository and hand-made ones come back byte for byte where nothing is translated, and with their structure
//! where every word is.

use pulldown_cmark::{Event, Parser};
use std::fs;
use std::path::{Path, PathBuf};
use treeglot_document::{Document, Format, Linked};

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

fn repository(ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."), ending, &mut found);
    assert!(!found.is_empty(), "{ending}");
    found
}

/// Each word of the segments in capitals, linked to itself.
fn loud(document: &Document) -> Vec<Linked> {
    let of = |segment: &treeglot_document::Segment| {
        let mut linked = Linked::default();
        let marked = segment.marked();
        let (mut in_word, mut count) = (false, 0u32);
        for c in marked.chars() {
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
            linked.text.extend(c.to_uppercase());
            if in_word && let Some(word) = linked.words.last_mut() {
                word.end = linked.text.len();
            }
        }
        linked
    };
    document.segments().iter().map(of).collect()
}

#[test]
fn markdown_and_html_of_this_repository_come_back_byte_for_byte() {
    for (ending, format) in [(".md", Format::Markdown), (".html", Format::Html), (".toml", Format::Text)] {
        for path in repository(ending) {
            let text = fs::read_to_string(&path).unwrap();
            let document = Document::read(format, &text).unwrap();
            assert!(document.write(&[]) == text, "{}", path.display());
        }
    }
}

#[test]
fn translated_markdown_has_the_structure_it_had() {
    let kinds = |text: &str| -> Vec<String> {
        let named = |event: Event<'_>| match event {
            Event::Start(tag) => Some(format!("{:?}", tag.to_end())),
            Event::End(tag) => Some(format!("/{tag:?}")),
            Event::Code(code) => Some(code.to_string()),
            _ => None,
        };
        let options = pulldown_cmark::Options::ENABLE_TABLES | pulldown_cmark::Options::ENABLE_TASKLISTS;
        Parser::new_ext(text, options).filter_map(named).collect()
    };
    let mut differing = Vec::new();
    for path in repository(".md") {
        let text = fs::read_to_string(&path).unwrap();
        let document = Document::read(Format::Markdown, &text).unwrap();
        let written = document.write(&loud(&document));
        if kinds(&written) != kinds(&text) {
            differing.push(path.display().to_string());
        }
    }
    assert!(differing.is_empty(), "{differing:?}");
}

#[test]
fn tags_of_translated_pages_are_those_they_had() {
    let tags = |page: &str| -> Vec<String> {
        let mut tags: Vec<String> =
            page.split('<').skip(1).filter_map(|rest| rest.split('>').next()).map(str::to_string).collect();
        tags.sort_unstable();
        tags
    };
    for path in repository(".html") {
        let text = fs::read_to_string(&path).unwrap();
        let document = Document::read(Format::Html, &text).unwrap();
        let written = document.write(&loud(&document));
        assert!(tags(&written) == tags(&text), "{}", path.display());
    }
}
