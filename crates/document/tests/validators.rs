//! Translated documents before the programs that others read them with: xmllint, gettext, and packages of Python.
#![cfg_attr(
    not(validators),
    allow(dead_code, unused_imports, reason = "without the programs nothing is asked")
)]

mod common;

use common::{loud, repository};
use std::fs;
use std::path::Path;
use std::process::Command;
use treeglot_document::{Document, Format, Linked, Rated};

const XLIFF_1: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
  <file original="a.html" source-language="de" target-language="en" datatype="html">
    <body>
      <!-- nicht dies -->
      <group id="g"><trans-unit id="1"><source>Das <g id="1">alte <x id="2"/>Haus</g> &amp; <ph id="3">&lt;br/&gt;</ph>ich</source></trans-unit></group>
      <trans-unit id="2"><source>fertig</source><target>done</target></trans-unit>
      <trans-unit id="3" translate="no"><source>bleibt &#8364;</source></trans-unit>
      <trans-unit id="4"><source><bpt id="1">&lt;b&gt;</bpt>leer<ept id="1">&lt;/b&gt;</ept> "und" 5 &lt; 6</source><target state="new"/></trans-unit>
    </body>
  </file>
</xliff>
"#;

const XLIFF_2: &str = r#"<?xml version="1.0"?>
<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="de" trgLang="en">
  <file id="f"><unit id="u">
    <originalData><data id="d">&lt;br&gt;</data></originalData>
    <segment><source>Ein <pc id="1"><mrk id="m" type="term">Hund</mrk> schläft<ph id="2" dataRef="d"/></pc>.</source></segment>
    <ignorable><source> und </source></ignorable>
    <segment><source>so <sc id="3"/>weiter<ec startRef="3"/></source><target></target></segment>
  </unit></file>
</xliff>
"#;

const PO: &str = r#"# Kopf
msgid ""
msgstr ""
"Project-Id-Version: x 1\n"
"PO-Revision-Date: 2026-01-01 00:00+0000\n"
"Last-Translator: A <a@example.com>\n"
"Language-Team: none\n"
"Language: en\n"
"MIME-Version: 1.0\n"
"Content-Type: text/plain; charset=UTF-8\n"
"Content-Transfer-Encoding: 8bit\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\n"

#. ein Hinweis
#: a.c:1 b.c:22
msgctxt "Knopf"
msgid "Ein <b>Haus</b> mit \"Garten\""
msgstr ""

#, c-format
msgid "%d Hund in %s"
msgid_plural "%d Hunde in %s"
msgstr[0] ""
msgstr[1] ""

msgid "fertig"
msgstr "done"

msgid ""
"Zwei\n"
"Zeilen\tund ein Schrägstrich \\ hier\n"
msgstr ""

#~ msgid "alt"
#~ msgstr ""
"#;

const SRT: &str = "1\n00:00:01,000 --> 00:00:02,500\n<i>Das ist ein\nHaus.</i>\n\n2\n00:00:03,000 --> 00:00:04,000 X1:1 X2:2\n- {\\an8}Ja?\n- Nein.\n\n3\n00:00:05,000 --> 00:00:06,000\n12\n";

const PAGE: &str = "<!doctype html>\n<html lang=de><head><title>Ein Titel</title><meta name=x content='Haus & Hof'></head>\n\
    <body class='a b'><p>Das <a href=\"y?a=1&amp;b=2\" title=x>alte <b>Haus</b></a> schl&auml;ft. 5 &lt; 6 und <img src=x alt=y> mehr.</p>\n\
    <ul><li>Eins<li>Zwei <i>drei</i></ul><select><option>Ja <option selected>Nein</select><pre>bleibt\n</pre>\
    <table><tr><td>Zelle<td><em>noch</em> eine</table><script>if (a<b) x('</p>')</script></body></html>\n";

/// Runs a program over files; it must be content.
fn content(program: &str, args: &[&str], files: &[&Path]) {
    let output = Command::new(program).args(args).args(files).output().expect("the program is there");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {args:?}: {told}");
}

/// Translates a document and hands original and translation to `check`, as files.
fn translated(format: Format, text: &str, colours: bool, check: impl Fn(&Path, &Path)) {
    let document = Document::read(format, text).expect("it is a document").with_target_language("en");
    let mut translations: Vec<Linked> = loud(&document);
    if colours {
        for (number, linked) in translations.iter_mut().enumerate() {
            let range = 0..linked.text.len();
            linked.rated.push(Rated { range, confidence: number as f64 / 10.0 });
        }
    }
    let at = tempfile::tempdir().expect("a folder can be made");
    let (before, after) = (at.path().join("before"), at.path().join("after"));
    fs::write(&before, text).expect("it can be written");
    fs::write(&after, document.write(&translations)).expect("it can be written");
    check(&before, &after);
}

fn read_by_python(kind: &str, before: &Path, after: &Path) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/readers.py");
    content(env!("TREEGLOT_TEST_PYTHON"), &[script, kind], &[before, after]);
}

#[test]
#[cfg_attr(not(validators), ignore = "needs xmllint, msgfmt, and Python with polib, html5lib and srt")]
fn xmllint_reads_translated_xliff() {
    let unnamed = XLIFF_2.replace(" trgLang=\"en\"", "");
    for text in [XLIFF_1, XLIFF_2, &unnamed] {
        let added = text.matches("<target").count();
        translated(Format::Xliff, text, false, |before, after| {
            content("xmllint", &["--noout", "--nonet"], &[before, after]);
            let written = fs::read_to_string(after).unwrap();
            assert!(written.matches("<target").count() > added, "{written}");
            assert!(text == XLIFF_1 || written.contains(" trgLang=\"en\""), "{written}");
            for tag in ["<g id=\"1\">", "<ept id=\"1\">", "<pc id=\"1\">", "<ec startRef=\"3\"/>"] {
                let times = if text.contains(tag) { 2 } else { 0 };
                assert_eq!(written.matches(tag).count(), times, "{tag}: {written}");
            }
        });
    }
}

#[test]
#[cfg_attr(not(validators), ignore = "needs xmllint, msgfmt, and Python with polib, html5lib and srt")]
fn gettext_and_polib_read_translated_catalogues() {
    translated(Format::Po, PO, false, |before, after| {
        let checked = ["--check", "--use-fuzzy", "-o", "/dev/null"];
        content("msgfmt", &checked, &[before]);
        content("msgfmt", &checked, &[after]);
        read_by_python("po", before, after);
    });
}

#[test]
#[cfg_attr(not(validators), ignore = "needs xmllint, msgfmt, and Python with polib, html5lib and srt")]
fn a_parser_of_html_finds_the_same_elements_and_no_new_faults() {
    for colours in [false, true] {
        translated(Format::Html, PAGE, colours, |before, after| read_by_python("html", before, after));
        for path in repository(".html") {
            let text = fs::read_to_string(&path).unwrap();
            translated(Format::Html, &text, colours, |before, after| read_by_python("html", before, after));
        }
    }
}

#[test]
#[cfg_attr(not(validators), ignore = "needs xmllint, msgfmt, and Python with polib, html5lib and srt")]
fn a_reader_of_subtitles_finds_the_same_times() {
    for text in [SRT.to_string(), SRT.replace('\n', "\r\n")] {
        translated(Format::Srt, &text, false, |before, after| read_by_python("srt", before, after));
    }
}
