//! What can be set about language models.

use crate::error::{Error, Result};
use crate::estimate::{Discount, MAX_ORDER};
use crate::layout::LmLayout;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// How a model is estimated and stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::Args), group(id = "lm-settings"))]
pub struct Settings {
    /// The length of the longest n-grams
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = Settings::default().order))]
    pub order: usize,

    /// Leave out n-grams seen this often or less, one number an order; the last holds for all longer ones
    #[cfg_attr(feature = "clap", arg(long, value_name = "LIST", value_delimiter = ','))]
    pub prune: Vec<u32>,

    /// For tiny or artificial text: the discounts (counts 1, 2, 3+) for orders that give none of their own; `none` refuses such
    /// text
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            value_name = "D1,D2,D3",
            num_args = 0..=1,
            require_equals = true,
            default_missing_value = "0.5,1,1.5",
            default_value_t
        )
    )]
    pub discount_fallback: Fallback,

    /// Skip the words `<s>`, `</s>` and `<unk>` in the text instead of refusing it
    #[cfg_attr(feature = "clap", arg(long))]
    pub skip_symbols: bool,

    /// How the binary form is laid out
    #[cfg_attr(feature = "clap", arg(long, value_enum, default_value_t))]
    pub layout: LmLayout,

    /// Code weights with this many bits (2 to 16): a smaller trie, a little less exact
    #[cfg_attr(feature = "clap", arg(long, value_name = "BITS"))]
    pub quantize: Option<u32>,

    /// The order of the language model of dependency trees, where a translation model has one: 2 to 7
    #[cfg_attr(feature = "clap", arg(skip = Settings::default().tree_order))]
    pub tree_order: usize,

    /// Where there is more text beside the training pairs: a model of each text, added up with the weights that make the
    /// development set most probable, instead of one model of all texts
    #[cfg_attr(feature = "clap", arg(skip))]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub interpolate: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            order: 5,
            prune: Vec::new(),
            discount_fallback: Fallback::default(),
            skip_symbols: false,
            layout: LmLayout::default(),
            quantize: None,
            tree_order: 3,
            interpolate: false,
        }
    }
}

impl Settings {
    /// An unpruned model of the given order.
    pub fn of_order(order: usize) -> Self {
        Self { order, ..Self::default() }
    }

    /// Whether the numbers mean something and fit each other.
    pub fn check(&self) -> Result<()> {
        if self.order == 0 || self.order > MAX_ORDER {
            return Err(Error::Setting(format!("`order` must be 1 to {MAX_ORDER}, not {}", self.order)));
        }
        if self.prune.len() > self.order {
            let (given, order) = (self.prune.len(), self.order);
            return Err(Error::Setting(format!(
                "`prune` has {given} thresholds for a model of order {order}: give at most one an order"
            )));
        }
        if !self.prune.is_sorted() {
            let why = "the thresholds of `prune` must not decrease: a kept n-gram needs those it begins and ends with";
            return Err(Error::Setting(why.to_string()));
        }
        if let Some(bits) = self.quantize.filter(|bits| !(2..=16).contains(bits)) {
            return Err(Error::Setting(format!("`quantize` must be 2 to 16 bits, not {bits}")));
        }
        Ok(())
    }

    /// The highest count that is left out at a level.
    pub(crate) fn threshold(&self, depth: usize) -> u32 {
        self.prune.get(depth).or(self.prune.last()).copied().unwrap_or(0)
    }

    pub(crate) fn prunes(&self) -> bool {
        self.prune.iter().any(|&threshold| threshold > 0)
    }
}

/// The discounts to use for orders whose own cannot be computed, as in tiny texts; without any this is an error. The default
/// is that of `lmplz --discount_fallback`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Fallback(pub Option<Discount>);

impl Default for Fallback {
    fn default() -> Self {
        Self(Some([0.5, 1.0, 1.5]))
    }
}

impl fmt::Display for Fallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some([one, two, more]) => write!(f, "{one},{two},{more}"),
            None => f.write_str("none"),
        }
    }
}

impl From<Fallback> for String {
    fn from(fallback: Fallback) -> Self {
        fallback.to_string()
    }
}

impl TryFrom<String> for Fallback {
    type Error = String;

    fn try_from(text: String) -> std::result::Result<Self, String> {
        text.parse()
    }
}

impl FromStr for Fallback {
    type Err = String;

    /// Up to three numbers; the last one holds for higher counts.
    fn from_str(text: &str) -> std::result::Result<Self, String> {
        if text == "none" {
            return Ok(Self(None));
        }
        let numbers: std::result::Result<Vec<f32>, _> =
            text.split(',').map(|number| number.trim().parse()).collect();
        let numbers = numbers.ok().filter(|numbers| numbers.len() <= 3);
        let numbers = numbers.ok_or("expected up to three numbers, for counts 1, 2 and 3+, or `none`")?;
        let last = *numbers.last().ok_or("expected numbers")?;
        let discount: Discount = std::array::from_fn(|at| numbers.get(at).copied().unwrap_or(last));
        for (amount, highest) in discount.iter().zip([1.0, 2.0, 3.0]) {
            if !(0.0..=highest).contains(amount) {
                return Err(format!("the discount for count {highest} must be 0 to {highest}, not {amount}"));
            }
        }
        Ok(Self(Some(discount)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fallbacks_are_read_as_they_are_written() {
        for (text, discount) in
            [("none", None), ("0.5,1,1.5", Some([0.5, 1.0, 1.5])), ("0.7", Some([0.7, 0.7, 0.7]))]
        {
            let fallback: Fallback = text.parse().unwrap();
            assert_eq!(fallback, Fallback(discount));
            assert_eq!(fallback.to_string().parse::<Fallback>().unwrap(), fallback);
        }
        for text in ["", "x", "0.5,1,1.5,2", "1.5", "nan", "-1"] {
            assert!(text.parse::<Fallback>().is_err(), "{text}");
        }
    }
}
