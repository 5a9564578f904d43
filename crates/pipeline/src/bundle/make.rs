//! Making bundles: components copied into a folder, the manifest last, so that a folder with a manifest is complete.

use super::card::Card;
use super::components::{Components, LmFile, TableFile};
use super::manifest::{FileEntry, FileRole, MANIFEST, Manifest, TextSides, VERSION};
use super::{Bundle, bad, file};
use crate::error::Result;
use std::fs;
use std::io::Read;
use std::path::Path;
use treeglot_decode::Weights;
use treeglot_grammar::Scratch;
use treeglot_grammar::table::{Import, import};
use treeglot_lm::Lm;
use treeglot_text::{Input, Side, TemporaryFolder};

/// About how many bytes importing a text table may use for sorting.
const IMPORT_MEMORY: u64 = 1 << 30;

impl Components {
    /// Writes a bundle of these components. What could be made before an error is taken away again. A bundle that is there
    /// already is replaced or left alone.
    pub fn bundle(
        &self,
        weights: &Weights,
        card: Option<&Card>,
        folder: &Path,
        replace: bool,
    ) -> Result<Bundle> {
        if !replace && folder.join(MANIFEST).exists() {
            let why = "there is a bundle already: remove it, or name another folder";
            return Err(bad(folder, why.to_string()));
        }
        let mut parent = folder.parent().unwrap_or(Path::new(""));
        if parent.as_os_str().is_empty() {
            parent = Path::new(".");
        }
        fs::create_dir_all(parent).map_err(|source| file(parent, "create the folder", source))?;
        let unfinished = TemporaryFolder::new(parent, ".unfinished-");
        let unfinished = unfinished.map_err(|source| file(parent, "write to", source))?;
        self.fill(weights, card, unfinished.path())?;
        Bundle::open(unfinished.path())?.components().system(weights, &Default::default())?;
        publish(unfinished, folder).map_err(|source| file(folder, "write", source))?;
        Bundle::open(folder)
    }

    /// Copies all files into a folder, and writes the manifest.
    fn fill(&self, weights: &Weights, card: Option<&Card>, folder: &Path) -> Result<()> {
        let mut files = Vec::new();
        for (k, table) in self.tables.iter().enumerate() {
            let name = format!("table{k}");
            self.add_table(table, &folder.join(&name))?;
            files.push(FileEntry::of(folder, &name, table.role)?);
        }
        for (k, lm) in self.lms.iter().enumerate() {
            let name = format!("lm{k}");
            add_lm(lm, &folder.join(&name))?;
            files.push(FileEntry::of(folder, &name, lm.role)?);
        }
        let optional = [
            ("joint", FileRole::JointModel, &self.joint),
            ("lexical", FileRole::LexicalModel, &self.lexical),
            ("operations", FileRole::OperationModel, &self.operations),
            ("frequent", FileRole::FrequentWords, &self.sparse),
            ("affixes", FileRole::Affixes, &self.affixes),
            ("subwords.source", FileRole::SourceSubwords, &self.subwords[0]),
            ("subwords.target", FileRole::TargetSubwords, &self.subwords[1]),
        ];
        for (name, role, from) in optional {
            if let Some(from) = from {
                copy(from, &folder.join(name))?;
                files.push(FileEntry::of(folder, name, role)?);
            }
        }
        weights.write(&folder.join("weights"))?;
        files.push(FileEntry::of(folder, "weights", FileRole::Weights)?);
        for (side, text) in Side::BOTH.into_iter().zip(self.text.iter().flatten()) {
            if let Some(from) = &text.truecaser {
                let name = format!("truecaser.{side}");
                copy(from, &folder.join(&name))?;
                files.push(FileEntry::of(folder, &name, FileRole::truecaser(side))?);
            }
        }
        for (k, parser) in self.parsers.iter().enumerate() {
            let name = format!("parser{k}");
            copy(&parser.path, &folder.join(&name))?;
            files.push(FileEntry::of(folder, &name, FileRole::parser(parser.kind))?);
        }
        if let Some(card) = card {
            card.write(&folder.join(super::CARD))?;
            files.push(FileEntry::of(folder, super::CARD, FileRole::Card)?);
        }
        let [source, target] = self.languages.clone();
        let sides = |[source, target]: &[super::TextComponents; 2]| TextSides {
            source: source.settings.clone(),
            target: target.settings.clone(),
        };
        let manifest = Manifest {
            version: VERSION,
            model: self.model.clone(),
            source,
            target,
            text: self.text.as_ref().map(sides),
            search: self.search.clone(),
            options: self.options.clone(),
            files,
        };
        manifest.write(folder)
    }

    /// Copies a table file; imports a text table.
    fn add_table(&self, table: &TableFile, to: &Path) -> Result<()> {
        let from = &table.path;
        if is_ours(from).map_err(|source| file(from, "open", source))? {
            return copy(from, to);
        }
        let options = Import { model: self.model.clone(), memory: IMPORT_MEMORY };
        let reordering = table.reordering.as_ref().map(Input::open).transpose()?;
        import(Input::open(from)?, reordering, &options, &Scratch::new(None), to)?;
        Ok(())
    }
}

/// Gives a finished folder its name; an empty folder or a bundle of that name makes way.
fn publish(made: TemporaryFolder, folder: &Path) -> std::io::Result<()> {
    if folder.join(MANIFEST).exists() {
        fs::remove_dir_all(folder)?;
    } else if folder.is_dir() {
        fs::remove_dir(folder)?;
    }
    made.persist(folder)
}

/// Writes the binary form of a language model; copies a file that has it already.
fn add_lm(lm: &LmFile, to: &Path) -> Result<()> {
    match Lm::open(&lm.path)?.write(to) {
        Err(treeglot_lm::Error::AlreadyBinary) => copy(&lm.path, to),
        written => Ok(written?),
    }
}

/// Whether a file is one of ours, not text.
pub(crate) fn is_ours(path: &Path) -> std::io::Result<bool> {
    let mut start = Vec::new();
    fs::File::open(path)?.take(8).read_to_end(&mut start)?;
    Ok(start == b"TREEGLOT")
}

/// Copies a file; where the file system can, the copy shares its blocks until one of them is written to.
pub(super) fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::copy(from, to).map(|_| ()).map_err(|source| file(from, "copy", source))
}
