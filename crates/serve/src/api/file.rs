//! `POST /translate_file` and `GET /download_file/{name}`.

use super::translate::{auto, document, plain, source_language};
use crate::app::{App, Client, Logged};
use crate::body::{in_time, measured};
use crate::error::{ApiError, ErrorBody};
use axum::extract::{Multipart, Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use serde::Serialize;
use std::sync::Arc;
use std::time::Instant;
use treeglot_document::Format;
use utoipa::ToSchema;

/// Endings of the files that are translated, and what they are sent as.
pub(super) const ENDINGS: [(&str, &str); 4] = [
    ("txt", "text/plain; charset=utf-8"),
    ("html", "text/html; charset=utf-8"),
    ("htm", "text/html; charset=utf-8"),
    ("md", "text/markdown; charset=utf-8"),
];

/// The fields of the form.
#[derive(ToSchema)]
#[allow(dead_code, reason = "it describes the form for programs; the fields are read one by one")]
pub(super) struct FileRequest {
    /// The file: .txt, .md or .html
    #[schema(value_type = String, format = Binary)]
    file: Vec<u8>,
    /// Its language, or `auto`
    source: String,
    /// The language to translate to
    target: String,
    /// The systems to translate with
    system: Option<String>,
    /// A key, where the server asks for one
    api_key: Option<String>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct FileAnswer {
    /// Where the translated file can be fetched, for ten minutes
    translated_file_url: String,
}

/// The form as it is read.
struct Form {
    ending: &'static str,
    content: String,
    source: String,
    target: String,
    system: Option<String>,
    api_key: Option<String>,
}

/// Translate a file
#[utoipa::path(
    post, path = "/translate_file", request_body(content = FileRequest, content_type = "multipart/form-data"),
    responses(
        (status = 200, body = FileAnswer), (status = 400, body = ErrorBody), (status = 403, body = ErrorBody),
        (status = 413, body = ErrorBody), (status = 429, body = ErrorBody), (status = 503, body = ErrorBody),
        (status = 504, body = ErrorBody)
    )
)]
pub(super) async fn translate_file(
    State(app): State<Arc<App>>,
    client: Client,
    headers: HeaderMap,
    form: Multipart,
) -> Result<(Extension<Logged>, Json<FileAnswer>), ApiError> {
    let form = in_time(read(form)).await??;
    let admitted = app.admit(&client, form.api_key.as_deref())?;
    let logged =
        measured(&app, form.system.as_deref().unwrap_or_default(), std::iter::once(form.content.as_str()))?;
    let source = source_language(
        &app,
        form.system.as_deref(),
        [&form.source, &form.target],
        &form.content,
        &mut Vec::new(),
    )?;
    let choice = app.systems.choose(form.system.as_deref(), &source, &form.target)?;
    let (text, _) = match form.ending {
        "html" | "htm" => document(&choice, Format::Html, &form.content, admitted.until).await?,
        "md" => document(&choice, Format::Markdown, &form.content, admitted.until).await?,
        _ => plain(&choice, &form.content, 0, admitted.until).await?,
    };
    let name = app.files.keep(form.ending, text.into_bytes(), Instant::now());
    let name =
        name.ok_or_else(|| ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "the file could not be kept"))?;
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("localhost");
    let scheme =
        headers.get("x-forwarded-proto").filter(|scheme| app.settings.trust_proxy && *scheme == "https");
    let scheme = if scheme.is_some() { "https" } else { "http" };
    let url = format!("{scheme}://{host}/download_file/{name}");
    Ok((Extension(logged), Json(FileAnswer { translated_file_url: url })))
}

async fn read(mut form: Multipart) -> Result<Form, ApiError> {
    let mut read = Form {
        ending: "",
        content: String::new(),
        source: auto(),
        target: String::new(),
        system: None,
        api_key: None,
    };
    let bad =
        |error: axum::extract::multipart::MultipartError| ApiError::new(error.status(), error.body_text());
    while let Some(field) = form.next_field().await.map_err(bad)? {
        let name = field.name().unwrap_or_default().to_string();
        if name == "file" {
            let file = field.file_name().unwrap_or_default().to_ascii_lowercase();
            let ending = file.rsplit_once('.').map_or("", |(_, ending)| ending);
            let known = ENDINGS.iter().find(|(known, _)| *known == ending);
            read.ending = known
                .map(|(known, _)| *known)
                .ok_or_else(|| ApiError::bad("files that end in .txt, .md, .htm and .html are translated"))?;
            let bytes = field.bytes().await.map_err(bad)?;
            let text = str::from_utf8(&bytes).map_err(|_| ApiError::bad("the file is not UTF-8 text"))?;
            read.content = text.to_string();
            continue;
        }
        let value = field.text().await.map_err(bad)?;
        match name.as_str() {
            "source" => read.source = value,
            "target" => read.target = value,
            "system" => read.system = Some(value),
            "api_key" => read.api_key = Some(value),
            _ => {}
        }
    }
    if read.ending.is_empty() {
        return Err(ApiError::bad("the form has no field `file`"));
    }
    Ok(read)
}

/// Fetch a translated file
#[utoipa::path(
    get, path = "/download_file/{name}", params(("name" = String, Path, description = "its name, as /translate_file gave it")),
    responses((status = 200, description = "the file", body = String), (status = 404, body = ErrorBody))
)]
pub(super) async fn download_file(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
) -> Result<Response, ApiError> {
    let content = app.files.get(&name, Instant::now());
    let content = content.ok_or_else(|| ApiError::missing("there is no such file, or no longer"))?;
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let kind = ENDINGS
        .iter()
        .find(|(known, _)| *known == ending)
        .map_or("application/octet-stream", |(_, kind)| kind);
    // What users uploaded is to be saved, not shown as if it were a page of this server.
    let disposition = format!("attachment; filename=\"translation.{ending}\"");
    let headers = [(header::CONTENT_TYPE, kind.to_string()), (header::CONTENT_DISPOSITION, disposition)];
    Ok((headers, content).into_response())
}
