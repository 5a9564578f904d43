//! One pair of many, looked at closely.

use crate::args::PairArgs;
use crate::errors::wrong;
use anyhow::{Result, anyhow, bail};
use std::io::{self, Write};
use treeglot_models::pairs::{Files, Pairs};
use treeglot_models::{Needs, Pair};
use treeglot_text::vocab::Vocab;

/// Which pair is looked at.
#[derive(clap::Args)]
pub struct PairNumber {
    /// Which pair, counted from 1
    #[arg(long, value_name = "N", default_value_t = 1)]
    sentence: u64,
}

impl PairNumber {
    /// What `describe` says of the pair; an error if there is no such pair, or if it has no tree.
    pub fn of<T>(
        &self,
        args: &PairArgs,
        files: &Files,
        needs: Needs,
        describe: impl Fn(&Pair<'_>, &Vocab) -> Option<T>,
    ) -> Result<T> {
        let sentence = self.sentence;
        if sentence == 0 {
            wrong!("--sentence counts pairs from 1");
        }
        let mut pairs = Pairs::open(files, needs, args.bad.options())?;
        let (mut seen, mut vocab) = (0, Vocab::default());
        loop {
            let chunks = pairs.next_chunks(1)?;
            if chunks.is_empty() {
                bail!("{}: there is no usable pair {sentence}: {seen} were read", args.src.display());
            }
            for chunk in chunks {
                let mut found = None;
                chunk.for_each(&mut vocab, |pair, vocab| {
                    seen += 1;
                    if seen == sentence {
                        found = Some(describe(pair, vocab));
                    }
                })?;
                if let Some(found) = found {
                    return found.ok_or_else(|| anyhow!("pair {sentence} has no tree"));
                }
            }
        }
    }
}

/// Prints both sides, each word with its number.
pub fn print_words(sides: [&Vec<String>; 2], out: &mut dyn Write) -> io::Result<()> {
    for words in sides {
        let numbered: Vec<String> = words.iter().enumerate().map(|(k, word)| format!("{word}/{k}")).collect();
        writeln!(out, "{}", numbered.join(" "))?;
    }
    Ok(())
}
