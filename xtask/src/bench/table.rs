//! The table of a run, and the page it goes into.

use super::{Measured, Row};
use crate::output;
use std::path::Path;

/// The lines between which the page has the table.
pub const BEGIN: &str = "<!-- written by cargo xtask bench -->";
pub const END: &str = "<!-- end of what cargo xtask bench wrote -->";

/// The table, with what it was measured by and on.
pub fn text(measured: &[Measured], runs: usize, binary: &Path) -> String {
    let version = binary.to_str().and_then(|binary| output(binary, &["--version"])).unwrap_or_default();
    let mut text = format!(
        "{} beside the peers named, {runs} runs of each in turn, one thread, on {}. CPU time in seconds, user and system: the median, \
         and in brackets the least and the greatest. The ratio is of medians.\n\n\
         | job | treeglot | peer | ratio | results |\n|---|---|---|---|---|\n",
        version.trim(),
        machine()
    );
    for Measured { job, rows, check } in measured {
        let Some((ours, peers)) = rows.split_first() else { continue };
        for (at, peer) in peers.iter().enumerate() {
            let check = check.as_deref().filter(|_| at == 0).unwrap_or_default();
            text += &format!(
                "| {} (`{}`) | {} | {} {} | {} | {} |\n",
                job.told,
                job.name,
                times(ours),
                named(peer),
                times(peer),
                ratio(ours, peer),
                check.replace(['\n', '|'], "; ")
            );
        }
    }
    text
}

fn named(row: &Row) -> String {
    if row.version.is_empty() { row.name.to_string() } else { format!("{} {}", row.name, row.version) }
}

fn times(row: &Row) -> String {
    match row.outcome.as_ref().map(|times| times.spread()) {
        Ok(Some([least, median, greatest])) => format!("{median:.2} ({least:.2} to {greatest:.2})"),
        Ok(None) => "not run".to_string(),
        Err(why) => why.replace('|', "/"),
    }
}

fn ratio(ours: &Row, peer: &Row) -> String {
    let median =
        |row: &Row| row.outcome.as_ref().ok().and_then(|times| times.spread()).map(|[_, median, _]| median);
    match (median(ours), median(peer)) {
        (Some(ours), Some(peer)) if ours > 0.0 => format!("{:.1}", peer / ours),
        _ => String::new(),
    }
}

/// The processor and how many cores there are.
fn machine() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let of = |key: &'static str| text.lines().filter(move |line| line.starts_with(key));
    let name =
        of("model name").next().and_then(|line| line.split(':').nth(1)).unwrap_or("an unknown processor");
    format!("{} core(s) of {}", of("processor").count(), name.trim())
}

/// Puts a table into a page in place of the one that is there.
pub fn put(page: &str, table: &str) -> Result<(), String> {
    let old = std::fs::read_to_string(page).map_err(|e| format!("{page}: {e}"))?;
    let new =
        replaced(&old, table).ok_or_else(|| format!("{page}: there are no lines `{BEGIN}` and `{END}`"))?;
    let temporary = format!("{page}.new");
    std::fs::write(&temporary, new).map_err(|e| format!("{temporary}: {e}"))?;
    std::fs::rename(&temporary, page).map_err(|e| format!("{page}: {e}"))
}

fn replaced(page: &str, table: &str) -> Option<String> {
    let (before, rest) = page.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n{table}{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_replaces_the_one_that_is_there_and_nothing_else() {
        let page = format!("a\n{BEGIN}\nold\n{END}\nb\n");
        let new = replaced(&page, "new\n").expect("the page has both lines");
        assert_eq!(new, format!("a\n{BEGIN}\nnew\n{END}\nb\n"));
        assert_eq!(replaced(&new, "new\n").as_deref(), Some(new.as_str()));
        assert_eq!(replaced("a\nb\n", "new\n"), None);
    }
}
