//! Documents through a translator: their segments are translated on all threads, and set where they stood, tags by word links.

use super::{Hypothesis, Request, Translated, Translator};
use crate::error::Result;
use std::ops::Range;
use std::sync::Arc;
use treeglot_document::{Document, Format, Linked, Rated};

impl Translator {
    /// What is asked for of the segments of a document: links, and sentence by sentence where sentences can be told apart.
    pub fn document_request(&self, request: &Request) -> Request {
        Request { count: 1, explain: true, places: true, split: self.splits(), ..*request }
    }

    /// Translates a document; the translations of its segments are told too.
    pub fn translate_document(
        &self,
        format: Format,
        text: &str,
        request: &Request,
    ) -> Result<(String, Vec<Translated>)> {
        let mut document = Document::read(format, text)?;
        if let Some(language) = self.languages()[1] {
            document = document.with_target_language(language);
        }
        let request = self.checked(&self.document_request(request))?;
        let texts: Vec<String> = document.segments().iter().map(|segment| segment.marked()).collect();
        let (count, texts) = (texts.len(), Arc::new(texts));
        let translated = self
            .pool
            .each(count, move |worker, number| worker.translate(&texts[number], None, &[], &request))?;
        let translated = translated.into_iter().collect::<Result<Vec<_>>>()?;
        let mut linked: Vec<Linked> = translated.iter().map(Translated::linked).collect();
        if !request.colours || format != Format::Html {
            linked.iter_mut().for_each(|linked| linked.rated.clear());
        }
        Ok((document.write(&linked), translated))
    }
}

impl Translated {
    /// The best translation with the links of its words, as documents need it. Links are known where an explanation was asked for.
    pub fn linked(&self) -> Linked {
        let mut linked = Linked::default();
        let mut source = 0u32;
        for (number, sentence) in self.sentences.iter().enumerate() {
            if number > 0 {
                linked.text.push_str(self.joint);
            }
            linked.places.extend(sentence.places.iter().map(|place| place + source));
            if let Some(best) = sentence.best.first() {
                let (start, target) = (linked.text.len(), linked.words.len() as u32);
                linked.text.push_str(&best.text);
                let range = start..linked.text.len();
                linked.rated.extend(sentence.confidence.map(|confidence| Rated { range, confidence }));
                linked
                    .words
                    .extend(best.word_ranges().into_iter().map(|word| word.start + start..word.end + start));
                let links = best.explanation.iter().flat_map(|explanation| explanation.links());
                linked.links.extend(links.map(|(from, to)| (from + source, to + target)));
            }
            source += sentence.length as u32;
        }
        linked
    }
}

impl Hypothesis {
    /// Where its words stand in its text, as ranges of bytes: text has the characters of its words in their order, but other blanks.
    pub fn word_ranges(&self) -> Vec<Range<usize>> {
        let mut at = 0;
        let mut ranges = Vec::new();
        for word in self.words.split(' ').filter(|word| !word.is_empty()) {
            // Tokenisers write a hyphen that they cut at so.
            let word = if word == "@-@" { "-" } else { word };
            let letters = word.chars().filter(|c| !c.is_whitespace()).count();
            let start = at + self.text[at..].len() - self.text[at..].trim_start().len();
            let mut end = start;
            for _ in 0..letters {
                end += self.text[end..].len() - self.text[end..].trim_start().len();
                end += self.text[end..].chars().next().map_or(0, char::len_utf8);
            }
            ranges.push(start..end);
            at = end;
        }
        ranges
    }
}
