//! What is known of the input while it is translated: whether it is what the bundle takes, whether somebody types it, how far it is.

use crate::args::{FilterArgs, known_lines, name};
use crate::print::prompt;
use crate::signals::when_interrupted;
use std::io::{IsTerminal, stderr, stdin, stdout};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use treeglot_pipeline::translator::Translator;
use treeglot_pipeline::{Counter, Progress};
use treeglot_text::tokenize::Language;

/// Whoever waits for translations: somebody who types sentences gets a prompt, somebody who translates a file sees how far it is.
pub enum Watched {
    Typed,
    Counted(Counter, Arc<AtomicU64>),
    Alone,
}

impl Watched {
    pub fn new(filter: &FilterArgs, translator: &Translator) -> Self {
        let (files, standard) = (&filter.files, Path::new("-"));
        if files.is_quiet() {
            return Self::Alone;
        }
        let typed = files.input == standard && stdin().is_terminal();
        if typed && stderr().is_terminal() {
            let language = translator.languages()[0].and_then(|code| Language::find(code).ok());
            let language = language.map_or("a language", |language| language.name);
            files.note(&format!("type a sentence of {language} and press Enter; Ctrl-D ends"));
            prompt();
            return Self::Typed;
        }
        // Lines of translations on the same terminal tell as much as a bar, and would run into it.
        let same = files.out.output == standard && stdout().is_terminal();
        if typed || same {
            return Self::Alone;
        }
        let lines = known_lines(&files.input);
        let done = Arc::new(AtomicU64::new(0));
        let (file, kept, seen) = (name(&files.input), files.out.output == standard, done.clone());
        when_interrupted(move || how_to_go_on(&file, kept, seen.load(Ordering::Relaxed)));
        Self::Counted(Progress::new().count("lines", lines), done)
    }

    /// A line has been written.
    pub fn line_is_done(&mut self) {
        match self {
            Self::Typed => prompt(),
            Self::Counted(counter, done) => {
                counter.add(1);
                done.store(counter.done(), Ordering::Relaxed);
            }
            Self::Alone => {}
        }
    }

    /// All is written.
    pub fn end(self) {
        if let Self::Typed = self {
            // What the shell prints next begins a line.
            crate::print::plain_note("");
        }
    }
}

/// What somebody is told who interrupts a translation.
fn how_to_go_on(file: &str, kept: bool, done: u64) -> String {
    match kept {
        true => format!("{done} lines are translated; the rest is `tail -n +{} {file}`", done + 1),
        false => format!(
            "{done} lines were translated, but a file is written when it is complete: leave out -o, and what is done stays"
        ),
    }
}

/// Whether lines are what a bundle of words takes: raw text is translated badly, and nothing else would tell.
pub struct Taken {
    /// The language to be cut into words; none where the bundle cuts text itself, or all has been said.
    language: Option<String>,
    lines: usize,
    attached: usize,
    apart: usize,
}

impl Taken {
    /// So many lines are looked at.
    const LINES: usize = 20;

    pub fn new(translator: &Translator) -> Self {
        let language = translator.languages()[0].unwrap_or("LANG").to_string();
        let language = (!translator.takes_text()).then_some(language);
        Self { language, lines: 0, attached: 0, apart: 0 }
    }

    /// Looks at a line; what is to be said, once.
    pub fn complaint(&mut self, line: &str) -> Option<String> {
        let language = self.language.as_ref()?;
        let is_sign = |c: char| matches!(c, '.' | ',' | '?' | '!' | ';');
        for word in line.split_whitespace() {
            let bare = word.trim_end_matches(is_sign);
            self.apart += usize::from(bare.is_empty());
            self.attached += usize::from(bare.len() < word.len() && bare.ends_with(char::is_alphabetic));
        }
        self.lines += 1;
        let raw = self.attached >= 2 && self.attached > 4 * self.apart;
        let why = raw.then(|| {
            format!(
                "this looks like raw text, but the bundle takes words with blanks between them, signs apart: cut it with \
                 `treeglot tokenize --lang {language}` first"
            )
        });
        if why.is_some() || self.lines == Self::LINES {
            self.language = None;
        }
        why
    }
}
