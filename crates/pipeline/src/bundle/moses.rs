//! A system of Moses, as its `moses.ini` describes it: feature lines with the files of tables and language models, weights,
//! and settings of the search.

use super::components::{Components, LmFile, TableFile};
use super::{ModelOptions, SearchSettings, bad};
use crate::error::Result;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use treeglot_decode::{LmRole, Weights};
use treeglot_models::TableRole;
use treeglot_models::registry::maker;
use treeglot_text::{Lines, Place, one_line};

/// Begins of the lines that are read of a table to see which kind it is.
const LOOKED_AT: usize = 1000;

/// A system of Moses: what a bundle of it is made of.
#[derive(Debug, Clone, PartialEq)]
pub struct MosesSystem {
    /// Its files and settings.
    pub components: Components,
    /// Its weights.
    pub weights: Weights,
}

/// A line of `[feature]`.
#[derive(Debug, Clone)]
struct FeatureLine {
    place: Place,
    kind: String,
    values: BTreeMap<String, String>,
}

/// What a table of Moses holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rules {
    Phrases,
    Hierarchical,
    Glue,
}

/// Reads a `moses.ini`. Paths in it are relative to the folder of the file, where they are not to be found from here.
pub fn read_moses(ini: &Path) -> Result<MosesSystem> {
    let mut sections: BTreeMap<String, Vec<(Place, String)>> = BTreeMap::new();
    let mut section = String::new();
    let mut lines = Lines::open(ini)?;
    while let Some(line) = lines.next_line()? {
        let line = line.split('#').next().unwrap_or_default().trim();
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            section = name.to_string();
        } else if !line.is_empty() {
            let line = line.to_string();
            sections.entry(section.clone()).or_default().push((lines.place(), line));
        }
    }
    if !sections.contains_key("feature") {
        return Err(bad(
            ini,
            "there is no `[feature]` section: is this a moses.ini of Moses 2 or later?".into(),
        ));
    }
    System { ini, sections }.read()
}

struct System<'a> {
    ini: &'a Path,
    sections: BTreeMap<String, Vec<(Place, String)>>,
}

impl System<'_> {
    fn read(&self) -> Result<MosesSystem> {
        let (mut tables, mut lms, mut reordering, mut kinds) = (Vec::new(), Vec::new(), None, Vec::new());
        for line in self.feature_lines() {
            match line.kind.as_str() {
                "UnknownWordPenalty" | "WordPenalty" | "PhrasePenalty" | "Distortion" => {}
                "PhraseDictionaryMemory" | "PhraseDictionaryScope3" | "RuleTable" => {
                    let path = self.path(&line)?;
                    kinds.push(rules_of(&path)?);
                    tables.push(path);
                }
                "KENLM" | "SRILM" | "IRSTLM" | "NGRAM" | "LM" => lms.push(self.path(&line)?),
                "LexicalReordering" => {
                    let kind = line.values.get("type").map(String::as_str).unwrap_or_default();
                    if !kind.contains("msd-bidirectional-fe") {
                        return Err(
                            self.unfit(&line, "only reordering of the type msd-bidirectional-fe is read")
                        );
                    }
                    reordering = Some(self.path(&line)?);
                }
                kind if kind.starts_with("PhraseDictionary") || kind == "ProbingPT" => {
                    return Err(self.unfit(&line, "packed tables are not read: give the text they were made from, as PhraseDictionaryMemory"));
                }
                _ => {
                    return Err(
                        self.unfit(&line, "there is no such feature here: leave the line and its weight out")
                    );
                }
            }
        }
        self.put_together(tables, &kinds, lms, reordering)
    }

    fn put_together(
        &self,
        tables: Vec<PathBuf>,
        kinds: &[Rules],
        lms: Vec<PathBuf>,
        reordering: Option<PathBuf>,
    ) -> Result<MosesSystem> {
        let chart = kinds.iter().any(|&kind| kind != Rules::Phrases);
        let own = if chart { TableRole::Hierarchical } else { TableRole::Phrases };
        let kept =
            tables.into_iter().zip(kinds).filter(|(_, kind)| **kind != Rules::Glue).map(|(path, _)| path);
        let mut tables: Vec<TableFile> =
            kept.map(|path| TableFile { role: own, path, reordering: None }).collect();
        match tables.first_mut() {
            Some(first) => (first.role, first.reordering) = (TableRole::Model, reordering),
            None => return Err(bad(self.ini, "there is no table of rules among the features".into())),
        }
        let model = maker(own).map(|model| model.name).unwrap_or_default();
        let components = Components {
            model: model.to_string(),
            options: ModelOptions::new(),
            search: self.search(chart)?,
            languages: [None, None],
            text: None,
            tables,
            lms: lms.into_iter().map(|path| LmFile { role: LmRole::Ngram, path }).collect(),
            joint: None,
            lexical: None,
            operations: None,
            sparse: None,
            affixes: None,
            subwords: [None, None],
            parsers: Vec::new(),
        };
        Ok(MosesSystem { components, weights: self.weights()? })
    }

    fn feature_lines(&self) -> Vec<FeatureLine> {
        let lines = self.sections.get("feature").into_iter().flatten();
        let parsed = lines.map(|(place, line)| {
            let mut words = line.split_whitespace();
            let kind = words.next().unwrap_or_default().to_string();
            let pairs = words.filter_map(|word| word.split_once('='));
            let values = pairs.map(|(name, value)| (name.to_string(), value.to_string())).collect();
            FeatureLine { place: place.clone(), kind, values }
        });
        parsed.collect()
    }

    /// The file of a feature, packed or not.
    fn path(&self, line: &FeatureLine) -> Result<PathBuf> {
        let Some(given) = line.values.get("path") else {
            return Err(self.unfit(line, "it needs `path=FILE`"));
        };
        let beside = self.ini.parent().map(|folder| folder.join(given)).unwrap_or_default();
        let found =
            [PathBuf::from(given), PathBuf::from(format!("{given}.gz")), beside.clone(), with_gz(&beside)];
        found
            .into_iter()
            .find(|path| path.is_file())
            .ok_or_else(|| self.unfit(line, &format!("{given}: there is no such file")))
    }

    fn unfit(&self, line: &FeatureLine, why: &str) -> crate::Error {
        let FeatureLine { place, kind, .. } = line;
        bad(self.ini, one_line(&format!("line {}: {kind}: {why}", place.line)).into_owned())
    }

    fn weights(&self) -> Result<Weights> {
        let mut text = String::new();
        for (_, line) in self.sections.get("weight").into_iter().flatten() {
            text.push_str(line);
            text.push('\n');
        }
        Ok(Weights::parse(&self.ini.display().to_string(), &text)?)
    }

    /// The settings of the search, under Moses' names.
    fn search(&self, chart: bool) -> Result<SearchSettings> {
        let mut search = SearchSettings {
            pop_limit: self.number("cube-pruning-pop-limit")?,
            table_limit: self.number("ttable-limit")?,
            ..SearchSettings::default()
        };
        if chart {
            search.max_span = self.number("max-chart-span")?;
        } else {
            search.beam = self.number("stack")?;
            search.distortion_limit = self.number("distortion-limit")?;
        }
        Ok(search)
    }

    /// The first number of a section, if it is there.
    fn number<T: std::str::FromStr>(&self, section: &str) -> Result<Option<T>> {
        let Some((place, line)) = self.sections.get(section).and_then(|lines| lines.first()) else {
            return Ok(None);
        };
        let number = line.split_whitespace().next().and_then(|word| word.parse().ok());
        number.map(Some).ok_or_else(|| {
            bad(
                self.ini,
                one_line(&format!("line {}: [{section}] needs a number, not `{line}`", place.line))
                    .into_owned(),
            )
        })
    }
}

fn with_gz(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".gz");
    name.into()
}

/// What a text table holds, by its first rules: those of a glue grammar make an `S`, hierarchical ones end with the label of
/// what they make.
fn rules_of(path: &Path) -> Result<Rules> {
    let mut lines = Lines::open(path)?;
    let mut found = Rules::Phrases;
    for _ in 0..LOOKED_AT {
        let Some(line) = lines.next_line()? else { break };
        let mut fields = line.split(" ||| ");
        let (source, target) =
            (fields.next().unwrap_or_default().trim(), fields.next().unwrap_or_default().trim());
        if target.ends_with("[S]") {
            return Ok(Rules::Glue);
        }
        if source.ends_with("[X]") {
            found = Rules::Hierarchical;
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(ini: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("rules", "das [X] ||| that [X] ||| 0.5 ||| 0-0 ||| 1 1 1\n");
        write(
            "glue",
            "<s> [X] ||| <s> [S] ||| 1 ||| 0-0 ||| 0\n[X][S] [X][X] [X] ||| [X][S] [X][X] [S] ||| 2.718 ||| 0-0 1-1 ||| 0\n",
        );
        write("phrases", "das ||| that ||| 0.5 ||| 0-0 ||| 1 1 1\n");
        write("lm", "\\data\\\nngram 1=3\n\n\\1-grams:\n-1\t<unk>\n-1\t<s>\n-1\t</s>\n\n\\end\\\n");
        write("moses.ini", ini);
        folder
    }

    fn complaint(ini: &str) -> String {
        let folder = folder(ini);
        read_moses(&folder.path().join("moses.ini")).unwrap_err().to_string()
    }

    #[test]
    fn a_chart_system_is_read_whole_and_its_glue_grammar_is_known() {
        let folder = folder(
            "# made by hand\n[mapping]\n0 T 0\n1 T 1\n[cube-pruning-pop-limit]\n500\n[max-chart-span]\n20\n1000\n\
             [feature]\nUnknownWordPenalty\nWordPenalty\nPhraseDictionaryMemory name=TranslationModel0 num-features=1 path=rules\n\
             PhraseDictionaryMemory name=TranslationModel1 num-features=1 path=glue tuneable=true\nKENLM name=LM0 path=lm order=1\n\
             [weight]\nLM0= 0.5\nWordPenalty0= -1 \nTranslationModel0= 0.2\nTranslationModel1= 0.1\nUnknownWordPenalty0= 1\n",
        );
        let system = read_moses(&folder.path().join("moses.ini")).unwrap();
        let Components { model, tables, lms, search, .. } = &system.components;
        assert_eq!((model.as_str(), tables.len(), lms.len()), ("hiero", 1, 1));
        assert_eq!((search.pop_limit, search.max_span), (Some(500), Some(20)));
        assert_eq!(system.weights.get("TranslationModel1"), Some(&[0.1][..]));
        assert_eq!(tables[0].role, TableRole::Model);
    }

    #[test]
    fn errors_name_the_file_and_its_line() {
        let table = "[feature]\nPhraseDictionaryMemory name=TranslationModel0 path=nowhere\n";
        assert!(
            complaint(table)
                .contains("moses.ini: line 2: PhraseDictionaryMemory: nowhere: there is no such file")
        );
        let packed = complaint("[feature]\nPhraseDictionaryCompact name=T path=phrases\n");
        assert!(packed.contains("line 2: PhraseDictionaryCompact: packed tables are not read"), "{packed}");
        assert!(
            complaint("[feature]\nOpSequenceModel path=phrases\n").contains("there is no such feature here")
        );
        assert!(complaint("[feature]\nWordPenalty\n").contains("no table of rules"));
        assert!(complaint("[weight]\nLM0= 1\n").contains("no `[feature]` section"));
        let limit = "[distortion-limit]\nsix\n[feature]\nPhraseDictionaryMemory path=phrases\n";
        assert!(complaint(limit).contains("line 2: [distortion-limit] needs a number, not `six`"));
    }
}
