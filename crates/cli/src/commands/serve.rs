//! `treeglot serve`: translation over HTTP, and the page that shows it.

use crate::args::{Quiet, Threads};
use crate::errors::wrong;
use crate::print::print;
use crate::signals::on_signal;
use anyhow::Result;
use clap::{Args as ClapArgs, Subcommand, ValueEnum};
use std::io::Write;
use std::path::PathBuf;
use treeglot_decode::SearchSettings;
use treeglot_pipeline::translator::TranslatorSettings;
use treeglot_serve::{Named, ServeSettings, Server, new_key};

const HELP: &str = "\
The page is at the address that is printed; programs ask as they ask LibreTranslate (POST /translate), and /openapi.json \
describes all that can be asked. docs/serve.md tells more. SIGTERM or Ctrl-C ends the server after what it is at; a second one ends it at once. A \
bundle that is replaced on disk is taken up without an interruption.

Examples:
  treeglot serve -m bundles/hiero -m bundles/phrase
  treeglot serve -m best=bundles/de-en --host 0.0.0.0 --keys keys --corrections corrections.jsonl
  treeglot serve key new --keys keys --name \"the newsroom\"";

/// The arguments of `treeglot serve`.
#[derive(ClapArgs)]
#[command(after_help = HELP, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Args {
    #[command(subcommand)]
    command: Option<Command>,

    /// A bundle to serve, as FOLDER or as NAME=FOLDER; the first for two languages is the one that clients get who name none
    #[arg(short, long = "model", value_name = "BUNDLE", required = true)]
    models: Vec<String>,

    #[command(flatten)]
    settings: ServeSettings,

    /// What the log on standard error looks like
    #[arg(long, value_enum, default_value_t = Log::Text)]
    log: Log,

    #[command(flatten)]
    threads: Threads,

    #[command(flatten)]
    notes: Quiet,

    #[command(flatten)]
    search: SearchSettings,
}

#[derive(Subcommand)]
enum Command {
    /// Make keys for clients
    #[command(subcommand)]
    Key(KeyCommand),
}

#[derive(Subcommand)]
enum KeyCommand {
    /// Make a key, print it, and add its hash to a file
    New(NewKey),
}

#[derive(ClapArgs)]
struct NewKey {
    /// The file of keys, which is made if it is not there; a running server reads it again
    #[arg(long, value_name = "FILE")]
    keys: PathBuf,

    /// Whom the key is for, as the file will say
    #[arg(long, default_value = "")]
    name: String,
}

/// Forms of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Log {
    /// Lines for people
    Text,
    /// One JSON object a line
    Json,
    /// Nothing
    None,
}

impl Args {
    pub fn run(self) -> Result<()> {
        if let Some(Command::Key(KeyCommand::New(NewKey { keys, name }))) = &self.command {
            let key = new_key(keys, name)?;
            return print(|out| writeln!(out, "{key}"));
        }
        if self.settings.log_text && self.log == Log::None {
            wrong!("--log-text has texts written to the log, but --log none writes none");
        }
        self.start_log();
        let bundles = self.models.iter().map(|text| Named::parse(text)).collect();
        let translator = TranslatorSettings {
            search: self.search.clone(),
            threads: self.threads.count(),
            ..TranslatorSettings::default()
        };
        let open = !self.settings.host.is_loopback() && self.settings.keys.is_none();
        let server = Server::open(bundles, translator, self.settings)?;
        let stop = server.stop();
        on_signal(move || stop.stop());
        self.notes.note(&format!("open http://{} in a browser", server.address()));
        if open {
            self.notes.note("whoever can reach this address can have text translated: --keys asks for a key");
        }
        Ok(server.run()?)
    }

    fn start_log(&self) {
        let log = tracing_subscriber::fmt().with_writer(std::io::stderr).with_target(false);
        match self.log {
            Log::Text => log.with_ansi(false).init(),
            Log::Json => log.json().flatten_event(true).with_current_span(false).init(),
            Log::None => {}
        }
    }
}
