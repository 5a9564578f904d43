//! Reading and checking recipes: a mistake is one line that names the place, the key and what would be right.

use super::{PairFiles, ParserSource, Recipe, System};
use crate::error::{Error, Result};
use crate::small;
use std::path::Path;
use treeglot_lm::Settings as LmSettings;
use treeglot_models::{Applies, registry};

impl Recipe {
    /// Reads a recipe; `${data}` in it stands for `data`, and paths are relative to the recipe's folder.
    pub fn open(path: &Path, data: Option<&Path>) -> Result<Self> {
        let text = small::read(path)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        Self::parse(&text, path, folder, data)
    }

    /// Reads a recipe from its text; `path` is for messages.
    pub fn parse(text: &str, path: &Path, folder: &Path, data: Option<&Path>) -> Result<Self> {
        let wrong = |why: String| Error::Recipe { path: path.to_path_buf(), why };
        let written = text;
        let text = expand(text, data).map_err(wrong)?;
        let mut recipe: Self =
            toml::from_str(&text).map_err(|error| wrong(crate::small::message(&text, &error)))?;
        recipe.text = written.to_string();
        recipe.resolve(folder);
        recipe.check().map_err(|mistake| wrong(mistake.message(&text)))?;
        Ok(recipe)
    }

    fn resolve(&mut self, folder: &Path) {
        // Output in lower case can only be compared with references in lower case.
        self.eval.lowercase |= self.preprocess.lowercase;
        let data = &mut self.data;
        let sets = std::iter::once(&mut data.train).chain(&mut data.dev).chain(&mut data.test);
        let files = sets.flat_map(PairFiles::files_mut).chain(&mut data.lm_target).chain(&mut data.lm_source);
        let files = files.chain(&mut self.class_lm.source).chain(&mut self.class_lm.target);
        for file in files {
            *file = folder.join(&*file);
        }
        let parsers = self.parse.iter_mut().flat_map(|(_, parsers)| parsers.iter_mut());
        for file in parsers.flat_map(ParserSource::files_mut) {
            *file = folder.join(&*file);
        }
        for (k, test) in self.data.test.iter_mut().enumerate().filter(|(_, test)| test.name.is_empty()) {
            test.name = format!("test{}", k + 1);
        }
        for study in self.coverage.iter_mut().filter(|study| study.name.is_empty()) {
            study.name = study.parsers.join(", ");
        }
        for system in &mut self.systems {
            if system.name.is_empty() {
                system.name =
                    if system.model.is_empty() { system.combine.join("+") } else { system.model.clone() };
            }
        }
    }

    /// Whether the systems of a recipe that was put together without a text can be trained.
    pub(crate) fn check_made(&self) -> Result<()> {
        self.check_systems().map_err(|mistake| Error::Invalid(mistake.why))
    }

    fn check(&self) -> std::result::Result<(), Mistake> {
        let mistake = |why: String| Mistake { system: None, why };
        self.align.check().map_err(|error| mistake(format!("[align] {error}")))?;
        self.lm.check().map_err(|error| mistake(format!("[lm] {error}")))?;
        if self.lm.interpolate && self.data.dev.is_none() {
            let why =
                "[lm] `interpolate` finds its weights on `[data.dev]`: give it, or leave `interpolate` out";
            return Err(mistake(why.into()));
        }
        let of_classes = LmSettings::of_order(self.class_lm.order).check();
        of_classes
            .and(self.class_lm.learning().check())
            .map_err(|error| mistake(format!("[class-lm] {error}")))?;
        let of_operations = LmSettings::of_order(self.operations.order).check();
        of_operations.map_err(|error| mistake(format!("[operations] {error}")))?;
        self.sparse.check().map_err(|error| mistake(error.to_string()))?;
        for (slot, parsers) in self.parse.iter() {
            for (name, parser) in parsers.iter() {
                let of = if name.is_empty() { String::new() } else { format!(".{name}") };
                parser
                    .check(slot.kind)
                    .map_err(|error| mistake(format!("[parse] {}{of}: {error}", slot.key())))?;
            }
        }
        for study in &self.coverage {
            let checked = study.settings.check();
            checked.map_err(|(setting, why)| mistake(format!("[[coverage]] `{setting}` {why}")))?;
        }
        let tunes = self.systems.iter().filter_map(|system| system.tune.as_ref()).chain([&self.tune]);
        for tune in tunes {
            tune.check().map_err(|e| mistake(e.to_string()))?;
            if tune.method.tunes() && self.data.dev.is_none() && !self.systems.is_empty() {
                let why = "tuning needs `[data.dev]`: give it, or say `method = \"none\"` under `[tune]`";
                return Err(mistake(why.into()));
            }
        }
        self.check_systems()
    }

    fn check_systems(&self) -> std::result::Result<(), Mistake> {
        let untunable = |system: &&System| system.sparse && !system.tuning(self).method.learns_sparse();
        if let Some(system) = self.systems.iter().find(untunable) {
            let (name, method) = (&system.name, system.tuning(self).method.name());
            let why = format!(
                "system `{name}` has sparse features, thousands of them: `{method}` is for some twenty, take `mira`"
            );
            return Err(Mistake { system: None, why });
        }
        for (number, system) in self.systems.iter().enumerate() {
            let mistake = |(key, why)| Mistake { system: Some((number, key)), why };
            system.check(&self.systems[..number]).map_err(mistake)?;
        }
        Ok(())
    }
}

impl System {
    /// What is wrong with it, and with which of its keys.
    fn check(&self, before: &[Self]) -> std::result::Result<(), (&'static str, String)> {
        let name = &self.name;
        if self.model.is_empty() == self.combine.is_empty() {
            return Err(("name", format!("system `{name}` needs either `model` or `combine`")));
        }
        let known = |name: &String| before.iter().any(|system| system.name == *name);
        if let Some(other) = self.combine.iter().find(|other| !known(other)) {
            return Err((
                "combine",
                format!("system `{name}` combines `{other}`, which is no system before it"),
            ));
        }
        if known(name) {
            return Err(("name", format!("two systems are called `{name}`: give one another `name`")));
        }
        self.score.check().map_err(|e| ("score", format!("system `{name}`: score: {e}")))?;
        let entry = registry::find(&self.model).ok();
        let model = entry.and_then(|entry| entry.from_value(serde_json::json!({})).ok());
        let applies = model.as_ref().map(|model| model.applies());
        if self.class_lm && self.tag_lm && model.as_ref().is_some_and(|model| model.scores_trees()) {
            let why = "a language model of trees stands beside two of text at most: leave `class-lm` or `tag-lm` out";
            return Err(("tag-lm", format!("system `{name}`: {why}")));
        }
        if self.operations && applies.is_some_and(|applies| applies != Applies::Phrases) {
            let why =
                "an operation sequence model goes through phrases from left to right, which charts do not";
            return Err(("operations", format!("system `{name}`: {why}: leave it out, or take `phrase`")));
        }
        for model in self.tables.iter().flatten() {
            registry::find(model).map_err(|e| ("tables", e.to_string()))?;
        }
        if self.model.is_empty() {
            let (tag_lm, lexical) = (("tag-lm", self.tag_lm), ("lexical", self.lexical));
            let without = [tag_lm, lexical, ("operations", self.operations), ("sparse", self.sparse)];
            return without.iter().find(|(_, wanted)| *wanted).map_or(Ok(()), |&(key, _)| {
                let why = "a combination scores translations by language models, classes and joint models";
                Err((key, format!("system `{name}`: {why}: leave `{key}` out")))
            });
        }
        let model = registry::find(&self.model).map_err(|e| ("model", e.to_string()))?;
        for set in self.extract.sets() {
            let options = serde_json::to_value(&set.options).map_err(|e| ("extract", e.to_string()))?;
            model.from_value(options).map_err(|e| ("extract", format!("system `{name}`: {e}")))?;
        }
        Ok(())
    }
}

/// What is wrong with a recipe that can be read.
struct Mistake {
    /// The system that it concerns, by number, and the key there.
    system: Option<(usize, &'static str)>,
    why: String,
}

impl Mistake {
    /// The mistake in one line, with its place in the recipe's text where it has one.
    fn message(self, text: &str) -> String {
        let place = self.system.and_then(|(system, key)| {
            let table = toml::de::DeTable::parse(text).ok()?.into_inner();
            let system = table.get("system")?.get_ref().get(system)?;
            let keys = system.get_ref().as_table()?.keys();
            let key = keys.into_iter().find(|known| known.get_ref() == key);
            Some(crate::small::line(text, key.map_or(system.span(), |key| key.span()).start))
        });
        place.map_or(self.why.clone(), |line| format!("line {line}: {}", self.why))
    }
}

/// `${data}` replaced; any other `${...}` is a mistake.
fn expand(text: &str, data: Option<&Path>) -> std::result::Result<String, String> {
    let mut out = String::with_capacity(text.len());
    for (k, line) in text.lines().enumerate() {
        let content = if line.trim_start().starts_with('#') { "" } else { line };
        let mut rest = line;
        while let Some(at) = rest.find("${").filter(|_| !content.is_empty()) {
            let end = rest[at..].find('}').map(|n| at + n);
            let name = end.map_or(&rest[at + 2..], |end| &rest[at + 2..end]);
            match (name, data, end) {
                ("data", Some(data), Some(end)) => {
                    out.push_str(&rest[..at]);
                    out.push_str(&data.to_string_lossy().replace('\\', "/"));
                    rest = &rest[end + 1..];
                }
                ("data", None, _) => {
                    return Err(format!(
                        "line {}: where is `${{data}}`? Say it with --data DIR or TREEGLOT_DATA",
                        k + 1
                    ));
                }
                _ => {
                    return Err(format!(
                        "line {}: unknown name `${{{name}}}`: there is only `${{data}}`",
                        k + 1
                    ));
                }
            }
        }
        out.push_str(rest);
        out.push('\n');
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = r#"
source = "de"
target = "en"
[data]
train = { source = "${data}/train.de", target = "${data}/train.en" }
dev = { source = "dev.de", target = "dev.en" }
test = [{ source = "test.de", target = "test.en" }]
[[system]]
model = "phrase"
[[system]]
model = "hiero"
extract = { max-span = 12 }
[[system]]
combine = ["phrase", "hiero"]
"#;

    fn parse(text: &str) -> Result<Recipe> {
        Recipe::parse(text, Path::new("r.toml"), Path::new("recipes"), Some(Path::new("/data")))
    }

    fn complaint(text: &str) -> String {
        parse(text).unwrap_err().to_string()
    }

    #[test]
    fn what_is_not_said_has_a_default() {
        let recipe = parse(SMALL).unwrap();
        assert_eq!(recipe.data.train.source, Path::new("/data/train.de"));
        assert_eq!(recipe.data.dev.as_ref().unwrap().source, Path::new("recipes/dev.de"));
        assert_eq!(recipe.data.test[0].name, "test1");
        assert_eq!(recipe.systems[2].name, "phrase+hiero");
        assert_eq!(recipe.lm.order, 5);
        assert_eq!(recipe.tune.method, treeglot_tune::Method::Mira);
    }

    #[test]
    fn output_in_lower_case_is_compared_without_case() {
        assert!(!parse(SMALL).unwrap().eval.lowercase);
        let lower = format!("preprocess = {{ lowercase = true, truecase = false }}{SMALL}");
        assert!(parse(&lower).unwrap().eval.lowercase);
    }

    #[test]
    fn a_misspelt_key_is_named_with_those_there_are() {
        let error = complaint(&SMALL.replace("target = \"en\"", "target = \"en\"\ntitel = \"x\""));
        assert!(
            error.starts_with("r.toml: line 4: ") && error.contains("titel") && error.contains("title"),
            "{error}"
        );
    }

    #[test]
    fn a_wrong_key_or_value_is_named_with_its_line_and_what_would_be_right() {
        for (section, key, wrong, right) in [
            ("align", "model = \"ibm5\"", "ibm5", "fertility"),
            ("align", "symmetrize = \"gdfa\"", "gdfa", "grow-diag-final-and"),
            ("align", "modle = \"hmm\"", "modle", "model"),
            ("align-trees", "skip = \"7\"", "`7`", "`2`"),
            ("align-trees", "spam1 = \"on\"", "spam1", "span1"),
            ("lm", "order = \"five\"", "five", "expected"),
            ("lm", "ordr = 5", "ordr", "order"),
            ("tune", "method = \"mart\"", "mart", "mira"),
            ("tune", "rounds = -1", "-1", "expected"),
            ("eval", "paired = \"boot\"", "boot", "bs"),
            ("eval", "metrics = \"bleu\"", "string \"bleu\"", "sequence"),
            ("preprocess", "tokenise = false", "tokenise", "tokenize"),
        ] {
            let error = complaint(&format!("{SMALL}[{section}]\n{key}\n"));
            let line = SMALL.lines().count() + 2;
            assert!(error.starts_with(&format!("r.toml: line {line}: ")), "{error}");
            assert!(error.contains(wrong) && error.contains(right) && !error.contains('\n'), "{error}");
        }
    }

    #[test]
    fn systems_are_told_apart() {
        let twice = SMALL.replace("model = \"hiero\"", "model = \"phrase\"");
        assert!(complaint(&twice).contains("line 10: two systems are called `phrase`"));
        let unknown = complaint(&SMALL.replace("[\"phrase\", ", "[\"phase\", "));
        assert!(unknown.contains("line 14: ") && unknown.contains("combines `phase`"), "{unknown}");
        let misspelt = complaint(&SMALL.replace("model = \"hiero\"", "model = \"hireo\""));
        assert!(misspelt.contains("line 11: ") && misspelt.contains("hireo"), "{misspelt}");
        assert!(misspelt.contains("consdep2str"), "{misspelt}");
        let neither = complaint(&SMALL.replace("combine = [\"phrase\", \"hiero\"]", "name = \"x\""));
        assert!(neither.contains("line 14: system `x` needs either `model` or `combine`"), "{neither}");
    }

    #[test]
    fn a_recipe_that_is_no_recipe_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("r.toml");
        let error = || Recipe::open(&path, None).unwrap_err().to_string();
        assert!(error().contains("r.toml"));
        std::fs::write(&path, "x".repeat(2 << 20)).unwrap();
        assert!(error().contains("more than 1 MB"));
        std::fs::write(&path, "source = de").unwrap();
        assert!(error().contains("r.toml: line 1: "));
    }

    #[test]
    fn an_option_that_a_model_does_not_have_is_named_before_any_work() {
        let error = complaint(&SMALL.replace("max-span", "max-spam"));
        assert!(error.contains("line 12: system `hiero`") && error.contains("max-spam"), "{error}");
        let tables = complaint(&SMALL.replace("extract = { max-span = 12 }", "tables = [\"hireo\"]"));
        assert!(tables.contains("line 12: ") && tables.contains("hireo"), "{tables}");
    }

    #[test]
    fn the_data_folder_must_be_known_where_it_is_used() {
        let error = Recipe::parse(SMALL, Path::new("r.toml"), Path::new(""), None).unwrap_err().to_string();
        assert!(error.contains("line 5") && error.contains("--data"), "{error}");
        assert!(complaint(&SMALL.replace("${data}", "${dta}")).contains("${dta}"));
    }

    #[test]
    fn tuning_needs_a_development_set() {
        let text = SMALL.replace("dev = { source = \"dev.de\", target = \"dev.en\" }\n", "");
        assert!(complaint(&text).contains("data.dev"));
        assert!(parse(&format!("{text}\n[tune]\nmethod = \"none\"\n")).is_ok());
    }
}
