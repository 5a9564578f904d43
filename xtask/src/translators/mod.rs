//! `cargo xtask translators`: the figures of docs/results.md, "In the hands of translators", made anew with a binary: a bundle of phrases is
//! trained on Multi30k, raw text, and each claim is tried on its test set. What is random is drawn from a fixed seed.

mod learning;
mod memory;
mod tags;
mod terms;
mod trust;

use std::path::{Path, PathBuf};
use std::process::Command;

const USAGE: &str = "usage: cargo xtask translators [BINARY [NAME...]], of: terms tags learning memory trust";

/// One row of the table, or several, by its name.
type Part = fn(&Desk) -> Result<Vec<Row>, String>;

const PARTS: [(&str, Part); 5] = [
    ("terms", terms::rows),
    ("tags", tags::rows),
    ("learning", learning::rows),
    ("memory", memory::rows),
    ("trust", trust::rows),
];

/// What was done, how, and what came of it.
struct Row {
    what: &'static str,
    how: String,
    result: String,
}

/// A binary, the data, and a folder to work in.
struct Desk {
    binary: PathBuf,
    data: PathBuf,
    folder: PathBuf,
}

impl Desk {
    /// What the binary prints on standard output, if it succeeds.
    fn ask(&self, args: &[&str]) -> Result<String, String> {
        let ran = Command::new(&self.binary).args(args).current_dir(&self.folder).output();
        let ran = ran.map_err(|e| format!("{}: {e}", self.binary.display()))?;
        if !ran.status.success() {
            return Err(format!("{}: {}", args.join(" "), String::from_utf8_lossy(&ran.stderr).trim()));
        }
        String::from_utf8(ran.stdout).map_err(|e| e.to_string())
    }

    /// The lines it prints.
    fn lines(&self, args: &[&str]) -> Result<Vec<String>, String> {
        Ok(self.ask(args)?.lines().map(str::to_string).collect())
    }

    fn write(&self, name: &str, lines: &[impl AsRef<str>]) -> Result<(), String> {
        let text: String = lines.iter().map(|line| format!("{}\n", line.as_ref())).collect();
        std::fs::write(self.folder.join(name), text).map_err(|e| format!("{name}: {e}"))
    }

    fn read(&self, name: &str) -> Result<Vec<String>, String> {
        let text = std::fs::read_to_string(self.folder.join(name)).map_err(|e| format!("{name}: {e}"))?;
        Ok(text.lines().map(str::to_string).collect())
    }

    /// A file of the data.
    fn data(&self, name: &str) -> String {
        self.data.join(name).display().to_string()
    }

    /// The tokens of lines.
    fn tokens(&self, language: &str, lines: &[impl AsRef<str>]) -> Result<Vec<Vec<String>>, String> {
        self.write("to-cut", lines)?;
        let cut = self.lines(&["tokenize", "-q", "--lang", language, "to-cut"])?;
        Ok(cut
            .iter()
            .map(|line| line.split(' ').filter(|w| !w.is_empty()).map(str::to_string).collect())
            .collect())
    }

    /// BLEU and chrF of translations of the test set.
    fn scores(&self, output: &str, reference: &str) -> Result<[f64; 2], String> {
        let told = self.ask(&["eval", "--metrics", "bleu,chrf", "--json", "--ref", reference, output])?;
        let told: serde_json::Value = serde_json::from_str(told.trim()).map_err(|e| e.to_string())?;
        Ok(["bleu", "chrf"].map(|name| told[name].as_f64().unwrap_or(f64::NAN)))
    }

    /// Trains the bundle `m` and translates the test set; copies of its texts are `test.de`, `test.en`, `dev.de`, `dev.en`, `train.de`
    /// and `train.en`.
    fn prepare(&self) -> Result<Row, String> {
        for (name, file) in [("train", "train"), ("dev", "val"), ("test", "test_2016_flickr")] {
            for language in ["de", "en"] {
                let from = self.data(&format!("multi30k/raw/{file}.{language}"));
                let to = self.folder.join(format!("{name}.{language}"));
                std::fs::copy(&from, to).map_err(|e| format!("{from}: {e}"))?;
            }
        }
        let texts = ["--src", "train.de", "--tgt", "train.en", "--dev-src", "dev.de", "--dev-tgt", "dev.en"];
        self.ask(&[&["train", "-q", "--model", "phrase", "--tune", "none", "-o", "m"], &texts[..]].concat())?;
        self.ask(&["translate", "-q", "-m", "m", "test.de", "-o", "plain"])?;
        let [bleu, chrf] = self.scores("plain", "test.en")?;
        let how = "`train --model phrase --tune none` on Multi30k, raw text; test 2016".to_string();
        Ok(Row { what: "the bundle", how, result: format!("BLEU {bleu:.2}, chrF {chrf:.2}") })
    }
}

/// Random numbers that are the same everywhere (splitmix64).
struct Drawn(u64);

impl Drawn {
    /// A number below another.
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % limit.max(1) as u64) as usize
    }
}

/// Prints the table; whether all could be done.
pub fn run(args: &[String]) -> bool {
    let wanted = args.get(1..).unwrap_or_default();
    if wanted.iter().any(|name| PARTS.iter().all(|(known, _)| known != name)) {
        eprintln!("{USAGE}");
        return false;
    }
    let Some(data) = std::env::var_os("TREEGLOT_DATA").map(PathBuf::from) else {
        eprintln!("translators: TREEGLOT_DATA must name the folder of the data");
        return false;
    };
    let binary = args.first().map_or_else(crate::release_binary, PathBuf::from);
    let binary = std::path::absolute(&binary).unwrap_or(binary);
    let folder = std::env::temp_dir().join(format!("treeglot-translators-{}", std::process::id()));
    let done = table(&Desk { binary, data, folder: folder.clone() }, &folder, wanted);
    let _ = std::fs::remove_dir_all(&folder);
    done.inspect_err(|why| eprintln!("translators: {why}")).is_ok()
}

fn table(desk: &Desk, folder: &Path, wanted: &[String]) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|e| e.to_string())?;
    println!("| what | how | result |\n|---|---|---|");
    let print = |Row { what, how, result }: Row| println!("| {what} | {how} | {result} |");
    print(desk.prepare()?);
    for (name, part) in PARTS {
        if wanted.is_empty() || wanted.iter().any(|one| one == name) {
            part(desk)?.into_iter().for_each(print);
        }
    }
    Ok(())
}
