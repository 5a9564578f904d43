//! The work of each training stage, from files to files. Each is what the subcommand of the same name does; here they
//! run in one process, and rules go from extraction to counting without being written out.

use crate::error::{Error, Result};
use std::io::Write;
use std::path::{Path, PathBuf};
use treeglot_align::links::{self, Line, Link};
use treeglot_align::trees::{Aligner, LexicalTables, TreeAlignSettings, TreeFile, next_pairs};
use treeglot_align::{
    Corpus, LexTable, MODEL_TABLE_THRESHOLD, Model as WordAligner, Settings as AlignSettings, priors,
};
use treeglot_decode::operations_line;
use treeglot_grammar::{Batch, Counter, ScoreInputs, ScoreSettings, Scratch, Written, write_table};
use treeglot_lm::depend::from_trees;
use treeglot_lm::mix::{Mixed, mix};
use treeglot_lm::{ClassSettings, Classes, Lm, LmLayout, Settings as LmSettings, TagCounts, estimate};
use treeglot_models::chart::MadeElsewhere;
use treeglot_models::extract::{Lexicon, Summary, extract};
use treeglot_models::mwu::coverage::Study;
use treeglot_models::pairs::{Files, Pairs};
use treeglot_models::{Model, Needs};
use treeglot_text::bitext::{self, Bitext};
use treeglot_text::column::MemoryBudget;
use treeglot_text::subword::Cutter;
use treeglot_text::{Input, Lines, Output};
use treeglot_tree::format::{AnyTree, Format, ReadOptions, ReadTrees, conllu, ptb};
use treeglot_tree::transform::continuous::continuous;
use treeglot_tree::transform::split::{split_con, split_parse};
use treeglot_tree::{DepParse, DepTree, Field, TreeCounts, TreeKind};

/// How many batches of rules are counted at a time: enough for all threads.
const BATCHES: usize = 64;

/// How many pairs of trees are linked at a time.
const TREE_PAIRS: usize = 1024;

/// Where alignment writes: links, and the model's lexical tables and the model itself if wanted.
pub struct AlignTo {
    /// The links.
    pub links: PathBuf,
    /// The lexical tables, before their endings.
    pub tables: Option<PathBuf>,
    /// The model.
    pub model: Option<PathBuf>,
}

/// Aligns the words of two texts; how many pairs were too long for it.
pub fn align(
    texts: [&Path; 2],
    settings: &AlignSettings,
    memory: u64,
    to: &AlignTo,
    say: impl Fn(&str),
) -> Result<usize> {
    let mut bitext = Bitext::open(texts, bitext::Options::default())?;
    let space = MemoryBudget::new(memory);
    let corpus = Corpus::read(&mut bitext, settings.max_length, &space)?;
    let model = WordAligner::train(&corpus, settings, |step| say(step))?;
    write_links(&model, &corpus, settings, &to.links)?;
    write_model(&model, &corpus, to)?;
    Ok(corpus.skipped.len())
}

/// Writes what is wanted beside the links of a trained model.
pub fn write_model(model: &WordAligner, corpus: &Corpus, to: &AlignTo) -> Result<()> {
    if let Some(file) = &to.model {
        let mut out = Output::create(file)?;
        priors::write(model, corpus.words(), &mut out).map_err(|e| out.error(e))?;
        out.finish()?;
    }
    let tables =
        LexTable::BOTH.into_iter().flat_map(|table| to.tables.iter().map(move |prefix| (table, prefix)));
    for (table, prefix) in tables {
        let mut out = Output::create(table.path(prefix))?;
        let mut expected = model.expected_links(corpus, table)?;
        expected.table(table)?.write_above(MODEL_TABLE_THRESHOLD, &mut out).map_err(|e| out.error(e))?;
        out.finish()?;
    }
    Ok(())
}

/// Aligns the words of two texts by a model that was trained on others.
pub fn align_with(
    model: &Path,
    texts: [&Path; 2],
    settings: &AlignSettings,
    memory: u64,
    to: &Path,
) -> Result<()> {
    let mut bitext = Bitext::open(texts, bitext::Options::default())?;
    let space = MemoryBudget::new(memory);
    let (mut model, source, target) = priors::read(&mut Lines::open(model)?, settings, &space)?;
    let corpus = Corpus::read_with(&mut bitext, settings.max_length, source, target, &space)?;
    model.adapt(&corpus)?;
    write_links(&model, &corpus, settings, to)
}

fn write_links(model: &WordAligner, corpus: &Corpus, settings: &AlignSettings, to: &Path) -> Result<()> {
    let mut out = Output::create(to)?;
    model.align(corpus, settings.symmetrize, settings.order, |_, aligned| -> Result<()> {
        writeln!(out, "{}", Line(&aligned.links)).map_err(|e| out.error(e))?;
        Ok(())
    })?;
    Ok(out.finish()?)
}

/// Writes links that are given, sorted as they are read.
pub fn copy_links(from: &Path, to: &Path) -> Result<()> {
    rewrite_links(from, |link| link, to)
}

/// Writes links with source and target exchanged, sorted as they are read.
pub fn invert_links(from: &Path, to: &Path) -> Result<()> {
    rewrite_links(from, |link| Link::new(link.tgt, link.src), to)
}

fn rewrite_links(from: &Path, each: impl Fn(Link) -> Link, to: &Path) -> Result<()> {
    let mut lines = Lines::open(from)?;
    let mut out = Output::create(to)?;
    loop {
        let place = lines.place();
        let Some(line) = lines.next_line()? else { break };
        let mut written: Vec<Link> = links::parse(line, &place)?.into_iter().map(&each).collect();
        written.sort_unstable();
        writeln!(out, "{}", Line(&written)).map_err(|e| out.error(e))?;
    }
    Ok(out.finish()?)
}

/// Estimates a language model from several texts and writes its binary form.
pub fn lm(texts: &[PathBuf], settings: &LmSettings, memory: u64, work: &Path, to: &Path) -> Result<()> {
    with_joined(texts, work, |text| {
        let (estimated, _) = estimate::within_memory(Input::open(text)?, settings, memory)?;
        Ok(Lm::build_as(estimated.into_ngrams(), settings)?.write(to)?)
    })
}

/// Estimates a language model of word classes, learnt ones if there are no ready ones, and writes its binary form.
pub fn class_lm(
    texts: &[PathBuf],
    (learning, ready): (ClassSettings, Option<&Path>),
    (settings, memory): (&LmSettings, u64),
    work: &Path,
    to: &Path,
    say: impl FnMut(&str),
) -> Result<()> {
    with_joined(texts, work, |text| {
        let classes = match ready {
            Some(file) => Classes::read(&mut Lines::open(file)?)?,
            None => Classes::learn(Input::open(text)?, &learning, memory, say)?,
        };
        Ok(classes.model(Input::open(text)?, settings, memory)?.write(to)?)
    })
}

/// Estimates an n-gram model of the operations that generate the pairs of two texts and their links, and writes its binary form.
pub fn operations(
    [source, target, links]: [&Path; 3],
    skip_bad: bool,
    (settings, memory): (&LmSettings, u64),
    work: &Path,
    to: &Path,
) -> Result<()> {
    let text = work.join("operations");
    let mut out = Output::create(&text)?;
    let mut files = [Lines::open(source)?, Lines::open(target)?, Lines::open(links)?];
    let mut line = String::new();
    loop {
        let place = files[2].place();
        let [source, target, links] = &mut files;
        let (Some(source), Some(target), Some(links)) =
            (source.next_line()?, target.next_line()?, links.next_line()?)
        else {
            break;
        };
        let [source, target] = [source, target].map(|line| line.split_ascii_whitespace().collect::<Vec<_>>());
        let links = links::parse(links, &place)?;
        let links: Vec<(usize, usize)> =
            links.iter().map(|link| (link.src as usize, link.tgt as usize)).collect();
        let fits = |&(from, to): &(usize, usize)| from < source.len() && to < target.len();
        if let Some((from, to)) = links.iter().find(|link| !fits(link)) {
            if skip_bad {
                continue;
            }
            let (source, target) = (source.len(), target.len());
            return Err(Error::Invalid(format!(
                "{place}: the link {from}-{to} is beyond the pair, of {source} and {target} words"
            )));
        }
        operations_line(&source, &target, &links, &mut line);
        writeln!(out, "{line}").map_err(|e| out.error(e))?;
    }
    out.finish()?;
    lm(std::slice::from_ref(&text), settings, memory, work, to)?;
    std::fs::remove_file(&text).map_err(Error::writing(&text))
}

/// Works on several texts as one.
fn with_joined(texts: &[PathBuf], work: &Path, run: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    let [text] = texts else {
        let joined = work.join("text");
        join(texts, &joined)?;
        run(&joined)?;
        return std::fs::remove_file(&joined).map_err(Error::writing(&joined));
    };
    run(text)
}

/// What adding language models up found.
pub struct Interpolated {
    /// The weight of each model.
    pub weights: Vec<f64>,
    /// The perplexity of each alone on the development set.
    pub alone: Vec<f64>,
    /// That of the sum.
    pub perplexity: f64,
}

/// Estimates a language model of each text, adds them up with the weights that make the development set most probable, and writes
/// the binary form of the sum.
pub fn interpolated_lm(
    texts: &[PathBuf],
    dev: &Path,
    settings: &LmSettings,
    memory: u64,
    to: &Path,
) -> Result<Interpolated> {
    let estimated = texts.iter().map(|text| {
        let (estimated, _) = estimate::within_memory(Input::open(text)?, settings, memory)?;
        Ok(estimated.into_ngrams())
    });
    let Mixed { ngrams, weights, alone, perplexity } =
        mix(estimated.collect::<Result<_>>()?, Lines::open(dev)?)?;
    Lm::build_as(ngrams, settings)?.write(to)?;
    Ok(Interpolated { weights, alone, perplexity })
}

/// Estimates a language model of dependency trees and writes its binary form.
pub fn tree_lm(trees: &Path, order: usize, memory: u64, skip_bad: bool, to: &Path) -> Result<TreeCounts> {
    let mut counts = TreeCounts::default();
    let (ngrams, _) = from_trees(sound_trees(trees, skip_bad, &mut counts)?, order, memory)?;
    Lm::build(ngrams, LmLayout::default())?.write(to)?;
    Ok(counts)
}

/// The trees of a file that a language model is estimated from; `counts` is told what becomes of those that are none.
pub fn sound_trees<'c>(
    trees: &Path,
    skip_bad: bool,
    counts: &'c mut TreeCounts,
) -> Result<impl Iterator<Item = treeglot_lm::Result<(DepParse, DepTree)>> + use<'c>> {
    let format = Format::of_trees(trees, TreeKind::Dependency);
    let mut reader = format.open(trees, &ReadOptions::default())?;
    Ok(std::iter::from_fn(move || {
        loop {
            match reader.next_tree() {
                Ok(Some(AnyTree::Dep(parse))) if !parse.is_empty() => {
                    match counts.tree_of(&parse, skip_bad) {
                        Ok(Some(tree)) => return Some(Ok((parse, tree))),
                        Ok(None) => {}
                        Err(error) => return Some(Err(error.into())),
                    }
                }
                Ok(Some(_)) => {}
                Ok(None) => return None,
                Err(error) => return Some(Err(error.into())),
            }
        }
    }))
}

/// Writes the tag that each word of dependency trees has most often: its part of speech with its morphological features, or the
/// treebank's own tag where it has none.
pub fn tag_classes(trees: &Path, to: &Path) -> Result<()> {
    let mut reader = Format::of_trees(trees, TreeKind::Dependency).open(trees, &ReadOptions::default())?;
    let mut counts = TagCounts::default();
    while let Some(tree) = reader.next_tree()? {
        let AnyTree::Dep(parse) = tree else { continue };
        for word in parse.words() {
            let feats = parse.get(word, Field::Feats);
            match feats {
                "_" => counts.add(parse.form(word), parse.tag(word)),
                _ => counts.add(parse.form(word), &format!("{}|{feats}", parse.get(word, Field::Upos))),
            }
        }
    }
    let mut out = Output::create(to)?;
    counts.classes().write(&mut out).map_err(|e| out.error(e))?;
    Ok(out.finish()?)
}

fn join(texts: &[PathBuf], to: &Path) -> Result<()> {
    let mut out = Output::create(to)?;
    for text in texts {
        let mut lines = Lines::open(text)?;
        while let Some(line) = lines.next_line()? {
            writeln!(out, "{line}").map_err(|e| out.error(e))?;
        }
    }
    Ok(out.finish()?)
}

/// Lexical tables over links.
pub fn lexicon(files: &Files, skip_bad: bool, to: &Path) -> Result<()> {
    write_lexicon(&count_links(files, skip_bad)?, to)
}

/// Counts the links of pairs.
pub fn count_links(files: &Files, skip_bad: bool) -> Result<Lexicon> {
    let options = bitext::Options { skip_bad, ..bitext::Options::default() };
    let mut pairs = Pairs::open(files, Needs::default(), options)?;
    let mut lexicon = Lexicon::default();
    extract(&mut pairs, &MadeElsewhere, Some(&mut lexicon), |_| (), |()| Ok::<_, Error>(()))?;
    Ok(lexicon)
}

/// Writes both tables of counted links.
pub fn write_lexicon(lexicon: &Lexicon, to: &Path) -> Result<()> {
    for table in LexTable::BOTH {
        let mut out = Output::create(table.path(to))?;
        lexicon.write(table, &mut out).map_err(|e| out.error(e))?;
        out.finish()?;
    }
    Ok(())
}

/// Links the nodes of trees, by lexical tables. Gives how many trees were left out with `skip_bad`.
pub fn align_trees(
    trees: &[PathBuf; 2],
    lex: &Path,
    (settings, skip_bad): (TreeAlignSettings, bool),
    to: &Path,
) -> Result<TreeCounts> {
    link_nodes(trees, &Aligner::new(LexicalTables::open(lex)?, settings), skip_bad, to)
}

/// Links the nodes of trees. Gives how many trees were left out with `skip_bad`.
pub fn link_nodes(trees: &[PathBuf; 2], aligner: &Aligner, skip_bad: bool, to: &Path) -> Result<TreeCounts> {
    let open = |path: &PathBuf| Ok::<_, Error>(TreeFile::open(path, None)?.skip_bad(skip_bad));
    let mut files = [open(&trees[0])?, open(&trees[1])?];
    let mut out = Output::create(to)?;
    loop {
        let pairs = next_pairs(&mut files, TREE_PAIRS)?;
        if pairs.is_empty() {
            out.finish()?;
            let left_out = files.iter().map(|file| file.left_out() as u64).sum();
            return Ok(TreeCounts { left_out, ..TreeCounts::default() });
        }
        for links in aligner.align_all(&pairs) {
            writeln!(out, "{}", Line(&links)).map_err(|e| out.error(e))?;
        }
    }
}

/// Takes the words of trees apart as the words of their text are cut. Trees of other words stay as they are: who reads them says so.
pub fn split_trees(
    [text, cutter, trees]: [&Path; 3],
    kind: TreeKind,
    skip_bad: bool,
    to: &Path,
) -> Result<()> {
    let cutter = Cutter::open(cutter)?;
    let mut worker = cutter.worker();
    let format = Format::of_trees(trees, kind);
    let options = ReadOptions { brackets: ptb::BracketLayout::OnePerLine, ..ReadOptions::default() };
    let (mut lines, mut reader) = (Lines::open(text)?, format.open(trees, &options)?);
    let mut out = Output::create(to)?;
    while let Some(line) = lines.next_line()? {
        let tree = match reader.next_tree() {
            Ok(Some(tree)) => tree,
            Ok(None) => break,
            Err(_) if skip_bad => AnyTree::Failed,
            Err(error) => return Err(error.into()),
        };
        let (mut cut, mut counts) = (String::new(), Vec::new());
        worker.segment_with(line, &mut cut, |count| counts.push(count as usize));
        let mut pieces = cut.split(' ');
        let parts: Vec<Vec<&str>> =
            counts.iter().map(|&count| pieces.by_ref().take(count).collect()).collect();
        let written = match (tree, kind) {
            (AnyTree::Dep(parse), TreeKind::Dependency) if parse.len() == parts.len() => {
                conllu::write(&split_parse(&parse, &parts), &mut out)
            }
            (AnyTree::Dep(parse), TreeKind::Dependency) => conllu::write(&parse, &mut out),
            (AnyTree::Failed, TreeKind::Dependency) => {
                let mut none = DepParse::default();
                none.push_word("_", "_", None, "_");
                conllu::write(&none, &mut out)
            }
            (AnyTree::Con(tree), TreeKind::Constituency) => {
                let (tree, _) = continuous(&tree);
                let split = if tree.len() == parts.len() { split_con(&tree, &parts) } else { tree };
                ptb::write(&split, &mut out)
            }
            (AnyTree::Failed, TreeKind::Constituency) => ptb::write_failed(&mut out),
            _ => {
                return Err(Error::Invalid(format!(
                    "{}: compounds in trees of format {format} cannot be taken apart: convert them to {} (`treeglot tree convert`)",
                    trees.display(),
                    if kind == TreeKind::Dependency { "conllu" } else { "ptb" }
                )));
            }
        };
        written.map_err(|e| out.error(e))?;
    }
    Ok(out.finish()?)
}

/// Files that a model reads rules off, and what each rule counts.
pub struct RuleFiles<'m> {
    /// The files.
    pub files: Files,
    /// The model.
    pub model: &'m dyn Model,
    /// The model's name and options, for another process.
    pub name: &'m str,
    /// See `name`.
    pub options: serde_json::Value,
    /// What a rule counts.
    pub weight: f64,
}

/// What the rule stage made.
#[derive(Debug, Clone, Copy)]
pub struct Ruled {
    /// How many rule instances were read off.
    pub instances: u64,
    /// What was written.
    pub written: Written,
    /// What became of trees that are none or do not fit.
    pub trees: TreeCounts,
    /// Pairs left out for links that do not fit.
    pub links: u64,
}

/// Extracts rules from training pairs, counts those of all sets together, scores them and writes their table.
pub fn rules(
    sets: &[RuleFiles<'_>],
    lex: &Path,
    (name, score): (&str, &ScoreSettings),
    (memory, skip_bad): (u64, bool),
    work: &Path,
    to: &Path,
) -> Result<Ruled> {
    let (mut trees, mut links) = (TreeCounts::default(), 0);
    let scratch = Scratch::new(Some(work));
    let mut counter = Counter::new(memory / 2, &scratch);
    let mut instances = 0;
    for (number, set) in sets.iter().enumerate() {
        counter.set_origin(score.origins.then_some(number as u8));
        let summary = count_rules(set, skip_bad, &mut counter)?;
        instances += summary.instances;
        trees.merge(TreeCounts { mended: summary.mended, left_out: summary.bad.trees });
        links += summary.bad.links;
    }
    let corpus = sets.first().map(|set| [set.files.source.clone(), set.files.target.clone()]);
    let inputs = ScoreInputs { model: name.to_string(), lex: Some(lex.to_path_buf()), corpus, memory };
    let written = write_table(counter.finish()?, score, &inputs, &scratch, to)?;
    Ok(Ruled { instances, written, trees, links })
}

/// Extracts and counts the rules of a set.
pub fn count_rules(set: &RuleFiles<'_>, skip_bad: bool, counter: &mut Counter) -> Result<Summary> {
    let options = bitext::Options { skip_bad, ..bitext::Options::default() };
    let mut pairs = Pairs::open(&set.files, set.model.needs(), options)?;
    let mut waiting: Vec<Batch> = Vec::new();
    let mut take = |batch| -> Result<()> {
        waiting.push(batch);
        if waiting.len() >= BATCHES {
            counter.add(&waiting, set.weight)?;
            waiting.clear();
        }
        Ok(())
    };
    let summary = extract(&mut pairs, set.model, None, |batch| batch, &mut take)?;
    counter.add(&waiting, set.weight)?;
    Ok(summary)
}

/// Studies how many pairs their own rules can build again, and writes what it finds.
pub fn coverage(study: &Study, files: &Files, skip_bad: bool, to: &Path) -> Result<TreeCounts> {
    let options = bitext::Options { skip_bad, ..bitext::Options::default() };
    let mut pairs = Pairs::open(files, study.needs(), options)?;
    let (found, checked) = study.run(&mut pairs, |_| ())?;
    let mut out = Output::create(to)?;
    serde_json::to_writer(&mut out, &found).map_err(|e| out.error(e.into()))?;
    out.finish()?;
    Ok(TreeCounts { mended: checked.mended, left_out: checked.bad.trees })
}
