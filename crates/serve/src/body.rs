//! Reading requests: JSON or a form, as clients of LibreTranslate send either, within a time and a size.

use crate::app::{Admitted, App, Client, Logged, too_large};
use crate::error::ApiError;
use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::{StatusCode, header};
use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Error as _};
use std::sync::Arc;
use std::time::Duration;

/// How long a client may take to send a request, or to take an answer.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// What may carry a key.
pub(crate) trait Keyed {
    /// The key, if there is one.
    fn key(&self) -> Option<&str>;
}

/// A request that was read and let in.
pub(crate) struct Asked<T> {
    pub body: T,
    pub admitted: Admitted,
}

impl<T: DeserializeOwned + Keyed> FromRequest<Arc<App>> for Asked<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, ApiError> {
        let (mut parts, body) = request.into_parts();
        let client = Client::from_request_parts(&mut parts, app).await?;
        let kind =
            parts.headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let form = kind.starts_with("application/x-www-form-urlencoded");
        let bytes = in_time(Bytes::from_request(Request::from_parts(parts, body), app)).await?;
        let bytes = bytes.map_err(|error| unread(error.status(), app))?;
        let body: T = if form { from_form(&bytes)? } else { from_json(&bytes)? };
        let admitted = app.admit(&client, body.key())?;
        Ok(Self { body, admitted })
    }
}

fn unread(status: StatusCode, app: &App) -> ApiError {
    match status {
        StatusCode::PAYLOAD_TOO_LARGE => ApiError::new(status, too_large(app)),
        _ => ApiError::new(status, "the body of the request could not be read"),
    }
}

/// Waits for a client, but not for ever.
pub(crate) async fn in_time<T>(reading: impl Future<Output = T>) -> Result<T, ApiError> {
    let late = |_| ApiError::new(StatusCode::REQUEST_TIMEOUT, "the request took too long to arrive");
    tokio::time::timeout(PATIENCE, reading).await.map_err(late)
}

fn from_json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    serde_json::from_slice(bytes)
        .map_err(|error| ApiError::bad(format!("the request is not as it should be: {error}")))
}

fn from_form<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    serde_urlencoded::from_bytes(bytes)
        .map_err(|error| ApiError::bad(format!("the request is not as it should be: {error}")))
}

/// A number that a form has as text.
pub(crate) fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Either {
        Number(usize),
        Text(String),
    }
    match Either::deserialize(deserializer)? {
        Either::Number(number) => Ok(number),
        Either::Text(text) => {
            text.trim().parse().map_err(|_| D::Error::custom(format!("`{text}` is not a number")))
        }
    }
}

/// Checks the length of a request's texts, and tells the log what it may know of them.
pub(crate) fn measured<'a>(
    app: &App,
    system: &str,
    texts: impl Iterator<Item = &'a str> + Clone,
) -> Result<Logged, ApiError> {
    let characters = texts.clone().map(|text| text.chars().count()).sum();
    let most = app.settings.max_characters;
    if characters > most {
        return Err(ApiError::bad(format!("{characters} characters: a request has at most {most} here")));
    }
    let text = app.settings.log_text.then(|| texts.collect::<Vec<_>>().join("\n"));
    Ok(Logged { system: system.to_string(), characters, text })
}
