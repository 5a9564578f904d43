//! Line filters: a function applied to each line of an input by several threads, the results written in the order of
//! the lines whatever their number.

use crate::bitext::Skipped;
use crate::error::Result;
use crate::io::Output;
use crate::lines::Lines;
use std::io::{self, BufRead, Write};

/// How much text a thread gets at a time, in bytes: enough that starting it costs nothing, little enough for memory.
const BATCH: usize = 1 << 20;

struct Batch {
    text: String,
    ends: Vec<usize>,
    result: String,
}

impl Batch {
    /// Reads lines up to the batch's size; `false` when there are none left. Bad lines are errors, or empty and
    /// counted in `skipped`.
    fn fill<R: BufRead>(&mut self, lines: &mut Lines<R>, mut skipped: Option<&mut Skipped>) -> Result<bool> {
        self.text.clear();
        self.ends.clear();
        while self.text.len() < BATCH {
            match lines.next_line() {
                Ok(Some(line)) => self.text.push_str(line),
                Ok(None) => break,
                Err(e) if skipped.as_mut().is_some_and(|s| s.count(&e)) => {}
                Err(e) => return Err(e),
            }
            self.ends.push(self.text.len());
        }
        Ok(!self.ends.is_empty())
    }

    fn run(&mut self, worker: &mut impl FnMut(&str, &mut String)) {
        self.result.clear();
        let mut start = 0;
        for &end in &self.ends {
            worker(&self.text[start..end], &mut self.result);
            self.result.push('\n');
            start = end;
        }
    }
}

/// Writes to `out`, for each of `lines`, what a worker appends for it. Each worker is used by one thread. With
/// `skip_bad`, a line that is not UTF-8 or too long is taken as an empty one, so that the output has a line for each
/// of the input, and counted.
pub fn filter_lines<R, W>(
    lines: &mut Lines<R>,
    out: &mut Output,
    workers: &mut [W],
    skip_bad: bool,
) -> Result<Skipped>
where
    R: BufRead,
    W: FnMut(&str, &mut String) + Send,
{
    let empty = || Batch { text: String::new(), ends: Vec::new(), result: String::new() };
    let mut batches: Vec<Batch> = workers.iter().map(|_| empty()).collect();
    let mut skipped = Skipped::default();
    loop {
        let mut full = 0;
        while full < batches.len() && batches[full].fill(lines, skip_bad.then_some(&mut skipped))? {
            full += 1;
        }
        if full == 0 {
            return Ok(skipped);
        }
        let started = std::thread::scope(|scope| -> io::Result<()> {
            let mut jobs = batches[..full].iter_mut().zip(workers.iter_mut());
            let own = jobs.next();
            for (batch, worker) in jobs {
                std::thread::Builder::new().spawn_scoped(scope, move || batch.run(worker))?;
            }
            if let Some((batch, worker)) = own {
                batch.run(worker);
            }
            Ok(())
        });
        started.map_err(|e| out.error(e))?;
        for batch in &batches[..full] {
            out.write_all(batch.result.as_bytes()).map_err(|e| out.error(e))?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_lines_does_not_depend_on_the_number_of_threads() {
        let folder = tempfile::tempdir().unwrap();
        let text: String = (0..200_000).map(|i| format!("line {i}\n")).collect();
        for threads in [1, 2, 5] {
            let path = folder.path().join(threads.to_string());
            let mut out = Output::create(&path).unwrap();
            let mut workers = vec![|line: &str, out: &mut String| out.push_str(&line[5..]); threads];
            filter_lines(&mut Lines::new("t", text.as_bytes()), &mut out, &mut workers, false).unwrap();
            out.finish().unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text.replace("line ", ""));
        }
    }

    #[test]
    fn an_empty_line_gives_a_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let mut out = Output::create(&path).unwrap();
        let mut workers = [|line: &str, out: &mut String| out.push_str(line)];
        filter_lines(&mut Lines::new("t", "a\n\nb".as_bytes()), &mut out, &mut workers, false).unwrap();
        out.finish().unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "a\n\nb\n");
    }

    #[test]
    fn a_bad_line_stops_the_filter_or_becomes_an_empty_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let filter = |skip_bad| {
            let mut out = Output::create(&path).unwrap();
            let mut workers = [|line: &str, out: &mut String| out.push_str(line)];
            let skipped =
                filter_lines(&mut Lines::new("t", &b"a\n\xff\nb\n"[..]), &mut out, &mut workers, skip_bad)?;
            out.finish()?;
            Ok::<_, crate::Error>(skipped)
        };
        assert_eq!(filter(false).unwrap_err().to_string(), "t:2: not valid UTF-8 at byte 1 of the line");
        assert!(!path.exists());
        assert_eq!(filter(true).unwrap(), Skipped { utf8: 1, ..Skipped::default() });
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "a\n\nb\n");
    }
}
