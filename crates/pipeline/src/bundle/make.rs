//! Making bundles: from tables, language models and weights to a folder.

use super::card::Card;
use super::{
    Bundle, CARD, MANIFEST, Manifest, ModelOptions, SearchSettings, Surfaces, VERSION, bad, file, with_roles,
};
use crate::error::Result;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use treeglot_decode::Resources;
use treeglot_grammar::table::{Import, import};
use treeglot_grammar::{Scratch, Table};
use treeglot_lm::Lm;
use treeglot_text::Input;

/// About how many bytes importing a text table may use for sorting.
const IMPORT_MEMORY: u64 = 1 << 30;

/// What a bundle is made from.
#[derive(Debug, Clone, PartialEq)]
pub struct Parts {
    /// The translation model, by name.
    pub model: String,
    /// Tables: our own files, or Moses' text.
    pub tables: Vec<PathBuf>,
    /// Language models: our own files, or ARPA.
    pub lms: Vec<PathBuf>,
    /// The weights.
    pub weights: PathBuf,
    /// The languages translated from and to.
    pub languages: [Option<String>; 2],
    /// What is done to raw text; the truecasing models are named by path here.
    pub surface: Option<Surfaces>,
    /// The settings of the search.
    pub search: SearchSettings,
    /// The options of the model that matter to translation.
    pub options: ModelOptions,
    /// What people should know of it.
    pub card: Option<Card>,
}

impl Parts {
    /// Writes a bundle: the files first, the manifest last, so that a folder with a manifest is complete.
    pub fn make(&self, folder: &Path) -> Result<Bundle> {
        let manifest_path = folder.join(MANIFEST);
        if manifest_path.exists() {
            return Err(bad(
                folder,
                "there is a bundle already: remove it, or name another folder".to_string(),
            ));
        }
        fs::create_dir_all(folder).map_err(|source| file(folder, "create the folder", source))?;
        let numbered = |what: &str, count: usize| (0..count).map(|k| format!("{what}{k}")).collect();
        let [source, target] = self.languages.clone();
        let manifest = Manifest {
            version: VERSION,
            model: self.model.clone(),
            source,
            target,
            surface: self.surface.clone().map(Surfaces::with_files_beside),
            tables: numbered("table", self.tables.len()),
            lms: numbered("lm", self.lms.len()),
            weights: "weights".to_string(),
            search: self.search.clone(),
            options: self.options.clone(),
            card: self.card.as_ref().map(|_| CARD.to_string()),
        };
        for (from, name) in self.tables.iter().zip(&manifest.tables) {
            self.add_table(from, &folder.join(name))?;
        }
        for (from, name) in self.lms.iter().zip(&manifest.lms) {
            let lm = Lm::open(from)?;
            match lm.write(&folder.join(name)) {
                Ok(()) => {}
                Err(treeglot_lm::Error::AlreadyBinary) => copy(from, &folder.join(name))?,
                Err(e) => return Err(e.into()),
            }
        }
        copy(&self.weights, &folder.join(&manifest.weights))?;
        for (from, name) in self.truecasers().zip(manifest.truecasers()) {
            copy(from, &folder.join(name))?;
        }
        if let (Some(card), Some(name)) = (&self.card, &manifest.card) {
            card.write(&folder.join(name))?;
        }
        let text = toml::to_string(&manifest).map_err(|e| bad(&manifest_path, e.to_string()))?;
        let bundle = Bundle { folder: folder.to_path_buf(), manifest };
        bundle.system(&SearchSettings::default())?;
        let temporary = folder.join(format!("{MANIFEST}.new"));
        let written = fs::write(&temporary, text).and_then(|()| fs::rename(&temporary, &manifest_path));
        written.map_err(|source| file(&manifest_path, "write", source))?;
        Ok(bundle)
    }

    /// Its tables and language models, with their roles.
    pub(crate) fn resources(&self) -> Result<Resources> {
        let tables = self.tables.iter().map(|path| Ok(Table::open(path)?)).collect::<Result<_>>()?;
        let lms = self.lms.iter().map(|path| Ok(Lm::open(path)?)).collect::<Result<_>>()?;
        Ok(with_roles(tables, lms))
    }

    /// The truecasing models to copy, those of the source first.
    fn truecasers(&self) -> impl Iterator<Item = &Path> {
        self.surface.iter().flat_map(Surfaces::truecasers).map(Path::new)
    }

    /// Copies a table file; imports a text table.
    fn add_table(&self, from: &Path, to: &Path) -> Result<()> {
        if is_ours(from).map_err(|source| file(from, "open", source))? {
            return copy(from, to);
        }
        let options = Import { model: self.model.clone(), memory: IMPORT_MEMORY };
        import(Input::open(from)?, None, &options, &Scratch::new(None), to)?;
        Ok(())
    }
}

/// Whether a file is one of ours, not text.
fn is_ours(path: &Path) -> std::io::Result<bool> {
    let mut start = Vec::new();
    fs::File::open(path)?.take(8).read_to_end(&mut start)?;
    Ok(start == b"TREEGLOT")
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::copy(from, to).map(|_| ()).map_err(|source| file(from, "copy", source))
}
