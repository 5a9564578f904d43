//! The server: connections in, each with its limits, and an end that finishes what runs.

use crate::app::{App, Peer, around};
use crate::body::PATIENCE;
use crate::error::{ApiError, Error, Result};
use crate::settings::ServeSettings;
use crate::systems::{Named, Systems};
use crate::{api, page};
use axum::Router;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio_io_timeout::TimeoutStream;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::cors::{AllowOrigin, CorsLayer};
use treeglot_pipeline::translator::TranslatorSettings;

/// How often files are looked at for changes.
const LOOK: Duration = Duration::from_secs(1);

/// Threads that read requests and write answers; those that translate are apart.
const THREADS: usize = 2;

/// A server that is ready to answer: its bundles are open, its address is taken.
pub struct Server {
    app: Arc<App>,
    listener: TcpListener,
    address: SocketAddr,
    stop: Stop,
}

/// Ends a server from elsewhere.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<Notify>);

impl Stop {
    /// No new requests are taken from now on; those that were taken are answered, then the server ends.
    pub fn stop(&self) {
        // Whether the server waits already or will wait later, it learns of it.
        self.0.notify_one();
    }
}

impl Server {
    /// Opens bundles and takes an address.
    pub fn open(
        bundles: Vec<Named>,
        translator: TranslatorSettings,
        settings: ServeSettings,
    ) -> Result<Self> {
        let wanted = SocketAddr::new(settings.host, settings.port);
        let app = Arc::new(App::new(Systems::open(bundles, translator)?, settings)?);
        let listen = |source| Error::Listen { address: wanted, source };
        let listener = TcpListener::bind(wanted).map_err(listen)?;
        listener.set_nonblocking(true).map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        Ok(Self { app, listener, address, stop: Stop::default() })
    }

    /// The address it answers at.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What ends it.
    pub fn stop(&self) -> Stop {
        self.stop.clone()
    }

    /// Answers until it is stopped, and finishes what was begun by then.
    pub fn run(self) -> Result<()> {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(THREADS).enable_all().build();
        runtime.map_err(|source| Error::System { what: "threads", source })?.block_on(self.answer())
    }

    async fn answer(self) -> Result<()> {
        let Self { app, listener, address, stop } = self;
        let listener = tokio::net::TcpListener::from_std(listener)
            .map_err(|source| Error::Listen { address, source })?;
        let router = router(&app);
        let connections = Arc::new(Semaphore::new(app.settings.connections));
        let graceful = GracefulShutdown::new();
        let watcher = tokio::spawn(watch(Arc::clone(&app)));
        let mut stopped = std::pin::pin!(stop.0.notified());
        loop {
            // With all places taken, clients wait in the system's own queue.
            let place = Arc::clone(&connections).acquire_owned();
            let next = async { (place.await.expect("places are never closed"), listener.accept().await) };
            tokio::select! {
                (place, accepted) = next => match accepted {
                    Ok((stream, peer)) => connect(stream, peer, router.clone(), &graceful, place),
                    // Too many open files, or a client that went away at once: others can still be answered.
                    Err(error) => {
                        tracing::warn!(error = %error, "a connection could not be taken");
                        tokio::time::sleep(Duration::from_millis(50)).await;
                    }
                },
                () = &mut stopped => break,
            }
        }
        drop(listener);
        watcher.abort();
        tracing::info!(under_way = app.under_way(), "no more requests are taken");
        // No request lasts longer than its time and the patience with its client.
        let longest = Duration::from_secs(u64::from(app.settings.time_limit)) + 2 * PATIENCE;
        if tokio::time::timeout(longest, graceful.shutdown()).await.is_err() {
            tracing::warn!("some clients did not take their answers in time");
        }
        Ok(())
    }
}

/// Talks to a client as long as it keeps its connection, and takes its time within bounds.
fn connect(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    graceful: &GracefulShutdown,
    place: OwnedSemaphorePermit,
) {
    let _ = stream.set_nodelay(true);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(PATIENCE));
    let service = TowerToHyperService::new(router.layer(axum::Extension(Peer(peer))));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(PATIENCE)
        .serve_connection(TokioIo::new(Box::pin(stream)), service);
    let connection = graceful.watch(connection);
    tokio::spawn(async move {
        // What goes wrong with a connection is its client's affair.
        let _ = connection.await;
        drop(place);
    });
}

/// All addresses with all that is done to every request.
pub(crate) fn router(app: &Arc<App>) -> Router {
    let missing =
        || async { ApiError::missing("there is nothing at this address: /openapi.json lists what there is") };
    let wrong_method = || async {
        ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "not with this method: /openapi.json lists them")
    };
    let mut router = api::routes(app)
        .merge(page::routes())
        .fallback(missing)
        .method_not_allowed_fallback(wrong_method)
        .layer(CatchPanicLayer::custom(panicked));
    if !app.settings.cors.is_empty() {
        router = router.layer(cors(&app.settings.cors));
    }
    router.layer(from_fn_with_state(Arc::clone(app), around)).with_state(Arc::clone(app))
}

fn cors(origins: &[String]) -> CorsLayer {
    let allowed = match origins.iter().any(|origin| origin == "*") {
        true => AllowOrigin::any(),
        false => AllowOrigin::list(origins.iter().filter_map(|origin| HeaderValue::from_str(origin).ok())),
    };
    CorsLayer::new()
        .allow_origin(allowed)
        .allow_methods([axum::http::Method::GET, axum::http::Method::POST])
        .allow_headers([header::CONTENT_TYPE, header::AUTHORIZATION])
}

fn panicked(_: Box<dyn std::any::Any + Send>) -> Response {
    tracing::error!("a request made the server panic: this is a fault of treeglot, please report it");
    ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "a fault of the server").into_response()
}

/// Takes up bundles and keys that were replaced on disk.
async fn watch(app: Arc<App>) {
    let modified = |app: &App| {
        let about = std::fs::metadata(app.settings.keys.as_ref()?).ok()?;
        about.modified().ok()
    };
    let mut keys = modified(&app);
    loop {
        tokio::time::sleep(LOOK).await;
        let looking = Arc::clone(&app);
        let looked = tokio::task::spawn_blocking(move || {
            let now = modified(&looking);
            if now != keys {
                looking.read_keys();
            }
            (now, looking.systems.take_up_replaced())
        });
        if let Ok((now, replaced)) = looked.await {
            keys = now;
            app.metrics.replaced.inc_by(replaced as u64);
        }
    }
}
