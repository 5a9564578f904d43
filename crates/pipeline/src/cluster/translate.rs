//! Translating a large text, or a test set of an experiment, on executors: each gets the packed bundles, and translates shards of lines
//! with their trees.

use super::cut::{Unpacked, cut, cut_bytes};
use super::task::{Task, shared};
use super::{Columns, Engine, Op, Row, Site, damaged, noted, notes};
use crate::bundle::{Bundle, Components, MANIFEST, pack, unpack};
use crate::check::line_count;
use crate::error::{Error, Result};
use crate::plan::Plan;
use crate::progress::Progress;
use crate::run::Cache;
use crate::train::translating::{Told, source, translate_source};
use crate::translator::{Translator, TranslatorSettings};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use treeglot_decode::Weights;
use treeglot_models::Model;
use treeglot_text::Output;
use treeglot_tree::PerTree;

/// The file of translations in their stage's folder.
const TRANSLATIONS: &str = "translations";

/// Translates the lines of a shard, with one bundle or with several that choose together.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Translate {
    /// How many files of trees there are in each place, of one for all systems or of each.
    trees: Vec<PerTree<usize>>,
    skip_bad: bool,
    /// Whether translations are explained: their links and the use of rules are told.
    explain: bool,
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
        std::fs::create_dir_all(site.folder).map_err(Error::writing(site.folder))?;
        let packed = site.folder.join("bundle.tar");
        pack(&opened, &packed)?;
        let mut out = Output::create(place.out.join(TRANSLATIONS))?;
        let sets = (text, std::slice::from_ref(trees));
        let told = on_shards(site, vec![packed], sets, (skip_bad, false), |[text, _]| {
            out.write_all(text).map_err(|e| out.error(e).into())
        })?;
        place.note("skipped", told.lines.total());
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

/// Translates a test set with systems that are put together from components, as [`translate_source`] does; `to` are the files of
/// translations and of their links.
pub(crate) fn translate_set(
    site: Site<'_>,
    systems: &[(Components, Weights)],
    (text, trees): (&Path, &[PerTree<Vec<PathBuf>>]),
    (skip_bad, explain): (bool, bool),
    to: [&Path; 2],
) -> Result<Told> {
    let bundle = |(number, (components, weights)): (usize, &(Components, Weights))| {
        packed(site, &format!("bundle-{number}"), components, weights)
    };
    let bundles = systems.iter().enumerate().map(bundle).collect::<Result<_>>()?;
    let [mut out, mut links_out] = [Output::create(to[0])?, Output::create(to[1])?];
    let told = on_shards(site, bundles, (text, trees), (skip_bad, explain), |[text, links]| {
        out.write_all(text).map_err(|e| out.error(e))?;
        Ok(links_out.write_all(links).map_err(|e| links_out.error(e))?)
    })?;
    out.finish()?;
    links_out.finish()?;
    Ok(told)
}

/// Has the shards of a text translated by packed bundles; `take` gets the translations and the links of each, in order.
fn on_shards(
    site: Site<'_>,
    bundles: Vec<PathBuf>,
    (text, trees): (&Path, &[PerTree<Vec<PathBuf>>]),
    (skip_bad, explain): (bool, bool),
    mut take: impl FnMut([&[u8]; 2]) -> Result<()>,
) -> Result<Told> {
    let all: Vec<PathBuf> =
        trees.iter().flat_map(PerTree::iter).flat_map(|(_, files)| files).cloned().collect();
    let lines = site.lines_of(line_count(text, skip_bad)?);
    let files: Vec<PathBuf> = [text.to_path_buf()].into_iter().chain(all.iter().cloned()).collect();
    site.put("text", || if all.is_empty() { cut_bytes(text, lines) } else { cut(&files, lines, 0) })?;
    let trees = trees.iter().map(|trees| trees.each_ref().map(|_, files| files.len())).collect();
    let op = Op::Translate(Box::new(Translate { trees, skip_bad, explain }));
    site.each("translated", "text", op, bundles)?;
    let mut told = Told::default();
    for row in site.rows("translated", Columns::Cells)? {
        let row = row?;
        told.merge(notes(&row)?);
        let [text, links] = &row.cells[..] else { return Err(damaged("a shard lacks translations")) };
        take([text, links])?;
    }
    Ok(told)
}

/// The packed bundle of a system, in the folder of a stage.
pub(super) fn packed(
    site: Site<'_>,
    name: &str,
    components: &Components,
    weights: &Weights,
) -> Result<PathBuf> {
    let (folder, file) = (site.folder.join(name), site.folder.join(format!("{name}.tar")));
    pack(&components.bundle(weights, None, &folder, true)?, &file)?;
    std::fs::remove_dir_all(&folder).map_err(Error::writing(&folder))?;
    Ok(file)
}

/// A packed bundle on an executor, whose processes all map the same files: whoever is first unpacks them.
pub(super) fn unpacked(file: &Path) -> Result<Bundle> {
    let folder = file.with_extension("unpacked");
    if folder.exists() {
        return Bundle::open(&folder);
    }
    unpack(file, &folder).or_else(|error| if folder.exists() { Bundle::open(&folder) } else { Err(error) })
}

struct Translating {
    op: Translate,
    translator: Arc<Translator>,
    model: Box<dyn Model>,
}

/// The task of [`Translate`].
pub(super) fn task(op: Translate, files: &[PathBuf]) -> Result<Box<dyn Task>> {
    let bundles = files.iter().map(|file| unpacked(file)).collect::<Result<Vec<_>>>()?;
    let model = bundles.first().ok_or_else(|| damaged("no bundle"))?.components().model()?;
    let translator = shared("translator", files, || {
        let settings = TranslatorSettings { threads: 1, ..TranslatorSettings::default() };
        Translator::of(&bundles.iter().collect::<Vec<_>>(), &settings)
    })?;
    Ok(Box::new(Translating { op, translator, model }))
}

impl Task for Translating {
    fn row(&mut self, row: Row, out: &mut Vec<Row>) -> Result<()> {
        let shard = Unpacked::new(&row)?;
        let (told, cells) = self.shard(&shard).map_err(|error| shard.at(&error))?;
        out.push(Row { notes: noted(&told), cells: cells.into(), ..row });
        Ok(())
    }
}

impl Translating {
    fn shard(&self, shard: &Unpacked) -> Result<(Told, [Vec<u8>; 2])> {
        let (text, trees) = shard.text_and_trees(&self.op.trees)?;
        let lines = source(&text, &trees, self.op.skip_bad)?;
        let mut cells = [Vec::new(), Vec::new()];
        let told = translate_source(&self.translator, lines, self.op.explain, &*self.model, |lines| {
            for (cell, line) in cells.iter_mut().zip(lines) {
                cell.extend_from_slice(line.as_bytes());
                cell.push(b'\n');
            }
            Ok(())
        })?;
        Ok((told, cells))
    }
}
