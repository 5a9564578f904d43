//! Pairs from the files that translators have: TMX, PO, tables of two columns, and `source ||| target`.

use crate::markup::{Token, tokens, unescape};
use crate::{Result, malformed, po};
use quick_xml::events::Event;
use quick_xml::reader::Reader;

/// A file of pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PairFormat {
    /// Translation memories; of inline elements the content of text stays.
    Tmx,
    /// Catalogues of gettext; entries that are fuzzy or without a translation are left out.
    Po,
    /// Two columns with a tab between them; further columns are left out.
    Tsv,
    /// `source ||| target`, a pair a line.
    Bars,
}

impl PairFormat {
    /// The format that the ending of a name says: `.tmx`, `.po`, `.tsv`; of others, lines with `|||`.
    pub fn of(name: &str) -> Self {
        let bare = [".gz", ".zst"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name);
        match bare.rsplit('.').next().unwrap_or_default().to_ascii_lowercase().as_str() {
            "tmx" => Self::Tmx,
            "po" | "pot" => Self::Po,
            "tsv" | "tab" => Self::Tsv,
            _ => Self::Bars,
        }
    }
}

/// Reads pairs of these languages, each on one line; languages matter to translation memories alone.
pub fn read_pairs(format: PairFormat, text: &str, languages: [&str; 2]) -> Result<Vec<[String; 2]>> {
    let pairs = match format {
        PairFormat::Tmx => memory(text, languages)?,
        PairFormat::Po => po::pairs(text)?,
        PairFormat::Tsv => columns(text, "\t")?,
        PairFormat::Bars => columns(text, "|||")?,
    };
    let line = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let pairs = pairs.into_iter().map(|pair| pair.map(line));
    Ok(pairs.filter(|pair| pair.iter().all(|side| !side.is_empty())).collect())
}

fn columns(text: &str, sign: &str) -> Result<Vec<[String; 2]>> {
    let mut pairs = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let mut fields = line.trim_end_matches(['\n', '\r']).split(sign);
        match (fields.next(), fields.next()) {
            (Some(source), Some(target)) => pairs.push([source.to_string(), target.to_string()]),
            _ if line.trim().is_empty() => {}
            _ => {
                let name = if sign == "\t" { "a tab" } else { "`|||`" };
                return Err(malformed(text, at, format!("a pair has {name} between its sides")));
            }
        }
        at += line.len();
    }
    Ok(pairs)
}

/// Whether a code names a language, with or without its country.
fn is_language(code: &str, language: &str) -> bool {
    let main = |code: &str| code.split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase();
    code.eq_ignore_ascii_case(language) || main(code) == main(language)
}

fn memory(text: &str, languages: [&str; 2]) -> Result<Vec<[String; 2]>> {
    let mut reader = Reader::from_str(text);
    let (mut pairs, mut unit): (Vec<[String; 2]>, [Option<String>; 2]) = (Vec::new(), [None, None]);
    let (mut side, mut start, mut seen): (Option<usize>, Option<usize>, bool) = (None, None, false);
    loop {
        let before = reader.buffer_position() as usize;
        let event = reader.read_event().map_err(|error| malformed(text, before, error.to_string()))?;
        let after = reader.buffer_position() as usize;
        match event {
            Event::Start(tag) => match tag.local_name().as_ref() {
                "tmx" => seen = true,
                "tu" => unit = [None, None],
                "tuv" => {
                    let code = tag
                        .attributes()
                        .flatten()
                        .find(|attribute| attribute.key.local_name().as_ref() == "lang");
                    side = code.and_then(|code| {
                        languages.iter().position(|language| is_language(&code.value, language))
                    });
                }
                "seg" => start = Some(after),
                _ => {}
            },
            Event::End(tag) => match tag.local_name().as_ref() {
                "seg" => {
                    if let (Some(side), Some(start)) = (side, start.take()) {
                        unit[side] = Some(plain(&text[start..before]));
                    }
                }
                "tu" => {
                    if let [Some(source), Some(target)] = std::mem::take(&mut unit) {
                        pairs.push([source, target]);
                    }
                }
                _ => {}
            },
            Event::Eof if seen => return Ok(pairs),
            Event::Eof => return Err(malformed(text, 0, "no translation memory: there is no <tmx> element")),
            _ => {}
        }
    }
}

/// The text of a segment: what stands in elements that hold the codes of another format is none.
fn plain(segment: &str) -> String {
    let (mut out, mut depth) = (String::new(), 0usize);
    for token in tokens(segment) {
        match token {
            Token::Text(text) if depth == 0 => out.push_str(&unescape(text)),
            Token::Tag(tag)
                if matches!(crate::markup::name(tag).as_str(), "bpt" | "ept" | "ph" | "it" | "ut") =>
            {
                if crate::markup::closes(tag) {
                    depth = depth.saturating_sub(1);
                } else if !tag.ends_with("/>") {
                    depth += 1;
                }
            }
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(source: &str, target: &str) -> [String; 2] {
        [source.to_string(), target.to_string()]
    }

    #[test]
    fn pairs_are_read_from_memories_catalogues_and_tables() {
        let tmx = "<tmx version=\"1.4\"><body><tu><tuv xml:lang=\"EN-us\"><seg>the <bpt i=\"1\">{b}</bpt>house</seg></tuv><tuv xml:lang=\"de\"><seg>das\nHaus &amp; so</seg></tuv></tu><tu><tuv xml:lang=\"fr\"><seg>non</seg></tuv></tu></body></tmx>";
        assert_eq!(
            read_pairs(PairFormat::Tmx, tmx, ["de", "en"]).unwrap(),
            [pair("das Haus & so", "the house")]
        );
        let po = "msgid \"Haus\"\nmsgstr \"house\"\n\n#, fuzzy\nmsgid \"Hund\"\nmsgstr \"cat\"\n\nmsgid \"a\"\nmsgid_plural \"bb\"\nmsgstr[0] \"x\"\nmsgstr[1] \"yy\"\n";
        assert_eq!(
            read_pairs(PairFormat::Po, po, ["de", "en"]).unwrap(),
            [pair("Haus", "house"), pair("a", "x"), pair("bb", "yy")]
        );
        assert_eq!(read_pairs(PairFormat::Tsv, "a\tb\tc\n\n", ["de", "en"]).unwrap(), [pair("a", "b")]);
        assert_eq!(read_pairs(PairFormat::Bars, "a b ||| c\r\n", ["de", "en"]).unwrap(), [pair("a b", "c")]);
        let error = read_pairs(PairFormat::Bars, "a ||| b\nc\n", ["de", "en"]).unwrap_err().to_string();
        assert!(error.contains("line 2") && error.contains("`|||`"), "{error}");
        assert!(read_pairs(PairFormat::Tmx, "<a/>", ["de", "en"]).is_err());
    }
}
