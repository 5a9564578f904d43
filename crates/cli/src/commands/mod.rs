//! One module a subcommand: its arguments (a clap struct) and `run`.

mod align;
mod bundle;
mod casing;
mod coverage;
mod eval;
mod experiment;
mod extract;
mod learn;
mod lm;
mod parse;
mod quickstart;
mod sample;
mod score;
mod serve;
mod shell;
mod table;
mod tokens;
mod train;
mod translate;
mod tree;
mod tune;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// Syntax-based machine translation, from parallel text and trees to a tuned, explainable translator.
#[derive(Parser)]
#[command(name = "treeglot", version, max_term_width = 110)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// The arguments of the program as clap is to see them.
pub fn arguments() -> Vec<std::ffi::OsString> {
    translate::with_page_joined(std::env::args_os())
}

#[derive(Subcommand)]
enum Command {
    /// Write the embedded German-English sample out
    Sample(sample::Args),
    /// Train every model on the sample and compare them: the first command to try
    Quickstart(quickstart::Args),
    /// Train a translator from two texts, or from a recipe
    Train(Box<train::Args>),
    /// Translate with a bundle, or with several at once
    Translate(Box<translate::Args>),
    /// Teach a bundle corrections, which it uses from the next translation on
    Learn(learn::Args),
    /// Answer over HTTP, with a page that shows why
    Serve(Box<serve::Args>),
    /// Train and compare all systems of a recipe
    Experiment(experiment::Args),
    /// Score translations against references, and test whether systems differ
    Eval(Box<eval::Args>),
    /// Put bundles together, describe and check them
    #[command(subcommand)]
    Bundle(bundle::Command),
    /// Split text into tokens
    Tokenize(tokens::TokenizeArgs),
    /// Join tokens to text
    Detokenize(tokens::DetokenizeArgs),
    /// Give words the case they have inside sentences
    Truecase(casing::Args),
    /// Convert, transform, describe and compare trees
    #[command(subcommand)]
    Tree(tree::Command),
    /// Parse text; train parsers from treebanks, score them, project trees
    Parse(Box<parse::Args>),
    /// Link the words of sentence pairs; combine and score links
    Align(Box<align::Args>),
    /// Estimate and query language models
    #[command(subcommand)]
    Lm(lm::Command),
    /// Read rules off sentence pairs
    Extract(Box<extract::Args>),
    /// Count and score rule instances, and write them as a table
    Score(Box<score::Args>),
    /// Print, describe, search and import tables of scored rules
    #[command(subcommand)]
    Table(table::Command),
    /// Study how much of its training pairs a model's rules build again
    Coverage(Box<coverage::Args>),
    /// Find the weights that translate a development set best
    Tune(Box<tune::Args>),
    /// Print what a shell needs to complete commands and options
    Completions(shell::CompletionsArgs),
    /// Write manual pages
    Manual(shell::ManualArgs),
}

impl Cli {
    /// Runs the chosen command.
    pub fn run(self) -> Result<()> {
        match self.command {
            Command::Sample(args) => args.run(),
            Command::Quickstart(args) => args.run(),
            Command::Train(args) => args.run(),
            Command::Translate(args) => args.run(),
            Command::Learn(args) => args.run(),
            Command::Serve(args) => args.run(),
            Command::Experiment(args) => args.run(),
            Command::Eval(args) => args.run(),
            Command::Bundle(command) => command.run(),
            Command::Tokenize(args) => args.run(),
            Command::Detokenize(args) => args.run(),
            Command::Truecase(args) => args.run(),
            Command::Tree(command) => command.run(),
            Command::Parse(args) => args.run(),
            Command::Align(args) => args.run(),
            Command::Lm(command) => command.run(),
            Command::Extract(args) => args.run(),
            Command::Score(args) => args.run(),
            Command::Table(command) => command.run(),
            Command::Coverage(args) => args.run(),
            Command::Tune(args) => args.run(),
            Command::Completions(args) => args.run(),
            Command::Manual(args) => args.run(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    /// The words of a command as a shell sees them, up to a pipe, a redirection or a further command.
    fn words(line: &str) -> Vec<String> {
        let mut words = Vec::new();
        for (quoted, part) in line.split('"').enumerate().map(|(number, part)| (number % 2 == 1, part)) {
            if quoted {
                words.push(part.to_string());
                continue;
            }
            for word in part.split_whitespace() {
                if ["|", "<", ">", "&&"].contains(&word) {
                    return words;
                }
                words.push(word.to_string());
            }
        }
        words
    }

    fn check(command: &clap::Command) {
        for arg in command.get_arguments() {
            let helped = arg.get_help().is_some();
            assert!(helped, "{}: --{} has no help", command.get_name(), arg.get_id());
        }
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        for line in help.lines().map(str::trim).filter(|line| line.starts_with("treeglot ")) {
            let words = translate::with_page_joined(words(line).into_iter().map(Into::into));
            let parsed = Cli::command().try_get_matches_from(words);
            assert!(parsed.is_ok(), "{line}: {}", parsed.err().map(|e| e.to_string()).unwrap_or_default());
        }
        command.get_subcommands().for_each(check);
    }

    #[test]
    fn every_option_has_a_help_text_and_every_example_is_accepted() {
        let mut command = Cli::command();
        command.build();
        command.clone().debug_assert();
        check(&command);
    }

    /// Commands that need peers or hours are printed in the documents too: their options must at least be there.
    #[test]
    fn commands_of_the_documents_are_accepted() {
        let project = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut checked = 0;
        for document in
            ["README.md", "docs/benchmarks.md", "docs/commands.md", "docs/log.md", "docs/serve.md"]
        {
            let text = std::fs::read_to_string(project.join(document)).unwrap().replace("\\\n  ", "");
            let mut fenced = false;
            for line in text.lines() {
                fenced ^= line.starts_with("```");
                let command = line.strip_prefix("$ ").unwrap_or(line);
                // What a peer is given stands beside it, comments after it; some lines stand for several.
                let command = command.split("  ").next().unwrap_or_default();
                let command = command.split(" #").next().unwrap_or_default();
                let stands_for_others = ["PAIRS", " P ", "'"].iter().any(|sign| command.contains(sign));
                if !fenced || !command.starts_with("treeglot ") || stands_for_others {
                    continue;
                }
                let words = words(command).into_iter().take_while(|word| word != ";").map(Into::into);
                let parsed = Cli::command().try_get_matches_from(translate::with_page_joined(words));
                assert!(
                    parsed.is_ok(),
                    "{document}: {command}: {}",
                    parsed.err().map(|e| e.to_string()).unwrap_or_default()
                );
                checked += 1;
            }
        }
        assert!(checked > 80, "{checked} commands were found");
    }
}
