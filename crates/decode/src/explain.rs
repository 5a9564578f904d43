//! Explanations: for each output word the source words it came from and the rule that has it, and the tree of rules, each
//! with its features and its part of the score. The parts add up to the total.

use crate::derivation::{Applied, Derivation};
use crate::vocab::SentenceVocab;
use crate::weights::FeatureSet;
use serde::{Serialize, Serializer};
use std::fmt::{self, Write};
use treeglot_grammar::{Kind, heads};
use treeglot_models::variable_at;

/// Why a translation is as it is. Positions count from 0.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// The source words.
    pub source: Vec<String>,
    /// The output words.
    pub words: Vec<ExplainedWord>,
    /// The rules, each before those that fill its variables.
    pub rules: Vec<ExplainedRule>,
}

/// An output word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExplainedWord {
    /// The word.
    pub word: String,
    /// The source positions it is linked to; none for a word that its rule adds.
    pub source: Vec<u32>,
    /// The rule that has it: its place in [`Explanation::rules`].
    pub rule: u32,
    /// The word it depends on, from 1 and 0 for the root, as in CoNLL-U; where the rules have heads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head: Option<u32>,
}

/// One application of a rule.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExplainedRule {
    /// What it is: a `rule` of a table, `unknown` for a copied word, `begin`, `glue` and `end` of the glue grammar, or
    /// `join` for two neighbours side by side, `back-off` for what rules of a simpler model build. A translation that was given is
    /// called after who gave it: `given` for markup, `term`, `kept`, `correction`, `memory`; `silent` is a word that it covers beside
    /// the one it stands at.
    pub kind: &'static str,
    /// Which table and which rule of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<[u32; 2]>,
    /// What it builds, where the model names it: a tag, a category or a phrasal node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The source side: words, and `[0]`, `[1]` for variables.
    pub source: String,
    /// The target side, likewise.
    pub target: String,
    /// The first source word it covers, and the one after the last.
    pub span: [u32; 2],
    /// The rule whose variable it fills, and the number of the variable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fills: Option<[u32; 2]>,
    /// Its part of the score.
    pub score: f64,
    /// Its features that are not zero.
    #[serde(serialize_with = "as_map")]
    pub features: Vec<(String, Vec<f32>)>,
}

fn as_map<S: Serializer>(features: &[(String, Vec<f32>)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(features.iter().map(|(name, values)| (name, values)))
}

impl Explanation {
    /// Explains a derivation of a line.
    pub fn new(
        derivation: &Derivation,
        line: &str,
        vocab: &SentenceVocab<'_>,
        features: &FeatureSet,
    ) -> Self {
        let source: Vec<String> = line.split_ascii_whitespace().map(str::to_string).collect();
        let words = derivation.origins().into_iter().map(|origin| ExplainedWord {
            word: vocab.text(origin.word).to_string(),
            source: origin.sources,
            rule: origin.step,
            head: None,
        });
        let steps = 0..derivation.steps().len() as u32;
        let rules = steps.map(|step| explain_step(derivation, step, &source, vocab, features));
        Self { words: words.collect(), rules: rules.collect(), source }
    }

    /// Turns positions of words that were moved for the search into those they stand at. The spans of rules stay those of
    /// the order they were found in.
    pub fn move_back(&mut self, order: &[u32]) {
        if order.len() != self.source.len() {
            return;
        }
        let mut source = vec![String::new(); order.len()];
        for (word, &at) in self.source.drain(..).zip(order) {
            source[at as usize] = word;
        }
        self.source = source;
        for word in &mut self.words {
            word.source.iter_mut().for_each(|at| *at = order[*at as usize]);
            word.source.sort_unstable();
        }
    }

    /// Tells the head of each word, as far as they are given.
    pub fn set_heads(&mut self, heads: &[u32]) {
        for (word, &head) in self.words.iter_mut().zip(heads) {
            word.head = Some(head);
        }
    }

    /// Names what each rule builds.
    pub fn name_labels<'n>(&mut self, derivation: &Derivation, name: impl Fn(u32) -> Option<&'n str>) {
        for (rule, step) in self.rules.iter_mut().zip(derivation.steps()) {
            rule.label = name(step.label).map(str::to_string);
        }
    }

    /// The links of output words and source words, in the order of the source.
    pub fn links(&self) -> Vec<(u32, u32)> {
        let linked = (0u32..).zip(&self.words);
        let mut links: Vec<(u32, u32)> = linked
            .flat_map(|(target, word)| word.source.iter().map(move |&source| (source, target)))
            .collect();
        links.sort_unstable();
        links
    }

    /// Appends the explanation as lines of text for people: words beside the source words they came from, then the rules,
    /// indented by their depth in the tree, and an empty line.
    pub fn write(&self, out: &mut String) {
        let widest =
            self.words.iter().map(|word| word.word.chars().count()).max().unwrap_or(0).min(WIDEST_WORD);
        for word in &self.words {
            let of = |&at: &u32| self.source.get(at as usize).map_or("", String::as_str);
            let source: Vec<&str> = word.source.iter().map(of).collect();
            let source = if source.is_empty() { "-".to_string() } else { source.join(" ") };
            put(out, format_args!("  {:widest$} <- {source} (rule {})", word.word, word.rule));
            match word.head.map(|head| (head, head.checked_sub(1).and_then(|at| self.words.get(at as usize))))
            {
                None => {}
                Some((head, Some(above))) => put(out, format_args!(" head {head} {}", above.word)),
                Some((_, None)) => put(out, format_args!(" root")),
            }
            out.push('\n');
        }
        let mut depths: Vec<usize> = Vec::new();
        for (number, rule) in self.rules.iter().enumerate() {
            let depth = rule.fills.map_or(0, |[parent, _]| depths[parent as usize] + 1);
            depths.push(depth);
            let (depth, kind, [start, end]) = (depth.min(MOST_INDENTED), rule.kind, rule.span);
            let (source, target, score) = (&rule.source, &rule.target, rule.score);
            put(out, format_args!("  {:depth$}{number} {kind} {start}-{end}", ""));
            if let Some(label) = &rule.label {
                put(out, format_args!(" {label}"));
            }
            put(out, format_args!(": {source} ||| {target} |||"));
            for (name, values) in &rule.features {
                put(out, format_args!(" {name}="));
                values.iter().for_each(|&value| put(out, format_args!(" {}", Short(f64::from(value)))));
            }
            put(out, format_args!(" ||| {}\n", Short(score)));
        }
        out.push('\n');
    }
}

/// A number as people read it: four digits that count.
struct Short(f64);

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.0.abs();
        if size < 5e-5 {
            return f.write_str("0");
        }
        let digits = (3 - size.log10().floor() as i32).clamp(0, 4) as usize;
        let text = format!("{:.digits$}", self.0);
        f.write_str(if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text })
    }
}

/// Words are set in columns up to this width.
const WIDEST_WORD: usize = 24;

/// How far lines are indented at most: derivations may be as deep as a line is long.
const MOST_INDENTED: usize = 200;

fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("text takes every value");
}

fn explain_step(
    derivation: &Derivation,
    number: u32,
    words: &[String],
    vocab: &SentenceVocab<'_>,
    features: &FeatureSet,
) -> ExplainedRule {
    let step = &derivation.steps()[number as usize];
    let target = heads::split(derivation.target(number)).0.iter().map(|symbol| match symbol.kind() {
        Kind::Word(word) => vocab.text(word).to_string(),
        Kind::Ref(k) => format!("[{k}]"),
        _ => String::new(),
    });
    let values = derivation.features(number);
    let named = features.iter().map(|(name, range)| (name.to_string(), values[range].to_vec()));
    let (kind, rule) = match step.applied {
        Applied::Rule { table, rule } => ("rule", Some([table, rule])),
        Applied::Unknown => ("unknown", None),
        Applied::Begin => ("begin", None),
        Applied::Glue => ("glue", None),
        Applied::Join => ("join", None),
        Applied::Backoff => ("back-off", None),
        Applied::End => ("end", None),
        Applied::Given { origin, .. } => (origin.name(), None),
        Applied::Silent => ("silent", None),
    };
    ExplainedRule {
        kind,
        number: rule,
        label: None,
        source: source_side(derivation, number, words),
        target: target.collect::<Vec<_>>().join(" "),
        span: [step.span.start, step.span.end],
        fills: step.parent.map(|(parent, variable)| [parent, u32::from(variable)]),
        score: step.score,
        features: named.filter(|(_, values)| values.iter().any(|&value| value != 0.0)).collect(),
    }
}

/// The source side of a step's rule: the words it covers but those of its variables, which are written `[k]`.
fn source_side(derivation: &Derivation, number: u32, words: &[String]) -> String {
    let span = derivation.steps()[number as usize].span;
    if !derivation.positions(number).is_empty() {
        let symbol = |&position: &u32| match variable_at(position) {
            Some(variable) => format!("[{variable}]"),
            None => words.get(position as usize).cloned().unwrap_or_default(),
        };
        return derivation.positions(number).iter().map(symbol).collect::<Vec<_>>().join(" ");
    }
    let mut children: Vec<(u32, u32, u8)> = derivation
        .children(number)
        .map(|child| &derivation.steps()[child as usize])
        .filter_map(|child| child.parent.map(|(_, k)| (child.span.start, child.span.end, k)))
        .collect();
    children.sort_unstable();
    let mut side = Vec::new();
    let mut at = span.start;
    for (start, end, k) in children {
        side.extend(words[at as usize..start as usize].iter().cloned());
        side.push(format!("[{k}]"));
        at = end;
    }
    side.extend(words[at as usize..span.end as usize].iter().cloned());
    side.join(" ")
}
