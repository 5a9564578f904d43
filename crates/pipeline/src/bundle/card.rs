//! The card of a bundle: what it was trained on and with which settings, how it scored, and when it was made. Written for
//! people; nothing reads it to translate.

use super::bad;
use crate::error::Result;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// What people should know of a bundle.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct Card {
    /// The day it was made, as `2026-11-15`.
    pub made: String,
    /// The version of treeglot that made it.
    pub treeglot: String,
    /// What it was trained on: pairs, words, and what was left out.
    pub training: BTreeMap<String, String>,
    /// How tuning ended: the score on the development set and the rounds it took; empty if nothing was tuned.
    pub tuning: BTreeMap<String, String>,
    /// Its scores on the test sets of the recipe, or on pairs that were held out; empty if there were none.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub test: BTreeMap<String, String>,
    /// The settings of the recipe that concern it.
    pub settings: toml::Table,
}

impl Card {
    /// Reads a card.
    pub fn read(path: &Path) -> Result<Self> {
        let text = crate::small::read(path)?;
        toml::from_str(&text).map_err(|e| bad(path, crate::small::message(&text, &e)))
    }

    /// Writes it.
    pub fn write(&self, path: &Path) -> Result<()> {
        let text = toml::to_string(self).map_err(|e| bad(path, e.to_string()))?;
        super::write_text(path, &text)
    }
}

/// The day it is, as `2026-11-15`, in universal time.
pub fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    date(seconds / 86_400)
}

/// A day by its number since 1970-01-01. Years begin in March here, so that the leap day is a year's last.
fn date(day: u64) -> String {
    const DAYS_OF_400_YEARS: u64 = 146_097;
    let day = day + 719_468;
    let (era, day) = (day / DAYS_OF_400_YEARS, day % DAYS_OF_400_YEARS);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let of_month = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!("{:04}-{month:02}-{of_month:02}", era * 400 + year + next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        for (day, expected) in [
            (0, "1970-01-01"),
            (58, "1970-02-28"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (11_017, "2000-03-01"),
            (20_772, "2026-11-15"),
            (47_540, "2100-02-28"),
            (47_541, "2100-03-01"),
        ] {
            assert_eq!(date(day), expected);
        }
    }
}
