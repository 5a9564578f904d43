//! The metrics, tried from outside.

#[cfg(test)]
mod data;
#[cfg(test)]
mod files;
#[cfg(test)]
mod golden;
#[cfg(test)]
mod laws;
