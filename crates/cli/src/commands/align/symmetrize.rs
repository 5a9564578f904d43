//! `treeglot align symmetrize`.

use crate::args::{OutputArgs, check_distinct};
use anyhow::Result;
use std::io::Write;
use std::path::PathBuf;
use treeglot_align::links::{Line, parse};
use treeglot_align::{GrowOrder, Symmetrize, symmetrize};
use treeglot_text::bitext::{Bitext, Options, Row};

const HELP: &str = "\
Both files have links `src-tgt` in the same order of sides. The grow-diag family depends on the order in which links are \
tried: --order atools gives what fast_align's atools gives, --order moses what Moses' symal gives.

Example:
  treeglot align symmetrize --how grow-diag-final-and forward.links reverse.links > links";

/// The arguments of `treeglot align symmetrize`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// How the links are combined
    #[arg(long, value_enum, value_name = "HOW")]
    how: Symmetrize,

    /// Whose order of trying links to follow where it matters
    #[arg(long, value_enum, value_name = "TOOL", default_value_t)]
    order: GrowOrder,

    /// Links of the forward direction: at most one for each target word
    #[arg(value_name = "FWD")]
    forward: PathBuf,

    /// Links of the reverse direction: at most one for each source word
    #[arg(value_name = "REV")]
    reverse: PathBuf,

    #[command(flatten)]
    out: OutputArgs,
}

impl Args {
    pub fn run(self) -> Result<()> {
        check_distinct(&self.forward, &self.reverse)?;
        let mut files = Bitext::open([&self.forward, &self.reverse], Options::default())?;
        let mut output = self.out.create()?;
        loop {
            let links = match files.next_row()? {
                None => break,
                Some(Row::Texts(lines)) => lines.to_vec(),
                Some(Row::Bad(error)) => return Err(error.into()),
            };
            let forward = parse(&links[0], &files.place(0))?;
            let reverse = parse(&links[1], &files.place(1))?;
            let links = symmetrize(&forward, &reverse, self.how, self.order);
            writeln!(output, "{}", Line(&links)).map_err(|e| output.error(e))?;
        }
        Ok(output.finish()?)
    }
}
