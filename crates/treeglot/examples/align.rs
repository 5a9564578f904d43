//! Links the words of the embedded sample and compares the links with the gold ones.

use treeglot::align::{Corpus, Model, Settings};
use treeglot::sample::Sample;

/// Runs the example.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let pairs = &Sample::embedded().train[..2000];
    let texts: Vec<(String, String)> =
        pairs.iter().map(|pair| (pair.source.tokens(), pair.target.tokens())).collect();
    let corpus = Corpus::from_pairs(texts.iter().map(|(source, target)| (source.as_str(), target.as_str())))?;
    let settings = Settings::default();
    let model = Model::train(&corpus, &settings, |step| println!("{step}"))?;
    let (mut found, mut right) = (0, 0);
    model.align(&corpus, settings.symmetrize, settings.order, |sentence, aligned| {
        found += aligned.links.len();
        let gold = &pairs[sentence].links;
        right += aligned.links.iter().filter(|link| gold.contains(&(link.src, link.tgt))).count();
        Ok::<(), treeglot::align::Error>(())
    })?;
    println!("{right} of {found} links are gold links");
    assert!(right * 10 > found * 8);
    Ok(())
}
