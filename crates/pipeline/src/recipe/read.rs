//! Reading and checking recipes: a mistake is one line that names the place, the key and what would be right.

use super::{PairFiles, Recipe};
use crate::error::{Error, Result};
use std::path::Path;
use treeglot_models::registry;

impl Recipe {
    /// Reads a recipe; `${data}` in it stands for `data`, and paths are relative to the recipe's folder.
    pub fn open(path: &Path, data: Option<&Path>) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(Error::reading(path))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        Self::parse(&text, path, folder, data)
    }

    /// Reads a recipe from its text; `path` is for messages.
    pub fn parse(text: &str, path: &Path, folder: &Path, data: Option<&Path>) -> Result<Self> {
        let wrong = |why: String| Error::Recipe { path: path.to_path_buf(), why };
        let text = expand(text, data).map_err(wrong)?;
        let mut recipe: Self = toml::from_str(&text).map_err(|error| wrong(message(&text, &error)))?;
        recipe.resolve(folder);
        recipe.check().map_err(wrong)?;
        Ok(recipe)
    }

    fn resolve(&mut self, folder: &Path) {
        let data = &mut self.data;
        let sets = std::iter::once(&mut data.train).chain(&mut data.dev).chain(&mut data.test);
        let files = sets.flat_map(PairFiles::files_mut).chain(&mut data.lm_target).chain(&mut data.lm_source);
        for file in files {
            *file = folder.join(&*file);
        }
        for (k, test) in self.data.test.iter_mut().enumerate().filter(|(_, test)| test.name.is_empty()) {
            test.name = format!("test{}", k + 1);
        }
        for system in &mut self.systems {
            if system.name.is_empty() {
                system.name =
                    if system.model.is_empty() { system.combine.join("+") } else { system.model.clone() };
            }
        }
    }

    fn check(&self) -> std::result::Result<(), String> {
        self.align.check().map_err(|error| format!("[align] {error}"))?;
        self.lm.check().map_err(|error| format!("[lm] {error}"))?;
        let tunes = self.systems.iter().filter_map(|system| system.tune.as_ref()).chain([&self.tune]);
        for tune in tunes {
            tune.check().map_err(|e| e.to_string())?;
            if tune.method.tunes() && self.data.dev.is_none() {
                return Err(
                    "tuning needs `[data.dev]`: give it, or say `method = \"none\"` under `[tune]`".into()
                );
            }
        }
        let mut names: Vec<&str> = Vec::new();
        for system in &self.systems {
            system.score.check().map_err(|error| format!("system `{}`: score: {error}", system.name))?;
            if system.model.is_empty() == system.combine.is_empty() {
                return Err(format!("system `{}` needs either `model` or `combine`", system.name));
            }
            if !system.model.is_empty() {
                registry::find(&system.model).map_err(|e| e.to_string())?;
            }
            if let Some(other) = system.combine.iter().find(|other| !names.contains(&other.as_str())) {
                return Err(format!(
                    "system `{}` combines `{other}`, which is no system before it",
                    system.name
                ));
            }
            if names.contains(&system.name.as_str()) {
                return Err(format!("two systems are called `{}`: give one another `name`", system.name));
            }
            names.push(&system.name);
        }
        Ok(())
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

/// A TOML error in one line.
fn message(text: &str, error: &toml::de::Error) -> String {
    let line = error.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
    let what = error.message().lines().collect::<Vec<_>>().join("; ");
    line.map_or(what.clone(), |line| format!("line {line}: {what}"))
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
    fn a_misspelt_key_is_named_with_those_there_are() {
        let error = complaint(&SMALL.replace("target = \"en\"", "target = \"en\"\ntitel = \"x\""));
        assert!(
            error.starts_with("r.toml: line 4: ") && error.contains("titel") && error.contains("title"),
            "{error}"
        );
    }

    #[test]
    fn a_wrong_value_is_named_with_those_allowed() {
        let error = complaint(&format!("{SMALL}\n[align]\nmodel = \"ibm5\"\n"));
        assert!(error.contains("ibm5") && error.contains("fertility"), "{error}");
    }

    #[test]
    fn systems_are_told_apart() {
        let twice = SMALL.replace("model = \"hiero\"", "model = \"phrase\"");
        assert!(complaint(&twice).contains("two systems are called `phrase`"));
        assert!(complaint(&SMALL.replace("[\"phrase\", ", "[\"phase\", ")).contains("combines `phase`"));
        let misspelt = complaint(&SMALL.replace("model = \"hiero\"", "model = \"hireo\""));
        assert!(misspelt.contains("hireo") && misspelt.contains("consdep2str"), "{misspelt}");
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
