//! How far a run is, and how long the rest of it will take.

use crate::plan::{Stage, Summary};
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// How far a run is: stages done of all, and the time that is left, once there is something to judge it by.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Standing {
    /// Stages that are done, kept ones too.
    pub done: usize,
    /// All stages of the run.
    pub of: usize,
    /// About how long the rest will take.
    pub left: Option<Duration>,
}

/// What is known of the stages of a run and what they cost.
pub(crate) struct Remaining {
    started: Instant,
    standing: Standing,
    /// Seconds and number of finished stages of each kind, of earlier runs too.
    of_kind: HashMap<&'static str, (f64, f64)>,
    /// Seconds of the stages that ran now.
    busy: f64,
    /// Seconds and weights of all finished stages: what a weight of 1 costs here.
    unit: (f64, f64),
    /// The most stages side by side.
    jobs: f64,
}

impl Remaining {
    pub fn new(of: usize, jobs: usize) -> Self {
        Self {
            started: Instant::now(),
            standing: Standing { of, ..Standing::default() },
            of_kind: HashMap::new(),
            busy: 0.0,
            unit: (0.0, 0.0),
            jobs: jobs.max(1) as f64,
        }
    }

    /// Counts a stage whose output was there.
    pub fn kept(&mut self, stage: &Stage, summary: &Summary) -> Standing {
        self.learn(stage, summary);
        self.standing.done += 1;
        self.standing
    }

    /// Counts a stage that is done; `left` are those still to do.
    pub fn done<'s>(
        &mut self,
        stage: &Stage,
        summary: &Summary,
        left: impl Iterator<Item = &'s Stage>,
    ) -> Standing {
        self.learn(stage, summary);
        self.busy += summary.seconds;
        self.standing.done += 1;
        let wall = self.started.elapsed().as_secs_f64();
        self.standing.left = self.left(wall, left);
        self.standing
    }

    fn learn(&mut self, stage: &Stage, summary: &Summary) {
        let (seconds, number) = self.of_kind.entry(stage.kind).or_default();
        *seconds += summary.seconds;
        *number += 1.0;
        self.unit = (self.unit.0 + summary.seconds, self.unit.1 + stage.weight);
    }

    /// A stage costs about what others of its kind did, or else what its weight says; side by side they go as fast as they did.
    fn left<'s>(&self, wall: f64, stages: impl Iterator<Item = &'s Stage>) -> Option<Duration> {
        let unit = self.unit.0 / self.unit.1.max(1.0);
        let cost = |stage: &Stage| match self.of_kind.get(stage.kind) {
            Some((seconds, number)) => seconds / number,
            None => unit * stage.weight,
        };
        let work: f64 = stages.map(cost).sum();
        let speed = (self.busy / wall.max(0.1)).clamp(0.5, self.jobs);
        (self.unit.0 > 0.0).then(|| Duration::from_secs_f64(work / speed))
    }
}

impl Standing {
    /// `about 2 min left`; nothing where nothing is known, or all is done.
    pub fn time_left(&self) -> Option<String> {
        let left = self.left.filter(|_| self.done < self.of)?;
        Some(format!("about {} left", about(left)))
    }
}

/// A time as people say it: `20 s`, `3 min`, `1 h 20 min`.
pub fn about(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 90.0 {
        return format!("{} s", (seconds / 5.0).ceil().max(1.0) * 5.0);
    }
    let minutes = (seconds / 60.0).round() as u64;
    if minutes < 90 { format!("{minutes} min") } else { format!("{} h {} min", minutes / 60, minutes % 60) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;

    #[test]
    fn times_are_round() {
        let texts = [1, 31, 100, 3_600, 9_000].map(|seconds| about(Duration::from_secs(seconds)));
        assert_eq!(texts, ["5 s", "35 s", "2 min", "60 min", "2 h 30 min"]);
    }

    #[test]
    fn a_stage_is_expected_to_take_what_its_kind_took_or_what_its_weight_says() {
        let mut plan = Plan::default();
        for (name, kind, weight) in
            [("a", "short", 1.0), ("b", "long", 10.0), ("c", "long", 10.0), ("d", "other", 5.0)]
        {
            plan.stage(name, kind, 1).weight(weight).settings(name).run(|_| Ok(()));
        }
        let took = |seconds| Summary { seconds, ..Summary::default() };
        let mut run = Remaining::new(4, 1);
        let stages = &plan.stages;
        run.kept(&stages[0], &took(2.0));
        assert_eq!(
            run.left(2.0, stages[1..].iter()),
            Some(Duration::from_secs(100)),
            "2 s a weight of 1, at half speed"
        );
        run.busy = 10.0;
        run.learn(&stages[1], &took(31.0));
        let left = run.left(10.0, stages[2..].iter()).unwrap();
        assert_eq!(left, Duration::from_secs(31 + 15), "33 s for a weight of 11");
        assert_eq!(Standing { done: 4, of: 4, left: Some(left) }.time_left(), None);
    }
}
