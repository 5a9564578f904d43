//! What somebody at a terminal sees. `script`, which every Linux has, is the terminal.

use crate::tool::{ok, with_sample};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// The small sample with a bundle of raw text.
fn raw_bundle() -> TempDir {
    let folder = with_sample();
    let texts = ["--src", "train.raw.de", "--tgt", "train.raw.en"];
    let args = ["train", "-q", "--quick", "--model", "phrase", "--tune", "none", "-o", "bundle"];
    ok(folder.path(), &[&args[..], &texts[..]].concat());
    folder
}

/// Starts a command line of the binary on a terminal of its own.
fn at_terminal(folder: &Path, line: &str) -> Child {
    let line = format!("{} {line}", env!("CARGO_BIN_EXE_treeglot"));
    let mut command = Command::new("script");
    command.current_dir(folder).args(["-q", "-e", "-c", &line, "/dev/null"]).env("TERM", "xterm");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    command.spawn().expect("there is `script`, of util-linux")
}

/// Waits for the end of a command that must not wait for more input; what was on the terminal, and the exit code.
fn ended(mut child: Child) -> (String, Option<i32>) {
    let mut screen = child.stdout.take().expect("it is piped");
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut seen = Vec::new();
        let read = screen.read_to_end(&mut seen).map(|_| String::from_utf8_lossy(&seen).into_owned());
        send.send(read)
    });
    let Ok(seen) = receive.recv_timeout(Duration::from_secs(120)) else {
        child.kill().expect("it is still there");
        panic!("it waits for more input");
    };
    (seen.expect("the program says something"), child.wait().expect("it ends").code())
}

#[test]
fn typed_sentences_are_asked_for_and_one_sign_of_the_end_ends() {
    let folder = raw_bundle();
    let mut child = at_terminal(folder.path(), "translate -m bundle --explain");
    // The pipe stays open: only the sign of the end (Ctrl-D) can end the command.
    let mut keyboard = child.stdin.take().expect("it is piped");
    keyboard.write_all("Die Frau sieht das Haus.\n\u{4}".as_bytes()).unwrap();
    let (seen, code) = ended(child);
    drop(keyboard);
    assert_eq!(code, Some(0), "{seen}");
    assert!(seen.contains("type a sentence of German and press Enter; Ctrl-D ends"), "{seen}");
    assert_eq!(seen.matches("> ").count(), 2, "one before the sentence, one after its translation: {seen}");
    let explained = seen.lines().any(|line| line.contains("<- Die") || line.contains("<- die"));
    assert!(explained && seen.contains("(rule "), "{seen}");
}

#[test]
fn one_sign_of_the_end_ends_other_commands_too() {
    let folder = tempfile::tempdir().unwrap();
    for line in ["tokenize --lang de", "truecase --undo --lang de", "tree stats --from conllu"] {
        let mut child = at_terminal(folder.path(), line);
        let mut keyboard = child.stdin.take().expect("it is piped");
        keyboard.write_all("\u{4}".as_bytes()).unwrap();
        ended(child);
        drop(keyboard);
    }
}

#[test]
fn the_progress_of_a_file_is_shown_on_a_terminal() {
    let folder = raw_bundle();
    let (seen, code) = ended(at_terminal(folder.path(), "translate -m bundle train.raw.de -o out"));
    assert_eq!(code, Some(0), "{seen}");
    assert!(seen.contains(" of 400 lines"), "{seen}");
    ok(folder.path(), &["align", "-q", "test.de", "test.en", "-o", "links"]);
    let pairs = "--src test.de --tgt test.en --links links --src-dep test.de.conllu --m 2 --k 1";
    let (seen, code) = ended(at_terminal(folder.path(), &format!("coverage --model mwu {pairs} -o out")));
    assert_eq!(code, Some(0), "{seen}");
    assert!(seen.contains(" of 20 pairs"), "{seen}");
}

#[test]
fn stages_are_numbered_and_the_whole_run_has_a_line() {
    let folder = with_sample();
    let texts = "--src train.raw.de --tgt train.raw.en";
    let line = format!("train --quick --model phrase --tune none {texts} -o trained");
    let (seen, code) = ended(at_terminal(folder.path(), &line));
    assert_eq!(code, Some(0), "{seen}");
    assert!(seen.contains("stage 3 of ") && seen.contains(" so far"), "{seen}");
    let numbered = seen.lines().filter(|line| line.contains(" peak ")).count();
    assert!(numbered > 5 && seen.contains(&format!("{numbered}/{numbered} ")), "{seen}");
}
