//! Features by name and their weights, as text in Moses' notation (`LM0= 0.5`, `TranslationModel0= 0.2 0.1 0.2 0.1`), and
//! as dense vectors for the search.

use crate::error::{Error, Result};
use serde::{Serialize, Serializer};
use std::fmt::Write as _;
use std::io::{BufRead, Write as _};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use treeglot_text::{Input, Lines, Output};

/// The features of a system: their names, in order, and which positions of a dense vector each has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FeatureSet {
    names: Vec<String>,
    ends: Vec<usize>,
}

impl FeatureSet {
    /// Adds a feature of so many values; its positions.
    pub fn add(&mut self, name: impl Into<String>, values: usize) -> Range<usize> {
        let start = self.len();
        self.names.push(name.into());
        self.ends.push(start + values);
        start..start + values
    }

    /// How many values all features have together.
    pub fn len(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Whether there is no feature.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The positions of a feature.
    pub fn find(&self, name: &str) -> Option<Range<usize>> {
        self.iter().find(|(known, _)| *known == name).map(|(_, range)| range)
    }

    /// All features with their positions, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Range<usize>)> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        self.names.iter().zip(starts.zip(&self.ends)).map(|(name, (start, &end))| (name.as_str(), start..end))
    }

    /// Appends values as `Name= v v`, separated by spaces.
    pub fn write_values(&self, values: &[f64], out: &mut String) {
        for (k, (name, range)) in self.iter().enumerate() {
            if k > 0 {
                out.push(' ');
            }
            out.push_str(name);
            out.push('=');
            for &value in &values[range] {
                write!(out, " {}", value as f32).expect("text takes every value");
            }
        }
    }

    /// Values to be written as a JSON object, by name.
    pub fn named<'a>(&'a self, values: &'a [f64]) -> NamedValues<'a> {
        NamedValues { features: self, values }
    }
}

/// The values of features with their names.
pub struct NamedValues<'a> {
    features: &'a FeatureSet,
    values: &'a [f64],
}

impl Serialize for NamedValues<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let rounded =
            |range: Range<usize>| self.values[range].iter().map(|&v| v as f32).collect::<Vec<f32>>();
        serializer.collect_map(self.features.iter().map(|(name, range)| (name, rounded(range))))
    }
}

/// Named values as they stand in a file or a line: `Name= v v v Name2= v`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Weights {
    file: Arc<str>,
    entries: Vec<(String, Vec<f32>)>,
}

/// The weights of a system's features, by position.
pub type WeightVector = Vec<f32>;

impl Weights {
    /// Reads a file of weights. Comments (`#`), empty lines and section heads of a `moses.ini` (`[weight]`) are left
    /// out.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        let input = Input::open(path)?;
        Self::of_lines(Lines::new(input.name, input.reader))
    }

    /// Reads weights from text, called `name` in messages.
    pub fn parse(name: &str, text: &str) -> Result<Self> {
        Self::of_lines(Lines::new(name, text.as_bytes()))
    }

    fn of_lines<R: BufRead>(mut lines: Lines<R>) -> Result<Self> {
        let mut weights = Self { file: lines.place().name, ..Self::default() };
        while let Some(line) = lines.next_line()? {
            let line = line.trim();
            if line.is_empty() || line.starts_with(['#', '[']) {
                continue;
            }
            let parsed = parse_values(line);
            match parsed {
                Ok(mut entries) => weights.entries.append(&mut entries),
                Err(why) => return Err(Error::Line { place: lines.place(), why }),
            }
        }
        Ok(weights)
    }

    /// An error if there are weights of what is no feature, neither one of these nor a sparse one.
    pub fn check_known(&self, features: &FeatureSet, is_sparse: impl Fn(&str) -> bool) -> Result<()> {
        let unknown = |name: &str| features.find(name).is_none() && !is_sparse(name);
        let Some((name, _)) = self.entries.iter().find(|(name, _)| unknown(name)) else { return Ok(()) };
        let known: Vec<&str> = features.iter().map(|(name, _)| name).collect();
        let why = format!("`{name}` is no feature of this system, which has {}", known.join(", "));
        Err(self.error(why))
    }

    /// An error of these weights.
    pub(crate) fn error(&self, why: String) -> Error {
        Error::Weights { name: self.file.clone(), why }
    }

    /// Weights that were found otherwise, as by tuning.
    pub fn of(features: &FeatureSet, values: &[f32]) -> Self {
        let entries =
            features.iter().map(|(name, range)| (name.to_string(), values[range].to_vec())).collect();
        Self { file: "weights".into(), entries }
    }

    /// All features with their values, in order; of one named twice, [`Weights::get`] takes the last.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[f32])> {
        self.entries.iter().map(|(name, values)| (name.as_str(), values.as_slice()))
    }

    /// The values of a feature.
    pub fn get(&self, name: &str) -> Option<&[f32]> {
        self.entries.iter().rev().find(|(known, _)| known == name).map(|(_, values)| values.as_slice())
    }

    /// Sets the values of a feature that has none yet.
    pub fn or_default(&mut self, name: &str, values: &[f32]) {
        if self.get(name).is_none() {
            self.entries.push((name.to_string(), values.to_vec()));
        }
    }

    /// The dense vector for a system's features; each of them must have its weights.
    pub fn vector(&self, features: &FeatureSet) -> Result<WeightVector> {
        let mut vector = vec![0.0; features.len()];
        for (name, range) in features.iter() {
            let wanted = range.len();
            let values = self.get(name).ok_or_else(|| {
                self.error(format!("no weight for `{name}`: add a line `{name}= ` with {wanted} values"))
            })?;
            if values.len() != wanted {
                return Err(self.error(format!("`{name}` has {} weights, but {wanted} values", values.len())));
            }
            vector[range].copy_from_slice(values);
        }
        Ok(vector)
    }

    /// Writes one line a feature.
    pub fn write(&self, path: &Path) -> Result<()> {
        let mut out = Output::create(path)?;
        for (name, values) in &self.entries {
            let mut line = format!("{name}=");
            for value in values {
                write!(line, " {value}").expect("text takes every value");
            }
            writeln!(out, "{line}").map_err(|e| out.error(e))?;
        }
        Ok(out.finish()?)
    }
}

/// Reads `Name= v v Name2= v`; the error says what would be right.
pub(crate) fn parse_values(text: &str) -> std::result::Result<Vec<(String, Vec<f32>)>, String> {
    let mut entries: Vec<(String, Vec<f32>)> = Vec::new();
    for token in text.split_ascii_whitespace() {
        if let Some(name) = token.strip_suffix('=') {
            entries.push((name.to_string(), Vec::new()));
            continue;
        }
        let value = token.parse().ok().filter(|value: &f32| value.is_finite());
        match (value, entries.last_mut()) {
            (Some(value), Some((_, values))) => values.push(value),
            (Some(_), None) => {
                return Err(format!("`{token}` has no name before it: expected `Name= values`"));
            }
            (None, _) => return Err(format!("`{token}` is no number and no name: expected `Name= values`")),
        }
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn features() -> FeatureSet {
        let mut features = FeatureSet::default();
        features.add("LM0", 1);
        features.add("TM", 2);
        features
    }

    #[test]
    fn weights_are_found_by_name_whatever_their_order() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "[weight]\n# best\nTM= 0.5 -1e-2\n\nOther0= 1 LM0= 2\n").unwrap();
        let weights = Weights::read(file.path()).unwrap();
        assert_eq!(weights.vector(&features()).unwrap(), [2.0, 0.5, -0.01]);
    }

    #[test]
    fn what_is_written_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("weights");
        let weights = Weights::of(&features(), &[0.1, 0.2, -3.0]);
        weights.write(&path).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "LM0= 0.1\nTM= 0.2 -3\n");
        assert_eq!(Weights::read(&path).unwrap().vector(&features()).unwrap(), [0.1, 0.2, -3.0]);
    }

    #[test]
    fn missing_and_bad_weights_are_errors_that_say_what_is_needed() {
        let file = tempfile::NamedTempFile::new().unwrap();
        for (text, why) in [
            ("LM0= 1\n", "no weight for `TM`"),
            ("LM0= 1\nTM= 1\n", "`TM` has 1 weights, but 2 values"),
            ("LM0= 1\nTM= one\n", ":2: `one` is no number"),
            ("1 LM0= 1\n", ":1: `1` has no name"),
        ] {
            std::fs::write(file.path(), text).unwrap();
            let error =
                Weights::read(file.path()).and_then(|w| w.vector(&features())).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
    }
}
