//! Many short strings in one allocation: the text of a sentence's words and labels.

/// A string of a [`TextArena`].
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Text {
    start: u32,
    len: u32,
}

/// An append-only store of strings.
#[derive(Debug, Clone, Default)]
pub(crate) struct TextArena {
    buffer: String,
}

impl TextArena {
    pub(crate) fn push(&mut self, text: &str) -> Text {
        if text.is_empty() {
            return Text::default();
        }
        let start = u32::try_from(self.buffer.len()).expect("one sentence's text is under 4 GiB");
        self.buffer.push_str(text);
        Text { start, len: u32::try_from(text.len()).expect("one sentence's text is under 4 GiB") }
    }

    pub(crate) fn get(&self, text: Text) -> &str {
        &self.buffer[text.start as usize..(text.start + text.len) as usize]
    }
}
