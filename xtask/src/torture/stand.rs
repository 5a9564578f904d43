//! What is tortured: small data, every long command with the result of an undisturbed run, and a bundle of every model.

use super::process::{Launch, Run};
use super::rng::Rng;
use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

/// Pairs of the training, development and test sets.
const SIZES: [(&str, usize); 3] = [("train", 250), ("dev", 10), ("test", 6)];

/// All models, with the trees of the input that each needs.
const MODELS: [(&str, &[&str]); 8] = [
    ("phrase", &[]),
    ("hiero", &[]),
    ("constrained", &[]),
    ("cons2str", &["con"]),
    ("dep2str", &["dep"]),
    ("consdep2str", &["dep", "con"]),
    ("str2dep", &[]),
    ("mwu", &["dep"]),
];

/// A long command.
pub struct Job {
    pub name: &'static str,
    pub args: Vec<String>,
    /// What it writes, in its folder.
    outputs: &'static [&'static str],
    /// How long it takes undisturbed.
    pub seconds: f64,
    /// What it writes undisturbed, by file.
    expected: Digest,
}

/// Files by name, with a hash of what is in them.
pub type Digest = BTreeMap<String, u64>;

/// A trained system.
pub struct System {
    pub folder: PathBuf,
    /// The kinds of trees its input needs.
    pub trees: &'static [&'static str],
    /// What it makes of the test set.
    pub expected: Vec<u8>,
}

pub struct Stand {
    pub binary: PathBuf,
    pub folder: PathBuf,
    pub jobs: Vec<Job>,
    pub systems: Vec<System>,
}

impl Stand {
    /// Makes data, runs every command undisturbed, and trains every model.
    pub fn new(binary: PathBuf, folder: PathBuf) -> Result<Self, String> {
        let mut stand = Self { binary, folder, jobs: Vec::new(), systems: Vec::new() };
        stand.make_data().map_err(|e| format!("the data: {e}"))?;
        for (name, outputs, line) in JOBS {
            let data = stand.folder.to_string_lossy().into_owned();
            let args: Vec<String> = line.split(' ').map(|word| word.replace("DATA", &data)).collect();
            let dir = stand.folder.join("undisturbed").join(name);
            fs::create_dir_all(&dir).map_err(|e| e.to_string())?;
            let launch = Launch { args: args.clone(), ..Launch::new(&stand.binary, &dir, &[]) };
            let run = launch.run().map_err(|e| e.to_string())?;
            if !run.succeeded() {
                return Err(format!("{name} fails undisturbed: {}", run.stderr));
            }
            let expected = digest(&dir, outputs).map_err(|e| e.to_string())?;
            stand.jobs.push(Job { name, args, outputs, seconds: run.seconds, expected });
            println!("torture: {name} takes {:.2} s undisturbed", run.seconds);
        }
        let bundles = stand.folder.join("undisturbed/experiment/exp/bundles");
        for (model, trees) in MODELS {
            let folder = bundles.join(format!("{model}-de-en"));
            let run = stand.translate(&stand.folder, trees, &folder.to_string_lossy());
            let expected = run.and_then(|run| fs::read(&run.stdout)).map_err(|e| e.to_string())?;
            if expected.is_empty() {
                return Err(format!("{model} does not translate"));
            }
            stand.systems.push(System { folder, trees, expected });
        }
        Ok(stand)
    }

    /// Translates the test set with a bundle that needs such trees.
    pub fn translate(&self, dir: &Path, trees: &[&str], bundle: &str) -> io::Result<Run> {
        let file = |ending: &str| self.folder.join(format!("test.de{ending}")).to_string_lossy().into_owned();
        let mut args: Vec<String> = ["translate", "-m", bundle, "--nbest", "3"].map(String::from).into();
        args.extend(trees.iter().flat_map(|kind| match *kind {
            "dep" => ["--src-dep".to_string(), file(".conllu")],
            _ => ["--src-con".to_string(), file(".ptb")],
        }));
        args.push(file(""));
        Launch { args, ..Launch::new(&self.binary, dir, &[]) }.run()
    }

    fn make_data(&self) -> io::Result<()> {
        let sample = self.folder.join("sample");
        fs::create_dir_all(&self.folder)?;
        let run = Launch::new(&self.binary, &self.folder, &["sample", "-o", "sample"]).run()?;
        if !run.succeeded() {
            return Err(io::Error::other(run.stderr));
        }
        for (set, size) in SIZES {
            for language in ["de", "en"] {
                for (ending, separator) in [("", "\n"), (".ptb", "\n"), (".conllu", "\n\n")] {
                    let name = format!("{set}.{language}{ending}");
                    let text = fs::read_to_string(sample.join(&name))?;
                    let kept: Vec<&str> = text.split_inclusive(separator).take(size).collect();
                    fs::write(self.folder.join(name), kept.concat())?;
                }
            }
        }
        let systems: String =
            MODELS.iter().map(|(model, _)| format!("[[system]]\nmodel = \"{model}\"\n")).collect();
        fs::write(self.folder.join("recipe.toml"), format!("{RECIPE}{systems}"))
    }

    /// A folder that is not there yet.
    pub fn fresh(&self, case: u64) -> io::Result<PathBuf> {
        let dir = self.folder.join(format!("case-{case}"));
        if dir.exists() {
            fs::remove_dir_all(&dir)?;
        }
        fs::create_dir_all(&dir)?;
        Ok(dir)
    }

    pub fn job(&self, random: &mut Rng) -> &Job {
        random.choose(&self.jobs)
    }
}

impl Job {
    /// Compares what is in a folder with what an undisturbed run leaves.
    pub fn same(&self, dir: &Path) -> Result<(), String> {
        let found = digest(dir, self.outputs).map_err(|e| e.to_string())?;
        let differs = |name: &&String| found.get(*name) != self.expected.get(*name);
        match found.keys().chain(self.expected.keys()).find(differs) {
            None => Ok(()),
            Some(name) => Err(format!("{name} is not what an undisturbed run writes")),
        }
    }
}

/// Every long command: its name, what it writes, and its arguments; DATA is the folder with the data.
const JOBS: [(&str, &[&str], &str); 7] = [
    (
        "align",
        &["links", "lex.f2e", "lex.e2f", "priors"],
        "align DATA/train.de DATA/train.en --lex lex --priors priors -o links",
    ),
    ("lm", &["lm", "arpa"], "lm build --order 5 --discount-fallback --binary lm -o arpa DATA/train.en"),
    (
        "extract",
        &["instances"],
        "extract hiero --src DATA/train.de --tgt DATA/train.en --links DATA/undisturbed/align/links -o instances",
    ),
    ("score", &["table"], "score --from DATA/undisturbed/extract/instances -o table"),
    (
        "train",
        &["bundle"],
        "train --src DATA/train.de --tgt DATA/train.en --dev-src DATA/dev.de --dev-tgt DATA/dev.en --model hiero -o bundle",
    ),
    ("experiment", &["exp/bundles"], "experiment DATA/recipe.toml -o exp"),
    (
        "tune",
        &["weights"],
        "tune -m DATA/undisturbed/train/bundle --dev-src DATA/dev.de --dev-ref DATA/dev.en --rounds 3 --nbest 20 --resume rounds -o weights",
    ),
];

const RECIPE: &str = r#"
source = "de"
target = "en"
[data.train]
source = "train.de"
target = "train.en"
source-dep = "train.de.conllu"
source-con = "train.de.ptb"
target-dep = "train.en.conllu"
[data.dev]
source = "dev.de"
target = "dev.en"
source-dep = "dev.de.conllu"
source-con = "dev.de.ptb"
[[data.test]]
source = "test.de"
target = "test.en"
source-dep = "test.de.conllu"
source-con = "test.de.ptb"
[preprocess]
tokenize = false
truecase = false
[tune]
rounds = 1
nbest = 10
"#;

/// The files among `outputs`, folders with all that is in them. Cards tell the day, and are left out.
fn digest(dir: &Path, outputs: &[&str]) -> io::Result<Digest> {
    let mut all = Digest::new();
    let mut open: Vec<PathBuf> = outputs.iter().map(|name| dir.join(name)).collect();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            for entry in fs::read_dir(&path)? {
                open.push(entry?.path());
            }
        } else if path.exists() && path.file_name().is_some_and(|name| name != "card.toml") {
            let mut hash = DefaultHasher::new();
            fs::read(&path)?.hash(&mut hash);
            let name = path.strip_prefix(dir).unwrap_or(&path).to_string_lossy().into_owned();
            all.insert(name, hash.finish());
        }
    }
    Ok(all)
}

/// Names of temporary files that are still in a folder.
pub fn leftovers(dir: &Path) -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    let mut open = vec![dir.to_path_buf()];
    while let Some(path) = open.pop() {
        for entry in fs::read_dir(&path)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let temporary = [".unfinished-", ".treeglot-", ".tmp", ".unpacked-"];
            if temporary.iter().any(|begin| name.starts_with(begin)) || name.ends_with(".new") {
                found.push(name);
            } else if entry.file_type()?.is_dir() {
                open.push(entry.path());
            }
        }
    }
    Ok(found)
}
