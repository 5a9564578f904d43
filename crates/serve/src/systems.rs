//! The bundles that are served, each under a name, and what is known of them. A bundle that was replaced on disk is opened
//! beside the old one and takes its place; whoever translates with the old one goes on with it to the end.

use crate::error::{ApiError, Error, Result};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Instant, SystemTime};
use tokio::sync::{Semaphore, oneshot};
use treeglot_decode::LmRole;
use treeglot_grammar::Table;
use treeglot_lm::Lm;
use treeglot_models::InputTrees;
use treeglot_pipeline::bundle::{Card, MANIFEST};
use treeglot_pipeline::text_path::TextPath;
use treeglot_pipeline::translator::TranslatorSettings;
use treeglot_pipeline::{Bundle, CORRECTIONS, Request, Translated, Translator};

/// What a language is called that a bundle does not name.
const UNKNOWN_LANGUAGE: &str = "und";

/// How many combinations of systems are kept ready.
const COMBINATIONS: usize = 8;

/// What stands between the names of systems that choose together.
pub(crate) const TOGETHER: char = '+';

/// A bundle to serve, and the name that clients know it by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// Its name.
    pub name: String,
    /// Its folder.
    pub folder: PathBuf,
}

impl Named {
    /// Reads `NAME=FOLDER`, or a folder whose name is that of the system.
    pub fn parse(text: &str) -> Self {
        if let Some((name, folder)) = text.split_once('=')
            && !name.is_empty()
            && !name.contains(['/', '\\'])
        {
            return Self { name: name.to_string(), folder: folder.into() };
        }
        let folder = PathBuf::from(text);
        // The folder may be given as `.` or end in `..`: its real name is meant.
        let whole = folder.canonicalize().unwrap_or_else(|_| folder.clone());
        let name = whole.file_name().unwrap_or(whole.as_os_str()).to_string_lossy().into_owned();
        Self { name, folder }
    }
}

/// An opened bundle.
pub(crate) struct Opened {
    pub name: String,
    pub languages: [String; 2],
    pub bundle: Bundle,
    pub card: Option<Card>,
    pub translator: Translator,
    pub tables: Vec<Table>,
    /// The n-gram language models of the target language.
    pub lms: Vec<Lm>,
    pub text: Option<[TextPath; 2]>,
    turns: Arc<Semaphore>,
    seen: Seen,
}

/// How a manifest looked when its bundle was opened, and what the bundle had learnt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Seen {
    modified: Option<SystemTime>,
    length: u64,
    /// Which file it is: a folder or a link that was put in the place of another has another one.
    file: u64,
    /// When it last learnt a correction, or forgot one.
    learnt: Option<SystemTime>,
}

impl Seen {
    fn look(folder: &Path) -> std::io::Result<Self> {
        // A packed bundle is a file.
        let path = if folder.is_file() { folder.to_path_buf() } else { folder.join(MANIFEST) };
        let about = std::fs::metadata(path)?;
        #[cfg(unix)]
        let file = std::os::unix::fs::MetadataExt::ino(&about);
        #[cfg(not(unix))]
        let file = 0;
        let learnt = std::fs::metadata(folder.join(CORRECTIONS)).and_then(|about| about.modified()).ok();
        Ok(Self { modified: about.modified().ok(), length: about.len(), file, learnt })
    }
}

impl Opened {
    fn open(named: &Named, settings: &TranslatorSettings) -> Result<Self> {
        let file = |source| Error::File { path: named.folder.join(MANIFEST), doing: "open", source };
        // What is looked at first is at least as old as what is opened: a bundle replaced meanwhile is opened again.
        let seen = Seen::look(&named.folder).map_err(file)?;
        let bundle = Bundle::open(&named.folder)?;
        let components = bundle.components();
        let translator = Translator::of(&[&bundle], settings)?;
        let ngram = components.lms.iter().filter(|lm| lm.role == LmRole::Ngram);
        let lms = ngram.map(|lm| Lm::open(&lm.path)).collect::<std::result::Result<_, _>>();
        Ok(Self {
            name: named.name.clone(),
            languages: components.languages.clone().map(|l| l.unwrap_or_else(|| UNKNOWN_LANGUAGE.into())),
            card: bundle.card()?,
            tables: components.tables()?,
            lms: lms.map_err(treeglot_pipeline::Error::from)?,
            text: components.text_paths()?,
            turns: turns(&translator),
            translator,
            bundle,
            seen,
        })
    }

    /// What is asked for to translate with it alone.
    fn choice(self: &Arc<Self>) -> Choice {
        Choice {
            name: self.name.clone(),
            systems: vec![Arc::clone(self)],
            translator: self.translator.clone(),
            turns: Arc::clone(&self.turns),
        }
    }
}

/// As many turns as keep all threads of a translator busy: who waits for a turn can still go away, or run out of time.
fn turns(translator: &Translator) -> Arc<Semaphore> {
    Arc::new(Semaphore::new(2 * translator.threads()))
}

/// A system, or several that choose together, to translate with.
#[derive(Clone)]
pub(crate) struct Choice {
    pub name: String,
    pub systems: Vec<Arc<Opened>>,
    pub translator: Translator,
    turns: Arc<Semaphore>,
}

impl Choice {
    /// The languages translated from and to.
    pub fn languages(&self) -> &[String; 2] {
        &self.systems[0].languages
    }

    /// The words of a text as the models see them.
    pub fn words(&self, text: &str) -> String {
        let mut words = String::new();
        match &self.systems[0].text {
            Some([source, _]) => source.worker().words(text, &mut words),
            None => words.push_str(text),
        }
        words
    }

    /// Translates a text when it is its turn, unless its time is over before.
    pub async fn translate(
        &self,
        text: String,
        trees: Vec<InputTrees>,
        request: &Request,
        until: Instant,
    ) -> std::result::Result<Translated, ApiError> {
        let turn = tokio::time::timeout_at(until.into(), Arc::clone(&self.turns).acquire_owned()).await;
        let turn = turn.map_err(|_| ApiError::out_of_time())?.expect("turns are never closed");
        let (answer, answered) = oneshot::channel();
        self.translator.submit(text, trees, request, move |result| {
            drop(turn);
            // Whoever asked may have gone.
            let _ = answer.send(result);
        });
        answered.await.unwrap_or(Err(treeglot_pipeline::Error::OutOfTime)).map_err(ApiError::from)
    }
}

/// All systems, in the order in which they were given.
pub(crate) struct Systems {
    given: Vec<Named>,
    opened: RwLock<Vec<Arc<Opened>>>,
    combined: Mutex<HashMap<String, Choice>>,
    settings: TranslatorSettings,
}

impl Systems {
    pub fn open(given: Vec<Named>, settings: TranslatorSettings) -> Result<Self> {
        if given.is_empty() {
            return Err(Error::Setting("a server needs a bundle".to_string()));
        }
        for (number, Named { name, .. }) in given.iter().enumerate() {
            if name.is_empty() || name.contains(TOGETHER) {
                let why = format!("`{name}` cannot be the name of a system: give another as NAME=FOLDER");
                return Err(Error::Setting(why));
            }
            if given[..number].iter().any(|other| other.name == *name) {
                let why = format!("two bundles are called `{name}`: give one another name, as NAME=FOLDER");
                return Err(Error::Setting(why));
            }
        }
        let open = |named: &Named| Opened::open(named, &settings).map(Arc::new);
        let opened = RwLock::new(given.iter().map(open).collect::<Result<_>>()?);
        Ok(Self { given, opened, combined: Mutex::default(), settings })
    }

    /// The systems as they are now.
    pub fn all(&self) -> Vec<Arc<Opened>> {
        self.opened.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A system by name.
    pub fn find(&self, name: &str) -> std::result::Result<Arc<Opened>, ApiError> {
        let found = self.all().into_iter().find(|system| system.name == name);
        found.ok_or_else(|| ApiError::missing(format!("there is no system `{name}`: /systems lists them")))
    }

    /// What translates from one language to another: the systems of these names, or the first there is.
    pub fn choose(
        &self,
        names: Option<&str>,
        source: &str,
        target: &str,
    ) -> std::result::Result<Choice, ApiError> {
        let Some(names) = names.filter(|names| !names.is_empty()) else {
            let fits = |system: &&Arc<Opened>| system.languages == [source, target];
            let systems = self.all();
            let first = systems.iter().find(fits);
            return first.map(Opened::choice).ok_or_else(|| {
                ApiError::bad(format!(
                    "{source} is not translated to {target} here: /languages lists what is"
                ))
            });
        };
        let choice = self.named(names)?;
        if *choice.languages() != [source, target] {
            let [from, to] = choice.languages();
            return Err(ApiError::bad(format!(
                "`{names}` translates {from} to {to}, not {source} to {target}"
            )));
        }
        Ok(choice)
    }

    /// The systems of these names, with `+` between those that choose together.
    pub fn named(&self, names: &str) -> std::result::Result<Choice, ApiError> {
        if !names.contains(TOGETHER) {
            return Ok(self.find(names)?.choice());
        }
        let systems =
            names.split(TOGETHER).map(|name| self.find(name)).collect::<std::result::Result<Vec<_>, _>>()?;
        let mut combined = self.combined.lock().unwrap_or_else(PoisonError::into_inner);
        let current = |choice: &Choice| {
            choice.systems.len() == systems.len()
                && choice.systems.iter().zip(&systems).all(|(a, b)| Arc::ptr_eq(a, b))
        };
        if let Some(choice) = combined.get(names).filter(|choice| current(choice)) {
            return Ok(choice.clone());
        }
        let bundles: Vec<&Bundle> = systems.iter().map(|system| &system.bundle).collect();
        let translator = Translator::of(&bundles, &self.settings)?;
        let choice = Choice { name: names.to_string(), turns: turns(&translator), systems, translator };
        if combined.len() >= COMBINATIONS {
            combined.clear();
        }
        combined.insert(names.to_string(), choice.clone());
        Ok(choice)
    }

    /// Opens the bundles that were replaced since they were opened; how many. One that cannot be opened, because it is still being
    /// copied or because it is damaged, is tried again the next time, and the old one goes on.
    pub fn take_up_replaced(&self) -> usize {
        let mut replaced = 0;
        for (number, system) in self.all().iter().enumerate() {
            let named = &self.given[number];
            if Seen::look(&named.folder).is_ok_and(|seen| seen == system.seen) {
                continue;
            }
            match Opened::open(named, &self.settings) {
                Ok(new) => {
                    tracing::info!(
                        system = named.name,
                        "a bundle was replaced, the new one is used from now on"
                    );
                    let mut opened = self.opened.write().unwrap_or_else(PoisonError::into_inner);
                    opened[number] = Arc::new(new);
                    replaced += 1;
                }
                Err(error) => {
                    let error = error.to_string();
                    tracing::warn!(
                        system = named.name,
                        error,
                        "a replaced bundle cannot be opened yet, the old one is used"
                    );
                }
            }
        }
        replaced
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bundle_is_called_as_its_folder_unless_it_is_given_a_name() {
        let parse = |text: &str| {
            let named = Named::parse(text);
            (named.name, named.folder.display().to_string())
        };
        assert_eq!(parse("bundles/de-en"), ("de-en".into(), "bundles/de-en".into()));
        assert_eq!(parse("best=bundles/de-en"), ("best".into(), "bundles/de-en".into()));
        assert_eq!(parse("runs/a=b/de-en").0, "de-en");
    }
}
