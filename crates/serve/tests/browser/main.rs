//! The page in a real browser, headless. Where the build found none, these tests are reported as ignored.
#![allow(clippy::unwrap_used, reason = "what helpers of tests unwrap, the tests claim to be there")]

#[path = "../it/common.rs"]
#[allow(dead_code, reason = "the tests of the API use the rest")]
mod common;
#[cfg_attr(not(browser), allow(dead_code))]
mod devtools;
mod pages;

use common::{Running, bundles, serve, serve_all};
use devtools::Browser;
use std::time::Instant;
use treeglot_document::confidence_colour;
use treeglot_pipeline::Bundle;
use treeglot_pipeline::translator::calibrate;
use treeglot_serve::ServeSettings;

fn open(server: &Running) -> Browser {
    let mut browser = Browser::start();
    browser.look(1280, 900, "light");
    browser.open(&format!("http://{}/", server.address));
    browser
}

fn type_in(browser: &mut Browser, text: &str) {
    browser.eval("document.getElementById('text').focus()");
    browser.type_text(text);
}

const OUTPUTS: &str = "[...document.querySelectorAll('.output')].map(output => output.innerText)";

#[test]
#[cfg_attr(not(browser), ignore = "needs a browser: install chromium")]
fn systems_translate_side_by_side_while_one_types_and_words_show_where_they_come_from() {
    let server = serve_all(ServeSettings { rate_limit: 0, ..ServeSettings::default() });
    let mut browser = open(&server);
    type_in(&mut browser, "Der Hund sieht das Haus.");
    browser.wait(&format!("{OUTPUTS}.length === 2 && {OUTPUTS}.every(text => text.includes('house'))"));
    browser.wait("document.querySelectorAll('#why svg').length >= 4 && document.querySelectorAll('.kbest tbody tr').length > 2");
    let word = "[...document.querySelectorAll('[data-system=hiero] .word')].findIndex(word => word.textContent === 'house')";
    let at = browser.eval(word);
    browser.point(&format!("[data-system=hiero] .word[data-word='{at}']"));
    browser.wait("document.querySelector('#inspector .pair')?.textContent === 'house ← Haus'");
    browser.wait("document.querySelector('#backdrop mark')?.textContent === 'Haus'");
    browser.wait("document.querySelectorAll('#why svg .on').length >= 4");
    assert_eq!(browser.eval("document.querySelector('.sheet.chosen')?.dataset.system"), "hiero");
    // More is typed: everything follows.
    browser.eval("document.getElementById('text').setSelectionRange(99, 99)");
    type_in(&mut browser, "\nDie Katze.");
    browser.wait(&format!("{OUTPUTS}.every(text => text.toLowerCase().includes('\\nthe cat'))"));
    assert_eq!(browser.complaints, Vec::<String>::new());
    let own = format!("http://{}/", server.address);
    assert!(browser.requests.iter().all(|address| address.starts_with(&own)), "{:?}", browser.requests);
    browser.screenshot("translate-1280-light");
    browser.look(1280, 900, "dark");
    browser.screenshot("translate-1280-dark");
    browser.look(390, 844, "light");
    assert_eq!(
        browser.eval("document.documentElement.scrollWidth <= 390"),
        true,
        "nothing is wider than a phone"
    );
    browser.screenshot("translate-390-light");
    browser.look(390, 844, "dark");
    browser.screenshot("translate-390-dark");
}

#[test]
#[cfg_attr(not(browser), ignore = "needs a browser: install chromium")]
fn keys_go_from_word_to_word_and_from_tab_to_tab() {
    let server = serve_all(ServeSettings { rate_limit: 0, ..ServeSettings::default() });
    let mut browser = open(&server);
    type_in(&mut browser, "das Haus");
    browser.wait(&format!("{OUTPUTS}.every(text => text === 'The house')"));
    browser.eval("document.querySelector('.output .word').focus()");
    browser.wait("document.querySelector('#inspector .pair')?.textContent.endsWith('← das')");
    browser.press("ArrowRight");
    browser.wait("document.querySelector('#inspector .pair')?.textContent === 'house ← Haus'");
    assert_eq!(browser.eval("document.getElementById('inspector').getAttribute('aria-live')"), "polite");
    browser.press("Escape");
    browser.wait("!document.querySelector('#inspector .pair')");
    browser.eval("document.getElementById('tab-translate').focus()");
    browser.press("ArrowRight");
    browser.wait("!document.getElementById('panel-systems').hidden && document.getElementById('panel-translate').hidden");
    // Everything that can be operated has a name that can be read out.
    let nameless = "[...document.querySelectorAll('button, input, select, textarea')].filter(one => \
        !one.textContent.trim() && !one.getAttribute('aria-label') && !one.labels?.length).map(one => one.outerHTML)";
    assert_eq!(browser.eval(nameless), serde_json::json!([]));
    assert_eq!(browser.complaints, Vec::<String>::new());
}

#[test]
#[cfg_attr(not(browser), ignore = "needs a browser: install chromium")]
fn colours_tell_how_far_sentences_can_be_trusted_where_a_bundle_can_tell() {
    let at = bundles();
    let rated = common::make(at, "rated", "phrase", ["de", "en"], 400);
    calibrate(&Bundle::open(&rated).unwrap(), &at.join("dev.de"), &at.join("dev.en"), 2).unwrap();
    let server =
        serve(&[rated, at.join("hiero")], ServeSettings { rate_limit: 0, ..ServeSettings::default() });
    let mut browser = open(&server);
    type_in(&mut browser, "Die Frau sieht das Haus . Der Blubb blubbt .\nDer Hund schläft .");
    browser.wait("document.querySelectorAll('[data-system=rated] .sentence.rated').length === 3");
    browser.wait("!document.querySelector('[data-system=hiero] .output').classList.contains('waiting')");
    assert_eq!(
        browser.eval("document.querySelectorAll('[data-system=hiero] .rated').length"),
        0,
        "a bundle that was not fitted tells nothing"
    );
    let told = browser.eval("document.querySelector('[data-system=rated] .told').textContent");
    assert!(told.as_str().unwrap().starts_with("Confidence 0."), "{told}");
    // The page's colour is the one that translated documents have.
    let sentence = "document.querySelector('[data-system=rated] .sentence.rated')";
    let title = browser.eval(&format!("{sentence}.title"));
    let number: f64 = title.as_str().unwrap().trim_start_matches("Confidence ").parse().unwrap();
    let near = [-0.005, 0.0, 0.005].map(|more| confidence_colour(number + more));
    let hue = |colour: &str| -> f64 { colour[4..].split(' ').next().unwrap().parse().unwrap() };
    let own = browser.eval(&format!("{sentence}.style.getPropertyValue('--rated')"));
    let own = hue(own.as_str().unwrap());
    assert!(hue(&near[0]) <= own && own <= hue(&near[2]), "{own} {near:?}");
    for (width, height) in [(1280, 900), (390, 844)] {
        for scheme in ["light", "dark"] {
            browser.look(width, height, scheme);
            browser.screenshot(&format!("confidence-{width}-{scheme}"));
        }
    }
    assert_eq!(browser.eval("document.documentElement.scrollWidth <= 390"), true, "it fits a phone");
    browser.eval("document.getElementById('rate').click()");
    let painted = format!("getComputedStyle({sentence}).backgroundImage");
    assert_eq!(browser.eval(&painted), "none", "colours can be turned off");
    assert_eq!(browser.complaints, Vec::<String>::new());
}

#[test]
#[cfg_attr(not(browser), ignore = "needs a browser: install chromium")]
fn trees_are_drawn_and_fold() {
    let server = serve_all(ServeSettings { rate_limit: 0, ..ServeSettings::default() });
    let mut browser = open(&server);
    let draw = "document.body.append(Drawings.constituents({ words: ['a', 'b', 'c'], labels: ['S', 'X', 'Y', 'Z'], \
        parents: [-1, 0, 1, 0], leaves: [1, 2, 3] }))";
    browser.eval(&format!("{draw}, 0"));
    let words = "[...document.querySelectorAll('body > svg .word')].map(word => word.textContent)";
    assert_eq!(browser.eval(words), serde_json::json!(["a", "b", "c"]));
    browser.eval("document.querySelector('body > svg [data-node=\"1\"]').focus()");
    browser.press("Enter");
    browser.wait(&format!("{words}.join('|') === 'a b|c'"));
    assert_eq!(
        browser.eval("document.querySelector('body > svg [data-node=\"1\"]').getAttribute('aria-expanded')"),
        "false"
    );
    // A discontinuous constituent keeps the order of the words, and right-to-left text is mirrored.
    let crossing = "Drawings.constituents({ words: ['x', 'y', 'z'], labels: ['S', 'V', 'N'], parents: [-1, 0, 0], leaves: [1, 2, 1], rtl: true })";
    let places = browser.eval(&format!(
        "[...{crossing}.querySelectorAll('.word')].map(word => Number(word.getAttribute('x')))"
    ));
    let places: Vec<f64> = places.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
    assert!(places[0] > places[1] && places[1] > places[2], "{places:?}");
    let large = "Drawings.constituents({ words: Array.from({ length: 60 }, (_, k) => `w${k}`), labels: ['S', ...Array(10).fill('P')], \
        parents: [-1, ...Array(10).fill(0)], leaves: Array.from({ length: 60 }, (_, k) => 1 + Math.floor(k / 6)) })";
    assert_eq!(
        browser.eval(&format!("{large}.querySelectorAll('.word').length")),
        10,
        "a large tree starts folded"
    );
    assert_eq!(browser.complaints, Vec::<String>::new());
}

#[test]
#[cfg_attr(not(browser), ignore = "needs a browser: install chromium")]
fn a_translation_is_corrected_and_the_pair_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("corrections.jsonl");
    let settings =
        ServeSettings { corrections: Some(file.clone()), rate_limit: 0, ..ServeSettings::default() };
    let server = serve(&[bundles().join("phrase")], settings);
    let mut browser = open(&server);
    type_in(&mut browser, "das Haus");
    browser.wait(&format!("{OUTPUTS}[0] === 'The house'"));
    browser.eval("[...document.querySelectorAll('.sheet-foot button')].find(button => button.textContent === 'Correct').click()");
    browser.eval("document.querySelector('.correction').select()");
    browser.type_text("The home");
    browser.eval("[...document.querySelectorAll('.sheet-foot button')].find(button => button.textContent === 'Save').click()");
    browser.wait("document.querySelector('#corrected li')?.textContent.includes('The home')");
    browser.wait("document.querySelector('#corrected li')?.textContent.includes('stored on the server')");
    let kept = std::fs::read_to_string(&file).unwrap();
    assert!(
        kept.contains("\"translation\":\"The home\"") && kept.contains("\"text\":\"das Haus\""),
        "{kept}"
    );
    assert_eq!(browser.complaints, Vec::<String>::new());
}

#[test]
#[cfg_attr(not(browser), ignore = "needs a browser: install chromium")]
fn cards_rules_and_reports_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("report.html");
    let page = "<!doctype html><body class=\"report\"><h1>Comparison</h1><script>document.title = 'attacked'</script>\
        <img src=x onerror=\"document.title = 'attacked'\"><table><tr><td>hiero</td></tr></table><details open><summary>s</summary>\
        <script type=\"application/json\" class=\"drawing\">{\"kind\":\"links\",\"source\":[\"das\"],\"target\":[\"the\"],\"links\":[[0,0]]}</script></details></body>";
    std::fs::write(&report, page).unwrap();
    let server =
        serve_all(ServeSettings { reports: vec![report], rate_limit: 0, ..ServeSettings::default() });
    let mut browser = open(&server);
    browser.eval("document.getElementById('tab-systems').click()");
    browser.wait("document.querySelectorAll('.cards > div').length >= 4");
    browser.eval("(() => { document.getElementById('rule-words').value = 'Haus'; document.getElementById('rule-search').requestSubmit(); })()");
    browser.wait("document.querySelectorAll('#rules tbody tr').length > 1");
    browser.screenshot("systems-1280-light");
    browser.look(390, 844, "light");
    assert_eq!(
        browser.eval("document.documentElement.scrollWidth <= 390"),
        true,
        "nothing is wider than a phone"
    );
    browser.screenshot("systems-390-light");
    browser.eval("document.getElementById('tab-report').click()");
    browser.eval("document.querySelector('#reports button').click()");
    browser.wait("document.querySelector('#report h1')?.textContent === 'Comparison' && document.querySelector('#report svg .link')");
    assert!(
        browser.eval("document.title").as_str().unwrap().starts_with("Treeglot"),
        "a report does nothing by itself"
    );
    // Newer browsers tell of the attack while the report is parsed, before its attributes are taken away.
    let blocked = "Executing inline event handler violates the following Content Security Policy";
    browser.complaints.retain(|complaint| !complaint.contains(blocked));
    assert_eq!(browser.complaints, Vec::<String>::new());
}

#[test]
#[cfg_attr(not(browser), ignore = "needs a browser: install chromium")]
fn a_key_is_asked_for_where_one_is_needed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("keys");
    let key = treeglot_serve::new_key(&file, "Ada").unwrap();
    let server = serve(
        &[bundles().join("phrase")],
        ServeSettings { keys: Some(file), rate_limit: 0, ..ServeSettings::default() },
    );
    let mut browser = open(&server);
    type_in(&mut browser, "das Haus");
    browser.wait("document.getElementById('problem').textContent.includes('API key')");
    browser.eval(&format!("(() => {{ const box = document.getElementById('key'); box.value = '{key}'; box.dispatchEvent(new Event('change')); }})()"));
    browser.wait(&format!("{OUTPUTS}[0] === 'The house'"));
}

/// The time from the start of a server to its page on the screen, with the browser started before: it must be short, whatever
/// machine this is; the figure for ours is in docs/benchmarks.md.
#[test]
#[cfg_attr(not(browser), ignore = "needs a browser: install chromium")]
fn the_first_page_is_soon_on_the_screen() {
    bundles();
    let mut browser = Browser::start();
    browser.look(1280, 900, "light");
    let start = Instant::now();
    let server = serve_all(ServeSettings::default());
    browser.open(&format!("http://{}/", server.address));
    browser.wait("performance.getEntriesByName('first-contentful-paint').length > 0");
    let (all, paint) = (
        start.elapsed(),
        browser.eval("performance.getEntriesByName('first-contentful-paint')[0].startTime"),
    );
    println!(
        "page ready {} ms after the start of the server, painted {paint} ms after it was asked for",
        all.as_millis()
    );
    assert!(all.as_secs() < 5, "{all:?}");
}
