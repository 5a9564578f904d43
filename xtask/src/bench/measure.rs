//! Processor time of child processes, from what the system counts.

use std::time::Instant;

/// Clock ticks a second in `/proc`: 100 on every Linux.
const TICKS: f64 = 100.0;

/// What the runs of one contender took.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Times {
    /// User and system time of each run, of all its processes, in seconds.
    pub processor: Vec<f64>,
    /// Time on the clock.
    pub clock: Vec<f64>,
}

impl Times {
    /// Adds one run.
    pub fn add(&mut self, run: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
        let (begin, before) = (Instant::now(), children()?);
        run()?;
        self.clock.push(begin.elapsed().as_secs_f64());
        self.processor.push(children()? - before);
        Ok(())
    }

    /// The least, the median and the greatest processor time.
    pub fn spread(&self) -> Option<[f64; 3]> {
        let mut sorted = self.processor.clone();
        sorted.sort_by(f64::total_cmp);
        Some([*sorted.first()?, sorted[sorted.len() / 2], *sorted.last()?])
    }
}

/// Processor time of all child processes that have ended, theirs included.
fn children() -> Result<f64, String> {
    let text = std::fs::read_to_string("/proc/self/stat").map_err(|e| format!("/proc/self/stat: {e}"))?;
    of_children(&text).ok_or_else(|| "/proc/self/stat is not as expected".to_string())
}

/// The fields `cutime` and `cstime`, the 16th and 17th; the name of the program, the second, may have blanks.
fn of_children(stat: &str) -> Option<f64> {
    let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at)?.parse::<f64>().ok();
    Some((ticks(13)? + ticks(14)?) / TICKS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_children_stands_behind_a_name_with_blanks() {
        let stat = "7 (a b) c) S 1 2 3 4 5 6 7 8 9 10 11 12 250 50 20 0 1";
        assert_eq!(of_children(stat), Some(3.0));
    }

    #[test]
    fn the_median_lies_between_the_least_and_the_greatest() {
        let times = Times { processor: vec![3.0, 1.0, 2.0], clock: vec![] };
        assert_eq!(times.spread(), Some([1.0, 2.0, 3.0]));
        assert_eq!(Times::default().spread(), None);
    }
}
