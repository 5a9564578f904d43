//! Reports: one HTML page that needs nothing else, with the comparison of systems, charts, and pictures of sample
//! sentences. What is on the page is plain data, so that it can be made from any experiment.

pub mod chart;
pub mod svg;

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
    /// Its parts, one a direction of translation.
    pub parts: Vec<Part>,
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

/// A sentence and what the systems made of it.
#[derive(Debug, Clone, Default)]
pub struct Sample {
    /// The source sentence.
    pub source: String,
    /// Its reference.
    pub reference: String,
    /// Pictures of the source: trees.
    pub pictures: Vec<Picture>,
    /// What each system made of it.
    pub outputs: Vec<SampleOutput>,
}

/// What a system made of a sample sentence.
#[derive(Debug, Clone, Default)]
pub struct SampleOutput {
    /// The system's name.
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
        for part in &self.parts {
            part.html(&mut out);
        }
        let all = "Drawings.drawAll(document);";
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
        out.push_str("<div class=\"charts\">\n");
        for chart in &self.charts {
            write(out, format_args!("<figure class=\"scroll\">{chart}</figure>\n"));
        }
        out.push_str("</div>\n");
        if !self.samples.is_empty() {
            out.push_str("<h3>Sample sentences</h3>\n");
        }
        for sample in &self.samples {
            sample.html(out);
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

impl Sample {
    fn html(&self, out: &mut String) {
        write(out, format_args!("<details><summary>{}</summary>\n", escape(&self.source)));
        write(
            out,
            format_args!("<p><span class=\"soft\">reference</span> {}</p>\n", escape(&self.reference)),
        );
        pictures(&self.pictures, out);
        for output in &self.outputs {
            write(out, format_args!("<p><b>{}</b> {}</p>\n", escape(&output.system), escape(&output.text)));
            pictures(&output.pictures, out);
        }
        out.push_str("</details>\n");
    }
}

fn pictures(pictures: &[Picture], out: &mut String) {
    for Picture { heading, drawing } in pictures {
        // A word such as `</script>` must not end the data.
        let (heading, data) = (escape(heading), drawing.to_string().replace('<', "\\u003c"));
        write(
            out,
            format_args!(
                "<div class=\"scroll\"><div class=\"soft\">{heading}</div>\
                 <script type=\"application/json\" class=\"drawing\">{data}</script></div>\n"
            ),
        );
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
        let page = Report { title: "T & T".into(), about: String::new(), parts: vec![part] }.html();
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
