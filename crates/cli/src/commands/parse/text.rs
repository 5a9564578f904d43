//! `treeglot parse -m MODEL`: trees of text.

use super::sentences::{Sentence, Source};
use crate::args::{FilterArgs, count, name};
use crate::errors::wrong;
use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use rayon::prelude::*;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Instant;
use treeglot_parse::{Outcomes, Parse, ParseSettings, Parser, ScoredParse, Worker};
use treeglot_pipeline::Progress;
use treeglot_text::Output;
use treeglot_text::tokenize::{self, Tokenizer};
use treeglot_tree::format::{Format, conllu, egret, ptb};
use treeglot_tree::{DepParse, TreeKind};

const HELP: &str = "\
A line of the input is a sentence. Raw text is cut into tokens by the rules of the parser's language, and tokens that stand \
for several words (`don't`, `du`, `im`) into these, both written as Universal Dependencies has it; with --pretokenized, words \
are what stands between blanks, and all are kept. A line without words keeps its place: a comment alone, `(())`, or a forest \
without nodes.

With --kbest, CoNLL-U has a block for each parse of a sentence, with its rank and score as comments; a bracketed line is \
`number ||| tree ||| score`. --by-rank writes a file a rank instead, as models that read several parses take them. A forest \
packs all probable constituency trees, in Egret's format, as models of trees take it.

Examples:
  treeglot parse -m en.parser < news.txt > news.conllu
  treeglot parse -m en.parser --pretokenized --kbest 3 --by-rank news train.en
  treeglot parse -m en.constituents --to forest train.en -o train.en.forest
  treeglot parse -m en.parser --from conllu gold.conllu | treeglot parse eval --gold gold.conllu -";

/// The arguments of `treeglot parse -m MODEL`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct TextArgs {
    /// The parser, of dependencies or of constituents
    #[arg(short, long, value_name = "MODEL", required = true)]
    model: Option<PathBuf>,

    /// Words are what stands between blanks
    #[arg(long)]
    pretokenized: bool,

    /// Parse the words of trees in this format anew, instead of text; CoNLL-U keeps its comments and tokens
    #[arg(long, value_name = "FMT", conflicts_with = "pretokenized")]
    pub(super) from: Option<Format>,

    /// What is written [default: conllu or ptb, after the kind of the parser]
    #[arg(long, value_name = "FMT")]
    to: Option<To>,

    /// How many parses of each sentence
    #[arg(long, value_name = "K", default_value = "1")]
    kbest: std::num::NonZeroUsize,

    /// Write a file for each rank, PREFIX.1.conllu and so on; a sentence with fewer parses has its last one in the other files
    #[arg(long, value_name = "PREFIX")]
    by_rank: Option<PathBuf>,

    #[command(flatten)]
    settings: ParseSettings,

    #[command(flatten)]
    pub(super) filter: FilterArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum To {
    /// Dependencies, as CoNLL-U
    Conllu,
    /// Constituents, in brackets, one tree a line
    Ptb,
    /// Packed forests of constituents
    Forest,
}

impl To {
    fn kind(self) -> TreeKind {
        match self {
            Self::Conllu => TreeKind::Dependency,
            Self::Ptb | Self::Forest => TreeKind::Constituency,
        }
    }

    fn ending(self) -> &'static str {
        match self {
            Self::Conllu => "conllu",
            Self::Ptb => "ptb",
            Self::Forest => "forest",
        }
    }
}

/// The sentences that one worker takes together. It does not depend on the number of threads, so neither does the result.
const CHUNK: usize = 32;

/// The sentences read before their parses are written.
const BLOCK: usize = 64 * CHUNK;

impl TextArgs {
    pub fn run(self) -> Result<()> {
        let model = self.model.as_ref().expect("clap requires it without a subcommand");
        let parser = Parser::open(model)?;
        let to = self.to.unwrap_or(match parser.kind() {
            TreeKind::Dependency => To::Conllu,
            TreeKind::Constituency => To::Ptb,
        });
        if to.kind() != parser.kind() {
            let (has, ending) = (parser.kind(), to.ending());
            bail!("{}: a parser of {has} trees cannot write {ending}", name(model));
        }
        if to == To::Forest && (self.kbest.get() > 1 || self.by_rank.is_some()) {
            wrong!("a forest holds all parses: --kbest and --by-rank go with conllu and ptb");
        }
        let tokenizer = match self.pretokenized || self.from.is_some() {
            true => None,
            false => Some(parser.tokenizer().with_context(|| name(model))?),
        };
        let mut outputs = self.outputs(to)?;
        let threads = &self.filter.threads;
        threads.run(|| Job { args: &self, parser, tokenizer, to }.run(&mut outputs))?;
        outputs.into_iter().try_for_each(|output| Ok(output.finish()?))
    }

    fn outputs(&self, to: To) -> Result<Vec<Output>> {
        let Some(prefix) = &self.by_rank else { return Ok(vec![self.filter.files.output()?]) };
        let ranks = 1..=self.kbest.get();
        let path = |rank| crate::args::with_ending(prefix, &format!(".{rank}.{}", to.ending()));
        ranks.map(|rank| Ok(Output::create(path(rank))?)).collect()
    }
}

/// One run of a parser.
struct Job<'a> {
    args: &'a TextArgs,
    parser: Parser,
    tokenizer: Option<Tokenizer>,
    to: To,
}

/// What a chunk of sentences gave: text for each output, and what became of them.
type Parsed = (Vec<Vec<u8>>, Outcomes);

impl Job<'_> {
    fn run(&self, outputs: &mut [Output]) -> Result<()> {
        let files = &self.args.filter.files;
        let mut source = Source::open(self.args)?;
        let progress = if files.is_quiet() { Progress::quiet() } else { Progress::new() };
        let bar = progress.start("parse");
        let (start, mut done, mut all) = (Instant::now(), 0, Outcomes::default());
        let ranks = outputs.len();
        loop {
            let block = source.block(BLOCK)?;
            if block.is_empty() {
                break;
            }
            let numbered: Vec<(u64, &[Sentence])> =
                (0..).step_by(CHUNK).map(|n| n + done as u64).zip(block.chunks(CHUNK)).collect();
            let parsed: Vec<Result<Parsed>> = numbered
                .into_par_iter()
                .map_init(
                    || self.parser.worker(&self.args.settings),
                    |worker, (at, chunk)| self.chunk(worker, at, chunk, ranks),
                )
                .collect();
            for parsed in parsed {
                let (texts, outcomes) = parsed?;
                all.in_pieces += outcomes.in_pieces;
                all.failed += outcomes.failed;
                for (output, text) in outputs.iter_mut().zip(texts) {
                    output.write_all(&text).map_err(|e| output.error(e))?;
                }
            }
            done += block.len();
            bar.say(&format!(
                "{done} sentences, {:.0} a second",
                done as f64 / start.elapsed().as_secs_f64()
            ));
        }
        self.args.filter.report(source.skipped);
        files.note(&summary(done, all));
        Ok(())
    }

    fn chunk(&self, worker: &mut Worker, first: u64, chunk: &[Sentence], outputs: usize) -> Result<Parsed> {
        let before = worker.outcomes();
        let mut texts = vec![Vec::new(); outputs];
        let mut tokens = self.tokenizer.as_ref().map(Tokenizer::worker);
        let parses = match self.args.kbest.get() == 1 && self.to != To::Forest {
            // Networks are faster on several sentences.
            true => self.best(worker, chunk, tokens.as_mut()),
            false => Vec::new(),
        };
        let mut parses = parses.into_iter();
        for (number, sentence) in (first + 1..).zip(chunk) {
            match parses.next() {
                Some(parse) => write(&parse, &mut texts[0])?,
                None => self.several(worker, (number, sentence), tokens.as_mut(), &mut texts)?,
            }
        }
        let after = worker.outcomes();
        let outcomes =
            Outcomes { in_pieces: after.in_pieces - before.in_pieces, failed: after.failed - before.failed };
        Ok((texts, outcomes))
    }

    fn best(
        &self,
        worker: &mut Worker,
        chunk: &[Sentence],
        tokens: Option<&mut tokenize::Worker<'_>>,
    ) -> Vec<Parse> {
        if let Some(tokens) = tokens {
            let cut = chunk.iter().map(|sentence| match sentence {
                Sentence::Text(text) => self.parser.tokens(tokens, text),
                Sentence::Words(_) => Vec::new(),
            });
            return worker.parse_tokens(&cut.collect::<Vec<_>>());
        }
        let words: Vec<Vec<&str>> = chunk.iter().map(Sentence::words).collect();
        let sentences: Vec<&[&str]> = words.iter().map(Vec::as_slice).collect();
        let parses = worker.parse_all(&sentences);
        parses.into_iter().zip(chunk).map(|(parse, sentence)| sentence.with(parse)).collect()
    }

    /// Writes the forest or the best parses of a sentence.
    fn several(
        &self,
        worker: &mut Worker,
        (number, sentence): (u64, &Sentence),
        tokens: Option<&mut tokenize::Worker<'_>>,
        texts: &mut [Vec<u8>],
    ) -> Result<()> {
        let cut: Vec<String> = match (sentence, tokens) {
            (Sentence::Text(text), Some(tokenizer)) => {
                let tokens = self.parser.tokens(tokenizer, text);
                tokens.iter().flat_map(|t| t.words().map(str::to_string).collect::<Vec<_>>()).collect()
            }
            _ => sentence.words().into_iter().map(str::to_string).collect(),
        };
        let words: Vec<&str> = cut.iter().map(String::as_str).collect();
        if self.to == To::Forest {
            let place = || self.args.filter.files.sentence(number as usize);
            return egret::write(number, worker.forest(&words).as_ref(), &mut texts[0]).with_context(place);
        }
        let list = worker.kbest(&words, self.args.kbest.get());
        let list: Vec<ScoredParse> =
            list.into_iter().map(|p| ScoredParse { parse: sentence.with(p.parse), ..p }).collect();
        if self.args.by_rank.is_some() {
            for (rank, text) in texts.iter_mut().enumerate() {
                match list.get(rank).or(list.last()) {
                    Some(parse) => write(&parse.parse, text)?,
                    None => write(&self.nothing(), text)?,
                }
            }
            return Ok(());
        }
        if list.is_empty() {
            write(&self.nothing(), &mut texts[0])?;
        }
        for (rank, scored) in (1..).zip(&list) {
            write_ranked(number, rank, scored, &mut texts[0])?;
        }
        Ok(())
    }

    /// The parse of a sentence without words.
    fn nothing(&self) -> Parse {
        match self.parser.kind() {
            TreeKind::Dependency => Parse::Dependency(DepParse::new(0)),
            TreeKind::Constituency => Parse::Constituency(None),
        }
    }
}

fn write(parse: &Parse, out: &mut Vec<u8>) -> io::Result<()> {
    match parse {
        Parse::Dependency(parse) if parse.is_empty() => out.write_all(b"# no words\n\n"),
        Parse::Dependency(parse) => conllu::write(parse, out),
        Parse::Constituency(Some(tree)) => ptb::write(tree, out),
        Parse::Constituency(None) => ptb::write_failed(out),
    }
}

fn write_ranked(number: u64, rank: usize, scored: &ScoredParse, out: &mut Vec<u8>) -> io::Result<()> {
    let score = scored.score;
    match &scored.parse {
        Parse::Dependency(parse) => {
            writeln!(out, "# number = {number}\n# rank = {rank}\n# score = {score}")?;
            conllu::write(parse, out)
        }
        Parse::Constituency(_) => {
            write!(out, "{number} ||| ")?;
            write(&scored.parse, out)?;
            out.pop();
            writeln!(out, " ||| {score}")
        }
    }
}

fn summary(sentences: usize, outcomes: Outcomes) -> String {
    let mut notes = vec![count(sentences, "sentence")];
    if outcomes.in_pieces > 0 {
        notes.push(format!("{} too long to be parsed at once, parsed in pieces", outcomes.in_pieces));
    }
    if outcomes.failed > 0 {
        notes.push(format!("{} with a flat tree, for want of usable scores", outcomes.failed));
    }
    notes.join(", ")
}
