//! The binary `treeglot`: arguments in, library calls, text out. All work is done in the library crates.

mod commands;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = commands::Cli::parse();
    match cli.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) if commands::is_closed_pipe(&e) => ExitCode::SUCCESS,
        Err(e) => {
            let advice = commands::advice(&e).map(|advice| format!(": {advice}")).unwrap_or_default();
            eprintln!("treeglot: {e:#}{advice}");
            ExitCode::FAILURE
        }
    }
}
