//! What can be asked, in the shape of LibreTranslate's API, so that its clients work unchanged; and what it lacks.

mod about;
mod corrections;
mod explain;
mod file;
mod rules;
mod systems;
mod translate;

use crate::app::App;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::routing::{get, post};
use std::sync::Arc;
use utoipa::OpenApi;

/// The description of the API that programs read.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Treeglot",
        description = "Syntax-based machine translation that explains every word. /translate, /translate_file, /detect, \
                       /languages and /suggest are those of LibreTranslate.",
        license(name = "MIT OR Apache-2.0")
    ),
    paths(
        translate::translate,
        file::translate_file,
        file::download_file,
        about::languages,
        about::detect,
        about::health,
        about::frontend_settings,
        about::metrics,
        explain::explain,
        systems::systems,
        systems::system,
        rules::rules,
        corrections::suggest,
    )
)]
struct Description;

/// The description as JSON.
pub(crate) fn description() -> String {
    Description::openapi().to_json().expect("a description is plain data")
}

/// All paths of the API.
pub(crate) fn routes(app: &App) -> Router<Arc<App>> {
    Router::new()
        .route("/translate", post(translate::translate))
        .route("/translate_file", post(file::translate_file))
        .route("/download_file/{name}", get(file::download_file))
        .route("/languages", get(about::languages))
        .route("/detect", post(about::detect))
        .route("/health", get(about::health))
        .route("/frontend/settings", get(about::frontend_settings))
        .route("/metrics", get(about::metrics))
        .route("/openapi.json", get(about::openapi))
        .route("/explain", post(explain::explain))
        .route("/systems", get(systems::systems))
        .route("/systems/{name}", get(systems::system))
        .route("/systems/{name}/rules", get(rules::rules))
        .route("/suggest", post(corrections::suggest))
        .layer(DefaultBodyLimit::max(app.settings.max_body))
}
