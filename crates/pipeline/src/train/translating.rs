//! Translating a test set with one bundle, or with several that choose together.

use super::finish::{EXPLAINED, OUTPUT, PHRASAL_RULES, PHRASAL_TRANSLATIONS};
use crate::analysis::Usage;
use crate::bundle::{Bundle, SearchSettings};
use crate::error::Result;
use crate::plan::Workplace;
use crate::surface::{Surface, SurfaceWorker};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;
use treeglot_decode::mbr::{self, Gain};
use treeglot_decode::{Translation, Translations, Wanted, Worker, translate_stream};
use treeglot_models::InputTrees;
use treeglot_models::pairs::TreeReader;
use treeglot_text::{Lines, Output};
use treeglot_tree::PerTree;

/// How many translations of each system are compared where several choose together.
const MBR: usize = 100;

/// How many sentences of a test set are explained for the report.
const SAMPLES: usize = 8;
/// Sample sentences have this many words.
const SAMPLE_LENGTHS: std::ops::RangeInclusive<usize> = 6..=16;

/// Reads the lines of a test set as words, with the trees that each system translates.
struct Inputs<'s> {
    surface: Option<SurfaceWorker<'s>>,
    trees: Vec<TreeReader>,
}

impl<'s> Inputs<'s> {
    fn open(
        surfaces: Option<&'s [Surface; 2]>,
        trees: &[PerTree<Vec<PathBuf>>],
        file: &Path,
    ) -> Result<Self> {
        let name = file.display().to_string();
        let open = |files| TreeReader::open(files, &name);
        let trees = trees.iter().map(open).collect::<treeglot_models::Result<_>>()?;
        Ok(Self { surface: surfaces.map(|[source, _]| source.worker()), trees })
    }

    /// The words of the next line, and its trees for each system.
    fn next(&mut self, line: &str) -> treeglot_models::Result<(String, Vec<InputTrees>)> {
        let mut words = String::new();
        match &mut self.surface {
            Some(source) => source.words(line, &mut words),
            None => words.push_str(line),
        }
        let trees = self.trees.iter_mut().map(|reader| reader.next(&words));
        let trees = trees.collect::<treeglot_models::Result<_>>()?;
        Ok((words, trees))
    }
}

/// Translates a raw file: words, search, text. Of several bundles the first says what is done to text. Some sentences are
/// explained as well.
pub(super) fn translate(
    place: &mut Workplace<'_>,
    folders: &[PathBuf],
    file: &Path,
    trees: &[PerTree<Vec<PathBuf>>],
    threads: usize,
) -> Result<()> {
    let bundles = folders.iter().map(Bundle::open).collect::<Result<Vec<_>>>()?;
    let systems =
        bundles.iter().map(|bundle| bundle.system(&SearchSettings::default())).collect::<Result<Vec<_>>>()?;
    let surfaces = bundles[0].surfaces()?;
    let begin = Instant::now();
    let model = bundles[0].model()?;
    let phrasal = bundles.len() == 1 && model.has_phrasal_nodes();
    let used = Mutex::new(Usage::default());
    let (usage, model) = (&used, &model);
    let mut out = Output::create(place.out.join(OUTPUT))?;
    let start = |_| -> Result<_> {
        let mut workers = systems.iter().map(|s| Ok(s.worker()?)).collect::<Result<Vec<_>>>()?;
        let mut surface = surfaces.as_ref().map(|[_, target]| target.worker());
        Ok(move |_: u64, _: &str, (words, trees): (String, Vec<InputTrees>)| {
            let best = choose(&mut workers, &words, &trees, phrasal);
            if let Some(explanation) = best.as_ref().and_then(|best| best.explanation.as_ref()) {
                usage.lock().unwrap_or_else(PoisonError::into_inner).add(explanation, &**model);
            }
            let best = best.map_or_else(String::new, |best| best.text);
            let mut text = String::new();
            match &mut surface {
                Some(target) => target.text(&best, &mut text),
                None => text.push_str(&best),
            }
            text.push('\n');
            Ok(text)
        })
    };
    let workers = (0..threads.max(1)).map(start).collect::<Result<Vec<_>>>()?;
    let mut inputs = Inputs::open(surfaces.as_ref(), trees, file)?;
    let beside = |line: &str| Ok(inputs.next(line)?);
    translate_stream(&mut Lines::open(file)?, &mut out, workers, false, beside)?;
    inputs.trees.iter_mut().try_for_each(TreeReader::finish)?;
    out.finish()?;
    if phrasal {
        let usage = used.into_inner().unwrap_or_else(PoisonError::into_inner);
        let [translations, rules] = usage.shares();
        place.note(PHRASAL_TRANSLATIONS, translations);
        place.note(PHRASAL_RULES, rules);
    }
    place.note("seconds", format!("{:.2}", begin.elapsed().as_secs_f64()));
    let inputs = Inputs::open(surfaces.as_ref(), &trees[..1], file)?;
    explain(&mut *systems[0].worker()?, inputs, file, &place.out.join(EXPLAINED))
}

/// The best translation of one system, or the one of several that agrees best with all.
fn choose(
    workers: &mut [Box<dyn Worker + '_>],
    words: &str,
    trees: &[InputTrees],
    explain: bool,
) -> Option<Translation> {
    let many = workers.len() > 1;
    let wanted = match many {
        true => Wanted { count: MBR, distinct: true, explain: false },
        false => Wanted { explain, ..Wanted::default() },
    };
    let found: Vec<Translations> = workers
        .iter_mut()
        .zip(trees)
        .map(|(worker, trees)| worker.translate_trees(words, trees, &wanted))
        .collect();
    let best = if many {
        mbr::choose_from(&found, &Gain::default()).map(|(_, best)| best)
    } else {
        found.first().and_then(|found| found.best.first())
    };
    best.cloned()
}

/// Explains the translations of some sentences of middling length.
fn explain(worker: &mut dyn Worker, mut inputs: Inputs<'_>, file: &Path, to: &Path) -> Result<()> {
    let mut out = Output::create(to)?;
    let mut lines = Lines::open(file)?;
    let (mut number, mut taken) = (0u64, 0);
    while taken < SAMPLES {
        let Some(line) = lines.next_line()? else { break };
        let (words, trees) = inputs.next(line)?;
        if SAMPLE_LENGTHS.contains(&words.split_ascii_whitespace().count()) {
            let wanted = Wanted { explain: true, ..Wanted::default() };
            let found = worker.translate_trees(&words, &trees[0], &wanted);
            if let Some(best) = found.best.first() {
                let object = serde_json::json!({ "line": number, "source": line, "text": best.text,
                    "score": best.score, "explanation": best.explanation });
                writeln!(out, "{object}").map_err(|e| out.error(e))?;
                taken += 1;
            }
        }
        number += 1;
    }
    Ok(out.finish()?)
}
