//! The binary `treeglot`: arguments in, library calls, text out. All work is done in the library crates.

mod args;
mod commands;
mod errors;
mod print;
mod signals;
mod spark;

use clap::{CommandFactory, FromArgMatches};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut command = args::finite_numbers(commands::Cli::command());
    let cli = command.try_get_matches_from_mut(commands::arguments()).and_then(|matches| {
        commands::Cli::from_arg_matches(&matches).map_err(|wrong| wrong.format(&mut command))
    });
    match cli {
        Ok(cli) => run(cli),
        Err(wrong) => tell(&wrong),
    }
}

fn run(cli: commands::Cli) -> ExitCode {
    let ended = signals::watch().and_then(|()| cli.run());
    ended.map_or_else(|error| errors::end(&error), |()| ExitCode::SUCCESS)
}

/// Prints help, the version, or what is wrong with the arguments.
fn tell(message: &clap::Error) -> ExitCode {
    match message.print() {
        Err(error) => errors::end(&anyhow::Error::new(error).context("standard output: cannot write")),
        Ok(()) => ExitCode::from(u8::try_from(message.exit_code()).unwrap_or(1)),
    }
}
