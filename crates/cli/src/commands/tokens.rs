//! `treeglot tokenize` and `treeglot detokenize`.

#[derive(clap::Args)]
pub struct TokenizeArgs {}

impl TokenizeArgs {
    pub fn run(self) -> anyhow::Result<()> {
        Ok(())
    }
}

#[derive(clap::Args)]
pub struct DetokenizeArgs {}

impl DetokenizeArgs {
    pub fn run(self) -> anyhow::Result<()> {
        Ok(())
    }
}
