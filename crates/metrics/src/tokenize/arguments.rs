//! The names of tokenisers as arguments: those that sacreBLEU has and we do not are refused with the reason.

use super::Tokenizer;
use clap::builder::{EnumValueParser, PossibleValue, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, Command, Error, ValueEnum};
use std::ffi::OsStr;

/// Names of sacreBLEU's that are not here, and why.
const NOT_HERE: [(&str, &str); 3] = [
    (
        "ja-mecab",
        "it is what MeCab, a C++ program, makes of a text with one release of its dictionary; take `char`, or cut both sides with `treeglot \
         tokenize --lang ja` and score them with `--tokenize none`: scores then cannot be compared with those of ja-mecab",
    ),
    (
        "ko-mecab",
        "it is what MeCab, a C++ program, makes of a text with one release of its dictionary; take `char`, or cut both sides with MeCab and \
         score them with `--tokenize none`",
    ),
    (
        "spm",
        "it is sacreBLEU's older name of flores101: take that, with the file of the model in --spm-model",
    ),
];

/// Reads the name of a tokeniser.
#[derive(Clone)]
pub(crate) struct Named;

impl TypedValueParser for Named {
    type Value = Tokenizer;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<Tokenizer, Error> {
        match NOT_HERE.iter().find(|(name, _)| value == *name) {
            Some((name, why)) => {
                let message = format!("there is no tokeniser `{name}` here: {why}\n");
                Err(Error::raw(ErrorKind::InvalidValue, message).with_cmd(command))
            }
            None => EnumValueParser::new().parse_ref(command, arg, value),
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(Tokenizer::value_variants().iter().filter_map(ValueEnum::to_possible_value)))
    }
}
