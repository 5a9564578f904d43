//! `dep2str` and `consdep2str`: a head with all its dependents to a string (Xie, Mi & Liu 2011), and the same with phrasal
//! nodes of a constituency tree in it (Meng et al. 2013). One implementation: without a constituency tree there are no
//! phrasal nodes.
//!
//! `labelled` puts phrasal nodes into a dependency tree (section 3.1), `fragments` finds what is consistent with the
//! links (sections 3.1 and 3.2), `induce` makes rules of it (section 3.3), and `apply` lays out what they can build
//! for an input (section 4). Bilingual phrases have a table of their own, that of the model `phrase`, and so four scores of
//! their own.

mod apply;
mod describe;
mod fragments;
mod induce;
mod labelled;
mod parses;
#[cfg(test)]
mod tests;

use crate::chart::{Chart, ForestInput};
use crate::cons2str::Binarize;
use crate::error::Result;
use crate::estimates::Estimates;
use crate::forest::Forest;
use crate::packed::Share;
use crate::pair::{Needs, Pair};
use crate::registry::Registered;
use crate::{Applies, Model, TableRole};
pub use describe::{DescribedNode, DescribedPhrasal, DescribedTree, describe};
use fragments::Annotated;
use labelled::Labelled;
pub(crate) use labelled::category;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use treeglot_grammar::RuleSink;
use treeglot_text::vocab::Vocab;
use treeglot_tree::{PerTree, TreeKind};

/// What is done to a tree whose subtrees are not all contiguous.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum NonProjective {
    /// Arcs are lifted to the head of their head (Nivre & Nilsson 2005); words stay where they are
    #[default]
    Lift,
    /// Words move next to their heads by in-order traversal (Graham 2013, algorithm 6.1); arcs stay as they are
    Inorder,
}

/// Which bilingual phrases an input is translated with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Phrases {
    /// Those over a head, a subtree or a phrasal node, as in the paper
    Syntactic,
    /// Those over any neighbouring parts of a head-dependents relation as well, joined by the pseudo rule
    #[default]
    All,
}

/// The options of [`Dep2Str`] and [`ConsDep2Str`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct HeadOptions {
    /// What is done to trees that are not projective
    #[cfg_attr(feature = "clap", arg(long, value_name = "HOW", value_enum, default_value_t))]
    pub non_projective: NonProjective,

    /// Part nodes of more than two children of constituency trees, so that there are more phrasal nodes
    #[cfg_attr(feature = "clap", arg(long, value_name = "HOW", value_enum, default_value_t))]
    pub binarize: Binarize,

    /// Which bilingual phrases an input is translated with; of no concern to extraction
    #[cfg_attr(feature = "clap", arg(long, value_name = "WHICH", value_enum, default_value_t))]
    pub phrases: Phrases,

    /// Let phrasal nodes have rules of their own, as subtrees have; in the paper only phrases translate them
    #[cfg_attr(feature = "clap", arg(long))]
    pub nested: bool,

    /// The most fragments of one head-dependents relation: those with the fewest phrasal nodes come first
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = 50))]
    pub max_fragments: usize,

    /// The most ways in which target words without links are shared out among the words of a rule
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = 32))]
    pub max_variants: usize,
}

impl Default for HeadOptions {
    fn default() -> Self {
        let (non_projective, phrases) = (NonProjective::default(), Phrases::default());
        let binarize = Binarize::default();
        Self { non_projective, binarize, phrases, nested: false, max_fragments: 50, max_variants: 32 }
    }
}

/// Head-dependents relations to strings.
#[derive(Debug, Clone, Copy)]
pub struct Dep2Str(HeadOptions);

/// Head-dependents relations with phrasal nodes to strings.
#[derive(Debug, Clone, Copy)]
pub struct ConsDep2Str(HeadOptions);

impl Registered for Dep2Str {
    const NAME: &'static str = "dep2str";
    const ABOUT: &'static str = "Heads with all their dependents to strings (Xie 2011)";
    type Options = HeadOptions;

    fn new(options: HeadOptions) -> Result<Self> {
        Ok(Self(options))
    }
}

impl Registered for ConsDep2Str {
    const NAME: &'static str = "consdep2str";
    const ABOUT: &'static str =
        "Heads with dependents and phrasal nodes of constituency trees to strings (Meng 2013)";
    type Options = HeadOptions;

    fn new(options: HeadOptions) -> Result<Self> {
        Ok(Self(options))
    }
}

impl HeadOptions {
    /// Those of what stands beside: constituents are parted alike.
    fn beside(&self, role: TableRole) -> serde_json::Value {
        match role {
            TableRole::Constituents => serde_json::json!({ "binarize": self.binarize }),
            _ => serde_json::json!({}),
        }
    }
}

impl Model for Dep2Str {
    fn needs(&self) -> Needs {
        Needs::source_parses(&[TreeKind::Dependency])
    }

    fn applies(&self) -> Applies {
        Applies::Trees
    }

    fn options_beside(&self, role: TableRole) -> Option<serde_json::Value> {
        Some(self.0.beside(role))
    }

    fn extract(&self, pair: &Pair<'_>, vocab: &mut Vocab, rules: &mut dyn RuleSink) {
        let trees = PerTree { source_con: &[][..], ..pair.trees };
        extract(&self.0, &Pair { trees, ..*pair }, vocab, rules);
    }

    fn forest(
        &self,
        input: &ForestInput<'_>,
        estimates: &mut dyn Estimates,
        chart: &mut Chart,
        forest: &mut Forest,
    ) {
        apply::fill(&self.0, false, input, estimates, chart, forest);
    }
}

impl Model for ConsDep2Str {
    fn needs(&self) -> Needs {
        Needs::source_parses(&TreeKind::BOTH)
    }

    fn applies(&self) -> Applies {
        Applies::Trees
    }

    fn options_beside(&self, role: TableRole) -> Option<serde_json::Value> {
        Some(self.0.beside(role))
    }

    fn extract(&self, pair: &Pair<'_>, vocab: &mut Vocab, rules: &mut dyn RuleSink) {
        extract(&self.0, pair, vocab, rules);
    }

    fn forest(
        &self,
        input: &ForestInput<'_>,
        estimates: &mut dyn Estimates,
        chart: &mut Chart,
        forest: &mut Forest,
    ) {
        apply::fill(&self.0, true, input, estimates, chart, forest);
    }

    fn has_phrasal_nodes(&self) -> bool {
        true
    }

    fn is_phrasal(&self, label: &str) -> bool {
        label.contains(labelled::PHRASAL)
    }
}

/// Hands on the rules of all acceptable fragments of a pair. Those of several parses count as much as their parse.
fn extract(options: &HeadOptions, pair: &Pair<'_>, vocab: &mut Vocab, rules: &mut dyn RuleSink) {
    let cons: Vec<_> = pair.source_cons().flat_map(|con| options.binarize.apply(con)).collect();
    let parses = pair.source_deps().count();
    let mut rules = Share { rules, share: 1.0 / parses as f32 };
    for (tree, tags) in pair.source_deps() {
        let cons = cons.iter().map(Cow::as_ref);
        let labelled = Labelled::new(tree, tags, cons, options.non_projective);
        fragments_of(&labelled, options, pair, vocab, &mut rules);
    }
}

fn fragments_of(
    labelled: &Labelled,
    options: &HeadOptions,
    pair: &Pair<'_>,
    vocab: &mut Vocab,
    rules: &mut dyn RuleSink,
) {
    let links = labelled.moved_links(pair.links);
    let annotated = Annotated::new(labelled, &links, pair.target.len());
    let inducer =
        induce::Inducer { labelled, annotated: &annotated, pair, max_variants: options.max_variants };
    for &node in labelled.tree.preorder() {
        let (mut fragments, mut cut) = annotated.fragments(node, options.max_fragments);
        if options.nested {
            let (more, more_cut) = annotated.nested_fragments(node, options.max_fragments);
            fragments.extend(more);
            cut |= more_cut;
        }
        if cut {
            rules.cut();
        }
        fragments.iter().for_each(|fragment| inducer.induce(fragment, vocab, rules));
    }
}
