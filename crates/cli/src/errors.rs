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
            || matches!(
                cause.downcast_ref(),
                Some(treeglot_metrics::Error::Setting(_) | treeglot_metrics::Error::NoModel(_))
            )
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
    if let Some(treeglot_metrics::Error::NoModel(_)) = cause.downcast_ref() {
        return Some("give its file with --spm-model".to_string());
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
    let numbers = system_errors(error).filter_map(io::Error::raw_os_error);
    let numbers: Vec<i32> = numbers.chain(number_in(chain)).collect();
    let known = ADVICE.iter().find(|(number, _)| numbers.contains(number));
    known.map(|(_, advice)| (*advice).to_string())
}

/// The system's number of an error in its text.
fn number_in(chain: &str) -> Option<i32> {
    let (_, rest) = chain.rsplit_once("(os error ")?;
    rest.split_once(')')?.0.parse().ok()
}

/// What to do about errors of the system, by its numbers.
const ADVICE: &[(i32, &str)] = &[
    (28, "free some space, or write to another disk, and run the command again"),
    (
        122,
        "your share of the disk is used up: free some space, or write to another disk, and run the command again",
    ),
    (27, "raise the limit on the size of files (`ulimit -f`), and run the command again"),
    (13, "you may not: look at the rights of the file and of its folder (`ls -ld`), or choose another place"),
    (1, "you may not: look at the rights of the file and of its folder (`ls -ld`), or choose another place"),
    (30, "the disk can only be read: write to another place"),
    (24, "raise the limit on open files (`ulimit -n`), and run the command again"),
    (12, "there is not enough memory: end other programs, or give less with --memory and --threads"),
    (11, "the system gives no more processes or threads: take fewer with --threads, or raise `ulimit -u`"),
    (36, "choose a shorter name"),
    (5, "the disk fails: look after it, and copy what matters"),
    (116, "the network's disk lost the file: run the command again, or work on a disk of this machine"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_the_system_come_with_advice() {
        let denied = anyhow::Error::new(io::Error::from_raw_os_error(13)).context("bundle: cannot write");
        assert!(advice(&denied, &format!("{denied:#}")).is_some_and(|advice| advice.contains("ls -ld")));
        let told = anyhow::anyhow!("x: cannot open: Too many open files (os error 24)");
        assert!(advice(&told, &format!("{told:#}")).is_some_and(|advice| advice.contains("ulimit -n")));
        let other = anyhow::anyhow!("x: cannot open: No such file or directory (os error 2)");
        assert_eq!(advice(&other, &format!("{other:#}")), None, "that says what to do itself");
    }
}
