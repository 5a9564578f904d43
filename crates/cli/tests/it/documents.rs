//! The examples of the documents work as they are printed, line by line.
//!
//! Every block marked `sh` is run, in order, by a shell in one folder a document. Where a line writes the sample out, the sample is
//! cut to its first pairs, so that the examples take seconds. A comment before a block says what else is to be known of it:
//! `<!-- not run: WHY -->`, or `<!-- file: NAME -->` for the contents of a file that later blocks use (`<!-- more of: NAME -->` adds
//! to it).

use crate::tool::cut_sample;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What to do with a block.
#[derive(Debug, PartialEq)]
enum Block {
    Run { line: usize, commands: String },
    File { name: String, text: String, more: bool },
    NotRun { why: String },
}

/// The blocks of a document that mean something here.
fn blocks(text: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut note: Option<String> = None;
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let comment = line.trim().strip_prefix("<!--").and_then(|rest| rest.strip_suffix("-->"));
        if let Some(comment) = comment {
            note = Some(comment.trim().to_string());
            continue;
        }
        let Some(language) = line.strip_prefix("```") else {
            if !line.trim().is_empty() {
                note = None;
            }
            continue;
        };
        let body: Vec<&str> =
            lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```").collect();
        let body = body.join("\n") + "\n";
        let of = |what: &str| {
            note.as_deref().and_then(|note| note.strip_prefix(what)).map(|rest| rest.trim().to_string())
        };
        if let Some(why) = of("not run:") {
            found.push(Block::NotRun { why });
        } else if let Some(name) = of("file:") {
            found.push(Block::File { name, text: body, more: false });
        } else if let Some(name) = of("more of:") {
            found.push(Block::File { name, text: body, more: true });
        } else if language == "sh" {
            found.push(Block::Run { line: number + 1, commands: body });
        }
        note = None;
    }
    found
}

/// The commands of a block: lines, those that end with a backslash joined with the next.
fn commands(block: &str) -> Vec<String> {
    let joined = block.replace("\\\n", " ");
    joined
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(str::to_string)
        .collect()
}

/// The search path with our binary before all others.
fn search_path() -> std::ffi::OsString {
    let binary = Path::new(env!("CARGO_BIN_EXE_treeglot"));
    let folder = binary.parent().expect("a binary lies in a folder").to_path_buf();
    let others = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths([folder].into_iter().chain(std::env::split_paths(&others))).expect("a search path")
}

fn run_document(name: &str) {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = fs::read_to_string(project.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let path = search_path();
    let (mut ran, mut left_out) = (0, 0);
    for block in blocks(&text) {
        match block {
            Block::NotRun { why } => {
                assert!(!why.is_empty(), "{name}: why is a block not run?");
                left_out += 1;
            }
            Block::File { name, text, more } => {
                let mut file = fs::File::options()
                    .create(true)
                    .append(more)
                    .truncate(!more)
                    .write(true)
                    .open(at.join(name));
                file.as_mut().unwrap().write_all(text.as_bytes()).unwrap();
            }
            Block::Run { line, commands: block } => {
                for command in commands(&block) {
                    let mut shell = Command::new("sh");
                    shell.current_dir(at).env("PATH", &path).args(["-e", "-c", &command]);
                    let output = shell.output().expect("there is a shell");
                    let said = String::from_utf8_lossy(&output.stderr).into_owned();
                    assert!(output.status.success(), "{name}, block at line {line}: {command}\n{said}");
                    sample_written(&command).iter().for_each(|folder| cut_sample(&at.join(folder)));
                    ran += 1;
                }
            }
        }
    }
    println!("{name}: {ran} commands ran, {left_out} blocks were left out");
    assert!(ran > 0 && left_out <= 2, "{name}: {ran} commands ran, {left_out} blocks were left out");
}

/// The folder that a command writes the sample to.
fn sample_written(command: &str) -> Option<PathBuf> {
    let (_, rest) = command.split_once("treeglot sample -o ")?;
    rest.split_whitespace().next().map(PathBuf::from)
}

#[test]
fn examples_of_the_readme_work_as_printed() {
    run_document("README.md");
}

#[test]
fn examples_of_the_commands_work_as_printed() {
    run_document("docs/commands.md");
}

#[test]
fn examples_of_recipes_work_as_printed() {
    run_document("docs/recipes.md");
}

#[test]
fn examples_of_formats_work_as_printed() {
    run_document("docs/formats.md");
}

#[test]
fn blocks_are_found_with_what_is_said_of_them() {
    let text = "Text.\n\n```sh\na b \\\n  c   # why\n```\n<!-- not run: long -->\n```sh\nx\n```\n\n<!-- file: r.toml -->\n```toml\nk = 1\n```\n```\nno\n```\n";
    let expected = [
        Block::Run { line: 3, commands: "a b \\\n  c   # why\n".into() },
        Block::NotRun { why: "long".into() },
        Block::File { name: "r.toml".into(), text: "k = 1\n".into(), more: false },
    ];
    assert_eq!(blocks(text), expected);
    assert_eq!(commands("a b \\\n  c   # why\n# d\n"), ["a b    c   # why"]);
}
