//! Training that is ended after any stage and started again gives the same bundle, byte for byte; only the day on its card may
//! differ.

use crate::tool::{files, names_below, ok, recipe, treeglot, with_sample};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// The files of a bundle; the card without its day.
fn contents(bundle: &Path) -> BTreeMap<String, Vec<u8>> {
    let read = |path: std::path::PathBuf| {
        let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
        let mut bytes = std::fs::read(&path).expect("files can be read");
        if name == "card.toml" {
            let text = String::from_utf8(bytes).expect("a card is text");
            let kept: Vec<&str> = text.lines().filter(|line| !line.starts_with("made = ")).collect();
            bytes = kept.join("\n").into_bytes();
        }
        (name, bytes)
    };
    files(bundle).into_iter().map(read).collect()
}

/// Starts training and waits until so many stages are done; whether it is still at work then.
fn train_until(folder: &Path, stages: usize) -> Option<(Child, BufReader<std::process::ChildStderr>)> {
    let mut command = treeglot(folder, &["train", "recipe.toml", "-o", "ended"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the binary starts");
    let mut lines = BufReader::new(child.stderr.take().expect("standard error is a pipe"));
    for _ in 0..stages {
        let mut line = String::new();
        if lines.read_line(&mut line).expect("a line of text") == 0 {
            child.wait().expect("it ended");
            return None;
        }
    }
    Some((child, lines))
}

/// A run that is killed between its last two steps has made the bundle: the same command ends well, and leaves the bundle alone.
#[test]
fn a_bundle_whose_run_could_not_tidy_up_is_finished() {
    let folder = with_sample();
    std::fs::write(folder.path().join("recipe.toml"), recipe("phrase", 1))
        .expect("the folder can be written");
    ok(folder.path(), &["train", "recipe.toml", "-q", "-o", "bundle"]);
    let made = contents(&folder.path().join("bundle"));
    std::fs::create_dir(folder.path().join("bundle.work")).expect("the folder can be written");
    ok(folder.path(), &["train", "recipe.toml", "-q", "-o", "bundle"]);
    assert_eq!(contents(&folder.path().join("bundle")), made);
    assert!(!folder.path().join("bundle.work").exists());
    let again = treeglot(folder.path(), &["train", "recipe.toml", "-q", "-o", "bundle"]).output();
    assert!(!again.expect("the binary starts").status.success(), "there is a bundle already");
}

#[test]
fn training_killed_after_any_stage_gives_the_same_bundle() {
    let folder = with_sample();
    let folder = folder.path();
    std::fs::write(folder.join("recipe.toml"), recipe("hiero", 2)).unwrap();
    ok(folder, &["train", "recipe.toml", "-q", "-o", "whole"]);
    let expected = contents(&folder.join("whole"));
    assert!(expected.len() >= 5, "manifest, table, language model, weights, card: {:?}", expected.keys());
    let mut killed = 0;
    for stages in 0.. {
        let Some((mut child, _)) = train_until(folder, stages) else { break };
        child.kill().unwrap();
        killed += u64::from(!child.wait().unwrap().success());
        if folder.join("ended/bundle.toml").exists() {
            break;
        }
    }
    assert!(killed >= 5, "there are several stages to be killed in: {killed}");
    if !folder.join("ended/bundle.toml").exists() {
        ok(folder, &["train", "recipe.toml", "-q", "-o", "ended"]);
    }
    assert_eq!(contents(&folder.join("ended")), expected);
}

#[cfg(unix)]
#[test]
fn an_interrupted_training_leaves_no_temporary_files_and_says_how_to_go_on() {
    let folder = with_sample();
    let folder = folder.path();
    std::fs::write(folder.join("recipe.toml"), recipe("hiero", 2)).unwrap();
    for (signal, code) in [("-INT", 130), ("-TERM", 143)] {
        let (mut child, mut lines) = train_until(folder, 1).expect("training has several stages");
        let told = Command::new("kill").arg(signal).arg(child.id().to_string()).status();
        assert!(told.unwrap().success());
        let mut told = String::new();
        lines.read_to_string(&mut told).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(code), "{told}");
        let end =
            "what is done is kept in ended.work; run the same command again, and it goes on from there\n";
        assert!(told.ends_with(end) && told.contains("treeglot: interrupted: "), "{told}");
        let unfinished = |name: &String| name.starts_with(".unfinished-") || name.starts_with(".treeglot-");
        assert!(!names_below(folder).iter().any(unfinished), "{:?}", names_below(folder));
    }
}
