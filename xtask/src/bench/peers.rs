//! The programs of other toolkits below a folder, by name.

use crate::output;
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Names of programs that jobs ask for. In commands, a program is the variable of its name with `_` for other signs.
pub const PROGRAMS: [&str; 17] = [
    "fast_align",
    "atools",
    "eflomal-align",
    "lmplz",
    "build_binary",
    "query",
    "extract",
    "extract-rules",
    "score",
    "consolidate",
    "processPhraseTableMin",
    "moses",
    "moses2",
    "moses_chart",
    "sacrebleu",
    "tokenizer.perl",
    "udpipe",
];

/// How the message begins where a program is not there.
pub const MISSING: &str = "not found";

/// How deep below the folder programs are looked for.
const DEPTH: usize = 6;

/// The programs that were found.
#[derive(Debug, Default)]
pub struct Peers(BTreeMap<&'static str, PathBuf>);

impl Peers {
    /// Looks for programs below a folder; of several with one name the one nearest to it.
    pub fn find(folder: &Path) -> Result<Self, String> {
        let folder = folder.canonicalize().map_err(|e| format!("{}: {e}", folder.display()))?;
        let mut found = Self::default();
        let mut level = vec![folder];
        for _ in 0..DEPTH {
            let mut next = Vec::new();
            for folder in level {
                found.look(&folder, &mut next);
            }
            next.sort();
            level = next;
        }
        Ok(found)
    }

    fn look(&mut self, folder: &Path, next: &mut Vec<PathBuf>) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
            if path.is_dir() && !path.is_symlink() && !name.starts_with('.') {
                next.push(path);
            } else if let Some(program) = PROGRAMS.iter().find(|program| **program == name)
                && std::fs::metadata(&path)
                    .is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
            {
                self.0.entry(program).or_insert(path);
            }
        }
    }

    /// Whether all of these were found, or which was not.
    pub fn has(&self, programs: &[&str]) -> Result<(), String> {
        match programs.iter().find(|program| !self.0.contains_key(*program)) {
            Some(missing) => Err(format!("{MISSING}: {missing}")),
            None => Ok(()),
        }
    }

    /// Each program as a variable of the shell.
    pub fn variables(&self) -> impl Iterator<Item = (String, PathBuf)> {
        let variable = |name: &str| name.replace(|c: char| !c.is_ascii_alphanumeric(), "_");
        self.0.iter().map(move |(name, path)| (variable(name), path.clone()))
    }

    /// The commit of the clone, or the version of the Python package, that the first of these programs belongs to.
    pub fn version(&self, programs: &[&str]) -> String {
        let Some(path) = programs.first().and_then(|program| self.0.get(program)) else {
            return String::new();
        };
        let Some(folder) = path.parent().and_then(Path::to_str) else { return String::new() };
        let python = format!("{folder}/python");
        if Path::new(&python).exists() {
            let package = programs[0].split('-').next().unwrap_or(programs[0]);
            let told = output(&python, &["-m", "pip", "show", package]).unwrap_or_default();
            let version = told.lines().find_map(|line| line.strip_prefix("Version: "));
            return version.unwrap_or_default().to_string();
        }
        output("git", &["-C", folder, "rev-parse", "--short=8", "HEAD"])
            .unwrap_or_default()
            .trim()
            .to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_by_name_and_only_if_they_can_be_run() {
        let folder = std::env::temp_dir().join(format!("treeglot-peers-{}", std::process::id()));
        let bin = folder.join("clone/build/bin");
        std::fs::create_dir_all(&bin).expect("a temporary folder");
        for (name, mode) in [("lmplz", 0o755), ("query", 0o644), ("other", 0o755)] {
            std::fs::write(bin.join(name), "").expect("a file in it");
            let mode = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(bin.join(name), mode).expect("its rights");
        }
        let peers = Peers::find(&folder).expect("the folder is there");
        assert_eq!(peers.has(&["lmplz"]), Ok(()));
        assert_eq!(peers.has(&["lmplz", "query"]), Err("not found: query".to_string()));
        assert_eq!(peers.variables().count(), 1);
        let _ = std::fs::remove_dir_all(&folder);
    }
}
