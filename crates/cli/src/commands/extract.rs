//! `treeglot extract MODEL`: rule instances of training pairs. The models and their options come from the registry.

use crate::commands::common;
use anyhow::{Context, Result, bail, ensure};
use clap::{ArgMatches, Command, FromArgMatches};
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use treeglot_align::LexTable;
use treeglot_grammar::{Batch, Counter, MAX_ORIGINS, Scratch, notation};
use treeglot_models::extract::{Lexicon, Summary, extract};
use treeglot_models::pairs::{Files, Pairs};
use treeglot_models::{Model, Needs, registry};
use treeglot_text::Output;
use treeglot_text::bitext::Options;

const HELP: &str = "\
Reads tokenised sentences, links `0-0 1-2` and, where the model asks for them, trees: one for each line, of the same \
tokens. Writes rule instances `source ||| target ||| links ||| count`, in the order of the pairs, for `treeglot score` \
or Moses' score.

Trees are CoNLL-U or Penn Treebank brackets, one a line, unless the file's name tells another format; a line of several \
sentences has one tree with several roots, of which the later ones hang from the first.";

/// The arguments of `treeglot extract`.
pub struct Args {
    model: Box<dyn Model>,
    pairs: PairArgs,
}

#[derive(clap::Args)]
struct PairArgs {
    /// Source sentences, tokenised, one a line
    #[arg(long, value_name = "FILE")]
    src: PathBuf,

    /// Target sentences
    #[arg(long, value_name = "FILE")]
    tgt: PathBuf,

    /// Links between source and target words
    #[arg(long, value_name = "FILE")]
    links: PathBuf,

    /// Dependency trees of the source sentences; given again, other parses of the same sentences, for models that read several
    #[arg(long, value_name = "FILE")]
    src_dep: Vec<PathBuf>,

    /// Constituency trees of the source sentences, likewise
    #[arg(long, value_name = "FILE")]
    src_con: Vec<PathBuf>,

    /// Dependency trees of the target sentences; given again, as another parser's, the rules of all are written, each with
    /// the number of its file
    #[arg(long, value_name = "FILE")]
    tgt_dep: Vec<PathBuf>,

    /// Constituency trees of the target sentences
    #[arg(long, value_name = "FILE")]
    tgt_con: Option<PathBuf>,

    /// Links between the nodes of the trees, as `treeglot align trees` writes them
    #[arg(long, value_name = "FILE")]
    node_links: Option<PathBuf>,

    /// Write the orientations of phrase pairs in the format of Moses' extract.o
    #[arg(long, value_name = "FILE")]
    reordering: Option<PathBuf>,

    /// Write lexical tables over the links: PREFIX.f2e with p(target|source), PREFIX.e2f with p(source|target)
    #[arg(long, value_name = "PREFIX")]
    lex: Option<PathBuf>,

    /// Leave out pairs with a line that cannot be read, links that do not fit or trees of other words, and count them,
    /// instead of stopping there
    #[arg(long)]
    skip_bad: bool,

    /// How many threads work [default: all cores]; the output does not depend on it
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,

    /// Where to write the instances; `.gz` and `.zst` are packed
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,

    /// Count the instances and write the counts instead, as a binary file for `score --from`: nothing is written as text
    #[arg(long, value_name = "FILE", conflicts_with = "output")]
    counts_out: Option<PathBuf>,

    /// How much memory to use for `--counts-out`; past it, sorted runs are written to temporary files
    #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = common::parse_size)]
    memory: u64,

    /// The folder for temporary files [default: TMPDIR]
    #[arg(long, value_name = "DIR")]
    temp: Option<PathBuf>,

    /// Print no notes on standard error
    #[arg(short, long)]
    quiet: bool,
}

impl clap::Args for Args {
    fn augment_args(command: Command) -> Command {
        let command = command
            .subcommand_required(true)
            .subcommand_value_name("MODEL")
            .subcommand_help_heading("Models")
            .disable_help_subcommand(true);
        registry::MODELS.iter().fold(command, |command, entry| {
            let model = entry.augment(Command::new(entry.name)).next_help_heading("Files and output");
            let model = <PairArgs as clap::Args>::augment_args(model);
            command.subcommand(model.about(entry.about).long_about(None).after_help(HELP))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Args {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let missing = || clap::Error::new(clap::error::ErrorKind::MissingSubcommand);
        let (name, matches) = matches.subcommand().ok_or_else(missing)?;
        let entry = registry::find(name).map_err(invalid)?;
        let model = entry.from_args(matches).map_err(invalid)?;
        Ok(Self { model, pairs: PairArgs::from_arg_matches(matches)? })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn invalid(error: treeglot_models::Error) -> clap::Error {
    match error {
        treeglot_models::Error::Arguments(error) => error,
        error => clap::Error::raw(clap::error::ErrorKind::ValueValidation, error),
    }
}

impl Args {
    pub fn run(self) -> Result<()> {
        let threads = self.pairs.threads.map_or(0, NonZeroUsize::get);
        let pool =
            rayon::ThreadPoolBuilder::new().num_threads(threads).build().context("cannot start threads")?;
        pool.install(|| self.pairs.extract(&*self.model))
    }
}

impl PairArgs {
    fn extract(&self, model: &dyn Model) -> Result<()> {
        let needs = model.needs();
        self.check_inputs(needs)?;
        let mut lexicon = self.lex.is_some().then(Lexicon::default);
        let mut sink = match &self.counts_out {
            Some(path) => Sink::counts(self.memory, self.temp.as_deref(), path),
            None => Sink::Text(Output::create(&self.output)?),
        };
        let mut reordering = self.reordering.as_ref().map(Output::create).transpose()?;
        let (orientations, as_text) = (reordering.is_some(), self.counts_out.is_none());
        let mut summaries = Vec::new();
        for (origin, tgt_dep) in self.sources(needs).into_iter().enumerate() {
            let work = |mut batch: Batch| {
                batch.set_origin(origin as u8);
                let mut order = Vec::new();
                if orientations {
                    notation::write_orientations(&batch, &mut order);
                }
                (if as_text { Part::text(&batch) } else { Part::batch(batch) }, order)
            };
            let take = |(part, order): (Part, Vec<u8>)| -> Result<()> {
                sink.take(part)?;
                match &mut reordering {
                    Some(reordering) => reordering.write_all(&order).map_err(|e| reordering.error(e).into()),
                    None => Ok(()),
                }
            };
            let options = Options { skip_bad: self.skip_bad, ..Options::default() };
            let pairs = Pairs::open(&self.files(tgt_dep), needs, options)?;
            let more = |needed: bool, files: &[PathBuf]| -> Vec<PathBuf> {
                files.iter().skip(1).filter(|_| needs.several_parses && needed).cloned().collect()
            };
            let more = [more(needs.source.dep, &self.src_dep), more(needs.source.con, &self.src_con)];
            let mut pairs = pairs.with_more_source_trees(&more[0], &more[1])?;
            let lexicon = lexicon.as_mut().filter(|_| origin == 0);
            let summary = extract(&mut pairs, model, lexicon, work, take)?;
            summaries.push((tgt_dep, summary));
        }
        sink.finish()?;
        reordering.map(Output::finish).transpose()?;
        if let (Some(lexicon), Some(prefix)) = (lexicon, &self.lex) {
            for table in LexTable::BOTH {
                let mut output = Output::create(table.path(prefix))?;
                lexicon.write(table, &mut output).map_err(|e| output.error(e))?;
                output.finish()?;
            }
        }
        summaries.iter().for_each(|(tgt_dep, summary)| self.report(*tgt_dep, summary));
        Ok(())
    }

    /// The files of target trees to go over the pairs with, one after the other.
    fn sources(&self, needs: Needs) -> Vec<Option<&PathBuf>> {
        if needs.target.dep && self.tgt_dep.len() > 1 {
            return self.tgt_dep.iter().map(Some).collect();
        }
        vec![self.tgt_dep.first()]
    }

    fn report(&self, tgt_dep: Option<&PathBuf>, summary: &Summary) {
        match tgt_dep {
            _ if self.quiet => {}
            Some(path) if self.tgt_dep.len() > 1 => eprintln!("treeglot: {}: {summary}", path.display()),
            _ => eprintln!("treeglot: {summary}"),
        }
    }

    fn files(&self, tgt_dep: Option<&PathBuf>) -> Files {
        Files {
            source: self.src.clone(),
            target: self.tgt.clone(),
            links: self.links.clone(),
            source_dep: self.src_dep.first().cloned(),
            source_con: self.src_con.first().cloned(),
            target_dep: tgt_dep.cloned(),
            target_con: self.tgt_con.clone(),
            node_links: self.node_links.clone(),
        }
    }

    /// Only one input can be standard input; trees that the model does not read are named.
    fn check_inputs(&self, needs: Needs) -> Result<()> {
        let trees = [
            (self.src_dep.first(), needs.source.dep, "--src-dep"),
            (self.src_dep.get(1), needs.source.dep && needs.several_parses, "a second --src-dep"),
            (self.src_con.first(), needs.source.con, "--src-con"),
            (self.src_con.get(1), needs.source.con && needs.several_parses, "a second --src-con"),
            (self.tgt_dep.first(), needs.target.dep, "--tgt-dep"),
            (self.tgt_con.as_ref(), needs.target.con, "--tgt-con"),
            (self.node_links.as_ref(), needs.node_links, "--node-links"),
        ];
        for (path, needed, option) in &trees {
            if path.is_some() && !needed && !self.quiet {
                eprintln!("treeglot: {option} is not read by this model");
            }
        }
        let read = trees.iter().filter(|(_, needed, _)| *needed).filter_map(|(path, ..)| *path);
        let inputs: Vec<&PathBuf> = [&self.src, &self.tgt, &self.links].into_iter().chain(read).collect();
        let standard = inputs.iter().filter(|path| path.as_os_str() == "-").count();
        if standard > 1 {
            bail!("only one input can be standard input");
        }
        if self.tgt_dep.len() > 1 {
            let most = usize::from(MAX_ORIGINS);
            ensure!(standard == 0, "with several --tgt-dep the pairs are read several times: give files");
            ensure!(self.tgt_dep.len() <= most, "at most {most} --tgt-dep are possible");
        }
        Ok(())
    }
}

/// What a thread made of a chunk of pairs.
enum Part {
    Text(Vec<u8>),
    Batch(Batch),
}

impl Part {
    fn text(batch: &Batch) -> Self {
        let mut text = Vec::new();
        notation::write_batch(batch, &mut text);
        Self::Text(text)
    }

    fn batch(mut batch: Batch) -> Self {
        batch.round_counts();
        Self::Batch(batch)
    }
}

/// Where instances go.
enum Sink {
    Text(Output),
    Counts { counter: Counter, waiting: Vec<Batch>, path: PathBuf },
}

impl Sink {
    fn counts(memory: u64, temp: Option<&Path>, path: &Path) -> Self {
        let counter = Counter::new(memory / 2, &Scratch::new(temp));
        Self::Counts { counter, waiting: Vec::new(), path: path.to_owned() }
    }

    fn take(&mut self, part: Part) -> Result<()> {
        match (self, part) {
            (Self::Text(output), Part::Text(text)) => {
                output.write_all(&text).map_err(|e| output.error(e))?;
            }
            (Self::Counts { counter, waiting, .. }, Part::Batch(batch)) => {
                waiting.push(batch);
                if waiting.len() >= rayon::current_num_threads() {
                    counter.add(waiting, 1.0)?;
                    waiting.clear();
                }
            }
            _ => unreachable!("a sink is given what it asked for"),
        }
        Ok(())
    }

    fn finish(self) -> Result<()> {
        match self {
            Self::Text(output) => Ok(output.finish()?),
            Self::Counts { mut counter, waiting, path } => {
                counter.add(&waiting, 1.0)?;
                Ok(counter.finish()?.write(&path)?)
            }
        }
    }
}
