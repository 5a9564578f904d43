//! `GET /systems` and `GET /systems/{name}`: which systems there are, and the card of one.

use crate::app::{App, Client};
use crate::error::{ApiError, ErrorBody};
use crate::systems::Opened;
use axum::Json;
use axum::extract::{Path, State};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use utoipa::ToSchema;

/// A system.
#[derive(Serialize, ToSchema)]
pub(super) struct System {
    /// Its name
    name: String,
    /// The language it translates from
    source: String,
    /// The language it translates to
    target: String,
    /// Its translation model
    model: String,
    /// How many rules it has
    rules: usize,
}

fn describe(system: &Opened) -> System {
    let [source, target] = system.languages.clone();
    let model = system.bundle.manifest().model.clone();
    let rules = system.tables.iter().map(|table| table.len()).sum();
    System { name: system.name.clone(), source, target, model, rules }
}

/// All systems
#[utoipa::path(get, path = "/systems", responses((status = 200, body = [System])))]
pub(super) async fn systems(State(app): State<Arc<App>>) -> Json<Vec<System>> {
    Json(app.systems.all().iter().map(|system| describe(system)).collect())
}

/// A system with the card of its bundle, its files and weights
#[utoipa::path(
    get, path = "/systems/{name}", params(("name" = String, Path, description = "its name")),
    responses((status = 200, description = "the system", body = Value), (status = 404, body = ErrorBody))
)]
pub(super) async fn system(
    State(app): State<Arc<App>>,
    client: Client,
    Path(name): Path<String>,
) -> Result<Json<Value>, ApiError> {
    app.check_client(&client, None)?;
    let system = app.systems.find(&name)?;
    let files = system.bundle.manifest().files.iter();
    let files: Vec<Value> =
        files.map(|file| json!({ "name": file.name, "role": file.role, "bytes": file.bytes })).collect();
    let table = |table: &treeglot_grammar::Table| json!({ "model": table.model(), "rules": table.len(), "sources": table.source_len(), "scores": table.score_names() });
    let mut answer = serde_json::to_value(describe(&system)).expect("a description is plain data");
    answer["card"] = json!(system.card);
    answer["files"] = json!(files);
    answer["tables"] = system.tables.iter().map(table).collect();
    answer["weights"] = Value::Object(weights(&system.translator));
    Ok(Json(answer))
}

/// The weights of the first system of a translator, by the names of their features.
pub(super) fn weights(translator: &treeglot_pipeline::Translator) -> Map<String, Value> {
    let values = translator.weights(0);
    translator.features(0).iter().map(|(name, range)| (name.to_string(), json!(values[range]))).collect()
}
