//! The formats by the names the command line uses.

use std::fmt;
use std::str::FromStr;

/// A tree format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Universal Dependencies.
    Conllu,
    /// The shared tasks of 2006 and 2007.
    Conllx,
    /// Penn Treebank brackets.
    Ptb,
    /// TIGER-XML.
    TigerXml,
    /// Moses' nested trees.
    MosesXml,
    /// Dependency trees as brackets (Hearne 2008).
    DepBracket,
    /// Enju's XML.
    EnjuXml,
    /// Enju's stand-off format.
    EnjuSo,
    /// CCG derivations.
    CcgAuto,
    /// CCG word-word dependencies.
    CcgParg,
    /// Egret's packed forests.
    Egret,
}

impl Format {
    /// All formats, in the order in which help texts list them.
    pub const ALL: [Self; 11] = [
        Self::Conllu,
        Self::Conllx,
        Self::Ptb,
        Self::TigerXml,
        Self::MosesXml,
        Self::DepBracket,
        Self::EnjuXml,
        Self::EnjuSo,
        Self::CcgAuto,
        Self::CcgParg,
        Self::Egret,
    ];

    /// The format's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Conllu => "conllu",
            Self::Conllx => "conllx",
            Self::Ptb => "ptb",
            Self::TigerXml => "tigerxml",
            Self::MosesXml => "mosesxml",
            Self::DepBracket => "depbracket",
            Self::EnjuXml => "enju-xml",
            Self::EnjuSo => "enju-so",
            Self::CcgAuto => "ccg-auto",
            Self::CcgParg => "ccg-parg",
            Self::Egret => "egret",
        }
    }

    /// The format a file's name suggests, packed or not.
    pub fn of_file(name: &str) -> Option<Self> {
        let name = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(name);
        match name.rsplit_once('.')?.1 {
            "conllu" => Some(Self::Conllu),
            "conll" | "conllx" => Some(Self::Conllx),
            "ptb" | "mrg" => Some(Self::Ptb),
            "so" => Some(Self::EnjuSo),
            "auto" => Some(Self::CcgAuto),
            "parg" => Some(Self::CcgParg),
            "forest" => Some(Self::Egret),
            _ => None,
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no format has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no tree format `{0}`; the formats are {list}", list = Format::ALL.map(Format::name).join(", "))]
pub struct UnknownFormat(String);

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        Self::ALL.into_iter().find(|f| f.name() == name).ok_or_else(|| UnknownFormat(name.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_found_by_its_name() {
        for format in Format::ALL {
            assert_eq!(format.name().parse(), Ok(format));
        }
        let error = "conll".parse::<Format>().unwrap_err().to_string();
        assert!(
            error.starts_with("there is no tree format `conll`; the formats are conllu, conllx, "),
            "{error}"
        );
    }

    #[test]
    fn a_packed_files_name_suggests_its_format() {
        assert_eq!(Format::of_file("a/train.de.conllu.gz"), Some(Format::Conllu));
        assert_eq!(Format::of_file("wsj.mrg"), Some(Format::Ptb));
        assert_eq!(Format::of_file("corpus.xml"), None);
    }
}
