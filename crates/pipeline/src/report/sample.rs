//! Sample sentences of a report: what the systems made of each, side by side, equal translations once, with drawings of how.

use super::svg::escape;
use super::write;
use treeglot_document::confidence_colour;

/// A sentence and what the systems made of it.
#[derive(Debug, Clone, Default)]
pub struct Sample {
    /// The source sentence.
    pub source: String,
    /// Its reference; may be empty.
    pub reference: String,
    /// Pictures of the source: trees.
    pub pictures: Vec<Picture>,
    /// What each system made of it.
    pub outputs: Vec<SampleOutput>,
    /// How far the translation can be trusted, from 0 to 1, where that is known.
    pub confidence: Option<f64>,
}

/// What a system made of a sample sentence.
#[derive(Debug, Clone, Default)]
pub struct SampleOutput {
    /// The system's name; empty where there is only one.
    pub system: String,
    /// Its translation.
    pub text: String,
    /// Pictures: links, derivation.
    pub pictures: Vec<Picture>,
}

/// A picture with its heading.
#[derive(Debug, Clone, Default)]
pub struct Picture {
    /// What it shows.
    pub heading: String,
    /// What is drawn, as the drawings that all pages share read it ([`treeglot_tree::page`]).
    pub drawing: serde_json::Value,
}

impl Sample {
    /// Appends it to a page, open or folded.
    pub(super) fn html(&self, open: bool, out: &mut String) {
        let open = if open { " open" } else { "" };
        let rated = self.confidence.map(|confidence| format!(" {}", rated(confidence))).unwrap_or_default();
        let source = escape(&self.source);
        write(out, format_args!("<details class=\"sample\"{open}><summary>{source}{rated}</summary>\n"));
        out.push_str("<div class=\"scroll\"><table class=\"outputs\"><tbody>\n");
        if !self.reference.is_empty() {
            row("reference", &escape(&self.reference), "soft", out);
        }
        let groups = self.groups();
        for group in &groups {
            let names: Vec<&str> = group.iter().map(|output| output.system.as_str()).collect();
            let names = names.join(", ");
            let name = if names.is_empty() { "translation" } else { &names };
            row(name, &self.coloured(&marked(&group[0].text, &self.reference)), "", out);
        }
        out.push_str("</tbody></table></div>\n");
        pictures(&self.pictures, out);
        for output in groups.iter().flatten().filter(|output| !output.pictures.is_empty()) {
            // What one system made is looked at after the comparison; of a single one there is nothing to compare.
            let alone = output.system.is_empty();
            if !alone {
                let system = escape(&output.system);
                write(out, format_args!("<details><summary>how <b>{system}</b> made it</summary>\n"));
            }
            pictures(&output.pictures, out);
            out.push_str(if alone { "" } else { "</details>\n" });
        }
        out.push_str("</details>\n");
    }

    /// A translation, as HTML, in the colour of its confidence.
    fn coloured(&self, text: &str) -> String {
        let Some(confidence) = self.confidence else { return text.to_string() };
        let colour = confidence_colour(confidence);
        format!("<span class=\"confidence\" style=\"background:{colour}\">{text}</span>")
    }

    /// The outputs, those with the same text together.
    fn groups(&self) -> Vec<Vec<&SampleOutput>> {
        let mut groups: Vec<Vec<&SampleOutput>> = Vec::new();
        for output in &self.outputs {
            match groups.iter_mut().find(|group| group[0].text == output.text) {
                Some(group) => group.push(output),
                None => groups.push(vec![output]),
            }
        }
        groups
    }
}

/// A confidence as a number in its colour.
pub(super) fn rated(confidence: f64) -> String {
    let colour = confidence_colour(confidence);
    format!(
        "<span class=\"confidence\" title=\"confidence\" style=\"background:{colour}\">{confidence:.2}</span>"
    )
}

fn row(names: &str, text: &str, class: &str, out: &mut String) {
    let names = escape(names);
    write(out, format_args!("<tr class=\"{class}\"><th scope=\"row\">{names}</th><td>{text}</td></tr>\n"));
}

/// A text with marks around what is not in the longest sequence it has in common with the reference: words, and signs by themselves.
fn marked(text: &str, reference: &str) -> String {
    if reference.is_empty() {
        return escape(text);
    }
    let (own, other) = (pieces(text), pieces(reference));
    // common[i][j]: how many pieces the rests from i and from j have in common.
    let mut common = vec![vec![0u32; other.len() + 1]; own.len() + 1];
    for i in (0..own.len()).rev() {
        for j in (0..other.len()).rev() {
            common[i][j] = match own[i] == other[j] {
                true => common[i + 1][j + 1] + 1,
                false => common[i + 1][j].max(common[i][j + 1]),
            };
        }
    }
    let (mut j, mut out, mut rest) = (0, String::new(), text);
    for (i, piece) in own.iter().enumerate() {
        while j < other.len() && own[i] != other[j] && common[i][j + 1] == common[i][j] {
            j += 1;
        }
        let kept = j < other.len() && own[i] == other[j];
        j += usize::from(kept);
        let (before, after) = rest.split_once(piece).expect("pieces are of the text, in its order");
        rest = after;
        out.push_str(if before.is_empty() { "" } else { " " });
        let piece = escape(piece);
        out.push_str(&if kept { piece } else { format!("<mark>{piece}</mark>") });
    }
    out
}

/// A text's words and signs; where words are written without blanks, each letter.
fn pieces(text: &str) -> Vec<&str> {
    let alone = |c: char| !c.is_alphanumeric() || c >= '\u{2e80}';
    let mut pieces = Vec::new();
    for word in text.split_whitespace() {
        let mut begin = 0;
        for (at, c) in word.char_indices().filter(|&(_, c)| alone(c)) {
            pieces.extend([&word[begin..at], &word[at..at + c.len_utf8()]]);
            begin = at + c.len_utf8();
        }
        pieces.push(&word[begin..]);
    }
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

fn pictures(pictures: &[Picture], out: &mut String) {
    if pictures.is_empty() {
        return;
    }
    out.push_str("<div class=\"columns\">\n");
    for Picture { heading, drawing } in pictures {
        // A word such as `</script>` must not end the data.
        let (heading, data) = (escape(heading), drawing.to_string().replace('<', "\\u003c"));
        write(
            out,
            format_args!(
                "<figure class=\"scroll\"><figcaption class=\"soft\">{heading}</figcaption>\
                 <script type=\"application/json\" class=\"drawing\">{data}</script></figure>\n"
            ),
        );
    }
    out.push_str("</div>\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_the_reference_lacks_are_marked() {
        assert_eq!(marked("the old house", "the house"), "the <mark>old</mark> house");
        assert_eq!(marked("house the", "the house"), "house <mark>the</mark>");
        assert_eq!(marked("a b a", "a b a"), "a b a");
        assert_eq!(marked("<x y", "y"), "<mark>&lt;</mark><mark>x</mark> y");
        assert_eq!(marked("the house .", "A house."), "<mark>the</mark> house .");
        assert_eq!(marked("我有猫。", "我有狗。"), "我有<mark>猫</mark>。");
        assert_eq!(marked("as it is", ""), "as it is");
    }

    #[test]
    fn equal_translations_are_shown_once() {
        let output = |system: &str, text: &str| SampleOutput {
            system: system.into(),
            text: text.into(),
            ..SampleOutput::default()
        };
        let outputs = vec![output("a", "the house"), output("b", "a house"), output("c", "the house")];
        let sample =
            Sample { source: "das Haus".into(), reference: "the house".into(), outputs, ..Sample::default() };
        let mut page = String::new();
        sample.html(false, &mut page);
        assert_eq!(
            page.matches("<td>the house</td>").count(),
            2,
            "the reference and the translation: {page}"
        );
        assert!(
            page.contains("<th scope=\"row\">a, c</th>") && page.contains("<mark>a</mark> house"),
            "{page}"
        );
    }
}
