//! Translation over HTTP, and the page that shows why a translation is as it is.
//!
//! A [`Server`] opens bundles and answers requests in the shape of LibreTranslate's API, so that its clients work unchanged:
//! `/translate`, `/translate_file`, `/detect`, `/languages`. Beside them are `/explain` (rules, links, trees, other
//! translations and features as JSON), `/systems` (cards and a search in rule tables), `/metrics` and `/openapi.json`.
//!
//! ```no_run
//! use treeglot_serve::{Named, ServeSettings, Server};
//!
//! let settings = ServeSettings { port: 0, ..ServeSettings::default() };
//! let server = Server::open(vec![Named::parse("bundles/de-en")], Default::default(), settings)?;
//! println!("open http://{} in a browser", server.address());
//! let stop = server.stop();
//! std::thread::spawn(move || {
//!     std::thread::sleep(std::time::Duration::from_secs(60));
//!     stop.stop();
//! });
//! server.run()?;
//! # Ok::<(), treeglot_serve::Error>(())
//! ```
//!
//! A request goes through these rooms: `server` takes its connection, `app` looks at its client (key, rate, room in the queue),
//! `body` reads it, a handler in `api` works on it, `systems` translates when it is its turn, and `app` counts and logs it. No
//! request waits or works longer than its time: the search looks at the clock ([`treeglot_decode::Deadline`]).

mod api;
mod app;
mod body;
mod error;
mod files;
mod keys;
mod languages;
mod limiter;
mod markup;
mod metrics;
mod page;
mod server;
mod settings;
mod systems;
mod trees;

pub use error::{Error, Result};
pub use keys::{Keys, new_key};
pub use server::{Server, Stop};
pub use settings::ServeSettings;
pub use systems::Named;
