//! `treeglot coverage`: how much of its training pairs a model's rules can build again.

use crate::args::{Json, OutputArgs, PairArgs, Quiet, Threads, count, known_lines};
use crate::errors::wrong;
use crate::print::{json_line, write_file};
use anyhow::Result;
use std::io::{self, Write};
use std::path::PathBuf;
use treeglot_models::mwu::coverage::{Coverage, Study};
use treeglot_models::pairs::{Checked, Pairs};
use treeglot_pipeline::Progress;
use treeglot_pipeline::report::coverage::{charts, tables};
use treeglot_pipeline::report::{Part, Report};

const HELP: &str = "\
A pair is recovered if the rules that `treeglot extract` reads off it build its own target side (Na & Lee 2011, figures 6 \
and 7), by any derivation; `by priority` is the share of pairs that they build if each variable is given the rule of the highest \
fractional count and nothing is tried again (its section 5). For all others limits are lifted one after the other, and the first that helps is the reason: the derivation has \
hyperedges beyond the k best; source words without links would have to be left out; a unit of another shape is needed; or \
none of these, so that a unit of more than m words is needed where no smaller span is consistent.

The last table tells what continuous word sequences are linked to (table 1): consistent, overlapped (with what other words \
are linked to), discontinuous, or null.

Example:
  treeglot coverage --model mwu --src de --tgt en --links links --src-dep de.conllu --m 1,2,4,6 --k 1,10 --plot coverage.html";

/// The models whose coverage can be studied.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Model {
    /// Forests of multi-word units
    Mwu,
}

/// The arguments of `treeglot coverage`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// The model
    #[arg(long, value_enum, value_name = "MODEL")]
    model: Model,

    #[command(flatten)]
    pairs: PairArgs,

    /// Dependency trees of the source sentences; several files make one forest a sentence
    #[arg(long, value_name = "FILE", required = true)]
    src_dep: Vec<PathBuf>,

    #[command(flatten)]
    study: Study,

    #[command(flatten)]
    form: Json,

    /// Write tables and charts as a page that needs nothing else
    #[arg(long, value_name = "FILE.html")]
    plot: Option<PathBuf>,

    #[command(flatten)]
    threads: Threads,

    #[command(flatten)]
    out: OutputArgs,

    #[command(flatten)]
    notes: Quiet,
}

impl Args {
    pub fn run(self) -> Result<()> {
        let Model::Mwu = self.model;
        if let Err((setting, why)) = self.study.check() {
            wrong!("--{setting} {why}");
        }
        let (coverage, checked) = self.threads.run(|| self.study())?;
        self.out
            .write(|out| if self.form.json { json_line(out, &coverage) } else { print(&coverage, out) })?;
        if let Some(path) = &self.plot {
            write_file(path, |page| page.write_all(report(&coverage).html().as_bytes()))?;
        }
        self.note(&checked);
        Ok(())
    }

    fn study(&self) -> Result<(Coverage, Checked)> {
        let mut pairs = Pairs::open(
            &self.pairs.with_source_trees(&self.src_dep, &[]),
            self.study.needs(),
            self.pairs.bad.options(),
        )?;
        let progress = if self.notes.quiet { Progress::quiet() } else { Progress::new() };
        let mut counter = progress.count("pairs", known_lines(&self.pairs.src));
        Ok(self.study.run(&mut pairs, |pairs| counter.add(pairs))?)
    }

    fn note(&self, checked: &Checked) {
        let Checked { pairs, empty, mended, bad } = *checked;
        let left_out = bad.links + bad.trees;
        let mut note = count(pairs as usize, "pair");
        let reasons = [
            (empty, "with an empty side"),
            (mended, "with trees that have cycles or several roots, used where sound"),
            (left_out, "left out"),
        ];
        for (number, what) in reasons {
            if number > 0 {
                note += &format!("; {number} {what}");
            }
        }
        self.notes.note(&note);
    }
}

fn print(coverage: &Coverage, out: &mut impl Write) -> io::Result<()> {
    for (number, table) in tables(coverage).iter().enumerate() {
        if number > 0 {
            writeln!(out)?;
        }
        write!(out, "{}", table.text())?;
    }
    Ok(())
}

fn report(coverage: &Coverage) -> Report {
    let (tables, charts) = (tables(coverage), charts(coverage));
    let part = Part { title: "mwu".into(), tables, charts, ..Part::default() };
    let about = format!("treeglot {}", env!("CARGO_PKG_VERSION"));
    let title = "Coverage of training pairs by their own rules".into();
    Report { title, about, parts: vec![part], ..Report::default() }
}
