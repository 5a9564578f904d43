//! How many sentences a second a server answers under load, how long clients wait, and whether its memory stays flat; beside it how
//! many `translate` does of the same text with the same bundle and threads. Clients run in the same process, on the same cores.
//!
//! `cargo bench -p treeglot-serve --bench load -- [--clients 200] [--seconds 60] [--model phrase] [--pairs 7000]`

#![allow(clippy::unwrap_used, reason = "a benchmark fails where something is wrong")]

#[path = "../tests/it/common.rs"]
#[allow(dead_code, reason = "tests use the rest")]
mod common;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use treeglot_pipeline::translator::{LineSource, TranslatorSettings};
use treeglot_pipeline::{Request, Translator};
use treeglot_serve::ServeSettings;
use treeglot_text::Lines;

fn option(name: &str, default: &str) -> String {
    let mut arguments = std::env::args().skip_while(|argument| argument != name);
    arguments.nth(1).unwrap_or_else(|| default.to_string())
}

fn number(name: &str, default: &str) -> usize {
    option(name, default).parse().expect("a number")
}

fn main() {
    // Test runners start it too, to see which tests it has: none.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let (clients, seconds) = (number("--clients", "200"), number("--seconds", "60"));
    let folder = tempfile::tempdir().unwrap();
    treeglot_sample::write_to(treeglot_sample::Sample::embedded(), folder.path()).unwrap();
    let bundle = common::make(
        folder.path(),
        "de-en",
        &option("--model", "phrase"),
        ["de", "en"],
        number("--pairs", "7000"),
    );
    let text = std::fs::read_to_string(folder.path().join("test.de")).unwrap();
    let sentences: Vec<&str> = text.lines().collect();

    let time = Duration::from_secs(seconds as u64);
    let alone = translate(&bundle, &sentences, time / 4);
    let settings = ServeSettings { rate_limit: 0, queue: 2 * clients, ..ServeSettings::default() };
    let server = common::serve(&[bundle], settings);
    let loaded = load(server.address, &sentences, clients, time);
    println!("translate        {alone:8.0} sentences a second");
    println!(
        "serve            {:8.0} sentences a second, {:.0}% of translate",
        loaded.rate,
        100.0 * loaded.rate / alone
    );
    println!(
        "clients          {clients:8}, {seconds} s, {} answers, {} errors",
        loaded.times.len(),
        loaded.errors
    );
    for (name, share) in [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("longest", 1.0)] {
        let at = ((loaded.times.len() as f64 * share) as usize).min(loaded.times.len() - 1);
        println!("{name:16} {:8.1} ms", loaded.times[at].as_secs_f64() * 1000.0);
    }
    let [early, late] = loaded.memory.map(|bytes| bytes as f64 / f64::from(1 << 20));
    println!("memory           {early:8.1} MB after a sixth of the time, {late:.1} MB at the end");
    assert_eq!(loaded.errors, 0, "every request is answered");
}

/// How many sentences a second lines through a translator are.
fn translate(bundle: &std::path::Path, sentences: &[&str], time: Duration) -> f64 {
    let settings = TranslatorSettings { threads: 2, ..TranslatorSettings::default() };
    let translator = Translator::open_with([bundle], &settings).unwrap();
    let all = sentences.join("\n");
    let round = || {
        let lines = Lines::new("text", all.as_bytes());
        let source = LineSource { lines, trees: Vec::new(), skip_bad: false };
        translator.translate_lines(source, &Request::default(), |_, _, _| Ok(())).unwrap();
    };
    round();
    let (start, mut rounds) = (Instant::now(), 0);
    while start.elapsed() < time {
        round();
        rounds += 1;
    }
    (rounds * sentences.len()) as f64 / start.elapsed().as_secs_f64()
}

/// What clients saw.
struct Loaded {
    rate: f64,
    times: Vec<Duration>,
    errors: usize,
    /// The memory of the process, early and at the end.
    memory: [u64; 2],
}

fn load(address: SocketAddr, sentences: &[&str], clients: usize, time: Duration) -> Loaded {
    let (start, over) = (Instant::now(), AtomicBool::new(false));
    let (mut times, mut errors, mut early) = (Vec::new(), 0, 0);
    std::thread::scope(|scope| {
        let over = &over;
        let client = |number: usize| move || ask(address, sentences, number, over);
        let threads: Vec<_> = (0..clients).map(|number| scope.spawn(client(number))).collect();
        std::thread::sleep(time / 6);
        early = memory();
        std::thread::sleep(time.saturating_sub(start.elapsed()));
        over.store(true, Ordering::Relaxed);
        for thread in threads {
            let (own, failed) = thread.join().unwrap();
            times.extend(own);
            errors += failed;
        }
    });
    let rate = times.len() as f64 / start.elapsed().as_secs_f64();
    times.sort_unstable();
    Loaded { rate, times, errors, memory: [early, memory()] }
}

/// Asks for one sentence after the other over one connection.
fn ask(address: SocketAddr, sentences: &[&str], number: usize, over: &AtomicBool) -> (Vec<Duration>, usize) {
    let (mut times, mut errors) = (Vec::new(), 0);
    let mut stream = BufReader::new(TcpStream::connect(address).unwrap());
    stream.get_ref().set_nodelay(true).unwrap();
    for sentence in sentences.iter().cycle().skip(number * 7) {
        if over.load(Ordering::Relaxed) {
            break;
        }
        let start = Instant::now();
        let body = serde_json::json!({ "q": sentence, "source": "de", "target": "en" }).to_string();
        let head = format!(
            "POST /translate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        stream.get_mut().write_all((head + &body).as_bytes()).unwrap();
        let ok = answered(&mut stream);
        times.push(start.elapsed());
        errors += usize::from(!ok);
    }
    (times, errors)
}

/// Reads an answer; whether it is a translation.
fn answered(stream: &mut BufReader<TcpStream>) -> bool {
    let (mut line, mut length, mut ok) = (String::new(), 0, false);
    loop {
        line.clear();
        stream.read_line(&mut line).unwrap();
        ok |= line.starts_with("HTTP/1.1 200");
        match line.split_once(": ") {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = value.trim().parse().unwrap();
            }
            Some(_) => {}
            None if line.trim().is_empty() => break,
            None => {}
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).unwrap();
    ok && body.starts_with(b"{\"translatedText\"")
}

fn memory() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.trim().trim_end_matches("kB").trim().parse::<u64>().unwrap_or(0) << 10
}
