//! Grammatical features that both languages share.

/// Grammatical gender, and the sex of people with a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Gender {
    Masc,
    Fem,
    Neut,
}

impl Gender {
    /// The value in Universal Dependencies.
    pub fn ud(self) -> &'static str {
        match self {
            Self::Masc => "Masc",
            Self::Fem => "Fem",
            Self::Neut => "Neut",
        }
    }
}

/// The four German cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Case {
    Nom,
    Acc,
    Dat,
    Gen,
}

impl Case {
    /// The value in Universal Dependencies.
    pub fn ud(self) -> &'static str {
        match self {
            Self::Nom => "Nom",
            Self::Acc => "Acc",
            Self::Dat => "Dat",
            Self::Gen => "Gen",
        }
    }
}

/// What a finite verb agrees with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Agreement {
    /// 1, 2 or 3.
    pub person: u8,
    pub plural: bool,
}

impl Agreement {
    /// The agreement of most subjects: third person singular.
    pub const THIRD: Self = Self { person: 3, plural: false };
}

/// The number as Universal Dependencies has it.
pub(crate) fn number_ud(plural: bool) -> &'static str {
    if plural { "Plur" } else { "Sing" }
}

/// Who a personal pronoun or possessive stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Person {
    I,
    /// `du`.
    Thou,
    He,
    She,
    /// A thing named by a noun of this gender: `er`, `sie` or `es`, but always `it`.
    Thing(Gender),
    We,
    /// `ihr`.
    YouAll,
    They,
    /// The polite `Sie`.
    Formal,
}

impl Person {
    /// What a German verb agrees with.
    pub fn de_agreement(self) -> Agreement {
        let (person, plural) = match self {
            Self::I => (1, false),
            Self::Thou => (2, false),
            Self::He | Self::She | Self::Thing(_) => (3, false),
            Self::We => (1, true),
            Self::YouAll => (2, true),
            Self::They | Self::Formal => (3, true),
        };
        Agreement { person, plural }
    }

    /// What an English verb agrees with.
    pub fn en_agreement(self) -> Agreement {
        match self {
            Self::Thou | Self::YouAll | Self::Formal => Agreement { person: 2, plural: true },
            other => other.de_agreement(),
        }
    }
}
