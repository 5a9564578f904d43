//! `treeglot sample`.

use std::path::PathBuf;

#[derive(clap::Args)]
pub struct Args {
    /// The folder to write to
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
}

impl Args {
    pub fn run(self) -> anyhow::Result<()> {
        let _ = self.output;
        Ok(())
    }
}
