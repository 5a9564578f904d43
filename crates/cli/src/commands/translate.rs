//! `treeglot translate`: lines in, translations out, in order, each as soon as it and those before it are done.

use crate::args::{FilterArgs, Json, SourceTreeArgs, name};
use crate::errors::wrong;
use anyhow::{Context, Result};
use clap::Args as ClapArgs;
use serde::Serialize;
use std::path::PathBuf;
use treeglot_decode::mbr::{self, Gain};
use treeglot_decode::{
    Explanation, FeatureSet, NamedValues, SearchSettings, System, Translation, Translations, Wanted, Worker,
    translate_streams, write_nbest,
};
use treeglot_models::InputTrees;
use treeglot_models::pairs::TreeReader;
use treeglot_pipeline::Bundle;
use treeglot_pipeline::surface::SurfaceWorker;
use treeglot_text::Output;
use treeglot_text::sentences::Splitter;
use treeglot_tree::DepParse;
use treeglot_tree::format::conllu;
use treeglot_tree::parse::Note;

#[derive(ClapArgs)]
pub struct Args {
    /// The bundle to translate with; of several, the translation is chosen that agrees best with all of them
    #[arg(short, long = "model", value_name = "BUNDLE", required = true)]
    models: Vec<PathBuf>,

    #[command(flatten)]
    filter: FilterArgs,

    #[command(flatten)]
    trees: SourceTreeArgs,

    /// Write this many translations of each line, as `id ||| text ||| features ||| score`
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    nbest: Option<u32>,

    /// Leave derivations out that give the same words as a better one
    #[arg(long)]
    distinct: bool,

    /// Tell for each word which source words it came from, and which rules with which scores made the translation
    #[arg(long)]
    explain: bool,

    /// Write the dependency tree of each translation as CoNLL-U, for models whose rules have heads; an empty translation
    /// has none
    #[arg(long, value_name = "FILE", conflicts_with = "nbest")]
    target_trees: Option<PathBuf>,

    #[command(flatten)]
    form: Json,

    /// Choose the translation that agrees best with all likely ones, not the one with the best score
    #[arg(long)]
    mbr: bool,

    /// Input and output are words separated by blanks, whatever the bundle says
    #[arg(long)]
    tokenized: bool,

    /// Lines are paragraphs: translate their sentences one by one, and write those of a line as one line again
    #[arg(long, conflicts_with_all = ["nbest", "src_dep", "src_con", "tokenized"])]
    split: bool,

    /// How many translations of each bundle are compared with each other
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    mbr_size: u32,

    #[command(flatten)]
    search: SearchSettings,
}

impl Args {
    pub fn run(self) -> Result<()> {
        if self.nbest.is_some() && (self.models.len() > 1 || self.mbr) {
            wrong!(
                "`--nbest` lists the translations of one bundle by score: leave out `--mbr` and other bundles"
            );
        }
        let bundles = self.models.iter().map(Bundle::open).collect::<treeglot_pipeline::Result<Vec<_>>>()?;
        let systems: Vec<Box<dyn System>> = bundles
            .iter()
            .map(|bundle| bundle.system(&self.search))
            .collect::<treeglot_pipeline::Result<_>>()?;
        let surfaces = if self.tokenized { None } else { bundles[0].surfaces()? };
        let splitter = self.split.then(|| splitter(&bundles[0])).transpose()?;
        let mut lines = self.filter.lines()?;
        let mut output = self.filter.files.output()?;
        let mut tree_output = self.target_trees.as_ref().map(Output::create).transpose()?;
        let threads = self.filter.threads.count();
        let (args, systems, surfaces, splitter) = (&self, &systems[..], surfaces.as_ref(), splitter.as_ref());
        let start = |_| {
            let mut workers: Vec<_> =
                systems.iter().map(|system| system.worker()).collect::<treeglot_decode::Result<_>>()?;
            let mut surface = surfaces.map(|[_, target]| target.worker());
            Ok(move |id: u64, line: &str, (words, trees): (String, InputTrees)| {
                let mut one = |words: &str, trees: &InputTrees| {
                    args.translate(id, words, trees, &mut workers, systems, surface.as_mut())
                };
                let Some(splitter) = splitter else { return one(&words, &trees) };
                let mut into = surfaces.map(|[source, _]| source.worker());
                let sentences = splitter.split(line).into_iter();
                let sentences =
                    sentences.map(|sentence| one(&words_of(&mut into, sentence), &InputTrees::default()));
                Ok(args.joined(&sentences.collect::<treeglot_decode::Result<Vec<_>>>()?))
            })
        };
        let workers = (0..threads).map(start).collect::<treeglot_decode::Result<Vec<_>>>()?;
        let files = self.trees.files();
        let mut trees = TreeReader::open(&files, &name(&self.filter.files.input))?;
        let mut into = surfaces.map(|[source, _]| source.worker());
        let beside = |line: &str| {
            let words = words_of(&mut into, line);
            let trees = trees.next(&words)?;
            Ok((words, trees))
        };
        let outputs = [Some(&mut output), tree_output.as_mut()];
        let skipped = translate_streams(&mut lines, outputs, workers, self.filter.skips_bad(), beside)?;
        trees.finish()?;
        output.finish()?;
        tree_output.map(Output::finish).transpose()?;
        self.filter.report(skipped);
        Ok(())
    }

    fn chooses(&self) -> bool {
        self.mbr || self.models.len() > 1
    }

    fn wanted(&self) -> Wanted {
        let chosen_from = if self.chooses() { self.mbr_size } else { 1 };
        Wanted {
            count: self.nbest.unwrap_or(chosen_from) as usize,
            distinct: self.distinct || self.chooses(),
            explain: self.explain,
        }
    }

    /// The output for one line, and the tree where it is wanted. N-best lists are of words, as tuning wants them.
    fn translate(
        &self,
        id: u64,
        words: &str,
        trees: &InputTrees,
        workers: &mut [Box<dyn Worker + '_>],
        systems: &[Box<dyn System>],
        surface: Option<&mut SurfaceWorker<'_>>,
    ) -> treeglot_decode::Result<[String; 2]> {
        let wanted = self.wanted();
        let found: Vec<Translations> =
            workers.iter_mut().map(|worker| worker.translate_trees(words, trees, &wanted)).collect();
        for narrowed in found.iter().filter_map(|translations| translations.narrowed.as_ref()) {
            self.filter.files.note(&format!("line {}: {narrowed}", id + 1));
        }
        if self.nbest.is_some() {
            return Ok([self.write_nbest(id, &found[0], systems[0].features()), String::new()]);
        }
        let Some((system, chosen)) = self.choose(&found) else {
            return Ok(["\n".to_string(), String::new()]);
        };
        let tree = if self.target_trees.is_some() { conllu_tree(id, chosen)? } else { String::new() };
        let mut text = String::new();
        match surface {
            Some(target) => target.text(&chosen.text, &mut text),
            None => text.push_str(&chosen.text),
        }
        let chosen = Translation { text, ..chosen.clone() };
        Ok([self.write_one(id, system, &chosen, systems[system].features()), tree])
    }

    /// The output for a line of several sentences: what was written of each, in one line where it is text alone.
    fn joined(&self, sentences: &[[String; 2]]) -> [String; 2] {
        let trees = sentences.iter().map(|[_, tree]| tree.as_str()).collect();
        if self.form.json || self.explain {
            return [sentences.iter().map(|[text, _]| text.as_str()).collect(), trees];
        }
        let sentences: Vec<&str> = sentences.iter().map(|[text, _]| text.trim_end()).collect();
        [sentences.join(" ") + "\n", trees]
    }

    /// The translation to write, with the number of its system.
    fn choose<'a>(&self, found: &'a [Translations]) -> Option<(usize, &'a Translation)> {
        if self.chooses() {
            return mbr::choose_from(found, &Gain::default());
        }
        Some((0, found.first()?.best.first()?))
    }

    fn write_nbest(&self, id: u64, found: &Translations, features: &FeatureSet) -> String {
        let mut out = String::new();
        for translation in &found.best {
            if self.form.json {
                out.push_str(&json_line(id, 0, translation, features));
                continue;
            }
            let Translation { text, features: values, score, .. } = translation;
            write_nbest(id as usize, text, features, values, *score, &mut out);
            if let Some(explanation) = &translation.explanation {
                explanation.write(&mut out);
            }
        }
        out
    }

    fn write_one(&self, id: u64, system: usize, translation: &Translation, features: &FeatureSet) -> String {
        if self.form.json {
            return json_line(id, system, translation, features);
        }
        let mut out = format!("{}\n", translation.text);
        if let Some(explanation) = &translation.explanation {
            explanation.write(&mut out);
        }
        out
    }
}

/// The words of a line as the models see them.
fn words_of(surface: &mut Option<SurfaceWorker<'_>>, line: &str) -> String {
    let mut words = String::new();
    match surface {
        Some(source) => source.words(line, &mut words),
        None => words.push_str(line),
    }
    words
}

/// What tells the sentences of a bundle's source language apart.
fn splitter(bundle: &Bundle) -> Result<Splitter> {
    let language = bundle.manifest().source.as_deref();
    let language = language.context("--split: the bundle does not say which language it translates from")?;
    Ok(Splitter::new(language)?)
}

/// The tree of a translation, of words, as CoNLL-U.
fn conllu_tree(id: u64, translation: &Translation) -> treeglot_decode::Result<String> {
    let Some(heads) = &translation.tree else {
        let why = "the rules of this bundle have no heads, so its translations have no trees: see `extract str2dep`";
        return Err(treeglot_decode::Error::Settings(why.to_string()));
    };
    let mut parse = DepParse::new(0);
    parse.push_note(Note::Comment, &format!("# sent_id = {}", id + 1));
    for (word, &head) in translation.text.split(' ').zip(heads) {
        parse.push_word(word, "_", Some(head), if head == 0 { "root" } else { "dep" });
    }
    let mut out = Vec::new();
    if !heads.is_empty() {
        conllu::write(&parse, &mut out).expect("memory takes every byte");
    }
    Ok(String::from_utf8(out).expect("words are text"))
}

/// A translation as JSON.
#[derive(Serialize)]
struct JsonLine<'a> {
    id: u64,
    text: &'a str,
    score: f64,
    system: usize,
    features: NamedValues<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<&'a Explanation>,
}

fn json_line(id: u64, system: usize, translation: &Translation, features: &FeatureSet) -> String {
    let line = JsonLine {
        id,
        text: &translation.text,
        score: translation.score,
        system,
        features: features.named(&translation.features),
        explanation: translation.explanation.as_ref(),
    };
    let text = serde_json::to_string(&line).expect("names are text and scores are numbers");
    text + "\n"
}
