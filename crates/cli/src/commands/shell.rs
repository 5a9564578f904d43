//! `treeglot completions` and `treeglot manual`: what shells and `man` know of the commands.

use super::Cli;
use crate::print::print;
use anyhow::{Context, Result};
use clap::CommandFactory;
use clap_complete::Shell;
use std::io::Write;
use std::path::PathBuf;
use treeglot_text::Output;

const COMPLETIONS_HELP: &str = "\
Examples:
  treeglot completions bash > ~/.local/share/bash-completion/completions/treeglot
  treeglot completions fish > ~/.config/fish/completions/treeglot.fish";

/// The arguments of `treeglot completions`.
#[derive(clap::Args)]
#[command(after_help = COMPLETIONS_HELP)]
pub struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

impl CompletionsArgs {
    pub fn run(self) -> Result<()> {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "treeglot", &mut text);
        print(|out| out.write_all(&text))
    }
}

const MANUAL_HELP: &str = "\
Examples:
  treeglot manual -o ~/.local/share/man/man1";

/// The arguments of `treeglot manual`.
#[derive(clap::Args)]
#[command(after_help = MANUAL_HELP)]
pub struct ManualArgs {
    /// The folder to write the pages into, one a command
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
}

impl ManualArgs {
    pub fn run(self) -> Result<()> {
        std::fs::create_dir_all(&self.output)
            .with_context(|| format!("{}: cannot create the folder", self.output.display()))?;
        let mut open = vec![Cli::command().disable_help_subcommand(true)];
        open.iter_mut().for_each(clap::Command::build);
        while let Some(command) = open.pop() {
            let name = command.get_display_name().unwrap_or(command.get_name()).to_string();
            let mut page = Output::create(self.output.join(format!("{name}.1")))?;
            clap_mangen::Man::new(command.clone()).render(&mut page).map_err(|e| page.error(e))?;
            page.finish()?;
            open.extend(command.get_subcommands().filter(|below| !below.is_hide_set()).cloned());
        }
        Ok(())
    }
}
