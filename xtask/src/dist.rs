//! `cargo xtask dist`: the binary without anything it needs of the system, with completions, manual pages and licences, as one
//! archive with its checksum.

use crate::output;
use std::path::Path;
use std::process::Command;

const SHELLS: [(&str, &str); 3] =
    [("bash", "treeglot.bash"), ("zsh", "_treeglot"), ("fish", "treeglot.fish")];

/// Makes `dist/treeglot-VERSION-TARGET.tar.gz` and `dist/SHA256SUMS`; whether it worked.
pub fn run() -> bool {
    made().inspect_err(|why| eprintln!("dist: {why}")).is_ok()
}

fn made() -> Result<(), String> {
    let version = output("rustc", &["-vV"]).ok_or("rustc does not answer")?;
    let target = version.lines().find_map(|line| line.strip_prefix("host: ")).ok_or("rustc names no host")?;
    // A C library of its own makes the binary run on any kernel of the same family, whatever is installed.
    let linux = target.contains("linux");
    let mut build = Command::new("cargo");
    build.args(["build", "--release", "-p", "treeglot-cli", "--target", target]);
    if linux {
        build.env("RUSTFLAGS", "-C target-feature=+crt-static");
    }
    println!("==> cargo build --release -p treeglot-cli --target {target}");
    if !build.status().is_ok_and(|status| status.success()) {
        return Err("the binary cannot be built".to_string());
    }
    let binary = crate::target().join(target).join("release/treeglot");
    let name = format!("treeglot-{}-{target}", env!("CARGO_PKG_VERSION"));
    let place = Path::new("dist").join(&name);
    let _ = std::fs::remove_dir_all(&place);
    let failed = |what: &Path| {
        let what = what.display().to_string();
        move |e: std::io::Error| format!("{what}: {e}")
    };
    std::fs::create_dir_all(place.join("completions")).map_err(failed(&place))?;
    std::fs::copy(&binary, place.join("treeglot")).map_err(failed(&binary))?;
    for file in ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"] {
        std::fs::copy(file, place.join(file)).map_err(failed(Path::new(file)))?;
    }
    let program = place.join("treeglot").canonicalize().map_err(failed(&place))?;
    let program = program.to_str().ok_or("the path is not text")?;
    for (shell, file) in SHELLS {
        let text = output(program, &["completions", shell]).ok_or(format!("no completions for {shell}"))?;
        std::fs::write(place.join("completions").join(file), text).map_err(failed(&place))?;
    }
    let man = place.join("man/man1");
    output(program, &["manual", "-o", man.to_str().ok_or("the path is not text")?])
        .ok_or("no manual pages")?;
    pack(&name)
}

/// Packs the folder, and writes the checksum of the archive.
fn pack(name: &str) -> Result<(), String> {
    let archive = format!("{name}.tar.gz");
    let run = |program: &str, args: &[&str]| {
        let run = Command::new(program)
            .args(args)
            .current_dir("dist")
            .output()
            .map_err(|e| format!("{program}: {e}"))?;
        match run.status.success() {
            true => Ok(run.stdout),
            false => Err(format!("{program}: {}", String::from_utf8_lossy(&run.stderr))),
        }
    };
    let same = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mtime=@0"];
    run("tar", &[&same[..], &["-czf", &archive, name]].concat())?;
    let sum = run("sha256sum", &[&archive])?;
    std::fs::write("dist/SHA256SUMS", &sum).map_err(|e| e.to_string())?;
    println!("dist/{archive}\n{}", String::from_utf8_lossy(&sum).trim());
    Ok(())
}
