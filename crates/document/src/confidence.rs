//! Colours that tell how far the sentences of a translation can be trusted: from red and strong, for those that a human should look
//! at, to green and faint. They are washes that let any page below them shine through, light or dark.

use std::ops::Range;

/// At this confidence and below a colour is red; at the other and above it is green.
const RED: f64 = 0.35;
const GREEN: f64 = 0.75;

/// A part of a translation with how far it can be trusted, from 0 to 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Rated {
    /// Where it stands, in bytes.
    pub range: Range<usize>,
    /// How far it can be trusted.
    pub confidence: f64,
}

/// The colour of a confidence, as CSS has it.
pub fn confidence_colour(confidence: f64) -> String {
    let sure = ((confidence - RED) / (GREEN - RED)).clamp(0.0, 1.0);
    format!("hsl({:.0} 75% 45% / {:.2})", 120.0 * sure, 0.42 - 0.27 * sure)
}

impl Rated {
    /// An element of HTML around a run of its text, which is written as HTML already.
    pub(crate) fn element(&self, text: &str) -> String {
        let Self { confidence, .. } = self;
        let colour = confidence_colour(*confidence);
        format!(
            "<span class=\"confidence\" data-confidence=\"{confidence:.2}\" title=\"confidence {confidence:.2}\" \
             style=\"background:{colour}\">{text}</span>"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_less_sure_the_redder_and_stronger() {
        assert_eq!(confidence_colour(0.1), "hsl(0 75% 45% / 0.42)");
        assert_eq!(confidence_colour(0.55), "hsl(60 75% 45% / 0.28)");
        assert_eq!(confidence_colour(1.0), "hsl(120 75% 45% / 0.15)");
    }
}
