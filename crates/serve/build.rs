//! Looks for a browser. Where there is one it sets `cfg(browser)`; elsewhere the tests of the page are reported as ignored.

use std::env;
use std::path::PathBuf;

const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

fn main() {
    println!("cargo::rustc-check-cfg=cfg(browser)");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=PATH");
    println!("cargo::rerun-if-env-changed=TREEGLOT_BROWSER");
    let path = env::var_os("PATH").unwrap_or_default();
    let in_path = env::split_paths(&path).flat_map(|folder| NAMES.map(|name| folder.join(name)));
    let given = env::var_os("TREEGLOT_BROWSER").map(PathBuf::from);
    let found = given.into_iter().chain(in_path).find(|path| path.is_file());
    if let Some(browser) = &found {
        println!("cargo::rustc-cfg=browser");
        println!("cargo::rerun-if-changed={}", browser.display());
    } else {
        // As long as there is none, it is looked for in every build.
        println!("cargo::rerun-if-changed=/usr/bin/chromium");
    }
    let browser = found.unwrap_or_default();
    println!("cargo::rustc-env=TREEGLOT_TEST_BROWSER={}", browser.display());
}
