//! What the server counts, for Prometheus.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

/// What a request was for, and how it ended.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct Answered {
    pub path: String,
    pub status: u16,
}

/// What a request was for.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct Asked {
    pub path: String,
}

/// Which system did it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct Did {
    pub system: String,
}

/// All counts.
pub(crate) struct Metrics {
    pub requests: Family<Answered, Counter>,
    pub seconds: Family<Asked, Histogram>,
    pub characters: Family<Did, Counter>,
    pub under_way: Gauge,
    pub replaced: Counter,
    memory: Gauge,
    registry: Registry,
}

impl Metrics {
    pub fn new() -> Self {
        const BOUNDS: [f64; 11] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0];
        let histogram: fn() -> Histogram = || Histogram::new(BOUNDS);
        let mut all = Self {
            requests: Family::default(),
            seconds: Family::new_with_constructor(histogram),
            characters: Family::default(),
            under_way: Gauge::default(),
            replaced: Counter::default(),
            memory: Gauge::default(),
            registry: Registry::with_prefix("treeglot"),
        };
        let registry = &mut all.registry;
        registry.register("requests", "Requests answered", all.requests.clone());
        registry.register("request_seconds", "Seconds from a request to its answer", all.seconds.clone());
        registry.register("characters", "Characters translated", all.characters.clone());
        registry.register("under_way", "Requests that wait or are worked on", all.under_way.clone());
        registry.register(
            "bundles_replaced",
            "Bundles taken up after they were replaced",
            all.replaced.clone(),
        );
        registry.register(
            "resident_memory_bytes",
            "Memory of the process, mapped files included",
            all.memory.clone(),
        );
        all
    }

    /// All counts in the format of OpenMetrics.
    pub fn text(&self) -> String {
        self.memory.set(resident_memory().unwrap_or(0));
        let mut text = String::new();
        encode(&mut text, &self.registry).expect("a string takes every character");
        text
    }
}

/// The memory of this process in bytes, where the system tells it.
fn resident_memory() -> Option<i64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<i64>().ok().map(|kilobytes| kilobytes << 10)
}
