//! `treeglot translate`: lines in, translations out, in order, each as soon as it and those before it are done.

use crate::args::{FilterArgs, Json, SourceTreeArgs, name, tree_option};
use crate::errors::wrong;
use anyhow::Result;
use clap::Args as ClapArgs;
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;
use treeglot_decode::{Explanation, FeatureSet, NamedValues, SearchSettings, write_nbest};
use treeglot_models::pairs::TreeReader;
use treeglot_parse::Parse;
use treeglot_pipeline::translator::{
    COMPARED, Hypothesis, LineSource, Request, Sentence, Translated, Translator, TranslatorSettings,
};
use treeglot_text::{Output, Side};
use treeglot_tree::format::{conllu, ptb};
use treeglot_tree::{DepParse, DepTree, Note, PerTree, TreeSlot, WordIx};

#[derive(ClapArgs)]
pub struct Args {
    /// The bundle to translate with; of several, the translation is chosen that agrees best with all of them
    #[arg(short, long = "model", value_name = "BUNDLE", required = true)]
    models: Vec<PathBuf>,

    #[command(flatten)]
    filter: FilterArgs,

    #[command(flatten)]
    trees: SourceTreeArgs,

    /// A parser of the source language for models that translate trees, instead of the bundle's own: a file that `treeglot parse
    /// train` made, or a command that reads sentences and writes trees; given again, its trees are further parses
    #[arg(long, value_name = "PARSER")]
    src_parser: Vec<String>,

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
        let settings = TranslatorSettings {
            search: self.search.clone(),
            tokenized: self.tokenized,
            parsers: self.src_parser.clone(),
            threads: self.filter.threads.count(),
        };
        let translator = Translator::open_with(&self.models, &settings)?;
        let files = self.trees.files();
        self.warn_of_trees(&translator, &files);
        let trees = vec![
            TreeReader::open(&files, &name(&self.filter.files.input))?.skip_bad(self.filter.skips_bad()),
        ];
        let source = LineSource { lines: self.filter.lines()?, trees, skip_bad: self.filter.skips_bad() };
        let mut output = self.filter.files.output()?;
        let mut tree_output = self.target_trees.as_ref().map(Output::create).transpose()?;
        let mut link_output = self.links.as_ref().map(Output::create).transpose()?;
        let mut taken = Taken::new(&translator);
        let passed = translator.translate_lines(source, &self.request(), |id, line, translated| {
            if let Some(why) = taken.complaint(line) {
                self.filter.files.note(&why);
            }
            if let Some(out) = &mut link_output {
                let text = links(&translated);
                writeln!(out, "{text}").and_then(|()| out.flush()).map_err(|e| out.error(e))?;
            }
            let text = self.written(id, &translated, &translator);
            output.write_all(text.as_bytes()).and_then(|()| output.flush()).map_err(|e| output.error(e))?;
            if let Some(out) = &mut tree_output {
                let trees = conllu_trees(id, &translated)?;
                out.write_all(trees.as_bytes()).and_then(|()| out.flush()).map_err(|e| out.error(e))?;
            }
            Ok(())
        })?;
        output.finish()?;
        tree_output.map(Output::finish).transpose()?;
        link_output.map(Output::finish).transpose()?;
        self.filter.report(passed.lines);
        if !passed.trees.is_empty() {
            self.filter.files.note(&passed.trees.to_string());
        }
        Ok(())
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
            explain: self.explain || self.links.is_some(),
            compare: (self.mbr || self.models.len() > 1).then_some(self.mbr_size as usize),
            split: self.split,
            ..Request::default()
        }
    }

    /// What is written for a line.
    fn written(&self, id: u64, translated: &Translated, translator: &Translator) -> String {
        for narrowed in translated.sentences.iter().flat_map(|sentence| &sentence.narrowed) {
            self.filter.files.note(&format!("line {}: {narrowed}", id + 1));
        }
        if self.nbest.is_none() && !self.form.json && !self.explain {
            return translated.text() + "\n";
        }
        translated.sentences.iter().map(|sentence| self.sentence(id, sentence, translator)).collect()
    }

    /// What is written for a sentence that is not text alone. N-best lists are of words, as tuning wants them.
    fn sentence(&self, id: u64, sentence: &Sentence, translator: &Translator) -> String {
        let mut out = String::new();
        let trees: Vec<String> =
            sentence.parses.iter().filter(|_| self.explain).filter_map(bracketed).collect();
        if sentence.best.is_empty() && self.nbest.is_none() {
            out.push('\n');
        }
        for hypothesis in &sentence.best {
            let Hypothesis { text, words, system, features, score, explanation, .. } = hypothesis;
            let names = translator.features(*system);
            if self.form.json {
                let text = if self.nbest.is_some() { words } else { text };
                let explanation = explanation.as_ref().filter(|_| self.explain);
                out.push_str(&json_line(id, text, (hypothesis, &trees), names, explanation));
                continue;
            }
            if self.nbest.is_some() {
                write_nbest(id as usize, words, names, features, *score, &mut out);
            } else {
                out.push_str(text);
                out.push('\n');
            }
            trees.iter().for_each(|tree| out.push_str(&format!("  tree {tree}\n")));
            if let Some(explanation) = explanation.as_ref().filter(|_| self.explain) {
                explanation.write(&mut out);
            }
        }
        out
    }
}

/// Whether lines are what a bundle of words takes: raw text is translated badly, and nothing else would tell.
struct Taken {
    /// The language to be cut into words; none where the bundle cuts text itself, or all has been said.
    language: Option<String>,
    lines: usize,
    attached: usize,
    apart: usize,
}

impl Taken {
    /// So many lines are looked at.
    const LINES: usize = 20;

    fn new(translator: &Translator) -> Self {
        let language = translator.languages()[0].unwrap_or("LANG").to_string();
        let language = (!translator.takes_text()).then_some(language);
        Self { language, lines: 0, attached: 0, apart: 0 }
    }

    /// Looks at a line; what is to be said, once.
    fn complaint(&mut self, line: &str) -> Option<String> {
        let language = self.language.as_ref()?;
        let is_sign = |c: char| matches!(c, '.' | ',' | '?' | '!' | ';');
        for word in line.split_whitespace() {
            let bare = word.trim_end_matches(is_sign);
            self.apart += usize::from(bare.is_empty());
            self.attached += usize::from(bare.len() < word.len() && bare.ends_with(char::is_alphabetic));
        }
        self.lines += 1;
        let raw = self.attached >= 2 && self.attached > 4 * self.apart;
        let why = raw.then(|| {
            format!(
                "this looks like raw text, but the bundle takes words with blanks between them, signs apart: cut it with \
                 `treeglot tokenize --lang {language}` first"
            )
        });
        if why.is_some() || self.lines == Self::LINES {
            self.language = None;
        }
        why
    }
}

/// The links of a line's translation.
fn links(translated: &Translated) -> String {
    let best = translated.sentences.iter().flat_map(|sentence| sentence.best.first());
    let links = best.flat_map(|best| &best.explanation).flat_map(Explanation::links);
    links.map(|(source, target)| format!("{source}-{target}")).collect::<Vec<_>>().join(" ")
}

/// The trees of a line's translations, of words, as CoNLL-U.
fn conllu_trees(id: u64, translated: &Translated) -> treeglot_pipeline::Result<String> {
    let best = translated.sentences.iter().flat_map(|sentence| sentence.best.first());
    best.map(|best| conllu_tree(id, best)).collect()
}

/// The tree of a translation, of words, as CoNLL-U.
fn conllu_tree(id: u64, translation: &Hypothesis) -> treeglot_pipeline::Result<String> {
    let Some(heads) = &translation.tree else {
        let why = "the rules of this bundle have no heads, so its translations have no trees: see `extract str2dep`";
        return Err(treeglot_pipeline::Error::Invalid(why.to_string()));
    };
    let mut parse = DepParse::new(0);
    parse.push_note(Note::Comment, &format!("# sent_id = {}", id + 1));
    for (word, &head) in translation.words.split(' ').zip(heads) {
        parse.push_word(word, "_", Some(head), if head == 0 { "root" } else { "dep" });
    }
    let mut out = Vec::new();
    if !heads.is_empty() {
        conllu::write(&parse, &mut out).expect("memory takes every byte");
    }
    Ok(String::from_utf8(out).expect("words are text"))
}

/// A parse in one line: brackets with the labels of constituents, or with the relation, the word and its dependents.
fn bracketed(parse: &Parse) -> Option<String> {
    match parse {
        Parse::Dependency(parse) => {
            let sound = parse.sound_tree()?;
            Some(dependency_brackets(parse, &sound.tree, sound.tree.root()))
        }
        Parse::Constituency(tree) => {
            let mut out = Vec::new();
            ptb::write(tree.as_ref()?, &mut out).ok()?;
            Some(String::from_utf8_lossy(&out).trim_end().to_string())
        }
    }
}

/// `(root sleeps (nsubj dog (det the)))`: dependents stand before and after their head as in the sentence.
fn dependency_brackets(parse: &DepParse, tree: &DepTree, word: WordIx) -> String {
    let mut out = format!("({}", parse.deprel(word));
    let dependents = tree.dependents(word);
    let before = dependents.partition_point(|&dependent| dependent < word);
    let mut put = |part: String| {
        out.push(' ');
        out.push_str(&part);
    };
    dependents[..before].iter().for_each(|&dependent| put(dependency_brackets(parse, tree, dependent)));
    put(format!("{}/{}", parse.form(word), parse.tag(word)));
    dependents[before..].iter().for_each(|&dependent| put(dependency_brackets(parse, tree, dependent)));
    out.push(')');
    out
}

/// A translation as JSON.
#[derive(Serialize)]
struct JsonLine<'a> {
    id: u64,
    text: &'a str,
    score: f64,
    system: usize,
    features: NamedValues<'a>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    trees: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<&'a Explanation>,
}

fn json_line(
    id: u64,
    text: &str,
    (hypothesis, trees): (&Hypothesis, &[String]),
    features: &FeatureSet,
    explanation: Option<&Explanation>,
) -> String {
    let line = JsonLine {
        id,
        text,
        score: hypothesis.score,
        system: hypothesis.system,
        features: features.named(&hypothesis.features),
        trees,
        explanation,
    };
    let text = serde_json::to_string(&line).expect("names are text and scores are numbers");
    text + "\n"
}
