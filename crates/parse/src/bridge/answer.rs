//! What a program answers: a tree in one of two formats, of the words it was asked about.

use super::process::Process;
use crate::parser::Parse;
use std::time::{Duration, Instant};
use treeglot_tree::format::{ReadTrees, conllu, ptb};
use treeglot_tree::{ConBuilder, DepParse, Field, TreeKind};

/// Why there is no tree.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    #[error("it cannot be started: {0}")]
    Start(std::io::Error),
    #[error(
        "it gave no answer in time: does it answer each line as it comes? If only at the end, say `keep = false`"
    )]
    Late,
    #[error("it ended before it answered ({how}){}", .said.is_empty().then(String::new).unwrap_or_else(|| format!(": {said}")))]
    Ended { how: String, said: String },
    #[error("its output cannot be read: {0}")]
    Text(#[from] treeglot_text::Error),
    #[error("its answer is neither CoNLL-U nor a bracketed tree: {0}")]
    Tree(#[from] treeglot_tree::Error),
    #[error("its answer does not fit the sentence: {0}")]
    Unfit(String),
}

/// Reads answers of one kind, or of the kind that the first has.
pub(super) struct Answers {
    pub kind: Option<TreeKind>,
}

impl Answers {
    pub fn any() -> Self {
        Self { kind: None }
    }

    pub fn of(kind: TreeKind) -> Self {
        Self { kind: Some(kind) }
    }

    /// The next answer of a process, if it comes in time and has these words.
    pub fn next(&mut self, process: &mut Process, limit: Duration, words: &[&str]) -> Result<Parse, Failure> {
        let until = Instant::now() + limit;
        let mut block = String::new();
        loop {
            let Some(line) = process.line(until)? else {
                // The last block of a file may lack its blank line.
                return if block.is_empty() { Err(process.ending()) } else { dependency(&block, words) };
            };
            let blank = line.trim().is_empty();
            let bracket = block.is_empty() && line.trim_start().starts_with('(');
            if self.kind.is_none() && !blank {
                self.kind = Some(if bracket { TreeKind::Constituency } else { TreeKind::Dependency });
            }
            let Some(kind) = self.kind else { continue };
            match kind {
                TreeKind::Constituency => return constituency(&line, words),
                TreeKind::Dependency if !blank && !line.starts_with('#') && !line.contains('\t') => {
                    return Err(Failure::Unfit(format!("`{line}` is neither CoNLL-U nor a bracketed tree")));
                }
                TreeKind::Dependency if !blank => {
                    block.push_str(&line);
                    block.push('\n');
                }
                TreeKind::Dependency if has_words(&block) => return dependency(&block, words),
                TreeKind::Dependency => {}
            }
        }
    }
}

/// Whether a block is more than comments.
fn has_words(block: &str) -> bool {
    block.lines().any(|line| !line.starts_with('#'))
}

/// A block of CoNLL-U. Its words are written as they were sent: programs change case and brackets.
fn dependency(block: &str, words: &[&str]) -> Result<Parse, Failure> {
    let parse = conllu::Reader::new("the command's answer", block.as_bytes()).next_tree()?;
    let mut parse = parse.ok_or_else(|| Failure::Unfit("there are no words".into()))?;
    fits(parse.forms(), parse.len(), words)?;
    parse.mended_tree().map_err(|why| Failure::Unfit(why.to_string()))?;
    for (word, form) in parse.words().zip(words) {
        parse.set(word, Field::Form, form);
    }
    Ok(Parse::Dependency(parse))
}

fn constituency(line: &str, words: &[&str]) -> Result<Parse, Failure> {
    let mut reader =
        ptb::Reader::new("the command's answer", line.as_bytes(), ptb::BracketLayout::OnePerLine);
    let tree = reader.next_tree()?.flatten().ok_or_else(|| Failure::Unfit("there is no tree".into()))?;
    fits(tree.forms(), tree.len(), words)?;
    Ok(Parse::Constituency(Some(tree)))
}

fn fits<'f>(forms: impl Iterator<Item = &'f str>, count: usize, words: &[&str]) -> Result<(), Failure> {
    let mut both = forms.zip(words).enumerate();
    if let Some((at, (form, word))) = both.find(|(_, (form, word))| !ptb::same_word(form, word)) {
        return Err(Failure::Unfit(format!("word {} is `{form}`, not `{word}`", at + 1)));
    }
    match words.len() {
        length if length == count => Ok(()),
        length => Err(Failure::Unfit(format!("it has {count} words, not {length}"))),
    }
}

/// A tree without structure: all words hang from the first, or stand side by side below one node.
pub(super) fn flat(kind: TreeKind, words: &[&str]) -> Parse {
    match kind {
        TreeKind::Dependency => {
            let mut parse = DepParse::new(0);
            for (at, form) in words.iter().enumerate() {
                let (head, relation) = if at == 0 { (0, "root") } else { (1, "dep") };
                parse.push_word(form, "X", Some(head), relation);
            }
            Parse::Dependency(parse)
        }
        TreeKind::Constituency => {
            let mut builder = ConBuilder::default();
            let top = builder.node("X", None);
            for form in words {
                let tag = builder.node("X", Some(top));
                builder.word(form, tag);
            }
            Parse::Constituency(builder.finish().ok())
        }
    }
}
