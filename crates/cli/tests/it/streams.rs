//! What the command line promises of its streams: closed pipes, full devices, packed files, `-`, threads, JSON, exit codes.

use crate::tool::{Ran, ok, ran, small_sample, treeglot, with_sample};
use std::fs::File;
use std::path::Path;
use std::process::Stdio;

/// Commands that print something, with the small sample as their folder; bundle and tables are made by [`made`].
const PRINTING: &[&[&str]] = &[
    &["--help"],
    &["--version"],
    &["extract", "phrase", "--help"],
    &["bundle", "info", "bundle"],
    &["bundle", "info", "--json", "bundle"],
    &["bundle", "verify", "bundle"],
    &["table", "stats", "table"],
    &["table", "dump", "table"],
    &["table", "lookup", "table", "die"],
    &["translate", "-m", "bundle", "test.de"],
    &["eval", "--ref", "test.en", "test.de"],
    &["tree", "stats", "test.de.conllu"],
    &["tree", "compare", "test.de.conllu", "test.de.conllu"],
    &["lm", "query", "lm", "test.en"],
    &["lm", "build", "--order", "2", "--discount-fallback", "test.en"],
    &["align", "test.de", "test.en"],
    &["align", "aer", "--gold", "links", "links"],
    &["tokenize", "--lang", "de", "test.de"],
    &[
        "coverage",
        "--model",
        "mwu",
        "--src",
        "test.de",
        "--tgt",
        "test.en",
        "--links",
        "links",
        "--src-dep",
        "test.de.conllu",
    ],
];

/// The small sample with links, a table, a language model and a bundle of them.
fn made() -> tempfile::TempDir {
    let folder = with_sample();
    let at = folder.path();
    ok(at, &["align", "-q", "test.de", "test.en", "-o", "links"]);
    ok(
        at,
        &[
            "extract", "phrase", "-q", "--src", "test.de", "--tgt", "test.en", "--links", "links", "-o",
            "rules",
        ],
    );
    ok(at, &["score", "-q", "--from", "rules", "--model", "phrase", "-o", "table"]);
    ok(at, &["lm", "build", "-q", "--order", "2", "--discount-fallback", "--binary", "lm", "test.en"]);
    let weights = "LM0= 0.5\nWordPenalty0= -1\nPhrasePenalty0= 0.2\nDistortion0= 0.3\nTranslationModel0= 0.2 0.2 0.2 0.2\n\
                   LexicalReordering0= 0.3 0.3 0.3 0.3 0.3 0.3\n";
    std::fs::write(at.join("weights"), weights).expect("a file can be written");
    let parts = ["--table", "table", "--lm", "lm", "--weights", "weights", "-o", "bundle"];
    ok(at, &[&["bundle", "make", "--model", "phrase"], &parts[..]].concat());
    folder
}

fn with_stdout(folder: &Path, args: &[&str], stdout: impl Into<Stdio>) -> Ran {
    ran(treeglot(folder, args).stdout(stdout))
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_an_error_of_one_line_that_says_what_to_do() {
    let folder = made();
    for args in PRINTING {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let ran = with_stdout(folder.path(), args, full);
        assert_eq!(ran.code, Some(1), "{args:?}: {}", ran.err);
        let last = ran.err.lines().last().unwrap_or_default();
        assert!(
            last.starts_with("treeglot: standard output: cannot write: No space left"),
            "{args:?}: {}",
            ran.err
        );
        assert!(
            last.ends_with("free some space, or write to another disk, and run the command again"),
            "{last}"
        );
    }
}

#[test]
fn a_closed_pipe_is_a_normal_end() {
    let folder = made();
    for args in PRINTING {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let ran = with_stdout(folder.path(), args, writer);
        let said = ran.err.contains("panicked") || ran.err.contains("treeglot: standard output");
        assert!(ran.code == Some(0) && !said, "{args:?}: {ran:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn notes_that_nobody_can_read_do_not_end_a_command() {
    let folder = with_sample();
    let full = File::options().write(true).open("/dev/full").unwrap();
    let mut command = treeglot(folder.path(), &["sample", "-o", "again"]);
    assert!(command.stderr(full).status().unwrap().success());
}

#[cfg(unix)]
#[test]
fn a_file_past_the_limit_of_its_size_is_an_error_with_advice() {
    let folder = tempfile::tempdir().unwrap();
    let script = format!("ulimit -f 100; exec {} sample -o s", env!("CARGO_BIN_EXE_treeglot"));
    let mut shell = std::process::Command::new("sh");
    let ran = ran(shell.current_dir(folder.path()).args(["-c", &script]));
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.err.contains("File too large") && ran.err.contains("ulimit -f"), "{}", ran.err);
}

#[test]
fn packed_files_and_standard_input_are_read_as_plain_ones() {
    let folder = with_sample();
    let at = folder.path();
    let plain = ok(at, &["tokenize", "-q", "--lang", "de", "test.raw.de"]);
    for packed in ["test.gz", "test.zst"] {
        ok(at, &["tokenize", "-q", "--lang", "de", "test.raw.de", "-o", packed]);
        assert_ne!(std::fs::read(at.join(packed)).unwrap(), plain.as_bytes());
        let again = ok(at, &["truecase", "--undo", "--lang", "zh", packed]);
        assert_eq!(again, plain, "{packed}");
    }
    let input = File::open(at.join("test.raw.de")).unwrap();
    let piped = ran(treeglot(at, &["tokenize", "-q", "--lang", "de", "-", "-o", "-"]).stdin(input));
    assert_eq!(piped.out, plain);
    let twice = ran(&mut treeglot(at, &["align", "-", "-"]));
    assert_eq!(
        (twice.code, twice.err.as_str()),
        (Some(2), "treeglot: only one input can be standard input\n")
    );
}

#[test]
fn outputs_do_not_depend_on_the_number_of_threads() {
    let folder = made();
    let trees = ["--src-dep", "train.de.conllu", "--src-con", "train.de.ptb", "--tgt-dep", "train.en.conllu"];
    let pairs = ["-q", "--src", "train.de", "--tgt", "train.en", "--links", "sample.links"];
    let extract = |model| [&["extract", model], &pairs[..], &trees[..]].concat();
    ok(folder.path(), &["align", "-q", "train.de", "train.en", "-o", "sample.links"]);
    let commands = [
        vec!["align", "-q", "train.de", "train.en"],
        vec!["translate", "-q", "-m", "bundle", "--nbest", "5", "train.de"],
        vec!["lm", "build", "-q", "--order", "3", "--discount-fallback", "train.en"],
        vec!["lm", "query", "-q", "lm", "train.en"],
        vec!["eval", "--ref", "train.en", "train.de", "train.en", "--paired", "bs"],
        vec!["tokenize", "--lang", "en", "train.raw.en"],
        extract("hiero"),
        extract("mwu"),
        extract("str2dep"),
    ];
    for args in commands {
        let of = |threads| ok(folder.path(), &[&args[..], &["--threads", threads]].concat());
        let one = of("1");
        assert!(!one.is_empty(), "{args:?}");
        assert!(one == of("2") && one == of("7"), "{args:?}");
    }
}

#[test]
fn json_is_one_object_a_line() {
    let folder = made();
    ok(
        folder.path(),
        &["extract", "phrase", "-q", "--src", "test.de", "--tgt", "test.en", "--links", "links", "-o", "r"],
    );
    let coverage = PRINTING.last().expect("there are commands");
    let commands: Vec<Vec<&str>> = vec![
        vec!["bundle", "info", "bundle"],
        vec!["table", "stats", "table"],
        vec!["table", "lookup", "table", "die"],
        vec!["translate", "-m", "bundle", "--explain", "test.de"],
        vec!["translate", "-m", "bundle", "--nbest", "3", "test.de"],
        vec!["eval", "--ref", "test.en", "test.de", "test.en"],
        vec!["eval", "--ref", "test.en", "--sentence", "test.de"],
        vec!["tree", "stats", "test.de.conllu", "test.en.ptb"],
        vec!["tree", "stats", "-v", "test.de.conllu"],
        vec!["tree", "compare", "test.de.conllu", "test.de.conllu"],
        vec!["align", "aer", "--gold", "links", "links"],
        coverage.to_vec(),
    ];
    for args in commands {
        let text = ok(folder.path(), &[&args[..], &["--json"]].concat());
        assert!(text.lines().count() > 0, "{args:?}");
        for line in text.lines() {
            let value: serde_json::Value =
                serde_json::from_str(line).unwrap_or_else(|e| panic!("{args:?}: {e}: {line}"));
            assert!(value.is_object(), "{args:?}: {line}");
        }
    }
}

#[test]
fn wrong_arguments_end_with_2_and_wrong_data_with_1() {
    let at = small_sample();
    let code = |args: &[&str]| ran(&mut treeglot(at, args)).code;
    for args in [
        &["translate"][..],
        &["no-such-command"],
        &["extract", "no-such-model"],
        &["train", "--src", "train.de", "--tgt", "train.en", "--model", "no-such-model", "-o", "x"],
        &["bundle", "make", "--model", "no-such-model", "--table", "t", "--weights", "w", "-o", "x"],
        &["score", "--min-count", "nan", "-o", "x"],
        &["score", "--weight", "inf", "-o", "x"],
        &["translate", "-m", "x", "--threshold", "nan"],
        &["eval", "--ref", "test.en", "test.de", "--lr-alpha", "nan"],
        &["align", "train.de", "train.en", "--memory", "much"],
    ] {
        assert_eq!(code(args), Some(2), "{args:?}");
    }
    for args in [
        &["translate", "-m", "no-such-bundle"][..],
        &["tree", "stats", "no-such-file.conllu"],
        &["tree", "convert", "--from", "conllu", "--to", "ptb", "test.de.conllu"],
        &["align", "train.de", "test.en"],
    ] {
        assert_eq!(code(args), Some(1), "{args:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn more_memory_than_the_machine_has_is_told() {
    let ran = ran(&mut treeglot(small_sample(), &["align", "test.de", "test.en", "--memory", "100T"]));
    assert_eq!(ran.code, Some(0));
    assert!(ran.err.contains("--memory 102400.0G is more than the"), "{}", ran.err);
}

#[test]
#[cfg(unix)]
fn a_table_cut_short_while_in_use_ends_with_a_message_and_no_core() {
    use std::io::{BufRead, BufReader, Read, Write};
    let folder = made();
    let mut command = treeglot(folder.path(), &["translate", "-q", "--threads", "1", "-m", "bundle"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut running = command.spawn().expect("the binary starts");
    let mut input = running.stdin.take().expect("it is piped");
    let mut output = BufReader::new(running.stdout.take().expect("it is piped"));
    writeln!(input, "die Frau").unwrap();
    let mut first = String::new();
    output.read_line(&mut first).unwrap();
    assert!(!first.trim().is_empty());
    for entry in std::fs::read_dir(folder.path().join("bundle")).unwrap() {
        let path = entry.unwrap().path();
        let mut rights = path.metadata().unwrap().permissions();
        #[expect(clippy::permissions_set_readonly_false, reason = "the test's own files")]
        rights.set_readonly(false);
        std::fs::set_permissions(&path, rights).unwrap();
        File::options().write(true).open(&path).unwrap().set_len(0).unwrap();
    }
    writeln!(input, "ein Mann sieht die Frau im Haus").unwrap();
    drop(input);
    let mut said = String::new();
    running.stderr.take().expect("it is piped").read_to_string(&mut said).unwrap();
    assert_eq!(running.wait().unwrap().code(), Some(128 + 7), "{said}");
    assert!(said.contains("was cut short while it was in use"), "{said}");
}

#[test]
fn raw_text_for_a_bundle_of_words_is_told_and_words_are_not() {
    let folder = made();
    let raw = ["Die Frau, die schläft, kommt.", "Das Haus, das Auto."].join("\n") + "\n";
    std::fs::write(folder.path().join("raw"), raw).unwrap();
    let told = ran(&mut treeglot(folder.path(), &["translate", "-m", "bundle", "raw"]));
    assert_eq!(told.code, Some(0));
    assert_eq!(told.err.matches("this looks like raw text").count(), 1, "{}", told.err);
    let words = ran(&mut treeglot(folder.path(), &["translate", "-m", "bundle", "test.de"]));
    assert!(!words.err.contains("raw text"), "{}", words.err);
}

#[test]
fn a_packed_bundle_translates_as_it_is_and_leaves_nothing_behind() {
    let folder = made();
    ok(folder.path(), &["bundle", "pack", "bundle", "-o", "bundle.tar.zst"]);
    let place = folder.path().join("tmp");
    std::fs::create_dir(&place).unwrap();
    let packed =
        ran(treeglot(folder.path(), &["translate", "-m", "bundle.tar.zst", "test.de"]).env("TMPDIR", &place));
    assert_eq!(packed.code, Some(0), "{}", packed.err);
    assert_eq!(packed.out, ok(folder.path(), &["translate", "-m", "bundle", "test.de"]));
    assert_eq!(std::fs::read_dir(&place).unwrap().count(), 0);
}

#[test]
fn links_of_translations_are_written_a_line_each() {
    let folder = made();
    let plain = ok(folder.path(), &["translate", "-m", "bundle", "test.de"]);
    let beside = ok(folder.path(), &["translate", "-m", "bundle", "--links", "links.out", "test.de"]);
    assert_eq!(plain, beside);
    let links = std::fs::read_to_string(folder.path().join("links.out")).unwrap();
    assert_eq!(links.lines().count(), plain.lines().count());
    let source = std::fs::read_to_string(folder.path().join("test.de")).unwrap();
    for ((links, source), target) in links.lines().zip(source.lines()).zip(plain.lines()) {
        for link in links.split(' ').filter(|link| !link.is_empty()) {
            let (s, t) = link.split_once('-').expect("a link has two ends");
            let [s, t]: [usize; 2] = [s, t].map(|at| at.parse().expect("a position"));
            assert!(
                s < source.split(' ').count() && t < target.split(' ').count(),
                "{link}: {source} ||| {target}"
            );
        }
    }
}

#[test]
fn weights_of_what_is_no_feature_are_refused() {
    let folder = made();
    let path = folder.path().join("weights");
    let weights = std::fs::read_to_string(&path).unwrap() + "Foo0= 1\n";
    std::fs::write(&path, weights).unwrap();
    let args = [
        "bundle",
        "make",
        "--model",
        "phrase",
        "--table",
        "table",
        "--lm",
        "lm",
        "--weights",
        "weights",
        "-o",
        "b",
    ];
    let told = ran(&mut treeglot(folder.path(), &args));
    assert_eq!(told.code, Some(1));
    assert!(told.err.contains("weights: `Foo0` is no feature of this system, which has "), "{}", told.err);
    assert!(!folder.path().join("b").exists());
}
