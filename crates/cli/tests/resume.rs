//! Training that is killed at any moment and started again ends with the same bundle, byte for byte; only the day on its
//! card may differ.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const KILLS: u64 = 20;

const RECIPE: &str = r#"
source = "de"
target = "en"
[data]
train = { source = "train.de", target = "train.en", limit = 400 }
dev = { source = "small.de", target = "small.en" }
[tune]
rounds = 2
nbest = 20
[[system]]
model = "hiero"
"#;

fn treeglot() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_treeglot"));
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn train(folder: &Path, bundle: &str) -> Command {
    let mut command = treeglot();
    command.current_dir(folder).args(["train", "recipe.toml", "-o", bundle]);
    command
}

/// The files of a bundle; the card without its day.
fn contents(bundle: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(bundle).expect("the bundle is a folder");
    let read = |entry: std::io::Result<std::fs::DirEntry>| {
        let entry = entry.expect("the folder can be listed");
        let name = entry.file_name().into_string().expect("names are text");
        let mut bytes = std::fs::read(entry.path()).expect("files can be read");
        if name == "card.toml" {
            let text = String::from_utf8(bytes).expect("a card is text");
            let kept: Vec<&str> = text.lines().filter(|line| !line.starts_with("made = ")).collect();
            bytes = kept.join("\n").into_bytes();
        }
        (name, bytes)
    };
    entries.map(read).collect()
}

/// Numbers that look random, the same in each run.
fn random(seed: u64) -> u64 {
    let mut x = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^ (x >> 27)
}

#[test]
fn training_killed_at_twenty_moments_gives_the_same_bundle() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path();
    assert!(treeglot().args(["sample", "-o"]).arg(folder).status().unwrap().success());
    for language in ["de", "en"] {
        let text = std::fs::read_to_string(folder.join(format!("dev.{language}"))).unwrap();
        let first: String = text.lines().take(30).map(|line| format!("{line}\n")).collect();
        std::fs::write(folder.join(format!("small.{language}")), first).unwrap();
    }
    std::fs::write(folder.join("recipe.toml"), RECIPE).unwrap();
    let begin = Instant::now();
    assert!(train(folder, "whole").status().unwrap().success());
    let whole = begin.elapsed();
    let expected = contents(&folder.join("whole"));
    assert!(expected.len() >= 5, "manifest, table, language model, weights, card: {:?}", expected.keys());
    let mut killed = 0;
    for seed in 1.. {
        let delay = whole.mul_f64(random(seed) as f64 / u64::MAX as f64);
        let mut child = train(folder, "killed").spawn().unwrap();
        std::thread::sleep(delay.max(Duration::from_millis(1)));
        child.kill().unwrap();
        killed += u64::from(!child.wait().unwrap().success());
        if folder.join("killed/bundle.toml").exists() {
            assert_eq!(contents(&folder.join("killed")), expected, "after {killed} kills");
            std::fs::remove_dir_all(folder.join("killed")).unwrap();
        }
        if killed == KILLS {
            break;
        }
    }
    assert!(train(folder, "killed").status().unwrap().success());
    assert_eq!(contents(&folder.join("killed")), expected);
}
