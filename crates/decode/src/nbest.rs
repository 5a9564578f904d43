//! Lines of n-best lists, in Moses' format: `id ||| text ||| Name= values ||| score`.

use crate::error::{Error, Result};
use crate::weights::{FeatureSet, parse_values};
use std::fmt::Write;
use treeglot_text::Place;

/// One line of an n-best list as read.
#[derive(Debug, Clone, PartialEq)]
pub struct NbestLine<'a> {
    /// The number of the input line, from 0.
    pub id: usize,
    /// The translation.
    pub text: &'a str,
    /// The features, in the line's order.
    pub features: Vec<(String, Vec<f32>)>,
    /// The total score.
    pub score: f64,
}

impl<'a> NbestLine<'a> {
    /// Reads a line.
    pub fn parse(line: &'a str, place: &Place) -> Result<Self> {
        let bad = |why: String| Error::Line { place: place.clone(), why };
        let mut fields = line.split(" ||| ");
        let (Some(id), Some(text), Some(features), Some(score)) =
            (fields.next(), fields.next(), fields.next(), fields.next())
        else {
            return Err(bad("expected `id ||| text ||| Name= values ||| score`".to_string()));
        };
        Ok(Self {
            id: id.trim().parse().map_err(|_| bad(format!("`{id}` is no line number")))?,
            text: text.trim(),
            features: parse_values(features).map_err(bad)?,
            score: score.trim().parse().map_err(|_| bad(format!("`{score}` is no score")))?,
        })
    }

    /// The values of a feature.
    pub fn feature(&self, name: &str) -> Option<&[f32]> {
        self.features.iter().find(|(known, _)| known == name).map(|(_, values)| values.as_slice())
    }
}

/// Appends one line of an n-best list. In its text, the sign between fields is written with entities.
pub fn write_nbest(
    id: usize,
    text: &str,
    features: &FeatureSet,
    values: &[f64],
    score: f64,
    out: &mut String,
) {
    let text = text.replace("|||", "&#124;&#124;&#124;");
    write!(out, "{id} ||| {text} ||| ").expect("text takes every value");
    features.write_values(values, out);
    writeln!(out, " ||| {}", score as f32).expect("text takes every value");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let mut features = FeatureSet::default();
        features.add("LM0", 1);
        features.add("TM", 2);
        let mut line = String::new();
        write_nbest(3, "a house", &features, &[-1.5, 0.25, -2.0], -7.125, &mut line);
        assert_eq!(line, "3 ||| a house ||| LM0= -1.5 TM= 0.25 -2 ||| -7.125\n");
        let read = NbestLine::parse(line.trim_end(), &Place::new("n", 1)).unwrap();
        assert_eq!((read.id, read.text, read.score), (3, "a house", -7.125));
        assert_eq!(read.feature("TM"), Some(&[0.25, -2.0][..]));
    }

    #[test]
    fn moses_spacing_is_accepted_and_what_is_no_line_is_an_error() {
        let place = Place::new("n", 9);
        let line = NbestLine::parse("0 ||| a b  |||  LM0= -1 ||| -2", &place).unwrap();
        assert_eq!((line.text, line.score), ("a b", -2.0));
        for bad in ["", "0 ||| a", "x ||| a ||| L= 1 ||| 2", "0 ||| a ||| L= b ||| 2"] {
            let error = NbestLine::parse(bad, &place).unwrap_err().to_string();
            assert!(error.starts_with("n:9: "), "{error}");
        }
    }
}
