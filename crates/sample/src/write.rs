//! Writing a sample out, in the formats that the other commands read.

use crate::{Sample, SamplePair, Side};
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use treeglot_text::{Error, Output};
use treeglot_tree::format::{conllu, ptb};

const README: &str = include_str!("../data/README.md");

/// Writes a sample to a folder, which is made if it is missing: text, trees and links of every part, and a README
/// that says what is in each file.
pub fn write_to(sample: &Sample, folder: &Path) -> Result<(), Error> {
    fs::create_dir_all(folder)
        .map_err(|source| Error::Write { name: folder.to_string_lossy().into(), source })?;
    for (name, pairs) in [("train", &sample.train), ("dev", &sample.dev), ("test", &sample.test)] {
        write_part(folder, name, pairs)?;
    }
    write_file(&folder.join("README.md"), |out| out.write_all(README.as_bytes()))
}

fn write_part(folder: &Path, part: &str, pairs: &[SamplePair]) -> Result<(), Error> {
    let file = |ending: &str| folder.join(format!("{part}.{ending}"));
    type Choose = fn(&SamplePair) -> &Side;
    let sides: [(&str, Choose); 2] = [("de", |p| &p.source), ("en", |p| &p.target)];
    for (language, side) in sides {
        let sides = || pairs.iter().map(side);
        let lines = |out: &mut Output| sides().try_for_each(|s| writeln!(out, "{}", s.tokens()));
        write_file(&file(language), lines)?;
        let raw = |out: &mut Output| sides().try_for_each(|s| writeln!(out, "{}", s.raw));
        write_file(&file(&format!("raw.{language}")), raw)?;
        let parses = |out: &mut Output| sides().try_for_each(|s| conllu::write(&s.parse, out));
        write_file(&file(&format!("{language}.conllu")), parses)?;
        let trees = |out: &mut Output| sides().try_for_each(|s| ptb::write(&s.con, out));
        write_file(&file(&format!("{language}.ptb")), trees)?;
    }
    write_links(&file("links"), pairs, |_, _| '-')?;
    write_links(&file("gold"), pairs, |pair, link| if pair.sure.contains(link) { '-' } else { 'p' })
}

/// One line of links a pair, each with the sign between its positions that `sign` gives.
fn write_links(
    path: &Path,
    pairs: &[SamplePair],
    sign: impl Fn(&SamplePair, &(u32, u32)) -> char,
) -> Result<(), Error> {
    write_file(path, |out| {
        pairs.iter().try_for_each(|pair| {
            let links: Vec<String> =
                pair.links.iter().map(|link| format!("{}{}{}", link.0, sign(pair, link), link.1)).collect();
            writeln!(out, "{}", links.join(" "))
        })
    })
}

fn write_file(path: &Path, write: impl FnOnce(&mut Output) -> io::Result<()>) -> Result<(), Error> {
    let mut out = Output::create(path)?;
    write(&mut out).map_err(|e| out.error(e))?;
    out.finish()
}
