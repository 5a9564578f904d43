//! Translated files that wait to be fetched: in memory, under names that cannot be guessed, for some minutes.

use crate::keys::hexadecimal;
use axum::body::Bytes;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a file waits.
const KEPT: Duration = Duration::from_secs(600);

/// Files, the oldest first.
pub(crate) struct Files {
    most: usize,
    kept: Mutex<VecDeque<(String, Instant, Bytes)>>,
}

impl Files {
    /// Keeps so many bytes at most.
    pub fn new(most: usize) -> Self {
        Self { most, kept: Mutex::default() }
    }

    /// Keeps a file with this ending; its name. The oldest make room for it.
    pub fn keep(&self, ending: &str, content: Vec<u8>, now: Instant) -> Option<String> {
        let mut random = [0; 16];
        getrandom::fill(&mut random).ok()?;
        let name = format!("{}.{ending}", hexadecimal(&random));
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push_back((name.clone(), now, content.into()));
        let over = |kept: &VecDeque<(String, Instant, Bytes)>| {
            let bytes: usize = kept.iter().map(|(_, _, content)| content.len()).sum();
            kept.len() > 1 && bytes > self.most
        };
        while over(&kept) || kept.front().is_some_and(|(_, since, _)| now.duration_since(*since) > KEPT) {
            kept.pop_front();
        }
        Some(name)
    }

    /// A file by its name, if it is still there.
    pub fn get(&self, name: &str, now: Instant) -> Option<Bytes> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let found = kept.iter().find(|(known, since, _)| known == name && now.duration_since(*since) <= KEPT);
        found.map(|(_, _, content)| content.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_kept_for_a_while_and_within_bounds() {
        let (files, start) = (Files::new(10), Instant::now());
        let first = files.keep("txt", b"12345".to_vec(), start).unwrap();
        let second = files.keep("txt", b"67890".to_vec(), start).unwrap();
        assert!(first != second && first.ends_with(".txt"));
        assert_eq!(files.get(&first, start).as_deref(), Some(&b"12345"[..]));
        let third = files.keep("html", b"x".to_vec(), start).unwrap();
        assert_eq!((files.get(&first, start), files.get(&second, start).is_some()), (None, true));
        let later = start + KEPT + Duration::from_secs(1);
        assert_eq!(files.get(&third, later), None);
        let large = files.keep("txt", vec![0; 100], later).unwrap();
        assert_eq!(files.get(&large, later).map(|content| content.len()), Some(100));
    }
}
