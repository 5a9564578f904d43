//! What one thread of a translator does: text to words, search with every system, choice, words to text.

use super::confidence::{RATED, Signs, signs};
use super::guide::{Prepared, Preparer};
use super::pieces::{PieceWorker, Pieces};
use super::result::{Hypothesis, Sentence, Translated};
use super::trees::TreeWorker;
use super::{Request, Shared};
use crate::error::{Error, Result};
use crate::text_path::TextWorker;
use treeglot_decode::mbr::{self, Gain};
use treeglot_decode::{self as decode, Translation, TranslationForest, Translations, UnknownWords, Wanted};
use treeglot_models::{Guidance, InputTrees};
use treeglot_parse::Parse;

/// The buffers of one thread.
pub(super) struct Worker<'s> {
    shared: &'s Shared,
    systems: Vec<Box<dyn decode::Worker + 's>>,
    pieces: Vec<PieceWorker<'s>>,
    trees: Option<TreeWorker<'s>>,
    text: Option<[TextWorker<'s>; 2]>,
    preparer: Preparer<'s>,
}

/// A text without the marks of places, and where they were.
fn without_places(text: &str) -> (String, Vec<usize>) {
    let (mut clean, mut places) = (String::with_capacity(text.len()), Vec::new());
    for c in text.chars() {
        match c {
            treeglot_document::PLACE => places.push(clean.len()),
            c => clean.push(c),
        }
    }
    (clean, places)
}

/// A language whose sentences are written without a blank between them.
fn joint(language: Option<&str>) -> &'static str {
    if matches!(language, Some("zh" | "ja" | "th" | "km" | "lo" | "my" | "bo")) { "" } else { " " }
}

impl<'s> Worker<'s> {
    pub fn new(shared: &'s Shared) -> Result<Self> {
        let systems = shared.systems.iter().map(|system| Ok(system.worker()?)).collect::<Result<_>>()?;
        let pieces = shared.pieces.iter().map(Pieces::worker).collect();
        let text = shared.text_workers();
        let preparer = shared.preparer();
        let trees = (!shared.parsers.is_empty()).then(|| shared.parsers.worker());
        Ok(Self { shared, systems, pieces, trees, text, preparer })
    }

    /// Translates a text. What was prepared is given where it is known already; trees are one for all systems, one for each, or
    /// none.
    pub fn translate(
        &mut self,
        text: &str,
        prepared: Option<&Prepared>,
        trees: &[InputTrees],
        request: &Request,
    ) -> Result<Translated> {
        let joint = joint(self.shared.languages[1].as_deref());
        self.preparer.trees_given(trees.iter().any(InputTrees::has_some));
        if request.places {
            return Ok(Translated { sentences: self.with_places(text, trees, request)?, joint });
        }
        let sentences = match (&self.shared.splitter, prepared) {
            (Some(splitter), _) if request.split => {
                let sentences = splitter.split(text);
                sentences
                    .into_iter()
                    .map(|text| {
                        let prepared = self.preparer.prepare(text, &[])?;
                        self.sentence(prepared, trees, request)
                    })
                    .collect::<Result<_>>()?
            }
            (_, Some(prepared)) => vec![self.sentence(prepared.clone(), trees, request)?],
            _ => {
                let prepared = self.preparer.prepare(text, &[])?;
                vec![self.sentence(prepared, trees, request)?]
            }
        };
        Ok(Translated { sentences, joint })
    }

    /// Translates a text in which places are marked.
    fn with_places(&mut self, text: &str, trees: &[InputTrees], request: &Request) -> Result<Vec<Sentence>> {
        let (clean, places) = without_places(text);
        let sentences = match &self.shared.splitter {
            Some(splitter) if request.split => splitter.split(&clean),
            _ => vec![clean.as_str()],
        };
        let start = |sentence: &str| sentence.as_ptr() as usize - clean.as_ptr() as usize;
        let starts: Vec<usize> = sentences.iter().map(|sentence| start(sentence)).collect();
        let mut left = places.iter().copied().peekable();
        let mut translated = Vec::new();
        for (number, sentence) in sentences.iter().enumerate() {
            // What stands between two sentences belongs to the first one's end.
            let end = starts.get(number + 1).copied().unwrap_or(usize::MAX);
            let mut own = Vec::new();
            while let Some(place) = left.next_if(|&place| place < end) {
                own.push(place.saturating_sub(starts[number]).min(sentence.len()));
            }
            let prepared = self.preparer.prepare(sentence, &own)?;
            translated.push(self.sentence(prepared, trees, request)?);
        }
        Ok(translated)
    }

    /// The trees of a sentence for each system: those given, and for kinds that are lacking those of parsers, which are told too.
    /// A parser sees the words as the text has them, whatever case models see.
    pub fn parsed(
        &mut self,
        written: &str,
        given: &[InputTrees],
    ) -> Result<Option<(Vec<InputTrees>, Vec<Parse>)>> {
        let Some(trees) = &mut self.trees else { return Ok(None) };
        trees.trees(written, given).map(Some)
    }

    fn sentence(
        &mut self,
        mut prepared: Prepared,
        given: &[InputTrees],
        request: &Request,
    ) -> Result<Sentence> {
        let parsed = self.parsed(&prepared.written, given)?;
        let (trees, parses) = parsed.as_ref().map_or((given, &[][..]), |(trees, parses)| (trees, parses));
        let parses = if request.explain { parses.to_vec() } else { Vec::new() };
        let wanted = Wanted {
            count: request.compare.unwrap_or(request.count).max(if request.signs { RATED } else { 1 }),
            distinct: request.distinct || request.compare.is_some() || request.signs,
            explain: request.explain || request.signs,
            deadline: request.deadline,
            unknown: request.unknown,
        };
        prepared.set_anchors(trees);
        let found = self.search_guided(&prepared.words, trees, &prepared.guidance, &wanted)?;
        if found.iter().any(|found| found.stopped) {
            return Err(Error::OutOfTime);
        }
        let narrowed = found.iter().filter_map(|found| found.narrowed.clone()).collect();
        let signs = if request.signs { self.signs(&prepared.words, &found, request) } else { None };
        let told = signs.and_then(|signs| Some(self.shared.confidence.as_ref()?.of(&signs)));
        // What somebody has translated is right.
        let confidence = told.map(|told| if prepared.whole.is_some() { 1.0 } else { told });
        let mut best = Vec::new();
        if request.compare.is_some() {
            if let Some((system, chosen)) = self.choose(&prepared.words, &found) {
                best.push(self.hypothesis(system, chosen.clone(), &prepared));
            }
        } else if let Some(first) = found.into_iter().next() {
            let wanted = first.best.into_iter().take(request.count);
            best.extend(wanted.map(|one| self.hypothesis(0, one, &prepared)));
        }
        if !request.explain {
            best.iter_mut().for_each(|hypothesis| hypothesis.explanation = None);
        }
        let length = prepared.words.split_ascii_whitespace().count();
        Ok(Sentence { best, narrowed, parses, length, places: prepared.places, signs, confidence })
    }

    /// Of the translations of all systems the one that a combination finds best, or else the one that agrees best with all, and its
    /// system.
    fn choose<'f>(&self, words: &str, found: &'f [Translations]) -> Option<(usize, &'f Translation)> {
        mbr::choose_from(found, |choices| match &self.shared.combination {
            Some(tuned) => tuned.combination.choose(words, choices),
            None => mbr::choose(choices, &Gain::default()),
        })
    }

    /// The signs of confidence of the translation that is chosen.
    fn signs(&self, words: &str, found: &[Translations], request: &Request) -> Option<Signs> {
        let (system, best) = match request.compare {
            Some(_) => self.choose(words, found)?,
            None => (0, found.first()?.best.first()?),
        };
        let (others, tables) = (&found.get(system)?.best, self.shared.tables.get(system)?);
        let features = self.shared.systems.get(system)?.features();
        Some(signs(best, best.explanation.as_ref()?, others, features, tables))
    }

    /// The guidance with what words, as a system sees them, may mean that it does not know; `None` where there are no such words.
    fn guessed(&self, system: usize, words: &str, guidance: &Guidance) -> Result<Option<Guidance>> {
        let Some(guesser) = &self.shared.guessers[system] else { return Ok(None) };
        let mut guessed = guidance.clone();
        guesser.guide(words, &mut guessed)?;
        Ok(Some(guessed))
    }

    /// What each system finds for words, each with its own guesses at the words it does not know.
    pub fn search_guided(
        &mut self,
        words: &str,
        trees: &[InputTrees],
        guidance: &Guidance,
        wanted: &Wanted,
    ) -> Result<Vec<Translations>> {
        let none = InputTrees::default();
        let mut all = Vec::with_capacity(self.systems.len());
        for k in 0..self.systems.len() {
            let pieces = &mut self.pieces[k];
            let cut = pieces.cuts().then(|| pieces.cut(words, guidance));
            let (words, guidance) = cut.as_ref().map_or((words, guidance), |cut| (&cut.words, &cut.guidance));
            let guesses = wanted.unknown == UnknownWords::Guess;
            let guessed = if guesses { self.guessed(k, words, guidance)? } else { None };
            let guidance = guessed.as_ref().unwrap_or(guidance);
            let trees = trees.get(k).or(trees.last()).unwrap_or(&none);
            let split = cut.as_ref().filter(|_| trees.has_some()).map(|cut| self.pieces[k].trees(trees, cut));
            let trees = split.as_ref().unwrap_or(trees);
            let mut found = self.systems[k].translate_guided(words, trees, guidance, wanted);
            if let Some(cut) = &cut {
                self.pieces[k].joined(&mut found, cut, wanted.distinct);
            }
            all.push(found);
        }
        Ok(all)
    }

    /// About so many of the best hyperarcs of what the first system searches.
    pub fn search_forest(
        &mut self,
        words: &str,
        trees: &InputTrees,
        hyperarcs: usize,
    ) -> Option<TranslationForest> {
        // The words of a forest are those of its rules: of pieces, there is none of words.
        if self.pieces[0].cuts() { None } else { self.systems[0].search_forest(words, trees, hyperarcs) }
    }

    fn hypothesis(&mut self, system: usize, found: Translation, prepared: &Prepared) -> Hypothesis {
        let Translation { text: words, features, score, mut explanation, tree, .. } = found;
        let mut text = String::new();
        match &mut self.text {
            Some([_, target]) => target.text(&words, &prepared.models_of_case(), &mut text),
            None => text.push_str(&words),
        }
        prepared.restore(&mut text);
        if let Some(whole) = &prepared.whole {
            text.clone_from(whole);
        }
        let mut words: Vec<String> = words.split(' ').map(str::to_string).collect();
        words.iter_mut().for_each(|word| prepared.restore_word(word));
        let words = words.join(" ");
        if let Some(explanation) = &mut explanation {
            explanation.source.iter_mut().for_each(|word| prepared.restore_word(word));
            explanation.words.iter_mut().for_each(|word| prepared.restore_word(&mut word.word));
            for rule in &mut explanation.rules {
                prepared.restore_word(&mut rule.source);
                prepared.restore_word(&mut rule.target);
            }
        }
        Hypothesis { text, words, system, features, score, explanation, tree }
    }
}
