//! Progress as people see it: on a terminal a moving line for each stage that runs, with what it is at and for how long, and one
//! for the whole run; elsewhere a line for each stage that is done, or nothing.

use crate::plan::Summary;
use crate::remaining::{Standing, about};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Shows the progress of a run on standard error.
pub struct Progress {
    bars: Option<MultiProgress>,
    /// The whole run, below its stages.
    whole: Mutex<Option<ProgressBar>>,
    quiet: bool,
    /// Who is told instead of standard error.
    listener: Option<Listener>,
}

/// Takes the lines that would be shown.
type Listener = Box<dyn Fn(&str) + Send + Sync>;

/// The progress of one stage, which is shown as long as it lives.
pub struct Bar {
    bar: Option<ProgressBar>,
    name: String,
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Progress {
    /// Bars if standard error is a terminal, lines if not.
    pub fn new() -> Self {
        let terminal = std::io::stderr().is_terminal();
        let bars = terminal.then(|| MultiProgress::with_draw_target(ProgressDrawTarget::stderr()));
        Self { bars, whole: Mutex::new(None), quiet: false, listener: None }
    }

    /// Shows nothing.
    pub fn quiet() -> Self {
        Self { bars: None, whole: Mutex::new(None), quiet: true, listener: None }
    }

    /// Tells each line to a function instead of showing it.
    pub fn to(listener: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self { listener: Some(Box::new(listener)), ..Self::quiet() }
    }

    /// A bar for a stage that starts.
    pub fn start(&self, name: &str) -> Bar {
        let bar = self.bars.as_ref().map(|bars| {
            let bar = bars.insert_from_back(1, ProgressBar::new_spinner().with_message(name.to_string()));
            moving(&bar, "{spinner} {msg:24} {elapsed}");
            bar
        });
        Bar { bar, name: name.to_string() }
    }

    /// Says that a stage is done.
    pub fn done(&self, summary: &Summary, standing: &Standing) {
        self.line(&summary_line(summary, false, standing));
        self.show(standing);
    }

    /// Says that a stage's output was there already.
    pub fn reused(&self, summary: &Summary, standing: &Standing) {
        self.line(&summary_line(summary, true, standing));
        self.show(standing);
    }

    /// The run is over.
    pub fn end(&self) {
        let whole = self.whole.lock().unwrap_or_else(PoisonError::into_inner).take();
        whole.iter().for_each(ProgressBar::finish_and_clear);
    }

    /// Shows how far the whole run is.
    fn show(&self, standing: &Standing) {
        let Some(bars) = &self.bars else { return };
        let mut whole = self.whole.lock().unwrap_or_else(PoisonError::into_inner);
        let whole = whole.get_or_insert_with(|| {
            let bar = bars.add(ProgressBar::new(standing.of as u64));
            moving(&bar, "{bar:24} {msg}, {elapsed} so far");
            bar
        });
        let left = standing.time_left().map(|left| format!(", {left}")).unwrap_or_default();
        whole.set_position(standing.done as u64);
        whole.set_message(format!("stage {} of {}{left}", standing.done, standing.of));
    }

    /// Prints a line between the bars.
    pub fn line(&self, line: &str) {
        match &self.bars {
            _ if self.quiet => self.listener.iter().for_each(|listener| listener(line)),
            Some(bars) => bars.suspend(|| tell(line)),
            None => tell(line),
        }
    }

    /// The progress of work on one thing after the other, so many in all if that is known.
    pub fn count(&self, what: &'static str, all: Option<u64>) -> Counter {
        let bar = self.bars.as_ref().map(|bars| {
            let bar = bars.add(all.map_or_else(ProgressBar::new_spinner, ProgressBar::new));
            let known = "{bar:24} {human_pos} of {human_len} {msg}, {per_sec}, {eta} left";
            moving(
                &bar,
                if all.is_some() { known } else { "{spinner} {human_pos} {msg}, {per_sec}, {elapsed}" },
            );
            bar.set_message(what);
            bar
        });
        let now = Instant::now();
        Counter {
            bar: Bar { bar, name: String::new() },
            what,
            all,
            done: 0,
            started: now,
            told: now,
            quiet: self.quiet,
        }
    }
}

/// How often a [`Counter`] prints a line where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(30);

/// The progress of work on one thing after the other: a bar on a terminal, elsewhere a line twice a minute.
pub struct Counter {
    bar: Bar,
    what: &'static str,
    all: Option<u64>,
    done: u64,
    started: Instant,
    told: Instant,
    quiet: bool,
}

impl Counter {
    /// So many more are done.
    pub fn add(&mut self, more: u64) {
        self.done += more;
        match &self.bar.bar {
            Some(bar) => bar.inc(more),
            None if !self.quiet && self.told.elapsed() >= LINE_EVERY => {
                self.told = Instant::now();
                tell(&counted(self.what, self.done, self.all, self.started.elapsed()));
            }
            None => {}
        }
    }

    /// How many are done.
    pub fn done(&self) -> u64 {
        self.done
    }
}

/// `1200 of 5000 lines, 40.0 a second, about 95 s left`.
fn counted(what: &str, done: u64, all: Option<u64>, took: Duration) -> String {
    let rate = done as f64 / took.as_secs_f64().max(1e-3);
    let of = all.map(|all| format!(" of {all}")).unwrap_or_default();
    let left = all.filter(|&all| all > done && done > 0).map(|all| {
        let left = Duration::from_secs_f64((all - done) as f64 / rate);
        format!(", about {} left", about(left))
    });
    format!("{done}{of} {what}, {rate:.1} a second{}", left.unwrap_or_default())
}

/// Prints a line on standard error; if nobody can read it, it is lost.
fn tell(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

impl Default for Progress {
    fn default() -> Self {
        Self::new()
    }
}

impl Bar {
    /// Shows what the stage is at, after its name.
    pub fn say(&self, what: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(format!("{}: {what}", self.name));
        }
    }
}

/// Gives a bar its form, and has it drawn again and again.
fn moving(bar: &ProgressBar, form: &str) {
    bar.set_style(
        ProgressStyle::with_template(form)
            .unwrap_or_else(|_| ProgressStyle::default_spinner())
            .progress_chars("=> "),
    );
    bar.enable_steady_tick(Duration::from_millis(100));
}

/// A stage in one line: its number of all, name, time, peak memory, output size, notes, and how long the others will take.
pub fn summary_line(summary: &Summary, reused: bool, standing: &Standing) -> String {
    let Standing { done, of, .. } = standing;
    let digits = of.to_string().len();
    let mut line = format!("{done:>digits$}/{of} {:<28}", summary.stage);
    if reused {
        line.push_str("     kept");
    } else {
        line.push_str(&format!("{:>7.1} s", summary.seconds));
    }
    let peak = if summary.peak == 0 || reused { String::from("-") } else { size(summary.peak) };
    line.push_str(&format!("  {peak:>9} peak  {:>9} out", size(summary.bytes)));
    for (name, value) in &summary.notes {
        line.push_str(&format!("  {name} {value}"));
    }
    if let Some(left) = standing.time_left().filter(|_| !reused) {
        line.push_str(&format!("  ({left})"));
    }
    line
}

/// A size in bytes as people read it: `12.3 MB`.
pub fn size(bytes: u64) -> String {
    let (mut value, mut unit) = (bytes as f64, 0);
    while value >= 1000.0 && unit < 4 {
        value /= 1000.0;
        unit += 1;
    }
    let unit = ["B", "kB", "MB", "GB", "TB"][unit];
    if unit == "B" { format!("{bytes} B") } else { format!("{value:.1} {unit}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_written_in_the_unit_that_fits() {
        assert_eq!(size(999), "999 B");
        assert_eq!(size(1_234_567), "1.2 MB");
    }

    #[test]
    fn a_stage_is_one_line() {
        let mut summary = Summary {
            stage: "align".into(),
            seconds: 3.21,
            peak: 5_000_000,
            bytes: 77,
            ..Summary::default()
        };
        summary.notes.insert("links".into(), "12".into());
        let mut standing = Standing { done: 3, of: 12, left: None };
        let line = summary_line(&summary, false, &standing);
        let expected = " 3/12 align                           3.2 s     5.0 MB peak       77 B out  links 12";
        assert_eq!(line, expected);
        assert!(summary_line(&summary, true, &standing).contains("kept"));
        standing.left = Some(Duration::from_secs(100));
        assert_eq!(summary_line(&summary, false, &standing), format!("{expected}  (about 2 min left)"));
    }

    #[test]
    fn counted_things_have_a_rate_and_the_time_that_is_left() {
        let ten = Duration::from_secs(10);
        assert_eq!(
            counted("lines", 200, Some(1000), ten),
            "200 of 1000 lines, 20.0 a second, about 40 s left"
        );
        assert_eq!(counted("lines", 200, None, ten), "200 lines, 20.0 a second");
    }
}
