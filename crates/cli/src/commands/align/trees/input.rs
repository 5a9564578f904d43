//! The two treebanks that all commands about pairs of trees read.

use crate::args::{Quiet, SkipBad, check_distinct, count, one_of};
use crate::errors::wrong;
use anyhow::Result;
use clap::builder::TypedValueParser;
use std::path::PathBuf;
use treeglot_align::trees::{NumberedTree, TreeFile, TreePair, next_pairs};
use treeglot_tree::format::tiger_align::{Alignment, SentencePair, TreebankRef};
use treeglot_tree::format::tigerxml::Treebank;
use treeglot_tree::format::{FORMATS, Format, tigerxml};

/// Two files of trees.
#[derive(clap::Args)]
pub struct TreeArgs {
    /// Trees of the source sentences
    #[arg(value_name = "SRCTREES")]
    pub src: PathBuf,

    /// Trees of the target sentences
    #[arg(value_name = "TGTTREES")]
    pub tgt: PathBuf,

    /// The format of the source trees [default: by the file's name; `.xml` is TIGER-XML]
    #[arg(long, value_name = "FMT", value_parser = format_parser())]
    pub src_format: Option<Format>,

    /// The format of the target trees [default: by the file's name]
    #[arg(long, value_name = "FMT", value_parser = format_parser())]
    pub tgt_format: Option<Format>,
}

/// Parses the name of a tree format.
pub fn format_parser() -> impl TypedValueParser<Value = Format> {
    one_of(FORMATS.iter().map(|format| format.name()))
}

impl TreeArgs {
    /// Opens both files, to be read in step.
    pub fn open(&self, skip_bad: bool) -> Result<[TreeFile; 2]> {
        check_distinct(&self.src, &self.tgt)?;
        let open = |path, format| Ok::<_, anyhow::Error>(TreeFile::open(path, format)?.skip_bad(skip_bad));
        Ok([open(&self.src, self.src_format)?, open(&self.tgt, self.tgt_format)?])
    }

    /// Whether both files are TIGER-XML treebanks, by what is said of them or by their names.
    pub fn are_treebanks(&self) -> bool {
        let files = [(&self.src, self.src_format), (&self.tgt, self.tgt_format)];
        files.iter().all(|(path, format)| format.or_else(|| Format::of_file(path)) == Some(tigerxml::FORMAT))
    }

    /// An alignment without links between the two files.
    pub fn new_alignment(&self) -> Alignment {
        let treebank = |id: &str, path: &PathBuf| TreebankRef {
            id: id.into(),
            filename: path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
            ..TreebankRef::default()
        };
        Alignment::new([treebank("src", &self.src), treebank("tgt", &self.tgt)])
    }

    /// Loads both files as TIGER-XML treebanks, whose sentences are paired by an alignment.
    pub fn treebanks(&self) -> Result<[Treebank; 2]> {
        if [self.src_format, self.tgt_format].iter().flatten().any(|&format| format != tigerxml::FORMAT) {
            wrong!("an alignment pairs the sentences of two TIGER-XML treebanks: give those");
        }
        Ok([Treebank::open(&self.src)?, Treebank::open(&self.tgt)?])
    }

    /// Hands on all pairs, in chunks: those of the alignment if one is given, else the trees in step. Trees that cannot be
    /// used are counted with `bad`, and the count told.
    pub fn for_each_chunk(
        &self,
        alignment: Option<&PathBuf>,
        bad: &SkipBad,
        notes: &Quiet,
        mut take: impl FnMut(Vec<TreePair>) -> Result<()>,
    ) -> Result<()> {
        const CHUNK: usize = 1024;
        if let Some(path) = alignment {
            let (alignment, treebanks) = (Alignment::open(path)?, self.treebanks()?);
            let pairs = alignment.pairs([&treebanks[0], &treebanks[1]])?;
            return pairs.chunks(CHUNK).try_for_each(|chunk| take(chunk.iter().map(sides).collect()));
        }
        let mut files = self.open(bad.skip_bad)?;
        loop {
            let chunk = next_pairs(&mut files, CHUNK)?;
            if chunk.is_empty() {
                break;
            }
            take(chunk)?;
        }
        for file in files.iter().filter(|file| file.left_out() > 0) {
            notes.note(&format!("{}: {} left out", file.name(), count(file.left_out(), "tree")));
        }
        Ok(())
    }
}

/// The sides of a pair of sentences.
pub fn sides(pair: &SentencePair<'_>) -> TreePair {
    pair.sentences.map(NumberedTree::of_tiger)
}
