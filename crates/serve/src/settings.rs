//! What a server may be told: where it listens, what a request may cost, and what it keeps.

use serde::{Deserialize, Serialize};
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;

/// How a server behaves. The defaults are safe on a machine of one's own: only its own programs are answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::Args))]
pub struct ServeSettings {
    /// The address to listen at; 0.0.0.0 or :: answers other machines too
    #[cfg_attr(feature = "clap", arg(long, value_name = "ADDRESS", default_value_t = Self::default().host))]
    pub host: IpAddr,

    /// The port to listen at; 0 for any that is free
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = Self::default().port))]
    pub port: u16,

    /// A file of API keys, made by `treeglot serve key new`: whoever has none of them gets no translation
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE"))]
    pub keys: Option<PathBuf>,

    /// The most characters of a request
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = Self::default().max_characters))]
    pub max_characters: usize,

    /// The most bytes of a request, files included
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = Self::default().max_body))]
    pub max_body: usize,

    /// The most seconds that a request may wait and be worked on; a translation that takes longer is stopped
    #[cfg_attr(feature = "clap", arg(long, value_name = "SECONDS", default_value_t = Self::default().time_limit))]
    pub time_limit: u32,

    /// The most requests of a client (a key, or an address) in a minute; 0 for any number
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = Self::default().rate_limit))]
    pub rate_limit: u32,

    /// The most requests that wait or are worked on; more are told to come back later
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = Self::default().queue))]
    pub queue: usize,

    /// The most connections at a time
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = Self::default().connections))]
    pub connections: usize,

    /// Clients are told apart by the last address of the header X-Forwarded-For: only behind a proxy that sets it
    #[cfg_attr(feature = "clap", arg(long))]
    pub trust_proxy: bool,

    /// A web page whose scripts may ask, by its origin, such as `https://example.org`; `*` for all
    #[cfg_attr(feature = "clap", arg(long, value_name = "ORIGIN"))]
    pub cors: Vec<String>,

    /// A file to which corrections that users send are appended, one JSON object a line; without it they are not taken
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE"))]
    pub corrections: Option<PathBuf>,

    /// A report of `treeglot experiment` that the page shows
    #[cfg_attr(feature = "clap", arg(long = "report", value_name = "FILE"))]
    pub reports: Vec<PathBuf>,

    /// Write the texts of users to the log, which otherwise has only their lengths
    #[cfg_attr(feature = "clap", arg(long))]
    pub log_text: bool,
}

impl Default for ServeSettings {
    fn default() -> Self {
        Self {
            host: IpAddr::V4(Ipv4Addr::LOCALHOST),
            port: 5000,
            keys: None,
            max_characters: 20_000,
            max_body: 2 << 20,
            time_limit: 30,
            rate_limit: 1200,
            queue: 512,
            connections: 1024,
            trust_proxy: false,
            cors: Vec::new(),
            corrections: None,
            reports: Vec::new(),
            log_text: false,
        }
    }
}
