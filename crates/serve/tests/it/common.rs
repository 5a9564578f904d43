//! A server over small bundles of the sample, and a client that says exactly what it is told to.

use serde_json::Value;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::thread::JoinHandle;
use std::time::Duration;
use treeglot_pipeline::translator::TranslatorSettings;
use treeglot_pipeline::{Cache, Progress, Recipe, Resources, train};
use treeglot_serve::{Named, Result, ServeSettings, Server, Stop};

/// Bundles of few pairs, made once for all tests: `phrase` and `hiero` from German to English, `back` the other way.
pub fn bundles() -> &'static Path {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        treeglot_sample::write_to(treeglot_sample::Sample::embedded(), folder.path()).unwrap();
        for (name, model, [source, target]) in [
            ("phrase", "phrase", ["de", "en"]),
            ("hiero", "hiero", ["de", "en"]),
            ("back", "phrase", ["en", "de"]),
        ] {
            make(folder.path(), name, model, [source, target], 400);
        }
        folder
    });
    folder.path()
}

/// Trains a bundle of so many pairs.
pub fn make(folder: &Path, name: &str, model: &str, [source, target]: [&str; 2], pairs: usize) -> PathBuf {
    let text = format!(
        "source = \"{source}\"\ntarget = \"{target}\"\npreprocess = {{ tokenize = true, truecase = true }}\n\
         align = {{ model = \"hmm\" }}\ntune = {{ method = \"none\" }}\n\
         data.train = {{ source = \"train.{source}\", target = \"train.{target}\", limit = {pairs} }}\n\
         [[system]]\nmodel = \"{model}\"\n"
    );
    let recipe = Recipe::parse(&text, "recipe.toml".as_ref(), folder, None).unwrap();
    let bundle = folder.join(name);
    let cache = Cache::open(folder.join("cache")).unwrap();
    train(&recipe, None, &cache, Resources::default(), &Progress::quiet(), &bundle).unwrap();
    bundle
}

/// A server that runs until it is dropped, and then must have ended well.
pub struct Running {
    pub address: SocketAddr,
    stop: Stop,
    thread: Option<JoinHandle<Result<()>>>,
}

/// Serves these bundles.
pub fn serve(bundles: &[PathBuf], settings: ServeSettings) -> Running {
    let named = bundles.iter().map(|bundle| Named::parse(&bundle.to_string_lossy())).collect();
    let translator = TranslatorSettings { threads: 2, ..TranslatorSettings::default() };
    let server = Server::open(named, translator, ServeSettings { port: 0, ..settings }).unwrap();
    let (address, stop) = (server.address(), server.stop());
    Running { address, stop, thread: Some(std::thread::spawn(move || server.run())) }
}

/// Serves all bundles that are made for tests.
pub fn serve_all(settings: ServeSettings) -> Running {
    serve(&["phrase", "hiero", "back"].map(|name| bundles().join(name)), settings)
}

impl Running {
    /// Begins to end it.
    pub fn stop(&self) {
        self.stop.stop();
    }

    /// Waits for its end.
    pub fn end(&mut self) {
        self.stop.stop();
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap().unwrap();
        }
    }

    /// Sends bytes and reads all that comes until the server closes the connection.
    pub fn raw(&self, bytes: &[u8]) -> Vec<u8> {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        // A server that refuses a request need not read it to its end.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        answer
    }

    /// Asks, with headers of its own.
    pub fn ask(&self, method: &str, path: &str, headers: &str, body: &[u8]) -> Answer {
        let length = body.len();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n"
        );
        Answer::parse(&self.raw(&[head.as_bytes(), body].concat()))
    }

    /// All bytes of an answer to JSON.
    pub fn raw_post(&self, path: &str, body: &Value) -> Vec<u8> {
        let body = body.to_string();
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        self.raw(head.as_bytes())
    }

    pub fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, "", b"")
    }

    pub fn post(&self, path: &str, body: &Value) -> Answer {
        self.ask("POST", path, "Content-Type: application/json\r\n", body.to_string().as_bytes())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.end();
        }
    }
}

/// What a server answered.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Answer {
    fn parse(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        let chunked = head.to_lowercase().contains("transfer-encoding: chunked");
        let body = if chunked { unchunked(body) } else { body.to_string() };
        Self { status, head: head.to_lowercase(), body }
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The message of an error with this status.
    pub fn error(&self, status: u16) -> String {
        assert_eq!(self.status, status, "{self:?}");
        self.json()["error"].as_str().unwrap_or_else(|| panic!("no error: {self:?}")).to_string()
    }
}

fn unchunked(mut body: &str) -> String {
    let mut out = String::new();
    while let Some((length, rest)) = body.split_once("\r\n") {
        let length = usize::from_str_radix(length.trim(), 16).unwrap_or(0);
        if length == 0 {
            break;
        }
        out.push_str(&rest[..length]);
        body = rest[length..].trim_start_matches("\r\n");
    }
    out
}
