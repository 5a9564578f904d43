//! The models by name. A model is one file of this crate and one line in [`MODELS`]: the command line takes its
//! options from here, and so does whoever has them as a table of a recipe.

use crate::error::{Error, Result};
use crate::{Model, TableRole};
use crate::{
    cons2str::Cons2Str, constrained::Constrained, dep2str::ConsDep2Str, dep2str::Dep2Str, hiero::Hiero,
    mwu::Mwu, phrase::Phrase, str2dep::Str2Dep,
};
#[cfg(feature = "clap")]
use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde::de::DeserializeOwned;
use treeglot_tree::PerTree;

/// Options that recipes have as tables and, with the feature `clap`, the command line as arguments.
#[cfg(feature = "clap")]
pub trait Options: DeserializeOwned + Args {}
#[cfg(feature = "clap")]
impl<T: DeserializeOwned + Args> Options for T {}

/// Options that recipes have as tables.
#[cfg(not(feature = "clap"))]
pub trait Options: DeserializeOwned {}
#[cfg(not(feature = "clap"))]
impl<T: DeserializeOwned> Options for T {}

/// What a model tells of itself to be found by name.
pub trait Registered: Model + Sized + 'static {
    /// Its name.
    const NAME: &'static str;
    /// What it does, in a line.
    const ABOUT: &'static str;
    /// The role of its table in systems of other models that want such a table beside their own.
    const ROLE: Option<TableRole> = None;
    /// Its options, on the command line and in recipes.
    type Options: Options;

    /// The model with these options, if they make sense.
    fn new(options: Self::Options) -> Result<Self>;
}

/// A model in the registry.
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// What it does, in a line.
    pub about: &'static str,
    /// The role of its table in systems of other models.
    pub role: Option<TableRole>,
    #[cfg(feature = "clap")]
    augment: fn(Command) -> Command,
    #[cfg(feature = "clap")]
    from_args: fn(&ArgMatches) -> Result<Box<dyn Model>>,
    from_value: fn(serde_json::Value) -> Result<Box<dyn Model>>,
}

/// All models.
pub const MODELS: &[Entry] = &[
    entry::<Phrase>(),
    entry::<Hiero>(),
    entry::<Constrained>(),
    entry::<Cons2Str>(),
    entry::<Dep2Str>(),
    entry::<ConsDep2Str>(),
    entry::<Str2Dep>(),
    entry::<Mwu>(),
];

const fn entry<M: Registered>() -> Entry {
    Entry {
        name: M::NAME,
        about: M::ABOUT,
        role: M::ROLE,
        #[cfg(feature = "clap")]
        augment: M::Options::augment_args,
        #[cfg(feature = "clap")]
        from_args: |matches| boxed(M::new(M::Options::from_arg_matches(matches)?)),
        from_value: |value| match serde_json::from_value(value) {
            Ok(options) => boxed(M::new(options)),
            Err(error) => Err(Error::BadOptions { model: M::NAME, why: error.to_string() }),
        },
    }
}

fn boxed<M: Registered>(model: Result<M>) -> Result<Box<dyn Model>> {
    model.map(|model| Box::new(model) as Box<dyn Model>)
}

impl Entry {
    /// A command with the model's options added.
    #[cfg(feature = "clap")]
    pub fn augment(&self, command: Command) -> Command {
        (self.augment)(command)
    }

    /// The model with the options of a command line.
    #[cfg(feature = "clap")]
    pub fn from_args(&self, matches: &ArgMatches) -> Result<Box<dyn Model>> {
        (self.from_args)(matches)
    }

    /// The model with the options of a table, as a recipe has them; those not given have their defaults.
    pub fn from_value(&self, options: serde_json::Value) -> Result<Box<dyn Model>> {
        (self.from_value)(options)
    }
}

/// The model of this name.
pub fn find(name: &str) -> Result<&'static Entry> {
    MODELS.iter().find(|entry| entry.name == name).ok_or_else(|| Error::NoModel {
        name: name.to_string(),
        known: MODELS.iter().map(|entry| entry.name).collect::<Vec<_>>().join(", "),
    })
}

/// The model whose rules tables of this role have; `None` for a system's own, which may be any.
pub fn maker(role: TableRole) -> Option<&'static Entry> {
    MODELS.iter().find(|entry| entry.role == Some(role))
}

/// The model to take where nobody says which, and why: by the trees there are, and by whether there is so much text that the
/// faster of the models of strings is the better choice.
pub fn suggested(trees: &PerTree<bool>, much_text: bool) -> (&'static str, &'static str) {
    match (trees.source_dep, trees.source_con, trees.target_dep) {
        (true, true, _) => (ConsDep2Str::NAME, "for source trees of both kinds"),
        (true, false, _) => (Dep2Str::NAME, "for dependency trees of the source"),
        (false, true, _) => (Cons2Str::NAME, "for constituency trees of the source"),
        (false, false, true) => (Str2Dep::NAME, "for dependency trees of the target"),
        (false, false, false) if much_text => (Phrase::NAME, "as there is much text"),
        (false, false, false) => (Hiero::NAME, "as there are no trees"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(feature = "clap")]
    use crate::testing::Sentences;
    use serde_json::json;

    #[test]
    #[cfg(feature = "clap")]
    fn a_table_of_options_makes_the_same_model_as_arguments() {
        let phrase = find("phrase").unwrap();
        let command = phrase.augment(Command::new("phrase"));
        let matches = command.try_get_matches_from(["phrase", "--max-length", "1"]).unwrap();
        let by_args = phrase.from_args(&matches).unwrap();
        let by_table = phrase.from_value(json!({"max-length": 1})).unwrap();
        let mut pair = Sentences::new("a b", "x y", "0-0 1-1");
        assert_eq!(pair.extract(&*by_args), pair.extract(&*by_table));
        assert_eq!(pair.extract(&*by_table).len(), 2);
    }

    #[test]
    fn unknown_names_and_options_are_refused() {
        let unknown = find("hyro").err().map(|error| error.to_string());
        assert_eq!(
            unknown.as_deref(),
            Some(
                "there is no model `hyro`; the models are phrase, hiero, constrained, cons2str, dep2str, consdep2str, str2dep, mwu"
            )
        );
        let error = find("hiero").unwrap().from_value(json!({"max-spam": 3})).err().unwrap();
        assert!(error.to_string().starts_with("model `hiero`: unknown field `max-spam`"), "{error}");
        let error = find("hiero").unwrap().from_value(json!({"max-span": 0})).err().unwrap();
        assert_eq!(error.to_string(), "model `hiero`: `max-span` must be from 1 to 254");
    }
}
