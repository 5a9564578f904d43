//! Documents of this repository and hand-made ones come back byte for byte where nothing is translated, and with their structure
//! where every word is.

mod common;

use common::{loud, repository};
use pulldown_cmark::{Event, Parser};
use std::fs;
use treeglot_document::{Document, Format};

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
