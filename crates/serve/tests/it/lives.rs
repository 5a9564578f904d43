//! A server that ends, and bundles that are replaced, while clients ask.

use crate::common::{bundles, make, serve};
use serde_json::json;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use treeglot_pipeline::{Bundle, Teacher};
use treeglot_serve::ServeSettings;

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

#[test]
fn a_server_that_is_stopped_answers_what_it_took() {
    let mut server =
        serve(&[bundles().join("hiero")], ServeSettings { rate_limit: 0, ..ServeSettings::default() });
    let (answered, refused) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let ask = json!({ "q": "der Hund sieht die Katze , die das Haus sieht .", "source": "de", "target": "en" });
                loop {
                    if std::net::TcpStream::connect(server.address).is_err() {
                        return;
                    }
                    let answer = server.raw_post("/translate", &ask);
                    match answer.as_slice() {
                        // Nothing came: the connection was never taken, and nothing of it was worked on.
                        [] => {
                            refused.fetch_add(1, Ordering::Relaxed);
                            return;
                        }
                        bytes => {
                            let text = String::from_utf8_lossy(bytes);
                            assert!(text.starts_with("HTTP/1.1 200") && text.ends_with('}'), "half an answer: {text}");
                            answered.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                }
            });
        }
        while answered.load(Ordering::Relaxed) < 50 {
            std::thread::yield_now();
        }
        server.stop();
    });
    server.end();
    assert!(answered.load(Ordering::Relaxed) >= 50);
    assert!(std::net::TcpStream::connect(server.address).is_err(), "nobody listens any more");
}

#[test]
fn what_a_bundle_learns_is_used_by_a_server_that_runs() {
    let folder = tempfile::tempdir().unwrap();
    let bundle = folder.path().join("bundle");
    copy(&bundles().join("phrase"), &bundle);
    let server =
        serve(std::slice::from_ref(&bundle), ServeSettings { rate_limit: 0, ..ServeSettings::default() });
    let ask = json!({ "q": "das Haus schläft nie .", "source": "de", "target": "en" });
    let answer = || server.post("/translate", &ask).json()["translatedText"].as_str().unwrap().to_string();
    assert!(!answer().contains("castle"));
    let teacher = Teacher::open(Bundle::open(&bundle).unwrap()).unwrap();
    let correction = teacher.correction("das Haus schläft nie .", "The castle never sleeps .").unwrap();
    teacher.learn(vec![correction]).unwrap();
    let start = Instant::now();
    while !answer().contains("castle") {
        assert!(start.elapsed() < Duration::from_secs(60), "it is taken up within a second or two");
        std::thread::yield_now();
    }
}

#[test]
fn a_bundle_that_is_replaced_is_taken_up_and_no_request_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let (served, next) = (folder.path().join("served"), folder.path().join("next"));
    copy(&bundles().join("phrase"), &served);
    let server =
        serve(std::slice::from_ref(&served), ServeSettings { rate_limit: 0, ..ServeSettings::default() });
    let rules = || server.get("/systems").json()[0]["rules"].as_u64().unwrap();
    let before = rules();
    treeglot_sample::write_to(treeglot_sample::Sample::embedded(), folder.path()).unwrap();
    make(folder.path(), "next", "phrase", ["de", "en"], 150);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let ask = json!({ "q": "das Haus und der Hund", "source": "de", "target": "en" });
                while !done.load(Ordering::Relaxed) {
                    let answer = server.post("/translate", &ask);
                    assert_eq!(answer.status, 200, "{answer:?}");
                }
            });
        }
        fs::rename(&served, folder.path().join("old")).unwrap();
        fs::rename(&next, &served).unwrap();
        let end = Instant::now() + Duration::from_secs(30);
        while rules() == before {
            assert!(Instant::now() < end, "the new bundle is taken up");
        }
        done.store(true, Ordering::Relaxed);
    });
}

#[test]
fn a_damaged_replacement_is_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let served = folder.path().join("served");
    copy(&bundles().join("phrase"), &served);
    let server =
        serve(std::slice::from_ref(&served), ServeSettings { rate_limit: 0, ..ServeSettings::default() });
    let ask = json!({ "q": "das Haus", "source": "de", "target": "en" });
    fs::write(served.join("bundle.toml.new"), "version = ").unwrap();
    fs::rename(served.join("bundle.toml.new"), served.join("bundle.toml")).unwrap();
    let end = Instant::now() + Duration::from_millis(2500);
    while Instant::now() < end {
        assert_eq!(server.post("/translate", &ask).json()["translatedText"], "The house");
    }
}

#[test]
fn two_bundles_of_one_name_and_an_address_that_is_taken_are_told() {
    use treeglot_serve::{Named, Server};
    let bundle = Named { name: "a".into(), folder: bundles().join("phrase") };
    let open = |bundles: Vec<Named>, settings| {
        Server::open(bundles, Default::default(), settings).err().map(|e| e.to_string())
    };
    let twice = open(vec![bundle.clone(), bundle.clone()], ServeSettings::default()).unwrap();
    assert!(twice.contains("two bundles are called `a`"), "{twice}");
    let first = Server::open(
        vec![bundle.clone()],
        Default::default(),
        ServeSettings { port: 0, ..ServeSettings::default() },
    )
    .unwrap();
    let port = first.address().port();
    let taken = open(vec![bundle], ServeSettings { port, ..ServeSettings::default() }).unwrap();
    assert!(taken.contains(&format!("cannot listen at 127.0.0.1:{port}")), "{taken}");
}
