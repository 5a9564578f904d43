//! The sample, tried from outside.

#[cfg(test)]
mod claims;
#[cfg(test)]
mod files;
