//! `GET /languages`, `POST /detect`, `GET /health`, `/frontend/settings`, `/metrics` and `/openapi.json`.

use super::file::ENDINGS;
use super::translate::Detected;
use crate::app::{App, Client};
use crate::body::{Asked, Keyed, measured};
use crate::error::{ApiError, ErrorBody};
use crate::languages::{self, name};
use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;
use utoipa::ToSchema;

/// A language that is translated from or to.
#[derive(Serialize, ToSchema)]
pub(super) struct Language {
    /// Its code
    code: String,
    /// Its English name
    name: String,
    /// The codes of the languages it is translated to
    targets: Vec<String>,
}

/// Which languages are translated to which
#[utoipa::path(get, path = "/languages", responses((status = 200, body = [Language])))]
pub(super) async fn languages(State(app): State<Arc<App>>) -> Json<Vec<Language>> {
    let systems = app.systems.all();
    let mut languages: Vec<Language> = Vec::new();
    // Those that are translated from come first.
    let sources = systems.iter().map(|system| &system.languages[0]);
    for code in sources.chain(systems.iter().map(|system| &system.languages[1])) {
        if !languages.iter().any(|language| language.code == *code) {
            languages.push(Language { code: code.clone(), name: name(code).into(), targets: Vec::new() });
        }
    }
    for [source, target] in systems.iter().map(|system| &system.languages) {
        let from = languages.iter_mut().find(|language| language.code == *source);
        if let Some(from) = from.filter(|from| !from.targets.contains(target)) {
            from.targets.push(target.clone());
        }
    }
    Json(languages)
}

#[derive(Deserialize, ToSchema)]
pub(super) struct DetectRequest {
    /// The text
    q: String,
    /// A key, where the server asks for one
    #[serde(default)]
    api_key: Option<String>,
}

impl Keyed for DetectRequest {
    fn key(&self) -> Option<&str> {
        self.api_key.as_deref()
    }
}

/// Which of the languages served a text is in, the likeliest first
#[utoipa::path(
    post, path = "/detect", request_body = DetectRequest,
    responses((status = 200, body = [Detected]), (status = 400, body = ErrorBody), (status = 403, body = ErrorBody))
)]
pub(super) async fn detect(
    State(app): State<Arc<App>>,
    asked: Asked<DetectRequest>,
) -> Result<Json<Vec<Detected>>, ApiError> {
    measured(&app, "", std::iter::once(asked.body.q.as_str()))?;
    Ok(Json(languages::detect(&app.systems.all(), &asked.body.q).into_iter().map(Detected::from).collect()))
}

/// Whether the server answers
#[utoipa::path(get, path = "/health", responses((status = 200, description = "it does", body = Value)))]
pub(super) async fn health() -> Json<Value> {
    Json(json!({ "status": "ok" }))
}

/// What a page for people needs to know
#[utoipa::path(get, path = "/frontend/settings", responses((status = 200, description = "settings", body = Value)))]
pub(super) async fn frontend_settings(State(app): State<Arc<App>>) -> Json<Value> {
    let systems = app.systems.all();
    let language = |code: &str| json!({ "code": code, "name": name(code) });
    let [source, target] = &systems[0].languages;
    Json(json!({
        "charLimit": app.settings.max_characters,
        "frontendTimeout": 500,
        "apiKeys": app.needs_key(),
        "keyRequired": app.needs_key(),
        "suggestions": app.settings.corrections.is_some(),
        "filesTranslation": true,
        "supportedFilesFormat": ENDINGS.map(|(ending, _)| format!(".{ending}")),
        "language": { "source": language(source), "target": language(target) },
        "reports": app.settings.reports.iter().map(|path| path.display().to_string()).collect::<Vec<_>>(),
    }))
}

/// What the server counts, for Prometheus
#[utoipa::path(get, path = "/metrics", responses((status = 200, description = "counts", body = String)))]
pub(super) async fn metrics(
    State(app): State<Arc<App>>,
    client: Client,
) -> Result<impl IntoResponse, ApiError> {
    app.check_client(&client, None)?;
    app.metrics.under_way.set(app.under_way() as i64);
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    Ok(([(header::CONTENT_TYPE, kind)], app.metrics.text()))
}

/// The description of this API.
pub(super) async fn openapi() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json")], super::description())
}
