//! Translating a test set with one system, or with several that choose together.

use super::LINKS;
use super::finish::{EXPLAINED, OUTPUT, PHRASAL_RULES, PHRASAL_TRANSLATIONS, VARIABLES_USED};
use super::rules::note_trees;
use crate::analysis::Usage;
use crate::bundle::{Components, TunedCombination};
use crate::check::line_count;
use crate::cluster;
use crate::error::Result;
use crate::plan::Workplace;
use crate::translator::{LineSource, Request, Translator, TranslatorSettings};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use treeglot_align::links::Line;
use treeglot_decode::Weights;
use treeglot_models::Model;
use treeglot_models::pairs::TreeReader;
use treeglot_text::bitext::Skipped;
use treeglot_text::{Lines, Output};
use treeglot_tree::{PerTree, TreeCounts};

/// How many sentences of a test set are explained for the report.
const SAMPLES: usize = 8;
/// Sample sentences have this many words.
const SAMPLE_LENGTHS: std::ops::RangeInclusive<usize> = 6..=16;

/// How a test set is translated.
pub(super) struct Translating {
    pub threads: usize,
    pub skip_bad: bool,
    /// The links of the translations are wanted, whoever made them.
    pub links: bool,
}

/// What is told of translated lines beside their translations.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct Told {
    /// The use of rules, where translations are explained.
    pub usage: Usage,
    /// Lines that could not be read.
    pub lines: Skipped,
    /// What became of trees that are none or do not fit.
    pub trees: TreeCounts,
    /// How long it took: by all threads of a process, or by one core of each executor, added up.
    pub seconds: f64,
}

impl Told {
    /// Adds what is told of other lines.
    pub fn merge(&mut self, other: Self) {
        self.usage.merge(other.usage);
        self.lines.merge(other.lines);
        self.trees.merge(other.trees);
        self.seconds += other.seconds;
    }
}

/// Translates lines; `take` gets the translation of each, and its links where it is explained.
pub(crate) fn translate_source(
    translator: &Translator,
    source: LineSource<Box<dyn std::io::BufRead + Send>>,
    explain: bool,
    model: &dyn Model,
    mut take: impl FnMut([&str; 2]) -> Result<()>,
) -> Result<Told> {
    let (begin, mut usage) = (Instant::now(), Usage::default());
    let request = Request { explain, ..Request::default() };
    let passed = translator.translate_lines(source, &request, |_, _, translated| {
        let best = translated.sentences.iter().flat_map(|sentence| sentence.best.first());
        best.flat_map(|best| &best.explanation).for_each(|explanation| usage.add(explanation, model));
        take([&translated.text(), &Line(&translated.links()).to_string()])
    })?;
    Ok(Told { usage, lines: passed.lines, trees: passed.trees, seconds: begin.elapsed().as_secs_f64() })
}

/// Translates a raw file, several systems choosing by a combination or by minimum Bayes risk, with links where the translations are
/// explained: those of one system always, those that several chose from
/// their lists where links are wanted. Some sentences are explained as well, by the first system.
pub(super) fn translate(
    place: &mut Workplace<'_>,
    (systems, combination): (&[(Components, Weights)], Option<Arc<TunedCombination>>),
    file: &Path,
    trees: &[PerTree<Vec<PathBuf>>],
    how: &Translating,
) -> Result<()> {
    let &Translating { threads, skip_bad, links } = how;
    let alone = TranslatorSettings { threads, ..TranslatorSettings::default() };
    let settings = TranslatorSettings { combination: combination.clone(), ..alone.clone() };
    let model = systems[0].0.model()?;
    let explain_all = systems.len() == 1 || links;
    // Executors get bundles, of which a combination is none.
    let site = match place.site().filter(|_| combination.is_none()) {
        Some(site) => site.for_lines(line_count(file, skip_bad)?),
        None => None,
    };
    let to = [place.out.join(OUTPUT), place.out.join(LINKS)];
    let told = match site {
        Some(site) => {
            let to = to.each_ref().map(PathBuf::as_path);
            cluster::translate_set(site, systems, (file, trees), (skip_bad, explain_all), to)?
        }
        None => {
            let translator = Translator::new(systems, &settings)?;
            let mut outputs = [Output::create(&to[0])?, Output::create(&to[1])?];
            let lines = source(file, trees, skip_bad)?;
            let told = translate_source(&translator, lines, explain_all, &*model, |lines| {
                for (out, line) in outputs.iter_mut().zip(lines) {
                    writeln!(out, "{line}").map_err(|e| out.error(e))?;
                }
                Ok(())
            })?;
            outputs.into_iter().try_for_each(Output::finish)?;
            told
        }
    };
    note_trees(place, told.trees);
    if told.lines.total() > 0 {
        place.note("left-out", told.lines);
    }
    if explain_all {
        place.note(VARIABLES_USED, format!("{:.2}", told.usage.variables_a_translation()));
    }
    if systems.len() == 1 && model.has_phrasal_nodes() {
        let [translations, rules] = told.usage.shares();
        place.note(PHRASAL_TRANSLATIONS, translations);
        place.note(PHRASAL_RULES, rules);
    }
    place.note("seconds", format!("{:.2}", told.seconds));
    let first = Translator::new(&systems[..1], &alone)?;
    explain(&first, source(file, &trees[..1], skip_bad)?, &place.out.join(EXPLAINED))
}

/// The lines of a file with the trees that each system translates.
pub(crate) fn source(
    file: &Path,
    trees: &[PerTree<Vec<PathBuf>>],
    skip_bad: bool,
) -> Result<LineSource<Box<dyn std::io::BufRead + Send>>> {
    let name = file.display().to_string();
    let open = |files| Ok(TreeReader::open(files, &name)?.skip_bad(skip_bad));
    let trees = trees.iter().map(open);
    let trees = trees.collect::<treeglot_models::Result<_>>()?;
    Ok(LineSource { lines: Lines::open(file)?, trees, skip_bad })
}

/// Explains the translations of some sentences of middling length.
pub(super) fn explain(
    translator: &Translator,
    mut source: LineSource<Box<dyn std::io::BufRead + Send>>,
    to: &Path,
) -> Result<()> {
    let mut out = Output::create(to)?;
    let request = Request { explain: true, ..Request::default() };
    let (mut number, mut taken) = (0u64, 0);
    while taken < SAMPLES {
        let Some(input) = translator.next_input(&mut source)? else { break };
        if SAMPLE_LENGTHS.contains(&input.prepared.words.split_ascii_whitespace().count()) {
            let translated = translator.translate_input(input.clone(), &request)?;
            if let Some(best) = translated.sentences.first().and_then(|sentence| sentence.best.first()) {
                let object = serde_json::json!({ "line": number, "source": input.text, "text": best.words,
                    "score": best.score, "explanation": best.explanation });
                writeln!(out, "{object}").map_err(|e| out.error(e))?;
                taken += 1;
            }
        }
        number += 1;
    }
    Ok(out.finish()?)
}
