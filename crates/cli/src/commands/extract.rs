//! `treeglot extract MODEL`: rule instances of training pairs. The models and their options come from the registry.

use crate::args::{OutputArgs, PairArgs, Quiet, ScratchArgs, Threads, TreeArgs, check_inputs, tree_option};
use crate::errors::wrong;
use crate::print::write_file;
use anyhow::Result;
use clap::{ArgMatches, Command, FromArgMatches};
use std::io::Write;
use std::path::{Path, PathBuf};
use treeglot_align::LexTable;
use treeglot_grammar::{Batch, Counter, MAX_ORIGINS, Scratch, notation};
use treeglot_models::extract::{Lexicon, extract};
use treeglot_models::pairs::{Files, Pairs};
use treeglot_models::{Model, Needs, registry};
use treeglot_text::{Output, Side};
use treeglot_tree::{PerTree, TreeSlot};

const HELP: &str = "\
Reads tokenised sentences, links `0-0 1-2` and, where the model asks for them, trees: one for each line, of the same \
tokens. Writes rule instances `source ||| target ||| links ||| count`, in the order of the pairs, for `treeglot score` \
or Moses' score.

Trees are CoNLL-U or Penn Treebank brackets, one a line, unless the file's name tells another format; a line of several \
sentences has one tree with several roots, of which the later ones hang from the first.";

/// The arguments of `treeglot extract`.
pub struct Args {
    model: Box<dyn Model>,
    work: ExtractArgs,
}

#[derive(clap::Args)]
struct ExtractArgs {
    #[command(flatten)]
    pairs: PairArgs,

    #[command(flatten)]
    trees: TreeArgs,

    /// Links between the nodes of the trees, as `treeglot align trees` writes them
    #[arg(long, value_name = "FILE")]
    node_links: Option<PathBuf>,

    /// Write the orientations of phrase pairs in the format of Moses' extract.o
    #[arg(long, value_name = "FILE")]
    reordering: Option<PathBuf>,

    /// Write lexical tables over the links: PREFIX.f2e with p(target|source), PREFIX.e2f with p(source|target)
    #[arg(long, value_name = "PREFIX")]
    lex: Option<PathBuf>,

    #[command(flatten)]
    threads: Threads,

    #[command(flatten)]
    out: OutputArgs,

    /// Count the instances and write the counts instead, as a binary file for `score --from`: nothing is written as text
    #[arg(long, value_name = "FILE", conflicts_with = "output")]
    counts_out: Option<PathBuf>,

    #[command(flatten)]
    scratch: ScratchArgs,

    #[command(flatten)]
    notes: Quiet,
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
            let model = <ExtractArgs as clap::Args>::augment_args(model);
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
        Ok(Self { model, work: ExtractArgs::from_arg_matches(matches)? })
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
        self.work.threads.run(|| self.work.extract(&*self.model))
    }
}

impl ExtractArgs {
    fn extract(&self, model: &dyn Model) -> Result<()> {
        let needs = model.needs();
        let trees = self.trees.files();
        self.check_inputs(&trees, needs)?;
        let mut lexicon = self.lex.is_some().then(Lexicon::default);
        let mut sink = match &self.counts_out {
            Some(path) => Sink::counts(&self.scratch, path),
            None => Sink::Text(self.out.create()?),
        };
        let mut reordering = self.reordering.as_ref().map(Output::create).transpose()?;
        let (orientations, as_text) = (reordering.is_some(), self.counts_out.is_none());
        let mut summaries = Vec::new();
        for (origin, tgt_dep) in sources(&trees.target_dep, needs).into_iter().enumerate() {
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
            let mut pairs = Pairs::open(&self.files(&trees, tgt_dep), needs, self.pairs.bad.options())?;
            let lexicon = lexicon.as_mut().filter(|_| origin == 0);
            let summary = extract(&mut pairs, model, lexicon, work, take)?;
            summaries.push((tgt_dep, summary));
        }
        sink.finish()?;
        reordering.map(Output::finish).transpose()?;
        if let (Some(lexicon), Some(prefix)) = (lexicon, &self.lex) {
            for table in LexTable::BOTH {
                write_file(table.path(prefix), |output| lexicon.write(table, output))?;
            }
        }
        for (tgt_dep, summary) in &summaries {
            let of = tgt_dep.filter(|_| summaries.len() > 1);
            let of = of.map_or(String::new(), |path| format!("{}: ", path.display()));
            self.notes.note(&format!("{of}{summary}"));
        }
        Ok(())
    }

    fn files(&self, trees: &PerTree<Vec<PathBuf>>, tgt_dep: Option<&PathBuf>) -> Files {
        let trees = PerTree { target_dep: tgt_dep.cloned().into_iter().collect(), ..trees.clone() };
        Files { node_links: self.node_links.clone(), ..self.pairs.files(trees) }
    }

    /// Only one input can be standard input; trees that the model does not read are named.
    fn check_inputs(&self, trees: &PerTree<Vec<PathBuf>>, needs: Needs) -> Result<()> {
        let mut inputs = vec![&self.pairs.src, &self.pairs.tgt, &self.pairs.links];
        for (slot, files) in trees.iter() {
            let read = most_files(slot, needs);
            inputs.extend(files.iter().take(read));
            if files.len() > read {
                let which = if read == 0 { "" } else { "a second " };
                self.notes.note(&format!("{which}{} is not read by this model", tree_option(slot)));
            }
        }
        match &self.node_links {
            Some(path) if needs.node_links => inputs.push(path),
            Some(_) => self.notes.note("--node-links is not read by this model"),
            None => {}
        }
        check_inputs(inputs.iter().map(|path| path.as_path()))?;
        if trees.target_dep.len() > 1 {
            let most = usize::from(MAX_ORIGINS);
            let standard = inputs.iter().any(|path| path.as_os_str() == "-");
            if standard {
                wrong!("with several --tgt-dep the pairs are read several times: give files");
            }
            if trees.target_dep.len() > most {
                wrong!("at most {most} --tgt-dep are possible");
            }
        }
        Ok(())
    }
}

/// How many files of such trees a model reads.
fn most_files(slot: TreeSlot, needs: Needs) -> usize {
    let several = match slot.side {
        Side::Source => needs.several_parses,
        Side::Target => slot.kind == treeglot_tree::TreeKind::Dependency,
    };
    match (needs.trees[slot], several) {
        (false, _) => 0,
        (true, false) => 1,
        (true, true) => usize::MAX,
    }
}

/// The files of target trees to go over the pairs with, one after the other.
fn sources(target_dep: &[PathBuf], needs: Needs) -> Vec<Option<&PathBuf>> {
    if needs.trees.target_dep && target_dep.len() > 1 {
        return target_dep.iter().map(Some).collect();
    }
    vec![target_dep.first()]
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
    fn counts(scratch: &ScratchArgs, path: &Path) -> Self {
        let counter = Counter::new(scratch.memory() / 2, &Scratch::new(scratch.temp()));
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
