//! The search, tried from outside.

#[cfg(test)]
mod brute_force;
#[cfg(test)]
mod common;
#[cfg(test)]
mod dependency;
#[cfg(test)]
mod joint;
#[cfg(test)]
mod long;
#[cfg(test)]
mod moses_chart;
#[cfg(test)]
mod operations;
#[cfg(test)]
mod robust;
#[cfg(test)]
mod sparse;
#[cfg(test)]
mod stack;
