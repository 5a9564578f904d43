//! Lines through threads, in order and without delay: a line's result is written as soon as it and those before it are
//! done, even while the next line is still being typed.

use crate::error::{Error, Result};
use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use treeglot_text::bitext::Skipped;
use treeglot_text::{Lines, Output};

/// How many lines each thread may be ahead of the output: a bound on memory.
const AHEAD: u64 = 64;

struct Reader<'a, R, B> {
    lines: &'a mut Lines<R>,
    beside: B,
    next: u64,
    skipped: Skipped,
    skip_bad: bool,
}

impl<R: BufRead, T, B: FnMut(&str) -> Result<T>> Reader<'_, R, B> {
    /// The next line, copied, with its number from 0 and what belongs to it.
    fn line(&mut self) -> Result<Option<(u64, String, T)>> {
        let line = match self.lines.next_line() {
            Ok(None) => return Ok(None),
            Ok(Some(line)) => line.to_string(),
            Err(e) if self.skip_bad && self.skipped.count(&e) => String::new(),
            Err(e) => return Err(e.into()),
        };
        self.next += 1;
        let beside = (self.beside)(&line)?;
        Ok(Some((self.next - 1, line, beside)))
    }
}

struct Writer<'a, const N: usize> {
    outputs: [Option<&'a mut Output>; N],
    waiting: BTreeMap<u64, [String; N]>,
    next: u64,
    failed: Option<Error>,
}

impl<const N: usize> Writer<'_, N> {
    fn take(&mut self, number: u64, result: [String; N]) {
        self.waiting.insert(number, result);
        while let Some(texts) = self.waiting.remove(&self.next) {
            self.next += 1;
            for (out, text) in self.outputs.iter_mut().zip(&texts) {
                let Some(out) = out else { continue };
                if let Err(source) = out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
                    self.failed.get_or_insert(out.error(source).into());
                    return;
                }
            }
        }
    }
}

/// Writes what the workers make of each line; each worker is used by one thread. A worker gets the number of the line,
/// from 0, the line, and what `beside` reads for it, which is called for one line after the other. With `skip_bad`, a line
/// that is not UTF-8 or too long is taken as an empty one and counted.
pub fn translate_stream<R, W, B, T>(
    lines: &mut Lines<R>,
    out: &mut Output,
    workers: Vec<W>,
    skip_bad: bool,
    beside: B,
) -> Result<Skipped>
where
    R: BufRead + Send,
    W: FnMut(u64, &str, T) -> Result<String> + Send,
    B: FnMut(&str) -> Result<T> + Send,
{
    let one = |mut worker: W| move |number, line: &str, beside| Ok([worker(number, line, beside)?]);
    translate_streams(lines, [Some(out)], workers.into_iter().map(one).collect(), skip_bad, beside)
}

/// The same for workers that write to several outputs at once, as texts and their trees, as far as these are wanted.
pub fn translate_streams<R, W, B, T, const N: usize>(
    lines: &mut Lines<R>,
    outputs: [Option<&mut Output>; N],
    workers: Vec<W>,
    skip_bad: bool,
    beside: B,
) -> Result<Skipped>
where
    R: BufRead + Send,
    W: FnMut(u64, &str, T) -> Result<[String; N]> + Send,
    B: FnMut(&str) -> Result<T> + Send,
{
    let ahead = AHEAD * workers.len() as u64;
    let reader = Mutex::new(Reader { lines, beside, next: 0, skipped: Skipped::default(), skip_bad });
    let writer = Mutex::new(Writer { outputs, waiting: BTreeMap::new(), next: 0, failed: None });
    let written = Condvar::new();
    let work = |mut worker: W| {
        loop {
            let read = {
                let mut reader = lock(&reader);
                let mut writer = lock(&writer);
                while writer.failed.is_none() && reader.next > writer.next + ahead {
                    writer = written.wait(writer).unwrap_or_else(PoisonError::into_inner);
                }
                if writer.failed.is_some() {
                    return;
                }
                drop(writer);
                reader.line()
            };
            let result = match read {
                Ok(None) => return,
                Ok(Some((number, line, beside))) => worker(number, &line, beside).map(|text| (number, text)),
                Err(error) => Err(error),
            };
            let mut writer = lock(&writer);
            match result {
                Ok((number, text)) => writer.take(number, text),
                Err(error) => {
                    writer.failed.get_or_insert(error);
                }
            }
            written.notify_all();
        }
    };
    std::thread::scope(|scope| {
        for worker in workers {
            let started = std::thread::Builder::new().spawn_scoped(scope, || work(worker));
            if let Err(source) = started {
                lock(&writer).failed.get_or_insert(Error::Threads(source));
            }
        }
    });
    let writer = writer.into_inner().unwrap_or_else(PoisonError::into_inner);
    match writer.failed {
        Some(error) => Err(error),
        None => Ok(lock(&reader).skipped),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(text: &[u8], threads: usize, skip_bad: bool) -> (Result<Skipped>, String) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let mut out = Output::create(&path).unwrap();
        let worker = |number: u64, line: &str, ()| Ok(format!("{number} {}\n", line.to_uppercase()));
        let done =
            translate_stream(&mut Lines::new("t", text), &mut out, vec![worker; threads], skip_bad, |_| {
                Ok(())
            });
        out.finish().unwrap();
        (done, std::fs::read_to_string(&path).unwrap())
    }

    #[test]
    fn results_come_in_order_on_any_number_of_threads() {
        let text: String = (0..2000).map(|k| format!("line {k}\n")).collect();
        let expected: String = (0..2000).map(|k| format!("{k} LINE {k}\n")).collect();
        for threads in [1, 2, 7] {
            assert_eq!(run(text.as_bytes(), threads, false).1, expected);
        }
    }

    #[test]
    fn a_bad_line_ends_the_output_or_counts_as_empty() {
        let (done, out) = run(b"a\n\xff\nb\n", 1, false);
        assert_eq!(done.unwrap_err().to_string(), "t:2: not valid UTF-8 at byte 1 of the line");
        assert_eq!(out, "0 A\n");
        let (done, out) = run(b"a\n\xff\nb\n", 2, true);
        assert_eq!((done.unwrap().total(), out.as_str()), (1, "0 A\n1 \n2 B\n"));
    }
}
