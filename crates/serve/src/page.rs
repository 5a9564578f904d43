//! The page and the reports it shows. Its files are part of the binary: nothing has to be installed, and nothing is loaded from
//! elsewhere.

use crate::app::{App, Client};
use crate::error::ApiError;
use axum::Router;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use std::sync::Arc;

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// The files of the page: address, kind, content.
const FILES: [(&str, &str, &str); 10] = [
    ("/", HTML, include_str!("../page/index.html")),
    ("/page/page.css", CSS, include_str!("../page/page.css")),
    ("/page/style.css", CSS, treeglot_tree::page::STYLE),
    ("/page/drawings.js", SCRIPT, treeglot_tree::page::DRAWINGS),
    ("/page/main.js", SCRIPT, include_str!("../page/main.js")),
    ("/page/api.js", SCRIPT, include_str!("../page/api.js")),
    ("/page/translate.js", SCRIPT, include_str!("../page/translate.js")),
    ("/page/explain.js", SCRIPT, include_str!("../page/explain.js")),
    ("/page/bundle.js", SCRIPT, include_str!("../page/bundle.js")),
    ("/page/report.js", SCRIPT, include_str!("../page/report.js")),
];

/// The icon of the page: two nodes below one.
const ICON: &str = include_str!("../page/icon.svg");

/// All addresses of the page.
pub(crate) fn routes() -> Router<Arc<App>> {
    let mut router = Router::new()
        .route("/reports/{number}", get(report))
        .route("/page/icon.svg", get(|| async { ([(header::CONTENT_TYPE, "image/svg+xml")], ICON) }));
    for (address, kind, content) in FILES {
        // A browser asks again whenever the page is opened: after an update, old and new files do not mix.
        let headers = [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-cache")];
        router = router.route(address, get(move || async move { (headers, content) }));
    }
    router
}

/// A report of an experiment, read anew whenever it is asked for.
async fn report(
    State(app): State<Arc<App>>,
    client: Client,
    Path(number): Path<usize>,
) -> Result<Response, ApiError> {
    app.check_client(&client, None)?;
    let path =
        app.settings.reports.get(number).ok_or_else(|| ApiError::missing("there is no such report"))?;
    let path = path.clone();
    let text = tokio::task::spawn_blocking(move || std::fs::read_to_string(path)).await;
    let text =
        text.ok().and_then(Result::ok).ok_or_else(|| ApiError::missing("the report cannot be read"))?;
    // The page takes it apart and shows its parts; as a page of its own it would bring its own styles and scripts.
    Ok(([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_loads_its_own_files_and_nothing_from_elsewhere() {
        let known =
            |address: &str| FILES.iter().any(|(file, ..)| *file == address) || address == "/page/icon.svg";
        for (file, _, content) in FILES {
            for (at, _) in content.match_indices("://") {
                let start = content[..at].rfind(|c: char| !c.is_ascii_alphabetic()).map_or(0, |at| at + 1);
                let rest: String = content[start..].chars().take(30).collect();
                assert!(rest.starts_with("http://www.w3.org/"), "{file} has the address {rest}");
            }
        }
        let index = FILES[0].2;
        for attribute in ["src=\"", "href=\""] {
            for (at, _) in index.match_indices(attribute) {
                let address = index[at + attribute.len()..].split('"').next().unwrap();
                assert!(
                    known(address) || address.starts_with('#') || address == "/openapi.json",
                    "{address}"
                );
            }
        }
        for (file, ..) in FILES.iter().filter(|(file, kind, _)| *kind == SCRIPT && *file != "/page/main.js") {
            let name = file.rsplit('/').next().unwrap();
            assert!(
                FILES.iter().any(|(_, _, content)| content.contains(&format!("/{name}\""))),
                "{name} is used"
            );
        }
    }
}
