//! Reports: one HTML page that needs nothing else, with the comparison of systems, charts, and pictures of sample
//! sentences. What is on the page is plain data, so that it can be made from any experiment.

pub mod chart;
pub mod coverage;
mod sample;
pub mod svg;
pub mod units;

pub use sample::{Picture, Sample, SampleOutput};

use std::fmt::Write;
use svg::escape;
use treeglot_tree::page;

/// A page.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// The page's title.
    pub title: String,
    /// A line on data, date and program.
    pub about: String,
    /// What was done, in a few sentences.
    pub intro: String,
    /// Its parts, one a direction of translation.
    pub parts: Vec<Part>,
    /// The recipe that it is the report of, as it is written; may be empty.
    pub recipe: String,
}

/// One direction of translation.
#[derive(Debug, Clone, Default)]
pub struct Part {
    /// Its heading.
    pub title: String,
    /// What it says, in a sentence.
    pub summary: String,
    /// The tables: scores, then costs.
    pub tables: Vec<Table>,
    /// Charts as pictures.
    pub charts: Vec<String>,
    /// Sample sentences.
    pub samples: Vec<Sample>,
}

/// A table of systems by columns.
#[derive(Debug, Clone, Default)]
pub struct Table {
    /// What it shows.
    pub caption: String,
    /// The columns' names; the first is that of the row's name.
    pub columns: Vec<String>,
    /// The rows: cells as they are shown.
    pub rows: Vec<Vec<Cell>>,
    /// What signs in the table mean.
    pub note: String,
}

/// A cell of a table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cell {
    /// What it shows.
    pub text: String,
    /// Whether it is the best of its column.
    pub best: bool,
}

impl Cell {
    /// A cell with a text.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), best: false }
    }
}

impl Report {
    /// What a page of ours says of who made it.
    pub const GENERATOR: &'static str = "<meta name=\"generator\" content=\"treeglot\">";

    /// The page.
    pub fn html(&self) -> String {
        let mut out = String::new();
        let title = escape(&self.title);
        let (style, drawings, generator) = (page::STYLE, page::DRAWINGS, Self::GENERATOR);
        write(
            &mut out,
            format_args!(
                "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">{generator}<title>{title}</title>\n\
             <style>\n{style}</style></head><body class=\"report\">\n<h1>{title}</h1>\n<p class=\"soft\">{}</p>\n",
                escape(&self.about)
            ),
        );
        if !self.intro.is_empty() {
            write(&mut out, format_args!("<p>{}</p>\n", escape(&self.intro)));
        }
        for part in &self.parts {
            part.html(&mut out);
        }
        if !self.recipe.is_empty() {
            let recipe: Vec<String> = self.recipe.lines().map(escape).collect();
            write(
                &mut out,
                format_args!(
                    "<h2>Recipe</h2>\n<details><summary>What <code>treeglot experiment</code> was given</summary>\
                     <pre class=\"scroll\">{}</pre></details>\n",
                    recipe.join("\n")
                ),
            );
        }
        let all = "Drawings.drawAll(document);\ndocument.body.dataset.ready = \"true\";";
        write(&mut out, format_args!("<script>\n{drawings}{all}\n</script></body></html>\n"));
        out
    }
}

impl Part {
    fn html(&self, out: &mut String) {
        write(out, format_args!("<h2>{}</h2>\n", escape(&self.title)));
        if !self.summary.is_empty() {
            write(out, format_args!("<p>{}</p>\n", escape(&self.summary)));
        }
        for table in &self.tables {
            table.html(out);
        }
        if !self.charts.is_empty() {
            out.push_str("<div class=\"columns\">\n");
            self.charts.iter().for_each(|chart| {
                write(out, format_args!("<figure class=\"scroll chart\">{chart}</figure>\n"));
            });
            out.push_str("</div>\n");
        }
        if self.samples.iter().any(|sample| !sample.reference.is_empty()) {
            out.push_str("<h3>Sample sentences</h3>\n");
            out.push_str("<p class=\"soft\">Words that the reference does not have are marked.</p>\n");
        }
        if self.samples.iter().any(|sample| sample.confidence.is_some()) {
            let scale: Vec<String> = [0.3, 0.45, 0.6, 0.8].map(sample::rated).to_vec();
            write(
                out,
                format_args!(
                    "<p class=\"soft\">Colours tell how far a translation can be trusted, from 0 to 1: {}. Look at the red ones first.</p>\n",
                    scale.join(" ")
                ),
            );
        }
        for (number, sample) in self.samples.iter().enumerate() {
            sample.html(number == 0, out);
        }
    }
}

impl Table {
    /// The table as lines of text, columns in line.
    pub fn text(&self) -> String {
        let columns: Vec<Cell> = self.columns.iter().map(Cell::new).collect();
        let cells = || std::iter::once(&columns).chain(&self.rows);
        let width = |c: usize| cells().map(|row| row[c].text.chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns.len()).map(width).collect();
        let mut out = format!("{}\n", self.caption);
        for row in cells() {
            for (c, Cell { text, .. }) in row.iter().enumerate() {
                let pad = " ".repeat(widths[c] - text.chars().count());
                out.push_str(&if c == 0 { format!("{text}{pad}") } else { format!("  {pad}{text}") });
            }
            out.push('\n');
        }
        if !self.note.is_empty() {
            write(&mut out, format_args!("{}\n", self.note));
        }
        out
    }

    fn html(&self, out: &mut String) {
        write(
            out,
            format_args!("<h3>{}</h3>\n<div class=\"scroll\"><table><thead><tr>", escape(&self.caption)),
        );
        for column in &self.columns {
            write(out, format_args!("<th>{}</th>", escape(column)));
        }
        out.push_str("</tr></thead><tbody>\n");
        for row in &self.rows {
            out.push_str("<tr>");
            for cell in row {
                let class = if cell.best { " class=\"best\"" } else { "" };
                write(out, format_args!("<td{class}>{}</td>", escape(&cell.text)));
            }
            out.push_str("</tr>\n");
        }
        out.push_str("</tbody></table></div>\n");
        if !self.note.is_empty() {
            write(out, format_args!("<p class=\"soft\">{}</p>\n", escape(&self.note)));
        }
    }
}

fn write(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("a string takes every character");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_needs_nothing_else_and_shows_text_as_text() {
        let table = Table {
            caption: "Scores".into(),
            columns: vec!["system".into(), "BLEU".into()],
            rows: vec![vec![Cell::new("a<b"), Cell { text: "40.1*".into(), best: true }]],
            note: "* better".into(),
        };
        let drawing =
            serde_json::json!({ "kind": "links", "source": ["</script>"], "target": [], "links": [] });
        let pictures = vec![Picture { heading: "links".into(), drawing }];
        let sample = Sample { source: "<i>x</i>".into(), pictures, ..Sample::default() };
        let part = Part {
            title: "de-en".into(),
            summary: "a < b".into(),
            tables: vec![table],
            samples: vec![sample],
            ..Part::default()
        };
        let page = Report {
            title: "T & T".into(),
            intro: "What & how".into(),
            parts: vec![part],
            recipe: "a = \"<b>\"\n[x]".into(),
            ..Report::default()
        };
        let page = page.html();
        assert!(
            page.contains("<p>What &amp; how</p>") && page.contains("a = &quot;&lt;b&gt;&quot;\n[x]</pre>")
        );
        assert!(page.contains("<title>T &amp; T</title>") && page.contains("<td>a&lt;b</td>"));
        assert!(page.contains("<p>a &lt; b</p>"));
        assert!(page.contains("<td class=\"best\">40.1*</td>") && page.contains("&lt;i&gt;x"));
        assert!(
            page.contains(r#"class="drawing">{"kind":"links","links":[],"source":["\u003c/script>"]"#),
            "{page}"
        );
        assert!(!page.contains("src=") && !page.contains("href="), "the page loads nothing");
    }
}
