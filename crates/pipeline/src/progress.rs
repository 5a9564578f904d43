//! Progress as people see it: on a terminal a moving line for each stage that runs, with what it is at and for how long,
//! elsewhere a line for each stage that is done, or nothing.

use crate::plan::Summary;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, Write};

/// Shows the progress of a run on standard error.
pub struct Progress {
    bars: Option<MultiProgress>,
    quiet: bool,
    /// Who is told instead of standard error.
    listener: Option<Box<dyn Fn(&str) + Send + Sync>>,
}

/// The progress of one stage.
pub struct Bar(Option<ProgressBar>);

impl Progress {
    /// Bars if standard error is a terminal, lines if not.
    pub fn new() -> Self {
        let terminal = std::io::stderr().is_terminal();
        Self {
            bars: terminal.then(|| MultiProgress::with_draw_target(ProgressDrawTarget::stderr())),
            quiet: false,
            listener: None,
        }
    }

    /// Shows nothing.
    pub fn quiet() -> Self {
        Self { bars: None, quiet: true, listener: None }
    }

    /// Tells each line to a function instead of showing it.
    pub fn to(listener: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self { listener: Some(Box::new(listener)), ..Self::quiet() }
    }

    /// A bar for a stage that starts.
    pub fn start(&self, name: &str) -> Bar {
        let bar = self.bars.as_ref().map(|bars| {
            let bar = bars.add(ProgressBar::new_spinner().with_message(name.to_string()));
            bar.set_style(spinner());
            bar.enable_steady_tick(std::time::Duration::from_millis(100));
            bar
        });
        Bar(bar)
    }

    /// Says that a stage is done.
    pub fn done(&self, bar: &Bar, summary: &Summary) {
        if let Some(bar) = &bar.0 {
            bar.finish_and_clear();
        }
        self.line(&summary_line(summary, false));
    }

    /// Says that a stage's output was there already.
    pub fn reused(&self, summary: &Summary) {
        self.line(&summary_line(summary, true));
    }

    /// Prints a line between the bars.
    pub fn line(&self, line: &str) {
        match &self.bars {
            _ if self.quiet => self.listener.iter().for_each(|listener| listener(line)),
            Some(bars) => bars.suspend(|| tell(line)),
            None => tell(line),
        }
    }
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
    /// Shows what the stage is at.
    pub fn say(&self, what: &str) {
        if let Some(bar) = &self.0 {
            bar.set_message(what.to_string());
        }
    }
}

fn spinner() -> ProgressStyle {
    ProgressStyle::with_template("{spinner} {msg:24} {elapsed}")
        .unwrap_or_else(|_| ProgressStyle::default_spinner())
}

/// A stage in one line: name, time, peak memory, output size, notes.
pub fn summary_line(summary: &Summary, reused: bool) -> String {
    let mut line = format!("{:<28}", summary.stage);
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
        let line = summary_line(&summary, false);
        assert_eq!(line, "align                           3.2 s     5.0 MB peak       77 B out  links 12");
        assert!(summary_line(&summary, true).contains("kept"));
    }
}
