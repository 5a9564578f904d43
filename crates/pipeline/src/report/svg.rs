//! Pictures as SVG text: the few shapes that charts and trees need.

use std::fmt::Write;

/// The height of a line of text, in pixels.
pub const LINE: f64 = 16.0;

/// A picture under construction.
#[derive(Debug, Default)]
pub struct Svg {
    body: String,
    width: f64,
    height: f64,
}

/// Where a text's position is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// At its start.
    Start,
    /// In its middle.
    Middle,
    /// At its end.
    End,
}

impl Svg {
    /// Makes room up to this point.
    pub fn reach(&mut self, x: f64, y: f64) {
        self.width = self.width.max(x);
        self.height = self.height.max(y);
    }

    /// A text; `class` is its style in the page.
    pub fn text(&mut self, x: f64, y: f64, anchor: Anchor, class: &str, text: &str) {
        let (name, right) = match anchor {
            Anchor::Start => ("start", x + text_width(text)),
            Anchor::Middle => ("middle", x + text_width(text) / 2.0),
            Anchor::End => ("end", x),
        };
        self.reach(right, y + 4.0);
        let text = escape(text);
        self.push(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{name}\" class=\"{class}\">{text}</text>"
        ));
    }

    /// A straight line.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), class: &str) {
        self.reach(from.0.max(to.0), from.1.max(to.1));
        let ((x1, y1), (x2, y2)) = (from, to);
        self.push(format_args!(
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" class=\"{class}\"/>"
        ));
    }

    /// A rectangle with a text that shows when pointed at.
    pub fn rect(&mut self, x: f64, y: f64, width: f64, height: f64, class: &str, tip: &str) {
        self.reach(x + width, y + height);
        let tip = escape(tip);
        self.push(format_args!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" class=\"{class}\">\
             <title>{tip}</title></rect>"
        ));
    }

    /// A dot with a text that shows when pointed at.
    pub fn dot(&mut self, x: f64, y: f64, class: &str, tip: &str) {
        self.reach(x + 5.0, y + 5.0);
        let tip = escape(tip);
        self.push(format_args!(
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\" class=\"{class}\"><title>{tip}</title></circle>"
        ));
    }

    /// Any curve, in SVG's path notation.
    pub fn path(&mut self, path: &str, class: &str) {
        self.push(format_args!("<path d=\"{path}\" class=\"{class}\"/>"));
    }

    /// The finished picture, with a description for those who cannot see it.
    pub fn finish(self, description: &str) -> String {
        let (width, height) = (self.width + 10.0, self.height + 8.0);
        let description = escape(description);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\"><title>{description}</title>\n{}</svg>\n",
            self.body
        )
    }

    fn push(&mut self, shape: std::fmt::Arguments<'_>) {
        writeln!(self.body, "{shape}").expect("a string takes every character");
    }
}

/// About how wide a text is, in pixels: signs of East Asian scripts are twice as wide as others.
pub fn text_width(text: &str) -> f64 {
    text.chars()
        .map(|c| if matches!(u32::from(c), 0x1100..=0x11ff | 0x2e80..=0xffef) { 13.0 } else { 7.2 })
        .sum()
}

/// Text as it may stand in a page.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_break_out() {
        let mut svg = Svg::default();
        svg.text(0.0, 10.0, Anchor::Start, "w", "</text><script>\"&\u{1}");
        let picture = svg.finish("a \"picture\"");
        assert!(picture.contains("&lt;/text&gt;&lt;script&gt;&quot;&amp; "), "{picture}");
    }

    #[test]
    fn a_picture_is_as_large_as_what_is_in_it() {
        let mut svg = Svg::default();
        svg.line((5.0, 5.0), (90.0, 42.0), "l");
        assert!(svg.finish("").contains("width=\"100\" height=\"50\""));
    }
}
