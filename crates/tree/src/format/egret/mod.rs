//! Packed parse forests as the Egret parser writes them:
//!
//! ```text
//! sentence 1 :
//! the cat
//! DT[0,0] => the ||| -0.1
//! NN[1,1] => cat ||| -0.2
//! NP^g[0,1] => DT[0,0] NN[1,1]  ||| -0.3
//! ```
//!
//! A line is one way to build a node over words numbered from 0, with its log score; the last line builds the root.
//! A sentence without lines is one that the parser failed on, and is read as `None`.

mod forest;
mod kbest;
mod pack;

pub use self::forest::{Forest, ForestBuilder, ForestEdge, ForestError, ForestNode, Tail};
pub use self::kbest::{Derivation, Markers};
pub use self::pack::PackError;

use super::ReadTrees;
use super::any::{AnyTree, any};
use super::records::RecordLayout;
use super::table::{Content, Definition, Format};
use crate::convert::{Conversion, ConvertError};
use crate::error::Result;
use crate::index::{Span, WordIx};
use rustc_hash::FxHashMap;
use std::io::{self, BufRead, Write};
use std::sync::Arc;
use treeglot_text::{Lines, Place};

/// Egret's packed forests.
pub const FORMAT: Format = Format(&Definition {
    name: "egret",
    about: "packed forests; other formats get the best tree",
    endings: &["forest", "egret"],
    content: Content::Other,
    records: RecordLayout::Begins(|_, line| is_sentence_line(line)),
    read: |input, _| Ok(any(Reader::new(input.name, input.reader))),
    writer: Some(|| Box::new(write_tree)),
});

/// Reads one forest a sentence; `None` for a sentence without one.
pub struct Reader<R = Box<dyn BufRead + Send>> {
    lines: Lines<R>,
}

/// One line of a forest: text that is looked up once all heads are known.
struct Rule {
    head: ForestNode,
    tails: String,
    score: f64,
    line: u64,
}

/// The lines of one sentence so far.
struct Block {
    builder: ForestBuilder,
    names: FxHashMap<String, (ForestNode, Span)>,
    rules: Vec<Rule>,
}

impl<R: BufRead> Reader<R> {
    /// Reads the forests of `reader`, called `name` in messages.
    pub fn new(name: impl Into<Arc<str>>, reader: R) -> Self {
        Self { lines: Lines::new(name, reader) }
    }

    /// Moves past blank lines to a sentence's first line; `false` at the end of the input.
    fn find_sentence(&mut self) -> Result<bool> {
        loop {
            let line = match self.lines.next_line()? {
                None => return Ok(false),
                Some(line) if line.trim().is_empty() => continue,
                Some(line) => line,
            };
            if is_sentence_line(line) {
                return Ok(true);
            }
            return Err(self.lines.malformed("a forest starts with a line `sentence 1 :`").into());
        }
    }
}

fn is_sentence_line(line: &str) -> bool {
    let number = line.strip_prefix("sentence ").and_then(|l| l.trim_end().strip_suffix(" :"));
    number.is_some_and(|n| n.parse::<u64>().is_ok())
}

impl<R: BufRead> ReadTrees for Reader<R> {
    type Tree = Option<Forest>;

    fn next_tree(&mut self) -> Result<Option<Self::Tree>> {
        if !self.find_sentence()? {
            return Ok(None);
        }
        let Some(words) = self.lines.next_line()? else {
            return Err(self.lines.malformed("the file ends before the words of this sentence").into());
        };
        let mut block = Block {
            builder: ForestBuilder::new(words.split([' ', '\t']).filter(|w| !w.is_empty())),
            names: FxHashMap::default(),
            rules: Vec::new(),
        };
        loop {
            let number = self.lines.line() + 1;
            match self.lines.next_line()? {
                Some(line) if !line.trim().is_empty() => match block.add_line(line, number) {
                    Ok(()) => {}
                    Err(message) => return Err(self.lines.malformed(message).into()),
                },
                _ => break,
            }
        }
        block.finish().map(Some).map_err(|(line, message)| {
            let place = Place { name: self.lines.name().clone(), line };
            treeglot_text::Error::Malformed { place, message }.into()
        })
    }
}

impl Block {
    fn add_line(&mut self, line: &str, number: u64) -> std::result::Result<(), String> {
        let form = || "a line of a forest is `NP[0,1] => DT[0,0] NN[1,1]  ||| -0.5`".to_string();
        let (rule, score) = line.rsplit_once("|||").ok_or_else(form)?;
        let (head, tails) = rule.split_once(" => ").ok_or_else(form)?;
        let score = score.trim().parse().map_err(|_| format!("`{}` is not a score", score.trim()))?;
        let (label, span) = parse_name(head).ok_or_else(form)?;
        let head = match self.names.get(head) {
            Some(&(node, _)) => node,
            None => {
                let node = self.builder.node(label, span);
                self.names.insert(head.to_string(), (node, span));
                node
            }
        };
        self.rules.push(Rule { head, tails: tails.to_string(), score, line: number });
        Ok(())
    }

    fn finish(mut self) -> std::result::Result<Option<Forest>, (u64, String)> {
        let Some(last) = self.rules.last() else {
            return Ok(None);
        };
        let (root, last_line) = (last.head, last.line);
        let spans: Vec<Span> = {
            let mut all: Vec<(ForestNode, Span)> = self.names.values().copied().collect();
            all.sort_by_key(|n| n.0);
            all.into_iter().map(|n| n.1).collect()
        };
        for rule in std::mem::take(&mut self.rules) {
            let tails = self.tails(&rule, spans[rule.head.ix()]).map_err(|message| (rule.line, message))?;
            self.builder.edge(rule.head, tails, rule.score);
        }
        self.builder
            .finish(root)
            .map(Some)
            .map_err(|e| (last_line, format!("in the forest that ends here, {e}")))
    }

    /// Looks up what is below a line's head. A token is a word if it is the one that is due and no node is meant;
    /// after nodes Egret has a blank more than after a word.
    fn tails(&self, rule: &Rule, span: Span) -> std::result::Result<Vec<Tail>, String> {
        let words = self.builder.words();
        let lexical = rule.tails.trim_end().len() + 1 == rule.tails.len() && span.len() == 1;
        let mut at = span.start;
        let mut tails = Vec::new();
        for token in rule.tails.split([' ', '\t']).filter(|t| !t.is_empty()) {
            let is_word = words.get(at as usize).is_some_and(|w| same_word(w, token));
            let node = self.names.get(token).filter(|(_, below)| below.start == at && !(lexical && is_word));
            match node {
                Some(&(node, below)) => {
                    tails.push(Tail::Node(node));
                    at = below.end;
                }
                None if is_word => {
                    tails.push(Tail::Word(WordIx(at)));
                    at += 1;
                }
                None => {
                    return Err(format!(
                        "`{token}` is neither word {at} of the sentence nor a node that a line builds there"
                    ));
                }
            }
        }
        if at != span.end || tails.is_empty() {
            return Err(format!(
                "what is below ends before word {at}, but the node ends before word {}",
                span.end
            ));
        }
        Ok(tails)
    }
}

/// Whether a forest's word is the sentence's: brackets may be written as in PTB in one of them.
fn same_word(word: &str, token: &str) -> bool {
    let bracket = |text: &str| match text {
        "(" | "-LRB-" => Some('('),
        ")" | "-RRB-" => Some(')'),
        _ => None,
    };
    word == token || (bracket(word).is_some() && bracket(word) == bracket(token))
}

/// Label and span of `NP[0,1]`, whose end is the last word.
fn parse_name(name: &str) -> Option<(&str, Span)> {
    let (label, span) = name.strip_suffix(']')?.rsplit_once('[')?;
    let (start, last) = span.split_once(',')?;
    let (start, last): (u32, u32) = (start.parse().ok()?, last.parse().ok()?);
    (start <= last && last < u32::MAX && !label.contains([' ', '\t']))
        .then(|| (label, Span::new(start, last + 1)))
}

fn node_name(label: &str, span: Span) -> String {
    format!("{label}[{},{}]", span.start, i64::from(span.end) - 1)
}

fn write_tree(
    tree: AnyTree,
    conversion: &mut Conversion,
    out: &mut dyn Write,
) -> std::result::Result<(), ConvertError> {
    let forest = match tree {
        AnyTree::Forest(forest) => Some(*forest),
        tree => match conversion.continuous(tree)? {
            Some(tree) => {
                let packed = Forest::from_trees(&[(tree, 0.0)]);
                Some(packed.map_err(|error| ConvertError::Unfit(Box::new(error)))?)
            }
            None => None,
        },
    };
    Ok(write(conversion.number() as u64, forest.as_ref(), out)?)
}

/// Writes a forest as sentence `number`, counted from 1. Words and labels that blanks would break are an error of kind
/// [`io::ErrorKind::InvalidData`].
pub fn write(number: u64, forest: Option<&Forest>, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    writeln!(out, "sentence {number} :")?;
    let Some(forest) = forest else {
        return out.write_all(b"\n\n");
    };
    for (w, word) in forest.words().enumerate() {
        check_token(word, word.is_empty())?;
        write!(out, "{}{word}", if w > 0 { " " } else { "" })?;
    }
    out.write_all(b"\n")?;
    let names: Vec<String> = forest.nodes().map(|n| node_name(forest.label(n), forest.span(n))).collect();
    for node in forest.nodes() {
        check_token(forest.label(node), false)?;
        for edge in forest.edges(node) {
            write!(out, "{} =>", names[node.ix()])?;
            for &tail in forest.tails(edge) {
                match tail {
                    Tail::Node(below) => write!(out, " {}", names[below.ix()])?,
                    Tail::Word(word) => write!(out, " {}", forest.form(word))?,
                }
            }
            let gap = if matches!(forest.tails(edge), [Tail::Word(_)]) { "" } else { " " };
            writeln!(out, "{gap} ||| {:?}", forest.score(edge))?;
        }
    }
    out.write_all(b"\n")
}

fn check_token(token: &str, empty: bool) -> io::Result<()> {
    if empty || token.contains([' ', '\t', '\n', '\r']) {
        let message = format!("a forest's words and labels cannot be empty or have blanks, as {token:?}");
        return Err(io::Error::new(io::ErrorKind::InvalidData, message));
    }
    Ok(())
}
