//! Readers of the crate `joint`.

use crate::{Failure, Outcome};
use std::path::Path;
use treeglot_joint::{BEGIN, END, JointModel, JointSettings, NOTHING, Predicts, Sentence, train};

/// Looks words up in a damaged model.
pub fn model(path: &Path) -> Outcome {
    let model = JointModel::open(path)?;
    let mut sentence = Sentence::default();
    for line in ["ein Mann sieht das Haus", "", "unbekannte Wörter"] {
        model.sentence(line.split_ascii_whitespace(), &mut sentence);
        for word in [model.word("house"), model.word("missing"), END, u16::MAX] {
            let score = model.score(&sentence, 2, [word, BEGIN, NOTHING], word);
            assert!(score.is_finite(), "scores are numbers");
        }
    }
    Ok(())
}

pub fn make_models(folder: &Path) -> Result<Vec<Vec<u8>>, Failure> {
    let texts = [
        ("source", "ein Mann sieht das Haus\ndas Haus\n"),
        ("target", "a man sees the house\nthe house\n"),
        ("links", "0-0 1-1 2-2 3-3 4-4\n0-0 1-1\n"),
    ];
    let paths = texts.map(|(name, _)| folder.join(name));
    for (path, (_, text)) in paths.iter().zip(texts) {
        std::fs::write(path, text.repeat(3))?;
    }
    let to = folder.join("joint");
    let settings = JointSettings { embedding: 3, hidden: 5, epochs: 1, ..JointSettings::default() };
    train([&paths[0], &paths[1], &paths[2]], Predicts::Words, &settings, &to, |_| {})?;
    Ok(vec![std::fs::read(to)?])
}
