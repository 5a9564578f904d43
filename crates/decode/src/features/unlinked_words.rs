//! `UnlinkedWords0`: how many target words of rules have no link. Words that translate nothing are often wrong where they stand;
//! a negative weight keeps the search from rules that add them.

use super::{Extra, Feature, RuleView, Shape};
use crate::derivation::Applied;

const NAME: &str = "UnlinkedWords0";
const START: f32 = -0.1;

struct UnlinkedWords;

pub(super) fn of(shape: &Shape<'_>) -> Vec<Box<dyn Feature>> {
    if shape.extra.contains(&Extra::UnlinkedWords) || shape.names(NAME, false) {
        return vec![Box::new(UnlinkedWords)];
    }
    Vec::new()
}

impl Feature for UnlinkedWords {
    fn name(&self) -> String {
        NAME.to_string()
    }

    fn start(&self) -> Vec<f32> {
        vec![START]
    }

    fn missing(&self) -> Option<Vec<f32>> {
        Some(self.start())
    }

    fn value(&self, rule: &RuleView<'_>) -> f32 {
        if !matches!(rule.applied, Applied::Rule { .. }) {
            return 0.0;
        }
        let linked = |at: usize| rule.links.iter().any(|link| usize::from(link.tgt) == at);
        let words = rule.target.iter().enumerate().filter(|(_, symbol)| symbol.is_word());
        words.filter(|&(at, _)| !linked(at)).count() as f32
    }

    fn reads_links(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use treeglot_grammar::{RuleLink, Symbol};
    use treeglot_text::vocab::Sym;

    #[test]
    fn words_without_links_are_counted_and_variables_are_not() {
        let target = [Symbol::word(Sym(1)), Symbol::reference(0), Symbol::word(Sym(2))];
        let view = |links| RuleView {
            applied: Applied::Rule { table: 0, rule: 0 },
            source: &[],
            target: &target,
            links,
            parse: 0.0,
        };
        let links = [RuleLink::new(0, 2)];
        assert_eq!(UnlinkedWords.value(&view(&links)), 1.0);
        assert_eq!(UnlinkedWords.value(&view(&[])), 2.0);
    }
}
