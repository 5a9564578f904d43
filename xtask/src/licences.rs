//! The step of `cargo xtask test` that looks at dependencies: `cargo deny` where it is installed, else licences and doubled
//! crates by `deny.toml`, so that the step is never left out silently.

use crate::{cargo, output};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// Checks all dependencies; whether they pass.
pub fn run() -> bool {
    if output("cargo", &["deny", "--version"]).is_some() {
        // The database of advisories is fetched from the net; who has it runs `cargo deny check advisories`.
        return cargo(&["deny", "--all-features", "check", "licenses", "bans", "sources"]);
    }
    println!("==> cargo deny is not installed: licences and doubled crates are checked by cargo tree");
    let tree = ["tree", "--workspace", "--all-features", "-e", "normal,build", "--prefix", "none"];
    let tree = output("cargo", &[&tree[..], &["--format", "{p}|{l}"]].concat());
    let (Some(tree), Ok(rules)) = (tree, std::fs::read_to_string("deny.toml")) else {
        eprintln!("==> FAILED: there is no cargo tree, or no deny.toml");
        return false;
    };
    let wrong = wrong(&tree, &Rules::new(&rules));
    wrong.iter().for_each(|line| eprintln!("{line}"));
    println!("==> {} in dependencies", if wrong.is_empty() { "nothing wrong" } else { "FAILED: see above" });
    wrong.is_empty()
}

/// What `deny.toml` allows.
struct Rules {
    licences: Vec<String>,
    /// Crates of which two versions are known and put up with.
    doubled: Vec<String>,
}

impl Rules {
    fn new(text: &str) -> Self {
        let lines = || text.lines().map(str::trim);
        let after = |head: &'static str| lines().skip_while(move |line| !line.starts_with(head));
        let licences = after("allow = [").skip(1).take_while(|line| !line.starts_with(']'));
        let doubled = after("skip = [").take(1).flat_map(|line| line.split("name = \"").skip(1));
        let quoted = |line: &str| line.trim_matches([' ', '"', ',']).to_string();
        Self {
            licences: licences.map(quoted).collect(),
            doubled: doubled.filter_map(|rest| Some(rest.split_once('"')?.0.to_string())).collect(),
        }
    }

    /// Whether a licence expression can be met: each of its `AND` parts by one of its `OR` parts.
    fn allow(&self, licence: &str) -> bool {
        let known =
            |one: &str| self.licences.iter().any(|allowed| allowed == one.trim_matches(['(', ')', ' ']));
        let either = |part: &str| part.replace('/', " OR ").split(" OR ").any(known);
        licence.split(" AND ").all(either)
    }
}

/// What is wrong with a tree of lines `name version|licence`; our own crates stand with their folder.
fn wrong(tree: &str, rules: &Rules) -> Vec<String> {
    let mut versions: BTreeMap<&str, &str> = BTreeMap::new();
    let mut wrong = Vec::new();
    for line in tree.lines().filter(|line| !line.contains(" (/")) {
        let Some((package, licence)) = line.trim_end_matches(" (*)").split_once('|') else { continue };
        let mut words = package.split(' ');
        let (name, version) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        if !rules.allow(licence) {
            wrong.push(format!("{package}: the licence `{licence}` is not among those of deny.toml"));
        }
        match versions.entry(name) {
            Entry::Vacant(place) => drop(place.insert(version)),
            Entry::Occupied(other) if *other.get() == version || rules.doubled.iter().any(|n| n == name) => {}
            Entry::Occupied(other) => wrong.push(format!("{name}: both {} and {version}", other.get())),
        }
    }
    wrong.sort();
    wrong.dedup();
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn licences_and_doubled_crates_are_found() {
        let rules =
            Rules::new("[licenses]\nallow = [\n    \"MIT\",\n    \"Zlib\",\n]\nskip = [{ name = \"b\" }]\n");
        let tree = "a v1|MIT OR GPL-3.0 (*)\nb v1|Apache-2.0/MIT\nb v2|MIT\nc v1|(MIT OR X) AND Zlib\n\
                    own v1 (/x/y)|\nd v1|MIT AND GPL-3.0\ne v1|MIT\ne v2|MIT\n";
        let found = wrong(tree, &rules);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with("d v1: the licence") && found[1] == "e: both v1 and v2");
    }
}
