//! The pages that commands write, in a real browser: the viewer of aligned trees, the report, explained translations.

use crate::devtools::Browser;
use std::path::Path;
use treeglot_align::links::Link;
use treeglot_align::trees::{NodeLink, NumberedTree, Viewer};
use treeglot_document::Format;
use treeglot_pipeline::translator::calibrate;
use treeglot_pipeline::{
    Bundle, Cache, ExplainedPage, Progress, Recipe, Request, Resources, Translator, publish, run_experiment,
};
use treeglot_sample::Sample;
use treeglot_tree::format::tiger_align::{Alignment, TreebankRef};

/// Pictures of a page at both widths, light and dark; it must not be wider than a phone.
fn looked_at(browser: &mut Browser, name: &str) {
    for (width, height) in [(1280, 900), (390, 844)] {
        for scheme in ["light", "dark"] {
            browser.look(width, height, scheme);
            browser.screenshot(&format!("{name}-{width}-{scheme}"));
        }
    }
    assert_eq!(browser.eval("document.documentElement.scrollWidth <= 390"), true, "{name} fits a phone");
    browser.look(1280, 900, "light");
}

/// Writes the viewer's page of the sample's first pairs: two sets of links, or one.
fn viewer(path: &Path, sets: usize) {
    let treebank =
        |id: &str| TreebankRef { id: id.into(), filename: format!("{id}.xml"), ..TreebankRef::default() };
    let names: Vec<String> =
        ["gold.xml", "ours.xml"].iter().take(sets).map(|name| name.to_string()).collect();
    let alignment = Alignment::new([treebank("de"), treebank("en")]);
    let mut viewer = Viewer::new(Vec::new(), &names, &alignment).unwrap();
    for (number, pair) in Sample::embedded().test.iter().take(20).enumerate() {
        let sides = [&pair.source, &pair.target].map(|side| NumberedTree::of_con(&side.con, number + 1));
        let [source, target] = &sides;
        let links = pair
            .links
            .iter()
            .map(|&(s, t)| Link::new(source.nodes.leaves()[s as usize], target.nodes.leaves()[t as usize]));
        let gold: Vec<NodeLink> = links.chain([Link::new(0, 0)]).map(NodeLink::from).collect();
        let ours: Vec<NodeLink> = gold[1..].to_vec();
        viewer.add([source, target], &[&gold[..], &ours[..]][..sets]).unwrap();
    }
    std::fs::write(path, viewer.finish().unwrap()).unwrap();
}

fn open(folder: &Path, page: &str) -> Browser {
    let mut browser = Browser::start();
    browser.look(1280, 900, "light");
    browser.open(&format!("file://{}/{page}", folder.display()));
    browser
}

#[test]
#[cfg_attr(not(browser), ignore = "needs a browser: install chromium")]
fn pairs_have_addresses_and_are_gone_through_with_keys() {
    let folder = tempfile::tempdir().unwrap();
    viewer(&folder.path().join("trees.html"), 2);
    let mut browser = open(folder.path(), "trees.html#pair-3");
    let about = "document.getElementById('about').textContent";
    assert!(browser.eval(about).as_str().unwrap().starts_with("Pair 3 of 20:"));
    assert!(browser.eval(about).as_str().unwrap().contains("1 in gold.xml alone"));
    let kinds =
        "['both', 'first', 'second'].map(kind => document.querySelectorAll(`#picture .link.${kind}`).length)";
    let kinds = browser.eval(kinds);
    assert!(kinds[0].as_u64().unwrap() > 2 && kinds[1] == 1 && kinds[2] == 0, "{kinds}");
    browser.press("ArrowRight");
    browser.wait("location.hash === '#pair-4'");
    browser.press("ArrowLeft");
    browser.press("ArrowLeft");
    browser.wait("location.hash === '#pair-2' && document.querySelector('li [aria-current]').textContent.startsWith('2.')");
    let width = "Number(document.querySelector('#picture svg').getAttribute('width'))";
    let fitting = browser.eval(width).as_f64().unwrap();
    assert!(fitting <= 1280.0 - 320.0, "it fits: {fitting}");
    browser.press("+");
    browser.press("+");
    assert!(browser.eval(width).as_f64().unwrap() > 1.4 * fitting);
    browser.press("0");
    assert_eq!(browser.eval(width).as_f64().unwrap(), fitting);
    looked_at(&mut browser, "viewer");
    assert_eq!(browser.complaints, Vec::<String>::new());
}

#[test]
#[cfg_attr(not(browser), ignore = "needs a browser: install chromium")]
fn links_are_mended_and_saved_as_an_alignment() {
    let folder = tempfile::tempdir().unwrap();
    viewer(&folder.path().join("trees.html"), 1);
    let mut browser = open(folder.path(), "trees.html");
    let saved = |browser: &mut Browser| {
        let xml = browser.eval("alignment()").as_str().unwrap().to_string();
        Alignment::read("saved", xml.as_bytes()).unwrap()
    };
    let before = saved(&mut browser);
    assert_eq!(before.meta[0], ("size".to_string(), before.links.len().to_string()));
    browser.press("e");
    let node = |side: &str, node: u32| {
        format!(
            "document.querySelector('[data-node-side={side}][data-node=\"{node}\"]').dispatchEvent(new MouseEvent('click', {{ bubbles: true }}))"
        )
    };
    // The tops are linked: chosen one after the other they are parted, and again they are linked.
    browser.eval(&node("source", 0));
    browser.eval(&node("target", 0));
    assert_eq!(saved(&mut browser).links.len(), before.links.len() - 1);
    browser.eval(&node("target", 0));
    browser.eval(&node("source", 0));
    browser.press("f");
    let after = saved(&mut browser);
    assert_eq!(after.links.len(), before.links.len());
    let top = |alignment: &Alignment| {
        let link = alignment.links.iter().find(|link| link.ids.iter().all(|id| &**id == "s1_500")).unwrap();
        link.kind.to_string()
    };
    assert_eq!((top(&before), top(&after)), ("good".to_string(), "fuzzy".to_string()));
    browser.press("Delete");
    assert_eq!(saved(&mut browser).links.len(), before.links.len() - 1);
    for _ in 0..4 {
        browser.press("u");
    }
    assert_eq!(saved(&mut browser), before, "all is undone");
    assert_eq!(browser.complaints, Vec::<String>::new());
}

const RECIPE: &str = r#"
title = "A small comparison"
source = "de"
target = "en"
data.train = { source = "train.raw.de", target = "train.raw.en", source-dep = "train.de.conllu", limit = 600 }
data.dev = { source = "dev.raw.de", target = "dev.raw.en", source-dep = "dev.de.conllu", limit = 20 }
[[data.test]]
name = "test"
source = "test.raw.de"
target = "test.raw.en"
source-dep = "test.de.conllu"
limit = 40
[preprocess]
truecase = false
[tune]
rounds = 1
nbest = 20
[[system]]
model = "phrase"
[[system]]
model = "hiero"
[[system]]
model = "dep2str"
"#;

#[test]
#[cfg_attr(not(browser), ignore = "needs a browser: install chromium")]
fn the_report_reads_as_a_report_at_any_width() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    treeglot_sample::write_to(Sample::embedded(), at).unwrap();
    let recipe = Recipe::parse(RECIPE, "recipe.toml".as_ref(), at, None).unwrap();
    let cache = Cache::open(at.join("cache")).unwrap();
    let results = run_experiment(&recipe, &cache, Resources::default(), &Progress::quiet()).unwrap();
    publish(&recipe, &results, at).unwrap();
    let mut browser = open(at, "report.html");
    let text = browser.eval("document.body.innerText").as_str().unwrap().to_string();
    for part in [
        "3 systems are compared (de-en). They were trained on ",
        "; scores are of test (40 sentences).",
        " has the best BLEU on test, ",
        "± is half the interval of 95%",
        "nrefs:1|case:mixed|eff:no|tok:13a|",
        "TranslationModel0",
        "how phrase made it",
        "What treeglot experiment was given",
    ] {
        assert!(text.contains(part), "{part} is missing: {text}");
    }
    browser.wait("document.querySelector('details.sample[open] svg')");
    let boxes = "[...document.querySelectorAll('details.sample[open] figure svg')].flatMap(svg => { \
        const labels = [...svg.querySelectorAll('text.label')].map(text => text.getBoundingClientRect()); \
        return labels.flatMap((a, k) => labels.slice(k + 1).filter(b => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 3 && b.top < a.bottom - 3)); }).length";
    assert_eq!(browser.eval(boxes), 0, "no label is printed over another");
    browser.eval(
        "document.querySelectorAll('details.sample[open] details').forEach(part => { part.open = true; })",
    );
    browser.wait("document.querySelectorAll('details.sample[open] details svg').length >= 4");
    looked_at(&mut browser, "report");

    let bundle = Bundle::open(results.directions[0].bundle(&results.directions[0].systems[1], at)).unwrap();
    calibrate(&bundle, &at.join("dev.raw.de"), &at.join("dev.raw.en"), 2).unwrap();
    let translator = Translator::open([bundle.folder()]).unwrap();
    let mut page = ExplainedPage::default();
    for (number, pair) in Sample::embedded().test.iter().take(3).enumerate() {
        let request = Request { explain: true, signs: true, ..Request::default() };
        page.add(
            number as u64,
            &pair.source.raw,
            &translator.translate_with(&pair.source.raw, &request).unwrap(),
        );
    }
    page.write(&at.join("why.html"), "three sentences", &Default::default()).unwrap();
    browser.open(&format!("file://{}/why.html", at.display()));
    browser.wait("document.querySelectorAll('details.sample[open] svg').length >= 2");
    let rated = "[...document.querySelectorAll('summary .confidence')].map(one => Number(one.textContent))";
    let rated: Vec<f64> = serde_json::from_value(browser.eval(rated)).unwrap();
    assert!(rated.len() == 3 && rated.iter().all(|rated| (0.0..=1.0).contains(rated)), "{rated:?}");
    let shown = "(() => { const one = document.querySelector('td .confidence'); return getComputedStyle(one).backgroundColor; })()";
    assert!(browser.eval(shown).as_str().unwrap().starts_with("rgba("), "the colour can be seen");
    looked_at(&mut browser, "explained");
    let text: Vec<&str> =
        Sample::embedded().test.iter().take(6).map(|pair| pair.source.raw.as_str()).collect();
    let page = format!(
        "<!doctype html><html><head><meta charset=utf-8><meta name=viewport content='width=device-width'><title>{}</title>\
         <style>:root {{ color-scheme: light dark }}</style></head><body data-ready=true><p>{} <b>{}</b></p><ul><li>{}<li><a href='#'>{}</a></ul></body></html>",
        text[0],
        text[..3].join(" "),
        text[3],
        text[4],
        text[5]
    );
    let request = Request { colours: true, ..Request::default() };
    let (page, _) = translator.translate_document(Format::Html, &page, &request).unwrap();
    std::fs::write(at.join("coloured.html"), page).unwrap();
    browser.open(&format!("file://{}/coloured.html", at.display()));
    assert_eq!(browser.eval("[...document.querySelectorAll('p .confidence')].length >= 4"), true);
    assert_eq!(browser.eval("document.title.includes('<')"), false, "a title has text alone");
    looked_at(&mut browser, "coloured");
    assert_eq!(browser.complaints, Vec::<String>::new());
}
