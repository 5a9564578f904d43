//! `POST /suggest`: better translations that users send, kept in a file.

use crate::app::{App, Logged};
use crate::body::{Asked, Keyed, measured};
use crate::error::{ApiError, ErrorBody};
use axum::extract::State;
use axum::http::StatusCode;
use axum::{Extension, Json};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use utoipa::ToSchema;

/// How large the file may get.
const LARGEST: u64 = 256 << 20;

#[derive(Deserialize, ToSchema)]
pub(super) struct SuggestRequest {
    /// The text
    q: String,
    /// How it should be translated
    s: String,
    /// The language of the text
    source: String,
    /// That of the translation
    target: String,
    /// Which system translated it otherwise
    #[serde(default)]
    system: Option<String>,
    /// A key, where the server asks for one
    #[serde(default)]
    api_key: Option<String>,
}

impl Keyed for SuggestRequest {
    fn key(&self) -> Option<&str> {
        self.api_key.as_deref()
    }
}

/// A line of the file.
#[derive(Serialize)]
struct Correction<'a> {
    /// Seconds since 1970.
    time: u64,
    source: &'a str,
    target: &'a str,
    text: &'a str,
    translation: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    system: Option<&'a str>,
}

/// Send a better translation, where the server keeps them
#[utoipa::path(
    post, path = "/suggest", request_body = SuggestRequest,
    responses((status = 200, description = "it is kept", body = Value), (status = 403, body = ErrorBody))
)]
pub(super) async fn suggest(
    State(app): State<Arc<App>>,
    asked: Asked<SuggestRequest>,
) -> Result<(Extension<Logged>, Json<Value>), ApiError> {
    let body = asked.body;
    let Some(path) = app.settings.corrections.clone() else {
        return Err(ApiError::new(
            StatusCode::FORBIDDEN,
            "corrections are not kept here: download them instead",
        ));
    };
    let logged =
        measured(&app, body.system.as_deref().unwrap_or_default(), [body.q.as_str(), &body.s].into_iter())?;
    if body.q.trim().is_empty() || body.s.trim().is_empty() {
        return Err(ApiError::bad("a correction has a text `q` and its translation `s`"));
    }
    let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (source, target) = (&body.source[..], &body.target[..]);
    let line = Correction {
        time,
        source,
        target,
        text: &body.q,
        translation: &body.s,
        system: body.system.as_deref(),
    };
    let line = serde_json::to_string(&line).expect("a correction is plain text") + "\n";
    let kept = tokio::task::spawn_blocking(move || append(&path, &line)).await;
    match kept {
        Ok(Ok(true)) => Ok((Extension(logged), Json(json!({ "success": true })))),
        Ok(Ok(false)) => {
            Err(ApiError::new(StatusCode::INSUFFICIENT_STORAGE, "the file of corrections is full"))
        }
        Ok(Err(error)) => {
            tracing::error!(error = %error, "a correction could not be written");
            Err(ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "the correction could not be written"))
        }
        Err(_) => {
            Err(ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "the correction could not be written"))
        }
    }
}

/// Appends a line at once, so that lines of several requests do not mix; whether there was room.
fn append(path: &Path, line: &str) -> std::io::Result<bool> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    if file.metadata()?.len() + line.len() as u64 > LARGEST {
        return Ok(false);
    }
    file.write_all(line.as_bytes())?;
    Ok(true)
}
