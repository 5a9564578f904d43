//! Parses whose columns hold any text, what would break a notation included.

use crate::generate::parses;
use proptest::prelude::*;
use treeglot_tree::{DepParse, Field};

fn column() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-d]{1,3}",
        1 => r"[a-b;=+%()\[\] \-↑↓_|:é\u{a0}]{1,4}",
        1 => prop::sample::select(vec!["-LRB-", "_", "%25", "-RRB-x", "H=1", "unit", "root"]).prop_map(String::from),
    ]
}

/// A random parse with any text in form, lemma, tags and relation.
pub fn parses_of_any_text() -> impl Strategy<Value = DepParse> {
    let columns = prop::collection::vec([column(), column(), column(), column()], 12);
    (parses(), columns).prop_map(|(mut parse, columns)| {
        for (w, [form, lemma, tag, relation]) in parse.words().zip(&columns) {
            parse.set(w, Field::Form, form);
            parse.set(w, Field::Lemma, lemma);
            parse.set(w, Field::Xpos, tag);
            parse.set(w, Field::Deprel, relation);
        }
        parse
    })
}
