//! `treeglot truecase`.

#[derive(clap::Args)]
pub struct Args {}

impl Args {
    pub fn run(self) -> anyhow::Result<()> {
        Ok(())
    }
}
