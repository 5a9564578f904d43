//! `treeglot quickstart`.

use std::path::PathBuf;

#[derive(clap::Args)]
pub struct Args {
    /// The folder to write to
    #[arg(value_name = "DIR", default_value = "quickstart")]
    output: PathBuf,
}

impl Args {
    pub fn run(self) -> anyhow::Result<()> {
        let _ = self.output;
        Ok(())
    }
}
