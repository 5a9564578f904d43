//! Readers of recipes and bundles. A damaged table in a bundle that is otherwise right is translated with.

use crate::{Failure, Outcome};
use std::path::{Path, PathBuf};
use treeglot_decode::Wanted;
use treeglot_pipeline::bundle::{Parts, pack, unpack};
use treeglot_pipeline::recipe::Recipe;
use treeglot_pipeline::{Bundle, SearchSettings};

const PHRASES: &str = include_str!("../../seeds/moses-table.hiero");
const ARPA: &str = include_str!("../../seeds/arpa");
const LINES: [&str; 3] = ["", "die Frau sieht den alten Mann", "[X] ||| unbekannt &#124;"];

pub fn recipe(path: &Path) -> Outcome {
    Recipe::open(path, Some(Path::new("/data")))?;
    Ok(())
}

/// A bundle whose manifest is damaged.
pub fn manifest(path: &Path) -> Outcome {
    let folder = path.with_file_name("bundle");
    std::fs::copy(path, folder.join("bundle.toml"))?;
    translate(&Bundle::open(&folder)?)
}

pub fn make_manifests(folder: &Path) -> Result<Vec<Vec<u8>>, Failure> {
    let bundle = bundle(folder, "moses", PHRASES.as_bytes())?;
    Ok(vec![std::fs::read(bundle.folder().join("bundle.toml"))?])
}

pub fn archive(path: &Path) -> Outcome {
    let to = path.with_file_name("unpacked");
    let unpacked = unpack(path, &to);
    let _ = std::fs::remove_dir_all(&to);
    unpacked?;
    Ok(())
}

pub fn make_archives(folder: &Path) -> Result<Vec<Vec<u8>>, Failure> {
    let bundle = bundle(folder, "moses", PHRASES.as_bytes())?;
    let path = folder.join("bundle.tar");
    pack(&bundle, &path)?;
    Ok(vec![std::fs::read(path)?])
}

/// A bundle made of a damaged table, so that all that the manifest says of its files is right.
pub fn bundle_of_table(path: &Path) -> Outcome {
    let folder = path.parent().unwrap_or(Path::new("."));
    let made = bundle(folder, "damaged", &std::fs::read(path)?)?;
    translate(&made)
}

fn translate(bundle: &Bundle) -> Outcome {
    let system = bundle.system(&SearchSettings::default())?;
    let mut worker = system.worker()?;
    for line in LINES {
        worker.translate(line, &Wanted { count: 3, distinct: true, explain: true });
    }
    Ok(())
}

/// A new bundle with this table.
fn bundle(folder: &Path, table: &str, bytes: &[u8]) -> Result<Bundle, Failure> {
    let to = folder.join("bundle");
    if to.exists() {
        std::fs::remove_dir_all(&to)?;
    }
    let file = |name: &str, bytes: &[u8]| -> Result<PathBuf, Failure> {
        let path = folder.join(name);
        std::fs::write(&path, bytes)?;
        Ok(path)
    };
    let scores = "0.2 0.2 0.2 0.2";
    let weights = format!(
        "LM0= 0.5\nUnknownWordPenalty0= 1\nWordPenalty0= -1\nPhrasePenalty0= 0.2\nTranslationModel0= {scores}\nTranslationModel1= 1\n"
    );
    let parts = Parts {
        model: "hiero".to_string(),
        tables: vec![file(table, bytes)?],
        lms: vec![file("arpa", ARPA.as_bytes())?],
        weights: file("weights", weights.as_bytes())?,
        languages: [Some("de".to_string()), Some("en".to_string())],
        surface: None,
        search: SearchSettings { pop_limit: Some(20), ..SearchSettings::default() },
        options: Default::default(),
        card: None,
    };
    Ok(parts.make(&to)?)
}
