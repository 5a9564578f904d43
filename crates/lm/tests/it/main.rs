//! The crate from outside: laws of scoring, files in and out, and agreement with KenLM on real data.

#[cfg(test)]
mod chart;
#[cfg(test)]
mod damage;
#[cfg(test)]
mod depend;
#[cfg(test)]
mod estimate;
#[cfg(test)]
mod files;
#[cfg(test)]
mod mix;
#[cfg(test)]
mod support;
