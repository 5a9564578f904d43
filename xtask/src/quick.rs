//! `cargo xtask quick`: the loop of a developer. Only crates with changes since the branch left `main`, committed or not, and those
//! that depend on them are tested, without the tests that take long.

use crate::{cargo, has_nextest, junit, output};
use std::collections::{BTreeMap, BTreeSet};

/// A workspace crate: its folder, and the workspace crates it uses.
#[derive(Debug)]
struct Package {
    folder: String,
    uses: Vec<String>,
}

/// Checks and tests what changed.
pub fn run() -> bool {
    let Some(packages) = packages() else {
        eprintln!("cannot read the workspace with `cargo metadata`");
        return false;
    };
    let changed = affected(&packages, &changed_files());
    if changed.is_empty() {
        println!("nothing has changed since main");
        return true;
    }
    let names: Vec<&str> = changed.iter().flat_map(|name| ["-p", name.as_str()]).collect();
    let nextest = has_nextest();
    let tests: &[&str] = if nextest { &["nextest", "run", "--profile", "quick"] } else { &["test"] };
    let with = |command: &[&'static str], after: &[&'static str]| -> Vec<&str> {
        command.iter().copied().chain(names.iter().copied()).chain(after.iter().copied()).collect()
    };
    let passed = cargo(&["fmt", "--all", "--check"])
        && cargo(&with(&["clippy"], &["--all-targets", "--", "-D", "warnings"]))
        && cargo(&with(tests, &["--lib", "--bins", "--tests"]));
    if nextest {
        junit::report("quick");
    }
    passed
}

/// The workspace's crates by name.
fn packages() -> Option<BTreeMap<String, Package>> {
    let metadata = output("cargo", &["metadata", "--format-version", "1", "--no-deps"])?;
    let metadata: serde_json::Value = serde_json::from_str(&metadata).ok()?;
    let root = metadata["workspace_root"].as_str()?;
    let all = metadata["packages"].as_array()?;
    let package = |package: &serde_json::Value| {
        let folder = package["manifest_path"].as_str()?.strip_prefix(root)?.trim_start_matches('/');
        let uses = package["dependencies"].as_array()?.iter().filter(|used| !used["path"].is_null());
        let uses = uses.filter_map(|used| used["name"].as_str().map(str::to_string)).collect();
        let folder = folder.strip_suffix("Cargo.toml")?.to_string();
        Some((package["name"].as_str()?.to_string(), Package { folder, uses }))
    };
    all.iter().map(package).collect()
}

/// Files that differ from where the branch left `main`, and new ones.
fn changed_files() -> Vec<String> {
    let base = output("git", &["merge-base", "HEAD", "main"]).unwrap_or_else(|| "HEAD".to_string());
    let changed = output("git", &["diff", "--name-only", base.trim()]).unwrap_or_default();
    let new = output("git", &["ls-files", "--others", "--exclude-standard"]).unwrap_or_default();
    changed.lines().chain(new.lines()).map(str::to_string).collect()
}

/// The crates with these files, and all that depend on them. What belongs to no crate but decides how all are built changes all.
fn affected(packages: &BTreeMap<String, Package>, files: &[String]) -> BTreeSet<String> {
    let of_all =
        |file: &String| ["Cargo.toml", "Cargo.lock"].contains(&file.as_str()) || file.starts_with(".cargo/");
    if files.iter().any(of_all) {
        return packages.keys().cloned().collect();
    }
    let has_file = |package: &Package| files.iter().any(|file| file.starts_with(&package.folder));
    // The documents' examples are run by the tests of the binary.
    let document = files.iter().any(|file| file.ends_with(".md"));
    let own =
        packages.iter().filter(|(name, package)| has_file(package) || document && *name == "treeglot-cli");
    let mut found: BTreeSet<String> = own.map(|(name, _)| name.clone()).collect();
    loop {
        let users =
            packages.iter().filter(|(_, package)| package.uses.iter().any(|used| found.contains(used)));
        let users: Vec<String> =
            users.map(|(name, _)| name.clone()).filter(|name| !found.contains(name)).collect();
        if users.is_empty() {
            return found;
        }
        found.extend(users);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_concerns_its_crate_and_all_that_use_it() {
        let package = |folder: &str, uses: &[&str]| Package {
            folder: folder.into(),
            uses: uses.iter().map(|used| (*used).to_string()).collect(),
        };
        let packages = BTreeMap::from([
            ("text".to_string(), package("crates/text/", &[])),
            ("tree".to_string(), package("crates/tree/", &["text"])),
            ("lm".to_string(), package("crates/lm/", &["tree"])),
            ("metrics".to_string(), package("crates/metrics/", &["text"])),
        ]);
        let of =
            |file: &str| affected(&packages, &[file.to_string()]).into_iter().collect::<Vec<_>>().join(" ");
        assert_eq!(of("crates/tree/src/lib.rs"), "lm tree");
        assert_eq!(of("crates/text/src/lib.rs"), "lm metrics text tree");
        assert_eq!(of("Cargo.lock"), "lm metrics text tree");
        assert_eq!(of("docs/picture.png"), "");
    }
}
