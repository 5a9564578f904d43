//! Trains a system of the embedded sample from a recipe and writes its bundle.

use treeglot::{Cache, Progress, Recipe, Resources, Translator, sample, train};

const RECIPE: &str = r#"
source = "de"
target = "en"
preprocess = { tokenize = false, truecase = false }
tune = { rounds = 2 }
[data]
train = { source = "train.de", target = "train.en", source-dep = "train.de.conllu", limit = 500 }
dev = { source = "dev.de", target = "dev.en", source-dep = "dev.de.conllu" }
[[system]]
model = "phrase"
"#;

/// Runs the example.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    sample::write_to(sample::Sample::embedded(), folder.path())?;
    let recipe = Recipe::parse(RECIPE, "recipe.toml".as_ref(), folder.path(), None)?;
    let (cache, bundle) = (Cache::open(folder.path().join("cache"))?, folder.path().join("de-en"));
    train(&recipe, None, &cache, Resources::default(), &Progress::quiet(), &bundle)?;
    let translator = Translator::open([&bundle])?;
    println!("das Haus: {}", translator.translate("das Haus")?);
    assert_eq!(translator.translate("das Haus")?.to_lowercase(), "the house");
    Ok(())
}
