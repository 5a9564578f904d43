//! The parsers on real treebanks.

use std::path::Path;
use treeglot_parse::{Method, ParseSettings, Settings, Treebank, train};
use treeglot_tree::format::{ReadTrees, conllu};

fn bank(name: &str, most: usize) -> Treebank {
    let path = Path::new(env!("TREEGLOT_REAL_DATA")).join("ud").join(name);
    let reader = conllu::Reader::open(path).expect("the data folder has it");
    Treebank::of_parses(reader.trees().take(most).map(|parse| parse.expect("it is CoNLL-U")))
}

#[test]
#[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
fn a_few_hundred_sentences_teach_most_tags_and_heads_of_others() {
    let settings = Settings {
        method: Method::Transition,
        hidden: Some(64),
        tagger_rounds: 4,
        folds: 2,
        ..Settings::default()
    };
    let parser = train(&settings, &bank("fr_sequoia-ud-train.conllu.gz", 600), None, &|_| ()).unwrap();
    let (mut words, mut tags, mut heads) = (0, 0, 0);
    let mut worker = parser.worker(&ParseSettings::default());
    for gold in bank("fr_sequoia-ud-dev.conllu.gz", 150).parses() {
        let parse = worker.parse(&gold.forms().collect::<Vec<_>>()).dependency().unwrap();
        for w in gold.words() {
            words += 1;
            tags += usize::from(
                parse.get(w, treeglot_tree::Field::Upos) == gold.get(w, treeglot_tree::Field::Upos),
            );
            heads += usize::from(parse.raw_head(w) == gold.raw_head(w));
        }
    }
    assert!(tags * 100 > words * 88, "UPOS {tags} of {words}");
    assert!(heads * 100 > words * 70, "UAS {heads} of {words}");
}
