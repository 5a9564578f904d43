//! Translation over HTTP, and the page that shows why a translation is as it is.
//!
//! A [`Server`] opens bundles and answers requests in the shape of LibreTranslate's API, so that its clients work unchanged:
//! `/translate`, `/translate_file`, `/detect`, `/languages`. Beside them are `/explain` (rules, links, trees, other
//! translations and features as JSON), `/systems` (cards and a search in rule tables), `/metrics` and `/openapi.json`.
//!
//! ```
//! use std::io::{Read, Write};
//! use treeglot_pipeline::{Cache, Progress, Recipe, Resources, train};
//! use treeglot_serve::{Named, ServeSettings, Server};
//!
//! let folder = tempfile::tempdir()?;
//! treeglot_sample::write_to(treeglot_sample::Sample::embedded(), folder.path())?;
//! let text = r#"
//!     source = "de"
//!     target = "en"
//!     preprocess = { tokenize = false, truecase = false }
//!     align = { model = "hmm" }
//!     tune = { method = "none" }
//!     data.train = { source = "train.de", target = "train.en", limit = 300 }
//!     [[system]]
//!     model = "phrase"
//! "#;
//! let recipe = Recipe::parse(text, "recipe.toml".as_ref(), folder.path(), None)?;
//! let (cache, bundle) = (Cache::open(folder.path().join("cache"))?, folder.path().join("de-en"));
//! train(&recipe, None, &cache, Resources::default(), &Progress::quiet(), &bundle)?;
//!
//! // Port 0 is any that is free.
//! let settings = ServeSettings { port: 0, ..ServeSettings::default() };
//! let bundles = vec![Named { name: "de-en".into(), folder: bundle }];
//! let server = Server::open(bundles, Default::default(), settings)?;
//! let (address, stop) = (server.address(), server.stop());
//! let client = std::thread::spawn(move || -> std::io::Result<String> {
//!     let body = r#"{"q": "das Haus", "source": "de", "target": "en"}"#;
//!     let mut stream = std::net::TcpStream::connect(address)?;
//!     write!(stream, "POST /translate HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}", body.len())?;
//!     let mut answer = String::new();
//!     stream.read_to_string(&mut answer)?;
//!     stop.stop();
//!     Ok(answer)
//! });
//! server.run()?;
//! let answer = client.join().expect("a client that does not panic")?;
//! assert!(answer.ends_with(r#"{"translatedText":"the house"}"#), "{answer}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
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
