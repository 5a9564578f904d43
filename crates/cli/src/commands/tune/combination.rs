//! `treeglot tune -m BUNDLE -m BUNDLE`: weights that choose among the translations of several bundles.

use super::Args;
use super::bundle::{describe, summary, text_paths};
use crate::args::{check_folder, count};
use crate::errors::wrong;
use anyhow::{Result, bail};
use std::path::PathBuf;
use std::time::Instant;
use treeglot_decode::{LmRole, SearchSettings, Weights};
use treeglot_models::pairs::TreeReader;
use treeglot_pipeline::Bundle;
use treeglot_pipeline::bundle::{COMBINATION, CombinationComponents, Components};
use treeglot_pipeline::translator::{
    CombinationDecoder, Guides, LineSource, List, Translator, TranslatorSettings, list_lines, read_lines,
};
use treeglot_text::Lines;
use treeglot_tune::{DevSet, Objective, Round, tune};

/// Tunes on the translations of all bundles.
pub fn run(args: &Args) -> Result<()> {
    let given = &args.bundle;
    let Some(source) = &given.dev_src else {
        wrong!("give the sentences of the development set: --dev-src FILE")
    };
    let Some(folder) = &args.output else {
        wrong!("what chooses among several bundles goes to a folder: give -o DIR");
    };
    check_folder(folder, &[COMBINATION])?;
    if given.resume.is_some() || given.search != SearchSettings::default() || args.tune.forest.is_some() {
        wrong!(
            "several bundles translate once, as they are: leave out `--resume`, `--forest` and settings of the search"
        );
    }
    let bundles = given.model.iter().map(Bundle::open).collect::<Result<Vec<_>, _>>()?;
    let systems: Vec<Components> = bundles.iter().map(Bundle::components).collect();
    Translator::check_together(systems.iter(), given.tokenized)?;
    let mut lines = read_lines(source)?;
    let mut dev = DevSet::read(&args.dev_ref, args.dev_links.as_deref())?;
    if let Some([source, target]) = text_paths(args, &bundles[0], source)? {
        dev = dev.map(target.words());
        let mut words = source.words();
        lines.iter_mut().for_each(|line| *line = words(line));
    }
    let [metric, smoothed] = args.metrics(&dev)?;
    let objective = Objective::new(metric.as_ref(), smoothed.as_ref(), &dev);
    let components = judges(systems, args);
    let start = args.lists.weights.as_ref().map(Weights::read).transpose()?;
    let combination = components.combination(start.as_ref())?;
    if lines.len() != dev.len() {
        let (lines, references) = (count(lines.len(), "line"), dev.len());
        bail!("{}: {lines}, but {references} references: give the same sentences", source.display());
    }
    let lists = bundles.iter().map(|bundle| lists(bundle, &lines, args)).collect::<Result<Vec<_>>>()?;
    let mut decoder = CombinationDecoder::new(&combination, &lines, &lists)?;
    drop(lists);
    let mut clock = Instant::now();
    let mut progress = |round: &Round| {
        let seconds = clock.elapsed().as_secs_f64();
        args.notes.note(&describe(round, "candidate", objective.name(), seconds));
        clock = Instant::now();
    };
    let begin = decoder.start();
    let tuned = tune(&mut decoder, &objective, &begin, &args.tune, None, &mut progress)?;
    args.notes.note(&summary(&tuned, objective.name()));
    let weights = treeglot_tune::Decoder::space(&mut decoder).named(&tuned.weights);
    Ok(components.write(&weights, folder)?)
}

/// The best translations of the words of the development set by a bundle, which is closed again before the next is opened.
fn lists(bundle: &Bundle, words: &[String], args: &Args) -> Result<Vec<List>> {
    let given = &args.bundle;
    let settings = TranslatorSettings {
        tokenized: true,
        threads: args.threads.count(),
        guides: Guides { translate_all: true, ..Guides::default() },
        ..TranslatorSettings::default()
    };
    let translator = Translator::of(&[bundle], &settings)?;
    let name = given.dev_src.as_ref().map_or(String::new(), |source| source.display().to_string());
    let trees = TreeReader::open(&given.trees.files(), &name)?;
    let text: String = words.iter().flat_map(|line| [line, "\n"]).collect();
    let skip_bad = given.bad.skip_bad;
    let lines = LineSource {
        lines: Lines::new(name, text.as_bytes()),
        trees: vec![trees.skip_bad(skip_bad)],
        skip_bad,
    };
    let mut lists = Vec::new();
    let passed = list_lines(&translator, lines, |list| {
        lists.push(list);
        Ok(())
    })?;
    if !passed.trees.is_empty() {
        args.notes.note(&passed.trees.to_string());
    }
    args.notes.note(&format!("{}: {} translated", bundle.folder().display(), count(lists.len(), "line")));
    Ok(lists)
}

/// What scores the translations of all bundles: the language models of the bundle that has most of them, lexical tables that are
/// given, and with these the first joint model there is.
fn judges(systems: Vec<Components>, args: &Args) -> CombinationComponents {
    let lex = args.bundle.lex.clone();
    let (mut lms, mut joint) = (Vec::new(), None);
    for system in systems.iter().filter(|system| system.subwords.iter().all(Option::is_none)) {
        let ngrams = system.lms.iter().filter(|lm| lm.role == LmRole::Ngram);
        let own: Vec<PathBuf> = ngrams.map(|lm| lm.path.clone()).collect();
        if own.len() > lms.len() {
            lms = own;
        }
        joint = joint.or_else(|| system.joint.clone()).filter(|_| lex.is_some());
    }
    let systems = systems.into_iter().map(|system| system.model).collect();
    CombinationComponents { systems, lms, lex, joint: [joint, None] }
}
