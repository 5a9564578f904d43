//! When a search must end: whoever waits for a translation may say until when.

use std::time::{Duration, Instant};
use treeglot_text::interrupt;

/// The moment at which a search stops without a result; by default it takes the time it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Deadline(Option<Instant>);

impl Deadline {
    /// This moment.
    pub fn at(moment: Instant) -> Self {
        Self(Some(moment))
    }

    /// So long from now; never, where that is further away than clocks go.
    pub fn after(time: Duration) -> Self {
        Self(Instant::now().checked_add(time))
    }

    /// Whether it has passed. Without a moment no clock is read, so that searches without one are as fast as ever.
    #[inline]
    pub fn passed(self) -> bool {
        interrupt::check();
        self.0.is_some_and(|moment| Instant::now() >= moment)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_moment_that_is_over_has_passed() {
        assert!(!Deadline::default().passed() && !Deadline::after(Duration::MAX).passed());
        assert!(!Deadline::after(Duration::from_secs(3600)).passed());
        assert!(Deadline::at(Instant::now()).passed());
    }
}
