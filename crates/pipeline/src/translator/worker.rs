//! What one thread of a translator does: text to words, search with every system, choice, words to text.

use super::result::{Hypothesis, Sentence, Translated};
use super::trees::TreeWorker;
use super::{Request, Shared};
use crate::error::{Error, Result};
use crate::text_path::TextWorker;
use treeglot_decode::mbr::{self, Gain};
use treeglot_decode::{self as decode, Translation, TranslationForest, Translations, Wanted};
use treeglot_models::InputTrees;
use treeglot_parse::Parse;

/// The buffers of one thread.
pub(super) struct Worker<'s> {
    shared: &'s Shared,
    systems: Vec<Box<dyn decode::Worker + 's>>,
    trees: Option<TreeWorker<'s>>,
    text: Option<[TextWorker<'s>; 2]>,
}

/// A language whose sentences are written without a blank between them.
fn joint(language: Option<&str>) -> &'static str {
    if matches!(language, Some("zh" | "ja" | "th" | "km" | "lo" | "my" | "bo")) { "" } else { " " }
}

impl<'s> Worker<'s> {
    pub fn new(shared: &'s Shared) -> Result<Self> {
        let systems = shared.systems.iter().map(|system| Ok(system.worker()?)).collect::<Result<_>>()?;
        let text = shared.text.as_ref().map(|paths| paths.each_ref().map(|path| path.worker()));
        let trees = (!shared.parsers.is_empty()).then(|| shared.parsers.worker());
        Ok(Self { shared, systems, trees, text })
    }

    /// The words of a text as the models see them.
    pub fn words(&mut self, text: &str) -> String {
        let mut words = String::new();
        match &mut self.text {
            Some([source, _]) => source.words(text, &mut words),
            None => words.push_str(text),
        }
        words
    }

    /// Translates a text. Its words are given where they are known already; trees are one for all systems, one for each, or
    /// none.
    pub fn translate(
        &mut self,
        text: &str,
        words: Option<&str>,
        trees: &[InputTrees],
        request: &Request,
    ) -> Result<Translated> {
        let joint = joint(self.shared.languages[1].as_deref());
        let sentences = match (&self.shared.splitter, words) {
            (Some(splitter), _) if request.split => {
                let sentences = splitter.split(text);
                sentences
                    .into_iter()
                    .map(|text| {
                        let words = self.words(text);
                        self.sentence(Some(text), &words, trees, request)
                    })
                    .collect::<Result<_>>()?
            }
            (_, Some(words)) => vec![self.sentence(Some(text), words, trees, request)?],
            _ => {
                let words = self.words(text);
                vec![self.sentence(Some(text), &words, trees, request)?]
            }
        };
        Ok(Translated { sentences, joint })
    }

    /// The trees of a sentence for each system: those given, and for kinds that are lacking those of parsers, which are told too.
    /// A parser sees the words as the text has them, whatever case models see; where there is no text, the words given.
    pub fn parsed(
        &mut self,
        text: Option<&str>,
        words: &str,
        given: &[InputTrees],
    ) -> Result<Option<(Vec<InputTrees>, Vec<Parse>)>> {
        let Some(trees) = &mut self.trees else { return Ok(None) };
        let mut written = String::new();
        if let (Some(text), Some([source, _])) = (text, &mut self.text) {
            source.tokens(text, &mut written);
        }
        let count = |words: &str| words.split_ascii_whitespace().count();
        let written = if count(&written) == count(words) { &written } else { words };
        trees.trees(written, given).map(Some)
    }

    fn sentence(
        &mut self,
        text: Option<&str>,
        words: &str,
        given: &[InputTrees],
        request: &Request,
    ) -> Result<Sentence> {
        let parsed = self.parsed(text, words, given)?;
        let (trees, parses) = parsed.as_ref().map_or((given, &[][..]), |(trees, parses)| (trees, parses));
        let parses = if request.explain { parses.to_vec() } else { Vec::new() };
        let wanted = Wanted {
            count: request.compare.unwrap_or(request.count),
            distinct: request.distinct || request.compare.is_some(),
            explain: request.explain,
            deadline: request.deadline,
        };
        let found = self.search(words, trees, &wanted);
        if found.iter().any(|found| found.stopped) {
            return Err(Error::OutOfTime);
        }
        let narrowed = found.iter().filter_map(|found| found.narrowed.clone()).collect();
        let mut best = Vec::new();
        if request.compare.is_some() {
            if let Some((system, chosen)) = mbr::choose_from(&found, &Gain::default()) {
                best.push(self.hypothesis(system, chosen.clone()));
            }
        } else if let Some(first) = found.into_iter().next() {
            best.extend(first.best.into_iter().map(|one| self.hypothesis(0, one)));
        }
        Ok(Sentence { best, narrowed, parses })
    }

    /// What each system finds for words.
    pub fn search(&mut self, words: &str, trees: &[InputTrees], wanted: &Wanted) -> Vec<Translations> {
        let none = InputTrees::default();
        let systems = self.systems.iter_mut().enumerate();
        systems
            .map(|(k, system)| {
                let trees = trees.get(k).or(trees.last()).unwrap_or(&none);
                system.translate_trees(words, trees, wanted)
            })
            .collect()
    }

    /// About so many of the best hyperarcs of what the first system searches.
    pub fn search_forest(
        &mut self,
        words: &str,
        trees: &InputTrees,
        hyperarcs: usize,
    ) -> Option<TranslationForest> {
        self.systems[0].search_forest(words, trees, hyperarcs)
    }

    fn hypothesis(&mut self, system: usize, found: Translation) -> Hypothesis {
        let Translation { text: words, features, score, explanation, tree } = found;
        let mut text = String::new();
        match &mut self.text {
            Some([_, target]) => target.text(&words, &mut text),
            None => text.push_str(&words),
        }
        Hypothesis { text, words, system, features, score, explanation, tree }
    }
}
