//! Translating a large text on executors: each gets the packed bundle, and translates shards of lines with their trees.

use super::cut::{Unpacked, cut, cut_bytes};
use super::task::{Task, shared};
use super::{Columns, Engine, Op, Row, damaged, notes};
use crate::bundle::{Bundle, MANIFEST, pack, unpack};
use crate::error::{Error, Result};
use crate::plan::Plan;
use crate::progress::Progress;
use crate::run::Cache;
use crate::train::translating::source;
use crate::translator::{Request, Translator, TranslatorSettings};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use treeglot_text::Output;
use treeglot_tree::PerTree;

/// The file of translations in their stage's folder.
const TRANSLATIONS: &str = "translations";

/// Translates the lines of a shard.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Translate {
    /// How many files of trees there are in each place.
    trees: PerTree<usize>,
    skip_bad: bool,
}

/// Translates each line of a text with a bundle, as [`Translator::translate_lines`] does; `trees` are those of its lines. What is
/// done is kept beside the output until it is complete. Gives how many lines could not be read, with `skip_bad`.
pub fn translate(
    engine: Arc<dyn Engine>,
    bundle: &Path,
    (text, trees): (&Path, &PerTree<Vec<PathBuf>>),
    skip_bad: bool,
    progress: &Progress,
    to: &Path,
) -> Result<u64> {
    let opened = Bundle::open(bundle)?;
    let mut work = to.as_os_str().to_owned();
    work.push(".work");
    let cache = Cache::open(&work)?.with_engine(engine);
    let manifest = opened.folder().join(MANIFEST);
    let all: Vec<PathBuf> = trees.iter().flat_map(|(_, files)| files).cloned().collect();
    let mut plan = Plan::default();
    let inputs = [manifest.as_path(), text].into_iter().chain(all.iter().map(PathBuf::as_path));
    let stage = plan.stage("translate", "translated", 1).settings(&skip_bad).reads_files(inputs)?;
    let stage = stage.run(|place| {
        let site = place.site().ok_or_else(|| Error::Invalid("no engine".to_string()))?;
        let lines = site.engine.division().lines;
        let files: Vec<PathBuf> = [text.to_path_buf()].into_iter().chain(all.iter().cloned()).collect();
        site.put("text", || if all.is_empty() { cut_bytes(text, lines) } else { cut(&files, lines, 0) })?;
        let packed = site.folder.join("bundle.tar");
        pack(&opened, &packed)?;
        let op = Translate { trees: trees.each_ref().map(|_, files| files.len()), skip_bad };
        site.each("translated", "text", Op::Translate(Box::new(op)), vec![packed])?;
        let mut out = Output::create(place.out.join(TRANSLATIONS))?;
        let mut skipped = 0;
        for row in site.rows("translated", Columns::Cells)? {
            let row = row?;
            skipped += notes::<u64>(&row)?;
            row.cells.iter().try_for_each(|cell| out.write_all(cell)).map_err(|e| out.error(e))?;
        }
        place.note("skipped", skipped);
        Ok(out.finish()?)
    });
    let outputs = cache.run(plan, &[stage], 1, progress)?;
    let made = outputs.path(&stage.makes(TRANSLATIONS));
    std::fs::rename(&made, to).map_err(Error::writing(to))?;
    let skipped = outputs.summary(stage).and_then(|summary| summary.notes.get("skipped")?.parse().ok());
    drop(cache);
    std::fs::remove_dir_all(&work).map_err(Error::writing(PathBuf::from(work)))?;
    Ok(skipped.unwrap_or_default())
}

struct Translating {
    op: Translate,
    translator: Arc<Translator>,
}

/// The task of [`Translate`].
pub(super) fn task(op: Translate, files: &[PathBuf]) -> Result<Box<dyn Task>> {
    let translator = shared("translator", files, || {
        let packed = files.first().ok_or_else(|| damaged("no bundle"))?;
        let folder = packed.with_extension("unpacked");
        // All processes of an executor map the same files; whoever is first unpacks them.
        let opened = match folder.exists() {
            true => Ok(()),
            false => unpack(packed, &folder).map(drop),
        };
        opened.or_else(|error| if folder.exists() { Ok(()) } else { Err(error) })?;
        Translator::open_with([&folder], &TranslatorSettings { threads: 1, ..TranslatorSettings::default() })
    })?;
    Ok(Box::new(Translating { op, translator }))
}

impl Task for Translating {
    fn row(&mut self, row: Row, out: &mut Vec<Row>) -> Result<()> {
        let shard = Unpacked::new(&row)?;
        let (skipped, text) = self.shard(&shard).map_err(|error| shard.at(&error))?;
        out.push(Row { notes: skipped.to_string(), cells: vec![text], ..row });
        Ok(())
    }
}

impl Translating {
    fn shard(&self, shard: &Unpacked) -> Result<(u64, Vec<u8>)> {
        let mut files = shard.files.iter().cloned();
        let mut next = || files.next().ok_or_else(|| damaged("a shard lacks files"));
        let text = next()?;
        let trees = self.op.trees.try_map(|_, n| (0..n).map(|_| next()).collect::<Result<Vec<_>>>())?;
        let lines = source(&text, &[trees], self.op.skip_bad)?;
        let mut out = Vec::new();
        let take = |_, _: &str, translated: crate::Translated| {
            out.extend_from_slice(translated.text().as_bytes());
            out.push(b'\n');
            Ok(())
        };
        let passed = self.translator.translate_lines(lines, &Request::default(), take)?;
        Ok((passed.lines.total(), out))
    }
}
