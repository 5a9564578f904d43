//! What all requests share, and what happens to each of them on its way in and out: limits, keys, headers, log, counts.

use crate::error::{ApiError, Error, Result};
use crate::files::Files;
use crate::keys::Keys;
use crate::limiter::Limiter;
use crate::metrics::{Answered, Asked, Metrics};
use crate::settings::ServeSettings;
use crate::systems::Systems;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// What all requests share.
pub(crate) struct App {
    pub settings: ServeSettings,
    pub systems: Systems,
    pub metrics: Metrics,
    pub files: Files,
    /// Searches in tables, which take a core each, run one at a time.
    pub searches: Arc<Semaphore>,
    keys: RwLock<Option<Keys>>,
    limiter: Limiter,
    queue: Arc<Semaphore>,
}

/// Where a request comes from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer(pub SocketAddr);

/// A request that was let in; its place in the queue is free again when it is dropped.
pub(crate) struct Admitted {
    /// When its time is over.
    pub until: Instant,
    _place: OwnedSemaphorePermit,
}

/// What the log tells of a request beside what all have: handlers attach it to their responses.
#[derive(Debug, Clone, Default)]
pub(crate) struct Logged {
    pub system: String,
    pub characters: usize,
    /// The text itself, only where the log is to have it.
    pub text: Option<String>,
}

impl App {
    pub fn new(systems: Systems, settings: ServeSettings) -> Result<Self> {
        if settings.queue == 0 || settings.connections == 0 || settings.time_limit == 0 {
            let why =
                "queue, connections and time-limit must be at least 1: with 0, nothing would be answered";
            return Err(Error::Setting(why.to_string()));
        }
        let keys = settings.keys.as_ref().map(|path| Keys::read(path)).transpose()?;
        Ok(Self {
            systems,
            metrics: Metrics::new(),
            files: Files::new(16 * settings.max_body),
            searches: Arc::new(Semaphore::new(1)),
            keys: RwLock::new(keys),
            limiter: Limiter::new(settings.rate_limit),
            queue: Arc::new(Semaphore::new(settings.queue)),
            settings,
        })
    }

    /// Reads the file of keys again; if it is damaged, the keys that were read before go on.
    pub fn read_keys(&self) {
        let Some(path) = &self.settings.keys else { return };
        match Keys::read(path) {
            Ok(keys) => *self.keys.write().unwrap_or_else(PoisonError::into_inner) = Some(keys),
            Err(error) => {
                tracing::warn!(error = %error, "the file of keys cannot be read, the old keys go on");
            }
        }
    }

    /// Whether keys are asked for.
    pub fn needs_key(&self) -> bool {
        self.settings.keys.is_some()
    }

    /// Lets a request in, if its client has a key where one is needed and has not asked too often, and if there is room.
    pub fn admit(&self, client: &Client, key: Option<&str>) -> std::result::Result<Admitted, ApiError> {
        self.check_client(client, key)?;
        let Ok(place) = Arc::clone(&self.queue).try_acquire_owned() else {
            let why = "too many requests are waiting: try again in a moment";
            return Err(ApiError::later(StatusCode::SERVICE_UNAVAILABLE, why, 1));
        };
        let until = Instant::now() + Duration::from_secs(u64::from(self.settings.time_limit));
        Ok(Admitted { until, _place: place })
    }

    /// Whether a client has a key where one is needed, and has not asked too often.
    pub fn check_client(&self, client: &Client, key: Option<&str>) -> std::result::Result<(), ApiError> {
        let key = key.or(client.bearer.as_deref());
        let owner = {
            let keys = self.keys.read().unwrap_or_else(PoisonError::into_inner);
            match (&*keys, key) {
                (None, _) => None,
                (Some(keys), Some(key)) => Some(keys.owner(key).map(str::to_string).ok_or_else(|| {
                    ApiError::new(
                        StatusCode::FORBIDDEN,
                        "this API key is not known here: ask for one, or leave out the wrong one",
                    )
                })?),
                (Some(_), None) => {
                    let why = "an API key is needed here: send it as `api_key`, or in the header `Authorization: Bearer KEY`";
                    return Err(ApiError::new(StatusCode::FORBIDDEN, why));
                }
            }
        };
        // Keys of the same name share what they may ask; names and addresses cannot be confused.
        let who = owner.map_or_else(|| client.address.to_string(), |name| format!("key {name}"));
        self.limiter.take(&who, Instant::now()).map_err(|seconds| {
            let why = "this client asks more often than it may: wait a little";
            ApiError::later(StatusCode::TOO_MANY_REQUESTS, why, seconds)
        })
    }

    /// How many requests wait or are worked on.
    pub fn under_way(&self) -> usize {
        self.settings.queue - self.queue.available_permits()
    }
}

/// Who asks.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    address: IpAddr,
    bearer: Option<String>,
}

impl<S: Sync> axum::extract::FromRequestParts<S> for Client
where
    Arc<App>: axum::extract::FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request_parts(
        parts: &mut axum::http::request::Parts,
        state: &S,
    ) -> std::result::Result<Self, ApiError> {
        let app: Arc<App> = axum::extract::FromRef::from_ref(state);
        let peer = parts.extensions.get::<Peer>().map_or(IpAddr::from([127, 0, 0, 1]), |peer| peer.0.ip());
        let forwarded = if app.settings.trust_proxy { forwarded_for(&parts.headers) } else { None };
        let bearer = parts.headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let bearer = bearer.and_then(|value| value.strip_prefix("Bearer ")).map(|key| key.trim().to_string());
        Ok(Self { address: forwarded.unwrap_or(peer), bearer })
    }
}

/// The address that the proxy next to us saw.
fn forwarded_for(headers: &HeaderMap) -> Option<IpAddr> {
    let last = headers.get_all("x-forwarded-for").iter().next_back()?.to_str().ok()?;
    last.rsplit(',').next()?.trim().parse().ok()
}

/// The page loads what it needs from here and from nowhere else, and no other page may frame it.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Refuses what other web pages send in a user's name, adds headers, counts and logs.
pub(crate) async fn around(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let start = Instant::now();
    let method = request.method().clone();
    let path = request.extensions().get::<MatchedPath>().map_or("other", MatchedPath::as_str).to_string();
    let mut response = match refused(&app, &request) {
        Some(error) => error.into_response(),
        None => next.run(request).await,
    };
    let headers = response.headers_mut();
    let fixed = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    let (status, time) = (response.status().as_u16(), start.elapsed());
    app.metrics.requests.get_or_create(&Answered { path: path.clone(), status }).inc();
    app.metrics.seconds.get_or_create(&Asked { path: path.clone() }).observe(time.as_secs_f64());
    let Logged { system, characters, text } =
        response.extensions_mut().remove::<Logged>().unwrap_or_default();
    let milliseconds = time.as_micros() as f64 / 1000.0;
    match text {
        Some(text) => {
            tracing::info!(method = %method, path, status, milliseconds, system, characters, text, "request");
        }
        None => tracing::info!(method = %method, path, status, milliseconds, system, characters, "request"),
    }
    response
}

/// What a client is told that sends too much.
pub(crate) fn too_large(app: &App) -> String {
    format!("a request has at most {} bytes here", app.settings.max_body)
}

/// A request that says that it is too large is refused before it is read. Browsers tell where a request comes from: one that another site makes its visitor's browser send is refused, unless that site
/// was let in.
fn refused(app: &App, request: &Request) -> Option<ApiError> {
    const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
    let length =
        request.headers().get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    if length.is_some_and(|length: u64| length > app.settings.max_body as u64) {
        return Some(ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, too_large(app)));
    }
    let foreign = request.headers().get(FETCH_SITE).is_some_and(|site| site == "cross-site");
    let reads = request.method().is_safe();
    let why =
        "other sites may not ask in a visitor's name: the server has a setting `cors` for those that may";
    (foreign && !reads && app.settings.cors.is_empty()).then(|| ApiError::new(StatusCode::FORBIDDEN, why))
}
