//! Moses' markup of input lines: `<x translation="house||home" prob="0.8||0.2">Haus</x>`, `<zone>...</zone>` and `<wall/>`. Any
//! element may carry `translation`; elements without it are read over. `&lt;`, `&gt;`, `&amp;` and `&quot;` stand for themselves.

use crate::error::{Error, Result};
use treeglot_models::Binding;

/// What is done with markup, as by Moses' `-xml-input`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Markup {
    /// There is none: what looks like it is text.
    #[default]
    PassThrough,
    /// It is taken out.
    Ignore,
    /// Its translations bind so.
    Heed(Binding),
}

/// A range of bytes of the text with translations, each with its probability.
#[derive(Debug, Clone, PartialEq)]
pub struct Translations {
    /// The range.
    pub range: (usize, usize),
    /// The translations.
    pub choices: Vec<(String, f32)>,
}

/// A line without its markup, and what the markup said.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Marked {
    /// The text.
    pub text: String,
    /// Given translations.
    pub given: Vec<Translations>,
    /// Zones.
    pub zones: Vec<(usize, usize)>,
    /// Walls.
    pub walls: Vec<usize>,
}

/// An element that is still open.
struct Open<'a> {
    name: &'a str,
    start: usize,
    choices: Option<Vec<(String, f32)>>,
}

impl Marked {
    /// Reads a line.
    pub fn read(line: &str) -> Result<Self> {
        let (mut marked, mut open): (Self, Vec<Open<'_>>) = (Self::default(), Vec::new());
        let mut rest = line;
        while let Some(at) = rest.find('<') {
            unescape(&rest[..at], &mut marked.text);
            let end = tag_end(&rest[at..]).ok_or_else(|| bad("a tag without an end"))?;
            let tag = rest[at + 1..at + end - 1].trim();
            rest = &rest[at + end..];
            match tag.strip_prefix('/') {
                Some(name) => marked.close(open.pop(), name.trim())?,
                None => marked.open(tag, &mut open)?,
            }
        }
        unescape(rest, &mut marked.text);
        match open.pop() {
            Some(left) => Err(bad(&format!("<{}> is not closed", left.name))),
            None => Ok(marked),
        }
    }

    fn open<'a>(&mut self, tag: &'a str, open: &mut Vec<Open<'a>>) -> Result<()> {
        let (tag, alone) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag.trim_end(), true));
        let name = tag.split_whitespace().next().unwrap_or_default();
        if name.is_empty() {
            return Err(bad("a tag without a name; a `<` of the text is written &lt;"));
        }
        if name == "wall" {
            self.walls.push(self.text.len());
            return Ok(());
        }
        if alone {
            return Ok(());
        }
        let choices = attribute(tag, "translation").map(|words| choices(&words, attribute(tag, "prob")));
        open.push(Open { name, start: self.text.len(), choices: choices.transpose()? });
        Ok(())
    }

    fn close(&mut self, open: Option<Open<'_>>, name: &str) -> Result<()> {
        let open = open
            .filter(|open| open.name == name)
            .ok_or_else(|| bad(&format!("</{name}> without <{name}>")))?;
        let range = (open.start, self.text.len());
        if name == "zone" {
            self.zones.push(range);
        }
        if let Some(choices) = open.choices {
            self.given.push(Translations { range, choices });
        }
        Ok(())
    }
}

fn bad(why: &str) -> Error {
    Error::Invalid(format!("markup: {why}"))
}

/// The translations of an element with their probabilities, which are 1 where none are given.
fn choices(words: &str, probs: Option<String>) -> Result<Vec<(String, f32)>> {
    let words: Vec<&str> = words.split("||").map(str::trim).collect();
    let probs = match probs {
        None => vec![1.0; words.len()],
        Some(probs) => {
            let number =
                |prob: &str| prob.trim().parse().ok().filter(|&prob: &f32| prob > 0.0 && prob.is_finite());
            let read: Option<Vec<f32>> = probs.split("||").map(number).collect();
            read.ok_or_else(|| bad(&format!("`{probs}` is no probability")))?
        }
    };
    if probs.len() != words.len() {
        return Err(bad(&format!("{} translations, but {} probabilities", words.len(), probs.len())));
    }
    Ok(words.into_iter().map(str::to_string).zip(probs).collect())
}

/// The value of an attribute.
fn attribute(tag: &str, name: &str) -> Option<String> {
    let mut rest = tag;
    while let Some(at) = rest.find('=') {
        let key = rest[..at].trim_end().rsplit(char::is_whitespace).next().unwrap_or_default();
        let after = rest[at + 1..].trim_start();
        let quote = after.chars().next().filter(|&c| c == '"' || c == '\'')?;
        let end = after[1..].find(quote)?;
        if key == name {
            let mut value = String::new();
            unescape(&after[1..1 + end], &mut value);
            return Some(value);
        }
        rest = &after[end + 2..];
    }
    None
}

/// Where a tag ends: after the first `>` outside of quotes.
fn tag_end(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), c) if open == c => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '>') => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// Appends a text with its entities read.
fn unescape(text: &str, out: &mut String) {
    const ENTITIES: [(&str, char); 5] =
        [("&lt;", '<'), ("&gt;", '>'), ("&quot;", '"'), ("&apos;", '\''), ("&amp;", '&')];
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let found = ENTITIES.iter().find(|(entity, _)| rest.starts_with(entity));
        let (length, c) = found.map_or((1, '&'), |(entity, c)| (entity.len(), *c));
        out.push(c);
        rest = &rest[length..];
    }
    out.push_str(rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn translations_zones_and_walls_are_read() {
        let line = "das <n translation=\"small house||home\" prob=\"0.8||0.2\">kleine Haus</n> <zone>a &lt; <wall/>b</zone><b>c</b>";
        let marked = Marked::read(line).unwrap();
        assert_eq!(marked.text, "das kleine Haus a < bc");
        let choices = vec![("small house".to_string(), 0.8), ("home".to_string(), 0.2)];
        assert_eq!(marked.given, [Translations { range: (4, 15), choices }]);
        assert_eq!((marked.zones, marked.walls), (vec![(16, 21)], vec![20]));
    }

    #[test]
    fn what_is_wrong_with_markup_is_told() {
        for (line, why) in [
            ("a <b", "without an end"),
            ("a <n>b", "<n> is not closed"),
            ("a</n>", "</n> without <n>"),
            ("<n><m></n></m>", "</n> without <n>"),
            ("1 < 2 > 0", "without <n>|without a name|is not closed"),
            ("<n translation=\"a||b\" prob=\"1\">c</n>", "2 translations, but 1"),
            ("<n translation=\"a\" prob=\"x\">c</n>", "no probability"),
        ] {
            let error = Marked::read(line).unwrap_err().to_string();
            assert!(why.split('|').any(|why| error.contains(why)), "{line}: {error}");
        }
    }
}
