//! A sample as files, in the formats that commands read: made from a sample, read back, written to a folder.

use crate::{Sample, SamplePair, SampleSentence, pack};
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use treeglot_text::{Error, Output};
use treeglot_tree::format::{ReadTrees, conllu, ptb};

const README: &str = include_str!("../data/README.md");

/// The endings of the files of a part that tell all there is to know; the others follow from them.
const TOLD: [&str; 7] = ["raw.de", "raw.en", "de.conllu", "en.conllu", "de.ptb", "en.ptb", "gold"];

/// Positions of linked words.
type Links = Vec<(u32, u32)>;

/// The contents of files by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Files(BTreeMap<String, Vec<u8>>);

/// Writes a sample to a folder, which is made if it is missing: text, trees and links of every part, and a README
/// that says what is in each file.
pub fn write_to(sample: &Sample, folder: &Path) -> Result<(), Error> {
    fs::create_dir_all(folder)
        .map_err(|source| Error::Write { name: folder.to_string_lossy().into(), source })?;
    for (name, content) in Files::of(sample).0 {
        let mut out = Output::create(folder.join(name))?;
        out.write_all(&content).map_err(|e| out.error(e))?;
        out.finish()?;
    }
    Ok(())
}

impl Files {
    /// All files of a sample.
    pub fn of(sample: &Sample) -> Self {
        let mut files = BTreeMap::from([("README.md".to_string(), README.as_bytes().to_vec())]);
        for (part, pairs) in sample.parts() {
            let mut add = |ending: &str, write: &dyn Fn(&SamplePair, &mut Vec<u8>) -> io::Result<()>| {
                let mut content = Vec::new();
                pairs.iter().try_for_each(|pair| write(pair, &mut content)).expect("memory takes every byte");
                files.insert(format!("{part}.{ending}"), content);
            };
            type Choose = fn(&SamplePair) -> &SampleSentence;
            let languages: [(&str, Choose); 2] = [("de", |p| &p.source), ("en", |p| &p.target)];
            for (language, of) in languages {
                add(language, &|pair, out| writeln!(out, "{}", of(pair).tokens()));
                add(&format!("raw.{language}"), &|pair, out| writeln!(out, "{}", of(pair).raw));
                add(&format!("{language}.conllu"), &|pair, out| conllu::write(&of(pair).parse, out));
                add(&format!("{language}.ptb"), &|pair, out| ptb::write(&of(pair).con, out));
            }
            add("links", &|pair, out| write_links(pair, |_| '-', out));
            add("gold", &|pair, out| {
                write_links(pair, |link| if pair.sure.contains(link) { '-' } else { 'p' }, out)
            });
        }
        Self(files)
    }

    /// The files of the embedded sample, without those that follow from others.
    pub fn embedded() -> Self {
        Self(pack::unpack())
    }

    /// Those files that the others follow from.
    pub fn told(mut self) -> Self {
        self.0.retain(|name, _| name.split_once('.').is_some_and(|(_, ending)| TOLD.contains(&ending)));
        self
    }

    /// Names and contents, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.0.iter().map(|(name, content)| (name.as_str(), content.as_slice()))
    }

    /// The sample that these files tell. They are made by this crate: what is missing or wrong is its own mistake.
    pub(crate) fn sample(&self) -> Sample {
        Sample { train: self.part("train"), dev: self.part("dev"), test: self.part("test") }
    }

    fn part(&self, part: &str) -> Vec<SamplePair> {
        let (source, target) = (self.sentences(part, "de"), self.sentences(part, "en"));
        let links = self.text(part, "gold").lines().map(read_links);
        let pairs = source.into_iter().zip(target).zip(links);
        pairs.map(|((source, target), (links, sure))| SamplePair { source, target, links, sure }).collect()
    }

    fn sentences(&self, part: &str, language: &str) -> Vec<SampleSentence> {
        let (dep, con) = (format!("{language}.conllu"), format!("{language}.ptb"));
        let parses = conllu::Reader::new(dep.as_str(), self.text(part, &dep).as_bytes()).trees();
        let trees =
            ptb::Reader::new(con.as_str(), self.text(part, &con).as_bytes(), ptb::BracketLayout::OnePerLine)
                .trees();
        let raw = self.text(part, &format!("raw.{language}")).lines();
        let sentence = |((parse, tree), raw): ((Result<_, _>, Result<Option<_>, _>), &str)| SampleSentence {
            parse: parse.expect("the embedded trees are well-formed"),
            con: tree.expect("the embedded trees are well-formed").expect("every sentence has a tree"),
            raw: raw.to_string(),
        };
        parses.zip(trees).zip(raw).map(sentence).collect()
    }

    fn text(&self, part: &str, ending: &str) -> &str {
        let content = &self.0[&format!("{part}.{ending}")];
        std::str::from_utf8(content).expect("the sample is text")
    }
}

/// One line of links, each with the sign between its positions that `sign` gives.
fn write_links(pair: &SamplePair, sign: impl Fn(&(u32, u32)) -> char, out: &mut Vec<u8>) -> io::Result<()> {
    let links: Vec<String> =
        pair.links.iter().map(|link| format!("{}{}{}", link.0, sign(link), link.1)).collect();
    writeln!(out, "{}", links.join(" "))
}

/// All links of a line, and the sure ones among them.
fn read_links(line: &str) -> (Links, Links) {
    let number = |text: &str| text.parse::<u32>().expect("positions are numbers");
    let (mut links, mut sure) = (Vec::new(), Vec::new());
    for item in line.split(' ').filter(|item| !item.is_empty()) {
        let (source, target) = item.split_once(['-', 'p']).expect("a link has two positions");
        let link = (number(source), number(target));
        links.push(link);
        if item.contains('-') {
            sure.push(link);
        }
    }
    (links, sure)
}
