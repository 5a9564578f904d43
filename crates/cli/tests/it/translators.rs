//! What translators need: terms, documents, corrections, confidence.

use crate::tool::{ok, ran, treeglot, with_sample};
use std::fs;
use std::path::Path;

/// A folder with the sample and a bundle of raw text, `raw`.
fn with_bundle() -> tempfile::TempDir {
    let folder = with_sample();
    let at = folder.path();
    let args =
        ["train", "-q", "--src", "train.raw.de", "--tgt", "train.raw.en", "--from", "de", "--to", "en"];
    let dev = [
        "--dev-src",
        "dev.raw.de",
        "--dev-tgt",
        "dev.raw.en",
        "--model",
        "phrase",
        "--tune",
        "none",
        "-o",
        "raw",
    ];
    ok(at, &[&args[..], &dev[..]].concat());
    folder
}

fn write(folder: &Path, name: &str, text: &str) {
    fs::write(folder.join(name), text).unwrap();
}

#[test]
fn terms_addresses_and_unknown_words_come_out_as_asked() {
    let folder = with_bundle();
    let at = folder.path();
    write(at, "terms", "Hund\tfour-legged friend\nder Katze\tMIEZE\texact\n");
    write(at, "in", "Der Hund mit der Katze, siehe http://www.example.com/a?b=1 um 12:30!\n");
    let out = ok(at, &["translate", "-m", "raw", "--terms", "terms", "in"]);
    for kept in ["four-legged friend", "MIEZE", "http://www.example.com/a?b=1", "12:30"] {
        assert!(out.contains(kept), "{out}");
    }
    write(at, "odd", "Der Hund-Katze\n");
    let guessed = ok(at, &["translate", "-m", "raw", "--explain", "odd"]);
    assert!(guessed.contains("guess 1-2: Hund-Katze"), "{guessed}");
    assert_eq!(ok(at, &["translate", "-m", "raw", "--unknown", "copy", "odd"]), "The Hund-Katze\n");
    write(at, "odd", "Blubb\n");
    assert_eq!(ok(at, &["translate", "-m", "raw", "--unknown", "mark", "odd"]), "⟦Blubb⟧\n");
    assert_eq!(ok(at, &["translate", "-m", "raw", "--unknown", "drop", "odd"]), "\n");
    write(at, "bad", "a <n>b\n");
    let failed = ran(&mut treeglot(at, &["translate", "-m", "raw", "--xml-input", "inclusive", "bad"]));
    assert!(
        failed.code == Some(1) && failed.err.contains("bad:1") && failed.err.contains("<n> is not closed"),
        "{}",
        failed.err
    );
    tuning(at);
    documents(at);
    corrections(at);
    memory(at);
    confidence(at);
}

/// Raw text is tuned on as the words it is cut into, and what is cut already is told.
fn tuning(at: &Path) {
    let head = |name: &str| {
        let text = fs::read_to_string(at.join(name)).unwrap();
        text.lines().take(60).map(|line| format!("{line}\n")).collect::<String>()
    };
    let cut = |name: &str, lang: &str| ok(at, &["tokenize", "--lang", lang, "--no-escape", name]);
    for (side, lang) in [("de", "de"), ("en", "en")] {
        write(at, &format!("few.{side}"), &head(&format!("dev.raw.{side}")));
        write(at, &format!("few.tok.{side}"), &cut(&format!("few.{side}"), lang));
    }
    let tune = |source: &str, reference: &str, more: &[&str]| {
        let args =
            ["tune", "-m", "raw", "--rounds", "1", "--dev-src", source, "--dev-ref", reference, "-o", "w"];
        let done = ran(&mut treeglot(at, &[&args[..], more].concat()));
        assert_eq!(done.code, Some(0), "{}", done.err);
        done.err
    };
    let score = |notes: &str| -> f64 {
        let (_, after) = notes.split_once("round 1: bleu ").unwrap_or_else(|| panic!("no score: {notes}"));
        after[..5].parse().unwrap()
    };
    let raw = tune("few.de", "few.en", &[]);
    assert!(!raw.contains("--tokenized") && !raw.contains("looks like"), "{raw}");
    let again = tune("few.tok.de", "few.tok.en", &[]);
    assert!(again.contains("few.tok.de: is cut into words already: --tokenized takes it"), "{again}");
    let mixed = tune("few.de", "few.en", &["--tokenized"]);
    assert!(mixed.contains("few.de: looks like raw text"), "{mixed}");
    assert!(score(&mixed) < score(&raw) - 10.0, "{mixed} {raw}");
    let dev = ["--dev-src", "few.de", "--dev-ref", "few.en"];
    let two = ["tune", "-m", "raw", "-m", "raw", "-o"];
    let into = |folder: &'static str| [&two[..], &[folder], &dev].concat();
    let failed = ran(&mut treeglot(at, &into("raw")));
    assert!(failed.code == Some(2) && failed.err.contains("something else in this folder"), "{}", failed.err);
    ok(at, &["bundle", "verify", "raw"]);
    ok(at, &into("both"));
    ok(at, &into("both"));
    let missing = ["translate", "-m", "raw", "-m", "raw", "--combination", "nowhere", "few.de"];
    let failed = ran(&mut treeglot(at, &missing));
    assert!(failed.code == Some(1) && failed.err.contains("there is no combination here"), "{}", failed.err);
}

/// What is not text comes out of every format as it went in.
fn documents(at: &Path) {
    write(
        at,
        "a.html",
        "<!doctype html>\n<p class='x'>Der <b>Hund</b> hat <a href=\"y?a&b\">den <i>Kuchen</i></a>.</p>\n<script>if (a<b) x()</script>\n",
    );
    let out = ok(at, &["translate", "-m", "raw", "--format", "html", "a.html"]);
    assert!(
        out.starts_with("<!doctype html>\n<p class='x'>")
            && out.ends_with("</p>\n<script>if (a<b) x()</script>\n"),
        "{out}"
    );
    for tag in ["<b>", "</b>", "<a href=\"y?a&b\">", "<i>", "</i>", "</a>"] {
        assert_eq!(out.matches(tag).count(), 1, "{out}");
    }
    write(at, "a.md", "# Der *Hund*\n\n```\ncode\n```\n\n- [x] Der `Hund`\n");
    let out = ok(at, &["translate", "-m", "raw", "--format", "markdown", "a.md"]);
    assert!(
        out.starts_with("# ") && out.contains("\n\n```\ncode\n```\n\n- [x] ") && out.contains("`Hund`"),
        "{out}"
    );
    write(
        at,
        "a.xlf",
        "<xliff version=\"1.2\"><trans-unit><source>Der <g id=\"1\">Hund</g></source></trans-unit></xliff>",
    );
    let out = ok(at, &["translate", "-m", "raw", "--format", "xliff", "a.xlf"]);
    assert!(
        out.contains("<source>Der <g id=\"1\">Hund</g></source><target>")
            && out.ends_with("</target></trans-unit></xliff>"),
        "{out}"
    );
    let failed = ran(&mut treeglot(at, &["translate", "-m", "raw", "--format", "xliff", "a.html"]));
    assert!(failed.code == Some(1) && failed.err.contains("a.html"), "{}", failed.err);
    let failed = ran(&mut treeglot(at, &["translate", "-m", "raw", "--format", "html", "--json", "a.html"]));
    assert_eq!(failed.code, Some(2), "{}", failed.err);
}

/// A correction is used at once, offered elsewhere, listed and forgotten; one that was killed does no harm.
fn corrections(at: &Path) {
    write(at, "c.de", "Der Zwergspitz bellt.\n");
    write(at, "c.en", "The Pomeranian is barking!\n");
    ok(at, &["learn", "-q", "-m", "raw", "--src", "c.de", "--tgt", "c.en"]);
    assert_eq!(ok(at, &["translate", "-m", "raw", "c.de"]), "The Pomeranian is barking!\n");
    write(at, "other", "Wo ist der Zwergspitz?\n");
    let out = ok(at, &["translate", "-m", "raw", "--explain", "other"]);
    assert!(
        out.contains("Pomeranian") && out.contains("correction") && out.contains("Corrections0= 1"),
        "{out}"
    );
    let mut killed =
        treeglot(at, &["learn", "-q", "-m", "raw", "--src", "other", "--tgt", "other"]).spawn().unwrap();
    let _ = killed.kill();
    killed.wait().unwrap();
    let info = ok(at, &["bundle", "info", "raw"]);
    assert!(info.contains("correction 1\tDer Zwergspitz bellt. ||| The Pomeranian is barking!"), "{info}");
    let failed = ran(&mut treeglot(at, &["bundle", "forget", "raw", "--correction", "9"]));
    assert!(failed.code == Some(2) && failed.err.contains("no correction 9"), "{}", failed.err);
    ok(at, &["bundle", "forget", "raw", "--correction", "1"]);
    assert!(!ok(at, &["translate", "-m", "raw", "c.de"]).contains("Pomeranian"));
    ok(at, &["bundle", "forget", "raw", "--all"]);
    let failed = ran(&mut treeglot(at, &["learn", "-m", "raw", "--src", "c.de", "--tgt", "in"]));
    assert_eq!(failed.code, Some(0), "{}", failed.err);
    ok(at, &["bundle", "forget", "raw", "--all"]);
}

/// A sentence of the memory comes out as it was translated, and one like it takes its phrases.
fn memory(at: &Path) {
    write(at, "memory.tsv", "Der Zwergspitz bellt im Garten.\tThe Pomeranian barks in the yard!\n");
    write(at, "near", "Der Zwergspitz bellt im Garten.\nDer Zwergspitz schnarcht im Garten.\n");
    let out = ok(at, &["translate", "-m", "raw", "--memory", "memory.tsv", "near"]);
    assert!(out.starts_with("The Pomeranian barks in the yard!\n"), "{out}");
    let out = ok(at, &["translate", "-m", "raw", "--memory", "memory.tsv", "--explain", "near"]);
    assert!(out.contains(" memory 0-6: ") && out.contains("Memory0= 1"), "{out}");
}

/// Training fits the confidence, `--json` tells it, and the review begins with the worst.
fn confidence(at: &Path) {
    let args = ["translate", "-m", "raw", "--json", "--confidence", "--review", "review", "test.raw.de"];
    let out = ok(at, &args);
    assert!(out.lines().all(|line| line.contains("\"confidence\":0.")), "{out}");
    let review = fs::read_to_string(at.join("review")).unwrap();
    let rows: Vec<f64> =
        review.lines().map(|line| line.split('\t').next().unwrap().parse().unwrap()).collect();
    assert_eq!(rows.len(), out.lines().count());
    assert!(rows.is_sorted());
    write(at, "page.html", "<title>Der Hund</title><p>Der <b>Hund</b> bellt. Die Katze schläft.</p>");
    let plain = ok(at, &["translate", "-m", "raw", "--format", "html", "page.html"]);
    assert!(!plain.contains("confidence"), "{plain}");
    let page = ok(at, &["translate", "-m", "raw", "--format", "html", "--confidence", "page.html"]);
    assert_eq!(page.matches("<span class=\"confidence\" data-confidence=\"0.").count(), 4, "{page}");
    assert!(page.starts_with("<title>The dog</title><p><span"), "{page}");
    let bare = page.split("<span").map(|part| part.split_once("\">").map_or(part, |(_, text)| text));
    assert_eq!(bare.collect::<String>().replace("</span>", ""), plain);
    let failed = ran(&mut treeglot(at, &["translate", "-m", "raw", "--confidence", "test.raw.de"]));
    assert!(failed.code == Some(2) && failed.err.contains("--format html"), "{}", failed.err);
    ok(at, &["translate", "-m", "raw", "--explain", "why.html", "test.raw.de"]);
    let explained = fs::read_to_string(at.join("why.html")).unwrap();
    assert!(explained.contains("</summary>") && explained.contains("title=\"confidence\""));
    fs::remove_file(at.join("raw/confidence.toml")).unwrap();
    let failed = ran(&mut treeglot(at, &args));
    assert!(failed.code == Some(2) && failed.err.contains("bundle calibrate"), "{}", failed.err);
}

#[test]
fn pairs_are_trained_on_from_one_file() {
    let folder = with_sample();
    let at = folder.path();
    let side = |name: &str| fs::read_to_string(at.join(name)).unwrap();
    let (source, target) = (side("train.raw.de"), side("train.raw.en"));
    let rows: Vec<String> = source.lines().zip(target.lines()).map(|(a, b)| format!("{a}\t{b}\n")).collect();
    write(at, "pairs.tsv", &rows.concat());
    let args = [
        "train",
        "--pairs",
        "pairs.tsv",
        "--from",
        "de",
        "--to",
        "en",
        "--model",
        "phrase",
        "--tune",
        "none",
        "-o",
        "b",
    ];
    let trained = ran(&mut treeglot(at, &args));
    assert!(
        trained.code == Some(0) && trained.err.contains(&format!("pairs.tsv: {} pairs", rows.len())),
        "{}",
        trained.err
    );
    write(at, "in", "Der Hund\n");
    assert!(!ok(at, &["translate", "-m", "b", "in"]).trim().is_empty());
}
