//! How errors end the program: what is printed, and the exit code.

use crate::args::tree_option;
use std::io;
use std::process::ExitCode;
use treeglot_text::{Error as TextError, one_line};

/// The code for arguments that make no sense, as clap gives it.
const WRONG_ARGUMENTS: u8 = 2;

/// An error of the arguments that only the command could see.
#[derive(Debug)]
pub struct WrongArgument(pub String);

impl std::fmt::Display for WrongArgument {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WrongArgument {}

/// Returns with an error of the arguments.
macro_rules! wrong {
    ($($message:tt)*) => {
        return Err($crate::errors::WrongArgument(format!($($message)*)).into())
    };
}
pub(crate) use wrong;

/// Prints an error as one chain on one line, with advice where there is some, and tells the exit code. The reader of our output
/// having gone, as in `treeglot ... | head`, is a normal end.
pub fn end(error: &anyhow::Error) -> ExitCode {
    if is_closed_pipe(error) {
        return ExitCode::SUCCESS;
    }
    let chain = format!("{error:#}").replace('\n', " ");
    let chain = one_line(&chain);
    let advice = advice(error, &chain).map(|advice| format!(": {advice}")).unwrap_or_default();
    crate::print::note(&format!("{chain}{advice}"));
    if is_wrong_argument(error) { ExitCode::from(WRONG_ARGUMENTS) } else { ExitCode::FAILURE }
}

/// Whether the arguments are to blame, where only the command, or the library whose settings they are, could see it.
fn is_wrong_argument(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.is::<WrongArgument>()
            || matches!(cause.downcast_ref(), Some(treeglot_align::Error::Setting(_)))
            || matches!(cause.downcast_ref(), Some(treeglot_grammar::Error::Setting(_)))
            || matches!(cause.downcast_ref(), Some(treeglot_lm::Error::Setting(_)))
            || matches!(cause.downcast_ref(), Some(treeglot_metrics::Error::Setting(_)))
            || matches!(cause.downcast_ref(), Some(treeglot_parse::Error::Setting(_)))
            || matches!(cause.downcast_ref(), Some(treeglot_tune::Error::Setting { .. }))
    })
}

/// The causes of an error that came from the system.
fn system_errors(error: &anyhow::Error) -> impl Iterator<Item = &io::Error> {
    error.chain().filter_map(|cause| match cause.downcast_ref::<TextError>() {
        Some(TextError::Write { source, .. }) => Some(source),
        _ => cause.downcast_ref::<io::Error>(),
    })
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    system_errors(error).any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

/// The option that gives what a library says is missing.
fn missing(cause: &(dyn std::error::Error + 'static)) -> Option<String> {
    if let Some(treeglot_tree::convert::ConvertError::NoHeads) = cause.downcast_ref() {
        return Some("say which with --heads".to_string());
    }
    if let Some(treeglot_align::Error::NoFormat { .. }) = cause.downcast_ref() {
        return Some("--src-format and --tgt-format do".to_string());
    }
    if let Some(treeglot_pipeline::Error::NoLanguage { .. }) = cause.downcast_ref() {
        return Some("say it with --from or --to".to_string());
    }
    match cause.downcast_ref()? {
        treeglot_models::Error::NoTrees(slot) => Some(format!("give them with {} FILE", tree_option(*slot))),
        treeglot_models::Error::NoNodeLinks => Some("give them with --node-links FILE".to_string()),
        _ => None,
    }
}

/// What to do about an error that its place does not tell. Some errors keep only the text of their cause, so the system's numbers
/// are looked for there too.
fn advice(error: &anyhow::Error, chain: &str) -> Option<String> {
    if let Some(option) = error.chain().find_map(missing) {
        return Some(option);
    }
    let caused = |kind: io::ErrorKind, number: &str| {
        system_errors(error).any(|cause| cause.kind() == kind) || chain.contains(number)
    };
    if caused(io::ErrorKind::StorageFull, "(os error 28)") {
        return Some("free some space, or write to another disk, and run the command again".to_string());
    }
    if caused(io::ErrorKind::FileTooLarge, "(os error 27)") {
        return Some(
            "raise the limit on the size of files (`ulimit -f`), and run the command again".to_string(),
        );
    }
    None
}
