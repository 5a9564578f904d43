//! The resident memory of the process while a stage runs. Stages that run side by side share a process, so the figure
//! is an upper bound for each of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

const INTERVAL: Duration = Duration::from_millis(20);

/// Watches the resident memory from its start to its stop.
pub(crate) struct Watch {
    stop: Arc<AtomicBool>,
    peak: Arc<AtomicU64>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Watch {
    /// Starts to watch.
    pub fn start() -> Self {
        let (stop, peak) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(resident())));
        let (stopped, highest) = (Arc::clone(&stop), Arc::clone(&peak));
        let thread = std::thread::Builder::new().name("memory".into()).spawn(move || {
            while !stopped.load(Ordering::Relaxed) {
                highest.fetch_max(resident(), Ordering::Relaxed);
                std::thread::park_timeout(INTERVAL);
            }
        });
        Self { stop, peak, thread: thread.ok() }
    }

    /// The largest resident memory seen, in bytes; 0 where the system does not tell.
    pub fn stop(mut self) -> u64 {
        self.peak.fetch_max(resident(), Ordering::Relaxed);
        self.end();
        self.peak.load(Ordering::Relaxed)
    }

    fn end(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.end();
    }
}

/// The resident memory now, in bytes, from the kernel's figures; 0 elsewhere.
fn resident() -> u64 {
    let Ok(text) = std::fs::read_to_string("/proc/self/status") else { return 0 };
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|rest| rest.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_used_is_seen() {
        if resident() == 0 {
            println!("skipped: the system does not tell a process's memory");
            return;
        }
        let before = resident();
        let watch = Watch::start();
        let block = vec![1u8; 64 << 20];
        let peak = watch.stop();
        assert!(block.iter().all(|&byte| byte == 1));
        assert!(peak >= before + (48 << 20), "{before} {peak}");
    }
}
