//! `treeglot align SRC TGT`: trains (or loads) a model and prints links.

use super::required;
use crate::args::{MemoryArgs, OutputArgs, SkipBad, Threads, Verbosity, check_distinct, count};
use crate::errors::wrong;
use crate::print::write_file;
use anyhow::Result;
use std::io::Write;
use std::path::{Path, PathBuf};
use treeglot_align::links::Line;
use treeglot_align::{
    Aligned, Classes, Corpus, CorpusSide, LexCounts, LexTable, MODEL_TABLE_THRESHOLD, Model, Settings, priors,
};
use treeglot_text::bitext::Bitext;
use treeglot_text::column::MemoryBudget;
use treeglot_text::{Lines, Output};

const HELP: &str = "\
Both directions are trained at once, by agreement: model 1, then a hidden Markov model, then fertilities on top. There \
is nothing random in it, and the links depend neither on the number of threads nor on --memory.

Within --memory are the text as numbers, the pairs of words that meet, and the counts of --lex; what exceeds it lies in \
temporary files in the folder TMPDIR. The distinct words come on top, about 200 bytes each. 30,000 pairs of 25 words need 40 \
MB in all, 200,000 need 190 MB.

A pair with an empty side gets an empty line. So does a pair over the length limit, which is counted and named.

With --src-classes or --tgt-classes, where the next partner lies depends on the class of the last one: what follows an \
adjective is elsewhere than what follows a verb. Any classes serve: of mkcls (`mkcls -c50 -n2 -ptrain.de -Vde.classes`), \
Brown clusters, or the most frequent tag of each word; a line is a word, a tab or space, and its class.

Examples:
  treeglot align train.de train.en > links
  treeglot align train.de train.en --lex lex --priors model.gz -o links.gz
  treeglot align new.de new.en --load model.gz";

/// The arguments of `treeglot align SRC TGT`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct WordsArgs {
    /// Source sentences, tokenised, one a line
    #[arg(value_name = "SRC", required = true)]
    src: Option<PathBuf>,

    /// Target sentences
    #[arg(value_name = "TGT", required = true)]
    tgt: Option<PathBuf>,

    #[command(flatten)]
    settings: Settings,

    /// Write lexical tables over the links: PREFIX.f2e with p(target|source), PREFIX.e2f with p(source|target)
    #[arg(long, value_name = "PREFIX")]
    lex: Option<PathBuf>,

    /// Write the lexical tables of the model: PREFIX.f2e and PREFIX.e2f with all words that meet, linked or not
    #[arg(long, value_name = "PREFIX")]
    lex_all: Option<PathBuf>,

    /// Leave out of these tables what is less probable
    #[arg(long, value_name = "P", requires = "lex_all", default_value_t = MODEL_TABLE_THRESHOLD)]
    lex_threshold: f64,

    /// Save the trained model
    #[arg(long, value_name = "FILE")]
    priors: Option<PathBuf>,

    /// Classes of source words: jumps between source positions then depend on them
    #[arg(long, value_name = "FILE")]
    src_classes: Option<PathBuf>,

    /// Classes of target words: jumps between target positions then depend on them
    #[arg(long, value_name = "FILE")]
    tgt_classes: Option<PathBuf>,

    /// Align with a saved model (or eflomal's priors) instead of training one
    #[arg(long, value_name = "FILE", conflicts_with_all = ["priors", "model", "src_classes", "tgt_classes"])]
    load: Option<PathBuf>,

    /// Write the probability of each link, in the order of the links
    #[arg(long, value_name = "FILE")]
    scores: Option<PathBuf>,

    /// Write the links of the forward direction: at most one for each target word
    #[arg(long, value_name = "FILE")]
    forward: Option<PathBuf>,

    /// Write the links of the reverse direction: at most one for each source word
    #[arg(long, value_name = "FILE")]
    reverse: Option<PathBuf>,

    #[command(flatten)]
    bad: SkipBad,

    #[command(flatten)]
    memory: MemoryArgs,

    #[command(flatten)]
    threads: Threads,

    #[command(flatten)]
    out: OutputArgs,

    #[command(flatten)]
    notes: Verbosity,
}

/// The outputs besides the links.
struct Outputs {
    links: Output,
    scores: Option<Output>,
    forward: Option<Output>,
    reverse: Option<Output>,
}

impl WordsArgs {
    pub fn run(self) -> Result<()> {
        check_distinct(required(&self.src), required(&self.tgt))?;
        self.settings.check()?;
        if !(0.0..=1.0).contains(&self.lex_threshold) {
            wrong!("--lex-threshold is a probability from 0 to 1, not {}", self.lex_threshold);
        }
        self.threads.run(|| self.align())
    }

    fn align(&self) -> Result<()> {
        let (corpus, model) = self.model()?;
        let open = |path: &Option<PathBuf>| path.as_ref().map(Output::create).transpose();
        let mut outputs = Outputs {
            links: self.out.create()?,
            scores: open(&self.scores)?,
            forward: open(&self.forward)?,
            reverse: open(&self.reverse)?,
        };
        let mut lex = self.lex.is_some().then(|| LexCounts::new(&corpus));
        model.align(&corpus, self.settings.symmetrize, self.settings.order, |s, aligned| -> Result<()> {
            if let Some(lex) = &mut lex {
                lex.add(corpus.src.sentence(s), corpus.tgt.sentence(s), &aligned.links)?;
            }
            outputs.write(aligned)
        })?;
        outputs.finish()?;
        if let Some(prefix) = &self.lex_all {
            for table in LexTable::BOTH {
                let mut expected = model.expected_links(&corpus, table)?;
                let probabilities = expected.table(table)?;
                write_file(table.path(prefix), |output| {
                    probabilities.write_above(self.lex_threshold, output)
                })?;
            }
        }
        if let (Some(mut lex), Some(prefix)) = (lex, &self.lex) {
            for table in LexTable::BOTH {
                let probabilities = lex.table(table)?;
                write_file(table.path(prefix), |output| probabilities.write(output))?;
            }
        }
        Ok(())
    }

    /// The corpus, and a model trained on it or loaded.
    fn model(&self) -> Result<(Corpus, Model)> {
        let mut bitext = Bitext::open([required(&self.src), required(&self.tgt)], self.bad.options())?;
        let space = MemoryBudget::new(self.memory.bytes());
        if let Some(path) = &self.load {
            let (mut model, src, tgt) = priors::read(&mut Lines::open(path)?, &self.settings, &space)?;
            let corpus = Corpus::read_with(&mut bitext, self.settings.max_length, src, tgt, &space)?;
            self.report(&corpus, &bitext);
            model.adapt(&corpus)?;
            return Ok((corpus, model));
        }
        let corpus = Corpus::read(&mut bitext, self.settings.max_length, &space)?;
        self.report(&corpus, &bitext);
        let classes = [
            read_classes(self.src_classes.as_deref(), &corpus.src)?,
            read_classes(self.tgt_classes.as_deref(), &corpus.tgt)?,
        ];
        let model = Model::train_with_classes(&corpus, &self.settings, classes, |step| {
            self.notes.detail(step);
        })?;
        if let Some(path) = &self.priors {
            write_file(path, |output| priors::write(&model, corpus.words(), output))?;
        }
        Ok((corpus, model))
    }

    /// Says what was left out.
    fn report(&self, corpus: &Corpus, bitext: &Bitext) {
        let note = |text: String| self.notes.notes.note(&text);
        if bitext.skipped().total() > 0 {
            note(bitext.skipped().to_string());
        }
        if corpus.skipped.is_empty() {
            return;
        }
        let pairs = count(corpus.skipped.len(), "pair");
        note(format!("{pairs} skipped for more than {} words on a side:", self.settings.max_length));
        let shown = if self.notes.verbose { usize::MAX } else { 10 };
        for pair in corpus.skipped.iter().take(shown) {
            note(format!("  line {}: {} and {} words", pair.line, pair.src, pair.tgt));
        }
        if corpus.skipped.len() > shown {
            note(format!("  and {} more; -v names them all", corpus.skipped.len() - shown));
        }
    }
}

impl Outputs {
    fn write(&mut self, aligned: &Aligned) -> Result<()> {
        let files = [
            (Some(&mut self.links), &aligned.links),
            (self.forward.as_mut(), &aligned.forward),
            (self.reverse.as_mut(), &aligned.reverse),
        ];
        for (output, links) in files {
            let Some(output) = output else { continue };
            writeln!(output, "{}", Line(links)).map_err(|e| output.error(e))?;
        }
        if let Some(output) = &mut self.scores {
            let scores: Vec<String> = aligned.scores.iter().map(|score| format!("{score:.4}")).collect();
            writeln!(output, "{}", scores.join(" ")).map_err(|e| output.error(e))?;
        }
        Ok(())
    }

    fn finish(self) -> Result<()> {
        for output in [Some(self.links), self.scores, self.forward, self.reverse].into_iter().flatten() {
            output.finish()?;
        }
        Ok(())
    }
}

fn read_classes(path: Option<&Path>, side: &CorpusSide) -> Result<Option<Classes>> {
    let Some(path) = path else { return Ok(None) };
    Ok(Some(Classes::read(&mut Lines::open(path)?, &side.words)?))
}
