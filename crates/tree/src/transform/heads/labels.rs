//! Labels of constituents taken apart: category, grammatical functions, indices.

use crate::transform::strip::category;

/// A label such as `NP-SBJ-1` without its decoration, and what stands on the edge above the node.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Category<'a> {
    /// `NP`.
    pub(crate) name: &'a str,
    /// `SBJ-1`: all after the category.
    rest: &'a str,
    /// The edge label, empty where the format has none.
    edge: &'a str,
}

impl<'a> Category<'a> {
    pub(crate) fn new(label: &'a str, edge: &'a str) -> Self {
        let (name, rest) = cut(label);
        Self { name, rest, edge }
    }

    /// Whether one of the functions is `function`.
    pub(crate) fn has_function(&self, function: &str) -> bool {
        self.edge == function || functions(self.rest).any(|f| f == function)
    }

    /// The grammatical function: the edge's, else the first in the label.
    pub(crate) fn function(&self) -> Option<&'a str> {
        match self.edge {
            "" | "--" | "_" => functions(self.rest).next(),
            edge => Some(edge),
        }
    }
}

/// The category and the first function of a label.
pub(crate) struct SplitLabel<'a> {
    pub(crate) name: &'a str,
    pub(crate) function: Option<&'a str>,
}

pub(crate) fn split_label(label: &str) -> SplitLabel<'_> {
    let (name, rest) = cut(label);
    SplitLabel { name, function: functions(rest).next() }
}

/// The category and what follows it.
fn cut(label: &str) -> (&str, &str) {
    label.split_at(category(label).len())
}

/// The functions among what follows a category; numbers are indices of traces, not functions.
fn functions(rest: &str) -> impl Iterator<Item = &str> {
    rest.split(['-', '=']).filter(|f| !f.is_empty() && !f.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_and_indices_are_not_part_of_the_category() {
        let c = Category::new("NP-1-SBJ=2", "");
        assert_eq!((c.name, c.function()), ("NP", Some("SBJ")));
        assert_eq!(Category::new("-LRB-", "").name, "-LRB-");
        assert_eq!(Category::new("NP", "--").function(), None);
        let c = Category::new("PP-MO", "OP");
        assert_eq!(c.function(), Some("OP"));
        assert!(c.has_function("MO") && c.has_function("OP") && !c.has_function("M"));
    }
}
