//! Readers of the crate `document`, and of what guides translations.

use crate::Outcome;
use std::path::Path;
use treeglot_document::{Document, Format, PairFormat, read_pairs};
use treeglot_pipeline::Corrections;
use treeglot_pipeline::translator::Terms;
use treeglot_text::Input;

fn text(path: &Path) -> Result<String, crate::Failure> {
    let mut bytes = Vec::new();
    Input::open(path)?.reader.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).to_string())
}

/// Cuts a document and writes it; an error names the file.
fn document(format: Format, path: &Path) -> Outcome {
    let name = |error| format!("{}: {error}", path.display());
    let document = Document::read(format, &text(path)?).map_err(name)?;
    document.write(&[]);
    let empty: Vec<_> = document.segments().iter().map(|_| Default::default()).collect();
    document.write(&empty);
    Ok(())
}

pub fn html(path: &Path) -> Outcome {
    document(Format::Html, path)
}

pub fn markdown(path: &Path) -> Outcome {
    document(Format::Markdown, path)
}

pub fn srt(path: &Path) -> Outcome {
    document(Format::Srt, path)
}

pub fn po(path: &Path) -> Outcome {
    document(Format::Po, path)
}

pub fn xliff(path: &Path) -> Outcome {
    document(Format::Xliff, path)
}

pub fn tmx(path: &Path) -> Outcome {
    let name = |error| format!("{}: {error}", path.display());
    read_pairs(PairFormat::Tmx, &text(path)?, ["de", "en"]).map_err(name)?;
    Ok(())
}

pub fn terms(path: &Path) -> Outcome {
    Terms::read(path)?;
    Ok(())
}

/// Corrections as the file of a bundle's folder.
pub fn corrections(path: &Path) -> Outcome {
    let folder = tempfile::tempdir()?;
    let name = |error| format!("{}: {error}", path.display());
    std::fs::copy(path, folder.path().join(treeglot_pipeline::CORRECTIONS))?;
    Corrections::read(folder.path()).map_err(name)?;
    Ok(())
}
