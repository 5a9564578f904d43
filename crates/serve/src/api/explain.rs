//! `POST /explain`: translations with all that is known of why they are as they are.

use super::systems::weights;
use super::translate::{ALTERNATIVES, auto, source_language};
use crate::app::{App, Logged};
use crate::body::{Asked, Keyed, measured, number};
use crate::error::{ApiError, ErrorBody};
use crate::trees;
use axum::extract::State;
use axum::{Extension, Json};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use treeglot_decode::Deadline;
use treeglot_pipeline::translator::{Hypothesis, Sentence};
use treeglot_pipeline::{Request, Translator};
use utoipa::ToSchema;

#[derive(Deserialize, ToSchema)]
pub(super) struct ExplainRequest {
    /// The text
    q: String,
    /// Its language, or `auto`
    #[serde(default = "auto")]
    source: String,
    /// The language to translate to
    target: String,
    /// The systems to translate with
    #[serde(default)]
    system: Option<String>,
    /// How many other translations of each sentence are wanted; 100 at most
    #[serde(default, deserialize_with = "number")]
    #[schema(value_type = usize)]
    alternatives: usize,
    /// A dependency tree of the text's words as the models see them, as CoNLL-U; of one sentence only
    #[serde(default)]
    dependencies: Option<String>,
    /// A constituency tree of them in brackets, as in the Penn Treebank; of one sentence only
    #[serde(default)]
    constituents: Option<String>,
    /// A key, where the server asks for one
    #[serde(default)]
    api_key: Option<String>,
}

impl Keyed for ExplainRequest {
    fn key(&self) -> Option<&str> {
        self.api_key.as_deref()
    }
}

/// Translate a text and say why: rules, links, trees, other translations and the values of all features
#[utoipa::path(
    post, path = "/explain", request_body = ExplainRequest,
    responses(
        (status = 200, description = "the sentences of the text, each with its best translations", body = Value),
        (status = 400, body = ErrorBody), (status = 403, body = ErrorBody), (status = 503, body = ErrorBody),
        (status = 504, body = ErrorBody)
    )
)]
pub(super) async fn explain(
    State(app): State<Arc<App>>,
    asked: Asked<ExplainRequest>,
) -> Result<(Extension<Logged>, Json<Value>), ApiError> {
    let Asked { body, admitted } = asked;
    if body.alternatives > ALTERNATIVES {
        return Err(ApiError::bad(format!("{ALTERNATIVES} alternatives are given at most")));
    }
    let mut detected = Vec::new();
    let source =
        source_language(&app, body.system.as_deref(), [&body.source, &body.target], &body.q, &mut detected)?;
    let choice = app.systems.choose(body.system.as_deref(), &source, &body.target)?;
    let logged = measured(&app, &choice.name, std::iter::once(body.q.as_str()))?;
    let translator = &choice.translator;
    let given =
        trees::read(&choice.words(&body.q), body.dependencies.as_deref(), body.constituents.as_deref())?;
    let together = translator.systems() > 1;
    let count = if together { 1 } else { body.alternatives + 1 };
    let request = Request {
        count,
        distinct: count > 1,
        explain: true,
        // Trees are of one sentence.
        split: translator.splits() && given.is_none(),
        deadline: Deadline::at(admitted.until),
        signs: translator.tells_confidence(),
        ..Request::default()
    };
    let trees = given.into_iter().collect::<Vec<_>>();
    let mut lines = Vec::new();
    for line in body.q.split('\n').filter(|line| !line.trim().is_empty()) {
        let done = choice.translate(line.to_string(), trees.clone(), &request, admitted.until).await?;
        let sentences: Vec<Value> =
            done.sentences.iter().map(|sentence| sentence_json(sentence, translator, &trees)).collect();
        lines.push(json!({ "text": done.text(), "sentences": sentences }));
    }
    let answer = json!({
        "system": choice.name,
        "systems": choice.systems.iter().map(|system| &system.name).collect::<Vec<_>>(),
        "source": source,
        "target": body.target,
        "detectedLanguage": detected.first(),
        "weights": weights(translator),
        "lines": lines,
    });
    Ok((Extension(logged), Json(answer)))
}

fn sentence_json(
    sentence: &Sentence,
    translator: &Translator,
    given: &[treeglot_models::InputTrees],
) -> Value {
    let first = sentence.best.first().and_then(|best| best.explanation.as_ref());
    let source = first.map(|why| why.source.clone()).unwrap_or_default();
    json!({
        "source": source,
        "trees": trees::json(given.first(), &sentence.parses, &source),
        "best": sentence.best.iter().map(|best| hypothesis_json(best, translator)).collect::<Vec<_>>(),
        "narrowed": sentence.narrowed,
        "confidence": sentence.confidence,
    })
}

fn hypothesis_json(best: &Hypothesis, translator: &Translator) -> Value {
    let features = translator.features(best.system);
    json!({
        "text": best.text,
        "score": best.score,
        "system": best.system,
        "features": features.named(&best.features),
        "explanation": best.explanation,
        "heads": best.tree,
    })
}
