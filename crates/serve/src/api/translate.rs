//! `POST /translate`.

use crate::app::{App, Logged};
use crate::body::{Asked, Keyed, measured, number};
use crate::error::{ApiError, ErrorBody};
use crate::languages::{self, Guess};
use crate::metrics::Did;
use crate::systems::{Choice, TOGETHER};
use axum::extract::State;
use axum::{Extension, Json};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Instant;
use treeglot_decode::Deadline;
use treeglot_document::{Document, Format as DocumentFormat};
use treeglot_pipeline::{Request, Translated};
use utoipa::ToSchema;

/// The most alternatives that may be asked for.
pub(super) const ALTERNATIVES: usize = 100;

/// What stands for a language that is to be found out.
pub(super) const AUTO: &str = "auto";

#[derive(Deserialize, ToSchema)]
pub(super) struct TranslateRequest {
    /// The text, or several
    q: Texts,
    /// The language of the text, or `auto`
    #[serde(default = "auto")]
    #[schema(example = "de")]
    source: String,
    /// The language to translate to
    #[schema(example = "en")]
    target: String,
    /// Whether texts are plain or HTML, whose markup stays as it is
    #[serde(default)]
    format: Format,
    /// How many other translations of each text are wanted; 100 at most
    #[serde(default, deserialize_with = "number")]
    #[schema(value_type = usize)]
    alternatives: usize,
    /// The systems to translate with, by name and with `+` between those that choose together; the first for these languages
    /// otherwise
    #[serde(default)]
    system: Option<String>,
    /// A key, where the server asks for one
    #[serde(default)]
    api_key: Option<String>,
}

pub(super) fn auto() -> String {
    AUTO.to_string()
}

/// One text or several; what is answered has the same shape.
#[derive(Deserialize, Serialize, Clone, PartialEq, Debug, ToSchema)]
#[serde(untagged)]
pub(super) enum Texts {
    One(String),
    Many(Vec<String>),
}

impl Texts {
    fn iter(&self) -> impl Iterator<Item = &str> + Clone {
        match self {
            Self::One(text) => std::slice::from_ref(text),
            Self::Many(texts) => texts,
        }
        .iter()
        .map(String::as_str)
    }
}

/// How texts are written.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Default, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Format {
    #[default]
    Text,
    Html,
}

/// Something for one text, or a list with something for each of several.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub(super) enum OneOrMany<T> {
    One(T),
    Many(Vec<T>),
}

impl<T> OneOrMany<T> {
    fn like(texts: &Texts, mut each: Vec<T>) -> Option<Self> {
        match texts {
            Texts::One(_) => each.pop().map(Self::One),
            Texts::Many(_) => Some(Self::Many(each)),
        }
    }
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct TranslateAnswer {
    /// The translation, or those of all texts
    translated_text: OneOrMany<String>,
    /// Other translations of each text, where they were asked for
    #[serde(skip_serializing_if = "Option::is_none")]
    alternatives: Option<OneOrMany<Vec<String>>>,
    /// The language of each text, where it was found out
    #[serde(skip_serializing_if = "Option::is_none")]
    detected_language: Option<OneOrMany<Detected>>,
}

/// A language that a text may be in.
#[derive(Serialize, Clone, ToSchema)]
pub(super) struct Detected {
    /// Its code
    pub language: String,
    /// How many of the text's words speak for it, from 0 to 100
    pub confidence: f64,
}

impl From<Guess> for Detected {
    fn from(Guess { language, confidence }: Guess) -> Self {
        Self { language, confidence }
    }
}

impl Keyed for TranslateRequest {
    fn key(&self) -> Option<&str> {
        self.api_key.as_deref()
    }
}

/// Translate a text, or several
#[utoipa::path(
    post, path = "/translate", request_body = TranslateRequest,
    responses(
        (status = 200, body = TranslateAnswer), (status = 400, body = ErrorBody), (status = 403, body = ErrorBody),
        (status = 413, body = ErrorBody), (status = 429, body = ErrorBody), (status = 503, body = ErrorBody),
        (status = 504, body = ErrorBody)
    )
)]
pub(super) async fn translate(
    State(app): State<Arc<App>>,
    asked: Asked<TranslateRequest>,
) -> Result<(Extension<Logged>, Json<TranslateAnswer>), ApiError> {
    let Asked { body, admitted } = asked;
    if body.alternatives > ALTERNATIVES {
        return Err(ApiError::bad(format!("{ALTERNATIVES} alternatives are given at most")));
    }
    let logged = measured(&app, body.system.as_deref().unwrap_or_default(), body.q.iter())?;
    let mut jobs = Vec::new();
    let mut detected = Vec::new();
    for text in body.q.iter() {
        let source =
            source_language(&app, body.system.as_deref(), [&body.source, &body.target], text, &mut detected)?;
        let choice = app.systems.choose(body.system.as_deref(), &source, &body.target)?;
        let did = Did { system: choice.name.clone() };
        app.metrics.characters.get_or_create(&did).inc_by(text.chars().count() as u64);
        // The texts of a list are under way at the same time: what the first waits for does not hold up the others.
        let (text, format, alternatives) = (text.to_string(), body.format, body.alternatives);
        let until = admitted.until;
        jobs.push(async move {
            match format {
                Format::Text => plain(&choice, &text, alternatives, until).await,
                Format::Html => document(&choice, DocumentFormat::Html, &text, until).await,
            }
        });
    }
    let done = all(jobs).await?;
    let (texts, alternatives): (Vec<String>, Vec<Vec<String>>) = done.into_iter().unzip();
    let answer = TranslateAnswer {
        translated_text: OneOrMany::like(&body.q, texts).expect("one text has one translation"),
        alternatives: (body.alternatives > 0).then(|| OneOrMany::like(&body.q, alternatives)).flatten(),
        detected_language: OneOrMany::like(&body.q, detected).filter(|_| body.source == AUTO),
    };
    Ok((Extension(logged), Json(answer)))
}

/// The language that is asked for, or the likeliest of those that are translated to the target by the systems that are named.
pub(super) fn source_language(
    app: &App,
    names: Option<&str>,
    [source, target]: [&str; 2],
    text: &str,
    detected: &mut Vec<Detected>,
) -> Result<String, ApiError> {
    if source != AUTO {
        return Ok(source.to_string());
    }
    let systems = app.systems.all();
    let wanted = |name: &str| names.is_none_or(|names| names.split(TOGETHER).any(|one| one == name));
    let possible = |language: &str| {
        systems.iter().any(|system| wanted(&system.name) && system.languages == [language, target])
    };
    let guess = languages::detect(&systems, text).into_iter().find(|guess| possible(&guess.language));
    let guess = guess.ok_or_else(|| {
        ApiError::bad(format!("nothing is translated to {target} here: /languages lists what is"))
    })?;
    detected.push(guess.clone().into());
    Ok(guess.language)
}

/// Waits for all jobs, which are worked on at the same time; the first error ends them.
pub(super) async fn all<T: Send + 'static>(
    jobs: Vec<impl Future<Output = Result<T, ApiError>> + Send + 'static>,
) -> Result<Vec<T>, ApiError> {
    if jobs.len() == 1 {
        let only = jobs.into_iter().next().expect("there is one");
        return Ok(vec![only.await?]);
    }
    // Dropped, as when the client goes away, the set ends what has not begun.
    let mut set = tokio::task::JoinSet::new();
    for (number, job) in jobs.into_iter().enumerate() {
        set.spawn(async move { (number, job.await) });
    }
    let mut done = Vec::new();
    while let Some(one) = set.join_next().await {
        let (number, result) = one.map_err(|_| treeglot_pipeline::Error::OutOfTime)?;
        done.push((number, result?));
    }
    done.sort_by_key(|(number, _)| *number);
    Ok(done.into_iter().map(|(_, result)| result).collect())
}

/// Translates plain text line by line, and keeps its line breaks; with other translations of the whole.
pub(super) async fn plain(
    choice: &Choice,
    text: &str,
    alternatives: usize,
    until: Instant,
) -> Result<(String, Vec<String>), ApiError> {
    // Systems that choose together give one translation.
    let count = if choice.translator.systems() > 1 { 1 } else { alternatives + 1 };
    let request = Request {
        count,
        distinct: count > 1,
        split: choice.translator.splits(),
        deadline: Deadline::at(until),
        ..Request::default()
    };
    let lines: Vec<&str> = text.split('\n').collect();
    let job = |line: &str| {
        let (choice, line) = (choice.clone(), line.to_string());
        async move {
            if line.trim().is_empty() {
                return Ok(None);
            }
            choice.translate(line, Vec::new(), &request, until).await.map(Some)
        }
    };
    let done = all(lines.iter().map(|line| job(line)).collect()).await?;
    let rank = |rank: usize| -> String {
        let texts: Vec<String> = done
            .iter()
            .map(|line| line.as_ref().map_or_else(String::new, |line| ranked(line, rank)))
            .collect();
        texts.join("\n")
    };
    let best = rank(0);
    let mut others: Vec<String> = Vec::new();
    for other in (1..count).map(rank) {
        if other != best && !others.contains(&other) {
            others.push(other);
        }
    }
    Ok((best, others))
}

/// The translation of a line with the sentences of this rank, or the last there are.
fn ranked(translated: &Translated, rank: usize) -> String {
    let sentence = |sentence: &treeglot_pipeline::translator::Sentence| {
        sentence.best.get(rank).or(sentence.best.last()).map(|best| best.text.clone()).unwrap_or_default()
    };
    let texts: Vec<String> = translated.sentences.iter().map(sentence).collect();
    texts.join(translated.joint)
}

/// Translates the texts of a document, keeps all else byte for byte, and sets inline tags by word links.
pub(super) async fn document(
    choice: &Choice,
    format: DocumentFormat,
    page: &str,
    until: Instant,
) -> Result<(String, Vec<String>), ApiError> {
    let document = Document::read(format, page).map_err(treeglot_pipeline::Error::from)?;
    let request =
        choice.translator.document_request(&Request { deadline: Deadline::at(until), ..Request::default() });
    let job = |text: String| {
        let choice = choice.clone();
        async move {
            choice.translate(text, Vec::new(), &request, until).await.map(|translated| translated.linked())
        }
    };
    let linked = all(document.segments().iter().map(|segment| job(segment.marked())).collect()).await?;
    Ok((document.write(&linked), Vec::new()))
}
