//! `treeglot parse project`.

use crate::args::{OutputArgs, Quiet, SkipBad, check_inputs, count};
use crate::errors::wrong;
use anyhow::{Context, Result, bail};
use std::io::Write;
use std::path::{Path, PathBuf};
use treeglot_align::links;
use treeglot_parse::project;
use treeglot_text::bitext::{Bitext, Row};
use treeglot_tree::format::{Format, conllu};
use treeglot_tree::{DepParse, Note, TreeKind};

const HELP: &str = "\
The trees of --src-dep are carried over the links to the target words (Hwa et al. 2005): of several source words linked to one \
target word the topmost counts, several target words of one source word hang from the last, dependents of a word without link \
go to the next word above it, and target words without links hang as `dep` from the nearest. UPOS and relations come along. \
A comment `# projected = 0.83` says how many words of a sentence have a head from the source; --least-share leaves out poor \
trees, which makes a better treebank, but one that is no longer in step with the text.

Examples:
  treeglot parse project --src-dep train.es.conllu --src train.es --tgt train.gn --links links > train.gn.conllu
  treeglot parse project --src-dep train.es.conllu --src train.es --tgt train.gn --links links --least-share 0.8 -o bank.conllu
  treeglot parse train --method transition --treebank bank.conllu -o gn.parser";

/// The arguments of `treeglot parse project`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// Dependency trees of the source sentences
    #[arg(long, value_name = "FILE")]
    src_dep: PathBuf,

    /// Source sentences, tokenised, one a line
    #[arg(long, value_name = "FILE")]
    src: PathBuf,

    /// Target sentences
    #[arg(long, value_name = "FILE")]
    tgt: PathBuf,

    /// Links between source and target words
    #[arg(long, value_name = "FILE")]
    links: PathBuf,

    /// Leave out trees of which a smaller share of words has a head from the source
    #[arg(long, value_name = "SHARE", default_value = "0")]
    least_share: f32,

    #[command(flatten)]
    bad: SkipBad,

    #[command(flatten)]
    out: OutputArgs,

    #[command(flatten)]
    notes: Quiet,
}

/// What became of the pairs.
#[derive(Default)]
struct Counts {
    pairs: usize,
    words: usize,
    projected: f64,
    left_out: usize,
    bad: usize,
}

impl Args {
    pub fn run(self) -> Result<()> {
        if !(0.0..=1.0).contains(&self.least_share) {
            wrong!("--least-share is a share from 0 to 1");
        }
        let inputs = [&self.src_dep, &self.src, &self.tgt, &self.links];
        check_inputs(inputs.map(PathBuf::as_path))?;
        let mut trees =
            Format::of_trees(&self.src_dep, TreeKind::Dependency).open_dependencies(&self.src_dep)?;
        let mut pairs = Bitext::open([&self.src, &self.tgt, &self.links], self.bad.options())?;
        let mut output = self.out.create()?;
        let mut counts = Counts::default();
        loop {
            let lines: Option<[String; 3]> = match pairs.next_row()? {
                None => break,
                Some(Row::Texts(lines)) => {
                    Some([lines[0].to_string(), lines[1].to_string(), lines[2].to_string()])
                }
                Some(Row::Bad(error)) if !self.bad.skip_bad => return Err(error.into()),
                Some(Row::Bad(_)) => None,
            };
            counts.pairs += 1;
            let Some(source) = trees.next_tree()? else {
                bail!("{}: there is no tree for {}", self.src_dep.display(), pairs.place(0));
            };
            let place = pairs.place(2);
            let projected = match &lines {
                Some(lines) => self.project(&source, lines, &place),
                None => Err(anyhow::anyhow!("a line cannot be read")),
            };
            match projected {
                Ok(parse) => self.write(parse, &mut counts, &mut output)?,
                Err(error) if !self.bad.skip_bad => return Err(error),
                Err(_) => {
                    counts.bad += 1;
                    output.write_all(b"# no parse\n\n").map_err(|e| output.error(e))?;
                }
            }
        }
        if trees.next_tree()?.is_some() {
            bail!("{}: there are more trees than pairs of sentences", self.src_dep.display());
        }
        output.finish()?;
        self.report(&counts);
        Ok(())
    }

    /// The projected tree of a pair, with the share of words that have a projected head.
    fn project(
        &self,
        source: &DepParse,
        [src, tgt, linked]: &[String; 3],
        place: &treeglot_text::Place,
    ) -> Result<(DepParse, f32)> {
        let words = src.split_whitespace().count();
        let at = || format!("{}:{}", Path::new(&self.src_dep).display(), source.line());
        if words != source.len() {
            bail!("{}: the tree has {} words, but its sentence has {words}", at(), source.len());
        }
        let target: Vec<&str> = tgt.split_whitespace().collect();
        let links = links::parse(linked, place)?;
        if let Some(link) = links.iter().find(|l| l.src as usize >= words || l.tgt as usize >= target.len()) {
            bail!("{place}: link `{link}` is outside sentences of {words} and {} words", target.len());
        }
        if source.is_empty() || target.is_empty() {
            return Ok((DepParse::new(0), 0.0));
        }
        let links: Vec<(usize, usize)> = links.iter().map(|l| (l.src as usize, l.tgt as usize)).collect();
        let projected = project(source, &target, &links).with_context(at)?;
        Ok((projected.parse, projected.share))
    }

    fn write(
        &self,
        (parse, share): (DepParse, f32),
        counts: &mut Counts,
        output: &mut treeglot_text::Output,
    ) -> Result<()> {
        if share < self.least_share {
            counts.left_out += 1;
            return Ok(());
        }
        counts.words += parse.len();
        counts.projected += f64::from(share) * parse.len() as f64;
        let mut whole = DepParse::new(0);
        whole.push_note(Note::Comment, &format!("# projected = {share:.2}"));
        for w in parse.words() {
            whole.push(parse.columns(w), parse.raw_head(w));
        }
        conllu::write(&whole, output).map_err(|e| output.error(e))?;
        Ok(())
    }

    fn report(&self, counts: &Counts) {
        let share = 100.0 * counts.projected / counts.words.max(1) as f64;
        let mut notes =
            vec![count(counts.pairs, "pair"), format!("{share:.1}% of words with a projected head")];
        if counts.left_out > 0 {
            notes.push(format!("{} left out, with too small a share", counts.left_out));
        }
        if counts.bad > 0 {
            notes.push(format!("{} that cannot be used", counts.bad));
        }
        self.notes.note(&notes.join(", "));
    }
}
