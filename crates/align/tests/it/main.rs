//! Word and tree alignment, tried from outside.

#[cfg(test)]
mod symmetrize;
#[cfg(test)]
mod training;
#[cfg(test)]
mod treebanks;
#[cfg(test)]
mod trees;
