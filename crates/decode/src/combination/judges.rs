//! Models that score every translation alike, whichever system made it: language models of words and of classes, word
//! translations in both directions, and joint models in both directions (Devlin et al. 2014, section 3).

use super::lexicon::WordTranslations;
use crate::weights::FeatureSet;
use treeglot_joint::{BEGIN, END, HISTORY, JointModel, Sentence, affiliations};
use treeglot_lm::{Lm, Scorer, Search, TakeTables};
use treeglot_text::vocab::Sym;

/// The models that score all translations: what is missing has no feature.
#[derive(Default)]
pub struct Judges {
    /// Language models of the target language.
    pub lms: Vec<Lm>,
    /// Target words given source words, and source words given target words.
    pub lexicon: Option<[WordTranslations; 2]>,
    /// A joint model of target words, and one of source words. They need the lexicon, which tells where words belong.
    pub joint: [Option<JointModel>; 2],
}

impl Judges {
    /// Adds the names of their features, in the order of [`Bench::scores`].
    pub(super) fn name_features(&self, features: &mut FeatureSet) {
        for k in 0..self.lms.len() {
            features.add(format!("LM{k}"), 1);
        }
        if self.lexicon.is_some() {
            features.add("Lexical0", 2);
            for (k, _) in self.joint_models() {
                features.add(format!("Joint{k}"), 1);
            }
        }
    }

    fn joint_models(&self) -> impl Iterator<Item = (usize, &JointModel)> {
        self.joint.iter().enumerate().filter_map(|(k, model)| Some((k, model.as_ref()?)))
    }
}

/// The judges with what they know of one line.
pub(super) struct Bench<'j, 'l> {
    judges: &'j Judges,
    source: Vec<&'l str>,
    /// The source words as what target words are given.
    given: Vec<u32>,
    sentence: Sentence,
}

impl<'j, 'l> Bench<'j, 'l> {
    pub fn new(judges: &'j Judges, line: &'l str) -> Self {
        let source: Vec<&str> = line.split_ascii_whitespace().collect();
        let given = judges.lexicon.as_ref().map_or(vec![], |[forward, _]| forward.given(&source));
        let mut sentence = Sentence::default();
        if let Some(model) = &judges.joint[0] {
            model.sentence(source.iter().copied(), &mut sentence);
        }
        Self { judges, source, given, sentence }
    }

    /// Appends what they say of a translation.
    pub fn scores(&mut self, words: &[&str], out: &mut Vec<f32>) {
        for lm in &self.judges.lms {
            let symbols: Vec<Sym> = words.iter().map(|word| lm.symbol(word)).collect();
            out.push((lm.tables().dispatch(Total(&symbols)) * std::f64::consts::LN_10) as f32);
        }
        let Some([forward, backward]) = &self.judges.lexicon else { return };
        let reversed = backward.given(words);
        out.push(forward.score(&self.source, &self.given, words) as f32);
        out.push(backward.score(words, &reversed, &self.source) as f32);
        if let Some(model) = &self.judges.joint[0] {
            let links = forward.links(&self.source, &self.given, words);
            out.push(joint_score(model, &self.sentence, &links, words, self.source.len()));
        }
        if let Some(model) = &self.judges.joint[1] {
            let mut sentence = Sentence::default();
            model.sentence(words.iter().copied(), &mut sentence);
            let links = backward.links(words, &reversed, &self.source);
            out.push(joint_score(model, &sentence, &links, &self.source, words.len()));
        }
    }
}

/// The words of a sentence, whose base-10 logarithm of the probability is wanted.
struct Total<'w>(&'w [Sym]);

impl<'m> TakeTables<'m> for Total<'_> {
    type Output = f64;

    fn take<S: Search + Clone + Send + Sync + 'm>(self, tables: S) -> f64 {
        Scorer::new(&tables).sentence(self.0).prob
    }
}

/// The logarithm of the probability of words, each with the word of the other side that it belongs to.
fn joint_score(
    model: &JointModel,
    sentence: &Sentence,
    links: &[Option<u32>],
    words: &[&str],
    end: usize,
) -> f32 {
    let mut before = [BEGIN; HISTORY];
    let mut sum = 0.0;
    for (word, at) in words.iter().zip(affiliations(links, 0)) {
        let word = model.word(word);
        sum += f64::from(model.score(sentence, at, before, word));
        before.rotate_right(1);
        before[0] = word;
    }
    (sum + f64::from(model.score(sentence, end as u32, before, END))) as f32
}
