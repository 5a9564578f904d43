//! What a server refuses, and how.

use crate::common::{bundles, serve, serve_all};
use serde_json::json;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};
use treeglot_serve::{ServeSettings, new_key};

#[test]
fn who_has_no_key_gets_no_translation() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("keys");
    let key = new_key(&file, "Ada").unwrap();
    let server = serve(
        &[bundles().join("phrase")],
        ServeSettings { keys: Some(file.clone()), ..ServeSettings::default() },
    );
    let mut ask = json!({ "q": "das Haus", "source": "de", "target": "en" });
    assert!(server.post("/translate", &ask).error(403).contains("API key is needed"));
    for path in ["/metrics", "/systems/phrase", "/systems/phrase/rules?q=Haus"] {
        server.get(path).error(403);
    }
    ask["api_key"] = json!("tg_wrong");
    assert!(server.post("/translate", &ask).error(403).contains("not known"));
    ask["api_key"] = json!(key);
    assert_eq!(server.post("/translate", &ask).json()["translatedText"], "The house");
    let bearer = format!("Authorization: Bearer {key}\r\n");
    assert_eq!(server.ask("GET", "/systems/phrase", &bearer, b"").status, 200);
    assert_eq!(
        [server.get("/languages").status, server.get("/health").status, server.get("/").status],
        [200; 3]
    );
    // A key that is made while the server runs is taken up; nobody says when, so it is asked for.
    ask["api_key"] = json!(new_key(&file, "Bob").unwrap());
    let end = Instant::now() + Duration::from_secs(20);
    while server.post("/translate", &ask).status != 200 {
        assert!(Instant::now() < end, "a new key is taken up");
        std::thread::yield_now();
    }
}

#[test]
fn a_client_that_asks_too_often_is_told_when_to_come_back() {
    let server =
        serve(&[bundles().join("phrase")], ServeSettings { rate_limit: 3, ..ServeSettings::default() });
    let ask = json!({ "q": "das Haus", "source": "de", "target": "en" });
    let answers: Vec<_> = (0..4).map(|_| server.post("/translate", &ask)).collect();
    assert_eq!(answers.iter().map(|answer| answer.status).collect::<Vec<_>>(), [200, 200, 200, 429]);
    assert!(answers[3].head.contains("retry-after: "), "{:?}", answers[3]);
    assert_eq!(server.get("/health").status, 200, "whether it lives may always be asked");
}

#[test]
fn too_much_text_and_too_many_bytes_are_refused() {
    let settings = ServeSettings { max_characters: 100, max_body: 1000, ..ServeSettings::default() };
    let server = serve(&[bundles().join("phrase")], settings);
    let ask =
        |q: serde_json::Value| server.post("/translate", &json!({ "q": q, "source": "de", "target": "en" }));
    assert!(ask(json!("ä".repeat(101))).error(400).contains("101 characters"));
    assert_eq!(ask(json!("ä ".repeat(50))).status, 200);
    assert!(ask(json!(vec!["Haus"; 26])).error(400).contains("104 characters"));
    assert!(ask(json!("x".repeat(2000))).error(413).contains("1000 bytes"));
    let huge = server.raw(
        b"POST /translate HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999\r\nConnection: close\r\n\r\nx",
    );
    assert!(String::from_utf8_lossy(&huge).starts_with("HTTP/1.1 413"), "{huge:?}");
}

#[test]
fn a_translation_that_takes_too_long_is_stopped() {
    let settings = ServeSettings {
        time_limit: 1,
        max_characters: 4 << 20,
        max_body: 8 << 20,
        ..ServeSettings::default()
    };
    let server = serve(&[bundles().join("hiero")], settings);
    let start = Instant::now();
    let long = "der Hund sieht die Katze und das Haus ".repeat(30_000);
    let answer = server.post("/translate", &json!({ "q": long, "source": "de", "target": "en" }));
    assert!(answer.error(504).contains("longer than the server allows"));
    assert!(start.elapsed() < Duration::from_secs(15), "{:?}", start.elapsed());
    // Its thread is free again at once: both threads answer within the time limit.
    let short = json!({ "q": ["das Haus", "der Hund"], "source": "de", "target": "en" });
    assert_eq!(server.post("/translate", &short).json()["translatedText"], json!(["The house", "The dog"]));
}

#[test]
fn a_full_queue_answers_at_once_and_says_when_to_come_back() {
    let settings = ServeSettings {
        queue: 1,
        rate_limit: 0,
        time_limit: 3,
        max_characters: 4 << 20,
        max_body: 8 << 20,
        ..ServeSettings::default()
    };
    let server = serve(&[bundles().join("hiero")], settings);
    let long = json!({ "q": "der Hund sieht die Katze ".repeat(40_000), "source": "de", "target": "en" });
    std::thread::scope(|scope| {
        // Until it has the only place in the queue, the long request may be told to come back as well.
        let first = scope.spawn(|| {
            let statuses = std::iter::repeat_with(|| server.post("/translate", &long).status);
            statuses.into_iter().find(|&status| status != 503)
        });
        let short = json!({ "q": "das Haus", "source": "de", "target": "en" });
        let end = Instant::now() + Duration::from_secs(20);
        let refused = loop {
            let answer = server.post("/translate", &short);
            if answer.status == 503 {
                break answer;
            }
            assert!(Instant::now() < end && answer.status == 200, "{answer:?}");
        };
        assert!(refused.head.contains("retry-after: 1"), "{refused:?}");
        assert_eq!(first.join().unwrap(), Some(504));
    });
    let answer = server.post("/translate", &json!({ "q": "das Haus", "source": "de", "target": "en" }));
    assert_eq!(answer.status, 200, "there is room again");
}

#[test]
fn nonsense_is_answered_and_nothing_breaks() {
    let server = serve_all(ServeSettings::default());
    let bodies: [&[u8]; 14] = [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b"{\"q\":1}",
        b"{\"q\":\"a\"}",
        b"{\"q\":{},\"target\":\"en\"}",
        b"{\"q\":\"a\",\"target\":\"en\",\"alternatives\":-1}",
        b"{\"q\":\"a\",\"target\":\"en\",\"alternatives\":101}",
        b"{\"q\":\"a\",\"target\":\"xx\"}",
        b"{\"q\":\"a\",\"target\":\"en\",\"format\":\"pdf\"}",
        b"{\"q\":[\"a\",1],\"target\":\"en\"}",
        b"{\"q\":\"a\",\"source\":\"fr\",\"target\":\"en\"}",
    ];
    for body in bodies {
        server.ask("POST", "/translate", "Content-Type: application/json\r\n", body).error(400);
    }
    let deep = "[".repeat(100_000);
    server.ask("POST", "/translate", "", deep.as_bytes()).error(400);
    server
        .ask("POST", "/translate", "Content-Type: application/x-www-form-urlencoded\r\n", b"%%%&q")
        .error(400);
    server
        .ask("POST", "/translate_file", "Content-Type: multipart/form-data; boundary=x\r\n", b"--x\r\n\r\n")
        .error(400);
    server.ask("DELETE", "/translate", "", b"").error(405);
    server.get("/nowhere").error(404);
    for text in
        ["\u{0}\u{1}\u{feff}", "||| [X] </s>", "\u{202e}abc", "😀😀", "a\r\nb\u{2028}c", &"x".repeat(5000)]
    {
        let answer = server.post("/translate", &json!({ "q": text, "source": "de", "target": "en" }));
        assert_eq!(answer.status, 200, "{text:?}: {answer:?}");
    }
    for bytes in [
        &b"GET / HTTP/9.9\r\n\r\n"[..],
        b"\x16\x03\x01\x02\x00",
        b"POST /translate HTTP/1.1\r\nContent-Length: x\r\n\r\n",
    ] {
        server.raw(bytes);
    }
    assert_eq!(server.get("/health").status, 200);
}

/// Bodies that are almost right, made by chance from a right one.
#[test]
fn bodies_made_by_chance_never_break_the_server() {
    let server = serve_all(ServeSettings { rate_limit: 0, ..ServeSettings::default() });
    let right = json!({ "q": ["das Haus <b>&amp;</b>", "x"], "source": "auto", "target": "en", "format": "html", "alternatives": 2 });
    let mut seed = 7_u64;
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    for _ in 0..300 {
        let mut body = right.to_string().into_bytes();
        for _ in 0..=random(4) {
            let at = random(body.len());
            match random(4) {
                0 => body[at] = random(256) as u8,
                1 => body.truncate(at.max(1)),
                2 => body.insert(at, b"\"{}[],:\\0"[random(9)]),
                _ => {
                    body.remove(at);
                    body.push(b'}');
                }
            }
        }
        for path in ["/translate", "/explain", "/detect"] {
            let answer = server.ask("POST", path, "Content-Type: application/json\r\n", &body);
            assert!(
                [200, 400, 404].contains(&answer.status),
                "{:?}: {answer:?}",
                String::from_utf8_lossy(&body)
            );
        }
    }
}

#[test]
fn a_client_that_sends_slowly_is_cut_off() {
    let server = serve_all(ServeSettings::default());
    let start = Instant::now();
    let mut slow: Vec<TcpStream> = Vec::new();
    for bytes in
        [&b"GET / HTTP/1.1\r\nHo"[..], b"POST /translate HTTP/1.1\r\nHost: a\r\nContent-Length: 50\r\n\r\n{"]
    {
        let mut stream = TcpStream::connect(server.address).unwrap();
        stream.write_all(bytes).unwrap();
        slow.push(stream);
    }
    for mut stream in slow {
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("the server closes the connection");
        let answer = String::from_utf8_lossy(&answer);
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 408"), "{answer}");
    }
    assert!(start.elapsed() < Duration::from_secs(25), "{:?}", start.elapsed());
}

#[test]
fn other_web_sites_may_not_ask_in_a_visitors_name() {
    let body = br#"{"q":"das Haus","source":"de","target":"en"}"#;
    let foreign =
        "Origin: https://evil.example\r\nSec-Fetch-Site: cross-site\r\nContent-Type: application/json\r\n";
    let server = serve_all(ServeSettings::default());
    server.ask("POST", "/translate", foreign, body).error(403);
    let own = "Sec-Fetch-Site: same-origin\r\nContent-Type: application/json\r\n";
    assert_eq!(server.ask("POST", "/translate", own, body).status, 200);
    let cors = vec!["https://evil.example".to_string()];
    let open = serve_all(ServeSettings { cors, ..ServeSettings::default() });
    let answer = open.ask("POST", "/translate", foreign, body);
    assert!(
        answer.status == 200 && answer.head.contains("access-control-allow-origin: https://evil.example"),
        "{answer:?}"
    );
}
