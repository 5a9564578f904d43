//! Readers of the crate `text`.

use crate::{Failure, Outcome};
use std::path::Path;
use std::sync::LazyLock;
use treeglot_text::Lines;
use treeglot_text::detokenize::{self, Detokenizer};
use treeglot_text::subword::{Compounds, Subwords, join};
use treeglot_text::tokenize::Prefixes;
use treeglot_text::tokenize::{self, Tokenizer};
use treeglot_text::truecase::Truecaser;
use treeglot_text::vocab::{MappedVocab, Sym, Vocab};

static LANGUAGES: LazyLock<Vec<(Tokenizer, Detokenizer)>> = LazyLock::new(|| {
    let known = "the language is known";
    let both = |language| {
        let tokenizer = Tokenizer::new(language, tokenize::Options::default()).expect(known);
        (tokenizer, Detokenizer::new(language, detokenize::Options::default()).expect(known))
    };
    ["en", "de", "fr", "cs", "es", "zh", "ja"].map(both).into()
});

/// Cuts text into words and puts it together again, in any language.
pub fn tokenize(path: &Path) -> Outcome {
    let mut lines = Lines::open(path)?;
    while let Some(line) = lines.next_line()? {
        for (tokenizer, detokenizer) in LANGUAGES.iter() {
            let (mut tokens, mut back) = (String::new(), String::new());
            tokenizer.worker().tokenize(line, &mut tokens);
            detokenizer.worker().detokenize(&tokens, &mut back);
        }
    }
    Ok(())
}

pub fn truecase(path: &Path) -> Outcome {
    let model = Truecaser::open(path)?;
    let mut out = String::new();
    model.truecase("Das Haus : steht", &mut out);
    Ok(())
}

/// Cuts words with what was read, and puts the pieces together again.
pub fn subwords(path: &Path) -> Outcome {
    let subwords = Subwords::open(path)?;
    let (mut pieces, mut words) = (String::new(), String::new());
    subwords.worker().segment("uta utaxa ￭ a￭b ☃", &mut pieces);
    join(&pieces, &mut words);
    assert_eq!(words, "uta utaxa ￭ a￭b ☃");
    Ok(())
}

/// Takes words apart with what was read; no word gets lost.
pub fn compounds(path: &Path) -> Outcome {
    let compounds = Compounds::open(path)?;
    let (mut parts, mut count) = (String::new(), 0);
    compounds.worker().segment_with(
        "die Haustüren Sonnenuntergang ☃ İstanbulİstanbul",
        &mut parts,
        |one| {
            assert!(one > 0);
            count += one;
        },
    );
    assert_eq!(parts.split(' ').count(), count as usize);
    Ok(())
}

pub fn prefixes(path: &Path) -> Outcome {
    Prefixes::open(path)?;
    Ok(())
}

/// Looks words up both ways; numbers beyond the end are no words.
pub fn vocab(path: &Path) -> Outcome {
    let vocab = MappedVocab::open(path)?;
    for number in (0..vocab.len() as u32 + 2).chain([u32::MAX]) {
        let _ = vocab.word(Sym(number));
    }
    for word in ["a", "house", "", "missing"] {
        let _ = vocab.get(word);
    }
    vocab.verify()?;
    Ok(())
}

pub fn make_vocab(folder: &Path) -> Result<Vec<Vec<u8>>, Failure> {
    let path = folder.join("vocab");
    let mut vocab = Vocab::default();
    for word in ["a", "house", "", "grün", "[X]", "a longer word that is one"] {
        vocab.intern(word);
    }
    vocab.freeze(&path)?;
    Ok(vec![std::fs::read(path)?])
}
