//! Build script of the crates with tests on real corpora. Where the data folder is (`TREEGLOT_DATA`, or `shared/data`
//! beside the workspace) it sets `cfg(real_data)`; elsewhere these tests are reported as ignored:
//!
//! ```ignore
//! #[test]
//! #[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
//! fn a_claim_about_real_text() {
//!     let folder = std::path::Path::new(env!("TREEGLOT_REAL_DATA"));
//! }
//! ```

use std::env;
use std::path::PathBuf;

fn main() {
    println!("cargo::rustc-check-cfg=cfg(real_data)");
    println!("cargo::rerun-if-changed=../real_data.rs");
    println!("cargo::rerun-if-env-changed=TREEGLOT_DATA");
    let crate_folder =
        env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).expect("cargo names the crate's folder");
    let beside = crate_folder.join("../../../shared/data");
    let folder = env::var_os("TREEGLOT_DATA").map_or(beside, PathBuf::from).canonicalize();
    if let Some(folder) = folder.as_ref().ok().filter(|folder| folder.is_dir()) {
        println!("cargo::rustc-cfg=real_data");
        println!("cargo::rustc-env=TREEGLOT_REAL_DATA={}", folder.display());
    } else {
        println!("cargo::rustc-env=TREEGLOT_REAL_DATA=");
    }
}
