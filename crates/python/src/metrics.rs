//! Metrics: statistics of sentences, scores of their sums, and tests. `metrics/` in Python has the objects of sacreBLEU on top.

use crate::array::{Array, Numbers};
use crate::errors::{invalid, raise};
use crate::input::Texts;
use crate::{settings, work};
use pyo3::prelude::*;
use std::convert::Infallible;
use std::sync::Arc;
use treeglot::metrics::bleu::{self, Bleu, Smoothing};
use treeglot::metrics::chrf::{self, Chrf};
use treeglot::metrics::files::Statistics;
use treeglot::metrics::significance::{confidence, p_value};
use treeglot::metrics::ter::Ter;
use treeglot::metrics::tokenize::{Tercom, Tokenizer};
use treeglot::metrics::{self, EvalSettings, Paired, RefCount, References, SmoothMethod};

/// Adds the types of this file.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Metric>()?;
    module.add_function(wrap_pyfunction!(tokenize_for, module)?)
}

/// A metric.
#[pyclass(frozen, module = "treeglot._treeglot")]
pub struct Metric {
    metric: Box<dyn metrics::Metric>,
    /// Builds it anew, for metrics that learn from the references.
    anew: Box<dyn Fn() -> Box<dyn metrics::Metric> + Send + Sync>,
}

impl Metric {
    fn of(metric: impl metrics::Metric + Clone + 'static) -> Self {
        let copy = metric.clone();
        Self { metric: Box::new(metric), anew: Box::new(move || Box::new(copy.clone())) }
    }

    fn size(&self) -> usize {
        self.metric.size()
    }

    /// The statistics of an array that this metric made.
    fn of_array(&self, py: Python<'_>, array: &Array) -> PyResult<Statistics> {
        match array.numbers() {
            Numbers::F64(values) if values.len() % self.size().max(1) == 0 => {
                Ok(Statistics { size: self.size(), values: values.to_vec() })
            }
            _ => Err(invalid(py, "these are not the statistics of this metric")),
        }
    }

    fn checked<'a>(&self, py: Python<'_>, sums: &'a [f64]) -> PyResult<&'a [f64]> {
        if sums.len() == self.size() {
            return Ok(sums);
        }
        Err(invalid(py, &format!("the metric has {} statistics, not {}", self.size(), sums.len())))
    }
}

#[pymethods]
impl Metric {
    /// BLEU.
    #[staticmethod]
    fn bleu(
        py: Python<'_>,
        lowercase: bool,
        tokenize: &str,
        smoothing: (&str, Option<f64>),
        max_ngram_order: usize,
        effective_order: bool,
    ) -> PyResult<Self> {
        let method: SmoothMethod = settings::read(py, &quoted(smoothing.0))?;
        let value = |default| smoothing.1.unwrap_or(default);
        let smoothing = match method {
            SmoothMethod::Exp => Smoothing::Exp,
            SmoothMethod::Floor => Smoothing::Floor(value(0.1)),
            SmoothMethod::AddK => Smoothing::AddK(value(1.0)),
            SmoothMethod::None => Smoothing::None,
        };
        if !(1..=9).contains(&max_ngram_order) {
            return Err(invalid(
                py,
                &format!("n-grams of 1 to 9 words are counted, not of {max_ngram_order}"),
            ));
        }
        let tokenizer = tokenizer(py, tokenize)?;
        let options =
            bleu::Options { lowercase, tokenizer, smoothing, effective_order, order: max_ngram_order };
        Ok(Self::of(Bleu::new(options)))
    }

    /// chrF.
    #[staticmethod]
    fn chrf(
        py: Python<'_>,
        char_order: usize,
        word_order: usize,
        beta: f64,
        lowercase: bool,
        whitespace: bool,
        eps_smoothing: bool,
    ) -> PyResult<Self> {
        if char_order + word_order == 0 || !beta.is_finite() {
            return Err(invalid(py, "chrF needs an order of n-grams above 0, and a number for beta"));
        }
        let options = chrf::Options { lowercase, char_order, word_order, beta, whitespace, eps_smoothing };
        Ok(Self::of(Chrf::new(options)))
    }

    /// TER.
    #[staticmethod]
    fn ter(normalized: bool, no_punct: bool, asian: bool, cased: bool) -> Self {
        Self::of(Ter::new(Tercom { normalized, no_punct, asian, cased }))
    }

    /// Any metric by name, or a weighted sum of several, with the settings of `treeglot eval`.
    #[staticmethod]
    fn named(py: Python<'_>, expression: &str, settings: &str) -> PyResult<Self> {
        let settings: EvalSettings = settings::read(py, settings)?;
        let options = settings.options(Tokenizer::default()).map_err(|error| raise(py, &error))?;
        let expression = expression.to_string();
        let metric = metrics::build(&expression, &options).map_err(|error| raise(py, &error))?;
        let anew = move || metrics::build(&expression, &options).expect("it could be built before");
        Ok(Self { metric, anew: Box::new(anew) })
    }

    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        self.metric.name()
    }

    /// Whether a greater score is a better translation.
    #[getter]
    fn higher_is_better(&self) -> bool {
        self.metric.higher_is_better()
    }

    /// The statistics of each sentence. References are lists as long as that of the hypotheses; none in them is a missing one.
    fn statistics(
        &self,
        py: Python<'_>,
        hypotheses: &Bound<'_, PyAny>,
        references: Vec<Bound<'_, PyAny>>,
    ) -> PyResult<Array> {
        let hypotheses = Texts::copy(hypotheses)?;
        let references = references.iter().map(Known::copy).collect::<PyResult<Vec<_>>>()?;
        if let Some(other) = references.iter().find(|own| own.texts.len() != hypotheses.len()) {
            let (hypotheses, references) = (hypotheses.len(), other.texts.len());
            return Err(invalid(
                py,
                &format!("there are {hypotheses} hypotheses, but {references} references"),
            ));
        }
        let statistics = work::run_on(py, 0, || {
            let of = |number| references.iter().filter_map(|own| own.get(number)).collect::<Vec<_>>();
            let mut studied = None;
            if self.metric.needs_study() {
                let mut metric = (self.anew)();
                (0..hypotheses.len()).for_each(|number| metric.study(&References::new(&of(number))));
                studied = Some(metric);
            }
            let metric = studied.as_ref().unwrap_or(&self.metric);
            let sentence = |number| (hypotheses.get(number), of(number));
            Ok::<_, Infallible>(Statistics::of(&**metric, hypotheses.len(), sentence))
        })?;
        Ok(Array::rows(Numbers::F64(statistics.values.into()), statistics.size))
    }

    /// The sums of the statistics of all sentences.
    fn sums(&self, py: Python<'_>, statistics: &Array) -> PyResult<Vec<f64>> {
        Ok(self.of_array(py, statistics)?.sums())
    }

    /// The score of sums.
    fn score(&self, py: Python<'_>, sums: Vec<f64>) -> PyResult<f64> {
        Ok(self.metric.score(self.checked(py, &sums)?))
    }

    /// The score of each sentence.
    fn sentence_scores(&self, py: Python<'_>, statistics: &Array) -> PyResult<Array> {
        let statistics = self.of_array(py, statistics)?;
        let scores: Arc<[f64]> = statistics.sentences().map(|own| self.metric.sentence_score(own)).collect();
        Ok(Array::new(Numbers::F64(scores)))
    }

    /// What the score was made from.
    fn details(&self, py: Python<'_>, sums: Vec<f64>) -> PyResult<Vec<(&'static str, f64)>> {
        Ok(self.metric.details(self.checked(py, &sums)?))
    }

    /// All that must be known to repeat a score; -1 references are a varying number.
    fn signature(&self, references: i64) -> String {
        self.metric.signature(usize::try_from(references).map_or(RefCount::Varying, RefCount::Fixed))
    }

    /// The mean score of samples of the sentences, and half the width of the interval that has 95 of 100.
    fn confidence(
        &self,
        py: Python<'_>,
        statistics: &Array,
        samples: usize,
        seed: u64,
    ) -> PyResult<(f64, f64)> {
        let statistics = self.of_array(py, statistics)?;
        let found = work::run_on(py, 0, || {
            Ok::<_, Infallible>(confidence(&*self.metric, &statistics, samples, seed))
        })?;
        Ok((found.mean, found.half_width))
    }

    /// How likely chance explains the difference of two systems.
    fn p_value(
        &self,
        py: Python<'_>,
        baseline: &Array,
        system: &Array,
        test: &str,
        samples: Option<usize>,
        seed: u64,
    ) -> PyResult<Option<f64>> {
        let (baseline, system) = (self.of_array(py, baseline)?, self.of_array(py, system)?);
        if baseline.values.len() != system.values.len() {
            return Err(invalid(py, "the systems have different numbers of sentences"));
        }
        let test: Paired = settings::read(py, &quoted(test))?;
        let samples = samples.unwrap_or(test.default_samples());
        work::run_on(py, 0, || {
            Ok::<_, Infallible>(p_value(&*self.metric, &baseline, &system, test, samples, seed))
        })
    }
}

/// A text cut as BLEU, or TER, cuts it.
#[pyfunction]
fn tokenize_for(py: Python<'_>, tokenize: &str, text: &str, ter: Option<[bool; 4]>) -> PyResult<String> {
    match ter {
        Some([normalized, no_punct, asian, cased]) => {
            Ok(Tercom { normalized, no_punct, asian, cased }.tokenize(text))
        }
        None => Ok(tokenizer(py, tokenize)?.tokenize(text)),
    }
}

/// References, of which some may be missing.
struct Known {
    texts: Texts,
    missing: Vec<bool>,
}

impl Known {
    fn copy(values: &Bound<'_, PyAny>) -> PyResult<Self> {
        let missing = values.try_iter()?.map(|value| Ok(value?.is_none())).collect::<PyResult<_>>()?;
        Ok(Self { texts: Texts::copy(values)?, missing })
    }

    fn get(&self, at: usize) -> Option<&str> {
        (!self.missing[at]).then(|| self.texts.get(at))
    }
}

fn tokenizer(py: Python<'_>, name: &str) -> PyResult<Tokenizer> {
    settings::read(py, &quoted(name))
}

/// A name as JSON.
fn quoted(name: &str) -> String {
    serde_json::Value::from(name).to_string()
}
