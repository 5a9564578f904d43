//! What can go wrong: with the server, and with a request.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use std::net::SocketAddr;
use std::path::PathBuf;
use utoipa::ToSchema;

/// An error of the server itself.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A bundle cannot be served.
    #[error(transparent)]
    Bundle(#[from] treeglot_pipeline::Error),
    /// An address is not free, or not this machine's.
    #[error("cannot listen at {address}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        source: std::io::Error,
    },
    /// A file cannot be used.
    #[error("{}: cannot {doing}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What was tried.
        doing: &'static str,
        /// What the system says.
        source: std::io::Error,
    },
    /// A file of keys is not as it should be.
    #[error("{}:{line}: {why}", .path.display())]
    Keys {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong, and what would be right.
        why: &'static str,
    },
    /// What was asked for does not fit together.
    #[error("{0}")]
    Setting(String),
    /// The system gives no threads, no clock or no random numbers.
    #[error("the system gives no {what}")]
    System {
        /// What it does not give.
        what: &'static str,
        /// What it says.
        source: std::io::Error,
    },
}

/// A result with this crate's error.
pub type Result<T> = std::result::Result<T, Error>;

/// What a client is told when a request cannot be answered, in the form that clients of LibreTranslate know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ApiError {
    pub status: StatusCode,
    pub why: String,
    /// After how many seconds it is worth to ask again.
    pub retry_after: Option<u32>,
}

/// The body of an error.
#[derive(Serialize, ToSchema)]
pub(crate) struct ErrorBody {
    /// What is wrong, and what would be right
    error: String,
}

impl ApiError {
    pub fn new(status: StatusCode, why: impl Into<String>) -> Self {
        Self { status, why: why.into(), retry_after: None }
    }

    /// The request is at fault.
    pub fn bad(why: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, why)
    }

    /// There is no such thing.
    pub fn missing(why: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, why)
    }

    /// Not now, but after so many seconds.
    pub fn later(status: StatusCode, why: impl Into<String>, seconds: u32) -> Self {
        Self { retry_after: Some(seconds.max(1)), ..Self::new(status, why) }
    }

    /// The time of a request is over.
    pub fn out_of_time() -> Self {
        let why = "the translation takes longer than the server allows: send less text at a time";
        Self::new(StatusCode::GATEWAY_TIMEOUT, why)
    }
}

impl From<treeglot_pipeline::Error> for ApiError {
    fn from(error: treeglot_pipeline::Error) -> Self {
        use treeglot_pipeline::Error as E;
        match error {
            E::OutOfTime => Self::out_of_time(),
            E::Invalid(why) => Self::bad(why),
            E::Models(error) => Self::bad(error.to_string()),
            other => {
                tracing::error!(error = %other, "a request failed");
                Self::new(StatusCode::INTERNAL_SERVER_ERROR, "the server could not translate this text")
            }
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(ErrorBody { error: self.why })).into_response();
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}
