//! How often a client may ask: a bucket of tokens that fills evenly, so that a burst is possible but not a flood.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// How many clients are remembered before those whose buckets are full again are forgotten.
const REMEMBERED: usize = 10_000;

/// Counts what clients ask.
pub(crate) struct Limiter {
    /// How many requests a minute; 0 for any number.
    rate: u32,
    buckets: Mutex<HashMap<String, Bucket>>,
}

struct Bucket {
    tokens: f64,
    filled: Instant,
}

impl Limiter {
    pub fn new(rate: u32) -> Self {
        Self { rate, buckets: Mutex::default() }
    }

    /// Takes a token for a request at this moment; if there is none, after how many seconds there will be one.
    pub fn take(&self, client: &str, now: Instant) -> Result<(), u32> {
        if self.rate == 0 {
            return Ok(());
        }
        let (most, a_second) = (f64::from(self.rate), f64::from(self.rate) / 60.0);
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= REMEMBERED && !buckets.contains_key(client) {
            buckets.retain(|_, bucket| bucket.at(now, most, a_second) < most);
        }
        let bucket = buckets.entry(client.to_string()).or_insert(Bucket { tokens: most, filled: now });
        bucket.tokens = bucket.at(now, most, a_second);
        bucket.filled = now;
        if bucket.tokens < 1.0 {
            return Err(((1.0 - bucket.tokens) / a_second).ceil() as u32);
        }
        bucket.tokens -= 1.0;
        Ok(())
    }
}

impl Bucket {
    /// How full it is at a moment.
    fn at(&self, now: Instant, most: f64, a_second: f64) -> f64 {
        let passed = now.saturating_duration_since(self.filled).as_secs_f64();
        (self.tokens + passed * a_second).min(most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_client_that_asks_too_often_waits_and_others_do_not() {
        let (limiter, start) = (Limiter::new(6), Instant::now());
        for _ in 0..6 {
            assert_eq!(limiter.take("a", start), Ok(()));
        }
        assert_eq!(limiter.take("a", start), Err(10));
        assert_eq!(limiter.take("b", start), Ok(()));
        let later = start + Duration::from_secs(10);
        assert_eq!((limiter.take("a", later), limiter.take("a", later)), (Ok(()), Err(10)));
    }

    #[test]
    fn clients_that_stopped_asking_are_forgotten() {
        let (limiter, start) = (Limiter::new(60), Instant::now());
        for client in 0..REMEMBERED {
            limiter.take(&client.to_string(), start).unwrap();
        }
        limiter.take("new", start + Duration::from_secs(60)).unwrap();
        assert_eq!(limiter.buckets.lock().unwrap().len(), 1);
    }

    #[test]
    fn without_a_rate_nothing_is_counted() {
        let limiter = Limiter::new(0);
        assert!((0..100).all(|_| limiter.take("a", Instant::now()).is_ok()));
        assert!(limiter.buckets.lock().unwrap().is_empty());
    }
}
