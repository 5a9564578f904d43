//! The binary, tried as people and scripts use it.

#[cfg(test)]
mod attacks;
#[cfg(test)]
mod bad_trees;
#[cfg(test)]
mod documents;
#[cfg(test)]
mod golden;
#[cfg(test)]
mod mistakes;
#[cfg(test)]
mod models;
#[cfg(test)]
mod parse;
#[cfg(test)]
mod parsers;
#[cfg(test)]
mod resume;
#[cfg(test)]
mod streams;
#[cfg(all(test, target_os = "linux"))]
mod terminal;
#[cfg(test)]
mod tool;
#[cfg(test)]
mod translators;
