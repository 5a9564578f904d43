//! The error surface along a line, all sentences together (Och 2003, section 4): where any sentence changes its best
//! candidate, the sums of statistics change by a difference, and between changes the score is constant.

use crate::objective::Objective;

/// The changes of the sums of statistics along a line, from far left to far right.
#[derive(Debug, Default)]
pub struct Sweep {
    start: Vec<f64>,
    steps: Vec<(f64, u32)>,
    changes: Vec<f64>,
}

/// The best place on a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LineOptimum {
    /// How far along the direction; 0 if no other place is better.
    pub step: f64,
    /// The goodness there.
    pub goodness: f64,
}

impl Sweep {
    /// Forgets all, for statistics of `size` numbers.
    pub fn clear(&mut self, size: usize) {
        self.start.clear();
        self.start.resize(size, 0.0);
        self.steps.clear();
        self.changes.clear();
    }

    /// Adds the statistics of the candidate that is best at the far left.
    pub fn begin(&mut self, statistics: &[f32]) {
        self.start.iter_mut().zip(statistics).for_each(|(sum, &s)| *sum += f64::from(s));
    }

    /// At `step` a candidate with the statistics `to` takes over from one with `from`.
    pub fn change(&mut self, step: f64, from: &[f32], to: &[f32]) {
        if from == to {
            return;
        }
        self.steps.push((step, (self.changes.len() / self.start.len()) as u32));
        self.changes.extend(from.iter().zip(to).map(|(&f, &t)| f64::from(t) - f64::from(f)));
    }

    /// The sums of statistics at the far left.
    pub fn start(&self) -> &[f64] {
        &self.start
    }

    /// The best place: the middle of the interval with the greatest goodness, of equal ones the widest; the origin
    /// unless another place is really better.
    pub fn best(&mut self, objective: &Objective<'_>) -> LineOptimum {
        let mut best: Option<(f64, f64, f64)> = None;
        let mut origin = f64::NEG_INFINITY;
        self.intervals(objective, |left, right, goodness| {
            if left <= 0.0 && right > 0.0 {
                origin = goodness;
            }
            let wider = |(l, r, g): (f64, f64, f64)| goodness > g || (goodness == g && right - left > r - l);
            if best.is_none_or(wider) {
                best = Some((left, right, goodness));
            }
        });
        match best {
            Some((left, right, goodness)) if goodness > origin + 1e-9 => {
                LineOptimum { step: middle(left, right), goodness }
            }
            _ => LineOptimum { step: 0.0, goodness: origin },
        }
    }

    /// Calls `take` with the ends and the goodness of every interval that is wider than rounding makes it.
    pub fn intervals(&mut self, objective: &Objective<'_>, mut take: impl FnMut(f64, f64, f64)) {
        let size = self.start.len();
        self.steps.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut sums = self.start.clone();
        let mut left = f64::NEG_INFINITY;
        for &(step, change) in &self.steps {
            if step - left > 1e-11 * (1.0 + step.abs()) {
                take(left, step, objective.goodness(&sums));
                left = step;
            }
            let change = &self.changes[change as usize * size..][..size];
            sums.iter_mut().zip(change).for_each(|(sum, c)| *sum += c);
        }
        take(left, f64::INFINITY, objective.goodness(&sums));
    }
}

/// A place inside an interval, not far out in one without end.
fn middle(left: f64, right: f64) -> f64 {
    match (left.is_finite(), right.is_finite()) {
        (true, true) => 0.5 * (left + right),
        (false, true) => right - 0.1 * (1.0 + right.abs()),
        (true, false) => left + 0.1 * (1.0 + left.abs()),
        (false, false) => 0.0,
    }
}
