//! Inline tags: random pairs of tags around words of 500 test sentences, some nested, and single ones. Where they end up is judged by the
//! links of the word aligner, trained on other pairs and these, which the translator has not seen.

use super::{Desk, Drawn, Row};

const SENTENCES: usize = 500;

/// So many training pairs help the aligner.
const BESIDE: usize = 6000;

/// A pair of tags around raw words of a sentence.
struct Tag {
    sentence: usize,
    start: usize,
    end: usize,
}

pub fn rows(desk: &Desk) -> Result<Vec<Row>, String> {
    let sources: Vec<String> = desk.read("test.de")?.into_iter().take(SENTENCES).collect();
    let (page, tags, single) = tagged(&sources);
    desk.write("page.html", &page)?;
    desk.ask(&["translate", "-q", "-m", "m", "--format", "html", "page.html", "-o", "page.out"])?;
    let outputs = desk.read("page.out")?;
    let mut whole = 0;
    let mut found = vec![None; tags.len()];
    let mut texts = Vec::with_capacity(outputs.len());
    for output in &outputs {
        let inside = output.trim_start_matches("<p>").trim_end_matches("</p>");
        let (text, pairs, sound) = read(inside);
        whole += usize::from(sound);
        for (number, from, to) in pairs {
            found[number] = Some([text[..from].to_string(), text[from..to].to_string()]);
        }
        texts.push(text);
    }
    let lost = found.iter().filter(|place| place.is_none()).count()
        + single.abs_diff(outputs.iter().map(|output| output.matches("<img ").count()).sum());
    let empty = found.iter().flatten().filter(|[_, inside]| inside.trim().is_empty()).count();
    let (judged, right, overlap) = judge(desk, &sources, &texts, &tags, &found)?;
    let how = format!(
        "{} test sentences as HTML with {} random pairs of tags, some nested, and {single} single ones; `translate --format html`",
        sources.len(),
        tags.len()
    );
    let result =
        format!("{whole} of {} well-formed, {lost} tags lost, {empty} pairs around no word", sources.len());
    let placed = format!(
        "{judged} of these pairs, by the links of `treeglot align` (trained on {BESIDE} pairs beside): all words linked to what it stood \
         around inside, none linked only elsewhere"
    );
    let right = format!("{:.1}%; overlap of words {:.1}%", 100.0 * right, 100.0 * overlap);
    Ok(vec![
        Row { what: "inline tags", how, result },
        Row { what: "the same, place", how: placed, result: right },
    ])
}

/// The sentences as paragraphs of a page, a line each, and the pairs of tags in them; how many single tags there are.
fn tagged(sources: &[String]) -> (Vec<String>, Vec<Tag>, usize) {
    let (mut drawn, mut tags, mut single) = (Drawn(26), Vec::new(), 0);
    let mut page = Vec::new();
    for (sentence, text) in sources.iter().enumerate() {
        let words: Vec<&str> = text.split_whitespace().collect();
        let mut around = vec![(String::new(), String::new()); words.len()];
        let mut within = 0..words.len();
        for _ in 0..1 + drawn.below(2) {
            let length = (1 + drawn.below(5)).min(within.len());
            if length == 0 {
                break;
            }
            let start = within.start + drawn.below(within.len() - length + 1);
            around[start].0 += &format!("<b id={}>", tags.len());
            around[start + length - 1].1.insert_str(0, "</b>");
            tags.push(Tag { sentence, start, end: start + length });
            // The next pair is nested in this one, so it opens behind it and closes before it.
            within = start..start + length;
        }
        if drawn.below(10) < 3 {
            around[drawn.below(words.len())].0.insert_str(0, "<img src=x>");
            single += 1;
        }
        let escaped = |word: &str| word.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let words: Vec<String> =
            words.iter().zip(around).map(|(word, (open, close))| open + &escaped(word) + &close).collect();
        page.push(format!("<p>{}</p>", words.join(" ")));
    }
    (page, tags, single)
}

/// A translated paragraph without tags, the pairs of tags with what they stand around, and whether they are nested.
fn read(inside: &str) -> (String, Vec<(usize, usize, usize)>, bool) {
    let (mut text, mut open, mut pairs, mut sound) = (String::new(), Vec::new(), Vec::new(), true);
    let mut rest = inside;
    while let Some(at) = rest.find('<') {
        text.push_str(&unescaped(&rest[..at]));
        let end = rest[at..].find('>').map_or(rest.len(), |end| at + end + 1);
        match &rest[at..end] {
            "</b>" => match open.pop() {
                Some((number, from)) => pairs.push((number, from, text.len())),
                None => sound = false,
            },
            tag => {
                let number =
                    tag.strip_prefix("<b id=").and_then(|rest| rest.trim_end_matches('>').parse().ok());
                open.extend(number.map(|number: usize| (number, text.len())));
            }
        }
        rest = &rest[end..];
    }
    text.push_str(&unescaped(rest));
    (text, pairs, sound && open.is_empty())
}

fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

/// How many pairs can be judged, the share that is right, and the share of words that both ways of placing them have in common.
fn judge(
    desk: &Desk,
    sources: &[String],
    outputs: &[String],
    tags: &[Tag],
    found: &[Option<[String; 2]>],
) -> Result<(usize, f64, f64), String> {
    let links = links(desk, sources, outputs)?;
    let mut pieces = Vec::new();
    for (tag, place) in tags.iter().zip(found) {
        let words: Vec<&str> = sources[tag.sentence].split_whitespace().collect();
        let [before, inside] = place.clone().unwrap_or_default();
        pieces.push([words[..tag.start].join(" "), words[tag.start..tag.end].join(" "), before, inside]);
    }
    let column = |at: usize, language: &str| -> Result<Vec<usize>, String> {
        let texts: Vec<&str> = pieces.iter().map(|piece| piece[at].as_str()).collect();
        Ok(desk.tokens(language, &texts)?.iter().map(Vec::len).collect())
    };
    let counts = [column(0, "de")?, column(1, "de")?, column(2, "en")?, column(3, "en")?];
    let (mut judged, mut right, mut common, mut all) = (0, 0, 0, 0);
    for (number, tag) in tags.iter().enumerate() {
        let source = counts[0][number]..counts[0][number] + counts[1][number];
        let target = counts[2][number]..counts[2][number] + counts[3][number];
        let of = &links[tag.sentence];
        let wanted: Vec<usize> =
            of.iter().filter(|link| source.contains(&link[0])).map(|link| link[1]).collect();
        if wanted.is_empty() {
            continue;
        }
        let linked_elsewhere =
            |word: &usize| of.iter().any(|link| link[1] == *word) && !wanted.contains(word);
        judged += 1;
        let missed = wanted.iter().any(|word| !target.contains(word));
        right += usize::from(!missed && !target.clone().any(|word| linked_elsewhere(&word)));
        let union = target.clone().filter(|word| !wanted.contains(word)).filter(linked_elsewhere).count();
        let mut distinct = wanted.clone();
        distinct.sort_unstable();
        distinct.dedup();
        common += distinct.iter().filter(|word| target.contains(word)).count();
        all += distinct.len() + union;
    }
    Ok((
        judged,
        right as f64 / f64::from(judged as u32).max(1.0),
        common as f64 / f64::from(all as u32).max(1.0),
    ))
}

/// The aligner's links of sentences and translations, as positions of tokens.
fn links(desk: &Desk, sources: &[String], outputs: &[String]) -> Result<Vec<Vec<[usize; 2]>>, String> {
    for (language, own) in [("de", sources), ("en", outputs)] {
        let train = desk.read(&format!("train.{language}"))?;
        let texts: Vec<&String> = train.iter().take(BESIDE).chain(own).collect();
        let tokens = desk.tokens(language, &texts)?;
        let lower: Vec<String> = tokens.iter().map(|words| words.join(" ").to_lowercase()).collect();
        desk.write(&format!("to-align.{language}"), &lower)?;
    }
    let all = desk.lines(&["align", "-q", "to-align.de", "to-align.en"])?;
    let link = |link: &str| -> Option<[usize; 2]> {
        let (source, target) = link.split_once('-')?;
        Some([source.parse().ok()?, target.parse().ok()?])
    };
    Ok(all.iter().skip(BESIDE).map(|line| line.split(' ').filter_map(link).collect()).collect())
}
