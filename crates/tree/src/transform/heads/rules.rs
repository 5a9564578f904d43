//! Tables of head rules: which child of a constituent is its head, in a plain text format (see [`HeadRules`]).

use super::labels::{Category, split_label};
use crate::error::Result;
use rustc_hash::FxHashMap;
use std::io::BufRead;
use std::ops::Range;
use std::path::Path;
use treeglot_text::Lines;

/// How the conjuncts of a coordination hang together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coordination {
    /// Each conjunct hangs from the word before it: conjunct 1 < `and` < conjunct 2 (Johansson & Nugues 2007).
    Chain,
    /// The coordinator and all later conjuncts hang from the first.
    Flat,
}

/// The tables that come with the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuiltIn {
    /// English, Penn Treebank.
    Ptb,
    /// German, NEGRA and TIGER.
    Negra,
    /// Chinese, Penn Chinese Treebank.
    Ctb,
    /// French, French Treebank.
    Ftb,
}

impl BuiltIn {
    /// The table called `name` on the command line.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "ptb" => Some(Self::Ptb),
            "negra" => Some(Self::Negra),
            "ctb" => Some(Self::Ctb),
            "ftb" => Some(Self::Ftb),
            _ => None,
        }
    }

    /// The table's text, as a model for one's own.
    pub fn text(self) -> &'static str {
        match self {
            Self::Ptb => include_str!("../../../data/heads/ptb.txt"),
            Self::Negra => include_str!("../../../data/heads/negra.txt"),
            Self::Ctb => include_str!("../../../data/heads/ctb.txt"),
            Self::Ftb => include_str!("../../../data/heads/ftb.txt"),
        }
    }
}

/// A table of head rules. Its text format:
///
/// ```text
/// # A comment begins in the first column.
/// @punctuation , . :           tags that are a head only where there is nothing else
/// @separators , :              punctuation that may stand between conjuncts
/// @coordination chain CC       words between conjuncts, and how conjuncts hang together: chain or flat
/// @edge HD                     a child with this function is the head, whatever the rules say
/// @inner PP NP APPR            a PP headed by APPR holds an NP without a node of its own: the rest of its children
/// @default right *             the rule of labels without a line of their own
/// PP|WHPP   left IN TO ; right *
/// NP        right NN*|NX ; left NP ; right JJ CD
/// ```
/// A rule is a list of steps, tried in order. A step looks for each of its groups in turn, from the left or from the
/// right end of the children; a group is one or more patterns joined by `|`, of which the first child that fits any
/// is taken. A pattern is a category, `NN*` for all that begin with `NN`, `*` for any child, and each may end in a
/// function: `*-HD`. Categories are compared without the functions and indices of a label (`NP-SBJ-1` is `NP`).
/// When no step finds a child, the head is the last (after a last step from the right) or the first child that is
/// not punctuation.
#[derive(Debug, Clone)]
pub struct HeadRules {
    rules: FxHashMap<String, Rule>,
    default: Rule,
    edges: Vec<String>,
    punctuation: Vec<String>,
    separators: Vec<String>,
    pub(super) coordination: Coordination,
    coordinators: Vec<Pattern>,
    inner: Vec<Inner>,
}

/// Constituents called `label` with a head that fits are flat: they hold a phrase like those called `rule`.
#[derive(Debug, Clone)]
struct Inner {
    label: String,
    rule: String,
    heads: Vec<Pattern>,
}

#[derive(Debug, Clone)]
struct Rule {
    steps: Vec<Step>,
}

#[derive(Debug, Clone)]
struct Step {
    from: End,
    groups: Vec<Vec<Pattern>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Left,
    Right,
}

#[derive(Debug, Clone)]
struct Pattern {
    category: Option<String>,
    prefix: bool,
    function: Option<String>,
}

impl Pattern {
    fn read(text: &str) -> Self {
        let label = split_label(text);
        let (name, prefix) = match label.name.strip_suffix('*') {
            Some(name) => (name, true),
            None => (label.name, false),
        };
        let category = (!name.is_empty()).then(|| name.to_string());
        Self { category, prefix, function: label.function.map(str::to_string) }
    }

    fn fits(&self, child: &Category<'_>) -> bool {
        let category = self.category.as_deref().is_none_or(|c| match self.prefix {
            true => child.name.starts_with(c),
            false => child.name == c,
        });
        category && self.function.as_deref().is_none_or(|f| child.has_function(f))
    }
}

impl HeadRules {
    /// A table that comes with the program.
    pub fn built_in(table: BuiltIn) -> Self {
        let name = format!("{table:?} head rules");
        Self::read(Lines::new(name, table.text().as_bytes())).expect("the built-in tables are tested")
    }

    /// Reads a file.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::read(Lines::open(path)?)
    }

    /// Reads a table.
    pub fn read<R: BufRead>(mut lines: Lines<R>) -> Result<Self> {
        let mut table = Self {
            rules: FxHashMap::default(),
            default: Rule { steps: vec![Step { from: End::Right, groups: Vec::new() }] },
            edges: Vec::new(),
            punctuation: Vec::new(),
            separators: Vec::new(),
            coordination: Coordination::Flat,
            coordinators: Vec::new(),
            inner: Vec::new(),
        };
        loop {
            let Some(line) = lines.next_line()? else { return Ok(table) };
            if line.starts_with('#') || line.trim().is_empty() {
                continue;
            }
            if let Err(message) = table.read_line(line) {
                return Err(lines.malformed(message).into());
            }
        }
    }

    fn read_line(&mut self, line: &str) -> std::result::Result<(), String> {
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let mut values = rest.split_whitespace();
        let strings = |values: std::str::SplitWhitespace<'_>| values.map(str::to_string).collect();
        match name {
            "@punctuation" => self.punctuation = strings(values),
            "@separators" => self.separators = strings(values),
            "@edge" => self.edges = strings(values),
            "@default" => self.default = Rule::read(rest)?,
            "@coordination" => {
                self.coordination = match values.next() {
                    Some("chain") => Coordination::Chain,
                    Some("flat") => Coordination::Flat,
                    _ => return Err("`@coordination` needs `chain` or `flat`, then the tags".to_string()),
                };
                self.coordinators = values.map(Pattern::read).collect();
            }
            "@inner" => {
                let (Some(label), Some(rule)) = (values.next(), values.next()) else {
                    return Err("`@inner` needs a label, the label whose rule applies, then the heads".into());
                };
                let heads = values.map(Pattern::read).collect();
                self.inner.push(Inner { label: label.to_string(), rule: rule.to_string(), heads });
            }
            _ if name.starts_with('@') => {
                let known = "@punctuation, @separators, @edge, @inner, @default and @coordination";
                return Err(format!("`{name}` is no directive; there are {known}"));
            }
            _ => {
                let rule = Rule::read(rest)?;
                for label in name.split('|').filter(|l| !l.is_empty()) {
                    if self.rules.insert(label.to_string(), rule.clone()).is_some() {
                        return Err(format!("the label `{label}` has a rule already"));
                    }
                }
            }
        }
        Ok(())
    }

    /// The head among `children` of a constituent called `label`, as an index into them.
    ///
    /// # Panics
    /// If there are no children.
    pub(super) fn head_among(&self, label: &str, children: &[Category<'_>]) -> usize {
        let by_edge = |c: &Category<'_>| self.edges.iter().any(|e| c.has_function(e));
        if let Some(head) = children.iter().position(by_edge) {
            return head;
        }
        let rule = self.rules.get(label).unwrap_or(&self.default);
        let mut candidates: Vec<usize> =
            (0..children.len()).filter(|&c| !self.is_punctuation(&children[c])).collect();
        if candidates.is_empty() {
            candidates = (0..children.len()).collect();
        }
        for step in &rule.steps {
            for group in &step.groups {
                let fits = |c: &&usize| group.iter().any(|p| p.fits(&children[**c]));
                let found = match step.from {
                    End::Left => candidates.iter().find(fits),
                    End::Right => candidates.iter().rfind(fits),
                };
                if let Some(&head) = found {
                    return head;
                }
            }
        }
        match rule.steps.last().map(|s| s.from) {
            Some(End::Left) => candidates[0],
            _ => candidates[candidates.len() - 1],
        }
    }

    /// The head of a flat constituent, and the rule and the place of the phrase that it holds: what follows the head,
    /// or what stands before it where nothing follows.
    pub(super) fn inner(
        &self,
        label: &str,
        children: &[Category<'_>],
    ) -> Option<(usize, &str, Range<usize>)> {
        let inner = self.inner.iter().find(|i| i.label == label)?;
        let head = self.head_among(label, children);
        if !inner.heads.iter().any(|p| p.fits(&children[head])) {
            return None;
        }
        let is_solid = |range: &Range<usize>| children[range.clone()].iter().any(|c| !self.is_punctuation(c));
        let range = [head + 1..children.len(), 0..head].into_iter().find(is_solid)?;
        Some((head, &inner.rule, range))
    }

    pub(super) fn is_punctuation(&self, child: &Category<'_>) -> bool {
        self.punctuation.iter().any(|p| p == child.name)
    }

    pub(super) fn is_separator(&self, child: &Category<'_>) -> bool {
        self.separators.iter().any(|p| p == child.name)
    }

    pub(super) fn is_coordinator(&self, child: &Category<'_>) -> bool {
        self.coordinators.iter().any(|p| p.fits(child))
    }
}

impl Rule {
    fn read(text: &str) -> std::result::Result<Self, String> {
        let mut steps: Vec<Step> = Vec::new();
        let mut at_start = true;
        for word in text.split_whitespace() {
            match (word, at_start) {
                (";", _) => {}
                ("left", true) => steps.push(Step { from: End::Left, groups: Vec::new() }),
                ("right", true) => steps.push(Step { from: End::Right, groups: Vec::new() }),
                (_, true) => {
                    return Err(format!(
                        "`{word}` stands where a step begins; begin it with `left` or `right`"
                    ));
                }
                (group, false) => {
                    let step = steps.last_mut().expect("a step was begun before its groups");
                    step.groups.push(group.split('|').map(Pattern::read).collect());
                }
            }
            at_start = word == ";";
        }
        match steps.is_empty() {
            true => Err("the rule is empty; give at least `left` or `right`".to_string()),
            false => Ok(Self { steps }),
        }
    }
}
