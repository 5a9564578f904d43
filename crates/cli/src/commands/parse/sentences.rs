//! The sentences to parse: lines of text, or the words of trees.

use super::text::TextArgs;
use crate::errors::wrong;
use anyhow::Result;
use treeglot_parse::Parse;
use treeglot_text::Lines;
use treeglot_text::bitext::Skipped;
use treeglot_tree::format::{AnyTree, Content, ReadOptions, ReadTrees};
use treeglot_tree::{DepParse, Field, WordIx};

/// A sentence to parse.
pub(super) enum Sentence {
    Text(String),
    /// Given words, in a parse that has perhaps more than words.
    Words(DepParse),
}

impl Sentence {
    pub(super) fn words(&self) -> Vec<&str> {
        match self {
            Self::Text(text) => text.split_whitespace().collect(),
            Self::Words(parse) => parse.forms().collect(),
        }
    }

    /// A parse with all that the input had beside words.
    pub(super) fn with(&self, parse: Parse) -> Parse {
        match (self, parse) {
            (Self::Words(given), Parse::Dependency(parsed)) if !given.is_empty() => {
                let mut parse = given.clone();
                for w in parsed.words() {
                    let fields = [Field::Lemma, Field::Upos, Field::Xpos, Field::Feats, Field::Deprel];
                    fields.into_iter().for_each(|field| parse.set(w, field, parsed.get(w, field)));
                    parse.set(w, Field::Deps, "_");
                    let head = parsed.raw_head(w).and_then(|h| h.checked_sub(1));
                    parse.set_head(w, head.map(WordIx));
                }
                Parse::Dependency(parse)
            }
            (_, parse) => parse,
        }
    }
}

/// Where sentences come from.
pub(super) struct Source<'a> {
    from: From,
    args: &'a TextArgs,
    /// Lines that could not be read.
    pub(super) skipped: Skipped,
}

enum From {
    Lines(Lines),
    Trees(Box<dyn ReadTrees<Tree = AnyTree>>),
}

impl<'a> Source<'a> {
    pub(super) fn open(args: &'a TextArgs) -> Result<Self> {
        let input = &args.filter.files.input;
        let from = match args.from {
            None => From::Lines(args.filter.lines()?),
            Some(format) if matches!(format.content(), Content::Dependencies | Content::Constituents) => {
                From::Trees(Box::new(format.open(input, &ReadOptions::default())?))
            }
            Some(format) => wrong!("--from takes formats of dependency and constituency trees, not {format}"),
        };
        Ok(Self { from, args, skipped: Skipped::default() })
    }

    /// The next sentences, `most` at most; none at the end.
    pub(super) fn block(&mut self, most: usize) -> Result<Vec<Sentence>> {
        let mut block = Vec::new();
        while block.len() < most {
            let sentence = match &mut self.from {
                From::Lines(lines) => match lines.next_line() {
                    Ok(line) => line.map(|line| Sentence::Text(line.to_string())),
                    Err(e) if self.args.filter.skips_bad() && self.skipped.count(&e) => {
                        Some(Sentence::Text(String::new()))
                    }
                    Err(e) => return Err(e.into()),
                },
                From::Trees(reader) => reader.next_tree()?.map(words_of),
            };
            let Some(sentence) = sentence else { break };
            block.push(sentence);
        }
        Ok(block)
    }
}

/// The words of a tree; of a constituency tree without traces.
fn words_of(tree: AnyTree) -> Sentence {
    Sentence::Words(match tree {
        AnyTree::Dep(parse) => parse,
        AnyTree::Con(tree) => {
            let mut words = DepParse::new(0);
            if let Ok(tree) = treeglot_parse::plain(&tree) {
                tree.forms().for_each(|form| {
                    words.push_word(form, "_", None, "_");
                });
            }
            words
        }
        _ => DepParse::new(0),
    })
}
