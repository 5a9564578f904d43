//! `treeglot translate`: lines in, translations out, in order, each as soon as it and those before it are done.

mod guides;
mod input;
mod output;

use crate::args::{FilterArgs, Json, SourceTreeArgs, name, tree_option};
use crate::errors::wrong;
use anyhow::{Context, Result};
use clap::Args as ClapArgs;
use guides::GuideArgs;
use input::{Taken, Watched};
use output::{bracketed, conllu_trees, json_line, source_words, write_review};
use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use treeglot_align::links::Line;
use treeglot_decode::{SearchSettings, write_nbest};
use treeglot_document::Format;
use treeglot_models::pairs::TreeReader;
use treeglot_pipeline::ExplainedPage;
use treeglot_pipeline::bundle::TunedCombination;
use treeglot_pipeline::translator::{
    COMPARED, Hypothesis, LineSource, Request, Sentence, Translated, Translator, TranslatorSettings,
};
use treeglot_text::{Input, Output, Side};
use treeglot_tree::{PerTree, TreeSlot};

const HELP: &str = "\
Without a file, sentences are read from standard input: on a terminal after a prompt, each translated as it is typed; Ctrl-D ends.

Examples:
  treeglot translate -m de-en < text.de > text.en
  treeglot translate -m de-en --explain
  treeglot translate -m de-en --explain why.html text.de
  treeglot translate -m de-en --format html --confidence page.de.html > page.en.html
  treeglot translate -m de-en --terms terms.tsv text.de
  treeglot translate -m de-en --nbest 10 --distinct text.de
  treeglot translate -m phrase -m hiero --combination both text.de";

#[derive(ClapArgs)]
#[command(after_help = HELP)]
pub struct Args {
    /// The bundle to translate with; of several, the translation is chosen that agrees best with all of them
    #[arg(short, long = "model", value_name = "BUNDLE", required = true)]
    models: Vec<PathBuf>,

    /// Choose among the translations of several bundles by what `treeglot tune` or an experiment learnt for these bundles in this
    /// order, instead of by agreement alone
    #[arg(long, value_name = "DIR", conflicts_with = "nbest")]
    combination: Option<PathBuf>,

    #[command(flatten)]
    filter: FilterArgs,

    #[command(flatten)]
    trees: SourceTreeArgs,

    /// A parser of the source language for models that translate trees, instead of the bundle's own: a file that `treeglot parse
    /// train` made, or a command that reads sentences and writes trees; given again, its trees are further parses
    #[arg(long, value_name = "PARSER")]
    src_parser: Vec<String>,

    /// Write this many translations of each line, as `id ||| text ||| features ||| score`; text is raw if the bundle's is, words
    /// with --tokenized
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    nbest: Option<u32>,

    /// Leave derivations out that give the same words as a better one
    #[arg(long)]
    distinct: bool,

    /// Tell for each word which source words it came from, and which rules with which scores made the translation; with a file whose
    /// name ends with `.html`, write drawings of all this to it instead
    #[arg(long, value_name = "FILE.html", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    explain: Option<PathBuf>,

    /// Write the dependency tree of each translation as CoNLL-U, for models whose rules have heads; an empty translation
    /// has none
    #[arg(long, value_name = "FILE", conflicts_with = "nbest")]
    target_trees: Option<PathBuf>,

    /// Write the links of each translation's words with those of its source, as `0-0 1-2`; positions are of words as models see
    /// them
    #[arg(long, value_name = "FILE", conflicts_with_all = ["nbest", "split"])]
    links: Option<PathBuf>,

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
    #[arg(long, value_name = "N", default_value_t = COMPARED as u32, value_parser = clap::value_parser!(u32).range(1..))]
    mbr_size: u32,

    /// Tell how far each translation can be trusted, from 0 to 1: in JSON, or as colours of the sentences of a page (`--format html`);
    /// pages of `--explain` have them anyway. The bundle must be fitted for it (`train` does, and `bundle calibrate`)
    #[arg(long)]
    confidence: bool,

    /// List the lines most in need of a human, worst first: confidence, number, source and translation, with tabs between them; of a document,
    /// segments
    #[arg(long, value_name = "FILE")]
    review: Option<PathBuf>,

    /// What the input is: of documents all stays as it is but their text, and inline tags are set by word links
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,

    #[command(flatten)]
    guides: GuideArgs,

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
        if self.confidence && !self.form.json && self.format != Format::Html {
            wrong!(
                "`--confidence` is told in JSON or in the colours of a page: give `--json` or `--format html`"
            );
        }
        let page = self.explain.as_deref().filter(|path| path.as_os_str() != "-");
        if let Some(path) = page {
            self.check_page(path)?;
        }
        let settings = TranslatorSettings {
            search: self.search.clone(),
            tokenized: self.tokenized,
            parsers: self.src_parser.clone(),
            threads: self.filter.threads.count(),
            guides: self.guides.guides(&self.models[0])?,
            confidence: None,
            combination: self.combination.as_ref().map(TunedCombination::open).transpose()?.map(Arc::new),
        };
        let translator = Translator::open_with(&self.models, &settings)?;
        if (self.confidence || self.review.is_some()) && !translator.tells_confidence() {
            wrong!(
                "the bundle cannot tell how far its translations can be trusted: fit it with `treeglot bundle calibrate`"
            );
        }
        let files = self.trees.files();
        self.warn_of_trees(&translator, &files);
        if self.format != Format::Text {
            return self.document(&translator);
        }
        self.lines(&translator, page, &files)
    }

    /// Translates line by line.
    fn lines(
        &self,
        translator: &Translator,
        page: Option<&Path>,
        files: &PerTree<Vec<PathBuf>>,
    ) -> Result<()> {
        let trees =
            vec![TreeReader::open(files, &name(&self.filter.files.input))?.skip_bad(self.filter.skips_bad())];
        let source = LineSource { lines: self.filter.lines()?, trees, skip_bad: self.filter.skips_bad() };
        let mut output = self.filter.files.output()?;
        let mut tree_output = self.target_trees.as_ref().map(Output::create).transpose()?;
        let mut link_output = self.links.as_ref().map(Output::create).transpose()?;
        let mut taken = Taken::new(translator);
        let mut explained = page.map(|_| ExplainedPage::default());
        let mut review = self.review.as_ref().map(|_| Vec::new());
        let mut watched = Watched::new(&self.filter, translator);
        let signs = page.is_some() && translator.tells_confidence();
        let request = Request { signs: self.request().signs || signs, ..self.request() };
        let passed = translator.translate_lines(source, &request, |id, line, translated| {
            if let Some(why) = taken.complaint(line) {
                self.filter.files.note(&why);
            }
            if let (Some(review), Some(confidence)) = (&mut review, translated.confidence()) {
                review.push((confidence, id + 1, line.to_string(), translated.text()));
            }
            if let Some(page) = &mut explained {
                page.add(id, line, &translated);
            }
            if let Some(out) = &mut link_output {
                let links = translated.links();
                writeln!(out, "{}", Line(&links)).and_then(|()| out.flush()).map_err(|e| out.error(e))?;
            }
            let text = self.written(id, &translated, translator);
            output.write_all(text.as_bytes()).and_then(|()| output.flush()).map_err(|e| output.error(e))?;
            if let Some(out) = &mut tree_output {
                let trees = conllu_trees(id, &translated)?;
                out.write_all(trees.as_bytes()).and_then(|()| out.flush()).map_err(|e| out.error(e))?;
            }
            watched.line_is_done();
            Ok(())
        })?;
        watched.end();
        output.finish()?;
        tree_output.map(Output::finish).transpose()?;
        link_output.map(Output::finish).transpose()?;
        if let (Some(path), Some(review)) = (&self.review, review) {
            write_review(path, review)?;
        }
        if let (Some(path), Some(explained)) = (page, explained) {
            self.write_page(path, explained, files)?;
        }
        self.filter.report(passed.lines);
        if !passed.trees.is_empty() {
            self.filter.files.note(&passed.trees.to_string());
        }
        Ok(())
    }

    /// Translates a whole document.
    fn document(&self, translator: &Translator) -> Result<()> {
        let alone = self.nbest.is_none() && self.explain.is_none() && !self.form.json && self.links.is_none();
        if !alone
            || self.target_trees.is_some()
            || self.tokenized
            || !self.trees.files().iter().all(|(_, files)| files.is_empty())
        {
            wrong!(
                "a document is translated as a whole: leave out what is written or read for single lines (--nbest, --json, --explain, --links, --target-trees, --src-dep, --src-con, --tokenized)"
            );
        }
        let mut text = String::new();
        let mut input = Input::open(&self.filter.files.input)?;
        let name = name(&self.filter.files.input);
        input.reader.read_to_string(&mut text).with_context(|| format!("{name}: cannot read"))?;
        let mut output = self.filter.files.output()?;
        let request = Request { colours: self.confidence, ..self.request() };
        let translated = translator.translate_document(self.format, &text, &request);
        let (document, segments) = translated.with_context(|| name)?;
        if let Some(path) = &self.review {
            let row = |(number, translated): (u64, &Translated)| {
                Some((translated.confidence()?, number, source_words(translated), translated.text()))
            };
            write_review(path, (1..).zip(&segments).filter_map(row).collect())?;
        }
        output.write_all(document.as_bytes()).map_err(|e| output.error(e))?;
        Ok(output.finish()?)
    }

    /// Explanations go to a page, and to nothing else.
    fn check_page(&self, path: &Path) -> Result<()> {
        if self.nbest.is_some() || self.form.json {
            wrong!("a page explains the best translation of each line: leave out `--nbest` and `--json`");
        }
        if path.extension().is_none_or(|ending| ending != "html") {
            wrong!("{}: the page of explanations must end with `.html`", path.display());
        }
        Ok(ExplainedPage::may_replace(path)?)
    }

    fn write_page(&self, path: &Path, page: ExplainedPage, trees: &PerTree<Vec<PathBuf>>) -> Result<()> {
        let bundles: Vec<String> = self.models.iter().map(|model| model.display().to_string()).collect();
        let about = format!("{}, translated by {}", name(&self.filter.files.input), bundles.join(", "));
        page.write(path, &about, trees)?;
        self.filter.files.note(&format!("open {} in a browser", path.display()));
        Ok(())
    }

    /// Whether explanations are written with the translations.
    fn explains_in_text(&self) -> bool {
        self.explain.as_ref().is_some_and(|path| path.as_os_str() == "-")
    }

    /// Tells of trees that are missing, or that nothing reads.
    fn warn_of_trees(&self, translator: &Translator, files: &PerTree<Vec<PathBuf>>) {
        let missing = translator.missing_trees(files);
        if !missing.is_empty() {
            let kinds: Vec<&str> = missing.iter().map(|kind| kind.name()).collect();
            let options = missing.iter().map(|&kind| tree_option(TreeSlot { side: Side::Source, kind }));
            self.filter.files.note(&format!(
                "warning: {} trees are translated here, but there are none, which makes worse translations: give {}, or a \
                 parser with --src-parser",
                kinds.join(" and "),
                options.collect::<Vec<_>>().join(" and ")
            ));
        }
        for (slot, _) in
            files.iter().filter(|(slot, files)| !files.is_empty() && !translator.translates(slot.kind))
        {
            self.filter.files.note(&format!(
                "warning: {} is not read: no {} trees are translated here",
                tree_option(slot),
                slot.kind
            ));
        }
    }

    fn request(&self) -> Request {
        Request {
            count: self.nbest.map_or(1, |count| count as usize),
            distinct: self.distinct,
            explain: self.explain.is_some() || self.links.is_some(),
            compare: (self.mbr || self.models.len() > 1).then_some(self.mbr_size as usize),
            split: self.split,
            unknown: self.guides.unknown,
            signs: self.confidence || self.review.is_some(),
            ..Request::default()
        }
    }

    /// What is written for a line.
    fn written(&self, id: u64, translated: &Translated, translator: &Translator) -> String {
        for narrowed in translated.sentences.iter().flat_map(|sentence| &sentence.narrowed) {
            self.filter.files.note(&format!("line {}: {narrowed}", id + 1));
        }
        if self.nbest.is_none() && !self.form.json && !self.explains_in_text() {
            return translated.text() + "\n";
        }
        translated.sentences.iter().map(|sentence| self.sentence(id, sentence, translator)).collect()
    }

    /// What is written for a sentence that is not text alone.
    fn sentence(&self, id: u64, sentence: &Sentence, translator: &Translator) -> String {
        let mut out = String::new();
        let explains = self.explains_in_text();
        let trees: Vec<String> = sentence.parses.iter().filter(|_| explains).filter_map(bracketed).collect();
        if sentence.best.is_empty() && self.nbest.is_none() {
            out.push('\n');
        }
        for hypothesis in &sentence.best {
            let Hypothesis { text, system, features, score, explanation, .. } = hypothesis;
            let names = translator.features(*system);
            if self.form.json {
                let explanation = explanation.as_ref().filter(|_| explains);
                out.push_str(&json_line(
                    id,
                    text,
                    (hypothesis, &trees),
                    names,
                    explanation,
                    sentence.confidence,
                ));
                continue;
            }
            if self.nbest.is_some() {
                write_nbest(id as usize, text, names, features, *score, &mut out);
            } else {
                out.push_str(text);
                out.push('\n');
            }
            trees.iter().for_each(|tree| out.push_str(&format!("  tree {tree}\n")));
            if let Some(explanation) = explanation.as_ref().filter(|_| explains) {
                explanation.write(&mut out);
            }
        }
        out
    }
}

/// Arguments in which the page of `--explain` is joined to it: what follows it is otherwise the text to translate.
pub fn with_page_joined(args: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut joined: Vec<OsString> = Vec::new();
    for arg in args {
        let is_page = Path::new(&arg).extension().is_some_and(|ending| ending == "html");
        match joined.last_mut().filter(|last| *last == "--explain" && is_page) {
            Some(last) => {
                last.push("=");
                last.push(arg);
            }
            None => joined.push(arg),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_page_belongs_to_explain() {
        let joined = |args: &[&str]| with_page_joined(args.iter().map(OsString::from));
        assert_eq!(joined(&["--explain", "why.html", "text"]), ["--explain=why.html", "text"]);
        assert_eq!(joined(&["--explain", "text.de"]), ["--explain", "text.de"]);
        assert_eq!(joined(&["page.html", "--explain"]), ["page.html", "--explain"]);
    }
}
