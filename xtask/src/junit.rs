//! What nextest tells of a run: the tests that took longest, and those that were left out.

use crate::output;
use std::path::PathBuf;

/// A test that ran.
#[derive(Debug, PartialEq)]
struct Test {
    name: String,
    seconds: f64,
}

/// Prints what is worth knowing of the last run with a profile of `.config/nextest.toml`.
pub fn report(profile: &str) {
    let Some(text) = target().and_then(|target| {
        std::fs::read_to_string(target.join("nextest").join(profile).join("junit.xml")).ok()
    }) else {
        return println!("there is no report of the tests");
    };
    let mut tests = parse(&text);
    tests.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    let sum: f64 = tests.iter().map(|test| test.seconds).sum();
    println!("\n{} tests ran, {sum:.0} s of work; the longest:", tests.len());
    for test in tests.iter().take(10) {
        println!("  {:>6.1} s  {}", test.seconds, test.name);
    }
}

/// Prints which tests were left out: those on real data, where there is none.
pub fn report_ignored() {
    let list = ["nextest", "list", "--workspace", "--all-features", "--message-format", "json"];
    let ignored = output("cargo", &list).and_then(|list| ignored(&list)).unwrap_or_default();
    if !ignored.is_empty() {
        println!("\nIGNORED: {} tests, for want of real data (set TREEGLOT_DATA):", ignored.len());
        ignored.iter().for_each(|name| println!("  {name}"));
    }
}

/// The ignored tests of nextest's list.
fn ignored(list: &str) -> Option<Vec<String>> {
    let list: serde_json::Value = serde_json::from_str(list).ok()?;
    let mut names = Vec::new();
    for (suite, tests) in list["rust-suites"].as_object()? {
        let tests = tests["testcases"].as_object()?.iter();
        names.extend(
            tests.filter(|(_, test)| test["ignored"] == true).map(|(name, _)| format!("{suite}::{name}")),
        );
    }
    Some(names)
}

/// The folder that cargo builds in.
fn target() -> Option<PathBuf> {
    let metadata = output("cargo", &["metadata", "--format-version", "1", "--no-deps"])?;
    let metadata: serde_json::Value = serde_json::from_str(&metadata).ok()?;
    Some(metadata["target_directory"].as_str()?.into())
}

/// The tests of a report.
fn parse(xml: &str) -> Vec<Test> {
    let case = |case: &str| {
        let attribute = |name: &str| Some(case.split_once(&format!(" {name}=\""))?.1.split_once('"')?.0);
        Some(Test {
            name: format!("{}::{}", attribute("classname")?, attribute("name")?),
            seconds: attribute("time")?.parse().ok()?,
        })
    };
    xml.split("<testcase").skip(1).filter_map(case).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_times_are_read_off_a_report() {
        let xml = "<testsuite name=\"a\"><testcase name=\"one\" classname=\"a::it\" time=\"1.5\"/>\n\
                   <testcase name=\"two\" classname=\"a::it\" time=\"0.1\">\n</testcase></testsuite>";
        let expected = [("a::it::one", 1.5), ("a::it::two", 0.1)]
            .map(|(name, seconds)| Test { name: name.into(), seconds });
        assert_eq!(parse(xml), expected);
    }

    #[test]
    fn ignored_tests_are_read_off_a_list() {
        let list =
            r#"{"rust-suites": {"a::it": {"testcases": {"x": {"ignored": true}, "y": {"ignored": false}}}}}"#;
        assert_eq!(ignored(list).unwrap(), ["a::it::x"]);
    }
}
