//! Transforms of trees.

pub mod binarize;
pub mod heads;
pub mod inorder;
pub mod join;
pub mod lift;
pub mod pas;
