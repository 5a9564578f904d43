//! A trained model as text: saved with `--priors`, read back with `--load` to align new text. The lines are those of
//! eflomal's priors (`LEX`, `HMMF`, `HMMR`, `FERF`, `FERR`: expected counts), whose files can be read too, and some
//! more that make a saved model exact.
//!
//! ```text
//! MODEL  fertility  0.1      the kind of model, and the probability of having no partner
//! SRC    haus  41.5  0.0003  a source word, its links, its probability given the empty word
//! TGT    house  40.9  0.0001
//! LEX    haus  house  39.25  expected links of a pair
//! HMMF   1  20915.5          expected jumps of a width, between source positions
//! HMMR   1  21034.25         between target positions
//! CLSF   haus  NN            the class of a source word, if jumps depend on it
//! CLSR   house  N7
//! HMMFC  NN  1  1201.25       expected jumps from words of a class; an empty class is that of all other words
//! HMMRC  N7  1  1180.5
//! FERF   haus  1  38.5       expected times that a source word has so many partners
//! FERR   house  1  40
//! ```

use crate::classes::Classes;
use crate::corpus::{Corpus, Words};
use crate::error::Result;
use crate::fertility::{Distribution, FERTILITIES, Fertility};
use crate::jumps::{Jumps, REACH};
use crate::model::{Conditioned, Direction, Model};
use crate::scales::SideScales;
use crate::settings::{LexPrior, ModelKind, Settings};
use crate::spelling::{Alike, Spelling, compare};
use crate::translation_table::TranslationTableWriter;
use bytemuck::{Pod, Zeroable};
use std::io::{self, Write};
use treeglot_text::Lines;
use treeglot_text::column::{BATCH, ColumnWriter, MemoryBudget};

/// After how many sentences mapped pages may be given back.
const TRIM: usize = 1 << 12;

/// Writes a model, with the source and target words it was trained on.
pub fn write(model: &Model, [src_words, tgt_words]: [&Words; 2], out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "MODEL\t{}\t{}", model.kind.name(), model.p_null)?;
    let sides = [("SRC", src_words, &model.table.src), ("TGT", tgt_words, &model.table.tgt)];
    for (tag, words, scales) in sides {
        for word in 0..words.len() as u32 {
            writeln!(out, "{tag}\t{}\t{}\t{}", words.text(word), scales.links(word), scales.null(word))?;
        }
    }
    for (src, tgt, count) in model.table.iter() {
        if count > 0.0 {
            writeln!(out, "LEX\t{}\t{}\t{count}", src_words.text(src), tgt_words.text(tgt))?;
        }
    }
    write_direction(&model.forward, 'F', src_words, out)?;
    write_direction(&model.reverse, 'R', tgt_words, out)
}

fn write_direction(d: &Direction, side: char, words: &Words, out: &mut impl Write) -> io::Result<()> {
    write_jumps(&d.jumps, &format!("HMM{side}"), out)?;
    if let Some(Conditioned { classes, jumps }) = &d.conditioned {
        for (word, class) in classes.listed() {
            writeln!(out, "CLS{side}\t{}\t{}", words.text(word), classes.label(class))?;
        }
        for (class, jumps) in (0..).zip(jumps) {
            write_jumps(jumps, &format!("HMM{side}C\t{}", classes.label(class)), out)?;
        }
    }
    for (word, counts) in d.fertility.iter().flat_map(Fertility::counts).enumerate() {
        for (partners, count) in counts.iter().enumerate().filter(|&(_, &count)| count > 0.0) {
            writeln!(out, "FER{side}\t{}\t{partners}\t{count}", words.text(word as u32))?;
        }
    }
    Ok(())
}

fn write_jumps(jumps: &Jumps, tag: &str, out: &mut impl Write) -> io::Result<()> {
    for (place, count) in jumps.counts().iter().enumerate().filter(|&(_, &count)| count > 0.0) {
        writeln!(out, "{tag}\t{}\t{count}", place as i64 - REACH as i64)?;
    }
    Ok(())
}

/// What a file of priors says.
struct Loaded {
    kind: Option<ModelKind>,
    p_null: Option<f32>,
    src: LoadedSide,
    tgt: LoadedSide,
    pairs: ColumnWriter<ReadPair>,
}

/// A pair of words with its links.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct ReadPair {
    src: u32,
    tgt: u32,
    links: f32,
}

struct LoadedSide {
    words: Words,
    /// Links and probability given the empty word.
    stated: Vec<Option<(f32, f32)>>,
    links: Vec<f32>,
    jumps: Vec<f64>,
    classes: Classes,
    /// Jumps of each class, end to end.
    class_jumps: Vec<f64>,
    fertility: Vec<Distribution>,
}

impl Default for LoadedSide {
    fn default() -> Self {
        Self {
            words: Words::default(),
            stated: Vec::new(),
            links: Vec::new(),
            jumps: vec![0.0; Jumps::WIDTHS],
            classes: Classes::default(),
            class_jumps: Vec::new(),
            fertility: Vec::new(),
        }
    }
}

impl LoadedSide {
    fn word(&mut self, text: &str) -> u32 {
        let id = self.words.intern(text);
        self.stated.resize(self.words.len(), None);
        self.links.resize(self.words.len(), 0.0);
        self.fertility.resize(self.words.len(), [0.0; FERTILITIES]);
        id
    }

    fn scales(&self, prior: &LexPrior, other_words: usize) -> SideScales {
        let uniform = prior.alpha * other_words as f32;
        let least = self.stated.iter().flatten().map(|&(_, null)| null).fold(f32::INFINITY, f32::min);
        let least = if least.is_finite() { least } else { 1.0 / self.words.len().max(1) as f32 };
        let of = |word: usize| self.stated[word].unwrap_or((self.links[word], least));
        SideScales::new((0..self.words.len()).map(of), uniform, least)
    }

    fn direction(mut self, fertility_prior: f32) -> Direction {
        let jumps = if self.jumps.iter().any(|&c| c > 0.0) {
            Jumps::from_counts(self.jumps)
        } else {
            Jumps::initial()
        };
        let counted = self.fertility.iter().flatten().any(|&c| c > 0.0);
        let fertility = counted.then(|| Fertility::from_counts(self.fertility, fertility_prior));
        self.class_jumps.resize(self.classes.len() * Jumps::WIDTHS, 0.0);
        let has_classes = self.classes.len() > 1;
        let conditioned = has_classes.then(|| Conditioned::new(self.classes, &self.class_jumps, &jumps));
        Direction { jumps, conditioned, fertility }
    }
}

/// Reads a model, with the words it knows.
pub fn read(lines: &mut Lines, settings: &Settings, space: &MemoryBudget) -> Result<(Model, Words, Words)> {
    let mut loaded = Loaded::new(space);
    while let Some(line) = lines.next_line()? {
        if loaded.add(line)?.is_none() {
            let line = line.to_string();
            return Err(lines
                .malformed(format!("`{line}` is no line of a model saved with --priors"))
                .into());
        }
    }
    let Loaded { kind, p_null, src, tgt, pairs } = loaded;
    let mut table = TranslationTableWriter::new(settings.prior(), space);
    for batch in pairs.finish()?.chunks(BATCH) {
        for pair in batch {
            let alike = compare(src.words.text(pair.src), tgt.words.text(pair.tgt));
            table.push_read(pair.src, pair.tgt, alike, pair.links)?;
        }
        space.trim();
    }
    let mut table = table.finish()?;
    table.src = src.scales(&settings.prior(), tgt.words.len());
    table.tgt = tgt.scales(&settings.prior(), src.words.len());
    let (src_words, tgt_words) = (src.words.clone(), tgt.words.clone());
    let forward = src.direction(settings.fertility_prior);
    let reverse = tgt.direction(settings.fertility_prior);
    let has_fertility = forward.fertility.is_some() && reverse.fertility.is_some();
    let kind = kind.unwrap_or(if has_fertility { ModelKind::Fertility } else { ModelKind::Hmm });
    let model = Model { kind, table, forward, reverse, p_null: p_null.unwrap_or(settings.p_null) };
    Ok((model, src_words, tgt_words))
}

impl Loaded {
    fn new(space: &MemoryBudget) -> Self {
        let (src, tgt) = (LoadedSide::default(), LoadedSide::default());
        Self { kind: None, p_null: None, src, tgt, pairs: space.writer() }
    }

    /// Takes in a line; `None` if it is not as it should be.
    fn add(&mut self, line: &str) -> Result<Option<()>> {
        let fields: Vec<&str> = line.split('\t').collect();
        if let ["LEX", src, tgt, links] = fields[..] {
            let Some(links) = count(links) else { return Ok(None) };
            return self.add_pair(src, tgt, links).map(Some);
        }
        Ok(self.add_other(&fields))
    }

    fn add_pair(&mut self, src: &str, tgt: &str, links: f32) -> Result<()> {
        let (e, f) = (self.src.word(src), self.tgt.word(tgt));
        self.src.links[e as usize] += links;
        self.tgt.links[f as usize] += links;
        Ok(self.pairs.push(ReadPair { src: e, tgt: f, links })?)
    }

    fn add_other(&mut self, fields: &[&str]) -> Option<()> {
        match fields[..] {
            ["MODEL", kind, p_null] => {
                self.kind = Some(ModelKind::named(kind)?);
                self.p_null = Some(count(p_null)?).filter(|p| *p < 1.0);
            }
            ["SRC", word, links, null] => self.src.state(word, count(links)?, count(null)?),
            ["TGT", word, links, null] => self.tgt.state(word, count(links)?, count(null)?),
            ["HMMF", width, times] => self.src.jump(width, count(times)?)?,
            ["HMMR", width, times] => self.tgt.jump(width, count(times)?)?,
            ["CLSF", word, class] => self.src.classify(word, class)?,
            ["CLSR", word, class] => self.tgt.classify(word, class)?,
            ["HMMFC", class, width, times] => self.src.class_jump(class, width, count(times)?)?,
            ["HMMRC", class, width, times] => self.tgt.class_jump(class, width, count(times)?)?,
            ["FERF", word, partners, times] => self.src.partners(word, partners, count(times)?)?,
            ["FERR", word, partners, times] => self.tgt.partners(word, partners, count(times)?)?,
            _ => return None,
        }
        Some(())
    }
}

/// The place of a jump of this width.
fn place(width: &str) -> Option<usize> {
    let width = width.parse::<i64>().ok()?.clamp(-(REACH as i64), REACH as i64);
    Some((REACH as i64 + width) as usize)
}

/// A count: finite and not negative.
fn count(text: &str) -> Option<f32> {
    text.parse::<f32>().ok().filter(|c| c.is_finite() && *c >= 0.0)
}

impl LoadedSide {
    fn state(&mut self, word: &str, links: f32, null: f32) {
        let word = self.word(word);
        self.stated[word as usize] = Some((links, null));
    }

    fn jump(&mut self, width: &str, times: f32) -> Option<()> {
        self.jumps[place(width)?] += f64::from(times);
        Some(())
    }

    fn classify(&mut self, word: &str, class: &str) -> Option<()> {
        let word = self.word(word);
        self.classes.set(word, class)
    }

    fn class_jump(&mut self, class: &str, width: &str, times: f32) -> Option<()> {
        let first = usize::from(self.classes.class(class)?) * Jumps::WIDTHS;
        self.class_jumps.resize(self.class_jumps.len().max(first + Jumps::WIDTHS), 0.0);
        self.class_jumps[first + place(width)?] += f64::from(times);
        Some(())
    }

    fn partners(&mut self, word: &str, partners: &str, times: f32) -> Option<()> {
        let partners = partners.parse::<usize>().ok()?.min(FERTILITIES - 1);
        let word = self.word(word);
        self.fertility[word as usize][partners] += times;
        Some(())
    }
}

impl Model {
    /// Makes a loaded model ready for a corpus whose words continue the model's own: new words get the prior's
    /// values, and pairs that look alike their part of it.
    pub fn adapt(&mut self, corpus: &Corpus) -> Result<()> {
        self.table.src.extend(corpus.src.words.len());
        self.table.tgt.extend(corpus.tgt.words.len());
        let spelling = Spelling::of(corpus);
        let mut found = rustc_hash::FxHashMap::default();
        for s in 0..corpus.len() {
            if s % TRIM == 0 {
                corpus.space.trim();
            }
            for &e in corpus.src.sentence(s) {
                for &f in corpus.tgt.sentence(s) {
                    let alike = spelling.alike(corpus, e, f);
                    if alike != Alike::No {
                        found.insert((e, f), alike);
                    }
                }
            }
        }
        found.retain(|&(e, f), _| self.table.slot(e, f).is_none());
        self.table.add_alike(found.into_iter().map(|((e, f), alike)| (e, f, alike)))
    }
}
