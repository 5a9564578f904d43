//! `cargo xtask firsthour`: what somebody meets in the first hour, tried as they would: the commands of README and `docs/` as they are
//! printed, the ordinary mistakes, a terminal, and pictures of the pages. `--short`, which is part of `cargo xtask test` as the tests it
//! runs are, takes no pictures and needs no data.

use crate::{cargo, cargo_with, pairs};

/// The tests that stand for the first hour. They are chosen from the whole workspace, for one crate alone has other features and is
/// compiled anew.
const TRIED: [&str; 11] = [
    "test",
    "--workspace",
    "--all-features",
    "--bins",
    "--test",
    "it",
    "--",
    "documents::",
    "mistakes::",
    "terminal::",
    "every_option_has_a_help_text",
];
const PAGES: [&str; 7] = ["test", "--workspace", "--all-features", "--test", "browser", "--", "pages::"];

/// Where pictures are put.
const PICTURES: &str = "target/firsthour";

/// Runs all; whether it passed.
pub fn run(args: &[String]) -> bool {
    let short = match args {
        [] => false,
        [one] if one == "--short" => true,
        _ => {
            eprintln!("usage: cargo xtask firsthour [--short]");
            return false;
        }
    };
    let tried = cargo(&TRIED);
    if short {
        return tried;
    }
    if std::env::var_os("TREEGLOT_DATA").is_none() {
        println!("TREEGLOT_DATA is not set: commands that need real data are not tried");
    }
    let folder = std::path::absolute(PICTURES).unwrap_or_else(|_| PICTURES.into());
    let drawn = cargo_with(&PAGES, &[("TREEGLOT_SCREENSHOTS", folder.as_os_str())]);
    let built = || crate::built().inspect_err(|why| eprintln!("firsthour: {why}")).is_ok();
    let pairs = std::env::var_os("TREEGLOT_DATA").is_none() || built() && pairs::run(&[]);
    println!("look at the pictures in {}", folder.display());
    tried && drawn && pairs
}
