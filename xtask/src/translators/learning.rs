//! Corrections: fifty sentences learnt one by one, each translated right after; and `learn` killed while it works.

use super::{Desk, Row};
use crate::bench::measure::Times;
use std::process::{Command, Stdio};
use std::time::Duration;

const LEARNT: usize = 50;
const KILLED: usize = 60;

pub fn rows(desk: &Desk) -> Result<Vec<Row>, String> {
    let (sources, targets) = (desk.read("test.de")?, desk.read("test.en")?);
    let (mut times, mut used) = (Times::default(), 0);
    for (source, target) in sources.iter().zip(&targets).take(LEARNT) {
        desk.write("c.de", &[source])?;
        desk.write("c.en", &[target])?;
        times.add(|| desk.ask(&LEARN).map(drop))?;
        let now = desk.lines(&["translate", "-q", "-m", "m", "c.de"])?;
        used += usize::from(now.first() == Some(target));
    }
    let [least, _, most] = times.spread().ok_or("nothing was learnt")?;
    let slowest = times.clock.iter().copied().fold(0.0, f64::max);
    let how = format!("{LEARNT} test sentences learnt one by one (`learn`), each translated right after");
    let result = format!(
        "{used} of {LEARNT} as corrected; {least:.2} to {most:.2} s of CPU time each, the slowest {slowest:.2} s on the clock"
    );
    desk.ask(&["bundle", "forget", "m", "--all"])?;
    let killed = killed(desk, &sources, &targets)?;
    Ok(vec![Row { what: "corrections", how, result }, killed])
}

const LEARN: [&str; 8] = ["learn", "-q", "-m", "m", "--src", "c.de", "--tgt", "c.en"];

/// Kills every other run of `learn`; what the others learnt must all be known.
fn killed(desk: &Desk, sources: &[String], targets: &[String]) -> Result<Row, String> {
    let mut learnt = Vec::new();
    for number in 0..KILLED {
        let pair = LEARNT + number;
        desk.write("c.de", &[&sources[pair]])?;
        desk.write("c.en", &[&targets[pair]])?;
        let mut child = Command::new(&desk.binary);
        let child = child.args(LEARN).current_dir(&desk.folder).stderr(Stdio::null());
        let mut child = child.spawn().map_err(|e| e.to_string())?;
        if number % 2 == 0 {
            std::thread::sleep(Duration::from_millis(10 + number as u64));
            // A child that has ended cannot be killed any more.
            let _ = child.kill();
        }
        if child.wait().map_err(|e| e.to_string())?.success() {
            learnt.push(pair);
        }
    }
    let info = desk.ask(&["bundle", "info", "m"])?;
    let known =
        learnt.iter().filter(|&&pair| info.contains(&format!("{} ||| {}", sources[pair], targets[pair])));
    let result = format!("{} ended well, {} of them known afterwards", learnt.len(), known.count());
    desk.ask(&["bundle", "forget", "m", "--all"])?;
    let how = format!("{KILLED} runs of `learn`, every other one killed (`kill -9`) after 10 to 70 ms");
    Ok(Row { what: "killed while learning", how, result })
}
